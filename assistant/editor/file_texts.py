"""Texts of files that nothing depends on: what cannot be read counts as empty.

Example::

    text_of(request, path)     # as the editor has it, else as it is on the disk
"""

from __future__ import annotations

from pathlib import Path

from assistant.engine import JobRequest, read_source
from assistant.errors import KernelOptError

__all__ = ["text_of", "text_on_disk"]


def text_of(request: JobRequest, path: Path) -> str:
    """As the request has it, else the file's."""
    given = request.text_of(path)
    return text_on_disk(path) if given is None else given


def text_on_disk(path: Path) -> str:
    """Empty where it cannot be read."""
    try:
        return read_source(path).text
    except KernelOptError:
        return ""
