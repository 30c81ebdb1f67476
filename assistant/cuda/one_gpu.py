"""Whether a program can tell, or choose, which GPUs it may use. Pure.

One that cannot begins with the first that it sees and stays there, so that it need not be shown others. In doubt it can. Example::

    stays_on_first_gpu(["int main() { cudaSetDevice(0); k<<<1, 32>>>(); }"])     # True
    stays_on_first_gpu(["int n; cudaGetDeviceCount(&n);"])                        # False
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.code_patterns import CodePattern

__all__ = ["stays_on_first_gpu"]

_SEES_OTHERS = CodePattern(
    r"\bcudaSetDevice\((?!0\))|\bcudaSetDevice\b(?!\()"
    r"|\b(?:cudaGetDeviceCount|cudaChooseDevice|cudaSetValidDevices|cudaInitDevice|cudaDeviceGetByPCIBusId)\b"
    r"|\b(?:cudaDeviceCanAccessPeer|cudaDeviceEnablePeerAccess|cudaMemcpy(?:3D)?Peer(?:Async)?|cuDeviceGet\w*|cuCtxCreate\w*)\b"
    r"|\b(?:nvml|nccl|nvshmem|MPI_)\w+"
    r"|\b(?:getenv|secure_getenv|setenv|putenv|environ|dlopen|dlsym|system|popen|fork|vfork|posix_spawnp?|exec[lv]\w*)\b"
)
"""Functions of CUDA's runtime and driver that name a device (CUDA Runtime API, "Device Management", "Peer Device Memory Access"; Driver
API, "Device Management"), libraries for several of them, and what reaches the environment or code that is not in sight."""


def stays_on_first_gpu(texts: Iterable[str]) -> bool:
    """Whether none of a program's ``texts`` names a GPU but the first, or asks how many there are."""
    return not any(map(_SEES_OTHERS.is_in, texts))
