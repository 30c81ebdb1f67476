"""What was counted of a program that was run in part, named kernel by kernel."""

from __future__ import annotations

from assistant.engine.evaluate import AssessedLaunch, Evaluation
from assistant.engine.job import Job
from assistant.model.profile import Severity

__all__ = ["sampling_in_words", "tell_sampling"]


def tell_sampling(job: Job, evaluation: Evaluation) -> bool:
    """One warning for each launch shape that was counted in part, and what follows for the program's results; False if all of it ran."""
    if not evaluation.counted.is_partial:
        return False
    for item in evaluation.assessment.kernels:
        for launch in item.launches:
            words = sampling_in_words(launch, _counted_launches(evaluation, launch))
            if words is not None:
                job.say(Severity.WARNING, f"{item.kernel.key}: {words}")
    remedy = "give it smaller arguments after --, or raise run.whole_s and --timeout, to have all of it run"
    job.say(Severity.WARNING, "what the program computes and prints in such a run is not right and is not shown", remedy)
    return True


def sampling_in_words(launch: AssessedLaunch, counted_launches: int) -> str | None:
    """``counted on 64 of 65,536 blocks; scaled``; None where all of it was counted."""
    profile, made = launch.profile, round(launch.count)
    blocks, every = profile.blocks_counted, profile.config.grid.count
    parts: list[str] = []
    if 0 < blocks < every:
        parts.append(f"{blocks:,} of {every:,} blocks")
    if counted_launches < made:
        parts.append(f"{counted_launches:,} of {made:,} launches")
    if not parts:
        return None
    return f"grid {profile.config.grid}, block {profile.config.block}: counted on {' in '.join(parts)}; scaled, so estimated"


def _counted_launches(evaluation: Evaluation, launch: AssessedLaunch) -> int:
    mine = (launch.profile.kernel, launch.profile.config)
    return sum((profile.kernel, profile.config) == mine for profile in evaluation.counted.profiles)
