"""What a kernel's costliest launch came to before and after an edit, out of what both versions were assessed to be. Pure.

Example::

    figures = figures_of(job, before.kernel("transpose"), after.kernel("transpose"))
    figures.after.sectors
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assistant.engine.evaluate.assessment import AssessedLaunch, KernelAssessment
from assistant.engine.job import Job
from assistant.model.device import Target
from assistant.model.figures import BeforeAfter, LaunchFigures, StallCount
from assistant.profile.bottleneck import bottleneck
from assistant.profile.roofline import roofline

__all__ = ["figures_of"]


def figures_of(job: Job, before: Sequence[KernelAssessment], after: Sequence[KernelAssessment]) -> BeforeAfter | None:
    """Both versions' launch that costs most before; None where a side launches nothing, or nothing of it was counted.

    Launches are paired in order where both sides have as many; else the costliest of each side stand next to each other.
    """
    old = [launch for kernel in before for launch in kernel.launches]
    new = [launch for kernel in after for launch in kernel.launches]
    if not old or not new:
        return None
    index = max(range(len(old)), key=lambda i: old[i].total_time_s)
    is_paired = len(old) == len(new)
    pair = (old[index], new[index] if is_paired else max(new, key=lambda launch: launch.total_time_s))
    if not all(launch.profile.blocks_counted for launch in pair):
        return None
    return BeforeAfter(job.device.name, *(_figures(launch, job.target) for launch in pair))


def _figures(launch: AssessedLaunch, target: Target) -> LaunchFigures:
    profile, config = launch.profile, launch.profile.config
    stalls = Counter[str]()
    for stall in profile.stalls:
        stalls[stall.reason] += stall.samples
    return LaunchFigures(
        shape=launch.shape,
        grid=config.grid.axes,
        block=config.block.axes,
        method=profile.method.value,
        predicted_time_s=launch.predicted.time_s,
        limited_by=bottleneck(profile, launch.predicted),
        sectors=profile.total("", "sectors"),
        ideal_sectors=profile.total("", "ideal_sectors"),
        wavefronts=profile.total("", "wavefronts"),
        ideal_wavefronts=profile.total("", "ideal_wavefronts"),
        stalls=tuple(StallCount(reason, count) for reason, count in stalls.most_common() if count),
        roofline=roofline(profile, launch.predicted, target),
    )
