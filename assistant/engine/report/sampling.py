"""What was counted of a program that was run in part, named kernel by kernel."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.engine.evaluate import AssessedLaunch, CountedLaunchGroup, CountedRun, Evaluation, KernelAssessment
from assistant.engine.job import Job
from assistant.model.profile import Severity
from assistant.ports.lab import NOT_MODELLED, UNSEEN

__all__ = ["IN_PART", "report_sampling", "report_unchecked", "report_uncounted", "sampling_in_words", "uncounted"]

IN_PART = "checked in part"
_UNCOUNTED_REMEDY = "give it smaller arguments after --, or let the GPU's own counters be read: kernelopt doctor says how"
_REMEDY = "give it smaller arguments after --, or raise run.whole_s and --timeout, to have all of it run"


def report_sampling(job: Job, evaluation: Evaluation) -> bool:
    """One warning for each launch shape that was counted in part, and what follows for the program's results; False if these are right."""
    if not evaluation.counted.is_counted_in_part:
        return False
    for item in evaluation.assessment.kernels:
        for launch in item.launches:
            words = sampling_in_words(launch, _counted_launches(evaluation, launch))
            if words is not None:
                job.say(Severity.WARNING, f"{item.kernel.key}: {words}")
    if not evaluation.counted.is_partial:
        return False
    job.say(Severity.WARNING, "what the program computes and prints in such a run is not right and is not shown", _REMEDY)
    return True


def report_uncounted(job: Job, counted: CountedRun, kernels: Sequence[KernelAssessment]) -> None:
    """One warning for each kernel that nothing is known of, so that a missing finding is not taken for a kernel without fault."""
    said = () if counted.run is None else counted.run.unsupported
    is_out_of_time = not any(text.startswith(NOT_MODELLED) for text in said)
    unseen = next(
        (text.removeprefix(UNSEEN) for text in said if text.startswith(UNSEEN)), "the emulator came to the end of no block in its time"
    )
    why = f": {unseen}" if is_out_of_time else ""
    for item in uncounted(kernels):
        text = f"{item.kernel.key}: none of its launches was counted{why}; no time is predicted, and no finding rests on counters"
        job.say(Severity.WARNING, text, _UNCOUNTED_REMEDY if is_out_of_time else "")


def uncounted(kernels: Sequence[KernelAssessment]) -> tuple[KernelAssessment, ...]:
    """Those of whose launches no block was counted."""
    return tuple(item for item in kernels if item.launches and not any(launch.is_counted for launch in item.launches))


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


def report_unchecked(job: Job, seen: Sequence[CountedRun]) -> None:
    """One warning for each launch shape of which some blocks or launches did not run, by name; nothing where all did."""
    for counted in (counted for counted in seen if counted.is_counted_in_part):
        for item in counted.kernels:
            for group in item.groups:
                words = _unchecked(counted, group)
                if words is not None:
                    job.say(Severity.WARNING, f"{item.kernel.key}: {words}")
    after = (
        "later launches find what these left: their reads of what was never written are not reported, and other problems may follow from it"
    )
    where = "" if any(counted.is_partial for counted in seen) else " under the emulator, which looks for what a GPU does not show"
    job.say(Severity.WARNING, f"the program takes too long to be run whole{where}; {after}", _REMEDY)


def _unchecked(counted: CountedRun, group: CountedLaunchGroup) -> str | None:
    profile, made = group.profile, round(group.count)
    checked = sum((each.kernel, each.config) == (profile.kernel, profile.config) for each in counted.profiles)
    blocks, every = profile.blocks_counted, profile.config.grid.count
    parts = [f"checked {blocks:,} of {every:,} blocks: the first, the last and others spread evenly"] if blocks < every else []
    if checked < made:
        parts.append(f"checked {checked:,} of {made:,} launches, the first ones")
    return f"grid {profile.config.grid}, block {profile.config.block}: {'; '.join(parts)}; the others were not checked" if parts else None


def _counted_launches(evaluation: Evaluation, launch: AssessedLaunch) -> int:
    mine = (launch.profile.kernel, launch.profile.config)
    return sum((profile.kernel, profile.config) == mine for profile in evaluation.counted.profiles)
