"""The driver protocol on pycuda, for machines that have it and not NVIDIA's bindings.

pycuda knows no graphs, no cooperative launches and no parameter layouts; the layouts are read from the machine code. Example::

    driver = PycudaDriver(0)
    address = driver.allocate(1 << 20)
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from assistant.device.driver import (
    Address,
    DeviceError,
    DeviceFacts,
    EventHandle,
    FunctionHandle,
    GraphHandle,
    HostMemory,
    ModuleHandle,
    PreparedLaunch,
    StreamHandle,
)
from assistant.device.drivers.arguments import checked_arguments, packed_arguments
from assistant.device.drivers.cuda import uuid_text
from assistant.device.drivers.parameter_layout import parameter_layouts
from assistant.model.launch import Dim3, LaunchConfig

__all__ = ["PycudaDriver", "uuid_of"]

T = TypeVar("T")
_DRIVER_LIBRARY = "libcuda.so.1"
_UUID_BYTES = 16
_NAMES = {
    "an illegal memory access was encountered": "CUDA_ERROR_ILLEGAL_ADDRESS",
    "out of memory": "CUDA_ERROR_OUT_OF_MEMORY",
    "misaligned address": "CUDA_ERROR_MISALIGNED_ADDRESS",
    "unspecified launch failure": "CUDA_ERROR_LAUNCH_FAILED",
    "an illegal instruction was encountered": "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "device-side assert triggered": "CUDA_ERROR_ASSERT",
    "invalid argument": "CUDA_ERROR_INVALID_VALUE",
    "too many resources requested for launch": "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
    "the launch timed out and was terminated": "CUDA_ERROR_LAUNCH_TIMEOUT",
    "named symbol not found": "CUDA_ERROR_NOT_FOUND",
    "invalid resource handle": "CUDA_ERROR_INVALID_HANDLE",
}
"""Results by their text (``cuGetErrorString``): all that pycuda keeps of them."""


class PycudaDriver:
    """Implements ``driver.Driver`` but for graphs and cooperative launches."""

    def __init__(self, index: int) -> None:
        """Raises ImportError without pycuda, RuntimeError or DeviceError without a driver or such a device."""
        self._cuda: Any = importlib.import_module("pycuda.driver")  # ships no types
        self._pycuda: Any = importlib.import_module("pycuda")
        self._numpy: Any = importlib.import_module("numpy")
        self._index = index
        self._ids = itertools.count(1)
        self._objects: dict[int, Any] = {}
        """What handles stand for: pycuda's objects, which free what they own when they go."""
        self._layouts: dict[int, dict[str, tuple[tuple[int, int], ...]]] = {}
        self._functions: dict[int, list[int]] = {}
        """By module: its functions."""
        self._parameters: dict[int, tuple[tuple[int, int], ...]] = {}
        self._call("cuInit", self._cuda.init)
        self._device = self._call("cuDeviceGet", lambda: self._cuda.Device(index))
        self._context = self._call("cuDevicePrimaryCtxRetain", self._device.retain_primary_context)
        self._call("cuCtxPushCurrent", self._context.push)
        self._main = self._call("cuStreamCreate", self._new_stream)

    def _call(self, name: str, function: Callable[[], T]) -> T:
        try:
            return function()
        except self._cuda.Error as error:
            text = str(error).partition(": ")[2].split("\n")[0].removeprefix("failed: ")
            message = text.rpartition(" - ")[2] if " - " in text else text
            found = next((name for words, name in _NAMES.items() if words in message), "CUDA_ERROR_UNKNOWN")
            raise DeviceError(found, message, name) from error

    def _new_stream(self) -> Any:
        return self._cuda.Stream(1)  # CU_STREAM_NON_BLOCKING

    def _kept(self, value: object) -> int:
        handle = next(self._ids)
        self._objects[handle] = value
        return handle

    def _of(self, stream: StreamHandle | None) -> Any:
        return self._main if stream is None else self._objects[stream]

    def facts(self) -> DeviceFacts:
        kind = self._cuda.device_attribute
        read = self._device.get_attribute
        version = int(self._cuda.get_driver_version())
        name = str(self._device.name())
        return DeviceFacts(
            index=self._index,
            name=name,
            uuid=uuid_of(ctypes.CDLL(_DRIVER_LIBRARY), self._index, name),
            compute_capability=cast("tuple[int, int]", tuple(self._device.compute_capability())),
            sm_count=int(read(kind.MULTIPROCESSOR_COUNT)),
            l2_bytes=int(read(kind.L2_CACHE_SIZE)),
            memory_bytes=int(self._device.total_memory()),
            shared_bytes_per_block_optin=int(read(kind.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)),
            max_shared_bytes_per_sm=int(read(kind.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)),
            clock_hz=int(read(kind.CLOCK_RATE)) * 1e3,
            driver_version=f"{version // 1000}.{version % 1000 // 10}",
            binding=f"pycuda {self._pycuda.VERSION_TEXT}",
        )

    def memory(self) -> tuple[int, int]:
        free, total = self._call("cuMemGetInfo", self._cuda.mem_get_info)
        return int(free), int(total)

    def close(self) -> None:
        self._objects.clear()
        self._call("cuCtxPopCurrent", self._context.pop)

    def allocate(self, size_bytes: int) -> Address:
        allocation: Any = self._call("cuMemAlloc", lambda: self._cuda.mem_alloc(max(1, size_bytes)))
        address = int(allocation)
        self._objects[address] = allocation
        return Address(address)

    def free(self, address: Address) -> None:
        self._call("cuMemFree", self._objects.pop(address).free)

    def allocate_host(self, size_bytes: int) -> HostMemory:
        flags = self._cuda.host_alloc_flags
        array: Any = self._call(
            "cuMemHostAlloc",
            lambda: self._cuda.pagelocked_empty(size_bytes, self._numpy.uint8, mem_flags=flags.DEVICEMAP | flags.PORTABLE),
        )
        address = int(array.base.get_device_pointer())
        self._objects[address] = array
        return HostMemory(memoryview(array), Address(address))

    def open_shared(self, handle: bytes) -> Address:
        flags = self._cuda.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS
        shared: Any = self._call("cuIpcOpenMemHandle", lambda: self._cuda.IPCMemoryHandle(bytearray(handle), flags))
        address = Address(int(shared))
        self._objects[address] = shared
        return address

    def close_shared(self, address: Address) -> None:
        self._call("cuIpcCloseMemHandle", self._objects.pop(address).close)

    def share(self, address: Address) -> bytes:
        return bytes(self._call("cuIpcGetMemHandle", lambda: self._cuda.mem_get_ipc_handle(self._objects[address])))

    def write(self, address: Address, data: bytes | memoryview, stream: StreamHandle | None = None) -> None:
        if len(data):
            self._call("cuMemcpyHtoDAsync", lambda: self._cuda.memcpy_htod_async(address, data, self._of(stream)))
            self.synchronize(stream)  # pycuda keeps no hold of the data

    def read(self, address: Address, size_bytes: int, stream: StreamHandle | None = None) -> bytes:
        data = bytearray(size_bytes)
        if size_bytes:
            self._call("cuMemcpyDtoHAsync", lambda: self._cuda.memcpy_dtoh_async(data, address, self._of(stream)))
        self.synchronize(stream)
        return bytes(data)

    def copy(self, target: Address, source: Address, size_bytes: int, stream: StreamHandle | None = None) -> None:
        if size_bytes:
            self._call("cuMemcpyDtoDAsync", lambda: self._cuda.memcpy_dtod_async(target, source, size_bytes, self._of(stream)))

    def fill(self, address: Address, byte: int, size_bytes: int, stream: StreamHandle | None = None) -> None:
        if size_bytes:
            self._call("cuMemsetD8Async", lambda: self._cuda.memset_d8_async(address, byte, size_bytes, self._of(stream)))

    def reset_persisting_l2(self) -> None:
        """pycuda does not know the call: the driver's library is asked itself. A device that keeps no lines refuses, which is as good."""
        ctypes.CDLL(_DRIVER_LIBRARY).cuCtxResetPersistingL2Cache()

    def load(self, image: bytes) -> ModuleHandle:
        module = self._call("cuModuleLoadDataEx", lambda: self._cuda.module_from_buffer(image))
        handle = self._kept(module)
        self._layouts[handle] = parameter_layouts(image)
        return ModuleHandle(handle)

    def unload(self, module: ModuleHandle) -> None:
        for function in self._functions.pop(module, ()):  # each keeps the module's code on the device
            del self._objects[function], self._parameters[function]
        del self._objects[module], self._layouts[module]

    def function(self, module: ModuleHandle, name: str) -> FunctionHandle:
        function = self._call("cuModuleGetFunction", lambda: self._objects[module].get_function(name))
        handle = self._kept(function)
        self._functions.setdefault(module, []).append(handle)
        self._parameters[handle] = self._layouts[module].get(name, ())
        return FunctionHandle(handle)

    def symbol(self, module: ModuleHandle, name: str) -> tuple[Address, int]:
        address, size = self._call("cuModuleGetGlobal", lambda: self._objects[module].get_global(name))
        return Address(int(address)), int(size)

    def prepare(
        self,
        function: FunctionHandle,
        config: LaunchConfig,
        arguments: Sequence[bytes],
        is_cooperative: bool = False,
        cluster: Dim3 | None = None,
    ) -> PreparedLaunch:
        if is_cooperative or cluster is not None:
            raise ValueError("pycuda starts no cooperative launches and no clusters; install cuda-bindings")
        parameters = self._parameters[function]
        values = checked_arguments(arguments, parameters)
        if config.shared_bytes:
            self._allow_shared(function, config.shared_bytes)
        return PreparedLaunch(function, config, values, False, packed_arguments(values, parameters))

    def _allow_shared(self, function: FunctionHandle, size_bytes: int) -> None:
        """Only ever more: launches that were prepared before may need what is allowed now."""
        kind, kernel = self._cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, self._objects[function]
        if size_bytes > int(self._call("cuFuncGetAttribute", lambda: kernel.get_attribute(kind))):
            self._call("cuFuncSetAttribute", lambda: kernel.set_attribute(kind, size_bytes))

    def launch(self, prepared: PreparedLaunch, stream: StreamHandle | None = None) -> None:
        grid, block = prepared.config.grid, prepared.config.block
        sizes = (grid.x, grid.y, grid.z), (block.x, block.y, block.z)
        launch = self._objects[prepared.function]._launch_kernel  # what pycuda's own call ends in, with arguments packed
        self._call("cuLaunchKernel", lambda: launch(*sizes, prepared.kept, prepared.config.shared_bytes, self._of(stream)))

    def is_idle(self, stream: StreamHandle | None = None) -> bool:
        return bool(self._call("cuStreamQuery", self._of(stream).is_done))

    def synchronize(self, stream: StreamHandle | None = None) -> None:
        self._call("cuStreamSynchronize", self._of(stream).synchronize)

    def create_event(self) -> EventHandle:
        return EventHandle(self._kept(self._call("cuEventCreate", self._cuda.Event)))

    def destroy_event(self, event: EventHandle) -> None:
        del self._objects[event]

    def record(self, event: EventHandle, stream: StreamHandle | None = None) -> None:
        self._call("cuEventRecord", lambda: self._objects[event].record(self._of(stream)))

    def wait(self, event: EventHandle) -> None:
        self._call("cuEventSynchronize", self._objects[event].synchronize)

    def elapsed_s(self, start: EventHandle, end: EventHandle) -> float:
        return float(self._call("cuEventElapsedTime", lambda: self._objects[end].time_since(self._objects[start]))) * 1e-3

    @property
    def has_graphs(self) -> bool:
        return False

    def create_graph(self, launches: Sequence[PreparedLaunch]) -> GraphHandle:
        raise ValueError("pycuda has no graphs; install cuda-bindings")

    def launch_graph(self, graph: GraphHandle, stream: StreamHandle | None = None) -> None:
        raise ValueError("pycuda has no graphs; install cuda-bindings")

    def destroy_graph(self, graph: GraphHandle) -> None:
        raise ValueError("pycuda has no graphs; install cuda-bindings")


def uuid_of(library: Any, index: int, name: str) -> str:
    """The UUID as NVML spells it, a MIG slice's own; asked of the driver's library, as pycuda does not know the call.

    ``name``: the device's. Raises DeviceError where the driver does not say.
    """
    device, raw = ctypes.c_int(), (ctypes.c_ubyte * _UUID_BYTES)()
    for call, arguments in (("cuDeviceGet", (ctypes.byref(device), index)), ("cuDeviceGetUuid_v2", (raw, device))):
        function = getattr(library, call, None)
        if function is None:
            raise DeviceError("CUDA_ERROR_NOT_FOUND", "the driver is too old to report its device's UUID", call)
        if status := int(function(*arguments)):
            raise DeviceError("CUDA_ERROR_UNKNOWN", f"the driver answers {status}", call)
    return uuid_text(bytes(raw), name)
