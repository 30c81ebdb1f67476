"""What is kept of an original for other candidates changes no verdict, and the quick look at whole outputs finds what the long one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from assistant.model.verification import Outcome, Verification
from assistant.model.workload import AutoTolerance
from assistant.verify.compare import compare
from assistant.verify.evidence import CaseEvidence, JudgeEvidence
from assistant.verify.judge import judge
from assistant.verify.known_rules import KnownRules
from assistant.verify.rules import PreparedOutput, prepare
from tests.unit.verify.judged_cases import FILLS, Buffers, case, truth

SIZE = 200_000


def whole(b: Buffers) -> None:
    b["out"][:] = b["x"] * np.float32(2) + b["y"]


def regrouped(b: Buffers) -> None:
    b["out"][:] = np.nextafter(b["x"] * np.float32(2) + b["y"], np.float32(9))


def wrong(b: Buffers) -> None:
    whole(b)
    b["out"][SIZE // 3] += np.float32(1)


def judged(*candidates: Callable[[Buffers], None], known: KnownRules | None = None) -> list[Outcome]:
    found = (judge(JudgeEvidence((of(each),), AutoTolerance()), known) for each in candidates)
    return [verdict.outcome for verdict in found if isinstance(verdict, Verification)]


def of(candidate: Callable[[Buffers], None], original: Callable[[Buffers], None] = whole, seed: int = 1) -> CaseEvidence:
    random = np.random.default_rng(seed)
    buffers = {name: random.standard_normal(SIZE).astype(np.float32) for name in ("x", "y")}
    return case(original, candidate, out=np.zeros(SIZE, np.float32), buffers=buffers, truth=truth)


def test_candidates_are_judged_by_one_preparation_of_the_original() -> None:
    known = KnownRules()
    assert judged(whole, regrouped, wrong, known=known) == judged(whole, regrouped, wrong) == [Outcome.PASS, Outcome.PASS, Outcome.FAIL]
    first, second = (known.of((of(each),), (), AutoTolerance()) for each in (regrouped, wrong))
    assert first is second


def test_other_runs_of_the_original_are_prepared_again() -> None:
    known, base = KnownRules(), of(whole)
    moved = (replace(base.original[0], fill=0x11),)
    for other in (of(whole, seed=2), replace(base, perturbed=moved), replace(base, reference=())):
        assert known.of((other,), (), AutoTolerance()) is not known.of((base,), (), AutoTolerance())


def prepared_output() -> PreparedOutput:
    found, _ = prepare((of(whole),), (), AutoTolerance())
    return next(one for one in found if one.output.name == "out")


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize(
    "changed",
    ["same", "zero_signs", "last_bits", "one_wrong", "many_wrong", "nan", "infinity", "unwritten", "huge", "half_the_digits"],
)
def test_a_quick_look_says_what_a_long_one_says(changed: str, fill: int) -> None:
    output = prepared_output()
    assert output.is_plain
    left = np.frombuffer(output.runs[0].contents(output.output.buffer.id) or b"", np.float32).copy()
    match changed:
        case "zero_signs":
            left[left == 0] = -0.0
        case "last_bits":
            left[::3] = np.nextafter(left[::3], np.float32(0))
        case "one_wrong":
            left[77_777] += np.float32(0.5)
        case "many_wrong":
            left += np.float32(2e-6)
        case "nan":
            left[-1] = np.nan
        case "infinity":
            left[0] = np.inf
        case "unwritten":
            left[5] = np.frombuffer(bytes([fill]) * 4, np.float32)[0]
        case "huge":
            left[9] = np.float32(3e38)
        case "half_the_digits":
            left = left.astype(np.float16).astype(np.float32)
        case _:
            pass
    quick = compare(output, left.tobytes(), fill, AutoTolerance(), is_precision_changed=True)
    output.__dict__["is_plain"] = False
    long = compare(output, left.tobytes(), fill, AutoTolerance(), is_precision_changed=True)
    assert replace(quick, detail="") == replace(long, detail="")
