"""What ``optimize`` shows: per kernel its findings, the plan, one line a candidate, then the proposal.

Nothing is shown twice: variants of one edit share a line, a finding that stands after an edit is only named, and the verdict, the
prediction and the evidence of a proposal are shown in its explanation alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from rich.console import Console
from rich.markup import escape

from assistant.cli.console import for_people
from assistant.cli.layout import Page, print_diff
from assistant.cli.not_tried import NotTried
from assistant.cuda.same_names import split_name
from assistant.engine.report import technique_in_words, techniques_in_words
from assistant.model import events
from assistant.model.comparison import format_ratio, speed_in_words
from assistant.model.plan import NO_MODEL, Decline, Step
from assistant.model.profile import Evidence, Finding, Severity
from assistant.model.proposal import ProposalState
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Outcome, verdict_in_words
from assistant.profile import is_negligible, threshold, title
from assistant.profile.evidence import made_by
from assistant.profile.fact_words import change_in_words, fact_in_words, metric_in_words
from assistant.profile.quantity import counted_noun
from assistant.profile.wording import lines_of

__all__ = ["SearchScreen", "briefly", "overlap_in_words", "place_of", "share"]

_CANDIDATE_STYLE = {TrialOutcome.KEPT: "green", TrialOutcome.FAILED: "red", TrialOutcome.BUILD_FAILED: "red"}
_SEVERITY_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFORMATION: "cyan"}
_OUTCOME_STYLE = {Outcome.PASS: "green", Outcome.FAIL: "bold red", Outcome.NEEDS_DECISION: "yellow"}
_OUTCOME_COLUMNS = 12
"""Width of the longest outcome of a candidate, ``cannot_judge`` and ``build_failed``."""
_BAR_COLUMNS = 24
_RATIO_COLUMNS = len("predicted 12.34x")
_SMALLEST_SHOWN_RATIO = 0.01
"""Costs below this share of the time are called small, without a number: the model does not know them better."""


class SearchScreen:
    """Writes the events of a search as they come; variants of an edit are held back until the last of them is known."""

    def __init__(self, console: Console, is_verbose: bool) -> None:
        self._console = console
        self._page = Page(console)
        self._is_verbose = is_verbose
        self._evidence: dict[str, Evidence] = {}
        self._kernel: str | None = None
        self._job: str | None = None
        self._is_edited = False
        """Something was kept since the kernel's findings were shown: those that follow are a new version's."""
        self._said: set[tuple[str, str]] = set()
        self._variants: list[events.CandidateTried] = []
        self._not_tried = NotTried()

    def findings(self, event: events.FindingsFound) -> None:
        """The kernel's findings; those that an earlier round already explained are only named."""
        self._not_tried.found(event)
        self._evidence.update({fact.id: fact for fact in event.evidence})
        is_placed = event.file is None or split_name(event.kernel)[0]
        name = escape(event.kernel if is_placed else f"{event.kernel} in {PurePath(event.file or '').name}")
        is_known = (event.job, event.kernel) == (self._job, self._kernel)
        is_same = event.job == self._job and _without_parameters(event.kernel) == _without_parameters(self._kernel or "")
        head = f"[bold]{name}[/] after this edit" if is_same and self._is_edited else f"[bold]{name}[/]"
        if not is_known:
            self._said.clear()
        self._job, self._kernel, self._is_edited = event.job, event.kernel, False
        self._page.gap()
        shown = [f for f in event.findings if self._is_verbose or not is_negligible(f.estimated_cost_ratio)]
        self._page.put(head + ("" if event.findings else ": no findings"), hang=4)
        for finding in shown:
            self._finding(finding, event.file)
        overlap = overlap_in_words(f.estimated_cost_ratio for f in shown)
        if overlap is not None:
            self._page.put(f"[dim]{overlap}[/]", indent=2, hang=6)
        for brief in briefly(((f.code, f.line) for f in event.findings if f not in shown), event.file):
            self._page.put(f"[dim]{brief}[/]", indent=2, hang=6)

    def _finding(self, finding: Finding, file: str | None) -> None:
        key = (finding.code, finding.message)
        text = "as before" if key in self._said else escape(finding.message)
        self._said.add(key)
        cost = "" if finding.estimated_cost_ratio is None else f" [dim]({share(finding.estimated_cost_ratio)} of the predicted time)[/]"
        code = f"[{_SEVERITY_STYLE[finding.severity]}]{finding.code}[/]"
        self._page.put(
            f"{code} {escape(place_of(file, finding.line))}: {text}{cost} [dim]{escape(self._sources(finding))}[/]", indent=2, hang=6
        )
        if self._is_verbose:
            for identity in finding.evidence:
                self._page.put(f"[dim]{escape(self._fact(identity))}[/]", indent=6, hang=10)

    def _sources(self, finding: Finding) -> str:
        """``[E1 to E5: emulator, exact; model, estimated]``: where its numbers come from."""
        facts = [self._evidence[identity] for identity in finding.evidence if identity in self._evidence]
        sources = dict.fromkeys(f"{fact.method.value}, {fact.grade.value}" for fact in facts)
        if not facts:
            return ""
        cited = facts[0].id if len(facts) == 1 else f"{facts[0].id} to {facts[-1].id}"
        return f"[{cited}: {'; '.join(sources)}]"

    def _fact(self, identity: str) -> str:
        fact = self._evidence[identity]
        words = fact_in_words(fact.metric, fact.value, fact.unit, fact.line)
        return f"{fact.id} {words} ({made_by(fact.method.value, fact.device)}, {fact.grade.value})"

    def plan(self, event: events.PlanMade) -> None:
        """One line a step with what it is predicted to change; what does not apply waits for the end of the search."""
        self._not_tried.planned(event)
        if not event.steps and not event.declines:
            return
        self._page.put(f"plan [dim]({escape(event.planner)} planner)[/]" + ("" if event.steps else ": nothing to try"), indent=2)
        for number, step in enumerate(event.steps, 1):
            self._step(number, step)
        for decline in event.declines:
            if self._is_verbose or decline.technique == NO_MODEL:
                self._decline(decline)

    def _step(self, number: int, step: Step) -> None:
        said = ", ".join(f"{metric_in_words(p.metric)} {change_in_words(p.metric, p.before, p.after, p.unit)}" for p in step.predictions)
        is_named = not said and step.finding != "" and step.rationale.startswith(step.finding)
        expected = f"predicts {said}" if said else self._filled(step.rationale)
        answers = f", for {step.finding}: " if step.finding and not is_named else ", for " if is_named else ": "
        self._page.put(
            f"{number}. [bold]{escape(technique_in_words(step.technique))}[/] line {step.line}{answers}{escape(expected)}",
            indent=4,
            hang=7,
        )
        if self._is_verbose and said:
            self._page.put(f"[dim]{escape(self._filled(step.rationale))}[/]", indent=7)
        if self._is_verbose and step.why:
            self._page.put(f"[dim]tried {escape(step.why)}[/]", indent=7, hang=9)
        for sentence in step.recalled[: None if self._is_verbose else 1]:
            self._page.put(f"[magenta]memory:[/] {escape(sentence)}", indent=7, hang=9)

    def _decline(self, decline: Decline) -> None:
        place = f"{technique_in_words(decline.technique)} line {decline.line} does not apply"
        text = f"– {'no model planned' if decline.technique == NO_MODEL else place}: {decline.reason}"
        self._page.put(f"[dim]{escape(text)}[/]", indent=4, hang=7)

    def not_tried(self) -> None:
        """The few declines of the whole search that say most."""
        lines = () if self._is_verbose else self._not_tried.lines()
        if lines:
            self._page.gap()
            self._page.put("not tried, and why")
        for line in lines:
            self._page.put(f"[dim]– {escape(line)}[/]", indent=2, hang=4)

    def candidate(self, event: events.CandidateTried) -> None:
        """Hold a variant back while the next may belong to the same edit."""
        self._is_edited = self._is_edited or event.outcome is TrialOutcome.KEPT
        if self._variants and self._variants[-1].technique != event.technique:
            self.flush()
        self._variants.append(event)

    def tuning(self, event: events.TuningEnded) -> None:
        """The settings that were tried, in order, each with its ratio as a bar; of one that was timed again the last."""
        points = tuple({point.values: point for point in event.points}.values())
        most = max((point.ratio for point in points if point.ratio is not None), default=1.0)
        tried = counted_noun(len(points), "setting")
        self._page.put(
            f"[dim]tuned {escape(technique_in_words(event.technique))}: {tried} tried of {event.setting_count}, {event.method}[/]", indent=4
        )
        for point in points:
            words = escape(", ".join(f"{name} = {value}" for name, value in point.values))
            mark = " [bold]best[/]" if point.values == event.best and point.outcome is TrialOutcome.KEPT else ""
            if point.ratio is None:
                self._page.put(f"[dim]{words}: {point.outcome}: {escape(point.reason)}[/]", indent=7, hang=4)
            else:
                bar = "▇" * max(1, round(point.ratio / most * _BAR_COLUMNS))
                self._page.put(f"{words}: {format_ratio(point.ratio)}x {bar}{mark}", indent=7)

    def flush(self) -> None:
        """Print the held variants on one line: the best, its reason, and the ratios of the others."""
        variants, self._variants = self._variants, []
        if not variants:
            return
        best = max(variants, key=lambda event: (event.outcome is TrialOutcome.KEPT, event.ratio or 0.0))
        others = [_brief(event) for event in variants if event is not best]
        style = _CANDIDATE_STYLE.get(best.outcome, "dim")
        ratio = "" if best.ratio is None else f"{best.method} {format_ratio(best.ratio)}x".strip()
        also = f" [dim](other variants: {', '.join(others)})[/]" if others else ""
        head = f"[{style}]{best.outcome:{_OUTCOME_COLUMNS}}[/] {ratio:>{_RATIO_COLUMNS}}  "
        self._page.put(f"{head}{escape(technique_in_words(best.technique))}: {escape(best.reason)}{also}", indent=4, hang=7)

    def proposal(self, event: events.ProposalMade) -> None:
        """The verdict in one line, the diff, what verification found, the explanation."""
        self._kernel = None
        self._console.rule(for_people(f"proposal {event.id}")) if self._console.is_terminal else self._page.put(
            f"\n[bold]proposal {event.id}[/]"
        )
        outcome = event.verification.outcome
        verdict = escape(verdict_in_words(outcome, event.verification.caveats))
        speed = escape(speed_in_words(event.speed.outcome, event.speed.ratio, event.speed.caveats))
        chain = techniques_in_words(event.techniques)
        self._page.put(f"[bold]{escape(event.kernel)}[/]: {chain}: [{_OUTCOME_STYLE[outcome]}]{verdict}[/], {speed}, {event.state}", hang=2)
        self._page.put(f"[dim]{escape(event.file)}[/]")
        if len(event.files) > 1 or (event.files and event.files[0] != event.file):
            self._page.put(f"[dim]changes {escape(', '.join(event.files))}, as one[/]", hang=2)
        print_diff(self._console, event.diff)
        self._page.gap()
        for line in event.explanation.splitlines():
            self._page.put(escape(line), hang=2 if line.startswith("- ") else 0) if line else self._page.gap()
        self._verification(event)
        for number, other in enumerate(event.alternatives, 1):
            verdict = escape(verdict_in_words(other.verification.outcome, other.verification.caveats))
            speed = escape(speed_in_words(other.speed.outcome, other.speed.ratio, other.speed.caveats))
            labels = f", asks for a decision on {', '.join(other.labels)}" if other.labels else ""
            self._page.put(f"alternative {number}: {techniques_in_words(other.techniques)}: {verdict}, {speed}{labels}", hang=2)
            self._page.put(f"[dim]kernelopt show {event.id} --alternative {number}[/]", indent=2)
        if len(event.hunk_ids) > 1:
            self._page.put(f"[dim]hunks: {' '.join(event.hunk_ids)}[/]", hang=2)
        self._page.put(f"[dim]kernelopt accept {event.id} · kernelopt reject {event.id}[/]") if event.state == ProposalState.OPEN else None

    def _verification(self, event: events.ProposalMade) -> None:
        """What the explanation does not say: a label's finding repeats the edit's own sentence and is left out."""
        report = event.verification
        for finding in report.findings:
            if f"Edit: {finding.message.partition(': ')[2]}\n" in event.explanation:
                continue
            place = "" if finding.line is None else f" line {finding.line}"
            detail = "" if finding.expected is None else f" (expected {finding.expected}, got {finding.actual})"
            code = f"[{_OUTCOME_STYLE[finding.outcome]}]{finding.code}[/]"
            self._page.put(f"{code}{place}: {escape(finding.message + detail)}", hang=2)
        for word, items in (("not used", report.dropped_cases), ("not checked", report.missing_checks)):
            for item in items:
                self._page.put(f"[dim]{word}: {escape(item)}[/]", hang=2)

    def _filled(self, text: str) -> str:
        for identity, fact in self._evidence.items():
            text = text.replace(f"{{{identity}}}", fact_in_words(fact.metric, fact.value, fact.unit))
        return text


