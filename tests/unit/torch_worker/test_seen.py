"""What a side's process sees of GPUs, and where what is compiled for it goes."""

from __future__ import annotations

from pathlib import Path

from assistant.torch_worker.__main__ import _seen  # pyright: ignore[reportPrivateUsage]
from assistant.torch_worker.protocol import SideGpu, SideRequest


def request(gpu: SideGpu | None) -> SideRequest:
    return SideRequest(Path("/scratch/timing"), "python3", Path("/p"), True, 60.0, 1 << 30, gpu)


def test_without_a_gpu_it_sees_none_and_asks_no_driver_for_any() -> None:
    """As the driver starts a thread, and a process with threads is not forked."""
    assert _seen(request(None)) == {"CUDA_VISIBLE_DEVICES": "", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}


def test_extensions_are_kept_and_what_pytorch_compiles_of_the_reference_is_not() -> None:
    """A candidate may write to what is kept for it: a slower reference must not wait there for the next job."""
    seen = _seen(request(SideGpu("GPU-7", "9.0", Path("/cache/one"))))
    assert (seen["CUDA_VISIBLE_DEVICES"], seen["TORCH_CUDA_ARCH_LIST"]) == ("GPU-7", "9.0")
    assert seen["TORCH_EXTENSIONS_DIR"] == "/cache/one/extensions"
    assert seen["TORCHINDUCTOR_CACHE_DIR"] == "/scratch/timing/inductor" and seen["TRITON_CACHE_DIR"] == "/scratch/timing/triton"
