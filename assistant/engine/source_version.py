"""One text of the file in question, read and parsed, in its program: what is compiled, which kernels are asked about.

Example::

    other = with_text(version, "__global__ void k(float* x) {}")
    other.kernels[0].key
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from assistant.build.safe_flags import refused_flag
from assistant.build.units import is_unit
from assistant.cuda.match import kernel_of_instance, select_kernels
from assistant.cuda.parse import parse
from assistant.cuda.program_structs import with_structs_of
from assistant.cuda.same_names import distinguished, without_file
from assistant.cuda.type_aliases import type_aliases
from assistant.disk.texts import MOST_SOURCE_BYTES, UnfitFileError, read_bytes
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags
from assistant.model.program import FoundProgram
from assistant.model.source import Kernel, LaunchSite, ParsedSource, Source
from assistant.model.workload import DeclaredWorkload, LiveWorkload, WorkloadProblem
from assistant.ports.lab import Program
from assistant.program.python_texts import text_in_python
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel
from assistant.workload.blocks import find_workloads, parse_sidecar, sidecar_path, workload_blocks

__all__ = [
    "Selection",
    "SourceVersion",
    "as_candidate",
    "candidate_of",
    "declares_workload",
    "holder_of",
    "read_source",
    "version_of",
    "with_text",
    "with_texts",
]

_NAMES_SHOWN = 12
_NOTEBOOK = ".ipynb"
_HOLDING_CUDA = frozenset({".py", _NOTEBOOK})


class Selection(Record):
    """What a job asks of a file, whatever its text says."""

    kernel: str | None = None
    """Selector; None: all kernels."""
    needs_kernels: bool = True
    """A text without any is refused."""
    live: LiveWorkload | None = None
    """Arrays of a notebook that the kernels run on, in place of declared workloads."""
    only_own: bool = False
    """Kernels of the file in question alone; otherwise a file with ``main()``, or without kernels, asks about its whole program."""
    is_whole: bool = False
    """Kernels of every file of the program, whatever the file in question holds."""


class SourceVersion(Record):
    """One text of the file in question, and what reading it gives."""

    parsed: ParsedSource
    """The file in question: what is edited."""
    program: Program
    kernels: tuple[Kernel, ...]
    """The selected kernels, those of the file in question first, in source order."""
    declared: tuple[DeclaredWorkload, ...]
    selection: Selection
    """What was asked about; the same of every version."""
    others: tuple[ParsedSource, ...] = ()
    """The other files of the program: its units, and headers that hold kernels."""
    headers: tuple[Source, ...] = ()
    """Headers of the project that the program includes and that hold no kernels: what their structs look like."""
    elsewhere: tuple[Source, ...] = ()
    """Files of other programs that include one of these, where those were looked for."""
    found: FoundProgram | None = None
    """Which program it is part of, where that was looked for and found."""
    stated: tuple[DetectedLabel, ...] = ()
    """What the author of an edit said of it when it was first judged."""

    @property
    def source(self) -> Source:
        return self.parsed.source

    @property
    def has_main(self) -> bool:
        """Whether the program runs by itself: one of its files has ``main()``, or a command starts it."""
        return self.program.run_command is not None or any(file.has_main for file in self.files)

    @property
    def text(self) -> str:
        """Text of all of the program's files, the one in question first: for what may be declared in any of them."""
        return "\n".join(file.source.text for file in self.files)

    @property
    def struct_text(self) -> str:
        """The text of the file in question, with the structs that are declared for it elsewhere in the program."""
        others = (*(file.source for file in self.others), *self.headers)
        return with_structs_of(self.source.text, tuple(source.text for source in others))

    @property
    def aliases(self) -> Mapping[str, str]:
        """What other names of types stand for, by the texts of the program's files."""
        return type_aliases("\n".join((self.text, *(header.text for header in self.headers))))

    @property
    def files(self) -> tuple[ParsedSource, ...]:
        """The one in question first."""
        return (self.parsed, *self.others)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Texts of all files, the one in question first."""
        return tuple(file.source for file in self.files)

    def kernel_of(self, instance: str) -> Kernel | None:
        """The kernel that a compiled function was made from, in any of the program's files; None for another's function."""
        return next((kernel for file in self.files if (kernel := kernel_of_instance(file, instance)) is not None), None)

    def launch_sites_of(self, kernel: Kernel) -> tuple[tuple[Path, LaunchSite], ...]:
        """Where the program launches it, and in which file; of kernels with the same name a file launches its own or a header's."""
        files = self.files
        if kernel.file:
            own = next(file for file in files if kernel in file.kernels)
            files = (own,) if is_unit(own.source.path) else tuple(file for file in files if file is own or not _has_own(file, kernel))
        return tuple((file.source.path, site) for file in files for site in file.launch_sites_of(kernel))

    @property
    def untold_kernels(self) -> tuple[str, ...]:
        """Names that kernels of several files share (``static`` ones) and that a GPU's launches do not tell apart: where units have one
        file name, or the program is built by other means than ours."""
        named = {(without_file(kernel.qualified_name), kernel.file) for file in self.files for kernel in file.kernels if kernel.file}
        is_own_build = self.program.run_command is None
        return tuple(sorted({name for name, file in named if not is_own_build or "/" in file}))

    def about(self, kernel: Kernel) -> SourceVersion:
        """The same program with the file that holds ``kernel`` in question, and its selected kernels alone."""
        holder = next((file for file in self.files if kernel in file.kernels), None)
        return self if holder is None else self.about_file(holder.source.path)

    def about_file(self, path: Path) -> SourceVersion:
        """The same program with another of its files in question, and the selected kernels of that one alone."""
        holder = next((file for file in self.others if file.source.path == path), None)
        if holder is None:
            return self
        sources = (holder.source, *(source for source in self.program.sources if source.path != holder.source.path))
        others = (self.parsed, *(file for file in self.others if file is not holder))
        return replace(
            self,
            parsed=holder,
            program=replace(self.program, sources=sources),
            kernels=tuple(each for each in self.kernels if each in holder.kernels),
            declared=(),
            selection=replace(self.selection, only_own=True, is_whole=False, needs_kernels=False),
            others=others,
        )


