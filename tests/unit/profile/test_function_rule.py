"""KO126: math functions for which there is a cheaper one of the same value."""

from __future__ import annotations

import pytest

from assistant.model.profile import InstructionMix, LineInstructions, Severity
from assistant.profile import DearFunction, LineFacts, SourceFacts

THREADS = 4096 * 256
WARPS = THREADS // 32
CALLS = 64 * THREADS
"""Executions in a loop of 64 rounds."""

COSINE = DearFunction("cosf(6.2831853f * u)", "cospif", "turn", is_double=False)
POWER = DearFunction("powf(10.0f, x)", "exp10f", "power", is_double=False)
EXECUTED = {"fp32": 17, "conversion": 1, "integer": 4, "control": 4, "other": 8}
"""Of ``cosf``, nvcc 13.0, sm_90."""


def streaming(access):
    return (access("global load", WARPS, 5, sectors=WARPS * 4), access("global store", WARPS, 6, sectors=WARPS * 4))


def code(line: int, times: int, **mix: int) -> LineInstructions:
    return LineInstructions("k.cu", line, InstructionMix(**{name: times * count for name, count in mix.items()}))


def facts(*calls: DearFunction) -> SourceFacts:
    return SourceFacts(lines=(LineFacts(7, dear_functions=calls),), kernel_line=3)


def test_a_cosine_of_a_multiple_of_pi_is_reported_with_its_cost(access, profile, check):
    chain = code(7, CALLS, **EXECUTED)
    finding = check(profile(*streaming(access), instructions=(code(6, CALLS, integer=2, control=1), chain)), facts=facts(COSINE)).one(
        "KO126"
    )
    assert finding.line == 7
    assert finding.message == (
        "cosf(6.2831853f * u) reduces an angle of any size, where cospif takes it in units of pi and has less to do: "
        f"{CALLS:,} calls (thread-level, from the machine code)"
    )
    assert finding.estimated_cost_ratio == pytest.approx(0.3, abs=0.1)


def test_a_power_of_a_constant_costs_most_of_itself(access, profile, check):
    chain = code(7, CALLS, fp32=38, conversion=2, integer=10, control=5, other=6)
    finding = check(profile(*streaming(access), instructions=(chain,)), facts=facts(POWER)).one("KO126")
    assert finding.message.startswith("powf(10.0f, x) runs the general power routine, where exp10f does for a constant base: ")
    assert finding.estimated_cost_ratio > 0.6


def test_a_power_of_doubles_has_no_cost_as_its_routine_is_booked_elsewhere(access, profile, check):
    power = DearFunction("pow(2.0, x)", "exp2", "power", is_double=True)
    finding = check(profile(*streaming(access), instructions=(code(7, CALLS, fp64=3),)), facts=facts(power)).one("KO126")
    assert (finding.severity, finding.estimated_cost_ratio) == (Severity.INFORMATION, None)


def test_a_sine_and_a_cosine_are_told_as_one(access, profile, check):
    pair = tuple(DearFunction(f"{name}(a)", "sincos", "pair", is_double=True) for name in ("sin", "cos"))
    finding = check(profile(*streaming(access), instructions=(code(7, CALLS, fp64=35, conversion=4),)), facts=facts(*pair)).one("KO126")
    assert finding.message.startswith("sin(a), cos(a): sincos computes the sine and the cosine of an angle with one reduction of it: ")


def test_functions_of_the_special_function_unit_are_left_alone(access, profile, check):
    """-use_fast_math: nothing is converted."""
    fast = code(7, CALLS, fp32=2, special=1)
    assert "KO126" not in check(profile(*streaming(access), instructions=(fast,)), facts=facts(COSINE)).codes


def test_without_machine_code_the_text_is_reported(access, profile, check):
    finding = check(profile(*streaming(access)), facts=facts(COSINE)).one("KO126")
    assert (finding.line, finding.severity, finding.estimated_cost_ratio) == (7, Severity.INFORMATION, None)
