"""One moving line on the terminal while a job is silent: what it is at and for how long. Nothing where no terminal shows it.

The line is written to standard error and taken away before anything else is printed. Example::

    with StatusLine(console(is_error=True)) as status:
        async for event in stream:
            status.hide()
            show(event)
            status.follow(event)
"""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.spinner import Spinner

from assistant.cli.calm_words import shortened
from assistant.cli.console import visible
from assistant.cli.meter import meter_words
from assistant.config import user_paths
from assistant.engine.report import ratio_in_words, technique_in_words
from assistant.lab.cache import FIRST_BUILD, is_emulator_being_built
from assistant.model import events
from assistant.model.completion import ModelRole
from assistant.model.trial import TrialOutcome

__all__ = ["StatusLine", "doing"]

_REFRESHES_PER_S = 4


class StatusLine:
    """Shows what the job is doing until it says something else."""

    def __init__(self, console: Console, cache: Path | None = None) -> None:
        """``cache``: where the emulator is kept once it is built; None: the user's."""
        self._console = console
        self._cache = user_paths().cache if cache is None else cache
        self._is_shown = console.is_terminal and not console.is_dumb_terminal
        self._text: str | None = None
        self._start_s = time.monotonic()
        self._spinner = Spinner("dots")
        self._live: Live | None = None
        self._meter = ""
        self._search = _SearchSoFar()
        self._written_count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.hide()

    def hide(self) -> None:
        """Take the line away, so that others may print."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def follow(self, event: events.Event) -> None:
        """Show what the job does after this event; nothing while a person is asked, or when it is over."""
        if isinstance(event, events.BudgetSpent) and (event.spent.call_count or event.estimate is not None):
            self._meter = f" · {meter_words(event)}"
        self._search.follow(event)
        self.say(doing(event, self._text))

    def say(self, text: str | None) -> None:
        """Show this; None: nothing."""
        if text != self._text:
            self._text, self._start_s, self._written_count = text, time.monotonic(), 0
        if text is not None and self._is_shown:
            self._live = Live(
                get_renderable=self._line, console=self._console, transient=True, refresh_per_second=_REFRESHES_PER_S, redirect_stdout=False
            )
            self._live.start()

    def _line(self) -> Spinner:
        elapsed_s = time.monotonic() - self._start_s
        further = f"{escape(self._search.words)}{escape(self._meter)}{self._building()}{self._writing()}"
        self._spinner.update(text=f"[dim]{escape(visible(self._text or ''))} · {elapsed_s:.0f} s{further}[/]")
        return self._spinner

    def _building(self) -> str:
        """The first run on a machine waits for the emulator's own build, which the job does not know of."""
        return f" · {FIRST_BUILD}" if is_emulator_being_built(self._cache) else ""

    def writing(self, role: ModelRole, piece: str) -> None:
        """A model's answer comes in: show how long it is so far."""
        self._written_count += len(piece)

    def _writing(self) -> str:
        return f" · {self._written_count:,} characters so far" if self._written_count else ""


class _SearchSoFar:
    """How far the search on a kernel is, and its best edit so far."""

    def __init__(self) -> None:
        self._kernel = ""
        self._planned_count = 0
        self._tried: list[events.CandidateTried] = []

    def follow(self, event: events.Event) -> None:
        match event:
            case events.FindingsFound(kernel=kernel) if shortened(kernel) != self._kernel:
                self._kernel, self._planned_count, self._tried = shortened(kernel), 0, []
            case events.PlanMade(steps=steps):
                self._planned_count += len(steps)
            case events.CandidateTried():
                self._tried.append(event)
            case _:
                pass

    @property
    def words(self) -> str:
        """`` · 2 of 5 tried · best ≈1.57x``; empty before a plan."""
        if not self._planned_count:
            return ""
        kept = [one.ratio_to_original for one in self._tried if one.outcome is TrialOutcome.KEPT and one.ratio_to_original is not None]
        count = len(self._tried)
        how_far = f"{count} of {self._planned_count} tried" if count < self._planned_count else f"{count} tried"
        return f" · {how_far}" + (f" · best ≈{ratio_in_words(max(kept))}" if kept else "")


def doing(event: events.Event, before: str | None) -> str | None:
    """What a job is at after ``event``, in words; ``before`` is what it was at. None: it waits for a person, or is over."""
    match event:
        case events.JobStarted():
            return f"{event.command}: reads the source"
        case events.StageStarted(stage="consent"):
            return None
        case events.StageStarted():
            return f"{event.stage}: {event.detail}"
        case events.FindingsFound():
            return f"{shortened(event.kernel)}: plans"
        case events.PlanMade():
            return f"{shortened(event.steps[0].kernel)}: tries {technique_in_words(event.steps[0].technique)}" if event.steps else before
        case events.ModelCalled():
            return f"{event.model}: {event.prompt} {event.outcome}"
        case events.CandidateTried():
            return f"{shortened(event.kernel)}: goes on after {technique_in_words(event.technique)}"
        case events.SettingTried(point=point):
            setting = ", ".join(f"{name} = {value}" for name, value in point.values)
            return f"{shortened(event.kernel)}: tunes {technique_in_words(event.technique)}, after {setting}"
        case events.ProposalMade() | events.JobEnded():
            return None
        case events.DecisionMade():
            return "goes on"
        case _:
            return before
