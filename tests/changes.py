"""Edits as values, for tests that need one."""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.changes import changes_of
from assistant.engine.source_version import SourceVersion
from assistant.model.change import FileChange
from assistant.model.source import Source

__all__ = ["change", "own"]


def change(path: Path, before: str, after: str) -> tuple[FileChange, ...]:
    """Of one file."""
    return changes_of((Source(path, before),), (Source(path, after),))


def own(version: SourceVersion, text: str) -> tuple[Source, ...]:
    """Another text of the file in question alone."""
    return (Source(version.source.path, text),)
