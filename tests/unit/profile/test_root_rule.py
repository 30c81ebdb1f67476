"""KO123: square roots that are only divided by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.profile import InstructionMix, LineInstructions, Severity
from assistant.profile import DividedRoot, LineFacts, SourceFacts

THREADS = 4096 * 256
WARPS = THREADS // 32
ROOTS = 64 * THREADS
"""Executions in a loop of 64 rounds."""


def streaming(access):
    return (access("global load", WARPS, 5, sectors=WARPS * 4), access("global store", WARPS, 6, sectors=WARPS * 4))


def code(line: int, times: int, **mix: int) -> LineInstructions:
    return LineInstructions("k.cu", line, InstructionMix(**{name: times * count for name, count in mix.items()}))


def facts(*quotient_lines: int, is_double: bool = False, text: str = "1.0f / sqrtf(x)") -> SourceFacts:
    return SourceFacts(lines=(LineFacts(7, divided_roots=(DividedRoot(text, is_double, quotient_lines),)),), kernel_line=3)


def test_a_rounded_root_and_its_reciprocal_are_reported_with_their_cost(access, profile, check):
    """``x = 1.0f / sqrtf(x + 0.5f)`` in such a loop, nvcc 13.0, sm_90: as ``rsqrtf`` it is predicted to take 0.4 of its time."""
    chain = code(7, ROOTS, fp32=8, special=2, integer=5, control=6)
    found = check(profile(*streaming(access), instructions=(code(6, ROOTS, integer=2, control=1), chain)), facts=facts(7))
    finding = found.one("KO123")
    assert (finding.line, finding.severity) == (7, Severity.WARNING)
    assert finding.message == (
        "1.0f / sqrtf(x) takes a root and divides by it, each correctly rounded; rsqrtf gives the reciprocal of a root at once: "
        f"{ROOTS:,} roots (thread-level, from the machine code)"
    )
    assert finding.estimated_cost_ratio == pytest.approx(0.6, abs=0.1)


def test_divisions_on_other_lines_are_named_and_cost_theirs(access, profile, check):
    root, division = code(7, ROOTS, fp32=5, special=1, integer=2, control=3), {"fp32": 5, "special": 1, "control": 3, "other": 1}
    instructions = (root, code(9, ROOTS, **division), code(10, ROOTS, **division))
    elsewhere = check(profile(*streaming(access), instructions=instructions), facts=facts(9, 10, text="sqrtf(d2)")).one("KO123")
    alone = check(profile(*streaming(access), instructions=(root, *instructions[1:])), facts=facts(9, text="sqrtf(d2)")).one("KO123")
    assert elsewhere.message.startswith("sqrtf(d2) takes a root and divides by it on lines 9 and 10, each correctly rounded; ")
    assert elsewhere.estimated_cost_ratio > alone.estimated_cost_ratio


def test_a_double_root_costs_double_precision(access, profile, check):
    chain = code(7, ROOTS, fp64=13, special=2, integer=4, control=6, fp32=1)
    finding = check(profile(*streaming(access), instructions=(chain,)), facts=facts(7, is_double=True)).one("KO123")
    assert finding.estimated_cost_ratio > 0.3


def test_other_special_functions_of_the_line_are_no_roots(access, profile, check):
    line = code(7, ROOTS, fp32=30, special=6, integer=5, control=6)
    assert f": {ROOTS:,} roots" in check(profile(*streaming(access), instructions=(line,)), facts=facts(7)).one("KO123").message


def test_checks_that_nvcc_joins_leave_the_count_as_it_is(access, profile, check):
    line = code(7, ROOTS, fp32=8, special=2, integer=5, control=5)
    assert f": {ROOTS:,} roots" in check(profile(*streaming(access), instructions=(line,)), facts=facts(7)).one("KO123").message


def test_roots_that_are_not_rounded_correctly_are_left_alone(access, profile, check):
    """-use_fast_math: one instruction of the special-function unit, nothing to check."""
    fast = code(7, ROOTS, fp32=3, special=2)
    assert "KO123" not in check(profile(*streaming(access), instructions=(fast,)), facts=facts(7)).codes


def test_a_line_of_another_file_is_left_alone(access, profile, check):
    chain = replace(code(7, ROOTS, fp32=8, special=2, integer=5, control=6), file="math.cuh")
    here = replace(facts(7), file="k.cu")
    assert "KO123" not in check(profile(*streaming(access), instructions=(chain,)), facts=here).codes


def test_without_machine_code_the_text_is_reported(access, profile, check):
    finding = check(profile(*streaming(access)), facts=facts(7)).one("KO123")
    assert (finding.line, finding.severity, finding.estimated_cost_ratio) == (7, Severity.INFORMATION, None)
