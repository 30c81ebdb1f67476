"""An edit as what it does to each file that it touches; an edit of a single file has a single entry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.model.source import Hunk, Source
from assistant.record import Record


class FileChange(Record):
    """What an edit does to one file."""

    path: Path
    """Absolute."""
    before_text: str
    after_text: str
    hunks: tuple[Hunk, ...]
    """From the text before to the one after; no other file of the same edit has a hunk of the same id."""

    @property
    def before(self) -> Source:
        return Source(self.path, self.before_text)

    @property
    def after(self) -> Source:
        return Source(self.path, self.after_text)


def program_key(text: str, others: Sequence[Source]) -> str:
    """What tells a version of a program from others: the text of the file in question, then each other one that was changed, by path."""
    return "\n".join((text, *(f'"{source.path}";\n{source.text}' for source in others)))
