"""Variants of a rule that differ in numbers alone are one edit to be tuned."""

from __future__ import annotations

from assistant.model.plan import Rewrite, Tunable
from assistant.model.verification import Label
from assistant.plan.expert.numbered import tuned


def variant(summary: str, *numbers: tuple[str, int], labels: tuple[Label, ...] = ()) -> Rewrite:
    return Rewrite("unroll", "k", 1, (), summary, labels, numbers=numbers)


def test_variants_of_the_same_numbers_are_one_edit_with_ranges() -> None:
    wide, narrow, plain = variant("a", ("x", 32), ("y", 8)), variant("b", ("x", 16), ("y", 8)), variant("c")
    sums = variant("d", ("sums", 4), labels=(Label.REASSOCIATION,)), variant("e", ("sums", 2))
    joined, left, *apart = tuned((wide, plain, narrow, *sums))
    assert joined.tunables == (Tunable("x", (16, 32)), Tunable("y", (8,)))
    assert (joined.summary, joined.numbers, joined.alternatives) == ("a", wide.numbers, (narrow,))
    assert left == plain, "it has no number"
    assert apart == [*sums], "one of them has to be decided on, and nothing else would be in its place"
