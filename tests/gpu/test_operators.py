"""PyTorch tasks and candidates on a GPU: every example of the repository, right, wrong and cheating, by emulator and GPU together."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.test_operators import ASKS, BY_LIBRARY, CHEATS, TASKS, WRONG, candidate_of
from tests.integration.lab.test_torch_sides import (  # where there is a GPU, PyTorch's process must not have asked its driver
    sides,
    test_what_a_candidate_does_to_pytorch_is_gone_the_next_time,
)

__all__ = ["sides", "test_what_a_candidate_does_to_pytorch_is_gone_the_next_time"]

ASKS_HERE = {**ASKS, "layer_norm": {"nan_behaviour"}, "bias_gelu_residual": {"nan_behaviour"}}
"""PyTorch's kernels for GPUs take infinities and huge numbers in other ways than those for CPUs, which these candidates follow."""
ROOT = Path(__file__).parents[2]
DEADLINE_S = 400


def compared(*arguments: object) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """The exit code of ``compare``, and its events by name."""
    command = (sys.executable, "-P", "-m", "assistant", "compare", *map(str, arguments), "--device", "gpu:0", "--json")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    found: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        event = json.loads(line)
        found.setdefault(event["event"], []).append(event)
    assert "comparison" in found, (done.stdout[-2000:], done.stderr[-2000:])
    return done.returncode, found


@pytest.mark.parametrize("name", ["right", "wrong", "cheating"])
@pytest.mark.parametrize("folder", TASKS, ids=lambda folder: folder.name)
def test_each_example_gets_its_verdict(folder: Path, name: str) -> None:
    """The right one passes and is timed, both others fail, the cheating one for what it does."""
    further = ("--only-custom",) if name == "cheating" and folder.name in BY_LIBRARY else ()
    code, found = compared(folder / "task.py", candidate_of(folder, name), *further)
    (verdict,) = found["comparison"]
    said = [(finding["code"], finding["outcome"], finding["message"]) for finding in verdict["verification"]["findings"]]
    right = "NEEDS_DECISION" if folder.name in ASKS_HERE else "PASS"
    assert (code, verdict["verification"]["outcome"]) == ((0, right) if name == "right" else (1, "FAIL")), said
    assert verdict["device"]["kind"] == "gpu"
    codes = {code for code, _, _ in said}
    if name == "right":
        assert codes == ASKS_HERE.get(folder.name, set()), said
        assert "operator_timed" in found, verdict["verification"]["missing_checks"]
        (timed,) = found["operator_timed"]
        times = {time["name"]: time for time in timed["times"]}
        assert {"eager", "compile", "candidate"} <= times.keys() and all(time["device_s"] > 0 for time in times.values())
        assert times["eager"]["kernels"] and times["compile"]["kernels"] and not times["candidate"]["kernels"]
        speed, quotient = verdict["speed"], times["eager"]["call_s"] / times["candidate"]["call_s"]
        assert 0.9 * speed["low"] <= quotient <= 1.1 * speed["high"], (speed, quotient)  # of small calls the host's time moves by as much
    elif name == "cheating":
        assert codes & CHEATS[folder.name], said
    else:
        assert codes & WRONG.get(folder.name, {"wrong_value"}), said
