"""The rows of a run on disk, one a line behind the run's settings, so that a killed run goes on.

Example::

    journal = Journal[BenchSettings, Row].begun(Path("out"), settings)      # or .resumed(…, Row)
    journal.add(row)
    journal.rows
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from assistant.errors import CannotAnswerError, UsageError
from assistant.record import Record
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["ROWS_NAME", "BenchSettings", "Finished", "Journal"]

ROWS_NAME = "rows.jsonl"


class Finished(Protocol):
    """What a row has, whatever it is of."""

    @property
    def title(self) -> str:
        """Tells it from all others of the run."""
        ...

    @property
    def sources_sha256(self) -> str:
        """Hash over the texts that it is of."""
        ...


SettingsT = TypeVar("SettingsT", bound=Record)
RowT = TypeVar("RowT", bound=Finished)


class BenchSettings(Record):
    """What all rows of a run have in common; a run is only resumed with the same."""

    folder: str
    device: str | None = None
    target: str | None = None
    cflags: tuple[str, ...] | None = None
    planner: str | None = None
    allowed: tuple[str, ...] = ()
    """Decisions that the run may take in a person's place."""
    budget_usd: float | None = None
    """For each task."""
    timeout_s: float = 1800.0
    """For each task."""
    is_searching: bool = True
    """Whether anything is searched for, or only looked at."""
    cluster_device: str | None = None
    """Device of the workers that ran it: ``cpu``, or the name of a GPU; None: it was run on this machine."""


class Journal(Generic[SettingsT, RowT]):
    """Rows in the order in which they were found."""

    def __init__(self, path: Path, settings: SettingsT, rows: tuple[RowT, ...]) -> None:
        self._path = path
        self.settings = settings
        self._rows = {row.title: row for row in rows}

    @classmethod
    def begun(cls, out: Path, settings: SettingsT) -> Journal[SettingsT, RowT]:
        """A new one; raises UsageError where ``out`` holds a run already, CannotAnswerError where it cannot be written to."""
        path = out / ROWS_NAME
        if path.exists():
            raise UsageError(f"{out} holds the results of a run already", "--resume goes on with it; --out names another folder")
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotAnswerError(f"{out} cannot be made: {error.strerror}", "name another folder with --out") from error
        journal = cls(path, settings, ())
        journal._append(dumps(settings))
        return journal

    @classmethod
    def resumed(cls, out: Path, settings: SettingsT, kind: type[RowT]) -> Journal[SettingsT, RowT]:
        """The one in ``out``, with rows of that type. Raises UsageError where there is none, and where its run was started differently."""
        path = out / ROWS_NAME
        try:
            text = path.read_text("utf-8")
        except OSError as error:
            raise UsageError(f"there is nothing to resume in {out}: {error.strerror}", "leave out --resume to begin") from error
        whole = text[: text.rfind("\n") + 1]  # a kill may have left half a line
        try:
            first, *others = whole.splitlines()
            earlier, rows = loads(type(settings), first), tuple(loads(kind, line) for line in others)
        except (ValueError, DecodeError) as error:
            raise UsageError(f"{path} cannot be read: {error}", "begin anew in another folder with --out") from error
        if earlier != settings:
            raise UsageError(
                f"the run in {out} was started differently: {_differences(earlier, settings)}", "start it as it was, or use --out"
            )
        if len(whole) < len(text):
            path.write_text(whole, "utf-8")
        return cls(path, settings, rows)

    @property
    def rows(self) -> tuple[RowT, ...]:
        return tuple(self._rows.values())

    def add(self, row: RowT) -> None:
        """Keep a row; it outlasts the process, and takes the place of an earlier one of its title."""
        self._append(dumps(row))
        self._rows[row.title] = row

    def _append(self, line: str) -> None:
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise CannotAnswerError(
                f"{self._path} cannot be written: {error.strerror}", "free space, or name another folder with --out"
            ) from error


def _differences(earlier: Record, now: Record) -> str:
    names = [name for name in earlier.__dataclass_fields__ if getattr(earlier, name) != getattr(now, name)]
    return "; ".join(f"{name} was {getattr(earlier, name)!r}, is {getattr(now, name)!r}" for name in names)
