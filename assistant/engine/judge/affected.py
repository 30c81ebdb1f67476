"""Which kernels' GPU work an edit changes, so that all of it is in one ratio: text, machine code or launch configuration differ.

An edit may move work from one kernel into another, or change several at once; a ratio of one of them alone would be no gain of the edit's.
Example::

    affected_pairs(before, after, "blur")     # blur, and every other launched kernel that the edit changes
"""

from __future__ import annotations

from assistant.engine.evaluate import Evaluation, KernelAssessment
from assistant.engine.judge.changes import edited_kernels, same_kernel
from assistant.engine.judge.predicting import KernelPair
from assistant.engine.judge.region import ProgramRegion
from assistant.engine.request import WHOLE_PROGRAM
from assistant.model.launch import LaunchConfig
from assistant.model.source import Kernel
from assistant.workload.asked_regions import region_of_calls, region_of_main
from assistant.workload.regions import OrderedStep, find_region, have_other_order, seen_alike, steps_in_order
from assistant.workload.stream_regions import may_overlap

__all__ = [
    "affected_pairs",
    "are_ordered_otherwise",
    "asked_region",
    "find_in_programs",
    "is_same_machine_code",
    "kernel_pair",
    "launched_work",
]


def affected_pairs(before: Evaluation, after: Evaluation, name: str) -> tuple[KernelPair, ...]:
    """The kernel of this qualified name first, then the others that ``before`` launches and whose work may differ in ``after``."""
    edited = edited_kernels(before.version, after.version)
    named = [kernel for kernel in before.launched_kernels if kernel.qualified_name == name]
    others = [k for k in before.launched_kernels if k not in named and _is_affected(k, before, after, k.key in edited)]
    return tuple(kernel_pair(kernel, before, after) for kernel in (*named, *others))


def is_same_machine_code(before: Evaluation, after: Evaluation) -> bool:
    """Whether both versions launch the same kernels alike, with the same instructions; False where no machine code was made."""
    kernels = (*before.launched_kernels, *after.launched_kernels)
    names = {kernel.qualified_name for kernel in kernels}
    pairs = [(before.kernel(name), after.kernel(name)) for name in sorted(names)]
    return bool(pairs) and all(
        (codes := _codes(old)) is not None and codes == _codes(new) and _configurations(old) == _configurations(new) for old, new in pairs
    )


def launched_work(before: Evaluation, after: Evaluation) -> KernelPair:
    """All kernels of both versions but those whose launches are the same in both: for launches that do not correspond."""
    edited = edited_kernels(before.version, after.version)
    names = {k.qualified_name for k in before.launched_kernels if not _is_affected(k, before, after, k.key in edited)}
    sides = (
        tuple(item for item in evaluation.assessment.kernels if item.kernel.qualified_name not in names) for evaluation in (before, after)
    )
    return KernelPair(*sides)


def find_in_programs(before: Evaluation, after: Evaluation) -> ProgramRegion | None:
    """Where the programs of both versions differ; None where neither launches nor copies and fills do, or their order is not
    known."""
    found = _steps_of_both(before, after)
    recordings = (before.counted.recording, after.counted.recording)
    sees_all = all(recording is not None and recording.are_waits_seen for recording in recordings)
    may_repeat = sees_all and found is not None and not any(map(may_overlap, found))
    region = None if found is None else find_region(*found, may_repeat=may_repeat)
    return None if found is None or region is None else ProgramRegion(region, *found)


def asked_region(before: Evaluation, after: Evaluation, asked: str) -> ProgramRegion | str:
    """What a person asked for (``JobRequest.region``), or why it cannot be judged."""
    found = _steps_of_both(before, after)
    a, b = before.counted.recording, after.counted.recording
    if found is None or a is None or b is None:
        return f"{asked} is not judged as a whole: in what order the programs launch and copy is not known"
    if asked != WHOLE_PROGRAM and not (a.are_waits_seen and b.are_waits_seen):
        return f"calls of {asked} are not seen by the GPU's own recorder"
    region = region_of_main(*found) if asked == WHOLE_PROGRAM else region_of_calls(a, b, *found, asked)
    if region is None:
        return "one of the programs does nothing on the GPU"
    return region if isinstance(region, str) else ProgramRegion(region, *found, asked)


def _steps_of_both(before: Evaluation, after: Evaluation) -> tuple[tuple[OrderedStep, ...], tuple[OrderedStep, ...]] | None:
    """In program order; None where that is not known."""
    a, b = before.counted.recording, after.counted.recording
    if a is None or b is None:
        return None
    a, b = seen_alike(a, b)
    edited = _edited_instances(before, after)
    of_a, of_b = steps_in_order(a, edited), steps_in_order(b, edited)
    return None if of_a is None or of_b is None else (of_a, of_b)


def are_ordered_otherwise(before: Evaluation, after: Evaluation) -> bool:
    """Whether work overlaps in one of both programs and waits for other things in the other; False where that is not known."""
    found = _steps_of_both(before, after)
    return found is not None and have_other_order(*found)


def kernel_pair(kernel: Kernel, before: Evaluation, after: Evaluation) -> KernelPair:
    """What was assessed of the kernel in both versions."""
    other = same_kernel(kernel, before.version, after.version)
    return KernelPair(before.kernel(kernel.qualified_name), () if other is None else after.kernel(other.qualified_name))


def _edited_instances(before: Evaluation, after: Evaluation) -> frozenset[str]:
    """Kernel instances of both versions whose code differs, however they are launched."""
    edited = edited_kernels(before.version, after.version)
    pairs = [(kernel.key in edited, kernel_pair(kernel, before, after)) for kernel in before.launched_kernels]
    differing = (pair for is_edited, pair in pairs if _has_other_code(pair, is_edited))
    return frozenset(item.instance for pair in differing for item in (*pair.before, *pair.after))


def _is_affected(kernel: Kernel, before: Evaluation, after: Evaluation, is_edited: bool) -> bool:
    """By machine code where both sides have it: texts that cannot be cut apart count as edited everywhere."""
    pair = kernel_pair(kernel, before, after)
    return _configurations(pair.before) != _configurations(pair.after) or _has_other_code(pair, is_edited)


def _has_other_code(pair: KernelPair, is_edited: bool) -> bool:
    codes = [_codes(side) for side in (pair.before, pair.after)]
    return is_edited if None in codes else codes[0] != codes[1]


def _configurations(items: tuple[KernelAssessment, ...]) -> list[tuple[LaunchConfig, float]]:
    return sorted(((launch.profile.config, launch.count) for item in items for launch in item.launches), key=str)


def _codes(items: tuple[KernelAssessment, ...]) -> list[tuple[tuple[int, str, str, str], ...]] | None:
    """The instructions of every instance, without the lines that they come from; None without machine code."""
    codes = [item.code for item in items]
    return None if not codes or None in codes else sorted(code.work for code in codes if code is not None)
