"""The cases of a PyTorch task at other sizes, as the reference's own process draws them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch"), pytest.mark.thorough]

ROOT = Path(__file__).parents[3]
TASK = """import torch

batch = 4
channels = 3


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.1, 0.2, 0.3]), persistent=False)

    def forward(self, x):
        return x - self.mean


def get_inputs():
    return [torch.rand(batch, channels)]
"""
DRAWN = """
import json, sys
from pathlib import Path
from assistant.torch_worker.side.reference import run

path = Path(sys.argv[1])
trials = [{"batch": 3, "channels": 2}, {"batch": 0, "channels": 3}]
order = {
    "role": "reference", "device": "cpu", "path": str(path), "class": "Model", "folder": str(path.parent), "sizes": {}, "seeds": [1],
    "size_trials": trials, "model_trials": [], "is_short": True, "backward": False,
}
print(json.dumps(run(order, path.parent)))
"""


def test_a_size_that_cannot_change_keeps_no_other_from_changing(tmp_path: Path) -> None:
    """Three channels have three means: the batch is tried alone."""
    path = tmp_path / "task.py"
    path.write_text(TASK, "utf-8")
    command = (sys.executable, "-P", "-c", DRAWN, str(path))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [(case["kind"], case["shape"]) for case in answer["cases"][2:]] == [("size", "float32[3, 3]"), ("empty", "float32[0, 3]")]
    assert [dropped.partition(": ")[0] for dropped in answer["dropped"]] == ["size float32[3, 2]", "size float32[4, 2]"]
    assert list(answer["models"][0]["constants"]) == ["mean"] and answer["models"][0]["state"] == {}
