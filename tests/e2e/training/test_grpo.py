"""The training recipe from an empty environment to its figures: GRPO with TRL on rewards of the real judge, on a CPU."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import ROOT

pytestmark = pytest.mark.thorough

_INSTALL_DEADLINE_S = 1800.0
_TRAIN_DEADLINE_S = 3600.0
"""Of six runs: minutes on an idle core."""
PYTHON = ROOT / ".packages" / "trl" / "bin" / "python"


@pytest.fixture(scope="session")
def _environment() -> None:  # pyright: ignore[reportUnusedFunction]
    """Kept from run to run, as those of ``make test-packages`` are."""
    made = subprocess.run(
        ("make", "--no-print-directory", ".packages/trl/.installed"),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=_INSTALL_DEADLINE_S,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr


def command(*words: str | Path) -> tuple[str, ...]:
    return (str(PYTHON), "-m", "kernelopt_trl", *map(str, words))


def variables(folder: Path) -> dict[str, str]:
    """One thread, so that sums have one order; nothing is fetched."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "KERNELOPT_HOME": str(folder / "home")}


def ran(folder: Path, *words: str | Path) -> str:
    ended = subprocess.run(
        command(*words), cwd=folder, env=variables(folder), capture_output=True, text=True, timeout=_TRAIN_DEADLINE_S, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr[-4000:]
    return ended.stdout


def result(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


@pytest.mark.usefixtures("_environment")
def test_the_judge_still_gives_the_rewards_that_are_kept(tmp_path: Path) -> None:
    assert "4 of 4 have the reward that is kept" in ran(
        tmp_path, "judge", "--again", "4", "--judge", Path(sys.executable).with_name("kernelopt")
    )


@pytest.mark.usefixtures("_environment")
def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    few = ("--seed", "1", "--steps", "20", "--save-steps", "5")
    ran(tmp_path, "train", "--out", "whole", *few)
    broken = subprocess.Popen(
        command("train", "--out", "broken", *few),
        cwd=tmp_path,
        env=variables(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + _TRAIN_DEADLINE_S
    while not list((tmp_path / "broken").glob("checkpoint-5/trainer_state.json")):
        assert broken.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    broken.send_signal(signal.SIGKILL)
    broken.wait()
    assert not (tmp_path / "broken" / "result.json").exists(), "it was killed before its end"
    assert ran(tmp_path, "train", "--out", "broken", *few).count("'reward':") <= 15, "five steps or more were not trained again"
    whole, gone_on = (result(tmp_path / name) for name in ("whole", "broken"))
    assert gone_on["rewards"][:5] == whole["rewards"][:5]
    assert len(gone_on["rewards"]) == len(whole["rewards"]) == 20
    assert gone_on["held_out_before"] == whole["held_out_before"]


@pytest.mark.usefixtures("_environment")
def test_training_gains_and_training_on_shuffled_rewards_does_not(tmp_path: Path) -> None:
    ran(tmp_path, "compare", "--out", "runs")
    found = json.loads((tmp_path / "runs" / "report.json").read_text())
    assert found["seeds"] == [1, 2, 3]
    for gain in ("last tenth - first tenth", "last tenth - control's"):
        assert found[gain]["low"] > 0, found
