"""What is offered together: versions that ask for less, none that is slower and asks for as much."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.search.alternatives import Version, as_offered, asks_for_less
from assistant.model.verification import Outcome, VerificationFinding


def version(ratio: float, *codes: str) -> Version:
    findings = tuple(VerificationFinding(code, Outcome.NEEDS_DECISION, code) for code in codes)
    proposal = SimpleNamespace(comparison=SimpleNamespace(ratio=ratio), verification=SimpleNamespace(findings=findings))
    return Version(cast("Any", None), cast("Any", proposal))


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ([(2.0,), (1.5,)], [(2.0,)]),
        ([(2.0, "a"), (1.5, "a")], [(2.0, "a")]),
        ([(2.0, "a"), (2.0, "b")], [(2.0, "a"), (2.0, "b")]),
        ([(1.5, "b"), (2.0, "a")], [(2.0, "a"), (1.5, "b")]),
        ([(2.0, "a"), (1.5,)], [(1.5,), (2.0, "a")]),
        ([(1.5, "a"), (2.0,)], [(2.0,)]),
        ([(2.0, "a"), (2.0,)], [(2.0,)]),
        ([(2.0, "a", "b"), (1.8, "a"), (1.5,)], [(1.5,), (2.0, "a", "b"), (1.8, "a")]),
        ([(1.8, "a", "b"), (2.0, "a"), (1.9, "b")], [(2.0, "a"), (1.9, "b")]),
    ],
)
def test_what_is_slower_and_asks_for_as_much_is_left_out(given: list[tuple[Any, ...]], offered: list[tuple[Any, ...]]) -> None:
    found = as_offered([version(ratio, *codes) for ratio, *codes in given])
    assert [(one.proposal.comparison.ratio, *sorted(one.decisions)) for one in found] == offered


@pytest.mark.parametrize(
    ("decisions", "known", "is_less"),
    [
        ("", [], True),
        ("", [""], False),
        ("a", ["ab"], True),
        ("a", ["a"], False),
        ("ab", ["a"], False),
        ("a", ["b"], True),
        ("a", ["b", ""], False),
    ],
)
def test_a_version_asks_for_less_than_all_that_are_faster(decisions: str, known: list[str], is_less: bool) -> None:
    assert asks_for_less(frozenset(decisions), [frozenset(each) for each in known]) is is_less
