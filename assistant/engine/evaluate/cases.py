"""The launches that a kernel is judged on: recorded ones, arrays of a notebook, or declared shapes and boundary shapes.

Cases are made for the original; ``for_candidate`` turns one into what the candidate must run. ``deriving`` makes further ones of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.cuda.device_variables import device_variable_types
from assistant.cuda.instance_parameters import instance_parameters
from assistant.cuda.match import select_kernels
from assistant.cuda.structs import struct_fields
from assistant.cuda.tokens import tokens
from assistant.cuda.type_aliases import spelled_out
from assistant.engine.evaluate.assessment import CountedRun
from assistant.engine.evaluate.judged_case import Effort, JudgedCase
from assistant.engine.source_version import SourceVersion
from assistant.errors import CannotAnswerError
from assistant.model.elements import ElementType, parse_element_type
from assistant.model.recording import RecordedLaunch, Recording
from assistant.model.source import Kernel, Parameter
from assistant.model.workload import Case, CaseOrigin, DeclaredWorkload, LiveCase, LiveWorkload, Shape, WorkloadProblem
from assistant.workload.array_use import only_stored
from assistant.workload.boundary import boundary_shapes
from assistant.workload.derive import extract
from assistant.workload.draws import Draw, draws_for
from assistant.workload.generate import GenerateOptions, Signature, generate
from assistant.workload.own_launch import own_launch, with_own_launch
from assistant.workload.recordings import NewCase, RecordingReader
from assistant.workload.select import LaunchPair, kernel_name, select_launches, started_as
from assistant.workload.signature import signature_of
from assistant.workload.structs import StructLayout, layout_of
from assistant.workload.unread import unread_buffers

__all__ = [
    "captured_cases",
    "declared_cases",
    "for_candidate",
    "launched_recording",
    "live_case",
    "live_cases",
    "said_bytes",
    "under_own_name",
]

_QUALIFIERS = frozenset({"const", "volatile"})
_SAID_BYTES = 8
"""Of each number in what a reference says of floating values."""
_DECLARED = "declared"
"""Kind of a case of a shape that the block declares (``workload.generate``): the other side has to declare it as well."""
_FRESH_VALUES_BYTES = 64 << 20
"""A declared shape with more data than this is judged on one fresh draw instead of three: memory and time stay bounded."""


def captured_cases(version: SourceVersion, counted: CountedRun, kernels: frozenset[str]) -> tuple[JudgedCase, ...]:
    """Recorded launches of the chosen kernels (by key): up to three shapes of each instance, on their own values."""
    run = counted.run
    if run is None or run.recording_path is None or run.recording is None:
        return ()
    reader = RecordingReader(run.recording_path, run.recording)
    chosen = _chosen(version, reader.recording, kernels)
    made = (
        _own_case(version, reader, kernel, index, CaseOrigin("recorded", shape, 0, 1.0, weight)) for kernel, index, weight, shape in chosen
    )
    return _with_stored(version, made)


def live_cases(version: SourceVersion, live: LiveWorkload, kernels: frozenset[str]) -> tuple[JudgedCase, ...]:
    """Arrays of a notebook: each shape, and the cases of fresh values that the user's reference was called for.

    Launched as the version's own text says, which need not be the one that the arrays were bound with.
    """
    cases: list[JudgedCase] = []
    for index, item in enumerate(live.cases):
        reader = RecordingReader(item.recording)
        launch = _own_launch(version, reader.recording.launches[0], live.text)
        kernel = None if launch is None else version.kernel_of(launch.kernel)
        if launch is None or kernel is None or kernel.key not in kernels:
            continue
        own = _own_case(version, reader, kernel, 0, live_case(item).origin)
        own = replace(own, new=started_as(own.new, launch), launch_text=version.source.text)
        exact = (one for one in item.reference if not one.is_recorded)
        given = tuple((one.buffer, said) for one in exact if _is_of_all(reader.recording, one.buffer, said := reader.blob(one.blob)))
        cases.append(replace(own, launch_index=index, given=given))
    return _with_stored(version, cases)


def live_case(item: LiveCase) -> Case:
    """A live case as it was bound; values that were drawn afresh count only where the original runs clean on them."""
    kind = "recorded" if item.seed == 0 else "resampled"
    return Case(item.recording, (0,), CaseOrigin(kind, item.shape, item.seed, item.scale, item.weight))


def launched_recording(version: SourceVersion, item: LiveCase) -> Path | None:
    """The recording of a live case with the launch that the version's own text gives; None where that is not known."""
    live = version.selection.live
    launch = _own_launch(version, RecordingReader(item.recording).recording.launches[0], None if live is None else live.text)
    return None if launch is None else with_own_launch(item.recording, launch)


