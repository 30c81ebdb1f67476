"""Every kind of defect is found at its line; correct kernels are silent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from assistant.emulator.__main__ import Emulator
from tests.thorough import first_of

DATA = Path(__file__).parents[2] / "data"
PROGRAM = "emulator/problems/bugs.cu"
HIDDEN = "emulator/problems/hidden.cu"
MANY_BLOCKS = "emulator/problems/many_blocks.cu"
STORED_BYTES = "emulator/problems/stored_bytes.cu"
VARIABLES = "emulator/problems/variables.cu"
ONE_INSTRUCTION = "emulator/problems/one_instruction.cu"
FLAVOURS = pytest.mark.parametrize("flavour", ["counted", "checked"])

# (kernel, kind, CUDA error that the host sees)
BUGS = [
    ("shared_race", "shared_race", "cudaSuccess"),
    ("missing_syncwarp", "missing_syncwarp", "cudaSuccess"),
    ("global_race", "global_race", "cudaSuccess"),
    ("out_of_bounds", "out_of_bounds", "cudaSuccess"),
    ("use_after_free", "use_after_free", "cudaErrorIllegalAddress"),
    ("uninitialised_shared", "uninitialised_read", "cudaSuccess"),
    ("uninitialised_global", "uninitialised_read", "cudaSuccess"),
    ("barrier_divergence", "barrier_divergence", "cudaSuccess"),
    ("bad_warp_mask", "bad_warp_mask", "cudaSuccess"),
    ("host_pointer", "host_pointer", "cudaErrorIllegalAddress"),
    ("wild_pointer", "wild_pointer", "cudaErrorIllegalAddress"),
    ("misaligned", "misaligned", "cudaErrorMisalignedAddress"),
    ("assertion", "assertion", "cudaErrorAssert"),
    ("dynamic_overflow", "out_of_bounds", "cudaSuccess"),
    ("bad_launch", "bad_launch", "cudaErrorInvalidConfiguration"),
]

# (kernel, kind): an optimising compiler removes one of the accesses
HIDDEN_BUGS = [
    ("forwarded", "shared_race"),
    ("forwarded_in_a_warp", "missing_syncwarp"),
    ("overwritten", "possible_shared_race"),  # the values that stay are equal
    ("never_read", "shared_race"),
    ("read_where_unused", "shared_race"),
    ("through_pointers", "shared_race"),
    ("never_written", "uninitialised_read"),
    ("global_forwarded", "global_race"),
    ("global_overwritten", "possible_global_race"),
]


def marked_line(kernel: str, kind: str, program: str = PROGRAM) -> int:
    """The line after the kernel's name that carries the comment ``// kind``."""
    lines = (DATA / program).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f"{kernel}(" in line or f'"{kernel}"' in line)
    return next(i for i in range(start, len(lines)) if lines[i].endswith(f"// {kind}")) + 1


@pytest.mark.parametrize("seed", [0, 3])
@FLAVOURS
@pytest.mark.parametrize(("kernel", "kind", "error"), BUGS)
def test_a_defect_is_reported_at_its_line(build: Any, run: Any, kernel: str, kind: str, error: str, flavour: str, seed: int) -> None:
    reply = run(build(PROGRAM, flavour), kernel, mode="check", seed=seed)
    assert reply["exit_status"] == 0
    assert Path(reply["stdout_path"]).read_text().split()[0] == error
    line = marked_line(kernel, kind)
    found = [p for p in reply["problems"] if p["kind"] == kind]
    assert any(line in (p["line"], p["other_line"]) for p in found), reply["problems"]


def test_endless_recursion_meets_the_guard_of_its_stack(build: Any, run: Any) -> None:
    reply = run(build(PROGRAM, "checked"), "recursion", mode="check")
    line = marked_line("recursion", "stack_overflow")
    assert [(p["kind"], p["line"]) for p in reply["problems"]] == [("stack_overflow", line)]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(("kernel", "kind"), HIDDEN_BUGS)
