"""What a GPU does and a run of one thread after another hides: found where it is wrong, and nothing said where it is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.emulator.__main__ import Emulator
from tests.thorough import first_of

PROBLEMS = Path(__file__).parents[2] / "data" / "emulator" / "problems"

WRONG = {
    "async": {
        "no_wait": "async_copy_not_awaited",
        "own_no_wait": "async_copy_not_awaited",
        "not_committed": "async_copy_not_awaited",
        "weak_wait": "async_copy_not_awaited",
        "last_tile_not_awaited": "async_copy_not_awaited",
        "no_barrier_behind_the_wait": "shared_race",
        "barrier_before_the_wait": "shared_race",
        "stage_reused_too_early": "shared_race",
        "source_overwritten": "async_source_overwritten",
        "destination_cleared": "async_copy_not_awaited",
        "group_not_awaited": "async_copy_not_awaited",
        "group_weakly_awaited": "async_copy_not_awaited",
        "one_thread_waits": "async_copy_not_awaited",
        "structs_not_awaited": "async_copy_not_awaited",
    },
    "order": {
        "no_fence": "missing_fence",
        "fence_too_early": "missing_fence",
        "fence_of_the_block": "missing_fence",
        "fence_of_another_thread": "global_race",
        "volatile_without_fence": "possible_missing_fence",
        "ticket_of_the_block": "global_race",
        "counted_without_fence": "missing_fence",
        "first_lane_too_early": "missing_syncwarp",
        "flag_without_fence": "missing_fence",
        "reader_without_fence": "possible_missing_fence",
        "unlocked_without_fence": "missing_fence",
    },
    "stale": {
        "ldg_behind_a_barrier": "stale_read",
        "ldg_of_its_own": "stale_read",
        "ldg_behind_a_grid_barrier": "stale_read",
        "ldg_of_a_vector": "stale_read",
        "ldg_of_a_variable": "stale_read",
        "parameter_to_a_variable": "stale_read",
        "through_a_restrict_parameter": "stale_read",
        "through_a_derived_pointer": "stale_read",
    },
    "lanes": {
        "beyond_the_block": "inactive_lane_read",
        "after_an_early_return": "inactive_lane_read",
        "outside_the_mask": "inactive_lane_read",
        "lanes_that_do_not_come": "bad_warp_mask",
        "through_global_memory": "missing_syncwarp",
        "shifted_in_place": "missing_syncwarp",
        "lock_step": "lock_step",
    },
    "bytes": {
        "bytes_as_words_too_early": "shared_race",
        "byte_of_another_block": "global_race",
        "byte_of_another_lane": "missing_syncwarp",
        "word_as_bytes": "global_race",
        "same_bytes": "possible_global_race",
        "other_bytes": "global_race",
    },
}
RIGHT = {
    "async": (
        "waits", "double_buffered", "three_stages", "four_stages", "filled_tail", "groups", "tiles_of_a_warp", "one_warp_copies", "structs",
    ),
    "order": (
        "last_block", "last_block_all_fence", "last_thread", "fence_behind_a_barrier", "counted", "first_lane", "locked",
        "chained_by_ticket", "hand_made_barrier",
    ),
    "stale": ("in_place", "two_halves", "ldg_of_an_input", "ldg_of_an_earlier_launch"),
    "waits": ("cooperative", "takes_a_ticket", "takes_a_lock"),
    "lanes": (
        "whole_warps", "segments", "guarded_tail", "counted_together", "counted_by_groups", "ballot_of_a_short_warp", "ordered_global",
        "own_elements", "ordered_volatile", "activemask_of_a_branch",
    ),
    "bytes": ("negative", "behind_the_first", "own_halves", "bytes_as_words"),
}  # fmt: skip
ONE_ORDER = {
    0: {
        "waits_for_the_next": "co_residency",
        "spin_barrier": "co_residency",
        "counts_until_all_came": "co_residency",
    },
    3: {"waits_for_the_previous": "block_order"},
}
"""By seed: an odd one starts the last block first. Then a block that waits for all others seems to wait for one of lower index."""


def cases(table: dict[str, Any]) -> list[Any]:
    return [(file, kernel) for file, kernels in table.items() for kernel in kernels]


def marked_line(file: str, kernel: str, kind: str) -> int:
    """The first line behind the kernel's name that ends in ``// kind``; a template's helper may stand in front of it."""
    lines = (PROBLEMS / f"{file}.cu").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f" {kernel}(" in line)
    marked = [i for i, line in enumerate(lines) if line.endswith(f"// {kind}")]
    end = next(i for i in range(start, len(lines)) if lines[i] == "}")
    inside = [i for i in marked if start <= i <= end]
    return (inside or [i for i in marked if i < start][-1:])[0] + 1


def places(reply: dict[str, Any], kind: str) -> set[int]:
    return {line for p in reply["problems"] if p["kind"] == kind for line in (p["line"], p["other_line"]) if line}


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("file", "kernel"), cases(WRONG))
def test_what_is_wrong_on_a_gpu_is_reported_at_its_line(build: Any, run: Any, file: str, kernel: str, seed: int) -> None:
    kind = WRONG[file][kernel]
    reply = run(build(f"emulator/problems/{file}.cu", "checked"), kernel, mode="check", seed=seed)
    assert marked_line(file, kernel, kind) in places(reply, kind), reply["problems"]
    assert all(p["block"] is not None and p["thread"] is not None for p in reply["problems"])


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("file", "kernel"), cases(RIGHT))
def test_what_is_right_on_a_gpu_is_silent(build: Any, run: Any, file: str, kernel: str, seed: int) -> None:
    reply = run(build(f"emulator/problems/{file}.cu", "checked"), kernel, mode="check", seed=seed)
    assert reply["problems"] == []
    assert Path(reply["stdout_path"]).read_text().startswith("cudaSuccess")


@pytest.mark.parametrize(("seed", "kernel"), cases(ONE_ORDER))
def test_a_wait_for_a_block_is_seen_when_that_block_starts_later(build: Any, run: Any, seed: int, kernel: str) -> None:
    kind = ONE_ORDER[seed][kernel]
    reply = run(build("emulator/problems/waits.cu", "checked"), kernel, mode="check", seed=seed)
    (problem,) = reply["problems"]
    assert (problem["kind"], problem["line"]) == (kind, marked_line("waits", kernel, kind))
    assert "6" in problem["message"]  # how many blocks the launch has


def test_a_warp_that_polls_by_plain_loads_goes_on(build: Any, run: Any) -> None:
    reply = run(build("emulator/problems/waits.cu", "checked"), "warp_waits_for_a_warp", mode="check")
    assert Path(reply["stdout_path"]).read_text() == "cudaSuccess 7\n"
    assert marked_line("waits", "warp_waits_for_a_warp", "plain_poll") in places(reply, "plain_poll")


def test_a_block_that_polls_by_plain_loads_goes_on(build: Any, run: Any) -> None:
    reply = run(build("emulator/problems/order.cu", "checked"), "plain_flag", mode="check")
    assert Path(reply["stdout_path"]).read_text() == "cudaSuccess right\n"
    assert marked_line("order", "plain_flag", "plain_poll") in places(reply, "plain_poll")
    assert "global_race" in {p["kind"] for p in reply["problems"]}


@pytest.mark.parametrize("flavour", ["fast", "counted"])
@pytest.mark.parametrize(
    ("kernel", "is_right"), [("no_wait", False), ("last_tile_not_awaited", False), *((k, True) for k in RIGHT["async"])]
)
def test_what_is_not_awaited_is_not_there_in_any_flavour(build: Any, run: Any, kernel: str, is_right: bool, flavour: str) -> None:
    reply = run(build("emulator/problems/async.cu", flavour), kernel, mode="plain")
    wrong = int(Path(reply["stdout_path"]).read_text().split()[1])
    assert (wrong == 0) == is_right


@pytest.mark.parametrize(
    ("kernel", "load", "store"),
    [
        ("waits", (12, 48), (12, 12)),
        ("filled_tail", (12, 48), (12, 12)),
        ("one_warp_copies", (6, 48), (6, 12)),
        ("groups", (12, 48), (12, 12)),
    ],
)
def test_an_asynchronous_copy_counts_as_one_load_and_one_store(
    build: Any, run: Any, kernel: str, load: tuple[int, int], store: tuple[int, int]
) -> None:
    """(requests, sectors or wavefronts) of six tiles of 64 floats; waiting counts nothing."""
    (sites,) = run(build("emulator/problems/async.cu", "counted"), kernel)["sites"]
    by_kind = {op: [s for s in sites if s["op"] == op] for op in ("global load", "shared store")}
    counted = {op: tuple(sum(s[name] for s in found) for name in ("requests", "units")) for op, found in by_kind.items()}
    assert (counted["global load"], counted["shared store"]) == (load, store)


Replayed = Callable[..., dict[str, Any]]


@pytest.fixture
def replayed(emulator: Emulator, build: Any, run: Any, tmp_path: Path) -> Replayed:
    """A program's only launch, replayed with every check."""

    def replay(file: str, kernel: str, **case: Any) -> dict[str, Any]:
        """The replayed case of a recording that the program made a moment before."""
        binary = build(f"emulator/problems/{file}.cu", "checked", (kernel,))
        folder = tmp_path / f"{file}-{kernel}"
        run(binary, kernel, mode="check", record=str(folder))
        fields = {"binary": str(binary), "out": str(tmp_path / "out"), "mode": "check"}
        reply = emulator.reply({"op": "replay", "cases": [{"recording": str(folder), "launches": [0], **case}], **fields})
        assert "failure" not in reply, reply
        (found,) = reply["cases"]
        assert found["ok"], found
        return found

    return replay


