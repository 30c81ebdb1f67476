"""What a pair session has come to: versions, the best of them, constraints. A pure fold over its turns.

Example::

    state = pair_state(session, store.turns(session.id), technique_ids)
    state.best.number, state.rules
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from assistant.engine.proposals import Constraint, all_rules, is_proved_better, read_constraint
from assistant.engine.request import CandidateRules
from assistant.model.comparison import CaseSpeed, Comparison, SpeedOutcome
from assistant.model.pair import PairSession, Turn, TurnKind
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.record import Record

__all__ = ["DROP", "PairState", "PairVersion", "pair_state", "relative", "version_name", "version_number"]

DROP = re.compile(r"(?:drop|forget|no constraint) (\d+)", re.IGNORECASE)
"""Takes a constraint back, by its number."""


class PairVersion(Record):
    """One text of the kernel that was judged; number 0 is the baseline."""

    number: int
    text: str
    turn: Turn

    @property
    def is_judged(self) -> bool:
        """The baseline is what it is; a text that the workload or the machine could not judge is tried again when it is saved again."""
        return self.number == 0 or self.turn.outcome is not None

    @property
    def ratio(self) -> float | None:
        """time(baseline) / time(version); None where no speed is known."""
        if self.number == 0:
            return 1.0
        return None if self.turn.against_baseline is None else self.turn.against_baseline.ratio


class PairState(Record):
    """A session as it stands."""

    session: PairSession
    turns: tuple[Turn, ...]
    versions: tuple[PairVersion, ...]
    current: PairVersion
    current_text: str
    """The file's text, as it was last looked at; comments may differ from the version's."""
    current_others: tuple[Source, ...]
    """As of ``Turn.others``, at that time."""
    best: PairVersion
    constraints: tuple[Constraint, ...]
    is_open: bool

    @property
    def rules(self) -> CandidateRules:
        """What every suggestion keeps to."""
        return all_rules(self.constraints)

    @property
    def proposals(self) -> tuple[str, ...]:
        """Ids of the proposals it made."""
        return tuple(turn.proposal for turn in self.turns if turn.kind is TurnKind.SUGGEST and turn.proposal is not None)


def pair_state(session: PairSession, turns: Iterable[Turn], techniques: tuple[str, ...]) -> PairState:
    """The state after these turns, of which the first is ``start``."""
    first, *rest = turns
    baseline = PairVersion(0, session.baseline_text, first)
    state = PairState(session, (first,), (baseline,), baseline, baseline.text, (), baseline, (), is_open=True)
    for turn in rest:
        state = _after(replace(state, turns=(*state.turns, turn)), turn, techniques)
    return state


def version_name(number: int) -> str:
    """``v2``; the baseline is ``v0``."""
    return f"v{number}"


def version_number(name: str) -> int:
    return int(name.removeprefix("v"))


def relative(best: Comparison, now: Comparison) -> Comparison | None:
    """time(best) / time(now), from both comparisons with one baseline; None where one was measured: only a paired timing shows it then.

    The model predicts the same time for the same text every time, so the baseline's cancels out of the quotient.
    """
    if {best.outcome, now.outcome} != {SpeedOutcome.PREDICTED}:
        return None
    known = {case.shape: case for case in best.cases}
    cases = tuple(
        CaseSpeed(case.shape, case.weight, case.ratio / known[case.shape].ratio, None, None, SpeedOutcome.PREDICTED)
        for case in now.cases
        if case.shape in known
    )
    return replace(
        now, ratio=now.ratio / best.ratio, low=None, high=None, cases=cases, bottleneck_before=best.bottleneck_after, margin=None
    )


def _after(state: PairState, turn: Turn, techniques: tuple[str, ...]) -> PairState:
    match turn.kind:
        case TurnKind.EDIT if turn.text is not None:
            version = PairVersion(len(state.versions), turn.text, turn)
            best = version if _is_better(version, state.best) else state.best
            state = replace(state, versions=(*state.versions, version), current=version, best=best)
            return replace(state, current_text=turn.text, current_others=turn.others)
        case TurnKind.BACK if turn.text is not None:
            return replace(state, current=state.versions[version_number(turn.said)], current_text=turn.text, current_others=turn.others)
        case TurnKind.CONSTRAIN | TurnKind.DECISION if turn.said:
            return replace(state, constraints=_constrained(state.constraints, turn.said, techniques))
        case TurnKind.STOP:
            return replace(state, is_open=False)
        case _:
            return state


def _constrained(constraints: tuple[Constraint, ...], words: str, techniques: tuple[str, ...]) -> tuple[Constraint, ...]:
    dropped = DROP.fullmatch(words.strip())
    if dropped is not None:
        index = int(dropped[1]) - 1
        return tuple(constraint for place, constraint in enumerate(constraints) if place != index)
    return (*(constraint for constraint in constraints if constraint.words != words), read_constraint(words, techniques))


def _is_better(version: PairVersion, best: PairVersion) -> bool:
    """Right, within the constraints, and proved better; what needs a decision counts once a person has accepted it."""
    turn = version.turn
    is_decided = turn.outcome is Outcome.NEEDS_DECISION and turn.proposal is not None
    speed = turn.against_baseline if best.number == 0 else turn.against_best
    return (turn.outcome is Outcome.PASS or is_decided) and not turn.breaks and speed is not None and is_proved_better(speed)
