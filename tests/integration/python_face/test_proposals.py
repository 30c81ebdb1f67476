"""Faster versions of a kernel, found, read and decided from Python; times, where there is no clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kernelopt

DECAY = """\
__global__ void decay(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = x[i];
    for (int k = 0; k < 16; k++) s = s * 0.5 + 1.0;
    out[i] = s;
}
"""
COUNT = """\
__global__ void count(const int *values, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i] % 64], 1);
}
"""
ROW_SUMS = """\
__global__ void row_sums(const float *rows, float *sums)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = rows[blockIdx.x * 256 + t];
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            part[t] += part[t + stride];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
"""
FASTER = DECAY.replace("0.5", "0.5f").replace("1.0", "1.0f")
N = 512


def arguments() -> dict[str, object]:
    return {"out": np.zeros(N, np.float32), "x": np.arange(N, dtype=np.float32), "n": N}


def found_for(kernel: kernelopt.Kernel) -> kernelopt.Proposals:
    return kernel.optimize(arguments(), planner="expert", rounds=1, candidates=4)


@pytest.mark.thorough
def test_a_texts_proposal_is_read_taken_taken_back_and_turned_down(session: kernelopt.Session) -> None:
    kernel = kernelopt.compile(DECAY, grid=2, block=256, session=session)
    found = found_for(kernel)
    (proposal,) = found
    assert (proposal.techniques, proposal.speed) == (("float-literals",), "PREDICTED")
    assert proposal.ratio > 1.0 and proposal.verification in ("PASS", "NEEDS_DECISION")
    assert "-    for (int k = 0; k < 16; k++) s = s * 0.5 + 1.0;\n+    for (int k = 0; k < 16; k++) s = s * 0.5f + 1.0f;\n" in proposal.diff
    assert proposal.explanation and [str(one.outcome) for one in found.tried] == ["kept"]
    assert repr(found).startswith("<search: 1 proposal; 1 tried>\n  <proposal: ")
    page = found._repr_html_()  # pyright: ignore[reportPrivateUsage] - as a notebook asks for it
    assert page.startswith("<div>1 proposal</div>") and 'aria-label="The change, side by side"' in page and "s * 0.5f + 1.0f" in page
    assert (proposal.accept(), proposal.state) == (FASTER, "accepted")
    assert "<b>accepted</b>: " in proposal._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert not Path("kernelopt_decay.cu").exists()
    proposal.undo()
    assert proposal.state == "undone"
    proposal.reject("not worth it", "not-worth-it")
    assert proposal.state == "rejected"
    with pytest.raises(kernelopt.KernelOptError, match="already rejected by python"):
        proposal.accept()
    assert len(found_for(kernel)) == 0, "what was turned down is not offered again"


def test_accepting_a_files_proposal_writes_it_and_undo_puts_it_back(session: kernelopt.Session, tmp_path: Path) -> None:
    file = tmp_path / "decay.cu"
    file.write_text(DECAY)
    kernel = kernelopt.compile(file, grid=2, block=256, session=session)
    (proposal,) = found_for(kernel)
    assert proposal.accept() == file.read_text() == FASTER
    proposal.undo()
    assert file.read_text() == DECAY


def test_what_cannot_be_asked_of_a_search_is_refused_before_it_begins(session: kernelopt.Session) -> None:
    kernel = kernelopt.compile(DECAY, grid=2, block=256, session=session)
    with pytest.raises(kernelopt.KernelOptError, match="optimize takes no 'round'"):
        kernel.optimize(arguments(), round=1)
    with pytest.raises(kernelopt.KernelOptError, match="optimize takes no 'grid'") as refused:
        kernel.optimize(arguments(), grid=4)
    assert refused.value.remedy == "write kernel[grid, block].optimize(…)"
    with pytest.raises(kernelopt.KernelOptError, match="--allow does not know 'speed'"):
        kernel.optimize(arguments(), allow="speed")
    with pytest.raises(kernelopt.KernelOptError, match="no model provider is configured"):
        kernel.optimize(arguments(), planner="llm")


def test_the_emulator_measures_no_time(session: kernelopt.Session) -> None:
    kernel = kernelopt.compile(DECAY, grid=2, block=256, session=session)
    with pytest.raises(kernelopt.KernelOptError, match="no GPU here") as raised:
        kernel.time(arguments())
    assert "predicted_s" in raised.value.remedy
    with pytest.raises(kernelopt.KernelOptError, match="no GPU here"):
        kernel[2, 256].time(arguments())


@pytest.mark.thorough
def test_an_array_of_the_caller_says_how_large_a_histogram_is(session: kernelopt.Session) -> None:
    n = 1 << 16
    kernel = kernelopt.compile(COUNT, grid=n // 256, block=256, session=session)
    values = np.random.default_rng(3).integers(0, 1000, n, dtype=np.int32)
    (proposal,) = kernel.optimize((values, np.zeros(64, np.int32), n), planner="expert", rounds=1, candidates=2)
    assert proposal.techniques == ("private-histogram",)
    assert proposal.ratio > 1.0 and proposal.verification == "NEEDS_DECISION"
    assert "+    __shared__ int block_bins[64];\n" in proposal.diff


@pytest.mark.thorough
def test_a_reduction_as_textbooks_write_it_is_put_together_with_shuffles(session: kernelopt.Session) -> None:
    kernel = kernelopt.compile(ROW_SUMS, grid=128, block=256, session=session)
    rows = np.random.default_rng(3).random((128, 256), dtype=np.float32)
    (proposal,) = kernel.optimize((rows, np.zeros(128, np.float32)), planner="expert", rounds=1, candidates=2)
    assert proposal.techniques == ("block-shuffles",)
    assert proposal.ratio > 1.0 and "__shared__ float part[8];" in proposal.diff
