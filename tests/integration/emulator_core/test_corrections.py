"""Wide and atomic shared accesses as an H200 counts them, and accesses counted as nvcc's machine code does them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "data"
WIDE = json.loads((DATA / "h200" / "wide.json").read_text())["launches"]
DOUBLES, QUADS, ATOMICS = (13, 19), (14, 20), (21, 22)
UNSETTLED = 3
"""16-byte loads by partly active warps whose grouping no rule explains; the emulator marks them doubtful."""


@pytest.fixture
def patterns(build: Any, run: Any) -> list[list[dict[str, Any]]]:
    """Per launch, the sites of the kernel."""
    return run(build("h200/grade_wide.cu"))["sites"]


@pytest.fixture(scope="module")
def matmul(build: Any) -> Path:
    return build("h200/matmul.cu")


def hardware(launch: int, site: dict[str, Any]) -> tuple[int, int] | None:
    rows = [r for r in WIDE[launch]["lines"] if (r["line"], r["op"]) == (site["line"], site["op"])]
    return (rows[0]["wavefronts"], rows[0]["ideal_wavefronts"]) if rows else None


def of_lines(patterns: list[list[dict[str, Any]]], lines: tuple[int, ...]) -> list[tuple[dict[str, Any], tuple[int, int] | None]]:
    return [(s, hardware(i, s)) for i, sites in enumerate(patterns) for s in sites if s["line"] in lines and s["op"].startswith("shared")]


def test_8_byte_shared_accesses_take_the_wavefronts_of_an_h200(patterns: list[list[dict[str, Any]]]) -> None:
    rows = of_lines(patterns, DOUBLES)
    assert len(rows) == 72
    assert [(s["units"], s["ideal_units"]) for s, _ in rows] == [counts for _, counts in rows]


def test_16_byte_shared_accesses_do_so_or_are_marked_doubtful(patterns: list[list[dict[str, Any]]]) -> None:
    rows = of_lines(patterns, QUADS)
    wrong = [s for s, counts in rows if (s["units"], s["ideal_units"]) != counts]
    assert len(rows) == 72
    assert len(wrong) == UNSETTLED and all(s["doubtful_requests"] for s in wrong)


def test_shared_atomics_wait_for_every_lane_on_a_bank(patterns: list[list[dict[str, Any]]]) -> None:
    rows = of_lines(patterns, ATOMICS)
    assert len(rows) == 72
    assert [(s["serial_wavefronts"], 1) for s, _ in rows] == [counts for _, counts in rows]


def sites_of(run: Any, binary: Path, line: int, **options: Any) -> list[dict[str, Any]]:
    return [s for s in run(binary, **options)["sites"][1] if s["line"] == line and s["op"] == "shared load"]


def test_four_loads_in_a_row_are_counted_as_the_one_that_nvcc_does(run: Any, matmul: Path) -> None:
    (single,) = sites_of(run, matmul, 23)
    (fused,) = sites_of(run, matmul, 23, corrections=[{"addresses": [single["address"]], "fused_bytes": 16}])
    assert (fused["size_bytes"], fused["requests"]) == (16, single["requests"] // 4)
    assert (fused["units"], fused["ideal_units"]) == (262144, 262144)


def test_loads_that_do_not_follow_each_other_stay_single(run: Any, matmul: Path) -> None:
    (single,) = sites_of(run, matmul, 24)
    (same,) = sites_of(run, matmul, 24, corrections=[{"addresses": [single["address"]], "fused_bytes": 16}])
    assert same == single


def test_three_members_that_nvcc_loads_as_four_are_counted_as_the_one_access(run: Any, build: Any) -> None:
    binary = build("h200/unseen/nbody_tile.cu")

    def loads(**options: Any) -> list[dict[str, Any]]:
        return [s for s in run(binary, **options)["sites"][0] if (s["line"], s["op"]) == (43, "global load")]

    single = loads()
    assert [s["size_bytes"] for s in single] == [4, 4, 4]
    together = {"addresses": [s["address"] for s in single], "fused_bytes": 16}
    (whole,) = loads(corrections=[together])
    assert (whole["size_bytes"], whole["requests"], whole["units"], whole["ideal_units"]) == (16, 32, 500, 500)
    out_of_turn = {"addresses": [s["address"] for s in reversed(single)], "fused_bytes": 16}
    assert [(s["size_bytes"], s["units"]) for s in loads(corrections=[out_of_turn])] == [(4, s["units"]) for s in single]


def strided_loads(run: Any, binary: Path, pieces: list[int], address: int = 0) -> dict[str, Any]:
    """Of the first launch of functor_transform.cu that has a loop whose last warp's threads iterate 5 or 6 times."""
    used = [{"addresses": [address], "fused_bytes": 0, "pieces": pieces}] if pieces else []
    launches = run(binary, corrections=used)["sites"]
    return next(s for sites in launches for s in sites if (s["line"], s["op"]) == (22, "global load"))


def test_threads_with_fewer_iterations_run_other_pieces_of_an_unrolled_loop(run: Any, build: Any) -> None:
    binary = build("h200/unseen/functor_transform.cu")
    single = strided_loads(run, binary, [])
    dealt = strided_loads(run, binary, [1, 4], single["address"])
    assert (single["units"], single["tags"]) == (5002, 1251)
    assert (dealt["units"], dealt["ideal_units"], dealt["tags"]) == (5006, 5002, 1255)  # as the H200 counts (unseen.json)
    assert dealt["lanes"] == single["lanes"]


def test_iterations_that_no_piece_takes_are_counted_one_by_one(run: Any, build: Any) -> None:
    binary = build("h200/unseen/functor_transform.cu")
    single = strided_loads(run, binary, [])
    dealt = strided_loads(run, binary, [4], single["address"])
    assert (dealt["lanes"], dealt["units"]) == (single["lanes"], 5002)
