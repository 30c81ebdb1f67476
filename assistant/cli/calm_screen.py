"""What a job shows on a terminal unless all is asked for: the answer, what is wrong, what to do next.

What happened on the way is the status line's business; the rest (each line's counters, evidence, what a plan considered) is shown with
``--verbose``, in a pipe and in ``--json``. Events that are rare or need a person are written as in the full text.

Example::

    screen = CalmScreen(console, is_asked=True)
    screen.render(event)      # of inspect, check, profile, compare or optimize
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rich.console import Console
from rich.markup import escape

from assistant.cli.calm_kernels import CalmKernels
from assistant.cli.calm_profile import CalmProfile
from assistant.cli.calm_search import CalmSearch
from assistant.cli.calm_words import MORE, shortened
from assistant.cli.layout import Page
from assistant.cli.render import SEVERITY_STYLE, TextRenderer
from assistant.engine.report import gain_in_words, limit_in_words, verdict_in_short
from assistant.model import event_parts, events
from assistant.model.comparison import format_interval
from assistant.model.profile import Problem, Severity
from assistant.model.verification import Label, Outcome
from assistant.profile.problems import defect_in_words, errors_among, listed, problem_in_words, problems_in_words
from assistant.profile.quantity import counted_noun

__all__ = ["CALM_COMMANDS", "CalmScreen"]

CALM_COMMANDS = frozenset({"inspect", "check", "profile", "compare", "optimize"})
"""Commands whose events a `CalmScreen` shows; of the others it shows the full text."""
_MOST_PROBLEMS = 3
_MOST_FINDINGS = 3
_STYLE = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.NEEDS_DECISION: "yellow"}
_MARK = {Outcome.PASS: "✓", Outcome.FAIL: "✗", Outcome.NEEDS_DECISION: "?"}


class CalmScreen:
    """Writes one job's events to a rich console."""

    def __init__(self, console: Console, is_asked: bool) -> None:
        """``is_asked``: a person decides on each proposal as it comes."""
        self._page = Page(console)
        self._full = TextRenderer(console)
        self._kernels = CalmKernels(console)
        self._profile = CalmProfile(console)
        self._search = CalmSearch(console, is_asked)
        self._command = ""
        self._has_error = False
        self._has_verdict = False
        self._said: set[str] = set()
        """Sentences of comparisons, each once: what is true of a kernel is true of the whole, too."""

    def render(self, event: events.Event) -> None:
        """Print one event, or keep it for the end."""
        if isinstance(event, events.JobStarted):
            self._command = event.command
        if self._command not in CALM_COMMANDS:
            self._full.render(event)
            return
        match event:
            case events.JobStarted():
                self._started(event)
            case events.StageStarted() | events.StageEnded() | events.LaunchFacts() | events.MachineCode() | events.TuningEnded():
                pass
            case events.PlanMade() | events.SettingTried():
                pass
            case events.Message():
                self._message(event)
            case events.KernelFound():
                self._kernels.found(event)
            case events.TimelineFound():
                self._profile.timeline(event)
            case events.Profile():
                self._profile.launch(event)
            case events.ProfileSummary():
                self._profile.summary(event)
            case events.CheckEnded():
                self._check(event)
            case events.FindingsFound():
                self._search.kernel(event.kernel)
            case events.CandidateTried():
                self._search.candidate(event)
            case events.ProposalMade():
                self._search.proposal(event)
            case events.DecisionMade():
                self._search.decision(event)
                self._full.render(event)
            case events.ComparisonMade():
                self._comparison(event)
            case events.JobEnded():
                self._ended(event)
            case _:
                self._full.render(event)

    def _started(self, event: events.JobStarted) -> None:
        name = PurePath(event.file).name + ("" if event.other is None else f" → {PurePath(event.other).name}")
        self._page.put(f"[bold]{escape(name)}[/]  [dim]{escape(event.device)} · {escape(event.rung)}[/]", hang=2)

    def _message(self, event: events.Message) -> None:
        """What only informs and asks for nothing is left out."""
        self._has_error = self._has_error or event.severity is Severity.ERROR
        if event.severity is Severity.INFORMATION and event.remedy is None:
            return
        place = "" if event.file is None else f"{event.file}:{event.line or 0}: "
        self._page.put(f"[{SEVERITY_STYLE[event.severity]}]{event.severity.value}:[/] {escape(place + event.message)}", hang=2)
        if event.remedy is not None:  # commands in it are copied: nothing but the terminal breaks it
            self._full.remedy(event.remedy)

    def _check(self, event: events.CheckEnded) -> None:
        name = shortened(event.kernel)
        if not event.launch_count and not event.problems:
            self._page.put(f"[yellow]– {escape(name)}: never launched by this workload, not checked[/]")
            return
        listed_problems = listed(event.problems)
        errors = errors_among(listed_problems)
        style, mark = ("bold red", "✗") if errors else ("yellow", "!") if event.problems else ("green", "✓")
        launches = counted_noun(event.launch_count, "launch", "launches")
        refused = f", {'all' if event.refused_count == event.launch_count else event.refused_count} refused" if event.refused_count else ""
        words = f"{problems_in_words(listed_problems)}, {_repeatability(event)}, {launches}{refused}"
        self._page.put(f"[{style}]{mark}[/] [bold]{escape(name)}[/]: {escape(words)}", hang=2)
        for problem in listed_problems[:_MOST_PROBLEMS]:
            self._page.put(escape(_problem(problem)), indent=2, hang=4)
        if (left := len(listed_problems) - _MOST_PROBLEMS) > 0:
            self._page.put(f"[dim]and {left} more: {MORE}[/]", indent=2)

    def _comparison(self, event: events.ComparisonMade) -> None:
        self._has_verdict = True
        report = event.verification
        right = sum(case.outcome is Outcome.PASS for case in report.cases)
        verdict = verdict_in_short(report.outcome, right, len(report.cases), tuple(map(Label, report.labels)))
        name = "overall" if event.kernel is None else shortened(event.kernel)
        self._page.put(f"[{_STYLE[report.outcome]}]{_MARK[report.outcome]}[/] [bold]{escape(name)}[/]: {escape(verdict)}", hang=2)
        for caveat in self._new(report.caveats):
            self._page.put(f"[yellow]{escape(caveat)}[/]", indent=2)
        for finding in report.findings[:_MOST_FINDINGS]:
            for message in self._new((finding.message,)):
                place = "" if finding.line is None else f"line {finding.line}: "
                self._page.put(escape(f"{place}{message}") + f" [dim]({finding.code})[/]", indent=2, hang=4)
        if event.speed is not None:
            self._page.put(escape(_speed(event.speed, self._new(event.speed.caveats))), indent=2, hang=4)
        unseen = [
            f"{len(items)} {word}" for word, items in (("not checked", report.missing_checks), ("not used", report.dropped_cases)) if items
        ]
        for words in self._new((" and ".join(unseen),) if unseen else ()):
            self._page.put(f"[dim]{words}: {MORE}[/]", indent=2)

    def _new(self, sentences: Sequence[str]) -> tuple[str, ...]:
        """Those that were not shown before."""
        new = tuple(sentence for sentence in sentences if sentence not in self._said)
        self._said.update(new)
        return new

    def _ended(self, event: events.JobEnded) -> None:
        """What a verdict or a row says already is not repeated."""
        self._kernels.end()
        self._profile.end()
        self._search.end()
        if self._has_error:
            return
        self._page.gap()
        is_answered = self._has_verdict or self._search.has_nothing
        reason = "" if is_answered else f"[{'bold' if event.exit_code == 0 else 'bold yellow'}]{escape(event.reason)}[/]  "
        self._page.put(f"{reason}[dim]all of it: {MORE}[/]")


