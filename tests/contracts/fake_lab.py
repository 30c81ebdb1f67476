"""A lab in this process: kernels are Python functions, found by what the CUDA text says. Passes ``lab_contract``.

A kernel that none of the table's words are in does not compile. Example::

    doubling = Behaviour(lambda x, n: np.multiply(x[:n], 2, out=x[:n]))
    lab = FakeLab(folder, {"x[i] *= 2.0f": doubling})          # every kernel whose text holds these words
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from assistant.cuda.match import kernel_of_instance
from assistant.cuda.parse import parse
from assistant.model.build import Build, BuildFailure, BuildResult, CompilerMissing, Diagnostic, DiagnosticSeverity, KernelResources
from assistant.model.device import LabDescription
from assistant.model.elements import parse_element_type
from assistant.model.preprocessed import NotPreprocessed, Preprocessings
from assistant.model.profile import Correction, Grade, InstructionMix, LaunchProfile, LineAccess, LineInstructions, Method, Problem
from assistant.model.recording import RecordedArgument, RecordedLaunch, Recording, ShapeCount, Transfer
from assistant.model.source import Kernel, Parameter, ParsedSource
from assistant.model.workload import Case
from assistant.ports.lab import (
    CaseRun,
    Counters,
    Lab,
    LabFailure,
    LargeLaunches,
    Program,
    ProgramRun,
    ReferenceCall,
    ReplayOptions,
    ReplayRun,
    RunLimits,
    Timing,
)
from assistant.record import Record
from assistant.workload.arrays import storage_dtype
from assistant.workload.derive import with_contents
from assistant.workload.recordings import NewCase, RecordingReader, RecordingWriter, blob_name, write_case

__all__ = ["Behaviour", "FakeLab"]

_COMPILER, _DEVICE, _COUNTING, _WARP, _IDEAL_SECTORS = "a table", "a table of the tests", ("count", "grade", "check"), 32, 4
_parsed = lru_cache(maxsize=64)(parse)  # a lab is asked about the same text many times
_Files = tuple[ParsedSource, ...]
_Reference = Callable[..., tuple[np.ndarray, ...]]


class Behaviour(Record):
    """What a kernel does, and what it costs."""

    computes: Callable[..., Any]
    """Of the arguments in order, arrays (changed in place) and numbers; IndexError: out of bounds, NotImplementedError: not run."""
    sectors: int = _IDEAL_SECTORS
    """32-byte sectors of each request, by itself of floats that lie side by side: what the performance model predicts its time from."""


@dataclass
class FakeLab:
    """Implements ``ports.lab.Lab``."""

    folder: Path
    kernels: Mapping[str, Behaviour]
    """By words of the kernel's text; the first that fits."""
    programs: Mapping[str, NewCase] = field(default_factory=dict[str, NewCase])
    """What a ``main()`` whose text holds these words uploads and launches; it copies every buffer back at the end."""
    late: Mapping[str, NewCase] = field(default_factory=dict[str, NewCase])
    """What such a program uploads and launches where its streams are as late as CUDA allows, and that makes a difference."""
    references: Mapping[str, _Reference] = field(default_factory=dict[str, _Reference])
    """Python functions that blocks name: of the arguments by name, arrays of floats as float64; the block's outputs in order."""
    slow: Mapping[str, int] = field(default_factory=dict[str, int])
    """Of programs whose text holds these words: how many blocks of a launch run in the time that there is for all of it."""
    failures: Mapping[str, LabFailure] = field(default_factory=dict[str, LabFailure])
    """How programs end whose text holds these words."""
    compiler: CompilerMissing | None = None
    """Why there is none; None: it compiles what is in the table."""
    target: str = "h200"
    timing: Timing | None = None
    counters: Counters | None = None
    large_launches: LargeLaunches | None = None
    parallel_labs: tuple[Lab, ...] = ()
    at_once: int = 1
    waited_s: float = 0.0
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # (method, text) of what was built, run or replayed
    _folder_count: int = 0
    _readers: dict[Path, RecordingReader] = field(default_factory=dict[Path, RecordingReader])  # of recordings, which never change

    def describe(self) -> LabDescription:
        return LabDescription("cpu", _DEVICE, self.target, "no GPU: a table of the tests", ())

    @property
    def emulated(self) -> Lab:
        return self

    async def build(self, program: Program, architecture: str) -> BuildResult:
        self._note("build", program)
        if self.compiler is not None:
            return self.compiler
        files = _files(program)
        if (refused := self._refused(files)) is not None:
            return BuildFailure(_COMPILER, refused)
        resources = tuple(
            KernelResources(instance, f"_Z{found[1].name}", architecture, 32, 0, 0, 0, 0, 0)
            for instance in program.kernels
            if (found := _found(files, instance)) is not None
        )
        return Build(_COMPILER, architecture, program.flags, resources, (), ())

    async def build_ahead(self, program: Program, architecture: str) -> None:
        self._note("build ahead", program)

    async def inspect(self, program: Program, architecture: str) -> BuildResult:
        return await self.build(program, architecture)

    async def accepts(self, program: Program, architecture: str) -> bool:
        return self._refused(_files(program)) is None

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        missing = NotPreprocessed("a table has no preprocessor", is_missing=True)
        return Preprocessings(missing, missing, missing)

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
        order_seed: int = 0,
        uploads: Path | None = None,
    ) -> ProgramRun | LabFailure:
        blocks = next((count for words, count in self.slow.items() if words in program.sources[0].text), 0) if limits.whole_s else 0
        return await self._run(self.programs, program, mode, record, uploads, blocks)

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        return await self._run({**self.late, **self.programs} if is_late else self.programs, program, "count", True, None)

    async def _run(
        self, programs: Mapping[str, NewCase], program: Program, mode: str, record: bool, uploads: Path | None, blocks: int = 0
    ) -> ProgramRun | LabFailure:
        self._note("run", program)
        files = _files(program)
        whole = "\n".join(source.text for source in program.sources)
        failure = next((failure for words, failure in self.failures.items() if words in whole), None)
        if failure is not None:
            return failure
        host = next((case for words, case in programs.items() if words in whole), None)
        if host is None:
            return LabFailure("unsupported", "the table has no such program", "add it to the table")
        if (refused := self._refused(files)) is not None:
            return LabFailure("not_built", "the table has no such kernel", "", refused)
        uploaded = write_case(self._new_folder("program"), host if uploads is None else _with_uploads(host, uploads))
        recording = self._new_folder("recording")
        writer, reader = RecordingWriter(recording), self._reader(uploaded.recording)
        for upload in reader.recording.uploads or ():
            writer.add_blob(reader.blob(upload.blob))
        left = self._carried_out(files, uploaded, ReplayOptions(mode=mode), writer, tuple(range(blocks)))
        return _program_run(left, recording if record else None)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self._note("replay", program)
        files = _files(program)
        if (refused := self._refused(files)) is not None:
            return LabFailure("not_built", "the table has no such kernel", "", refused)
        out = self._new_folder("replay")
        writer = RecordingWriter(out)
        runs = tuple(self._carried_out(files, case, options).case_run(writer) for case in cases)
        if self.timing is not None and options.mode == "check":  # as on a GPU's lab, where another device makes the checks
            runs = tuple(replace(run, is_comparable=False, after=run.after if options.kept == "any" else ()) for run in runs)
        return ReplayRun(runs, out / "blobs")

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        """Arrays come as doubles, as the cases hold them."""
        return await self.replay(program, cases, options, limits)

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        computes = self.references.get(call.function)
        if computes is None:
            return LabFailure("bad_reference", f"the table has no {call.function}", "add it to the table")
        given = {one.name: one.value if one.data is None else np.frombuffer(one.data, one.dtype) for one in call.arguments}
        return tuple((name, values.tobytes()) for name, values in zip(call.outputs, computes(**given), strict=True))

    async def close(self) -> None: ...

    def _note(self, method: str, program: Program) -> None:
        self.asked.append((method, program.sources[0].text))

    def _new_folder(self, kind: str) -> Path:
        self._folder_count += 1
        return self.folder / f"{kind}-{self._folder_count}"

    def _reader(self, recording: Path) -> RecordingReader:
        if recording not in self._readers:
            self._readers[recording] = RecordingReader(recording)
        return self._readers[recording]

    def _behaviour(self, parsed: ParsedSource, kernel: Kernel) -> Behaviour | None:
        text = parsed.source.text[kernel.span.start : kernel.span.end]
        return next((behaviour for words, behaviour in self.kernels.items() if words in text), None)

    def _refused(self, files: _Files) -> tuple[Diagnostic, ...] | None:
        """What a compiler would say; None: it takes the text."""
        unknown = [(str(file.source.path), one) for file in files for one in file.kernels if self._behaviour(file, one) is None]
        said = (Diagnostic(path, one.line, 1, DiagnosticSeverity.ERROR, f"{one.name} is in no table") for path, one in unknown)
        return tuple(said) or None

    def _carried_out(
        self, files: _Files, case: Case, options: ReplayOptions, kept: RecordingWriter | None = None, blocks: tuple[int, ...] = ()
    ) -> _Left:
        """The case's launches in order, each on what the one before left. ``kept``: takes the contents around each launch; ``blocks``: of
        each launch that run in time, empty: all."""
        reader = self._reader(case.recording)
        launches = [reader.recording.launch(index) for index in case.launches]
        memory = _Memory(reader, launches, options.fill)
        left = _Left(reader.recording, memory.contents)
        for index, launch in enumerate(launches):
            found = _found(files, launch.kernel.partition("(")[0])  # of a promoted launch the parameters are others
            assert found is not None, f"{launch.kernel} is not in {files[0].source.path}"
            parsed, kernel = found
            before, behaviour = {} if kept is None else memory.kept(launch, kept), self._behaviour(parsed, kernel)
            assert behaviour is not None
            chosen, whole = blocks or launch.chosen_blocks, {buffer: bytes(data) for buffer, data in memory.contents.items()}
            try:
                with np.errstate(all="ignore"):  # as a GPU
                    behaviour.computes(*(memory.value(*each) for each in zip(launch.arguments, kernel.parameters, strict=True)))
            except (IndexError, NotImplementedError) as error:
                left.error = "cudaErrorIllegalAddress"
                left.problems.append(_stopped(parsed, kernel, error))
            if chosen:
                memory.confine(launch, chosen, whole)
            after = {} if kept is None else memory.kept(launch, kept)
            states = (replace(state, before=before[state.buffer], after=after[state.buffer]) for state in launch.buffers if before)
            made = replace(launch, buffers=tuple(states))
            left.launches.append(_cut(made, len(blocks)) if blocks else made)
            profile = _profile(index, parsed, kernel, launch, behaviour if options.mode in _COUNTING else None)
            left.profiles.append(replace(profile, blocks_counted=len(chosen)) if chosen and profile.blocks_counted else profile)
            if left.error is not None:
                break
        left.profiles *= options.repeats
        return left


