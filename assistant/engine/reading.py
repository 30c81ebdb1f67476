"""The file that a job is about, as a version of its text, in its program.

Example::

    version = read_version(JobRequest(Path("/tmp/a.cu"), Path("/tmp")), flags)
    version.kernels[0].key
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from assistant.build.flags import DEFAULT_FLAGS
from assistant.build.includes import with_headers
from assistant.config import find_project
from assistant.cuda.parse import parse
from assistant.engine.programs import find_extension, find_program, python_remedy, without_script
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, SourceVersion, declares_workload, read_source, version_of
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.model.source import ParsedSource, Source
from assistant.operators.task import looks_like_task
from assistant.ports.lab import Program

__all__ = ["read_version", "source_of"]

_KERNEL = "__global__"
_OPTIMIZE = "-O"
_PYTHON = frozenset({".py", ".ipynb"})


def read_version(request: JobRequest, flags: Flags) -> SourceVersion:
    """Parse ``request.file`` and the rest of its program.

    Raises UsageError for no kernel or an unknown selector, CannotAnswerError for a bad workload block and for a program that is unclear.
    """
    if request.file.suffix in _PYTHON and request.run_command is None and request.report is None:
        name = request.file.name
        if request.kernel is None and looks_like_task(source_of(request, request.file).text):
            remedy = f"kernelopt profile {name} says what it consists of, kernelopt optimize {name} has a kernel written for it"
            raise UsageError(f"{name} is a PyTorch task and no CUDA C++ source", remedy)
        remedy = (
            python_remedy(request, flags)
            or "open it in an editor, which looks at each kernel in it; --run profiles a script that launches kernels of FILE"
        )
        raise UsageError(f"{name} is no CUDA C++ source", remedy)
    parsed = parse(source_of(request, request.file))
    found = _program(request, flags, parsed)
    units = _units(request, found)
    flags = flags if found is None else _with_flags(flags, found)
    headers = tuple(_headers(request, (parsed.source, *units), flags))
    asked = tuple(_asked_about(request, headers))
    others = (*map(parse, units), *asked)
    program = Program(
        sources=(parsed.source, *(other.source for other in others)),
        flags=flags,
        arguments=request.arguments or (() if found is None else found.arguments),
        working_directory=(None if found is None else found.working_directory) or request.working_directory,
        noted_function=request.noted_function,
        libraries=() if found is None else found.libraries,
        **_started(request, found),
    )
    is_alone = request.programs is not None and not request.programs.found
    selection = Selection(request.kernel, request.needs_kernels, request.live, is_alone, len(request.edited) > 1)
    return replace(version_of(parsed, program, selection, others), found=found, headers=_further(headers, asked))


def _program(request: JobRequest, flags: Flags, parsed: ParsedSource) -> FoundProgram | None:
    """Looked for where the file is run, and says of no launches itself."""
    is_said = request.live is not None or request.run_command is not None or request.report is not None
    if is_said:
        return None
    is_declared = not request.extra_sources and not parsed.has_main and declares_workload(parsed)
    if request.programs is not None:
        found = next(iter(request.programs.found), None)
        return without_script(found, request.file) if is_declared else found
    return find_extension(request, flags) if is_declared else find_program(request, flags)


class _StartCommands(TypedDict):
    build_command: tuple[str, ...] | None
    run_command: tuple[str, ...] | None
    is_extension: bool


def _started(request: JobRequest, found: FoundProgram | None) -> _StartCommands:
    """What is started in the place of ``main()``: what a person says, else the script that runs a PyTorch extension."""
    if found is None or found.origin is not ProgramOrigin.EXTENSION:
        return _StartCommands(build_command=request.build_command, run_command=request.run_command, is_extension=False)
    command = None if found.run_command is None else (*found.run_command, *(request.arguments or found.arguments))
    return _StartCommands(build_command=found.build_command, run_command=command, is_extension=True)


def _units(request: JobRequest, found: FoundProgram | None) -> tuple[Source, ...]:
    """The program's units, but for the file in question."""
    named = request.extra_sources if found is None else (*found.units, *request.extra_sources)
    paths = dict.fromkeys(path for path in named if path.resolve() != request.file.resolve())
    return tuple(source_of(request, path) for path in paths)


def _with_flags(flags: Flags, found: FoundProgram) -> Flags:
    own = () if flags == DEFAULT_FLAGS and any(flag.startswith(_OPTIMIZE) for flag in found.flags) else flags.arguments
    return replace(flags, arguments=tuple(dict.fromkeys((*found.flags, *own))))


def _headers(request: JobRequest, units: Sequence[Source], flags: Flags) -> Iterator[Source]:
    """Headers of the project that one of the units includes. Raises CannotAnswerError where one is the file in question by another name."""
    known, project = {source.path for source in units}, find_project(request.file)
    texts = with_headers(((str(source.path), source.text) for source in units), flags.arguments, lambda name: request.text_of(Path(name)))
    for path, text in ((Path(name), text) for name, text in texts.items()):
        if path not in known and path.resolve() == request.file.resolve():  # what compilers read there is not the edit
            raise CannotAnswerError(f"the program includes {request.file} as {path}, by a link", f"name {path} in its place")
        if path not in known and path.is_relative_to(project):
            yield Source(path, text)


def _asked_about(request: JobRequest, headers: Sequence[Source]) -> Iterator[ParsedSource]:
    """Those that define kernels, and those whose text is not what the disk holds."""
    for header in headers:
        is_changed = request.text_of(header.path) is not None
        if not is_changed and _KERNEL not in header.text:
            continue
        parsed = parse(header)
        if parsed.kernels or is_changed:
            yield parsed


def _further(headers: Sequence[Source], asked: Sequence[ParsedSource]) -> tuple[Source, ...]:
    paths = {file.source.path for file in asked}
    return tuple(header for header in headers if header.path not in paths)


def source_of(request: JobRequest, path: Path) -> Source:
    """The file as the request gives it, else as it is on disk; raises as ``read_source`` does."""
    text = request.text_of(path)
    return read_source(path) if text is None else Source(path, text)