@pytest.mark.parametrize(
    ("kernel", "kinds"),
    first_of(
        [
            ("beyond_the_block", {"inactive_lane_value"}),
            ("half_a_warp", set()),
            ("activemask_of_a_branch", {"convergence_assumed"}),
            ("after_an_early_return", {"inactive_lane_value"}),
            ("outside_the_mask", {"inactive_lane_value"}),
            ("counted_together", set()),
            ("counted_by_groups", set()),
        ],
        3,
    ),
)
def test_a_replay_shows_whether_absent_lanes_matter(replayed: Replayed, kernel: str, kinds: set[str]) -> None:
    assert {p["kind"] for p in replayed("lanes", kernel)["problems"]} == kinds


@pytest.mark.parametrize(
    ("file", "kernel", "kinds"),
    first_of(
        [
            ("waits", "spin_barrier", {"co_residency"}),
            ("waits", "waits_for_the_previous", {"block_order"}),
            ("waits", "takes_a_ticket", set()),
            ("order", "neighbour_without_a_wait", {"global_race"}),
            ("waits", "waits_for_the_next", {"co_residency"}),
            ("waits", "takes_a_lock", set()),
            ("order", "flags", {"block_order"}),
            ("order", "last_block", set()),
        ],
        4,
    ),
)
@pytest.mark.parametrize("seed", [0, 1, 6])
def test_a_replay_tries_both_orders_of_blocks(replayed: Replayed, file: str, kernel: str, kinds: set[str], seed: int) -> None:
    assert {p["kind"] for p in replayed(file, kernel, seed=seed)["problems"]} == kinds


def test_a_cooperative_launch_is_one_when_it_is_replayed(replayed: Replayed) -> None:
    assert replayed("order", "hand_made_barrier")["problems"] == []
