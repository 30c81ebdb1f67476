"""Which kernel a pair session is about, and whether two texts of its file say the same of it.

Example::

    is_same(session, before, after, edited_kernels)     # True: only a comment, or another kernel, differs
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assistant.config import find_workspace, load_settings
from assistant.cuda.match import select_kernels
from assistant.engine.judge import changed_kernels, edited_kernels
from assistant.engine.reading import read_version, source_of
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.errors import KernelOptError, UsageError
from assistant.model.build import Flags
from assistant.model.pair import PairSession
from assistant.model.program import STANDS_ALONE
from assistant.model.source import ParsedSource

__all__ = ["Edited", "edited_in", "is_same", "one_kernel", "other_texts", "text_of"]

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


def other_texts(request: JobRequest) -> tuple[tuple[Path, str], ...]:
    """Given texts of other files."""
    return tuple(item for item in request.texts if item[0] != request.file)
