"""Where kernels were fused, numbers that the new one is passed and does not read, or holds in its text, are named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.verify.parameters import find_unread_in_new_kernels

TEXT = """__global__ void scale(float *t, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = a * x[i];
}
__global__ void square(float *y, const float *t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.25f + t[i] * t[i];
}
"""
FUSED = """__global__ void both(float *y, const float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { float v = a * x[i]; y[i] = 0.25f + v * v; }
}
"""
KNOWN = {"scale": [{"a": 0.75, "n": 30000}], "square": [{"n": 30000}]}


def found(old: str, new: str, own: Mapping[str, float] | None = None, keeps: bool = False) -> list[tuple[str, Outcome, str]]:
    """(code, outcome, first words) of what is said where the two kernels become one, with ``new`` in the place of ``old``."""
    text = FUSED.replace(old, new)
    assert old in FUSED
    before, after = parse(Source(Path("/a.cu"), TEXT)), parse(Source(Path("/b.cu"), (TEXT if keeps else "") + text))
    passed = {"both": [{"a": 0.75, "n": 30000} if own is None else own]}
    findings = find_unread_in_new_kernels(before, after, KNOWN, passed)
    return [(finding.code, finding.outcome, finding.message.split(",")[0]) for finding in findings]


@pytest.mark.parametrize("keeps", [False, True])
def test_a_number_that_is_passed_and_not_read_is_named(keeps: bool) -> None:
    assert found("a * x[i]", "x[i] * 0.75f", keeps=keeps) == [
        ("assumption", Outcome.NEEDS_DECISION, "a is no longer read: 0.75"),
    ]
    assert found("i < n", "i < 30000", keeps=keeps) == [("hard_coded", Outcome.FAIL, "n is no longer read: 30000")]
    assert found("if (i < n) ", "", keeps=keeps) == [("assumption", Outcome.NEEDS_DECISION, "n is no longer read")]


def test_a_number_that_is_not_passed_any_more_and_stands_in_the_text_is_named() -> None:
    without = {"n": 30000}
    named = [("assumption", Outcome.NEEDS_DECISION, "0.75")]
    assert found("float a, int n) {", "int n) { const float a = 0.75f;", without) == named
    assert found("int n) {", "int unused) { const int n = 30000;", {"a": 0.75, "unused": 3}) == [
        ("assumption", Outcome.NEEDS_DECISION, "30000")
    ]


def test_an_honest_fusion_is_left_alone() -> None:
    assert found("float a", "float a") == []
    assert found("float a, int n) {", "float f, int n) { float a = f;") == []
    assert found("int n) {", "int m) { int n = m;", {"a": 0.75, "m": 30000}) == []
    assert found("0.25f", "0.25f * 1.0f") == []


def test_a_literal_of_the_originals_own_is_no_stand_in() -> None:
    known = KNOWN | {"scale": [{"a": 0.25, "n": 30000}]}
    text = FUSED.replace("float a, int n) {", "int n) {").replace("a * x[i]", "x[i]")
    before, after = parse(Source(Path("/a.cu"), TEXT)), parse(Source(Path("/b.cu"), text))
    assert find_unread_in_new_kernels(before, after, known, {"both": [{"n": 30000}]}) == ()


def test_kernels_that_both_versions_launch_are_not_asked_about() -> None:
    before = parse(Source(Path("/a.cu"), TEXT))
    after = parse(Source(Path("/b.cu"), TEXT.replace("a * x[i]", "0.75f * x[i]")))
    assert find_unread_in_new_kernels(before, after, KNOWN, KNOWN) == ()
