"""One text of the file in question, read and parsed: what is compiled, which kernels are asked about, how it says it is launched.

Example::

    other = with_text(version, "__global__ void k(float* x) {}")
    other.kernels[0].key
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.build.safe_flags import refused_flag
from assistant.cuda.match import select_kernels
from assistant.cuda.parse import parse
from assistant.disk.texts import UnfitFileError, read_bytes
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.model.workload import DeclaredWorkload, LiveWorkload, WorkloadProblem
from assistant.ports.lab import Program
from assistant.record import Record
from assistant.workload.blocks import find_workloads, parse_sidecar, sidecar_path

__all__ = ["Selection", "SourceVersion", "as_candidate", "candidate_of", "holder_of", "read_source", "version_of", "with_text"]

_MAX_SOURCE_BYTES = 16 << 20
"""A CUDA source beyond this is generated or not a source."""
_NAMES_SHOWN = 12
_HOLDING_CUDA = frozenset({".py", ".ipynb"})


class Selection(Record):
    """What a job asks of a file, whatever its text says."""

    kernel: str | None = None
    """Selector; None: all kernels."""
    needs_kernels: bool = True
    """A text without any is refused."""
    live: LiveWorkload | None = None
    """Arrays of a notebook that the kernels run on, in place of declared workloads."""


class SourceVersion(Record):
    """One text of the file in question, and what reading it gives."""

    parsed: ParsedSource
    program: Program
    kernels: tuple[Kernel, ...]
    """The selected kernels, in source order."""
    declared: tuple[DeclaredWorkload, ...]
    selection: Selection
    """What was asked about; the same of every version."""

    @property
    def source(self) -> Source:
        return self.parsed.source


def read_source(path: Path) -> Source:
    """The file's text; a byte that is no UTF-8 (a comment in Latin-1) stands in it as one surrogate, as ``os.fsdecode`` has it.

    Raises UsageError where there is no readable text file of sensible size.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder", "name a .cu file, or use: kernelopt watch DIR")
        data = read_bytes(path, _MAX_SOURCE_BYTES)
    except FileNotFoundError as error:
        holder = holder_of(path)
        if holder is not None:
            raise UsageError(f"{path.name} is a text inside {holder.name}", "open that in an editor: it is dealt with there") from error
        raise UsageError(f"{path} does not exist", "check the path") from error
    except UnfitFileError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "name a CUDA C++ source") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if b"\0" in data:
        raise UsageError(f"{path} is not a text file (it holds NUL bytes)", "name a CUDA C++ source")
    return Source(path, data.decode("utf-8", "surrogateescape"))


def holder_of(path: Path) -> Path | None:
    """The Python file or notebook that holds the CUDA text which editors call ``train.py.halve.cu``; None for any other path."""
    holder = path.with_suffix("").with_suffix("")
    return holder if holder.suffix in _HOLDING_CUDA and holder.is_file() else None


def version_of(parsed: ParsedSource, program: Program, selection: Selection) -> SourceVersion:
    """What reading ``parsed`` gives; ``program``: what it is part of, whose first source it becomes.

    Raises UsageError for no kernel or an unknown selector, CannotAnswerError for a bad workload block.
    """
    if selection.live is not None and parsed.has_main:
        raise UsageError(
            f"{parsed.source.path.name} has main(): it runs as a program, without arrays", "take main() out, or bind no arrays"
        )
    if program.run_command is not None:
        parsed = replace(parsed, has_main=True)  # the command stands for it
    declared = () if selection.live is not None else _declared(parsed)
    flags = _taken(program.flags, tuple(dict.fromkeys(flag for workload in declared for flag in workload.flags)))
    program = replace(program, sources=(parsed.source, *program.sources[1:]), flags=flags)
    return SourceVersion(parsed, program, _selected(parsed, selection), declared, selection)


def with_text(version: SourceVersion, text: str) -> SourceVersion:
    """The same file with another text. Raises as version_of does."""
    program = replace(version.program, kernels=(), is_candidate=False)
    return version_of(parse(Source(version.source.path, text)), program, version.selection)


def as_candidate(version: SourceVersion) -> SourceVersion:
    """The same text, run limited: for what the user did not write, and to see how their own program fares so."""
    return replace(version, program=replace(version.program, is_candidate=True))


def candidate_of(version: SourceVersion, text: str) -> SourceVersion:
    """``version`` with a text that the user did not write. Its flags stay: what such a text declares of its own starts compilers with
    anything, and those run as the user. Raises as version_of does."""
    candidate = as_candidate(with_text(version, text))
    return replace(candidate, program=replace(candidate.program, flags=version.program.flags))


def _taken(flags: Flags, declared: tuple[str, ...]) -> Flags:
    """``flags`` and those of workload blocks. Raises CannotAnswerError for one that compilers are not started with."""
    for arguments, origin in ((flags.arguments, flags.origin), (declared, "workload block")):
        refused = refused_flag(arguments)
        if refused is not None:
            message = (
                f"the flag {refused!r} ({origin}) is not taken: it could start a program, or write a file, when a source is only compiled"
            )
            raise CannotAnswerError(message, "leave it out")
    return replace(flags, arguments=(*flags.arguments, *declared))


def _selected(parsed: ParsedSource, selection: Selection) -> tuple[Kernel, ...]:
    path, selector = parsed.source.path, selection.kernel
    if not parsed.kernels and selection.needs_kernels:
        hint = f"line {parsed.problems[0].line}: {parsed.problems[0].message}" if parsed.problems else ""
        what = "is empty" if not parsed.source.text.strip() else "holds no __global__ function"
        raise UsageError(f"{path} {what}", hint or "name a CUDA C++ source with at least one kernel")
    if selector is None:
        return parsed.kernels
    selected = select_kernels(parsed, selector)
    if not selected:
        names = ", ".join(kernel.key for kernel in parsed.kernels[:_NAMES_SHOWN])
        raise UsageError(f"{path} has no kernel {selector!r}", f"it has: {names}")
    return selected


def _declared(parsed: ParsedSource) -> tuple[DeclaredWorkload, ...]:
    path = parsed.source.path
    found = list(find_workloads(path, parsed.source.text))
    sidecar = sidecar_path(path)
    if sidecar.is_file():
        found += parse_sidecar(sidecar, read_source(sidecar).text)
    for item in found:
        if isinstance(item, WorkloadProblem):
            raise CannotAnswerError(f"{item.path}:{item.line}: {item.message}", "fix the workload block")
    return tuple(item for item in found if isinstance(item, DeclaredWorkload))