def test_a_defect_in_an_access_that_compilers_remove_is_reported(build: Any, run: Any, kernel: str, kind: str, seed: int) -> None:
    reply = run(build(HIDDEN, "checked"), kernel, mode="check", seed=seed)
    line = marked_line(kernel, kind, HIDDEN)
    assert any(p["kind"] == kind and line in (p["line"], p["other_line"]) for p in reply["problems"]), reply["problems"]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("kernel", ["own_elements", "after_barriers", "after_syncwarp", "guarded"])
def test_a_correct_kernel_is_silent_with_every_access_looked_at(build: Any, run: Any, kernel: str, seed: int) -> None:
    reply = run(build(HIDDEN, "checked"), kernel, mode="check", seed=seed)
    assert reply["problems"] == []


def test_a_race_names_both_accesses_block_and_thread(build: Any, run: Any) -> None:
    (problem,) = (p for p in run(build(PROGRAM), "shared_race", mode="check")["problems"] if p["kind"] == "shared_race")
    line = marked_line("shared_race", "shared_race")
    assert {problem["line"], problem["other_line"]} == {line - 1, line}
    assert problem["block"] == [0, 0, 0]
    assert problem["thread"][1:] == [0, 0]
    assert problem["address"]


@FLAVOURS
@pytest.mark.parametrize("seed", [0, 1, 6])
@pytest.mark.parametrize(
    ("kernel", "output", "told"),
    [("clean", "cudaSuccess 2 2", set()), ("lock_step", "cudaSuccess 48 52", {"lock_step"}), ("grid_phases", "cudaSuccess 3 3", set())],
)
def test_a_correct_kernel_is_silent(build: Any, run: Any, kernel: str, output: str, told: set[str], flavour: str, seed: int) -> None:
    reply = run(build(PROGRAM, flavour), kernel, mode="check", seed=seed)
    assert {p["kind"] for p in reply["problems"]} == told  # code for lock-step warps is right here, which is said
    assert Path(reply["stdout_path"]).read_text().strip() == output


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("kernel", ["skipped_barrier", "uneven_loop"])
def test_a_barrier_that_threads_pass_by_is_reported(build: Any, run: Any, kernel: str, seed: int) -> None:
    (problem,) = run(build(PROGRAM, "checked"), kernel, mode="check", seed=seed)["problems"]
    assert (problem["kind"], problem["line"]) == ("barrier_divergence", marked_line(kernel, "barrier_divergence"))
    assert "the others ran past it to the end" in problem["message"]


@FLAVOURS
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("kernel", ["barrier_after_exit", "guarded_body"])
def test_a_barrier_waits_for_no_thread_that_has_left(build: Any, run: Any, kernel: str, flavour: str, seed: int) -> None:
    """As compute-sanitizer's synccheck has it on an H200."""
    assert run(build(PROGRAM, flavour), kernel, mode="check", seed=seed)["problems"] == []


@FLAVOURS
@pytest.mark.parametrize("seed", [0, 1])
def test_a_spin_lock_across_warps_and_blocks_ends(build: Any, run: Any, flavour: str, seed: int) -> None:
    reply = run(build(PROGRAM, flavour), "spin_lock", mode="check", seed=seed)
    assert Path(reply["stdout_path"]).read_text().strip() == "cudaSuccess 0 512"
    assert {p["kind"] for p in reply["problems"]} == {"possible_missing_fence"}  # none stands behind the compare-and-swap


@FLAVOURS
def test_a_flag_that_many_threads_set_is_only_a_possible_race(build: Any, run: Any, flavour: str) -> None:
    reply = run(build(PROGRAM, flavour), "flag", mode="check")
    assert {p["kind"] for p in reply["problems"]} == {"possible_shared_race", "possible_global_race"}


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [
        ("same_byte", "possible_global_race"),
        ("same_bytes_side_by_side", "possible_global_race"),
        ("same_short", "possible_global_race"),
        ("other_byte", "global_race"),
        ("other_upper_half", "global_race"),
        ("shared_same_byte", "possible_shared_race"),
        ("shared_other_byte", "shared_race"),
    ],
)
def test_bytes_that_threads_store_to_one_place_race_where_they_differ(build: Any, run: Any, kernel: str, kind: str) -> None:
    problems = run(build(STORED_BYTES), kernel, mode="check")["problems"]
    assert {p["line"] for p in problems} == {marked_line(kernel, kind, STORED_BYTES)}
    assert {p["kind"] for p in problems} - {f"possible_{kind}"} == {kind}  # some of the bytes are equal


