"""What ``optimize`` shows on a terminal: a row for each kernel at the end; a proposal at once only where a person is asked about it.

What was planned and tried on the way, and all evidence, are for ``--verbose`` and ``kernelopt show``.
"""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.markup import escape

from assistant.cli.calm_words import MORE, rows, short_names, shortened
from assistant.cli.console import for_people
from assistant.cli.layout import Page, print_diff
from assistant.engine.report import gain_in_words, limit_in_words, technique_in_words, techniques_in_words, verdict_in_short
from assistant.model import events
from assistant.model.comparison import SpeedOutcome
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome
from assistant.model.verification import Label, Outcome

__all__ = ["CalmSearch"]

_MOST_OUTCOMES = 3


class CalmSearch:
    """Gathers the events of a search."""

    def __init__(self, console: Console, is_asked: bool) -> None:
        self._console = console
        self._page = Page(console)
        self._is_asked = is_asked
        self._kernels: dict[str, str] = {}
        """Short name to the name that was first reported."""
        self._trials: dict[str, list[events.CandidateTried]] = {}
        self._proposals: dict[str, list[events.ProposalMade]] = {}
        self._decided: dict[str, str] = {}

    def kernel(self, name: str) -> None:
        """A kernel is searched on."""
        self._kernels.setdefault(shortened(name), name)

    def candidate(self, event: events.CandidateTried) -> None:
        self.kernel(event.kernel)
        self._trials.setdefault(shortened(event.kernel), []).append(event)

    def decision(self, event: events.DecisionMade) -> None:
        self._decided[event.proposal] = event.kind.replace("_", " ")

    def proposal(self, event: events.ProposalMade) -> None:
        """Show it where a decision follows."""
        self.kernel(event.kernel)
        self._proposals.setdefault(shortened(event.kernel), []).append(event)
        if not self._is_asked:
            return
        self._page.gap()
        gain = gain_in_words(event.speed.outcome, event.speed.ratio)
        words = f"{shortened(event.kernel)} {gain}, {_verdict(event)}"
        self._page.put(f"[bold]{event.id}[/]  [bold]{escape(words)}[/]", hang=4)
        self._page.put(escape(f"{_title(event)}. {event.summary}"), indent=4)
        if event.assumptions:
            self._page.put(escape(f"Holds as long as: {'; '.join(event.assumptions)}"), indent=4)
        for caveat in (*event.verification.caveats, *event.speed.caveats):
            self._page.put(f"[yellow]{escape(caveat)}[/]", indent=4)
        for number, other in enumerate(event.alternatives, 1):
            labels = f", asks for a decision on {', '.join(other.labels)}" if other.labels else ""
            gain = gain_in_words(other.speed.outcome, other.speed.ratio)
            self._page.put(escape(f"[{number}] instead: {techniques_in_words(other.techniques)}: {gain}{labels}"), indent=4)
        print_diff(self._console, event.diff)
        self._page.put(f"[dim]evidence, and what was not checked: kernelopt show {event.id}[/]", indent=4)

    @property
    def has_nothing(self) -> bool:
        """No kernel got a proposal: each row says why."""
        return bool(self._kernels) and not self._proposals

    def end(self) -> None:
        """The table, and what can be done now."""
        if not self._kernels:
            return
        self._page.gap()
        names = short_names(self._kernels.values())
        cells = [self._row(short, names[full]) for short, full in self._kernels.items()]
        rows(self._console, ("kernel", "limited by", "best edit", "gain", "verdict"), cells, right=("gain",))
        predicted = [each for made in self._proposals.values() for each in made if each.speed.outcome is SpeedOutcome.PREDICTED]
        if predicted:
            self._page.put(f"[dim]≈ {escape(predicted[0].speed.method)}[/]", indent=1, hang=3)
        open_ids = [each.id for made in self._proposals.values() for each in made if each.id not in self._decided and each.state == "open"]
        if open_ids:
            first = open_ids[0]
            self._page.gap()
            self._page.put(f"kernelopt show {first} · accept {first} · reject {first}" + (" · proposals" if len(open_ids) > 1 else ""))

    def _row(self, short: str, name: str) -> tuple[str, ...]:
        made = self._proposals.get(short, [])
        if not made:
            return name, "", self._nothing(short), "", ""
        best = max(made, key=lambda event: event.speed.ratio)
        before = best.speed.bottleneck_before
        gain = gain_in_words(best.speed.outcome, best.speed.ratio).removesuffix(" predicted")
        decided = self._decided.get(best.id, best.id)
        return (name, limit_in_words(before) if before else "", _title(best), gain, for_people(f"{decided}: {_verdict(best)}"))

    def _nothing(self, short: str) -> str:
        """``no edit found: 2 tried (1 wrong, 1 not faster), 1 needs --allow-host-code``."""
        tried = Counter(each.outcome for each in self._trials.get(short, ()))
        withheld = tried.pop(TrialOutcome.NOT_ALLOWED, 0)
        ran = sum(count for outcome, count in tried.items() if outcome is not TrialOutcome.NOT_TRIED)
        words = [f"{count} {OUTCOME_WORDS.get(outcome, outcome.value)}" for outcome, count in tried.most_common(_MOST_OUTCOMES)]
        parts = [f"{ran} tried ({', '.join(words)})"] if ran else []
        parts += [f"{withheld} {'needs' if withheld == 1 else 'need'} --allow-host-code"] if withheld else []
        return f"no edit found: {', '.join(parts) or f'none applied (why: {MORE})'}"


def _title(event: events.ProposalMade) -> str:
    """The first technique; how many others there are."""
    title = technique_in_words(event.techniques[0])
    return title if len(event.techniques) == 1 else f"{title} +{len(event.techniques) - 1}"


def _verdict(event: events.ProposalMade) -> str:
    cases = event.verification.cases
    right = sum(case.outcome is Outcome.PASS for case in cases)
    return (
        verdict_in_short(event.verification.outcome, right, len(cases), tuple(map(Label, event.labels)))
        .replace("right in", "right,")
        .removesuffix(" cases")
    )
