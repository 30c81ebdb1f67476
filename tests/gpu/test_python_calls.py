"""Kernels from Python on tensors of a GPU: loaded once, queued without waiting, unloaded with their session."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Generator

import pytest

import kernelopt
from assistant.live.cuda_driver import UserDriver, installed
from assistant.live.gpu_modules import GpuModules
from tests.caches import shared_cache
from tests.processes import children_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")

TEXT = """\
__device__ int calls;
__global__ void count(int *out, int wait)
{
    for (long long end = clock64() + wait; clock64() < end;) {}
    out[0] = ++calls;
}
"""
_CALLS = 1000
_WAIT_CYCLES = 200_000_000
_MOST_CALL_S = 1e-3
"""A call that loaded the module again would take longer than this; one that does not takes a few dozen microseconds."""


@pytest.fixture
def session(tmp_path_factory: pytest.TempPathFactory) -> Generator[kernelopt.Session]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        (home / "cache").symlink_to(shared_cache())
        patch.setenv("KERNELOPT_HOME", str(home))
        with kernelopt.Session("gpu:0") as opened:
            yield opened


def test_a_kernel_is_loaded_once_and_a_call_takes_little(session: kernelopt.Session) -> None:
    """What a call leaves in a variable of the device is there in the next one."""
    count, out = kernelopt.compile(TEXT, grid=1, block=1, session=session), torch.zeros(1, dtype=torch.int32, device="cuda")
    count(out, 0)
    torch.cuda.synchronize()
    start_s = time.perf_counter()
    for _ in range(_CALLS):
        count[1, 1](out, 0)
    call_s = (time.perf_counter() - start_s) / _CALLS
    print(f"a call: {call_s * 1e6:.1f} us, n = {_CALLS}")
    assert out.item() == 1 + _CALLS
    assert call_s < _MOST_CALL_S
    other = kernelopt.compile(TEXT, grid=1, block=1, session=session)
    other(out, 0)
    assert out.item() == 1, "another kernel has variables of its own"


def test_closing_a_session_waits_for_its_launches_and_leaves_the_context_alone(session: kernelopt.Session) -> None:
    unloaded: list[int] = []

    class Watched(UserDriver):
        def unload(self, module: ctypes.c_void_p, context: int) -> None:
            super().unload(module, context)
            unloaded.append(context)

    session.modules = GpuModules()
    session.modules.driver = Watched(installed())
    count, out = kernelopt.compile(TEXT, grid=1, block=1, session=session), torch.zeros(1, dtype=torch.int32, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        count(out, _WAIT_CYCLES)
    session.close()
    assert len(unloaded) == 1 and stream.query(), "the launch had ended before its module was unloaded"
    assert out.item() == 1
    assert torch.ones(4, device="cuda").sum().item() == 4


WRONG = """\
__global__ void twice(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 2.0f * x[i];
}
"""


def test_a_call_is_checked_where_that_is_asked_for(session: kernelopt.Session) -> None:
    """A kernel with a defect is not launched: the tensors are as they were."""
    wrong = kernelopt.compile(WRONG, grid=4, block=256, session=session)
    x, out = torch.arange(1000.0, device="cuda"), torch.zeros(1000, device="cuda")
    with pytest.raises(kernelopt.OutOfBounds) as caught:
        wrong(out, x, 1000, check=True)
    assert caught.value.line == 4 and caught.value.thread == (232, 0, 0)
    assert not out.any()
    right = kernelopt.compile(WRONG.replace("<=", "<"), grid=4, block=256, session=session)
    right(out, x, 1000, check=True)
    assert torch.equal(out, 2 * x)
    session.close()
    assert not children_of(), "no worker outlives its session"
