"""What an edit is claimed to do, in few words: its gain, its verdict, what a person is asked to decide. Pure.

Shared by every front end. Example::

    gain_in_words(SpeedOutcome.PREDICTED, 1.6)                # '≈1.60x predicted'
    verdict_in_short(Outcome.NEEDS_DECISION, 10, 10, labels)  # 'needs your decision: fewer digits'
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.model.comparison import SpeedOutcome
from assistant.model.verification import Label, Outcome

__all__ = [
    "asked_in_words",
    "gain_in_words",
    "label_in_words",
    "ratio_in_words",
    "technique_in_words",
    "techniques_in_words",
    "verdict_in_short",
]

_LABELS = {
    Label.PRECISION: "fewer digits",
    Label.FAST_MATH: "fast math",
    Label.LIBRARY_CALL: "a library call",
    Label.NEW_FLAGS: "new compiler flags",
    Label.ASSUMPTION: "an assumption",
    Label.ALIGNMENT: "an alignment",
    Label.NAN_BEHAVIOUR: "other NaN results",
    Label.NON_DETERMINISM: "results that vary",
    Label.ARCH_LOCK_IN: "one architecture",
    Label.READABILITY: "harder to read",
    Label.HOST_CODE: "host code",
    Label.REASSOCIATION: "another order of sums",
    Label.IN_PART: "judged in part",
}


def technique_in_words(technique: str) -> str:
    """``staged store`` of ``staged-store``: its id is for memory and for what is typed; what a model called its edit stays as it is."""
    return technique if " " in technique else technique.replace("-", " ")


def techniques_in_words(techniques: Sequence[str]) -> str:
    """``staged store + loop unrolling``."""
    return " + ".join(map(technique_in_words, techniques))


def ratio_in_words(ratio: float) -> str:
    """Three digits: ``1.60x``, ``12.3x``, ``140x``."""
    digits = 2 if ratio < 9.995 else 1 if ratio < 99.95 else 0
    return f"{ratio:.{digits}f}x"


def gain_in_words(outcome: SpeedOutcome, ratio: float) -> str:
    """``1.83x`` where a GPU timed it, ``≈1.60x predicted`` where nothing did, ``no faster`` where it is no gain."""
    match outcome:
        case SpeedOutcome.PREDICTED:
            return f"≈{ratio_in_words(ratio)} predicted"
        case SpeedOutcome.FASTER:
            return ratio_in_words(ratio)
        case SpeedOutcome.SLOWER:
            return f"{ratio_in_words(ratio)}, slower"
        case SpeedOutcome.SAME:
            return "as fast as before"
        case SpeedOutcome.INCONCLUSIVE:
            return "speed inconclusive"


def label_in_words(label: Label) -> str:
    """``fewer digits`` for ``precision``."""
    return _LABELS[label]


def asked_in_words(labels: Sequence[Label]) -> str:
    """What a person decides on, ``fewer digits``, with the number of further questions: ``fewer digits +1``."""
    if not labels:
        return "a different result"
    return label_in_words(labels[0]) + (f" +{len(labels) - 1}" if len(labels) > 1 else "")


def verdict_in_short(outcome: Outcome, right_count: int, case_count: int, labels: Sequence[Label]) -> str:
    """``right in 10 of 10 cases``, ``needs your decision: fewer digits``, or ``wrong in 1 of 4 cases``."""
    match outcome:
        case Outcome.PASS:
            return f"right in {right_count} of {case_count} cases" if case_count else "right"
        case Outcome.NEEDS_DECISION:
            return f"needs your decision: {asked_in_words(labels)}"
        case Outcome.FAIL:
            return f"wrong in {case_count - right_count} of {case_count} cases" if right_count < case_count else "wrong"
