"""An edit as what it does to each file that it touches; an edit of one file is the case of one entry."""

from __future__ import annotations

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
