"""Counters of kernels that can be worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PROGRAM = "emulator/counters/patterns.cu"


@pytest.fixture
def launches(build: Any, run: Any) -> list[dict[str, Any]]:
    return run(build(PROGRAM))["profiles"]


def access(launch: dict[str, Any], op: str) -> dict[str, Any]:
    (found,) = (a for a in launch["accesses"] if a["op"] == op)
    return found


def check(launch: dict[str, Any], op: str, **expected: int) -> None:
    found = access(launch, op)
    assert {name: found[name] for name in expected} == expected


def test_a_coalesced_warp_reads_four_sectors(launches: list[dict[str, Any]]) -> None:
    check(launches[0], "global load", requests=1, active_threads=32, sectors=4, ideal_sectors=4, tags=1, passes=1, size_bytes=4)
    check(launches[0], "global store", requests=1, active_threads=32, sectors=4, ideal_sectors=4)


def test_a_stride_of_a_sector_reads_one_sector_per_lane(launches: list[dict[str, Any]]) -> None:
    check(launches[1], "global load", sectors=32, ideal_sectors=4, tags=8, passes=8)


def test_the_ideal_of_a_broadcast_is_what_it_costs(launches: list[dict[str, Any]]) -> None:
    check(launches[2], "global load", sectors=1, ideal_sectors=1, tags=1, passes=1)


def test_a_shift_by_one_word_costs_a_fifth_sector(launches: list[dict[str, Any]]) -> None:
    check(launches[3], "global load", sectors=5, ideal_sectors=4, tags=2, passes=1)


def test_a_vector_access_is_one_request_of_sixteen_bytes(launches: list[dict[str, Any]]) -> None:
    check(launches[4], "global load", requests=1, sectors=16, ideal_sectors=16, tags=4, passes=4, size_bytes=16)


def test_a_partly_active_warp_counts_its_active_lanes(launches: list[dict[str, Any]]) -> None:
    check(launches[5], "global store", requests=1, active_threads=5, sectors=1, ideal_sectors=1)


@pytest.mark.parametrize(("index", "ways"), [(6, 1), (7, 2), (8, 32), (9, 1)])
def test_bank_conflicts_are_wavefronts(launches: list[dict[str, Any]], index: int, ways: int) -> None:
    check(launches[index], "shared load", requests=1, wavefronts=ways, ideal_wavefronts=1)
    check(launches[index], "shared store", requests=1, wavefronts=ways, ideal_wavefronts=1)


def test_eight_byte_shared_accesses_go_by_half_warps(launches: list[dict[str, Any]]) -> None:
    check(launches[10], "shared store", wavefronts=2, ideal_wavefronts=2)
    check(launches[10], "shared load", wavefronts=2, ideal_wavefronts=2)


def test_atomics_belong_to_the_users_line(launches: list[dict[str, Any]]) -> None:
    check(launches[11], "global atomic", requests=1, sectors=2, line=36)


def test_constant_tables_in_device_memory_are_loads(build: Any, run: Any) -> None:
    reply = run(build("emulator/counters/tables.cu"))
    assert reply["exit_status"] == 0
    loads = {a["line"]: (a["requests"], a["sectors"]) for a in reply["profiles"][0]["accesses"] if a["op"] == "global load"}
    assert loads == {9: (1, 4), 10: (1, 1), 11: (1, 32)}


@pytest.mark.parametrize(("flavour", "mode"), [("counted", "count"), ("checked", "check")])
def test_objects_that_kernels_make_and_free_are_counted_recorded_and_no_mistake(
    build: Any, run: Any, tmp_path: Path, flavour: str, mode: str
) -> None:
    reply = run(build("emulator/counters/objects_freed.cu", flavour), mode=mode, record=str(tmp_path / "recording"))
    assert (reply["exit_status"], reply["signal"], reply["problems"]) == (0, None, [])
    create, use, destroy = reply["profiles"]
    assert sum(a["requests"] for a in create["accesses"] if a["op"] == "global store") >= 3  # class, side, pointer
    check(use, "global store", active_threads=32)
    assert any(a["op"] == "global load" for a in destroy["accesses"])


def test_a_divergent_loop_reconverges(launches: list[dict[str, Any]]) -> None:
    """16 lanes stop after two rounds, 16 go on for a third: three requests of the body, one of the store."""
    check(launches[12], "global store", requests=1, active_threads=32)
    body = next(a for a in launches[12]["accesses"] if a["line"] == 41 and a["op"] == "global load")
    assert (body["requests"], body["active_threads"]) == (3, 16 * 2 + 16 * 3)
    assert sum(e["divergent_branches"] for e in launches[12]["executions"]) == 1


def test_unique_sectors_count_once_per_block_and_once_per_grid(launches: list[dict[str, Any]]) -> None:
    """64 blocks of 64 threads read the same 8 sectors and write 8 of their own."""
    assert launches[13]["block_unique_sectors"] == 64 * (8 + 8)
    assert launches[13]["unique_sectors"] == 8 + 64 * 8


def test_sectors_of_atomics_are_counted_apart_from_the_others(launches: list[dict[str, Any]]) -> None:
    assert launches[11]["atomic_unique_sectors"] == 2
    assert launches[13]["atomic_unique_sectors"] is None


def test_uneven_warps_and_blocks_are_noticed(build: Any, run: Any) -> None:
    """Blocks of 1, 2, 3 and 4 parts of work, all of it in the first of two warps."""
    spread = run(build("emulator/counters/uneven.cu"))["profiles"][0]["spread"]
    assert spread["longest_block_ratio"] == pytest.approx(4 / 2.5, rel=0.02)
    assert spread["longest_warp_ratio"] == pytest.approx(4 / 1.25, rel=0.02)
    assert spread["block_deviation_ratio"] == pytest.approx(1.25**0.5 / 2.5, rel=0.02)


def test_sampling_scales_and_says_so(build: Any, run: Any) -> None:
    launch = run(build(PROGRAM), sample_blocks=16)["profiles"][13]
    assert launch["blocks_counted"] == 16
    load = access(launch, "global load")
    assert (load["requests"], load["sectors"]) == (128, 512)
    assert load["grade"] == "estimated"
    assert load["grade_reason"] == "16 of 64 blocks counted"
    assert launch["unique_sectors"] is None


def test_launches_beyond_the_limit_are_only_counted(build: Any, run: Any) -> None:
    reply = run(build(PROGRAM), launch_limit=3)
    assert (len(reply["profiles"]), reply["launch_count"]) == (3, 14)


def test_sites_carry_the_executions_of_their_basic_block(build: Any, run: Any) -> None:
    reply = run(build(PROGRAM))
    (site,) = (s for s in reply["sites"][12] if s["line"] == 41 and s["op"] == "global load")
    assert (site["block_executions"], site["is_unordered"]) == (3, False)


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_counters_do_not_depend_on_the_schedule(build: Any, run: Any, launches: list[dict[str, Any]], seed: int) -> None:
    assert run(build(PROGRAM), seed=seed)["profiles"] == launches


def test_a_program_without_hooks_runs_and_counts_nothing(build: Any, run: Any) -> None:
    reply = run(build(PROGRAM, "fast"))
    assert all(not launch["accesses"] and launch["blocks_counted"] == 0 for launch in reply["profiles"])
    assert reply["launch_count"] == 14