def read_source(path: Path) -> Source:
    """The file's text; a byte that is no UTF-8 (a comment in Latin-1) stands in it as one surrogate, as ``os.fsdecode`` has it.

    Raises UsageError where there is no readable text file of sensible size.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder", "name a .cu file, or use: kernelopt watch DIR")
        data = read_bytes(path, MOST_SOURCE_BYTES)
    except FileNotFoundError as error:
        held = text_in_python(path)
        if held is not None:
            return Source(path, held)
        holder = holder_of(path)
        if holder is not None:
            raise _not_in(holder, path) from error
        raise UsageError(f"{path} does not exist", "check the path") from error
    except UnfitFileError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "name a CUDA C++ source") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if b"\0" in data:
        raise UsageError(f"{path} is not a text file (it holds NUL bytes)", "name a CUDA C++ source")
    return Source(path, data.decode("utf-8", "surrogateescape"))


def holder_of(path: Path) -> Path | None:
    """The Python file or notebook that holds the CUDA text which is called ``train.py.halve.cu``; None for any other path."""
    holder = path.with_suffix("").with_suffix("")
    return holder if holder.suffix in _HOLDING_CUDA and holder.is_file() else None


def _not_in(holder: Path, path: Path) -> UsageError:
    """Why the text of that path cannot be read: only an editor has a notebook's cells; a Python file is read as it is on the disk."""
    if holder.suffix == _NOTEBOOK:
        return UsageError(f"{path.name} is a text inside {holder.name}", "open that in an editor: it is handled there")
    return UsageError(
        f"{holder.name} holds no CUDA text that is called {path.name}", f"kernelopt inspect {holder} names those that it holds"
    )


def version_of(parsed: ParsedSource, program: Program, selection: Selection, others: tuple[ParsedSource, ...] = ()) -> SourceVersion:
    """What reading ``parsed`` gives; ``program``: what it is part of, whose first source it becomes; ``others``: the rest of it.

    Raises UsageError for no kernel or an unknown selector, CannotAnswerError for a bad workload block.
    """
    if selection.live is not None and parsed.has_main:
        raise UsageError(
            f"{parsed.source.path.name} has main(): it runs as a program, without arrays", "take main() out, or bind no arrays"
        )
    declared = () if selection.live is not None else _declared(parsed)
    flags = _taken(program.flags, tuple(dict.fromkeys(flag for workload in declared for flag in workload.flags)))
    program = replace(program, sources=(parsed.source, *program.sources[1:]), flags=flags)
    parsed, *rest = distinguished((parsed, *others))
    others = tuple(rest)
    return SourceVersion(parsed, program, _selected(parsed, selection, others), declared, selection, others)


