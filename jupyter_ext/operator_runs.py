"""One execution of a cell with a PyTorch task or a candidate for one: its questions, the texts they are about, and all that was answered.

Example::

    run = OperatorRun(3, "lab.ipynb.Model", notebook, cell_id, tasks)
    run.answers[Verb.CHECK]          # events, of the cell's lines
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assistant.editor.tasks import Task, Verb
from assistant.engine import read_source
from assistant.model.events import ComparisonMade, Event, JobEnded, KernelWritten, Message, OperatorsFound, ProposalMade
from assistant.model.profile import Severity
from assistant.record import Record
from jupyter_ext.runs import Run

__all__ = ["Asked", "OperatorRun", "kernel_cell"]

_ERROR = str(Severity.ERROR)


class Asked(Record):
    """One question of a cell, and how its answer is told of the cell's own lines."""

    task: Task
    of_cell: Callable[[Event], Event]


class OperatorRun(Run):
    """Of a cell with a task or a candidate."""

    def __init__(self, number: int, name: str, notebook: Path, cell_id: str | None, asked: tuple[Asked, ...]) -> None:
        super().__init__(number, name, notebook, tuple(each.task.verb for each in asked))
        self.cell_id = cell_id
        """The front end's own; None where it gives none."""
        self.asked = asked
        self.answers: dict[Verb, tuple[Event, ...]] = {}
        self.placed = ""
        """What became of a first kernel's text; empty while there is none, and where no cell could be made for it."""

    def hear(self, asked: Asked, event: Event) -> None:
        """Keep what a job says, and follow it."""
        verb, event = asked.task.verb, asked.of_cell(event)
        self.answers[verb] = (*self.answers.get(verb, ()), event)
        self.follow(verb, event)

    def place_kernel(self, outcome: str) -> None:
        """Say what became of a first kernel's text."""
        self.placed = outcome
        self.changed()

    @property
    def verdict(self) -> ComparisonMade | None:
        return next((event for event in self.answers.get(Verb.CHECK, ()) if isinstance(event, ComparisonMade)), None)

    @property
    def breakdown(self) -> OperatorsFound | None:
        return next((event for event in self.answers.get(Verb.PROFILE, ()) if isinstance(event, OperatorsFound)), None)

    @property
    def kernel(self) -> KernelWritten | None:
        """A first kernel that was written for the task."""
        return next((event for event in self.answers.get(Verb.OPTIMIZE, ()) if isinstance(event, KernelWritten)), None)

    @property
    def proposals(self) -> tuple[ProposalMade, ...]:
        """Edits of that kernel which a search offers."""
        return tuple(event for event in self.answers.get(Verb.OPTIMIZE, ()) if isinstance(event, ProposalMade))

    def notes(self, verb: Verb) -> tuple[str, ...]:
        """What a job says besides its answer."""
        said = (event for event in self.answers.get(verb, ()) if isinstance(event, Message))
        return tuple(f"{event.message}; {event.remedy}" if event.remedy else event.message for event in said)

    def reason(self, verb: Verb) -> str:
        """How a job ended, in its own words; where it gave an error for it, that."""
        said = self.answers.get(verb, ())
        wrong = [event for event in said if isinstance(event, Message) and event.severity == _ERROR]
        if wrong:
            return f"{wrong[0].message}; {wrong[0].remedy}" if wrong[0].remedy else wrong[0].message
        return next((event.reason for event in reversed(said) if isinstance(event, JobEnded)), self.step(verb).text)


def kernel_cell(run: OperatorRun) -> str | None:
    """The text of a cell with the first kernel that was written; None where there is none."""
    operator = run.asked[0].task.operator
    if run.kernel is None or operator is None:
        return None
    return f"%%kernelopt --op {operator.options.class_name}\n{read_source(Path(run.kernel.file)).text}"