def under_own_name(version: SourceVersion, launch: RecordedLaunch) -> RecordedLaunch | None:
    """The launch, of the version's own kernel where that says const or volatile of what another text does not; None: it has none such."""
    if version.kernel_of(launch.kernel) is not None:
        return launch
    alike = [kernel for kernel in version.parsed.kernels if kernel.qualified_name == kernel_name(launch.kernel)]
    if len(alike) != 1 or alike[0].template_parameters:
        return None
    symbol = signature_of(spelled_out(alike[0], version.aliases), alike[0].qualified_name).symbol
    return replace(launch, kernel=symbol) if _unqualified(symbol) == _unqualified(launch.kernel) else None


def _unqualified(symbol: str) -> str:
    return "".join(token.text for token in tokens(symbol) if token.text not in _QUALIFIERS)


def declared_cases(
    version: SourceVersion, workload: DeclaredWorkload, effort: Effort, shapes: Sequence[Shape] | None = None
) -> tuple[JudgedCase, ...]:
    """The block's shapes on fresh seeds; boundary shapes when asked for. Raises CannotAnswerError for an unusable block."""
    signatures = _signatures(version, workload)
    chosen = list(workload.shapes if shapes is None else shapes)
    if effort.with_boundary and workload.has_boundary:
        chosen += boundary_shapes(workload)
    cases: list[JudgedCase] = []
    for shape in chosen:
        for draw in draws_for(shape, effort.seeds):
            made = _generated(version, workload, shape, signatures, draw)
            if isinstance(made, WorkloadProblem) and shape.is_boundary:
                break  # a size at which the block's generators draw nothing, as `randint(0, cols - 1)` with one column
            if isinstance(made, WorkloadProblem):
                raise CannotAnswerError(f"{made.path}:{made.line}: {made.message}", "correct the workload block")
            cases.append(replace(_declared_case(workload, made, signatures), repeats=effort.repeats))
            if sum(buffer.size_bytes for buffer in made.recording.buffers) > _FRESH_VALUES_BYTES:
                break
    return tuple(cases)


def for_candidate(case: JudgedCase, pairs: Sequence[LaunchPair], candidate: SourceVersion) -> NewCase | None:
    """What the candidate runs on this case; None where its launches do not correspond to A's, and where it has another grid than
    the original that is tried with fewer blocks.
    """
    made = _for_candidate(case, pairs, candidate)
    if made is None or case.recorded_config is None or candidate.selection.live is not None:
        return made
    own, few = made.recording.launches[0].config, case.new.recording.launches[0].config
    is_same = (own.grid, own.block) == (case.recorded_config.grid, case.recorded_config.block)
    launches = tuple(replace(launch, config=replace(own, grid=few.grid, block=few.block)) for launch in made.recording.launches)
    return replace(made, recording=replace(made.recording, launches=launches)) if is_same else None


def _for_candidate(case: JudgedCase, pairs: Sequence[LaunchPair], candidate: SourceVersion) -> NewCase | None:
    """As far as launches go that start as many blocks as the program does."""
    if candidate.selection.live is not None:
        return _live_for_candidate(case, candidate)
    if case.launch_index is None:
        return _declared_for_candidate(case, candidate)
    pair = case.pair_in(pairs)
    return None if pair is None else started_as(case.new, pair)


def _chosen(version: SourceVersion, recording: Recording, kernels: frozenset[str]) -> Iterator[tuple[Kernel, int, float, str]]:
    for instance in dict.fromkeys(launch.kernel for launch in recording.launches):
        kernel = version.kernel_of(instance)
        if kernel is None or kernel.key not in kernels:
            continue
        for chosen in select_launches(recording, instance, instance_parameters(kernel, instance, version.aliases)):
            yield kernel, chosen.index, chosen.weight, chosen.shape


def _own_case(version: SourceVersion, reader: RecordingReader, kernel: Kernel, index: int, origin: CaseOrigin) -> JudgedCase:
    """A recorded launch on its own values."""
    parameters = instance_parameters(kernel, reader.recording.launch(index).kernel, version.aliases)
    recorded = _with_poison(extract(reader.recording, reader.blob, index, parameters, origin), reader.recording, index)
    unread = unread_buffers(reader.recording, index)
    return JudgedCase(recorded, kernel.key, (parameters,), _buffer_names(recorded, (parameters,)), frozenset(), index, unread=unread)


def _with_stored(version: SourceVersion, cases: Iterable[JudgedCase]) -> tuple[JudgedCase, ...]:
    """With the buffers that the kernels' texts only store to; one that is reached by several pointers is none."""
    kernels = {kernel.key: (file.source.text, kernel) for file in version.files for kernel in file.kernels}
    names: dict[str, frozenset[str]] = {}

    def of(case: JudgedCase) -> JudgedCase:
        if case.kernel not in names:
            names[case.kernel] = only_stored(*kernels[case.kernel])
        (launch, *_), (parameters, *_) = case.new.recording.launches, case.parameters
        pointers = [
            (field.buffer, parameter)
            for argument, parameter in zip(launch.arguments, parameters, strict=False)
            for field in argument.pointers
        ]
        reached = Counter(
            [buffer for buffer, _ in pointers] + [field.buffer for one in case.new.recording.buffers for field in one.pointers]
        )
        stored = (buffer for buffer, parameter in pointers if parameter.is_pointer and parameter.name in names[case.kernel])
        return replace(case, only_stored=frozenset(buffer for buffer in stored if reached[buffer] == 1))

    return tuple(of(case) for case in cases)


