"""CUDA's driver in the user's own process, by its C interface: what a launch of theirs and the sharing of their arrays need.

No CUDA library for Python is needed and nothing is loaded before it is first used: the driver is there where arrays of a GPU are (CUDA
Driver API 12 and later). Example::

    driver = UserDriver(installed())
    driver.use_device(0)
    driver.launch(Launch(driver.function(driver.load(image), image, symbol), config, (b"…",), stream))
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from assistant.lab.compiler import Image
from assistant.live.faults import KernelFailed
from assistant.model.launch import LaunchConfig
from assistant.record import Record

__all__ = ["Launch", "UserDriver", "installed"]

_MAJOR, _MINOR = 75, 76
"""``CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`` and ``_MINOR`` (cuda.h)."""
_MAX_DYNAMIC_SHARED = 8
"""``CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`` (cuda.h)."""
_OPT_IN_BYTES = 48 << 10
"""Dynamic shared memory beyond this must be asked for (CUDA C++ Programming Guide, "Shared Memory" of each architecture)."""
_UUID_BYTES = 16
_NAME_BYTES = 256
"""Longer than any name of a device."""
_HANDLE_BYTES = 64
"""``CU_IPC_HANDLE_SIZE`` (cuda.h)."""


class Launch(Record):
    """One launch, ready to be queued."""

    function: ctypes.c_void_p
    config: LaunchConfig
    arguments: tuple[bytes, ...]
    stream: int


class UserDriver:
    """CUDA's driver; every call's status is looked at."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._call("cuInit", 0)

    def use_device(self, index: int) -> int:
        """Make a context of that GPU current, the present one if it is of it, else the primary one, which libraries share; its address."""
        current, device = ctypes.c_void_p(), ctypes.c_int()
        self._call("cuCtxGetCurrent", ctypes.byref(current))
        if current.value:
            self._call("cuCtxGetDevice", ctypes.byref(device))
            if device.value == index:
                return current.value
        self._call("cuDeviceGet", ctypes.byref(device), index)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(current), device)
        self._call("cuCtxSetCurrent", current)
        return current.value or 0

    def architecture(self, index: int) -> str:
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(major), _MAJOR, index)
        self._call("cuDeviceGetAttribute", ctypes.byref(minor), _MINOR, index)
        return f"sm_{major.value}{minor.value}"

    def wait(self) -> None:
        """For all work of the current context, on whichever stream."""
        self._call("cuCtxSynchronize")

    def uuid(self, index: int) -> str:
        """``GPU-…``, or ``MIG-…`` for a slice, whose name says so, as ``CUDA_VISIBLE_DEVICES`` takes it."""
        raw, name = (ctypes.c_ubyte * _UUID_BYTES)(), ctypes.create_string_buffer(_NAME_BYTES)
        self._call("cuDeviceGetUuid_v2", raw, index)
        self._call("cuDeviceGetName", name, _NAME_BYTES, index)
        digits, kind = bytes(raw).hex(), "MIG" if b" MIG " in name.value else "GPU"
        return f"{kind}-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def shared(self, address: int) -> tuple[bytes, int]:
        """(handle of the allocation that the address lies in, offset in bytes), for another process to open it.

        Raises KernelFailed for memory that cannot be shared: managed memory, pools, and what ``cuMemMap`` maps (CUDA Driver API,
        ``cuIpcGetMemHandle``).
        """
        base, size, handle = ctypes.c_void_p(), ctypes.c_size_t(), (ctypes.c_ubyte * _HANDLE_BYTES)()
        self._call("cuMemGetAddressRange_v2", ctypes.byref(base), ctypes.byref(size), ctypes.c_void_p(address))
        self._call("cuIpcGetMemHandle", handle, base)
        return bytes(handle), address - (base.value or 0)

    def load(self, image: Image) -> ctypes.c_void_p:
        """A module of the current context."""
        module = ctypes.c_void_p()
        self._call("cuModuleLoad", ctypes.byref(module), image.cubin.encode())
        return module

    def unload(self, module: ctypes.c_void_p, context: int) -> None:
        """Once its launches have ended; the calling thread keeps its own context."""
        self._call("cuCtxPushCurrent_v2", ctypes.c_void_p(context))
        try:
            self._call("cuCtxSynchronize")
            self._call("cuModuleUnload", module)
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def function(self, module: ctypes.c_void_p, image: Image, symbol: str) -> ctypes.c_void_p:
        """The kernel of that instance. Raises KernelFailed where the module, loaded from ``image``, has none."""
        function = ctypes.c_void_p()
        names = dict(image.kernels)
        mangled = names.get(symbol) or names.get(symbol.partition("(")[0])  # one with C's linkage has no more than its name
        if mangled is None:
            raise KernelFailed(f"the compiled text holds no {symbol}", "name the instance on the magic's line")
        self._call("cuModuleGetFunction", ctypes.byref(function), module, mangled.encode())
        return function

    def launch(self, launch: Launch) -> None:
        grid, block, shared = launch.config.grid, launch.config.block, launch.config.shared_bytes
        if shared > _OPT_IN_BYTES:
            self._call("cuFuncSetAttribute", launch.function, _MAX_DYNAMIC_SHARED, shared)
        values = [ctypes.create_string_buffer(data, len(data)) for data in launch.arguments]
        places = (ctypes.c_void_p * max(1, len(values)))(*(ctypes.addressof(value) for value in values))
        sizes = (grid.x, grid.y, grid.z, block.x, block.y, block.z, shared)
        self._call("cuLaunchKernel", launch.function, *sizes, ctypes.c_void_p(launch.stream), places, None)

    def _call(self, name: str, *arguments: object) -> None:
        function: Callable[..., int] = getattr(self._library, name)
        status = function(*arguments)
        if status:
            error_name = ctypes.c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(error_name))
            what = (error_name.value or b"an unknown error").decode()
            raise KernelFailed(f"{name} failed: {what}", "check grid, block and shared memory against the GPU's limits")


def installed() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise KernelFailed(f"no CUDA driver: {error}", "install NVIDIA's driver, or pass arrays on the CPU") from error
