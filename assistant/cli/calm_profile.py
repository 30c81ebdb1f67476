"""What ``profile`` shows on a terminal: where the time goes, one row a launch shape, the findings that cost something.

Every line's counters, the evidence and what else was recorded are for ``--verbose``.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from assistant.cli.calm_words import rows, short_names, shortened
from assistant.cli.layout import Page
from assistant.cli.search_screen import overlap_in_words, place_of
from assistant.engine.report import limit_in_words
from assistant.model import events
from assistant.model.event_parts import ProfileFinding
from assistant.profile import is_negligible
from assistant.profile.bottleneck import NOT_COUNTED
from assistant.profile.problems import defect_in_words
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.profile.timeline_words import program_span, stream_bar
from assistant.profile.wording import main_clause, percent

__all__ = ["CalmProfile"]

_MOST_ROWS = 8
_MOST_FINDINGS = 4
_MOST_PROBLEMS = 3
_BAR_COLUMNS = 48
_LEGEND = "█ kernel  ▒ copy  ░ fill"


class CalmProfile:
    """Gathers the events of a profile, and writes them at its end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._page = Page(console)
        self._summaries: list[events.ProfileSummary] = []
        self._findings: dict[tuple[str, str, int], tuple[ProfileFinding, str | None]] = {}
        self._problems: dict[str, str] = {}
        """What kind each is and where, with its sentence."""

    def timeline(self, event: events.TimelineFound) -> None:
        """The whole in one sentence; a bar where one stream does everything."""
        self._page.put(f"[bold]{escape(event.headline)}[/]", hang=2)
        timeline = event.timeline
        if len(timeline.streams) == 1 and not timeline.other_stream_count:
            bar = stream_bar(timeline, timeline.streams[0], _BAR_COLUMNS)
            span = escape(program_span(timeline).partition(" from ")[0])
            self._page.put(f"{bar}  {'≈ ' if timeline.is_predicted else ''}{span}  [dim]{_LEGEND}[/]")

    def launch(self, event: events.Profile) -> None:
        """Keep the costliest of a finding's appearances: each launch has its own."""
        for finding in event.findings:
            key = (event.kernel, finding.code, finding.line)
            known = self._findings.get(key)
            if known is None or (known[0].estimated_cost_ratio or 0) < (finding.estimated_cost_ratio or 0):
                self._findings[key] = (finding, event.file)
        for problem in event.problems:
            if not any(finding.message.startswith(problem.message.rstrip(".")) for finding in event.findings):
                self._problems.setdefault(f"{defect_in_words(problem).partition(',')[0]} at line {problem.line}", problem.message)

    def summary(self, event: events.ProfileSummary) -> None:
        self._summaries.append(event)

    def end(self) -> None:
        """The rows, then what costs something, the costliest first."""
        if self._summaries:
            self._page.gap()
            self._rows()
        self._costs()
        for place, message in tuple(self._problems.items())[:_MOST_PROBLEMS]:
            self._page.put(f"[bold red]✗[/] {escape(place)}: {escape(message)}", hang=2)

    def _rows(self) -> None:
        names = short_names(each.kernel for each in self._summaries)
        shown = sorted(self._summaries, key=_time_s, reverse=True)[:_MOST_ROWS]
        is_predicted = any(each.measured is None and each.predicted_time_s is not None for each in shown)
        cells = [(names[s.kernel], _shape(s), f"{s.launch_count:,}", _time(s), _limit(s)) for s in shown]
        rows(self._console, ("kernel", "grid and block", "launches", "time each", "limited by"), cells, right=("launches", "time each"))
        left_out = len(self._summaries) - len(shown)
        notes = [f"{counted_noun(left_out, 'further launch shape')} of less time"] if left_out else []
        notes += ["≈ by the performance model, launch overhead included; nothing was timed"] if is_predicted else []
        for note in notes:
            self._page.put(f"[dim]{note}[/]", indent=1)

    def _costs(self) -> None:
        found = [(kernel, *found) for (kernel, _, _), found in self._findings.items()]
        costly = [each for each in found if not is_negligible(each[1].estimated_cost_ratio)]
        costly.sort(key=lambda each: -(each[1].estimated_cost_ratio or 0))
        if costly:
            self._page.gap()
        is_one = len({kernel for kernel, _, _ in found}) == 1
        for kernel, finding, file in costly[:_MOST_FINDINGS]:
            of = "" if is_one else f"{shortened(kernel)} "
            cost = "" if finding.estimated_cost_ratio is None else f", ≈ {percent(finding.estimated_cost_ratio)}"
            place = f"{of}{place_of(file, finding.line)}: {main_clause(finding.message)}"
            self._page.put(f"{escape(place)} [dim]({finding.code}{cost})[/]", indent=1, hang=3)
        left = len(found) - len(costly[:_MOST_FINDINGS])
        notes = ["≈ share of the kernel's time that the cause costs"] if costly else []
        notes += ["shares of one kernel overlap and do not add up"] if _overlaps(costly[:_MOST_FINDINGS]) else []
        notes += [f"{counted_noun(left, 'finding')} of less cost left out"] if left else []
        if notes:
            self._page.put(f"[dim]{'; '.join(notes)}[/]", indent=1)


def _overlaps(found: Sequence[tuple[str, ProfileFinding, str | None]]) -> bool:
    """The shares of some kernel are more than the whole."""
    kernels = {kernel for kernel, _, _ in found}
    return any(overlap_in_words(f.estimated_cost_ratio for k, f, _ in found if k == kernel) for kernel in kernels)


def _time_s(summary: events.ProfileSummary) -> float:
    each = summary.measured.time_s if summary.measured is not None else summary.predicted_time_s or 0.0
    return each * summary.launch_count


def _time(summary: events.ProfileSummary) -> str:
    if summary.measured is not None:
        return format_quantity(summary.measured.time_s, "s")
    return "" if summary.predicted_time_s is None else f"≈ {format_quantity(summary.predicted_time_s, 's')}"


def _limit(summary: events.ProfileSummary) -> str:
    return "nothing was counted" if summary.bottleneck == NOT_COUNTED else limit_in_words(summary.bottleneck)


def _shape(summary: events.ProfileSummary) -> str:
    shape = "" if summary.shape is None else f"{summary.shape}: "
    return f"{shape}{_sides(summary.grid)} of {_sides(summary.block)}"


def _sides(sides: tuple[int, int, int]) -> str:
    """``10 x 7`` for (10, 7, 1)."""
    count = 3 if sides[2] > 1 else 2 if sides[1] > 1 else 1
    return " x ".join(f"{side:,}" for side in sides[:count])
