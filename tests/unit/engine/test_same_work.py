"""Candidates that do the same work are known by their machine code, or by their counters."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.search.same_work import SeenWork, counters_of, machine_code_of
from assistant.model.build import KernelCode, SassInstruction
from assistant.model.profile import Evidence, Method

LOAD = SassInstruction(0, "", "LDG.E", "R2, [R4]", "k.cu", 3)
BRANCH = SassInstruction(16, "@P0", "BRA", "`(.L_x_7)", "k.cu", 4)


def ran(*instructions: SassInstruction, label: str = ".L_x_7", config: str = "1 x 32", has_code: bool = True) -> Any:
    code = KernelCode("k()", "_Z1k", "sm_90", instructions, ((label, 0),)) if has_code else None
    item = SimpleNamespace(instance="k()", code=code)
    counted = SimpleNamespace(profiles=(SimpleNamespace(kernel="k()", config=config),))
    return cast("Any", SimpleNamespace(assessment=SimpleNamespace(kernels=(item,)), counted=counted))


def test_lines_and_names_of_branch_targets_make_no_other_machine_code() -> None:
    moved = ran(replace(LOAD, line=9), replace(BRANCH, operands="`(.L_x_31)"), label=".L_x_31")
    assert machine_code_of(ran(LOAD, BRANCH)) == machine_code_of(moved) is not None


@pytest.mark.parametrize(
    "other",
    [
        ran(LOAD, replace(BRANCH, predicate="@!P0")),
        ran(LOAD, BRANCH, config="2 x 32"),
        ran(replace(LOAD, operands="R2, [R6]"), BRANCH),
        ran(LOAD, BRANCH, label=".L_x_8"),
    ],
)
def test_what_differs_in_code_or_launch_is_another_one(other: Any) -> None:
    assert machine_code_of(ran(LOAD, BRANCH)) != machine_code_of(other)


@pytest.mark.parametrize("operands", ["R2, c[0x3][0x8]", "R2, 32@lo(table)"])
def test_code_that_reads_what_is_not_in_it_is_not_known(operands: str) -> None:
    assert machine_code_of(ran(replace(LOAD, operands=operands))) is None
    assert machine_code_of(ran(has_code=False)) is None
    assert machine_code_of(ran(replace(LOAD, operands="R2, c[0x0][0x160]"))) is not None


def counted(sectors: float, time_s: float = 1e-6) -> Any:
    fact = Evidence("E1", "global_sectors", sectors, "sectors", 3, Method.EMULATOR, "d")
    launch = SimpleNamespace(profile=SimpleNamespace(config="1 x 32"), predicted=SimpleNamespace(time_s=time_s), count=1)
    item = SimpleNamespace(launches=(launch,), evidence=(fact,), resources=None)
    return cast("Any", SimpleNamespace(kernel=lambda _: (item,)))


def test_counters_tell_candidates_apart() -> None:
    assert counters_of(counted(8.0), "k") == counters_of(counted(8.0), "k")
    assert len({counters_of(one, "k") for one in (counted(8.0), counted(9.0), counted(8.0, 2e-6))}) == 3


def test_the_first_of_equal_candidates_is_named() -> None:
    seen = SeenWork()
    found = [seen.first(work, name, name.lower()) for work, name in (("a", "C1"), ("a", "C2"), ("b", "C3"), (None, "C4"))]
    assert found == [None, "C1", None, None]


def test_a_candidate_that_is_judged_once_more_is_none_of_them() -> None:
    seen = SeenWork()
    assert (seen.first("a", "C1", "text"), seen.first("a", "C2", "text"), seen.first("a", "C3", "other")) == (None, None, "C1")
