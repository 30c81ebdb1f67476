"""The launches that a kernel is judged on: recorded ones, arrays of a notebook, or declared shapes and boundary shapes.

Cases are made for the original; ``for_candidate`` turns one into what the candidate must run. ``deriving`` makes further ones of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.device_variables import device_variable_types
from assistant.cuda.match import kernel_of_instance, select_kernels
from assistant.cuda.struct_layouts import layout_named
from assistant.cuda.structs import struct_fields
from assistant.engine.evaluate.counting import Counted
from assistant.engine.evaluate.instances import instance_parameters
from assistant.engine.subject import Subject
from assistant.errors import CannotAnswerError
from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import Recording
from assistant.model.source import Kernel, Parameter
from assistant.model.structs import ElementLayout
from assistant.model.workload import Case, CaseOrigin, DeclaredWorkload, LiveCase, LiveWorkload, Shape, WorkloadProblem
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.workload.boundary import boundary_shapes
from assistant.workload.derive import extract
from assistant.workload.draws import Draw, draws_for
from assistant.workload.generate import GenerateOptions, Signature, generate
from assistant.workload.recordings import NewCase, RecordingReader, write_case
from assistant.workload.resize import SizeModel
from assistant.workload.select import LaunchPair, select_launches, started_as
from assistant.workload.signature import signature_of
from assistant.workload.structs import StructLayout, layout_of
from assistant.workload.unread import unread_buffers

__all__ = [
    "CONFIRM_REPEATS",
    "Effort",
    "JudgedCase",
    "Resize",
    "captured_cases",
    "declared_cases",
    "for_candidate",
    "layouts_of",
    "live_case",
    "live_cases",
    "write_cases",
]

CONFIRM_REPEATS = 20
"""Bitwise repeats of a confirmation."""
_FRESH_VALUES_BYTES = 64 << 20
"""A declared shape with more data than this is judged on one fresh draw instead of three: memory and time stay bounded."""


class Effort(Record):
    """How thoroughly one comparison is judged."""

    seeds: tuple[int, ...]
    repeats: int
    mode: str
    """Replay mode: ``plain`` or ``check``."""
    with_injected: bool
    with_boundary: bool
    is_confirming: bool
    is_fresh: bool = False
    """The runs begin in processes that have run no version before."""


class Resize(Record):
    """How a recorded launch came to other sizes."""

    model: SizeModel
    sizes: tuple[tuple[str, int], ...]
    """The integers that are passed."""
    is_whole: bool = True
    """Buffers follow from them as the grid does; False: only the integers were changed."""


class JudgedCase(Record):
    """One case of the original."""

    new: NewCase
    kernel: str
    """``Kernel.key`` of the first launch's kernel."""
    parameters: tuple[tuple[Parameter, ...], ...]
    """Per launch, template arguments filled in."""
    buffer_names: tuple[tuple[int, str], ...]
    scratch: frozenset[str]
    launch_index: int | None
    """Launch of A's recording that it was made from; None when declared."""
    further_kernels: tuple[str, ...] = ()
    """Keys of the kernels launched after ``kernel``."""
    given: tuple[tuple[int, bytes], ...] = ()
    """(buffer id, float64 values) that the user's own function returned for this very case; live cases only."""
    repeats: int = 1
    """Runs that are compared to the bit."""
    is_checked: bool = True
    """It is also run with every check on, where the job asks for checks."""
    checked: SideRun | None = None
    """The original's run with every check on, where it was made already when the case was tried."""
    unread: frozenset[int] = frozenset()
    """Ids of buffers that nothing else in the program looks at (``unread_buffers``)."""
    own_grid: Dim3 | None = None
    """Of a case with fewer blocks: the launch's own."""
    recorded_config: LaunchConfig | None = None
    """Of a case with fewer blocks: how the program starts the kernel; a candidate that is started otherwise is not tried with fewer."""
    resize: Resize | None = None
    """Of a launch at a size of our own, whose grid follows from the integers passed; None: the candidate's grid is as recorded."""


def captured_cases(subject: Subject, counted: Counted, kernels: frozenset[str]) -> tuple[JudgedCase, ...]:
    """Recorded launches of the chosen kernels (by key): up to three shapes of each instance, on their own values."""
    run = counted.run
    if run is None or run.recording_path is None or run.recording is None:
        return ()
    reader = RecordingReader(run.recording_path, run.recording)
    chosen = _chosen(subject, reader.recording, kernels)
    return tuple(_own_case(reader, kernel, index, CaseOrigin("recorded", shape, 0, 1.0, weight)) for kernel, index, weight, shape in chosen)


