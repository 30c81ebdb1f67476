"""A notebook's kernels on tensors of a GPU: called in the user's own process and stream, verified on a copy by the workers."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from assistant.live.arrays import BindingError
from assistant.live.faults import KernelFailed, KernelFault
from jupyter_ext.cells import cell_of
from jupyter_ext.opening import CellOpener, MagicLine, OpenedCell
from jupyter_ext.workshop import Workshop
from kernelopt.cells import CellKernel
from tests.caches import shared_cache

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

CELL = """%%kernelopt
__global__ void scale(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * 2.0f;
}
"""
N = 1000


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Generator[Workshop]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        (home / "cache").symlink_to(shared_cache())
        patch.setenv("KERNELOPT_HOME", str(home))
        made = Workshop()
        yield made
        made.close()


def check(workshop: Workshop, folder: Path, asked: MagicLine, **namespace: object) -> OpenedCell:
    """The cell, opened on these variables."""
    return CellOpener(workshop, namespace, CellKernel).open(cell_of(CELL, folder / "lab.ipynb", None), asked)


def test_a_call_changes_the_tensors_where_they_are(workshop: Workshop, tmp_path: Path) -> None:
    x, out = torch.arange(float(N), device="cuda"), torch.zeros(N, device="cuda")
    scale = check(workshop, tmp_path, MagicLine(grid="(n+255)//256", block="256", until="bind"), x=x, out=out, n=N).callables["scale"]
    scale()
    assert torch.equal(out, 2 * x)
    scale(out, out.clone(), N)
    assert torch.equal(out, 4 * x)


def test_a_call_is_queued_on_the_stream_that_pytorch_works_on(workshop: Workshop, tmp_path: Path) -> None:
    scale = check(workshop, tmp_path, MagicLine(grid="4", block="256", until="bind")).callables["scale"]
    x, out = torch.ones(N, device="cuda"), torch.zeros(N, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.fill_(5.0)
        scale(out, x, N)
        seen = out.clone()
    stream.synchronize()
    assert (seen == 10.0).all()


def test_what_cannot_be_launched_is_reported(workshop: Workshop, tmp_path: Path) -> None:
    x, out = torch.ones(N, device="cuda"), torch.zeros(N, device="cuda")
    scale = check(workshop, tmp_path, MagicLine(grid="4", block="256", until="bind")).callables["scale"]
    with pytest.raises(KernelFailed, match="cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE"):
        scale(out, x, N, block=(1, 1, 65))  # 64 is the most along z
    with pytest.raises(BindingError, match="x: expected an array on cuda:0, where out is, got one on cpu"):
        scale(out, x.cpu(), N)
    scale(out, x, N)
    assert (out == 2).all()


def test_the_workers_verify_a_copy_against_a_reference_of_tensors(workshop: Workshop, tmp_path: Path) -> None:
    x, out = torch.randn(N, device="cuda"), torch.zeros(N, device="cuda")
    asked = MagicLine(grid="(n+255)//256", block="256", until="check", ref="ref", device="gpu:0")
    opened = check(workshop, tmp_path, asked, x=x, out=out, n=N, ref=lambda x: x * 2)
    assert opened.notes == (), "a worker read them, by a handle of their memory"
    assert opened.run.wait(120.0)
    assert opened.run.state.headline == "check: no problem found by what was checked", opened.run.state
    assert (out == 0).all()


def test_a_call_of_a_cell_is_checked_where_that_is_asked_for(workshop: Workshop, tmp_path: Path) -> None:
    """Beyond the end of a tensor that is too short: named, and nothing is launched."""
    scale = check(workshop, tmp_path, MagicLine(grid="4", block="256", until="bind")).callables["scale"]
    x, out = torch.ones(N, device="cuda"), torch.zeros(N - 100, device="cuda")
    with pytest.raises(KernelFault) as caught:
        scale(out, x, N, check=True)
    assert caught.value.array == "out"
    assert not out.any()