@pytest.mark.parametrize("flavour", first_of(["counted", "checked", "fast"], 2))
@pytest.mark.parametrize("kernel", ["endless", "endless_fence"])
def test_an_endless_kernel_ends_with_a_timeout_at_its_line(build: Any, run: Any, kernel: str, flavour: str) -> None:
    reply = run(build(PROGRAM, flavour), kernel, mode="check", limits={"wall_s": 8.0})
    assert Path(reply["stdout_path"]).read_text().split()[0] == "cudaErrorLaunchTimeout"
    assert not reply["timed_out"]
    assert [(p["kind"], p["line"]) for p in reply["problems"]] == [("timeout", marked_line(kernel, "timeout"))]


def test_an_endless_kernel_that_begins_late_ends_before_the_program_has_to(build: Any, run: Any) -> None:
    reply = run(build(PROGRAM, "counted"), "late_endless", mode="check", limits={"wall_s": 8.0})
    assert not reply["timed_out"]
    assert [(p["kind"], p["line"]) for p in reply["problems"]] == [("timeout", marked_line("endless", "timeout"))]


def test_an_assertion_of_host_code_ends_the_program_as_the_c_library_does(build: Any, run: Any) -> None:
    reply = run(build(PROGRAM), "host_assertion", mode="check")
    assert reply["signal"] == "SIGABRT"
    said = Path(reply["stderr_path"]).read_text()
    assert f"bugs.cu:{marked_line('host_assertion', 'host_assertion')}: int main(int, char**): Assertion `d == nullptr' failed." in said
    assert "thread" not in said


@pytest.mark.parametrize("kernel", ["wild_pointer", "use_after_free"])
def test_a_fast_build_survives_a_wild_access(build: Any, run: Any, kernel: str) -> None:
    reply = run(build(PROGRAM, "fast"), kernel, mode="plain")
    assert reply["exit_status"] == 0
    assert Path(reply["stdout_path"]).read_text().split()[0] == "cudaErrorIllegalAddress"
    assert [(p["kind"], p["line"]) for p in reply["problems"]] == [(kernel, marked_line(kernel, kernel))]


@FLAVOURS
@pytest.mark.parametrize("kernel", ["beyond_zeros", "beyond_values"])
def test_a_write_beyond_the_last_variable_changes_nothing_of_the_emulator(build: Any, run: Any, kernel: str, flavour: str) -> None:
    reply = run(build(VARIABLES, flavour), kernel, mode="check")
    assert reply["exit_status"] == 0
    (problem,) = [found for found in reply["problems"] if found["kind"] == "out_of_bounds"]
    assert problem["line"] == marked_line(kernel, "out_of_bounds", VARIABLES)
    assert f"-byte variable {'table' if kernel == 'beyond_zeros' else 'started'}" in problem["message"]


def test_a_host_write_is_stopped_before_it_does_damage(build: Any, run: Any) -> None:
    assert run(build(PROGRAM), "host_pointer", mode="count")["exit_status"] == 0  # main returns the overwritten element


@FLAVOURS
def test_a_shared_tile_of_halves_is_silent(build: Any, run: Any, flavour: str) -> None:
    reply = run(build("emulator/problems/half_tile.cu", flavour), mode="check")
    assert (reply["exit_status"], reply["problems"]) == (0, [])
    assert {s["line"] for s in reply["sites"][0] if s["op"].startswith("shared")} == {7, 8, 10}


