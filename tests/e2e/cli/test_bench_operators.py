"""A folder of PyTorch tasks through ``bench --suite kernelbench``: a line a task, the results, a run that goes on, misuse."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import DATA, Cli

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch")

SUITE, GIVEN = DATA / "kernelbench", DATA / "kernelbench_answers"
LONG_S = 900.0


def results(out: Path) -> dict[str, dict[str, Any]]:
    found = json.loads((out / "results.json").read_text())
    return {row["title"]: row for row in found["rows"]}


@pytest.mark.thorough
def test_tasks_are_judged_and_a_run_goes_on(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    chosen = ("bench", SUITE, "--suite", "kernelbench", "--device", "cpu", "--out", out, "--programs", "10_LeakyReLU,11_Without_inputs")
    ended = cli.run(*chosen, deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    rows = results(out)
    assert {title: row["outcome"] for title, row in rows.items()} == {"level1/10_LeakyReLU": "PASS", "level1/11_Without_inputs": "no task"}
    assert "level1/10_LeakyReLU: PASS" in ended.out and "no GPU" in ended.out
    page = (out / "results.md").read_text()
    assert "| level 1 | 2 | 1 | 1 | 0 |" in page and "Nothing was timed: there is no GPU" in page
    again = cli.run(*chosen, "--resume", deadline_s=LONG_S)
    assert again.code == 0 and "10_LeakyReLU: PASS" not in again.out, "what is finished is not run again"
    assert results(out) == rows


UNTIDY = """import torch
from dataclasses import dataclass

batch = 3
channels = 16


@dataclass
class Settings:
    width: int
    sharpness: float = 1.5


class Model(torch.nn.Module):
    def __init__(self, settings, **others):
        super().__init__()
        self.sharpness = settings.sharpness
        self.register_buffer("wave", torch.linspace(-1, 1, settings.width).sin(), persistent=False)

    def forward(self, x, picked):
        left, right = x.chunk(2, dim=-1)
        gate = torch.sigmoid(left[..., ::2]) * right[..., 1::2] * self.sharpness
        pairs = torch.stack((gate, -gate), dim=-1).flatten(-2) * self.wave
        chosen = torch.log_softmax(x, -1).gather(-1, picked.unsqueeze(-1)).squeeze(-1)
        return pairs, chosen, torch.softmax(x, -1)[:, 1:], torch.nn.functional.cross_entropy(x, picked)


def get_inputs():
    return [torch.randn(channels, batch).t(), torch.randint(0, 16, (batch,))]


def get_init_inputs():
    return [Settings(8)]
"""
"""Parts, a buffer outside of the state, inputs that lie otherwise, a data class, class numbers, several results of several shapes."""


@pytest.mark.thorough
def test_rules_write_a_kernel_for_an_untidy_model(cli: Cli, tmp_path: Path) -> None:
    suite, out = tmp_path / "suite" / "level1", tmp_path / "out"
    suite.mkdir(parents=True)
    (suite / "1_Untidy.py").write_text(UNTIDY)
    ended = cli.run("bench", suite.parent, "--suite", "kernelbench", "--device", "cpu", "--out", out, deadline_s=LONG_S)
    assert [(row["outcome"], row["origin"]) for row in results(out).values()] == [("PASS", "rules")], ended.said


@pytest.mark.thorough
def test_the_whole_folder_with_answers(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = cli.run(
        *("bench", SUITE, "--suite", "kernelbench", "--answers", GIVEN, "--device", "cpu", "--jobs", "2", "--out", out), deadline_s=LONG_S
    )
    assert ended.code == 0, ended.said
    outcomes = sorted(row["outcome"] for row in results(out).values())
    assert outcomes == ["FAIL", "NEEDS_DECISION", "PASS", "PASS", "PASS", "PASS", "failed", "no task"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--suite", "polybench"), "polybench"),
        (("--suite", "kernelbench", "--answers", "nowhere"), "--answers"),
        (("--suite", "kernelbench", "--baselines", "tensorrt"), "tensorrt"),
        (("--suite", "kernelbench", "--programs", "9_Nothing"), "9_Nothing"),
        (("--answers", "nowhere"), "--answers"),
    ],
)
def test_wrong_use_is_told_in_a_sentence_with_a_remedy(cli: Cli, options: tuple[str, ...], said: str) -> None:
    ended = cli.run("bench", SUITE, "--device", "cpu", *options)
    assert ended.code == 2 and said in ended.err and len(ended.err.strip().splitlines()) <= 8, ended.said
