"""A job for the job host: one request to the session, as a value that crosses a process boundary.

Example::

    task = Task(Verb.CHECK, JobRequest(path, path.parent, texts=((path, unsaved),)))
    task.runs_program                    # True
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from pathlib import Path

from assistant.engine import JobRequest, OperatorOptions, OptimizeOptions, read_source
from assistant.model.source import Source
from assistant.record import Record

__all__ = ["OperatorTask", "Task", "Verb"]


class Verb(StrEnum):
    """The kinds of job; most are the command of the same name."""

    INSPECT = "inspect"
    CHECK = "check"
    PROFILE = "profile"
    OPTIMIZE = "optimize"
    JUDGE = "judge"
    """Two texts of each of some files: ``before`` against the request's own texts."""
    REBASE = "rebase"
    """A proposal's change on the request's own texts."""
    PAIR_EDIT = "pair_edit"
    """Every pair session that is open on the file answers the request's own text."""
    PAIR_SUGGEST = "pair_suggest"
    """One proposal of a pair session, or why there is none."""


class OperatorTask(Record):
    """The job is about a PyTorch task, which is the request's file."""

    candidate: Path | None = None
    """For ``check``: what is judged in the place of its reference."""
    options: OperatorOptions = field(default_factory=OperatorOptions)


class Task(Record):
    """One job."""

    verb: Verb
    request: JobRequest
    options: OptimizeOptions = field(default_factory=OptimizeOptions)
    """For ``optimize``; its proposals stay open."""
    before: tuple[Source, ...] = ()
    """For ``judge``: A's texts."""
    proposal: str | None = None
    """For ``rebase``: the proposal's id."""
    hunk_ids: tuple[str, ...] = ()
    """For ``rebase``: only these hunks of it; empty: all."""
    pair: str | None = None
    """For ``pair_suggest``: the session's id."""
    said: str = ""
    """For ``pair_suggest``: the hint."""
    operator: OperatorTask | None = None
    """None: the job is about kernels."""

    @property
    def text(self) -> str:
        """The file's text as the front end has it."""
        return self.text_of(self.request.file)

    def text_of(self, path: Path) -> str:
        """A file's text as the front end has it."""
        given = self.request.text_of(path)
        return read_source(path).text if given is None else given

    @property
    def after(self) -> tuple[Source, ...]:
        """For ``judge``: B's texts."""
        return tuple(Source(source.path, self.text_of(source.path)) for source in self.before)

    @property
    def runs_program(self) -> bool:
        """Whether it runs the user's code, which needs trust and consent."""
        return self.verb is not Verb.INSPECT

    @property
    def judges_edits(self) -> bool:
        """Whether what it comes to is a verdict on an edit, in every program where that is asked for."""
        return self.verb in (Verb.JUDGE, Verb.OPTIMIZE, Verb.PAIR_SUGGEST)

    @property
    def gpu_device(self) -> str | None:
        """``gpu:1``, ``gpu`` or ``auto``: what it may compute on a GPU by; None for what always runs on the CPU."""
        return self.request.device if self.runs_program and self.request.device != "cpu" else None