def share(cost_ratio: float) -> str:
    """``about 48%``; small ones in words."""
    return f"about {cost_ratio:.0%}" if cost_ratio >= _SMALLEST_SHOWN_RATIO else "less than 1%"


def overlap_in_words(cost_ratios: Iterable[float | None]) -> str | None:
    """That one kernel's shares are more than the whole, so that they cannot be added; None where they are not."""
    total = sum(ratio for ratio in cost_ratios if ratio is not None)
    return "these shares overlap: one edit may answer several, and they do not add up" if total > 1 else None


def place_of(file: str | None, line: int) -> str:
    """``line 6``, or ``envelope.cuh:6`` of another file than the one that was asked about."""
    return f"line {line}" if file is None else f"{PurePath(file).name}:{line}"


def briefly(findings: Iterable[tuple[str, int]], file: str | None = None) -> tuple[str, ...]:
    """``KO103 lines 16 and 18: shared memory bank conflicts (less than 1%)``: findings that cost next to nothing, one line a code.

    ``file``: that they are in, where it is another one than was asked about.
    """
    lines: dict[str, list[int]] = {}
    for code, line in findings:
        lines.setdefault(code, []).append(line)
    least = f"{threshold('least_saving'):.0%}"
    where = "" if file is None else f"{PurePath(file).name} "
    return tuple(f"{code} {where}{lines_of(found)}: {_uncapitalized(title(code))} (less than {least})" for code, found in lines.items())


def _uncapitalized(text: str) -> str:
    return text[:1].lower() + text[1:]


def _without_parameters(kernel: str) -> str:
    """An edit may give the kernel another one."""
    return kernel.partition("(")[0]


def _brief(event: events.CandidateTried) -> str:
    return event.outcome if event.ratio is None else f"{format_ratio(event.ratio)}x"
