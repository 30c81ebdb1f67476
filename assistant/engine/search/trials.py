"""The versions that a search has come to, the candidates tried on the way, and what is remembered of those: nothing is judged twice.

Example::

    history = TrialHistory(earlier, limit=24)
    history.known(before, after)        # the Trial of this very edit, if there was one
    history.same_code(after)            # "C01…": a candidate that says the same in other words
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.cuda.same_code import code_hash
from assistant.engine.evaluate import Evaluation, KernelAssessment
from assistant.engine.proposals import OF_EDITED, KeptStep, SettledStep
from assistant.engine.search.shape import EXPERT
from assistant.model.build import Diagnostic
from assistant.model.change import program_key
from assistant.model.comparison import Comparison
from assistant.model.plan import AttemptSummary, Decline, DeclineReason, Plan, Rewrite, Step
from assistant.model.proposal import PredictionOutcome
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CannotJudge, Label, Verification
from assistant.ports.lab import LabFailure
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["SearchNode", "Trial", "TrialHistory", "end_without_speed", "why_not_judged"]

_LEFT_OUT = frozenset({DeclineReason.ALREADY_TRIED, DeclineReason.LIMIT_EXCEEDED})
"""Why a step that a model planned is not carried out."""


class SearchNode(Record):
    """One version in the search: what it is, how it came about, what need not be tried on it."""

    evaluation: Evaluation
    kept: tuple[KeptStep, ...] = ()
    """The steps from the text that the search starts from to this one."""
    needs_decision: bool = False
    """A person must decide on it."""
    is_deferred: bool = False
    """That is put off to the end of the search, which goes on from it."""
    decisions: frozenset[str] = frozenset()
    """What there is to decide on, by its screen (`deferred.decisions_of`)."""
    attempts: tuple[str, ...] = ()
    """Ids of the trials that kept these steps."""
    ratio: float = 1.0
    """time(start)/time(this), as the screens of its steps multiply."""
    settled: tuple[SettledStep, ...] = ()
    """Steps that are settled, at their places in this text."""
    others: tuple[Source, ...] = ()
    """Texts of the program's other files that its steps changed, by path."""
    is_submitted: bool = False
    """An agent chose it: it comes before all others, whatever they gain."""
    awaits_sizes: bool = False
    """A round left it before its block sizes were tried (`Technique.only_tunes`): a search comes back to it for nothing else."""

    @property
    def may_be_built_on(self) -> bool:
        """Whether nothing has to be decided first."""
        return self.is_deferred or not self.needs_decision

    @property
    def has_host_code(self) -> bool:
        """Whether one of its steps edits code of the host."""
        return any(Label.HOST_CODE in kept.rewrite.labels for kept in self.kept)

    @property
    def text(self) -> str:
        """Text of the file in question."""
        return self.evaluation.version.source.text

    @property
    def key(self) -> str:
        """What tells it from other versions in this search: ``text``, with those of other files where steps changed some."""
        return program_key(self.text, self.others)


