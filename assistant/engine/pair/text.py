"""Which kernel a pair session is about, and whether two texts of its file say the same of it.

Example::

    is_same(session, before, after, edited_kernels)     # True: only a comment, or another kernel, differs
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from assistant.config import find_workspace, load_settings
from assistant.cuda.match import select_kernels
from assistant.disk.texts import source_text
from assistant.engine.judge import changed_kernels, edited_kernels
from assistant.engine.programs import programs_of
from assistant.engine.reading import read_version, source_of
from assistant.engine.request import JobRequest
from assistant.engine.running import flags_of
from assistant.engine.source_version import SourceVersion, with_texts
from assistant.errors import KernelOptError, UsageError
from assistant.model.build import Flags
from assistant.model.pair import PairSession
from assistant.model.program import STANDS_ALONE
from assistant.model.source import ParsedSource, Source

__all__ = [
    "Edited",
    "at_start",
    "changed_since",
    "edited_in",
    "is_same",
    "one_kernel",
    "other_files",
    "saved_since",
    "text_of",
    "with_others",
]

_NS_PER_MS = 1_000_000
_MOST_CHARACTERS = 4_000_000
"""Of a program's other files together: a session keeps them."""

Edited = Callable[[SourceVersion, SourceVersion], frozenset[str]]
"""Keys of A's kernels that B is an edit of: ``edited_kernels`` or, host code included, ``changed_kernels``."""


def one_kernel(parsed: ParsedSource, selector: str | None) -> str:
    """Qualified name. Raises UsageError unless exactly one name is meant."""
    found = parsed.kernels if selector is None else select_kernels(parsed, selector)
    names = tuple(dict.fromkeys(kernel.qualified_name for kernel in found))
    if len(names) == 1:
        return names[0]
    known = ", ".join(dict.fromkeys(kernel.qualified_name for kernel in parsed.kernels)) or "none"
    what = f"{selector!r} names {len(names)} kernels" if selector is not None else f"{parsed.source.path.name} holds {len(names)} kernels"
    raise UsageError(what, f"name one with --kernel; the file has: {known}")


def edited_in(request: JobRequest) -> Edited:
    """What counts as an edit of a kernel: where the speed of a region is asked for, an edit of host code does, too."""
    asked = request.region or request.usual_region or load_settings(find_workspace(request.file)).settings.region
    return edited_kernels if asked is None else changed_kernels


def is_same(session: PairSession, before: str, after: str, edited_of: Edited) -> bool:
    """Whether the kernel, what it rests on, and its launches say the same in both texts; comments and spaces do not count."""
    if before == after:
        return True
    try:
        old, new = (_version(session.path, text) for text in (before, after))
    except KernelOptError:
        return False
    names = {kernel.qualified_name for kernel in new.parsed.kernels}
    edited = edited_of(old, new)
    is_edited = any(kernel.key in edited for kernel in old.parsed.kernels if kernel.qualified_name == session.kernel)
    return session.kernel in names and not is_edited and _declared_launches(old) == _declared_launches(new)


def _version(path: Path, text: str) -> SourceVersion:
    return read_version(JobRequest(path, path.parent, texts=((path, text),), programs=STANDS_ALONE), Flags())


def _declared_launches(version: SourceVersion) -> tuple[object, ...]:
    return tuple((step.kernel, step.grid, step.block, step.shared) for workload in version.declared for step in workload.steps)


def text_of(request: JobRequest) -> str:
    """The file's text as the request gives it, else as it is on disk."""
    return source_of(request, request.file).text


def other_files(request: JobRequest) -> tuple[Source, ...]:
    """The other files of the program, as the request gives them, else as they are on disk; none where it is not clear, or very large."""
    try:
        program = programs_of(request, flags_of(request, load_settings(find_workspace(request.file)))).program
    except KernelOptError:
        return ()
    paths = () if program is None else (path for path in program.files if path != request.file)
    found = tuple(Source(path, text) for path in paths if (text := _text_now(request, path)) is not None)
    return found if sum(len(source.text) for source in found) <= _MOST_CHARACTERS else ()


def changed_since(request: JobRequest, session: PairSession) -> tuple[Source, ...]:
    """Those of the session's other files that have another text now."""
    now = ((before, _text_now(request, before.path)) for before in session.others)
    return tuple(Source(before.path, text) for before, text in now if text is not None and text != before.text)


def at_start(version: SourceVersion, session: PairSession) -> SourceVersion:
    """All of the program as it was when the session began, as far as the session kept it."""
    return with_others(version, session.baseline_text, session.others)


def with_others(version: SourceVersion, text: str, others: Iterable[Source]) -> SourceVersion:
    """The program with other texts of the file in question and of those of ``others`` that are read for their kernels or their edits."""
    known = {file.source.path for file in version.files}
    return with_texts(version, (Source(version.source.path, text), *(other for other in others if other.path in known)))


def saved_since(version: SourceVersion, session: PairSession) -> tuple[str, ...]:
    """Names of the program's other files that were saved after the session began, and of which it does not know how they were."""
    own = {version.source.path, session.path, *(other.path for other in session.others)}
    others = dict.fromkeys(source.path for source in (*version.sources, *version.headers) if source.path not in own)
    return tuple(path.name for path in others if path.is_file() and path.stat().st_mtime_ns > session.created_ms * _NS_PER_MS)


def _text_now(request: JobRequest, path: Path) -> str | None:
    given = request.text_of(path)
    return source_text(path) if given is None else given
