"""What the emulator does not run stops its own launch: all else of the program is run, and what was left out is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SOURCE = "emulator/problems/mixed_support.cu"
LEFT_OUT = [
    "not run: cuRAND (mixed_support.cu:9)",
    "not run: inline PTX (.reg .u32 r) (mixed_support.cu:14)",
    "not run: kernel launches from device code (dynamic parallelism) (mixed_support.cu:18)",
]


@pytest.mark.parametrize(("flavour", "mode"), [("counted", "count"), ("checked", "check")])
def test_a_kernel_that_cannot_be_run_fails_by_name_and_the_others_run(build: Any, run: Any, flavour: str, mode: str) -> None:
    reply = run(build(SOURCE, flavour), mode=mode)
    assert reply["exit_status"] == 1
    assert Path(reply["stdout_path"]).read_text() == "cudaErrorNotSupported\n0\n"
    assert reply["unsupported"] == [*LEFT_OUT, "stopped at: cublasSscal of cuBLAS (mixed_support.cu:39)"]
    refused = [(p["line"], p["message"]) for p in reply["problems"] if p["kind"] == "unsupported"]
    assert refused == [
        (9, "the emulator does not run cuRAND"),
        (14, "the emulator does not run inline PTX (.reg .u32 r)"),
        (18, "the emulator does not run kernel launches from device code (dynamic parallelism)"),
    ]
    assert [profile["blocks_counted"] for profile in reply["profiles"]] == [1, 0, 0, 0, 1]


def test_a_host_function_that_cannot_be_run_ends_the_program(build: Any, run: Any) -> None:
    reply = run(build(SOURCE), "sort", mode="count")
    assert reply["exit_status"] == 1
    assert reply["unsupported"] == [*LEFT_OUT, "stopped at: Thrust (mixed_support.cu:20)"]
    assert reply["launch_count"] == 5


@pytest.mark.parametrize(("arguments", "launches", "place"), [((), 3, 39), (("a", "b"), 1, 31), (("a", "b", "c", "d"), 1, 17)])
def test_a_program_runs_up_to_what_it_needs_and_is_not_run(
    build: Any, run: Any, arguments: tuple[str, ...], launches: int, place: int
) -> None:
    reply = run(build("emulator/problems/thrust_among_others.cu"), *arguments, mode="count")
    assert reply["exit_status"] == 1
    assert reply["unsupported"] == [f"stopped at: Thrust (thrust_among_others.cu:{place})"]
    assert [profile["kernel"] for profile in reply["profiles"]] == ["scale(float*, int)"] * launches


@pytest.mark.parametrize("program", ["textures", "tensor_cores"])
def test_launches_that_use_what_is_not_modelled_have_no_counters(build: Any, run: Any, program: str) -> None:
    reply = run(build(f"emulator/programs/{program}.cu"), mode="count", launch_limit=2)
    assert [(profile["blocks_counted"], profile["accesses"]) for profile in reply["profiles"]] == [(0, []), (0, [])]
    (told,) = reply["unsupported"]
    assert told.startswith("not modelled: ")


def test_a_product_of_fragments_writes_nowhere_else(build: Any, run: Any) -> None:
    reply = run(build("emulator/problems/fragment_elsewhere.cu"), mode="check")
    assert Path(reply["stdout_path"]).read_text() == "cudaErrorIllegalAddress 0\n"
    assert [(p["kind"], p["line"]) for p in reply["problems"]] == [("wild_pointer", 14)]
