"""The libraries' calls compute what the suite's programs do: each op of PyTorch, on a CPU at the program's smallest size."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the calls are PyTorch's")

from benchmarks.gpu import library_algebra, library_basic  # noqa: E402
from benchmarks.gpu.libraries import NONE, chosen  # noqa: E402
from benchmarks.gpu.library_cub import Cub, cub_ops  # noqa: E402
from benchmarks.gpu.library_work import Data, Op, Work, difference  # noqa: E402

OPS = (*library_basic.OPS, *library_algebra.OPS)
SMALLEST = {each.program: each.size for each in chosen("smallest")}


@pytest.mark.parametrize("op", [op for op in OPS if not op.needs_gpu], ids=lambda op: f"{op.program}-{op.library}")
def test_calls_compute_what_the_program_does(op: Op) -> None:
    work = op.work(Data(torch.device("cpu")), SMALLEST[op.program])
    assert difference(work) < (1e-12 if op.type == "float64" else 1e-5)


def test_every_program_has_calls_or_a_reason(tmp_path: Path) -> None:
    ops = (*OPS, *cub_ops(Cub(tmp_path)))
    assert {op.program for op in ops} | NONE.keys() == SMALLEST.keys()
    assert {op.program for op in ops}.isdisjoint(NONE)
    names = [(op.program, op.library, op.calls) for op in ops]
    assert len(set(names)) == len(names)


def test_other_results_are_seen() -> None:
    x = torch.arange(1, 5)
    assert difference(Work(lambda: x * 1.5, lambda: (x.double(),))) == 0.5
    with pytest.raises(ValueError, match="shapes"):
        difference(Work(lambda: x[:3], lambda: (x,)))
