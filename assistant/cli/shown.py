"""How a job's events are shown: chosen by a command's options, read where they are printed."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["Shown"]


class Shown(Record):
    """What is printed of a job."""

    as_json: bool
    is_verbose: bool = False
    """All of it on a terminal too; a pipe gets all of it anyway."""
    is_asked: bool = False
    """A person decides on each proposal as it comes."""