def _with_poison(case: NewCase, recording: Recording, index: int) -> NewCase:
    """Buffers that this launch never reads before it writes them hold nothing that a kernel may depend on."""
    poisoned = {state.buffer for state in recording.launch(index).buffers if state.is_poisoned}
    buffers = tuple(replace(b, is_poisoned=b.is_poisoned or b.id in poisoned) for b in case.recording.buffers)
    return replace(case, recording=replace(case.recording, buffers=buffers))


def _signatures(version: SourceVersion, workload: DeclaredWorkload) -> dict[str, tuple[Kernel, Signature]]:
    signatures: dict[str, tuple[Kernel, Signature]] = {}
    for step in workload.steps:
        found = select_kernels(version.parsed, step.kernel)
        if len(found) != 1:
            names = ", ".join(kernel.key for kernel in version.parsed.kernels)
            raise CannotAnswerError(
                f"{workload.path}:{workload.line}: [workload.{workload.name}] means kernel {step.kernel!r}, "
                f"which {len(found)} kernels match; the source has: {names}",
                "name one kernel with the key `kernel`",
            )
        signatures[step.kernel] = (found[0], signature_of(spelled_out(found[0], version.aliases), step.kernel))
    return signatures


def _generated(
    version: SourceVersion, workload: DeclaredWorkload, shape: Shape, signatures: dict[str, tuple[Kernel, Signature]], draw: Draw
) -> NewCase | WorkloadProblem:
    options = GenerateOptions(layouts=_layouts(version.struct_text), symbol_types=device_variable_types(version.source.text))
    return generate(workload, shape, {name: signature for name, (_, signature) in signatures.items()}, draw, options)


def _layouts(text: str) -> dict[str, StructLayout]:
    """Layouts of the plain structs that the source defines, by name."""
    layouts = {name: layout_of(name, fields) for name, fields in struct_fields(text).items()}
    return {name: layout for name, layout in layouts.items() if layout is not None}


def _declared_case(workload: DeclaredWorkload, made: NewCase, signatures: dict[str, tuple[Kernel, Signature]]) -> JudgedCase:
    by_symbol = {signature.symbol: (kernel, signature) for kernel, signature in signatures.values()}
    parameters = tuple(by_symbol[launch.kernel][1].parameters for launch in made.recording.launches)
    kernel, *further = dict.fromkeys(by_symbol[launch.kernel][0].key for launch in made.recording.launches)
    return JudgedCase(made, kernel, parameters, _buffer_names(made, parameters), frozenset(workload.scratch), None, tuple(further))


def _declared_for_candidate(case: JudgedCase, candidate: SourceVersion) -> NewCase | None:
    """A's arguments and shapes; B's own grid, block and shared memory where B's block declares them."""
    origin = case.new.origin
    for workload in candidate.declared:
        declared = next((shape for shape in workload.shapes if str(shape) == origin.shape), None)
        chosen = declared or (None if origin.kind == _DECLARED else _shape_of(origin))
        if chosen is None:
            continue
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


def _own_launch(version: SourceVersion, launch: RecordedLaunch, said_by: str | None) -> RecordedLaunch | None:
    """As the version's own text says it; ``said_by``: the text that says the launch as it is."""
    own = under_own_name(version, launch)
    kernel = None if own is None else version.kernel_of(own.kernel)
    if own is None or kernel is None:
        return None
    return own_launch(own, instance_parameters(kernel, own.kernel, version.aliases), said_by, version.source.text)


def _live_for_candidate(case: JudgedCase, candidate: SourceVersion) -> NewCase | None:
    """The launch of B's kernel of that name, which must take the same parameters, with the grid and block that B's text gives."""
    launch = _own_launch(candidate, case.new.recording.launches[0], case.launch_text)
    return None if launch is None else started_as(case.new, launch)


def said_bytes(said: bytes, element: ElementType) -> int:
    """How much of a buffer a reference speaks of: its floating values are float64."""
    return len(said) // _SAID_BYTES * element.scalar_bytes if element.is_floating else len(said)


def _is_of_all(recording: Recording, buffer: int, said: bytes) -> bool:
    """Whether these float64 values are of a whole buffer of floating numbers, which no other array shares."""
    found = next((item for item in recording.buffers if item.id == buffer), None)
    element = parse_element_type((None if found is None else found.element_type) or "")
    if found is None or element is None or not element.is_floating:
        return False
    return said_bytes(said, element) == found.size_bytes


def _shape_of(origin: CaseOrigin) -> Shape | None:
    """``n=33, m=1`` back as sizes: of a boundary shape, and of other values at one. None for a shape in other words."""
    items = [item.split("=") for item in origin.shape.split(",") if item]
    if not all(len(item) == 2 and item[1].strip().isdecimal() for item in items):
        return None
    return Shape(tuple((name.strip(), int(value)) for name, value in items), 0.0, is_boundary=True)


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
