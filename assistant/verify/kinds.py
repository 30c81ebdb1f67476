"""What a difference on a case means, by the case's kind: wrong, or right only under an assumption that a person must know.

On values that the program has, and at its own sizes, a difference is a failure. All other kinds are of our own making: a difference there
is a label. Example::

    meaning_of("negative").label      # Label.ASSUMPTION
    meaning_of("tied")                # None: a difference is a failure
"""

from __future__ import annotations

from assistant.model.verification import Label
from assistant.record import Record

__all__ = ["INJECTED_KINDS", "RETUNED", "Meaning", "meaning_of"]


class Meaning(Record):
    """What B differs by, if it differs on cases of one kind only."""

    label: Label
    words: str
    """What the message begins with."""
    is_numeric: bool = False
    """Values that are chosen to lose digits: they count only where the original itself keeps them."""
    is_regular: bool = False
    """Equal integers, and rows of any length, add up equal floats: roundings then add up as well, in one order more than in another."""


INJECTED_KINDS = frozenset({"injected", "huge", "zeros"})
"""Special values of floating-point: ``judged_case.judge_injected`` looks at them."""

RETUNED = "retuned"
"""The program's own data, and other floating numbers among the arguments. Where B reads all of them, a difference is a failure."""

_MEANINGS = {
    "resized": Meaning(Label.ASSUMPTION, "right only for the program's own sizes"),
    "shifted": Meaning(Label.ALIGNMENT, "right only for buffers that are aligned to more than their elements, as in this program"),
    "smaller_grid": Meaning(Label.ASSUMPTION, "right only with grids that cover the data, as in this program"),
    "offsets": Meaning(
        Label.ASSUMPTION, "right only for offsets like those of this program, not for any empty, short and long rows", is_regular=True
    ),
    "refilled": Meaning(Label.ASSUMPTION, "right only where memory is zero before the launch, as in this program"),
    "unpadded": Meaning(Label.ASSUMPTION, "right only where padding, borders and empty rows are zero, as in this program"),
    "repeated": Meaning(Label.ASSUMPTION, "right only where sorted values are all different, as in this program", is_regular=True),
    "unsorted": Meaning(Label.ASSUMPTION, "right only where sorted values are sorted, as in this program"),
    "equal": Meaning(Label.ASSUMPTION, "right only where few values are equal, as in the declared workload", is_regular=True),
    "high": Meaning(Label.ASSUMPTION, "right only where the low halves of 64-bit integers distinguish them, as in this program"),
    "runs": Meaning(Label.ASSUMPTION, "right only where equal values seldom follow each other, as in this program", is_regular=True),
    "clustered": Meaning(Label.ASSUMPTION, "right only where large values do not fall to few threads, as in this program", is_regular=True),
    "same": Meaning(Label.ASSUMPTION, "right only where not all values are equal, as in this program", is_regular=True),
    "negative": Meaning(Label.ASSUMPTION, "right only for integers >= 0, as in this program"),
    "large": Meaning(Label.ASSUMPTION, "right only for integers of the program's own magnitude, not for large ones"),
    "zeroed": Meaning(Label.ASSUMPTION, "right only where no integer is 0, as in this program"),
    "limits": Meaning(Label.ASSUMPTION, "right only where zeros and the type's limit seldom follow each other, as in this program"),
    "below": Meaning(Label.ASSUMPTION, "right only where not all floats are negative, as in this program"),
    "spread": Meaning(Label.ASSUMPTION, "right only for floats within the program's own range, not several times as far", is_numeric=True),
    RETUNED: Meaning(Label.ASSUMPTION, "right only for the floating numbers that this program passes", is_numeric=True),
    "far": Meaning(Label.ASSUMPTION, "right only for floats of the program's own magnitude, not for large ones", is_numeric=True),
    "extreme": Meaning(Label.ASSUMPTION, "right only where squares neither overflow nor underflow", is_numeric=True),
    "tiny": Meaning(Label.PRECISION, "less exact than the original on values close to 0", is_numeric=True),
    "near": Meaning(Label.PRECISION, "less exact than the original on values close to 1", is_numeric=True),
    "offset": Meaning(Label.PRECISION, "less exact than the original on values of a small spread around a large mean", is_numeric=True),
    "raised": Meaning(Label.PRECISION, "less exact than the original on values far from 0, of this program's own spread", is_numeric=True),
    "uneven": Meaning(Label.PRECISION, "less exact than the original where some inputs are far larger than others", is_numeric=True),
    "cancelling": Meaning(Label.PRECISION, "less exact than the original where large values cancel among small ones", is_numeric=True),
    "halves": Meaning(Label.PRECISION, "rounds differently from the original halfway between whole numbers", is_numeric=True),
    "denormal": Meaning(Label.PRECISION, "less exact than the original on denormal and nearly denormal values", is_numeric=True),
}


def meaning_of(kind: str) -> Meaning | None:
    """None for kinds on which a difference is a failure."""
    return _MEANINGS.get(kind)
