"""What the tolerance is measured against: float64 values of every case, and the original on inputs moved by one ulp.

The float64 values come from the block's Python reference where one is declared, else from the original rebuilt with device floats as
doubles; where neither can be had a case has none, and the original's own sensitivity decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

from assistant.engine.evaluate import JudgedCase, layouts_of
from assistant.engine.job import Job
from assistant.engine.judge.case_files import left_contents, written_cases
from assistant.engine.judge.replaying import FloatReference, side_run, startable
from assistant.engine.source_version import SourceVersion
from assistant.engine.threads import each_in_threads
from assistant.errors import CannotAnswerError
from assistant.model.elements import ElementType, parse_element_type
from assistant.model.source import Parameter
from assistant.ports.lab import TOO_LARGE, LabFailure, ReferenceArgument, ReferenceCall, ReplayOptions
from assistant.verify.evidence import Reference, SideRun
from assistant.verify.tolerance import PERTURBATION_COUNT, one_ulp
from assistant.workload.arrays import decode, doubles, storage_dtype
from assistant.workload.derive import contents_of, with_contents
from assistant.workload.members import with_members
from assistant.workload.recordings import NewCase
from assistant.workload.widen import CannotWiden, widened

__all__ = ["find_references", "perturbed_runs"]

_NOT_THE_SOURCES = frozenset({"timed_out", "crashed", "internal", "no_space"})
"""Kinds of failure that a source is not to blame for: what it would have shown is missing."""
_PERTURBED_BYTES = 16 << 20
"""Cases with more data are not run on eight perturbed inputs: their reference alone decides."""


async def find_references(
    job: Job, version: SourceVersion, cases: Sequence[JudgedCase], wanted: Sequence[bool]
) -> tuple[list[FloatReference], str | None]:
    """One per case, rebuilt only where ``wanted``, and what went wrong where they were to be had."""
    declared = version.declared[0].reference if version.declared else None
    if declared is not None:
        return [await _declared(job, version, declared, case) for case in cases], None
    references = [FloatReference(case.given, Reference.DECLARED) if case.given else FloatReference() for case in cases]
    missing = [index for index, case in enumerate(cases) if wanted[index] and not case.given]
    made, failure = await _rebuilt(job, version, [cases[index] for index in missing])
    for index, reference in zip(missing, made, strict=True):
        references[index] = reference
    return references, failure


async def perturbed_runs(
    job: Job, version: SourceVersion, cases: Sequence[JudgedCase], wanted: Sequence[bool]
) -> tuple[list[tuple[SideRun, ...]], str | None]:
    """Per ``wanted`` case the original on eight inputs moved by one unit in the last place; none for cases without floats.

    With what went wrong where they did not come to their end.
    """
    text = version.struct_text
    usable = [_has_floats(case, text) and _size_bytes(case.new) <= _PERTURBED_BYTES for case in cases]
    chosen = [index for index in range(len(cases)) if wanted[index] and usable[index]]
    found: list[tuple[SideRun, ...]] = [() for _ in cases]
    moved = await each_in_threads(partial(_moved, text=text), product([cases[index].new for index in chosen], range(PERTURBATION_COUNT)))
    if not moved:
        return found, None
    written = await written_cases(job.scratch, moved)
    replayed = await job.lab.replay(startable(version.program, moved), written, ReplayOptions(), job.limits)
    if isinstance(replayed, LabFailure):
        return found, f"how far the original's results move with its inputs: {replayed.message}"
    contents = await left_contents(replayed, moved)
    for position, index in enumerate(chosen):
        runs = replayed.cases[position * PERTURBATION_COUNT : (position + 1) * PERTURBATION_COUNT]
        found[index] = tuple(side_run(run, contents, ReplayOptions().fill) for run in runs if run.ok)
    return found, None


async def _rebuilt(job: Job, version: SourceVersion, cases: Sequence[JudgedCase]) -> tuple[list[FloatReference], str | None]:
    """The float64 twin of every case that can have one; a source that cannot be rebuilt so is no failure."""
    wide = await each_in_threads(partial(_twin, text=version.struct_text), cases)
    usable = [index for index, case in enumerate(wide) if not isinstance(case, CannotWiden)]
    references = [FloatReference() for _ in cases]
    made = [case for case in wide if not isinstance(case, CannotWiden)]
    if not made:
        return references, None
    written = await written_cases(job.scratch, made)
    replayed = await job.lab.replay_promoted(startable(version.program, made), written, ReplayOptions(), job.limits)
    if isinstance(replayed, LabFailure):
        return references, f"float64 values: {replayed.message}" if replayed.kind in _NOT_THE_SOURCES else None
    contents = await left_contents(replayed, made)
    for index, run in zip(usable, replayed.cases, strict=True):
        if run.ok:
            references[index] = FloatReference(contents.of(run.after))
    left_out = next((run.error for run in replayed.cases if run.error is not None and run.error.startswith(TOO_LARGE)), None)
    return references, None if left_out is None else f"float64 values: {left_out}"


def _twin(case: JudgedCase, text: str) -> NewCase | CannotWiden:
    members = (member for layout in layouts_of(case.new, text).values() for member in layout.members)
    if any(member.element.is_floating for member in members):
        return CannotWiden("a buffer of structs with floats would have another layout")
    return widened(case.new, case.parameters) if _has_floats(case, text) else CannotWiden("no floats")


async def _declared(job: Job, version: SourceVersion, reference: str, case: JudgedCase) -> FloatReference:
    """What the block's Python function returns. Raises CannotAnswerError where it cannot be called."""
    file, _, function = reference.partition(":")
    names = dict(case.buffer_names)
    declared = version.declared[0].outputs
    outputs = declared or _written_names(case, names)
    call = ReferenceCall(version.source.path.parent / file, function, _arguments(case), outputs)
    returned = await job.lab.reference(call, job.limits)
    if isinstance(returned, LabFailure):
        raise CannotAnswerError(returned.message, returned.remedy)
    ids = {name: buffer for buffer, name in names.items()}
    return FloatReference(tuple((ids[name], data) for name, data in returned if name in ids), Reference.DECLARED)


