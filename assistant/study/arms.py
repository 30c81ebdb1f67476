"""What a study varies: the signals that are shown, the plan, who planned. Each combination that is asked is an arm. Pure.

Example::

    design = StudyDesign((Signal("profile"), Signal("verdicts")), PlanVariation.VARY, (), 4)
    arms_of(design)        # eight: each of {profile, verdicts, plan} there or not
"""

from __future__ import annotations

from enum import StrEnum

from assistant.errors import UsageError
from assistant.record import Record
from assistant.study.games import MOST_EXACT_PLAYERS, Coalition, coalitions_of, coalitions_on, random_orders

__all__ = [
    "PLAN_PLAYER",
    "SIGNALS",
    "Arm",
    "Control",
    "PlanShown",
    "PlanVariation",
    "Signal",
    "StudyDesign",
    "arm_of",
    "arms_of",
    "coalitions_asked",
    "control_arm",
    "full_coalition",
    "orders_of",
    "players_of",
    "read_signals",
    "transfer_arms",
]

SIGNALS = ("profile", "compile", "sanitizer", "static", "hardware", "memory", "verdicts")
"""Signals that can be hidden: those of ``[signals]`` that a plan is made from, and what came of the candidates before (``verdicts``)."""
PLAN_PLAYER = "plan"
_FORMS = ("raw", "summarised")


class PlanVariation(StrEnum):
    """What of the plan is varied."""

    VARY = "vary"
    """It is a player like the signals: there or not."""
    ON = "on"
    OFF = "off"


class PlanShown(StrEnum):
    """What stands in the place of the plan when code is asked for."""

    OWN = "own"
    """A plan that was made with the same signals."""
    NONE = "none"
    DUMMY = "dummy"
    """Words as long as the recorded plan that say nothing."""


class Control(StrEnum):
    """What all signals are held against."""

    NO_PLAN = "no-plan"
    DUMMY_PLAN = "dummy-plan"
    RANDOM_FEEDBACK = "random-feedback"
    """The signals are those of another frozen node."""


class Signal(Record):
    """A signal that is there or not."""

    name: str
    form: str = ""
    """``raw`` or ``summarised``, where it is there; empty: as the settings say."""


class StudyDesign(Record):
    """All that a study asks; it is kept, and a study goes on only with the same."""

    signals: tuple[Signal, ...]
    plan: PlanVariation
    controls: tuple[Control, ...]
    draw_count: int
    """Answers for each frozen node and arm."""
    seed: int = 0
    """Of sampled orders, of which node's feedback is taken for random, and of the bootstrap."""
    order_count: int = 0
    """Orders that are sampled where there are more than six players."""
    models: tuple[str, ...] = ()
    """The model; a second one, whose plans are tried on the first and the other way round."""
    temperature: float | None = None
    model_seed: int | None = None
    """Of the first draw; each further draw is sent the next one. None: none is sent."""


class Arm(Record):
    """What is asked for in one way."""

    shown: tuple[str, ...]
    """Signals of the study that are there, in the order of `SIGNALS`."""
    plan: PlanShown
    is_feedback_random: bool = False
    planner: int = 0
    """Which of the study's models."""
    coder: int = 0

    @property
    def key(self) -> str:
        """Names it in files: ``profile+verdicts, plan own``."""
        words = [f"{'+'.join(self.shown) or 'no signal'}", f"plan {self.plan}"]
        words += ["random feedback"] if self.is_feedback_random else []
        words += [f"planned by {self.planner}, written by {self.coder}"] if self.planner or self.coder else []
        return ", ".join(words)


def read_signals(words: str) -> tuple[Signal, ...]:
    """``profile,verdicts,static:summarised``; raises UsageError for any other."""
    found: list[Signal] = []
    for word in (word.strip() for word in words.split(",") if word.strip()):
        name, _, form = word.partition(":")
        if name not in SIGNALS:
            raise UsageError(f"--signals does not know {name!r}", f"give any of {', '.join(SIGNALS)}, with commas")
        if form and (form not in _FORMS or name == "verdicts"):
            raise UsageError(f"--signals: {word} cannot be shown so", "raw or summarised; verdicts only as they are")
        found.append(Signal(name, form))
    if len({signal.name for signal in found}) < len(found):
        raise UsageError("--signals names a signal twice", "name each once")
    return tuple(sorted(found, key=lambda signal: SIGNALS.index(signal.name)))


def players_of(design: StudyDesign) -> tuple[str, ...]:
    """Of the game: the signals, and the plan where it is varied."""
    plan = (PLAN_PLAYER,) if design.plan is PlanVariation.VARY else ()
    return (*(signal.name for signal in design.signals), *plan)


def orders_of(design: StudyDesign) -> tuple[tuple[str, ...], ...]:
    """Sampled orders of the players; none where every coalition is asked."""
    players = players_of(design)
    return random_orders(players, design.order_count, design.seed) if len(players) > MOST_EXACT_PLAYERS else ()


def coalitions_asked(design: StudyDesign) -> tuple[Coalition, ...]:
    """Those whose value the study finds."""
    orders = orders_of(design)
    return coalitions_on(orders) if orders else coalitions_of(players_of(design))


def full_coalition(design: StudyDesign) -> Coalition:
    return frozenset(players_of(design))


def arm_of(design: StudyDesign, coalition: Coalition) -> Arm:
    """How the coalition is asked."""
    has_plan = PLAN_PLAYER in coalition or design.plan is PlanVariation.ON
    shown = tuple(signal.name for signal in design.signals if signal.name in coalition)
    return Arm(shown, PlanShown.OWN if has_plan else PlanShown.NONE)


def control_arm(design: StudyDesign, control: Control) -> Arm:
    """All signals, but for what the control changes."""
    shown = tuple(signal.name for signal in design.signals)
    match control:
        case Control.NO_PLAN:
            return Arm(shown, PlanShown.NONE)
        case Control.DUMMY_PLAN:
            return Arm(shown, PlanShown.DUMMY)
        case Control.RANDOM_FEEDBACK:
            full = arm_of(design, full_coalition(design))
            return Arm(shown, full.plan, is_feedback_random=True)


def transfer_arms(design: StudyDesign) -> tuple[Arm, ...]:
    """All signals, each model with each model's plans; none where the study has one model."""
    if len(design.models) < 2:
        return ()
    shown = tuple(signal.name for signal in design.signals)
    return tuple(Arm(shown, PlanShown.OWN, False, planner, coder) for coder in (0, 1) for planner in (0, 1))


def arms_of(design: StudyDesign) -> tuple[Arm, ...]:
    """Every arm once."""
    coalitions = (arm_of(design, coalition) for coalition in coalitions_asked(design))
    controls = (control_arm(design, control) for control in design.controls)
    return tuple(dict.fromkeys((*coalitions, *controls, *transfer_arms(design))))