def live_cases(subject: Subject, live: LiveWorkload, kernels: frozenset[str]) -> tuple[JudgedCase, ...]:
    """Arrays of a notebook: each shape, and the cases of fresh values that the user's reference was called for."""
    cases: list[JudgedCase] = []
    for index, item in enumerate(live.cases):
        reader = RecordingReader(item.recording)
        instance = reader.recording.launches[0].kernel
        kernel = kernel_of_instance(subject.parsed, instance)
        if kernel is None or kernel.key not in kernels:
            continue
        own = _own_case(reader, kernel, 0, live_case(item).origin)
        exact = (one for one in item.reference if not one.is_recorded and _is_floating(reader.recording, one.buffer))
        given = tuple((one.buffer, reader.blob(one.blob)) for one in exact)
        cases.append(replace(own, launch_index=index, given=given))
    return tuple(cases)


def live_case(item: LiveCase) -> Case:
    """A live case as it was bound."""
    return Case(item.recording, (0,), CaseOrigin("recorded", item.shape, item.seed, 1.0, item.weight))


def declared_cases(
    subject: Subject, workload: DeclaredWorkload, effort: Effort, shapes: Sequence[Shape] | None = None
) -> tuple[JudgedCase, ...]:
    """The block's shapes on fresh seeds; boundary shapes when asked for. Raises CannotAnswerError for an unusable block."""
    signatures = _signatures(subject, workload)
    chosen = list(workload.shapes if shapes is None else shapes)
    if effort.with_boundary and workload.has_boundary:
        chosen += boundary_shapes(workload)
    cases: list[JudgedCase] = []
    for shape in chosen:
        for draw in draws_for(shape, effort.seeds):
            made = _generated(subject, workload, shape, signatures, draw)
            if isinstance(made, WorkloadProblem) and shape.is_boundary:
                break  # a size at which the block's generators draw nothing, as `randint(0, cols - 1)` with one column
            if isinstance(made, WorkloadProblem):
                raise CannotAnswerError(f"{made.path}:{made.line}: {made.message}", "correct the workload block")
            cases.append(replace(_declared_case(workload, made, signatures), repeats=effort.repeats))
            if sum(buffer.size_bytes for buffer in made.recording.buffers) > _FRESH_VALUES_BYTES:
                break
    return tuple(cases)


def layouts_of(case: NewCase, text: str) -> dict[int, ElementLayout]:
    """Of the buffers that hold structs which the original's ``text`` defines."""
    found = {buffer.id: layout_named(text, buffer.element_type) for buffer in case.recording.buffers}
    return {buffer: layout for buffer, layout in found.items() if layout is not None}


def write_cases(folder: Path, cases: Sequence[NewCase]) -> tuple[Case, ...]:
    """The cases on disk, one folder each; equal contents of all cases of a job are one file."""
    shared = folder.parent / "blobs"
    return tuple(write_case(folder / f"case-{index}", case, shared) for index, case in enumerate(cases))


def for_candidate(case: JudgedCase, pairs: Sequence[LaunchPair], candidate: Subject) -> NewCase | None:
    """What the candidate runs on this case; None where its launches do not correspond to A's, and where it has another grid than
    the original that is tried with fewer blocks.
    """
    made = _for_candidate(case, pairs, candidate)
    if made is None or case.recorded_config is None or candidate.request.live is not None:
        return made
    own, few = made.recording.launches[0].config, case.new.recording.launches[0].config
    is_same = (own.grid, own.block) == (case.recorded_config.grid, case.recorded_config.block)
    launches = tuple(replace(launch, config=replace(own, grid=few.grid, block=few.block)) for launch in made.recording.launches)
    return replace(made, recording=replace(made.recording, launches=launches)) if is_same else None


def _for_candidate(case: JudgedCase, pairs: Sequence[LaunchPair], candidate: Subject) -> NewCase | None:
    """As far as launches go that start as many blocks as the program does."""
    if candidate.request.live is not None:
        return _live_for_candidate(case, candidate)
    if case.launch_index is None:
        return _declared_for_candidate(case, candidate)
    pair = next((pair for pair in pairs if pair.a_index == case.launch_index), None)
    return None if pair is None else started_as(case.new, pair.kernel, pair.config, pair.is_cooperative)


def _chosen(subject: Subject, recording: Recording, kernels: frozenset[str]) -> Iterator[tuple[Kernel, int, float, str]]:
    for instance in dict.fromkeys(launch.kernel for launch in recording.launches):
        kernel = kernel_of_instance(subject.parsed, instance)
        if kernel is None or kernel.key not in kernels:
            continue
        for chosen in select_launches(recording, instance, instance_parameters(kernel, instance)):
            yield kernel, chosen.index, chosen.weight, chosen.shape


def _own_case(reader: RecordingReader, kernel: Kernel, index: int, origin: CaseOrigin) -> JudgedCase:
    """A recorded launch on its own values."""
    parameters = instance_parameters(kernel, reader.recording.launch(index).kernel)
    recorded = _with_poison(extract(reader.recording, reader.blob, index, parameters, origin), reader.recording, index)
    unread = unread_buffers(reader.recording, index)
    return JudgedCase(recorded, kernel.key, (parameters,), _buffer_names(recorded, (parameters,)), frozenset(), index, unread=unread)