@FLAVOURS
def test_problems_on_the_same_line_are_distinguished_by_their_cause(build: Any, run: Any, flavour: str) -> None:
    problems = run(build("emulator/problems/sides.cu", flavour), mode="check")["problems"]
    reports = {(p["line"], p["message"].split(" bytes", 1)[1], p["count"]) for p in problems if p["kind"] == "out_of_bounds"}
    assert reports == {
        (4, ", 4 bytes before an allocation of 4000 bytes, number 1 of 3 such", 2),
        (4, " at offset 4000 of an allocation of 4000 bytes, number 1 of 3 such", 2),
        (4, " at offset 4000 of an allocation of 4000 bytes, number 2 of 3 such", 2),
    }
    arrays = {(p["argument"], p["offset_bytes"], p["kernel"]) for p in problems if p["kind"] == "out_of_bounds"}
    kernel = "blur(float const*, float const*, float*, int)"
    assert arrays == {(0, -4, kernel), (0, 4000, kernel), (1, 4000, kernel)}
    refused = [(p["line"], p["message"].split(" ", 2)[:2], p["count"]) for p in problems if p["kind"] == "bad_launch"]
    assert refused == [(16, ["a", "block"], 1), (16, ["more", "than"], 1)]


@pytest.mark.parametrize("seed", first_of([0, 3, 2], 2))
@FLAVOURS
@pytest.mark.parametrize(
    ("kernel", "kind", "count"), [("far", "wild_pointer", 1), ("trapped", "trap", 1), ("near", "out_of_bounds", 59 * 25)]
)
def test_of_many_blocks_with_a_defect_the_lowest_is_named(
    build: Any, run: Any, kernel: str, kind: str, count: int, flavour: str, seed: int
) -> None:
    reply = run(build(MANY_BLOCKS, flavour), kernel, mode="check", seed=seed)
    (problem,) = [p for p in reply["problems"] if p["kind"] != "unsupported"]
    assert (problem["kind"], problem["line"], problem["count"]) == (kind, marked_line(kernel, kind, MANY_BLOCKS), count)
    first_thread = 31 if kernel == "far" and seed == 3 else 7  # a block's threads run backwards there, and a fault is its last access
    assert (problem["block"], problem["thread"]) == ([5, 0, 0], [first_thread, 0, 0])


def test_blocks_that_wait_for_one_that_fails_do_not_keep_the_launch(build: Any, run: Any) -> None:
    reply = run(build(MANY_BLOCKS, "checked"), "waited_for", mode="check")
    found = [(p["kind"], p["line"], p["block"]) for p in reply["problems"] if p["kind"] == "wild_pointer"]
    assert found == [("wild_pointer", marked_line("waited_for", "wild_pointer", MANY_BLOCKS), [63, 0, 0])]
    assert Path(reply["stdout_path"]).read_text() == "cudaErrorIllegalAddress\n"


def test_a_launch_may_end_while_other_threads_begin_their_first_blocks(build: Any, tmp_path: Path) -> None:
    many = Emulator({**os.environ, "EMU_WORKERS": "16"}, tmp_path)
    binary = build("emulator/problems/every_block_faults.cu", "fast")
    message = {"op": "run", "binary": str(binary), "cwd": str(tmp_path), "args": [], "mode": "plain"}
    for _ in range(60):
        reply = many.reply(message)
        assert (reply["signal"], Path(reply["stdout_path"]).read_text()) == (None, "cudaErrorIllegalAddress\n")


@FLAVOURS
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("kernel", ["two_a_place", "two_wide", "a_variable"])
def test_lanes_that_store_other_values_to_one_place_in_one_instruction_race(
    build: Any, run: Any, kernel: str, flavour: str, seed: int
) -> None:
    (problem,) = run(build(ONE_INSTRUCTION, flavour), kernel, mode="check", seed=seed)["problems"]
    assert (problem["kind"], problem["line"]) == ("global_race", marked_line(kernel, "global_race", ONE_INSTRUCTION))
    assert "of the same warp writes another value there" in problem["message"]


@FLAVOURS
@pytest.mark.parametrize("kernel", ["a_flag", "same_pairs", "own_places", "in_turn", "whole_structs"])
def test_lanes_that_store_the_same_to_their_own_place_or_in_turn_do_not_race(build: Any, run: Any, kernel: str, flavour: str) -> None:
    assert run(build(ONE_INSTRUCTION, flavour), kernel, mode="check")["problems"] == []
