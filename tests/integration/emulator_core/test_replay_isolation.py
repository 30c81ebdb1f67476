"""Cases of one replay do not touch each other, however one ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.emulator.__main__ import Emulator

PROGRAM = "emulator/problems/ending.cu"
KERNELS = ("count", "killed", "gone", "hangs")


@pytest.fixture(scope="module")
def endings(emulator: Emulator, build: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Replies to ``count``, each other kernel in its place, and ``count`` again."""
    binary = build(PROGRAM, "counted", KERNELS)
    folder = tmp_path_factory.mktemp("endings")
    emulator.reply({"op": "run", "binary": str(binary), "cwd": str(folder), "record": str(folder)})
    kernels = (*KERNELS, "count")
    cases = [{"recording": str(folder), "launches": [0], "kernels": [kernel]} for kernel in kernels]
    message = {
        "op": "replay",
        "binary": str(binary),
        "out": str(folder / "out"),
        "cases": cases,
        "limits": {"wall_s": 3.0},
        "patience": 1.0,
    }
    replies = emulator.reply(message | {"mode": "count"})["cases"]
    return dict(zip(("first", *KERNELS[1:], "last"), replies, strict=True))


def test_each_case_says_how_it_ended(endings: dict[str, dict[str, Any]]) -> None:
    errors = {name: reply["error"] for name, reply in endings.items()}
    assert errors == {"first": None, "killed": "crashed: signal 9", "gone": "crashed: no result", "hangs": "timed out", "last": None}


def test_cases_before_and_after_have_their_own_results(endings: dict[str, dict[str, Any]]) -> None:
    first, last = endings["first"], endings["last"]
    assert first["ok"]
    assert first == last
    assert first["after"]
    assert [profile["kernel"] for profile in first["profiles"]] == ["count(Memory*)"]


def test_a_case_has_processor_time_so_that_what_is_checked_does_not_depend_on_other_processes(
    emulator: Emulator, build: Any, tmp_path: Path
) -> None:
    """A kernel that rests for half as long again as its case has takes next to none; by the clock it has four times as long."""
    binary = build(PROGRAM, "counted", (*KERNELS, "rests"))
    emulator.reply({"op": "run", "binary": str(binary), "cwd": str(tmp_path), "record": str(tmp_path)})
    message = {"op": "replay", "binary": str(binary), "out": str(tmp_path / "out"), "limits": {"wall_s": 1.0}, "mode": "count"}

    def error(kernel: str, patience: float) -> str | None:
        case = {"recording": str(tmp_path), "launches": [0], "kernels": [kernel]}
        (reply,) = emulator.reply(message | {"cases": [case], "patience": patience})["cases"]
        return reply["error"]

    assert (error("rests", 4.0), error("rests", 1.0)) == (None, "cudaErrorLaunchTimeout")


def test_a_program_that_rests_between_its_launches_is_counted_whole(build: Any, run: Any) -> None:
    """It rests for 0.9 s in all; its launches and what it does itself take next to nothing of the half second that they have."""
    reply = run(build("emulator/resting.cu"), limits={"whole_s": 0.5})
    assert len(reply["profiles"]) == 6