def _with_poison(case: NewCase, recording: Recording, index: int) -> NewCase:
    """Buffers that this launch never reads before it writes them hold nothing that a kernel may depend on."""
    poisoned = {state.buffer for state in recording.launch(index).buffers if state.is_poisoned}
    buffers = tuple(replace(b, is_poisoned=b.is_poisoned or b.id in poisoned) for b in case.recording.buffers)
    return replace(case, recording=replace(case.recording, buffers=buffers))


def _signatures(subject: Subject, workload: DeclaredWorkload) -> dict[str, tuple[Kernel, Signature]]:
    signatures: dict[str, tuple[Kernel, Signature]] = {}
    for step in workload.steps:
        found = select_kernels(subject.parsed, step.kernel)
        if len(found) != 1:
            names = ", ".join(kernel.key for kernel in subject.parsed.kernels)
            raise CannotAnswerError(
                f"{workload.path}:{workload.line}: [workload.{workload.name}] means kernel {step.kernel!r}, "
                f"which {len(found)} kernels match; the source has: {names}",
                "name one kernel with the key `kernel`",
            )
        signatures[step.kernel] = (found[0], signature_of(found[0], step.kernel))
    return signatures


def _generated(
    subject: Subject, workload: DeclaredWorkload, shape: Shape, signatures: dict[str, tuple[Kernel, Signature]], draw: Draw
) -> NewCase | WorkloadProblem:
    options = GenerateOptions(layouts=_layouts(subject.source.text), symbol_types=device_variable_types(subject.source.text))
    return generate(workload, shape, {name: signature for name, (_, signature) in signatures.items()}, draw, options)


def _layouts(text: str) -> dict[str, StructLayout]:
    """Of the plain structs that the source defines, by name."""
    layouts = {name: layout_of(name, fields) for name, fields in struct_fields(text).items()}
    return {name: layout for name, layout in layouts.items() if layout is not None}


def _declared_case(workload: DeclaredWorkload, made: NewCase, signatures: dict[str, tuple[Kernel, Signature]]) -> JudgedCase:
    by_symbol = {signature.symbol: (kernel, signature) for kernel, signature in signatures.values()}
    parameters = tuple(by_symbol[launch.kernel][1].parameters for launch in made.recording.launches)
    kernel, *further = dict.fromkeys(by_symbol[launch.kernel][0].key for launch in made.recording.launches)
    return JudgedCase(made, kernel, parameters, _buffer_names(made, parameters), frozenset(workload.scratch), None, tuple(further))


def _declared_for_candidate(case: JudgedCase, candidate: Subject) -> NewCase | None:
    """A's arguments and shapes; B's own grid, block and shared memory where B's block declares them."""
    origin = case.new.origin
    for workload in candidate.declared:
        shape = next((shape for shape in workload.shapes if str(shape) == origin.shape), None)
        if shape is None and origin.kind != "boundary":
            continue
        chosen = shape or _shape_of(origin)
        draw = Draw(origin.seed, origin.scale, is_timed=False)
        made = _generated(candidate, workload, chosen, _signatures(candidate, workload), draw)
        if isinstance(made, WorkloadProblem) or len(made.recording.launches) != len(case.new.recording.launches):
            return None
        launches = tuple(
            replace(mine, kernel=theirs.kernel, config=theirs.config)
            for mine, theirs in zip(case.new.recording.launches, made.recording.launches, strict=True)
        )
        return replace(case.new, recording=replace(case.new.recording, launches=launches))
    return None


def _live_for_candidate(case: JudgedCase, candidate: Subject) -> NewCase | None:
    """The same launch of B's kernel of that name, which must take the same parameters."""
    launch = case.new.recording.launches[0]
    kernel = kernel_of_instance(candidate.parsed, launch.kernel)
    return None if kernel is None else started_as(case.new, launch.kernel, launch.config, launch.is_cooperative)


def _is_floating(recording: Recording, buffer: int) -> bool:
    named = next((item.element_type for item in recording.buffers if item.id == buffer), None)
    element = parse_element_type(named or "")
    return element is not None and element.is_floating


def _shape_of(origin: CaseOrigin) -> Shape:
    """``n=33, m=1`` back as sizes."""
    sizes = tuple((name.strip(), int(value)) for name, value in (item.split("=") for item in origin.shape.split(",") if item))
    return Shape(sizes, 0.0, is_boundary=True)


def _buffer_names(case: NewCase, parameters: tuple[tuple[Parameter, ...], ...]) -> tuple[tuple[int, str], ...]:
    """What people call each buffer: its name in the block, else the first parameter that points into it, else its symbol."""
    names = dict(case.buffer_names)
    for launch, declared in zip(case.recording.launches, parameters, strict=True):
        for argument, parameter in zip(launch.arguments, declared, strict=False):
            for pointer in argument.pointers:
                names.setdefault(pointer.buffer, parameter.name)
    for buffer in case.recording.buffers:
        names.setdefault(buffer.id, buffer.symbol or f"buffer {buffer.id}")
    return tuple(sorted(names.items()))
