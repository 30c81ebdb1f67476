"""Which kernels of a text changed since an earlier one.

Example::

    kernels_changed_since(parsed, committed)     # ("blur(float *, int)",)
"""

from __future__ import annotations

from assistant.engine.judge import edited_kernels
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.errors import KernelOptError
from assistant.model.build import Flags
from assistant.model.program import STANDS_ALONE
from assistant.model.source import ParsedSource, Source

__all__ = ["kernels_changed_since"]


def kernels_changed_since(parsed: ParsedSource, before: str) -> tuple[str, ...]:
    """Keys of the kernels that ``before`` does not have, or whose code, what it reaches, or launches differ.

    Comments and spaces do not count. All of them where ``before`` has no kernels or cannot be read.
    """
    keys = tuple(kernel.key for kernel in parsed.kernels)
    if parsed.source.text == before:
        return ()
    try:
        now, then = (_alone(source) for source in (parsed.source, Source(parsed.source.path, before)))
    except KernelOptError:
        return keys
    changed = edited_kernels(now, then)
    return tuple(key for key in keys if key in changed)


def _alone(source: Source) -> SourceVersion:
    """Without its program, whose other files are the same for both texts."""
    return read_version(JobRequest(source.path, source.path.parent, texts=((source.path, source.text),), programs=STANDS_ALONE), Flags())