class Trial(Record):
    """One candidate, how it fared, and the version it makes if it was kept."""

    id: str
    step: Step
    rewrite: Rewrite
    text: str = ""
    """Text of the file in question."""
    others: tuple[Source, ...] = ()
    """As ``SearchNode.others``."""
    outcome: TrialOutcome = TrialOutcome.CANNOT_JUDGE
    reason: str = ""
    ratio: float | None = None
    verification: Verification | None = None
    comparison: Comparison | None = None
    predictions: tuple[PredictionOutcome, ...] = ()
    after: tuple[KernelAssessment, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    """The compiler's diagnostics, where it was not built."""
    printed: str = ""
    """What of ``reason`` the candidate itself said."""
    settings: tuple[tuple[str, int], ...] = ()
    """Numbers that were chosen by tuning."""
    untuned: str = ""
    """Why its numbers were not tuned, which its writer can put right."""
    has_host_code: bool = True
    """It edits code of the host's, or builds on an edit that does: what it prints may be anything that it could read."""
    node: SearchNode | None = None

    @property
    def key(self) -> str:
        """As ``SearchNode.key``."""
        return program_key(self.text, self.others)

    @property
    def method(self) -> str:
        """``timed`` or ``predicted``; empty where its speed is not known."""
        return "" if self.comparison is None else "predicted" if self.comparison.is_predicted else "timed"

    def ended(self, outcome: TrialOutcome, reason: str, node: SearchNode | None = None) -> Trial:
        return replace(self, outcome=outcome, reason=reason, node=node)


class TrialHistory:
    """What a job has tried on a kernel."""

    def __init__(self, earlier: Iterable[AttemptSummary], limit: int) -> None:
        """``earlier``: what an interrupted search tried, oldest first; ``limit``: candidates judged at most."""
        self._limit = limit
        self._count = 0
        self._trials: dict[tuple[str, str], Trial] = {}
        self._tuned: dict[tuple[str, str], Trial] = {}
        """What tuning made of a candidate, by the texts that it was written with."""
        self._codes: dict[str, str] = {}
        self._under_way: set[str] = set()
        """Codes of candidates that are judged now."""
        self._held_count = 0
        self._returned = asyncio.Event()
        """Set when a place is given back."""
        self._sent_back: set[str] = set()
        self._untuned: set[str] = set()
        """Keys of versions whose numbers were not tuned."""
        self._declined: dict[tuple[str, str], Decline] = {}
        """By technique and reason."""
        self._attempt_summaries = list(earlier)
        self._untried: list[TrialOutcome] = []
        self._successors: set[str] = set()

    @property
    def is_full(self) -> bool:
        return self._count >= self._limit

    async def place(self) -> bool:
        """Hold a place for one more candidate, waiting while others hold all that are left. False where none is left for good."""
        while self._count + self._held_count >= self._limit:
            if self.is_full:
                return False
            self._returned.clear()
            await self._returned.wait()
        self._held_count += 1
        return True

    def give_back(self) -> None:
        """Of a candidate that was judged, or that will never come."""
        self._held_count -= 1
        self._returned.set()

    @property
    def attempt_summaries(self) -> tuple[AttemptSummary, ...]:
        """For planners; oldest first."""
        return tuple(self._attempt_summaries)

    @property
    def outcomes(self) -> tuple[TrialOutcome, ...]:
        """Of all candidates, in order."""
        return tuple(trial.outcome for trial in self._trials.values())

    @property
    def untried(self) -> tuple[TrialOutcome, ...]:
        """Of what came to no trial, in order."""
        return tuple(self._untried)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Why candidates could not be judged."""
        return tuple(trial.reason for trial in self._trials.values() if trial.outcome is TrialOutcome.CANNOT_JUDGE)

    @property
    def declines(self) -> tuple[Decline, ...]:
        """Each technique and reason once."""
        return tuple(self._declined.values())

    def is_new_successor(self, name: str, kernel: str) -> bool:
        """Whether a version is built upon for the first time in which ``name`` does what ``kernel`` did."""
        is_new = name not in {kernel, *self._successors}
        self._successors.add(name)
        return is_new

    def begin_again(self) -> None:
        """The search starts over from the same text: other orders of the same edits may be tried."""
        self._codes.clear()

    def known(self, before: str, after: str) -> Trial | None:
        """A search that begins again after a rejection tries nothing twice, and tunes nothing twice."""
        return self._trials.get((before, after)) or self._tuned.get((before, after))

    def same_code(self, after: str) -> str | None:
        """Id of the candidate that is the same but for comments and spacing."""
        code = code_hash(after)
        return self._codes.get(code, "one that is being tried" if code in self._under_way else None)

    def is_to_be_tuned(self, after: str, rewrite: Rewrite) -> bool:
        """Whether a candidate that is known has numbers that can be tuned now, and could not before."""
        return after in self._untuned and bool(rewrite.tunables)

    def begun(self, after: str) -> None:
        """A candidate with these texts is being judged."""
        self._untuned.discard(after)
        self._under_way.add(code_hash(after))

    def ended(self, before: str, after: str, trial: Trial) -> None:
        """A candidate with these texts was judged; ``trial``: it, or what tuning made of it."""
        self._under_way.discard(code_hash(after))
        self._codes.setdefault(code_hash(after), trial.id)
        if trial.settings:
            self._tuned[before, after] = trial

    def starts_from(self, text: str, name: str) -> None:
        """The same code as ``text`` is no new candidate."""
        self._codes.setdefault(code_hash(text), name)

    def add(self, before: str, trial: Trial, for_planners: AttemptSummary) -> None:
        """Keep how a candidate fared, and what planners are shown of it."""
        self._count += 1
        self.keep(before, trial)
        self._attempt_summaries.append(for_planners)

    def add_again(self, before: str, trial: Trial) -> None:
        """As ``add``, of a candidate that an interrupted search had kept: planners know it already."""
        self._count += 1
        self.keep(before, trial)

    def keep(self, before: str, trial: Trial) -> None:
        """Keep how a candidate fared that planners know of already."""
        self._trials[before, trial.key] = trial
        if trial.untuned:
            self._untuned.add(trial.key)
        self._under_way.discard(code_hash(trial.key))
        self._codes.setdefault(code_hash(trial.key), trial.id)

    def note_sent_back(self, version: str) -> None:
        """The writer of the version with this key is asked for one that is right elsewhere, too."""
        self._sent_back.add(version)

    def was_sent_back(self, version: str) -> bool:
        return version in self._sent_back

    def add_unjudged(self, for_planners: AttemptSummary) -> None:
        """Keep what came to no trial."""
        self._untried.append(for_planners.outcome)
        self._attempt_summaries.append(for_planners)

    def new_declines(self, plan: Plan, request: PlanRequest, *, is_edited: bool) -> tuple[Decline, ...]:
        """Those that no earlier round gave: an edit changes their lines, not their reasons. Settled steps are not worth a word, unless a
        model planned them. ``is_edited``: the plan is for a version that edits have changed, and so are the lines that it names."""
        by_model = plan.planner != EXPERT
        fresh = [
            decline
            for decline in plan.declines
            if (by_model and decline.code in _LEFT_OUT)
            or ((decline.technique, decline.line) not in request.excluded and (decline.technique, decline.reason) not in self._declined)
        ]
        told = [replace(each, reason=f"{each.reason} (lines are those {OF_EDITED})") for each in fresh] if is_edited else fresh
        self._declined.update({(one.technique, one.reason): words for one, words in zip(fresh, told, strict=True)})
        return tuple(told)


def why_not_judged(answer: CannotJudge | LabFailure) -> str:
    return answer.reason if isinstance(answer, CannotJudge) else answer.message


def end_without_speed(evaluation: Evaluation, verification: Verification, notes: Sequence[str]) -> tuple[TrialOutcome, str]:
    """How a candidate ends of which neither a time nor a prediction could be had; ``notes``: why not."""
    if verification.failure is not None:
        return TrialOutcome.FAILED, verification.failure.message
    recording = evaluation.counted.recording
    if recording is None or not recording.launches:
        return TrialOutcome.FAILED, "the edited program does not launch the kernel any more"
    return TrialOutcome.CANNOT_JUDGE, "; ".join(("its speed is not known", *notes))
