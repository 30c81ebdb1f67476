"""Which implementation of the driver protocol a worker uses: NVIDIA's bindings, else pycuda."""

from __future__ import annotations

import importlib.util

from assistant.device.driver import Driver
from assistant.device.drivers.cuda import CudaDriver

__all__ = ["open_driver"]


def open_driver(name: str, index: int) -> Driver:
    """The driver on GPU ``index``; raises ImportError or RuntimeError without a binding or driver, DeviceError without the device."""
    if name == "pycuda" or (name == "auto" and not _has("cuda.bindings") and _has("pycuda")):
        from assistant.device.drivers.pycuda import PycudaDriver

        return PycudaDriver(index)
    return CudaDriver(index)


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
