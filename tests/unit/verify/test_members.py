"""Structs are judged member by member: rounding of a float is allowed next to integers that must be equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.structs import ElementLayout, Member
from assistant.model.verification import Outcome, Verification, VerificationFinding
from assistant.model.workload import AutoTolerance, CaseOrigin
from assistant.verify.evidence import BufferFacts, CaseEvidence, JudgeEvidence, ProgramVerdict, SideRun
from assistant.verify.judge import judge
from assistant.verify.program import compare_programs
from assistant.verify.transfers import HostData, ProgramTrace

N = 500
STRUCT = np.dtype([("x", "<f4"), ("pad", "V4"), ("v", "<f8", (2,)), ("alive", "<i4"), ("tail", "V4")])


def member(path: str, kind: str, count: int) -> Member:
    element = parse_element_type(kind)
    assert element is not None
    return Member(path, element, count, int(STRUCT.fields[path][1]))  # type: ignore[index]


LAYOUT = ElementLayout("P", STRUCT.itemsize, (member("x", "float", 1), member("v", "double", 2), member("alive", "int", 1)))


def structs(seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    made = np.zeros(N, STRUCT)
    made["x"], made["v"], made["alive"] = random.standard_normal(N), random.standard_normal((N, 2)), random.integers(0, 9, N)
    return made


def stepped(before: np.ndarray) -> np.ndarray:
    after = before.copy()
    after["x"] = before["x"] * np.float32(1.5) + np.float32(1)
    after["v"] = before["v"] * 3 + 0.25
    after["alive"] = before["alive"] + 1
    return after


def case(seed: int, change: dict[str, object], layout: ElementLayout | None) -> CaseEvidence:
    before = structs(seed)
    right, other = stepped(before), stepped(before)
    for name, amount in change.items():
        other[name][12] = amount if isinstance(amount, bytes) else other[name][12] + amount
    moved = right.copy()
    moved["x"] = np.nextafter(right["x"], np.float32(9))
    sides = [SideRun(((0, data.tobytes()),)) for data in (right, other, moved)]
    origin = CaseOrigin("recorded" if seed == 1 else "resampled", "n=500", seed, 1.0, 1.0)
    facts = BufferFacts(0, "ps", "P", before.tobytes(), layout=layout)
    return CaseEvidence(origin, "k", (facts,), (sides[0],), (sides[1],), perturbed=(sides[2],))


def verdict(change: dict[str, object], layout: ElementLayout | None = LAYOUT) -> Verification:
    result = judge(JudgeEvidence(tuple(case(seed, change, layout) for seed in (1, 2)), AutoTolerance()))
    assert isinstance(result, Verification), result
    return result


def test_rounding_of_a_member_passes() -> None:
    assert verdict({"x": np.float32(2.0**-23)}).outcome is Outcome.PASS


def test_padding_is_not_compared() -> None:
    assert verdict({"pad": b"1234", "tail": b"abcd"}).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("change", "place"), [({"x": 0.5}, "ps[12].x"), ({"v": np.array([0, 0.5])}, "ps[12].v[1]"), ({"alive": 1}, "ps[12].alive")]
)
def test_a_wrong_member_is_named(change: dict[str, object], place: str) -> None:
    result = verdict(change)
    (finding,) = result.findings
    assert result.outcome is Outcome.FAIL and finding.message.startswith(f"{place} at n=500: wrong value")


def test_a_member_that_the_original_leaves_alone_must_stay() -> None:
    silent = replace(case(1, {}, LAYOUT), candidate=(SideRun(((0, structs(1).tobytes()),)),))
    result = judge(JudgeEvidence((silent, case(2, {}, LAYOUT)), AutoTolerance()))
    assert isinstance(result, Verification) and result.outcome is Outcome.FAIL


def test_rounding_in_structs_of_unknown_layout_is_for_a_person() -> None:
    result = verdict({"x": np.float32(2.0**-23)}, layout=None)
    (finding,) = result.findings
    assert (result.outcome, finding.code) == (Outcome.NEEDS_DECISION, "untyped_value")
    assert "type unknown, compared as bytes" in finding.message


def test_other_differences_in_structs_of_unknown_layout_fail() -> None:
    assert verdict({"alive": 1}, layout=None).outcome is Outcome.FAIL
    assert verdict({"x": 0.5}, layout=None).outcome is Outcome.FAIL


def host(data: np.ndarray) -> ProgramTrace:
    return ProgramTrace(0, b"", (HostData("managed", data.tobytes(), "P", "managed after launch 0", LAYOUT),))


def on_host(data: np.ndarray) -> tuple[VerificationFinding, ...]:
    result = compare_programs(host(structs(1)), host(structs(1)), host(data))
    assert isinstance(result, ProgramVerdict)
    return result.findings


def test_structs_that_reach_the_host_are_compared_by_member() -> None:
    rounded, wrong = structs(1), structs(1)
    rounded["x"] *= np.float32(1 + 2.0**-22)
    rounded["tail"] = b"abcd"
    wrong["alive"][3] += 1
    assert on_host(rounded) == ()
    (finding,) = on_host(wrong)
    assert finding.code == "wrong_value" and finding.message.startswith("managed after launch 0[3].alive: wrong value")
