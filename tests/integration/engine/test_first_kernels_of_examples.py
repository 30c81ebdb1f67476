"""For which of the repository's PyTorch tasks rules write a first kernel, and why not for others, from what PyTorch itself says of them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.operators.tracing import graph_of
from assistant.operators.first_kernel import Declined, first_kernel
from assistant.operators.task import Task, find_task

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="tasks run in PyTorch"),
    pytest.mark.thorough,
]

ROOT = Path(__file__).parents[3]
TASKS = {path.parent.name: path for path in sorted((ROOT / "examples" / "operators").rglob("task.py"))}
TRACED = """
import json, sys
from pathlib import Path
from assistant.torch_worker.side.operators import run

for path in map(Path, sys.argv[1:]):
    order = {"path": str(path), "class": "Model", "folder": str(path.parent), "sizes": {}, "seed": 3}
    print(json.dumps(run(order, path.parent)))
"""
WRITTEN = (
    "bias_gelu_residual", "clamped_mix", "column_stats", "cross_entropy", "fake_quantize", "gated_silu", "layer_norm", "rms_norm_residual",
    "row_softmax", "scaled_silu", "smooth_l1", "top_index",
)  # fmt: skip
DECLINED = {
    "attention": "bmm",
    "capped_scores": "bmm",
    "causal_conv1d": "convolution",
    "conv2d_relu": "convolution",
    "linear_relu": "addmm",
    "low_rank_update": "mm",
    "matvec_softplus": "mv",
    "max_pool": "max_pool2d_with_indices",
}


def task_of(path: Path) -> Task:
    found = find_task(path, path.read_text("utf-8"), None)
    assert isinstance(found, Task), found
    return found


def test_rules_write_those_without_products_and_windows() -> None:
    command = (sys.executable, "-P", "-c", TRACED, *map(str, TASKS.values()))
    done = subprocess.run(command, cwd=ROOT, env=None, capture_output=True, text=True, timeout=600, check=True)
    graphs: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    reasons: dict[str, str] = {}
    for (name, path), answer in zip(TASKS.items(), graphs, strict=True):
        task = task_of(path)
        found = first_kernel(graph_of(answer), task.name, task.parameters)
        if isinstance(found, Declined):
            reasons[name] = found.reason.split()[0]
    assert reasons == DECLINED and sorted(TASKS.keys() - reasons.keys()) == sorted(WRITTEN)
    page = (ROOT / "docs" / "how-to" / "operators.md").read_text("utf-8")
    assert f"rules write {len(WRITTEN)}: {', '.join(f'`{name}`' for name in WRITTEN)}" in page.replace("\n", " ")