def with_texts(version: SourceVersion, texts: Iterable[Source]) -> SourceVersion:
    """The same program with other texts of some of its files.

    Raises as version_of does, and UsageError for a file that is none of the program's.
    """
    given = {source.path: source for source in texts}
    foreign = given.keys() - {file.source.path for file in version.files}
    if foreign:
        known = ", ".join(file.source.path.name for file in version.files[:_NAMES_SHOWN])
        raise UsageError(f"{min(foreign)} is no file of the program of {version.source.path.name}", f"its files: {known}")
    parsed, *others = (parse(given[path]) if (path := file.source.path) in given else file for file in version.files)
    sources = tuple(given.get(source.path, source) for source in version.program.sources)
    program = replace(version.program, kernels=(), is_candidate=False, sources=sources)
    read = version_of(parsed, program, version.selection, tuple(others))
    return replace(read, found=version.found, headers=version.headers, elsewhere=version.elsewhere)


def with_text(version: SourceVersion, text: str) -> SourceVersion:
    """The same program with another text of the file in question. Raises as version_of does."""
    return with_texts(version, (Source(version.source.path, text),))


def as_candidate(version: SourceVersion) -> SourceVersion:
    """The same text, run limited: for what the user did not write, and to see how their own program fares so."""
    return replace(version, program=replace(version.program, is_candidate=True))


def candidate_of(version: SourceVersion, texts: Iterable[Source]) -> SourceVersion:
    """``version`` with texts that the user did not write. Its flags stay: what such a text declares of its own starts compilers with
    anything, and those run as the user. Raises as with_texts does."""
    candidate = as_candidate(_with_edited(version, tuple(texts)))
    return replace(candidate, program=replace(candidate.program, flags=version.program.flags))


def _with_edited(version: SourceVersion, texts: tuple[Source, ...]) -> SourceVersion:
    """Where the kernel that was asked about is gone, as others took its place, all kernels are in question."""
    try:
        return with_texts(version, texts)
    except UsageError:
        if version.selection.kernel is None:
            raise
        return with_texts(replace(version, selection=replace(version.selection, kernel=None)), texts)


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


def _has_own(file: ParsedSource, kernel: Kernel) -> bool:
    """Whether a file has a kernel that is called like one of another file."""
    name = without_file(kernel.qualified_name)
    return any(each.file and without_file(each.qualified_name) == name for each in file.kernels)


def _selected(parsed: ParsedSource, selection: Selection, others: tuple[ParsedSource, ...]) -> tuple[Kernel, ...]:
    path, selector = parsed.source.path, selection.kernel
    is_whole = selection.is_whole or (not selection.only_own and (parsed.has_main or not parsed.kernels))
    files = (parsed, *others) if is_whole else (parsed,)
    kernels = tuple(kernel for file in files for kernel in file.kernels)
    if not kernels and selection.needs_kernels:
        hint = f"line {parsed.problems[0].line}: {parsed.problems[0].message}" if parsed.problems else ""
        what = "is empty" if not parsed.source.text.strip() else "holds no __global__ function"
        raise UsageError(f"{path} {what}", hint or "name a CUDA C++ source with at least one kernel")
    if selector is None:
        return kernels
    selected = tuple(kernel for file in (parsed, *others) for kernel in select_kernels(file, selector))
    if not selected:
        names = ", ".join(kernel.key for kernel in kernels[:_NAMES_SHOWN])
        raise UsageError(f"{path} has no kernel {selector!r}", f"it has: {names}")
    return selected


def declares_workload(parsed: ParsedSource) -> bool:
    """Whether the text, or the file next to it, declares how its kernels are launched."""
    path = parsed.source.path
    return bool(workload_blocks(parsed.source.text)) or sidecar_path(path).is_file()


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
