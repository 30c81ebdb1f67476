"""Which atomics ptxas combines in the warp, told from its machine code (nvcc 13.0, sm_90)."""

from __future__ import annotations

from assistant.build.aggregation import aggregated_atomics
from assistant.model.build import KernelCode, SassInstruction

_COUNTER = (
    ("", "S2R", "R5, SR_LANEID"),
    ("", "VOTEU.ANY", "UR6, UPT, PT"),
    ("", "FLO.U32", "R0, UR6"),
    ("", "POPC", "R11, UR6"),
    ("", "ISETP.EQ.U32.AND", "P0, PT, R0, R5, PT"),
    ("@P0", "ATOMG.E.ADD.STRONG.GPU", "PT, R3, desc[UR4][R2.64], R11"),
)
_FLOAT_SUM = (("", "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", "desc[UR4][R4.64], R3"),)
_CONDITIONAL = (("", "ISETP.EQ.U32.AND", "P0, PT, R0, R5, PT"), *(("@P0", o, r) for _, o, r in _FLOAT_SUM))


def _code(*parts: tuple[str, str, str], line: int = 12) -> KernelCode:
    listed = tuple(SassInstruction(16 * i, *part, "k.cu", line) for i, part in enumerate(parts))
    return KernelCode("k()", "_Z1kv", "sm_90", listed, ())


def test_a_counter_that_all_lanes_raise_by_one_is_added_to_by_one_of_them() -> None:
    assert aggregated_atomics(_code(*_COUNTER)) == {("k.cu", 12)}


def test_a_float_sum_is_left_to_every_lane() -> None:
    assert not aggregated_atomics(_code(*_FLOAT_SUM))


def test_a_condition_of_the_source_is_no_vote() -> None:
    assert not aggregated_atomics(_code(*_CONDITIONAL))


def test_a_line_with_another_atomic_next_to_the_combined_one_is_left_out() -> None:
    assert not aggregated_atomics(_code(*_COUNTER, *_FLOAT_SUM))
