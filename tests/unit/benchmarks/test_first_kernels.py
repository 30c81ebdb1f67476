"""Tasks whose kernels are timed beside PyTorch: each is a task, and a row says what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.operators.task import Task, find_task
from benchmarks.gpu import first_kernels


@pytest.mark.parametrize("name", first_kernels.TASKS)
def test_each_is_a_task(name: str) -> None:
    assert isinstance(find_task(Path("/p/task.py"), first_kernels.task_text(name), None), Task)


def test_a_row_has_calls_ratios_and_what_torch_compile_runs() -> None:
    over = {"call": ["FASTER", 2.0, 1.9, 2.1], "device": ["FASTER", 2.5, 2.4, 2.6]}
    row = {
        "name": "softmax", "is_near": True, "times": {"eager": [4e-5, 3e-5], "candidate": [2e-5, 1e-5]}, "over": {"eager": over},
        "kernels": {"compile": [{"name": "triton_red_fused_softmax_0", "time_s": 3e-5}]},
    }  # fmt: skip
    assert first_kernels.kernels_row(row) == (
        "| softmax | right | 40.0 | – | 20.0 | FASTER 2.00x (1.90 to 2.10), device 2.50x | – | triton_red_fused_softmax_0 30.0 |"
    )
    assert first_kernels.kernels_row({"name": "softmax", "error": "RuntimeError: no GPU"}) == "| softmax | RuntimeError: no GPU |"
