"""What the launches of a counted run have in common, kernel by kernel: of the user's program, of arrays that a notebook bound, of a
workload block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.instance_parameters import instance_parameters
from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate.assessment import CountedRun
from assistant.engine.evaluate.cases import launched_recording
from assistant.engine.source_version import SourceVersion
from assistant.model.recorded_facts import FactsOrigin, PointerReach, RecordedFacts
from assistant.model.recording import Recording
from assistant.model.source import Kernel
from assistant.workload.recorded_facts import SeenLaunch, launches_of, pointer_reaches, recorded_facts
from assistant.workload.recordings import read_recording

__all__ = ["facts_of_launches", "reaches_of_launches"]


def facts_of_launches(version: SourceVersion, counted: CountedRun, kernel: Kernel) -> RecordedFacts | None:
    """What is true of every launch of the kernel, all its instances together; None where no launch of it was seen.

    Raises CannotAnswerError where a recording cannot be read.
    """
    origin, recordings = _recordings(version, counted)
    instances = _instances_of(version, recordings, kernel)
    launches = _launches(version, recordings, instances, kernel)
    made = sum(shape.count for recording in recordings for shape in recording.shape_counts if shape.kernel in instances)
    text = version.about(kernel).struct_text
    return recorded_facts(kernel.qualified_name, launches, origin, made, lambda name: layout_named(text, name))


def reaches_of_launches(version: SourceVersion, counted: CountedRun, kernel: Kernel) -> tuple[PointerReach, ...]:
    """How far the kernel's pointers reach in its launches."""
    recordings = _recordings(version, counted)[1]
    return pointer_reaches(_launches(version, recordings, _instances_of(version, recordings, kernel), kernel))


def _instances_of(version: SourceVersion, recordings: Sequence[Recording], kernel: Kernel) -> frozenset[str]:
    return frozenset(name for recording in recordings for name in _instances(recording) if version.kernel_of(name) == kernel)


def _launches(version: SourceVersion, recordings: Sequence[Recording], instances: frozenset[str], kernel: Kernel) -> list[SeenLaunch]:
    parameters = [(name, instance_parameters(kernel, name, version.aliases)) for name in sorted(instances)]
    return [seen for recording in recordings for seen in launches_of(recording, parameters)]


def _recordings(version: SourceVersion, counted: CountedRun) -> tuple[FactsOrigin, list[Recording]]:
    live = version.selection.live
    if live is not None:
        return FactsOrigin.BOUND, [read_recording(launched_recording(version, item) or item.recording) for item in live.cases]
    if counted.recording is not None:
        return FactsOrigin.RECORDED, [counted.recording]
    return FactsOrigin.DECLARED, [read_recording(case.recording) for case in counted.cases]


def _instances(recording: Recording) -> Iterator[str]:
    yield from (launch.kernel for launch in recording.launches)
    yield from (passed.kernel for passed in recording.passed)
