"""Which decisions are put off to the end of a search."""

from __future__ import annotations

import pytest

from assistant.engine import AllowOption
from assistant.engine.search.deferred import deferred_labels, is_deferred
from assistant.errors import UsageError
from assistant.model.verification import Label, Outcome, Verification, VerificationFinding


def verdict(*codes: str, outcome: Outcome = Outcome.NEEDS_DECISION) -> Verification:
    findings = tuple(VerificationFinding(code, outcome, "m") for code in codes)
    return Verification(outcome, findings, (), (), "kernel", (), ())


@pytest.mark.parametrize(
    ("codes", "allowed", "is_put_off"),
    [
        (("alignment",), ("alignment",), True),
        (("alignment", "precision"), ("precision", "alignment", "arch"), True),
        (("arch-lock-in",), ("arch",), True),
        (("fast-math", "nan-behaviour", "library-call", "assumption"), ("fast-math", "nan", "library", "assumption"), True),
        (("non-determinism", "other_order"), ("order",), True),
        (("other_order",), ("precision",), False),
        (("moved_work", "other_transfer", "other_layout"), ("assumption",), True),
        (("other_layout",), ("precision",), False),
        (("amplified_rounding",), ("precision",), True),
        (("alignment",), (), False),
        (("alignment", "precision"), ("alignment",), False),
        (("not_judged",), ("alignment", "precision"), False),
    ],
)
def test_only_what_was_allowed_is_put_off(codes: tuple[str, ...], allowed: tuple[str, ...], is_put_off: bool) -> None:
    assert is_deferred(verdict(*codes), deferred_labels(allowed)) == is_put_off


def test_a_version_without_a_decision_is_not_put_off() -> None:
    assert not is_deferred(verdict(outcome=Outcome.PASS), frozenset(Label))


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("none", AllowOption(is_none=True)),
        ("", AllowOption()),
        ("precision, alignment,precision", AllowOption(("precision", "alignment"))),
        ("Host,arch", AllowOption(("arch",), is_host_code=True)),
    ],
)
def test_what_is_allowed_is_named_with_commas(words: str, allowed: AllowOption) -> None:
    assert AllowOption.read(words) == allowed


def test_what_nobody_knows_cannot_be_allowed() -> None:
    with pytest.raises(UsageError, match=r"^--allow does not know 'speed'"):
        AllowOption.read("precision,speed")


def test_nothing_and_something_are_not_allowed_together() -> None:
    with pytest.raises(UsageError, match=r"^--allow says none and precision"):
        AllowOption.read("none,precision")