def _written_names(case: JudgedCase, names: dict[int, str]) -> tuple[str, ...]:
    """Buffers that a launch may write."""
    pairs = [
        (argument, parameter)
        for launch, parameters in zip(case.new.recording.launches, case.parameters, strict=True)
        for argument, parameter in zip(launch.arguments, parameters, strict=True)
    ]
    written = (a.pointers[0].buffer for a, p in pairs if a.pointers and p.is_pointer and not p.is_const)
    return tuple(dict.fromkeys(names[buffer] for buffer in written))


def _arguments(case: JudgedCase) -> tuple[ReferenceArgument, ...]:
    """Every argument of the case's launches: arrays, by the block's names, with floats as float64, and numbers as numbers."""
    names = dict(case.buffer_names)
    contents = contents_of(case.new)
    buffers = {buffer.id: buffer for buffer in case.new.recording.buffers}
    found: dict[str, ReferenceArgument] = {}
    for launch, parameters in zip(case.new.recording.launches, case.parameters, strict=True):
        for argument, parameter in zip(launch.arguments, parameters, strict=True):
            if not argument.pointers:
                number = _number(parameter, bytes.fromhex(argument.data_hex))
                if number is not None:
                    found.setdefault(parameter.name, number)
                continue
            buffer = buffers[argument.pointers[0].buffer]
            name = names[buffer.id]
            if name in found:
                continue
            element = parse_element_type(buffer.element_type or "")
            if element is not None:
                data = bytes(buffer.size_bytes) if buffer.is_poisoned else contents[buffer.id]
                found[name] = _array(name, data, element)
    return tuple(found.values())


def _array(name: str, data: bytes, element: ElementType) -> ReferenceArgument:
    if element.is_floating:
        return ReferenceArgument(name, doubles(data, element).tobytes(), "<f8")
    return ReferenceArgument(name, decode(data, element).tobytes(), storage_dtype(element).str)


def _number(parameter: Parameter, data: bytes) -> ReferenceArgument | None:
    element = parse_element_type(parameter.type)
    if element is None or element.components != 1:
        return None
    dtype = "<f8" if element.is_floating else storage_dtype(element).str
    return ReferenceArgument(parameter.name, None, dtype, float(decode(data, element)[0]))


def _moved(seeded: tuple[NewCase, int], text: str) -> NewCase:
    """The case with every float moved to a neighbour, as the seed has it."""
    case, seed = seeded
    layouts, contents = layouts_of(case, text), contents_of(case)
    moved: dict[int, bytes] = {}
    for buffer in case.recording.buffers:
        element = parse_element_type(buffer.element_type or "")
        if buffer.is_poisoned or buffer.id not in contents:
            continue
        if element is not None and element.is_floating:
            moved[buffer.id] = one_ulp(contents[buffer.id], element, seed)
        elif buffer.id in layouts:
            moved[buffer.id] = with_members(contents[buffer.id], layouts[buffer.id], partial(one_ulp, seed=seed))
    return with_contents(case, moved, case.origin)


def _has_floats(case: JudgedCase, text: str) -> bool:
    types = (parse_element_type(buffer.element_type or "") for buffer in case.new.recording.buffers)
    members = (member for layout in layouts_of(case.new, text).values() for member in layout.members)
    return any(e is not None and e.is_floating for e in types) or any(member.element.is_floating for member in members)


def _size_bytes(case: NewCase) -> int:
    return sum(buffer.size_bytes for buffer in case.recording.buffers)
