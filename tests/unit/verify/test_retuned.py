"""Other floating numbers among the arguments: wrong where B reads them, a question where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.verification import Label, Outcome, Verification
from assistant.verify.evidence import DetectedLabel
from assistant.verify.judge import judge
from assistant.verify.parameters import reads_its_one_float
from tests.unit.verify.judged_cases import Buffers, case, evidence, scale_add


def tripled(b: Buffers) -> None:
    """What the original leaves where it is passed 3 in the place of 2."""
    b["out"][:-1] = (b["x"] * np.float32(3) + b["y"])[:-1]


def judged(candidate: Callable[[Buffers], None], *, is_read: bool, labels: tuple[DetectedLabel, ...] = ()) -> Verification:
    base = evidence(scale_add, scale_add)
    other = case(tripled, candidate, seed=9, kind="retuned", truth=lambda b: b["x"].astype(float) * 3 + b["y"])
    other = replace(other, origin=replace(other.origin, values="w=3"))
    read = frozenset({other.kernel}) if is_read else frozenset[str]()
    result = judge(replace(base, cases=(*base.cases, other), well_read=read, labels=labels))
    assert isinstance(result, Verification)
    return result


def test_an_edit_that_reads_the_numbers_and_keeps_to_the_programs_own_is_wrong() -> None:
    result = judged(scale_add, is_read=True)
    assert result.outcome is Outcome.FAIL and result.labels == ()
    assert "w=3: out[0]" in result.findings[0].message and result.findings[0].code == "wrong_value"


@pytest.mark.parametrize(("is_read", "labels"), [(False, ()), (True, (DetectedLabel(Label.PRECISION, "half"),))])
def test_an_edit_that_does_not_read_them_or_changes_the_precision_is_a_question(is_read: bool, labels: tuple[DetectedLabel, ...]) -> None:
    result = judged(scale_add, is_read=is_read, labels=labels)
    assert result.outcome is Outcome.NEEDS_DECISION and Label.ASSUMPTION in result.labels
    assert any("right only for the floating numbers that this program passes; with n=512, w=3" in one.message for one in result.findings)


def test_an_edit_that_is_right_passes() -> None:
    assert judged(tripled, is_read=True).outcome is judged(tripled, is_read=False).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("parameters", "body", "is_read"),
    [
        ("float *o, float w, int n", "o[0] = w;", True),
        ("float *o, float w, int n", "o[0] = n;", False),
        ("float *o, float w", "(void)w; o[0] = 2;", False),
        ("float *o, float w", "w = 2; o[0] = w;", False),
        ("float *o, double w, float v", "o[0] = w;", False),
        ("float *o, Box box", "o[0] = box.w;", False),
        ("float *o, int n", "o[0] = n;", False),
        ("float *o, float dx, float per_dx", "o[0] = dx * per_dx;", False),
    ],
)
def test_whether_a_kernel_reads_what_it_is_passed(parameters: str, body: str, is_read: bool) -> None:
    parsed = parse(Source(Path("/k.cu"), f"struct Box {{ float w; }};\n__global__ void k({parameters}) {{ {body} }}\n"))
    assert reads_its_one_float(parsed, parsed.kernels[0]) is is_read
