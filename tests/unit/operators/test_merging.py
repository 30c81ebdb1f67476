"""One verdict of the emulator's and the GPU's."""

from __future__ import annotations

from typing import Any

from assistant.model.verification import CaseResult, Label, Outcome, Verification, VerificationFinding
from assistant.operators.merging import merged


def verdict(*findings: tuple[str, Outcome], **changes: Any) -> Verification:
    made = tuple(VerificationFinding(code, outcome, f"it has {code}") for code, outcome in findings)
    outcome = max((each.outcome for each in made), key=lambda each: each.severity, default=Outcome.PASS)
    given: dict[str, Any] = {
        "outcome": outcome, "findings": made, "labels": (), "cases": (CaseResult("given", "", 1.0, outcome, None, None, 1),),
        "oracle": "operator", "dropped_cases": (), "missing_checks": (), "caveats": (),
    }  # fmt: skip
    return Verification(**(given | changes))


def test_the_worse_outcome_counts_and_cases_are_those_of_both() -> None:
    emulated = verdict(("race", Outcome.FAIL), labels=(Label.PRECISION,), missing_checks=("speed",), caveats=("on the CPU emulator",))
    found = merged(
        emulated, verdict(("nan_behaviour", Outcome.NEEDS_DECISION), labels=(Label.NAN_BEHAVIOUR,), missing_checks=("gradients",))
    )
    assert found.outcome is Outcome.FAIL and [each.code for each in found.findings] == ["race", "nan_behaviour"]
    assert found.labels == (Label.NAN_BEHAVIOUR, Label.PRECISION) and len(found.cases) == 2
    assert (found.missing_checks, found.caveats) == (("gradients",), ()), "what the emulator could not show, the GPU showed"


def test_what_both_found_is_said_once() -> None:
    both = verdict(("wrong_value", Outcome.FAIL))
    assert [each.code for each in merged(both, both).findings] == ["wrong_value"]


def test_a_pass_of_both_is_a_pass() -> None:
    assert merged(verdict(dropped_cases=("a",)), verdict(dropped_cases=("a", "b"))).dropped_cases == ("a", "b")
    assert merged(verdict(), verdict()).outcome is Outcome.PASS