def _problem(problem: Problem) -> str:
    place = f"line {problem.line}" if problem.line else "place unknown"
    is_within_line = (problem.other_file, problem.other_line) == (problem.file, problem.line)
    other = "" if problem.other_line is None else ", with itself" if is_within_line else f" against line {problem.other_line}"
    count = "" if problem.count == 1 else f", {problem.count:,} times"
    return f"{defect_in_words(problem).partition(',')[0]} at {place}{other}{count}: {problem_in_words(problem)}"


def _repeatability(event: events.CheckEnded) -> str:
    if event.is_deterministic is None:
        return f"repeatability {event.repeatability or 'not tested'}"
    return "bitwise equal in two runs" if event.is_deterministic else "results differ between two runs on equal inputs"


def _speed(speed: event_parts.SpeedReport, new_caveats: Sequence[str]) -> str:
    interval = format_interval(speed.low, speed.high)
    shift = ""
    if speed.bottleneck_before and speed.bottleneck_after:
        shift = f": limited by {limit_in_words(speed.bottleneck_before)} before, by {limit_in_words(speed.bottleneck_after)} after"
    caveats = f" ({'; '.join(new_caveats)})" if new_caveats else ""
    return f"{gain_in_words(speed.outcome, speed.ratio)}{interval}{caveats}{shift}"
