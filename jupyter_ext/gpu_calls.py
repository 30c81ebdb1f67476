"""A bound launch on the user's own GPU: their process, their context, the stream that their library works on.

Calling a kernel with arrays of a GPU is the user's own act, so it happens where their arrays live. Nothing is loaded before the first
such call, and no CUDA library for Python is needed: the driver, which is there where such arrays are, is asked by its C interface (CUDA
Driver API 12 and later). As with every launch, what goes wrong while it runs shows when the user next waits for the GPU.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from assistant.lab.compiler import Compiler, Image
from assistant.model.launch import LaunchConfig
from assistant.ports import LabFailure
from jupyter_ext.binding import Bound
from jupyter_ext.callables import KernelFailed
from jupyter_ext.compiling import Compiled
from jupyter_ext.loop import BackgroundLoop

__all__ = ["OnGpu"]

_MAJOR, _MINOR = 75, 76
"""``CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`` and ``_MINOR`` (cuda.h)."""
_MAX_DYNAMIC_SHARED = 8
"""``CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`` (cuda.h)."""
_OPT_IN_BYTES = 48 << 10
"""Dynamic shared memory beyond this must be asked for (CUDA C++ Programming Guide, "Shared Memory" of each architecture)."""
_POINTER_BYTES = 8


class OnGpu:
    """Launches one compiled text on the GPUs that its arrays are on."""

    def __init__(self, loop: BackgroundLoop, compiler: Compiler, compiled: Compiled, load: Callable[[], Any] | None = None) -> None:
        """``load``: gives the driver's library at the first launch; None: this machine's."""
        self._load = load or _installed
        self._loop = loop
        self._compiler = compiler
        self._compiled = compiled
        self._driver: _Driver | None = None
        self._functions: dict[tuple[str, int], ctypes.c_void_p] = {}
        """By instance and context."""

    def run(self, bound: Bound, config: LaunchConfig) -> None:
        """Queue the launch. Raises KernelFailed where it cannot be compiled or is refused."""
        if self._driver is None:
            self._driver = _Driver(self._load())
        index = int(bound.device.rpartition(":")[2])
        context = self._driver.use_device(index)
        symbol = bound.signature.symbol
        function = self._functions.get((symbol, context))
        if function is None:
            function = self._functions[symbol, context] = self._function(symbol, index)
        self._driver.launch(_Launch(function, config, _argument_bytes(bound), _stream_of(bound, index)))

    def _function(self, symbol: str, index: int) -> ctypes.c_void_p:
        assert self._driver is not None
        program = replace(self._compiled.program, kernels=(symbol,))
        image = self._loop.wait(self._compiler.image(program, self._driver.architecture(index)))
        if isinstance(image, LabFailure):
            raise KernelFailed(image.message, image.remedy)
        return self._driver.function(image, symbol)


@dataclass(frozen=True)
class _Launch:
    function: ctypes.c_void_p
    config: LaunchConfig
    arguments: tuple[bytes, ...]
    stream: int


class _Driver:
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

    def function(self, image: Image, symbol: str) -> ctypes.c_void_p:
        """Loaded into the current context, where it stays as long as the user's process."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoad", ctypes.byref(module), image.cubin.encode())
        mangled = dict(image.kernels).get(symbol)
        if mangled is None:
            raise KernelFailed(f"the compiled text holds no {symbol}", "name the instance on the magic's line")
        self._call("cuModuleGetFunction", ctypes.byref(function), module, mangled.encode())
        return function

    def launch(self, launch: _Launch) -> None:
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
            told = ctypes.c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(told))
            what = (told.value or b"an unknown error").decode()
            raise KernelFailed(f"{name} failed: {what}", "check grid, block and shared memory against the GPU's limits")


def _installed() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise KernelFailed(f"no CUDA driver: {error}", "install NVIDIA's driver, or pass arrays on the CPU") from error


def _argument_bytes(bound: Bound) -> tuple[bytes, ...]:
    """Each argument as the kernel reads it, in order."""
    return tuple(
        bound.arrays[parameter.name].address.to_bytes(_POINTER_BYTES, "little") if parameter.is_pointer else bound.scalars[parameter.name]
        for parameter in bound.signature.parameters
    )


def _stream_of(bound: Bound, index: int) -> int:
    """The stream that the arrays' library works on; the default one for libraries that do not tell. They are loaded already."""
    kinds = {array.kind for array in bound.arrays.values()}
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if "torch tensor" in kinds and torch is not None:
        return int(torch.cuda.current_stream(index).cuda_stream)
    if "CuPy array" in kinds and cupy is not None:
        return int(cupy.cuda.get_current_stream().ptr)
    return 0
