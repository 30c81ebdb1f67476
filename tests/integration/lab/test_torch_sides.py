"""A candidate that is run again and again: PyTorch is imported once, and each run finds it as it was installed."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from assistant.lab.torch_sides import TorchSides
from assistant.ports.lab import LabFailure, RunLimits
from assistant.program.torch_place import torch_place

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="sides run in PyTorch")

PATCHES = """
import os

import torch
from pathlib import Path

found = [hasattr(torch, "seen"), torch.softmax(torch.zeros(2), 0).tolist() == [0.5, 0.5], torch.initial_seed() == 7]
Path(os.environ["TMPDIR"], "found").write_text(f"{os.getppid()} {all(found[1:]) and not found[0]}")
torch.seen = torch.ones(1 << 20)
torch.softmax = lambda x, dim: x
torch.random.manual_seed(8)


class ModelNew(torch.nn.Module):
    pass
"""


@pytest.fixture
async def sides(tmp_path: Path) -> AsyncGenerator[TorchSides]:
    place = torch_place(tmp_path)
    assert place is not None
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    made = TorchSides(scratch, place, RunLimits())
    yield made
    await made.close()


async def run(sides: TorchSides, text: str) -> dict[str, Any] | LabFailure:
    """The answer of a candidate whose file is ``text``, of which no case is asked."""
    folder = sides.folder("candidate")
    path = folder / "candidate.py"
    path.write_text(text)
    order: dict[str, Any] = {
        "role": "candidate", "device": "cpu", "path": str(path), "closed": [], "class": "ModelNew", "folder": str(folder), "launcher": None,
        "seed": 7, "backward": False, "models": [], "cases": [],
    }  # fmt: skip
    return await sides.run("candidate", order, folder, is_candidate=True)


async def test_what_a_candidate_does_to_pytorch_is_gone_the_next_time(sides: TorchSides) -> None:
    found: list[str] = []
    for _ in range(2):
        answer = await run(sides, PATCHES)
        assert not isinstance(answer, LabFailure) and answer["failure"] is None and "torch.softmax" in answer["replaced"], answer
        found.append((sides.folder("candidate") / "tmp" / "found").read_text())
    first, second = (each.split() for each in found)
    assert first[1] == "True" and second == first, "the same process had imported PyTorch, and the second run found it whole"


async def test_what_a_candidate_says_before_it_ends_its_process_is_passed_on_and_the_next_runs(sides: TorchSides) -> None:
    for word in ("first", "second"):
        ended = await run(sides, f"import os, sys\nsys.stderr.write('the {word} word')\nsys.stderr.flush()\nos.abort()\n")
        assert isinstance(ended, LabFailure) and ended.kind == "crashed" and f"the {word} word" in ended.message
        assert word == "first" or "the first word" not in ended.message
    answer = await run(sides, "class ModelNew:\n    pass\n")
    assert not isinstance(answer, LabFailure) and answer["failure"] is None
