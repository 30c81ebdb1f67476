"""What ``%kernelopt`` returns, so that a notebook can go on with it: ``done = %kernelopt wait``, then ``done.ok``.

The line has printed its answer already, so the cell that it stands in does not display the value once more. Example::

    result = cell_result(run, workshop)
    result.ok, result.problems, result.proposals[0].ratio
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, cast

import IPython.core.getipython

from assistant.cuda.changes import changes_diff
from assistant.model.comparison import format_ratio
from assistant.model.proposal import Proposal
from assistant.record import Record
from jupyter_ext.operator_page import failure_words, finding_lines
from jupyter_ext.operator_runs import OperatorRun
from jupyter_ext.page import failure_text, problem_lines
from jupyter_ext.runs import CellRun, Run, Step
from jupyter_ext.workshop import Workshop

__all__ = ["CellResult", "ProposalResult", "Rows", "Text", "cell_result", "failure_of", "proposal_result"]


class _Printed:
    """Displayed as any other value, but by the cell whose line has printed it."""

    _execution: int | None = None

    def printed(self) -> Self:
        object.__setattr__(self, "_execution", _execution_count())
        return self

    def _ipython_display_(self) -> None:
        if self._execution is None or self._execution != _execution_count():
            raise NotImplementedError  # IPython goes on with ``__repr__``


class Text(_Printed, str):
    """An answer in words."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Rows(_Printed, tuple[Any, ...]):
    """Several values, each shown on a line."""

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "none"


class ProposalResult(_Printed, Record):
    """A proposal as it stands."""

    id: str
    short_id: str
    """``P1``, as people name it."""
    state: str
    """``open``, ``accepted``, ``rejected``, ``undone``, ``stale`` or ``superseded``."""
    summary: str
    verification: str
    """``PASS``, or ``NEEDS_DECISION``."""
    speed: str
    """``FASTER`` where it was measured, ``PREDICTED`` where it was not."""
    ratio: float
    """Time before / time after."""
    diff: str
    text: str
    """The cell's CUDA text with the change made."""

    def __repr__(self) -> str:
        return f"{self.short_id} ({self.state}): {self.summary}; {self.verification}, {self.speed} {format_ratio(self.ratio)}x"


class CellResult(_Printed, Record):
    """A run of a cell as it stands."""

    number: int
    name: str
    """What the cell goes by: ``lab.ipynb.squash``, ``lab.ipynb.Model``."""
    phase: str
    """``running``, ``done``, ``failed`` or ``cancelled``."""
    headline: str
    ok: bool | None
    """Whether every question was answered with yes; None while it goes on."""
    steps: tuple[Step, ...]
    problems: tuple[str, ...]
    proposals: tuple[ProposalResult, ...]
    """On the cell's text, newest first."""
    failure: str | None
    """What went wrong, with every problem; None where nothing did."""

    def __repr__(self) -> str:
        return f"{self.number}  {self.name}  {self.phase}  {self.headline}"


def failure_of(run: Run, workshop: Workshop) -> str | None:
    """What went wrong in a run that ended; None where every question was answered with yes."""
    match run:
        case CellRun():
            return failure_text(run.state, workshop.picture(run))
        case OperatorRun():
            return failure_words(run)
        case _:
            raise AssertionError("a run is of kernels or of a task")


def cell_result(run: Run, workshop: Workshop) -> CellResult:
    """The run, and what is known of its cell's text."""
    picture = workshop.picture(run) if isinstance(run, CellRun) else None
    state, proposals = run.state, () if picture is None else picture.proposals
    failure = failure_of(run, workshop) if state.is_over else None
    problems = problem_lines(picture) if picture is not None else finding_lines(run) if isinstance(run, OperatorRun) else ()
    return CellResult(
        number=run.number,
        name=run.name,
        phase=state.phase,
        headline=state.headline,
        ok=failure is None if state.is_over else None,
        steps=state.steps,
        problems=problems,
        proposals=tuple(proposal_result(proposal, workshop.for_people) for proposal in proposals),
        failure=failure,
    )


def proposal_result(proposal: Proposal, for_people: Callable[[str], str]) -> ProposalResult:
    return ProposalResult(
        id=proposal.id,
        short_id=for_people(proposal.id),
        state=proposal.state.value,
        summary=proposal.summary,
        verification=proposal.verification.outcome.value,
        speed=proposal.comparison.outcome.value,
        ratio=proposal.comparison.ratio,
        diff=changes_diff(proposal.files),
        text=proposal.after[0].text,
    )


def _execution_count() -> int | None:
    """Which execution of the notebook goes on; None without a shell."""
    shell = cast("Any", IPython.core.getipython).get_ipython()
    return None if shell is None else int(shell.execution_count)
