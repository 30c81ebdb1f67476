"""Which programs may be shown one GPU alone."""

from __future__ import annotations

import pytest

from assistant.cuda.one_gpu import stays_on_first_gpu

STAYS = [
    "int main() { k<<<1, 32>>>(); return cudaDeviceSynchronize(); }",
    "cudaSetDevice( 0 );",
    "cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);",
    "// as many as cudaGetDeviceCount says\nint main() {}",
    "cudaMemcpyAsync(a, b, n, cudaMemcpyDeviceToHost, stream);",
]
SEES_OTHERS = [
    "cudaSetDevice(1);",
    "cudaSetDevice(rank % 2);",
    "auto pick = cudaSetDevice; pick(1);",
    "int n; cudaGetDeviceCount(&n);",
    "cudaMemcpyPeerAsync(a, 0, b, 1, n, s);",
    "cudaDeviceEnablePeerAccess(1, 0);",
    "cuDeviceGetCount(&n);",
    "ncclCommInitAll(comms, 2, nullptr);",
    "MPI_Init(&argc, &argv);",
    'puts(getenv("CUDA_VISIBLE_DEVICES"));',
    'system("nvidia-smi -L");',
]


@pytest.mark.parametrize("text", STAYS)
def test_a_program_that_names_no_other_gpu_stays_on_the_first(text: str) -> None:
    assert stays_on_first_gpu([text])


@pytest.mark.parametrize("text", SEES_OTHERS)
def test_a_program_that_can_tell_how_many_there_are_does_not(text: str) -> None:
    assert not stays_on_first_gpu([STAYS[0], text])