def _files(program: Program) -> _Files:
    return tuple(map(_parsed, program.sources))


def _found(files: _Files, instance: str) -> tuple[ParsedSource, Kernel] | None:
    """The kernel that is launched, in its file."""
    found = ((file, kernel_of_instance(file, instance)) for file in files)
    return next(((file, kernel) for file, kernel in found if kernel is not None), None)


@dataclass
class _Left:
    """What one case left."""

    recording: Recording
    contents: dict[int, bytearray]
    launches: list[RecordedLaunch] = field(default_factory=list[RecordedLaunch])
    """With the contents around them, where they were kept."""
    profiles: list[LaunchProfile] = field(default_factory=list[LaunchProfile])
    problems: list[Problem] = field(default_factory=list[Problem])
    error: str | None = None

    def case_run(self, writer: RecordingWriter) -> CaseRun:
        after = {} if self.error is not None else {buffer: writer.add_blob(bytes(data)) for buffer, data in self.contents.items()}
        problems, profiles = tuple(self.problems), tuple(self.profiles)
        return CaseRun(self.error is None, self.error, tuple(sorted(after.items())), True, None, problems, profiles)


class _Memory:
    """The buffers of a case while its launches run."""

    def __init__(self, reader: RecordingReader, launches: Sequence[RecordedLaunch], fill: int) -> None:
        self._buffers = {buffer.id: buffer for buffer in reader.recording.buffers}
        self.contents: dict[int, bytearray] = {}
        for state in (state for launch in launches for state in launch.buffers):
            if state.buffer not in self.contents:
                is_poisoned = state.is_poisoned or self._buffers[state.buffer].is_poisoned
                data = reader.blob(state.before)
                self.contents[state.buffer] = bytearray([fill]) * len(data) if is_poisoned else bytearray(data)

    def kept(self, launch: RecordedLaunch, writer: RecordingWriter) -> dict[int, str]:
        """Names of what the launch's buffers hold now."""
        return {state.buffer: writer.add_blob(bytes(self.contents[state.buffer])) for state in launch.buffers}

    def confine(self, launch: RecordedLaunch, blocks: Sequence[int], before: Mapping[int, bytes]) -> None:
        """As if only these blocks had run: each writes its own part of every array, as many whole blocks of threads as it takes."""
        config = launch.config
        for state in launch.buffers:
            spelled = self._buffers[state.buffer].element_type
            if spelled is None:
                continue
            now = np.frombuffer(self.contents[state.buffer], _dtype(spelled))
            part = -(-now.size // (config.grid.count * config.block.count)) * config.block.count
            others = ~np.isin(np.arange(now.size) // part, blocks)
            now[others] = np.frombuffer(before[state.buffer], now.dtype)[others]

    def value(self, argument: RecordedArgument, parameter: Parameter) -> Any:
        """An array over the buffer's own memory, or a number."""
        if not argument.pointers:
            return np.frombuffer(bytes.fromhex(argument.data_hex), _dtype(parameter.type))[0]
        (pointer,) = argument.pointers
        spelled = self._buffers[pointer.buffer].element_type or parameter.element_type
        assert spelled is not None
        return np.frombuffer(self.contents[pointer.buffer], _dtype(spelled), offset=pointer.buffer_offset_bytes)


def _dtype(spelled: str) -> np.dtype[Any]:
    element = parse_element_type(spelled)
    assert element is not None, f"{spelled} is no type that the table knows"
    return storage_dtype(element)


def _profile(index: int, parsed: ParsedSource, kernel: Kernel, launch: RecordedLaunch, behaviour: Behaviour | None) -> LaunchProfile:
    """One load and one store by every warp, on the kernel's first line; None: nothing is counted."""
    site = "" if launch.line == 0 else str(parsed.source.path)
    if behaviour is None:
        return LaunchProfile(
            index, launch.kernel, launch.config, Method.EMULATOR, _DEVICE, 0, (), (), (), None, None, (), site, launch.line
        )  # fmt: skip
    requests = -(-launch.config.thread_count // _WARP)
    path = str(parsed.source.path)
    accesses = tuple(
        LineAccess(
            path, kernel.line, op, 4, requests, requests * _WARP, requests * behaviour.sectors, requests * _IDEAL_SECTORS,
            None, None, Grade.EXACT,
        )
        for op in ("global load", "global store")
    )  # fmt: skip
    instructions = LineInstructions(path, kernel.line, InstructionMix(load_store=2 * requests * _WARP))
    distinct = 2 * requests * _IDEAL_SECTORS
    return LaunchProfile(
        index, launch.kernel, launch.config, Method.EMULATOR, _DEVICE, launch.config.grid.count, accesses, (), (instructions,),
        distinct, distinct, (), site, launch.line,
    )  # fmt: skip


def _cut(launch: RecordedLaunch, blocks: int) -> RecordedLaunch:
    """Time was up after so many blocks, so that nothing is known of what it leaves."""
    return replace(launch, blocks_run=blocks, buffers=tuple(replace(state, after=None) for state in launch.buffers))


def _stopped(parsed: ParsedSource, kernel: Kernel, error: Exception) -> Problem:
    kind = "out_of_bounds" if isinstance(error, IndexError) else "unsupported"
    return Problem(kind, str(error), str(parsed.source.path), kernel.line, None, None, None, None, None, 1)


def _with_uploads(host: NewCase, folder: Path) -> NewCase:
    """The program with other contents uploaded, each to a whole buffer: those of the files that are named like its own."""
    uploads = host.recording.uploads or ()
    other = {upload.buffer: (folder / upload.key).read_bytes() for upload in uploads if (folder / upload.key).exists()}
    names = {buffer: blob_name(data) for buffer, data in other.items()}
    given = tuple(replace(upload, blob=names.get(upload.buffer, upload.blob)) for upload in uploads)
    case = with_contents(host, other, host.origin)
    return replace(case, recording=replace(case.recording, uploads=given))


def _program_run(left: _Left, recording: Path | None) -> ProgramRun:
    """The program asks for no error, so it ends with status 0."""
    last = left.launches[-1].index
    transfers = tuple(
        Transfer("memcpy", blob_name(bytes(left.contents[buffer.id])), buffer.size_bytes, last, buffer.element_type, buffer.id)
        for buffer in left.recording.buffers
    )
    counts = Counter((launch.kernel, launch.config) for launch in left.launches)
    shapes = tuple(ShapeCount(*shape, count) for shape, count in counts.items())
    partial = next((launch.index for launch in left.launches if launch.blocks_run is not None), None)
    made = replace(left.recording, launches=tuple(left.launches), transfers=transfers, shape_counts=shapes, first_partial=partial)
    if recording is not None:
        writer = RecordingWriter(recording)
        for data in left.contents.values():
            writer.add_blob(bytes(data))
        writer.write(made)
    return ProgramRun(
        exit_status=0,
        signal=None,
        memory_exceeded=False,
        timed_out=False,
        output_truncated=False,
        stdout=b"",
        stderr=b"",
        recording_path=recording,
        recording=None if recording is None else made,
        launch_count=len(left.launches),
        profiles=tuple(left.profiles),
        problems=tuple(left.problems),
        unsupported=(),
    )
