"""Cases of one replay do not touch each other, however one ends."""

from __future__ import annotations

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
    message = {"op": "replay", "binary": str(binary), "out": str(folder / "out"), "cases": cases, "limits": {"wall_s": 3.0}}
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
