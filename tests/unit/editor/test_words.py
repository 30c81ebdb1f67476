"""What people read over a kernel, next to a line and in a hover: every number with unit, method and device."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assistant.editor.view import EMPTY_VIEW, KernelView, LaunchView, LineView, Note
from assistant.editor.words import (
    HINT_LIMIT,
    hot_lines,
    is_short_of_resources,
    kernel_page,
    kernel_table,
    line_hint,
    line_origin,
    line_table,
    resource_hint,
    resource_origin,
)
from assistant.model import event_parts, events
from assistant.model.profile import Evidence, Grade, InstructionMix, Method, Problem, Severity

_DEVICE = event_parts.Device("CPU emulator (sm_90 rules)", "cpu", "h200")
_SUMMARY = events.ProfileSummary(
    "J1", "k(float *)", "k(float*)", (16, 10, 1), (32, 8, 1), 0, 1, "l2", 4.16e-6, speed_of_light_ratio=0.234, speed_of_light_limit="dram"
)
_PROFILE = events.Profile(
    "J1", "k(float *)", "k(float*)", 0, (16, 10, 1), (32, 8, 1), 0, _DEVICE, "emulator", {}, InstructionMix(), (), (), (), ()
)
_RESOURCES = event_parts.ResourcesFound(
    "k(float*)",
    "sm_90",
    40,
    0,
    0,
    4096,
    (event_parts.OccupancyFound(256, 48, 64, "registers"), event_parts.OccupancyFound(1024, 32, 64, "registers")),
)
_OCCUPANCY = Evidence("E1", "occupancy", 0.75, "ratio", None, Method.OCCUPANCY, "sm_90")
_PROBLEM = Problem("out_of_bounds", "writes past the end", "/w/a.cu", 7, None, None, None, None, None, 1)
_UNKNOWN = KernelView("k(float *)", "k", 3, 5, (), None, (), (), None, False)
_PROFILED = replace(_UNKNOWN, launches=(LaunchView(_SUMMARY, _PROFILE),))


def _check(*problems: Problem, count: int = 1, is_deterministic: bool | None = True) -> events.CheckEnded:
    return events.CheckEnded("J1", "k(float *)", problems, is_deterministic, count)


def test_a_predicted_time_always_says_that_it_is() -> None:
    table = kernel_table(_PROFILED)
    assert table.count("4.16 µs") == table.count("PREDICTED 4.16 µs") > 0
    assert "predicted by the performance model for h200, launch overhead included; nothing was timed" in table


@pytest.mark.parametrize(
    ("kernel", "hint"),
    [
        (_UNKNOWN, None),
        (replace(_UNKNOWN, resources=(_RESOURCES,)), "40 registers, occupancy ≤ 75 %"),
        (replace(_PROFILED, resources=(_RESOURCES,), evidence=(_OCCUPANCY,)),
         "40 registers, occupancy 75 %"),
        (replace(_UNKNOWN, resources=(replace(_RESOURCES, spill_bytes=1200, static_shared_bytes=0, occupancy=()),)),
         "1,200 B spilled, 40 registers"),
        (replace(_UNKNOWN, resources=(_RESOURCES, replace(_RESOURCES, instance="k<2>", registers_per_thread=64, occupancy=()))),
         "64 registers, 4,096 B shared"),
    ],
)  # fmt: skip
def test_a_hint_says_the_worst_first_and_never_more_than_an_editor_shows(kernel: KernelView, hint: str | None) -> None:
    assert resource_hint(kernel) == hint
    assert hint is None or len(hint) <= HINT_LIMIT


@pytest.mark.parametrize(
    ("kernel", "is_short"),
    [
        (_UNKNOWN, False),
        (replace(_UNKNOWN, resources=(_RESOURCES,)), False),
        (replace(_PROFILED, resources=(_RESOURCES,), evidence=(_OCCUPANCY,)), False),
        (replace(_PROFILED, resources=(_RESOURCES,), evidence=(replace(_OCCUPANCY, value=0.25),)), True),
        (replace(_UNKNOWN, resources=(replace(_RESOURCES, spill_bytes=16),)), True),
    ],
)
def test_a_kernel_is_short_of_resources_where_it_spills_or_few_warps_fit(kernel: KernelView, is_short: bool) -> None:
    assert is_short_of_resources(kernel) is is_short


def test_the_origin_of_resources_says_all_of_them_with_tool_architecture_and_whose_occupancy_it_is() -> None:
    both = (_RESOURCES, replace(_RESOURCES, instance="k<2>", registers_per_thread=64, occupancy=()))
    compiled = resource_origin(replace(_UNKNOWN, resources=(_RESOURCES,)))
    assert compiled.startswith("40 registers, 0 B spilled, 4,096 B shared, theoretical occupancy ≤ 75 % (ptxas, sm_90)")
    assert "usual block sizes" in compiled
    assert "(ptxas, sm_90, most of 2 instances)" in resource_origin(replace(_UNKNOWN, resources=both))
    profiled = resource_origin(replace(_PROFILED, resources=(_RESOURCES,), evidence=(_OCCUPANCY,)))
    assert "theoretical occupancy 75 %" in profiled and "costliest launch, 256 threads a block" in profiled


def _line(op: str = "global load", line: int = 4, kernel: str = "k(float *)", **counters: Any) -> LineView:
    known: dict[str, Any] = {"sectors": None, "ideal_sectors": None, "wavefronts": None, "ideal_wavefronts": None, "grade": "exact"}
    grade_reason = counters.pop("grade_reason", "")
    return LineView(
        line,
        kernel,
        event_parts.ProfileLine("a.cu", line, op, 10, 320, **{**known, **counters}, grade_reason=grade_reason),
        _DEVICE,
        "emulator",
    )


_LOAD = _line(sectors=320, ideal_sectors=40)
_GUESSED = _line("global store", sectors=80, ideal_sectors=40, grade="estimated", grade_reason="nvcc merged it")
_SHARED = _line("shared load", wavefronts=320, ideal_wavefronts=10)


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ([_LOAD], "load 32 sectors/request, 4 would do"),
        ([_GUESSED], "store ~8 sectors/request, ~4 would do"),
        ([_SHARED], "shared load 32-way bank conflict"),
        ([_line("shared store", wavefronts=10, ideal_wavefronts=10)], "shared store without bank conflict"),
        ([_line("global atomic")], "global atomic 10 requests"),
        ([_LOAD, _SHARED], "shared load 32-way bank conflict"),
        ([_LOAD, _GUESSED], "load 32 sectors/request, 4 would do"),
        ([_line("global atomic"), _GUESSED], "store ~8 sectors/request, ~4 would do"),
        ([_LOAD, replace(_SHARED, kernel="ns::other(int)")], "ns::other: shared load 32-way bank conflict"),
    ],
)  # fmt: skip
def test_a_line_says_its_telling_counter(lines: list[LineView], hint: str) -> None:
    assert line_hint(lines) == hint


def test_an_estimated_counter_says_why_it_is() -> None:
    counted = "counted by CPU emulator (sm_90 rules), in the kernel's costliest launch"
    assert line_origin([_LOAD]) == f"load 32 sectors/request, 4 would do: {counted}"
    assert line_origin([_LOAD, _SHARED]) == f"shared load 32-way bank conflict; load 32 sectors/request, 4 would do: {counted}"
    assert line_origin([_LOAD, _GUESSED]).endswith("; ~ is estimated: nvcc merged it")
    assert "| estimated: nvcc merged it |" in line_table([_GUESSED], ())


def test_a_method_that_the_device_does_not_name_is_named() -> None:
    gpu = replace(_LOAD, device=event_parts.Device("NVIDIA H200", "gpu", "h200"), method="ncu")
    assert "counted by ncu on NVIDIA H200" in line_origin([gpu])


def test_only_lines_beyond_their_ideal_with_a_share_of_the_traffic_are_hot() -> None:
    faint = _line(line=9, sectors=8, ideal_sectors=4)
    clean = _line("shared load", line=10, wavefronts=400, ideal_wavefronts=400)
    ideal = _line(line=11, sectors=400, ideal_sectors=400)
    view = replace(EMPTY_VIEW, lines=(_LOAD, faint, clean, ideal, replace(_SHARED, line=2)))
    assert [line for line, _ in hot_lines(view)] == [2, 4]


def test_a_table_has_evidence_in_full_with_unit_method_and_grade() -> None:
    sectors = Evidence("E2", "global_sectors", 16777216, "sectors", 7, Method.EMULATOR, "emulator, sm_90 rules", Grade.ESTIMATED)
    table = kernel_table(replace(_PROFILED, evidence=(_OCCUPANCY, sectors), resources=(_RESOURCES,), check=_check(_PROBLEM)))
    assert "| occupancy |  | 75 %: resident warps over the most an SM holds | occupancy, sm_90, exact |" in table
    assert "| global sectors | 7 | 16,777,216 sectors | emulator, sm_90 rules, estimated |" in table
    assert "| 1 | 16 × 10 × 1 | 32 × 8 × 1 | PREDICTED 4.16 µs | ≥ 23 % of peak DRAM bandwidth | L2 bandwidth |" in table
    assert "| 256 | 75 % (48 of 64 warps) | registers |" in table
    assert table.splitlines()[2] == "- a.cu:7: writes past the end", "what is wrong comes first"


def test_a_kernels_page_begins_with_why_no_edit_was_found() -> None:
    in_vain = replace(_UNKNOWN, in_vain="1 edit tried, not faster; shared tile does not apply at line 4: the size of `a` is not known")
    assert kernel_page(in_vain, EMPTY_VIEW).splitlines()[:4] == [
        "**No edit found**",
        "",
        "- 1 edit tried, not faster",
        "- shared tile does not apply at line 4: the size of `a` is not known",
    ]
    assert kernel_page(_UNKNOWN, EMPTY_VIEW).startswith("**`k(float *)`**")


def test_a_line_of_which_nothing_is_known_has_no_table() -> None:
    assert line_table((), (Note("check", 4, 0, Severity.INFORMATION, "by the way", "kernelopt", "KO101"),)) == ""
