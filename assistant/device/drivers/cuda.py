"""The driver protocol on NVIDIA's own bindings (``cuda.bindings``), the default.

The driver API is used as it is, not through ``cuda.core``: recorded arguments are raw bytes, which its launcher does not take; it
is not there for CUDA 12; and its import costs a worker's start more than the bindings do. Example::

    driver = CudaDriver(0)
    address = driver.allocate(1 << 20)
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
from collections.abc import Callable, Sequence
from typing import Any

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
from assistant.device.drivers.arguments import checked_arguments
from assistant.model.launch import Dim3, LaunchConfig
from assistant.record import Record

__all__ = ["CudaDriver", "launch_attributes", "node_attributes", "uuid_text"]

_SHARED_BYTES = 64
"""Of a ``CUipcMemHandle`` (CU_IPC_HANDLE_SIZE)."""
_PORTABLE_CLUSTER_BLOCKS = 8
"""Blocks of a cluster that every device with clusters takes (CUDA C++ Programming Guide 13.0, "Thread Block Clusters")."""


class _KeptArguments(Record):
    """Argument values and the array of pointers to them, as ``cuLaunchKernel`` reads it."""

    values: tuple[Any, ...]
    pointers: Any

    @property
    def address(self) -> int:
        return ctypes.addressof(self.pointers)


class CudaDriver:
    """Implements ``driver.Driver``. One per process: it makes the device's primary context current."""

    def __init__(self, index: int) -> None:
        """Raises ImportError without the bindings, DeviceError without a driver or such a device."""
        self._cu: Any = importlib.import_module("cuda.bindings.driver")  # ships no usable types
        self._call("cuInit", 0)
        self._index = index
        self._device = self._call("cuDeviceGet", index)
        self._context = self._call("cuDevicePrimaryCtxRetain", self._device)
        self._call("cuCtxSetCurrent", self._context)
        self._main = self._new_stream()
        self._parameters: dict[int, tuple[tuple[int, int], ...]] = {}

    def _call(self, name: str, *arguments: object) -> Any:
        """The driver function's result: nothing, a value or a tuple of them."""
        status, *values = getattr(self._cu, name)(*arguments)
        if int(status) != 0:
            raise self._error(status, name)
        return values[0] if len(values) == 1 else tuple(values)

    def _error(self, status: Any, call: str) -> DeviceError:
        failed, text = self._cu.cuGetErrorString(status)
        message = text.decode() if int(failed) == 0 and text else "no description"
        return DeviceError(status.name, message, call)

    def _attribute(self, name: str) -> int:
        return int(self._call("cuDeviceGetAttribute", getattr(self._cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}"), self._device))

    def facts(self) -> DeviceFacts:
        version = int(self._call("cuDriverGetVersion"))
        name = bytes(self._call("cuDeviceGetName", 256, self._device)).split(b"\0")[0].decode("utf-8", "replace")
        return DeviceFacts(
            index=self._index,
            name=name,
            uuid=uuid_text(bytes(self._call(self._uuid_call, self._device).bytes), name),
            compute_capability=(self._attribute("COMPUTE_CAPABILITY_MAJOR"), self._attribute("COMPUTE_CAPABILITY_MINOR")),
            sm_count=self._attribute("MULTIPROCESSOR_COUNT"),
            l2_bytes=self._attribute("L2_CACHE_SIZE"),
            memory_bytes=int(self._call("cuDeviceTotalMem", self._device)),
            shared_bytes_per_block_optin=self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            max_shared_bytes_per_sm=self._attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
            clock_hz=self._attribute("CLOCK_RATE") * 1e3,
            driver_version=f"{version // 1000}.{version % 1000 // 10}",
            binding=f"cuda-bindings {importlib.metadata.version('cuda-bindings')}",
        )

    @property
    def _uuid_call(self) -> str:
        """The one that tells a MIG slice from its GPU; CUDA 13 knows no other, under the plain name."""
        return "cuDeviceGetUuid_v2" if hasattr(self._cu, "cuDeviceGetUuid_v2") else "cuDeviceGetUuid"

    def memory(self) -> tuple[int, int]:
        free, total = self._call("cuMemGetInfo")
        return int(free), int(total)

    def close(self) -> None:
        self._cu.cuStreamDestroy(self._main)  # of a lost context all of this fails, which changes nothing
        self._cu.cuDevicePrimaryCtxRelease(self._device)

    def allocate(self, size_bytes: int) -> Address:
        return Address(int(self._call("cuMemAlloc", max(1, size_bytes))))

    def free(self, address: Address) -> None:
        self._call("cuMemFree", address)

    def allocate_host(self, size_bytes: int) -> HostMemory:
        pointer = int(self._call("cuMemHostAlloc", size_bytes, self._cu.CU_MEMHOSTALLOC_DEVICEMAP | self._cu.CU_MEMHOSTALLOC_PORTABLE))
        view = memoryview((ctypes.c_char * size_bytes).from_address(pointer)).cast("B")
        return HostMemory(view, Address(int(self._call("cuMemHostGetDevicePointer", pointer, 0))))

    def open_shared(self, handle: bytes) -> Address:
        shared = self._cu.CUipcMemHandle()
        ctypes.memmove(shared.getPtr(), handle, len(handle))
        return Address(int(self._call("cuIpcOpenMemHandle", shared, int(self._cu.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS))))

    def close_shared(self, address: Address) -> None:
        self._call("cuIpcCloseMemHandle", address)

    def share(self, address: Address) -> bytes:
        shared = self._call("cuIpcGetMemHandle", address)
        return ctypes.string_at(shared.getPtr(), _SHARED_BYTES)

    def write(self, address: Address, data: bytes | memoryview, stream: StreamHandle | None = None) -> None:
        if len(data):
            self._call("cuMemcpyHtoDAsync", address, data, len(data), self._of(stream))

    def read(self, address: Address, size_bytes: int, stream: StreamHandle | None = None) -> bytes:
        data = bytearray(size_bytes)
        if size_bytes:
            target = ctypes.addressof(ctypes.c_char.from_buffer(data))
            self._call("cuMemcpyDtoHAsync", target, address, size_bytes, self._of(stream))
        self.synchronize(stream)
        return bytes(data)

    def copy(self, target: Address, source: Address, size_bytes: int, stream: StreamHandle | None = None) -> None:
        if size_bytes:
            self._call("cuMemcpyDtoDAsync", target, source, size_bytes, self._of(stream))

    def fill(self, address: Address, byte: int, size_bytes: int, stream: StreamHandle | None = None) -> None:
        if size_bytes:
            self._call("cuMemsetD8Async", address, byte, size_bytes, self._of(stream))

    def reset_persisting_l2(self) -> None:
        (status,) = self._cu.cuCtxResetPersistingL2Cache()
        if status != self._cu.CUresult.CUDA_ERROR_NOT_SUPPORTED and int(status) != 0:  # not supported: before compute capability 8.0
            raise self._error(status, "cuCtxResetPersistingL2Cache")

    def load(self, image: bytes) -> ModuleHandle:
        module = self._call("cuModuleLoadData", image)
        for function in self._functions(module):
            self._cu.cuFuncLoad(function)  # without it a first launch loads the code, and may wait for the device
        return ModuleHandle(int(module))

    def _functions(self, module: Any) -> list[Any]:
        count = int(self._call("cuModuleGetFunctionCount", module))
        return list(self._call("cuModuleEnumerateFunctions", count, module)) if count else []

    def unload(self, module: ModuleHandle) -> None:
        self._parameters.clear()  # a handle may come again for another kernel
        self._call("cuModuleUnload", self._cu.CUmodule(module))

    def function(self, module: ModuleHandle, name: str) -> FunctionHandle:
        return FunctionHandle(int(self._call("cuModuleGetFunction", self._cu.CUmodule(module), name.encode())))

    def symbol(self, module: ModuleHandle, name: str) -> tuple[Address, int]:
        address, size = self._call("cuModuleGetGlobal", self._cu.CUmodule(module), name.encode())
        return Address(int(address)), int(size)

    def _parameters_of(self, function: FunctionHandle) -> tuple[tuple[int, int], ...]:
        if function not in self._parameters:
            found: list[tuple[int, int]] = []
            while True:
                status, offset, size = self._cu.cuFuncGetParamInfo(self._cu.CUfunction(function), len(found))
                if int(status) != 0:
                    break  # CUDA_ERROR_INVALID_VALUE behind the last one (CUDA driver API, cuFuncGetParamInfo)
                found.append((int(offset), int(size)))
            self._parameters[function] = tuple(found)
        return self._parameters[function]

    def prepare(
        self,
        function: FunctionHandle,
        config: LaunchConfig,
        arguments: Sequence[bytes],
        is_cooperative: bool = False,
        cluster: Dim3 | None = None,
    ) -> PreparedLaunch:
        values = checked_arguments(arguments, self._parameters_of(function))
        if config.shared_bytes:
            self._allow_shared(function, config.shared_bytes)
        if cluster is not None and cluster.count > _PORTABLE_CLUSTER_BLOCKS:
            larger = self._cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            self._call("cuFuncSetAttribute", self._cu.CUfunction(function), larger, 1)
        return PreparedLaunch(function, config, values, is_cooperative, _kept(values), cluster)

    def _allow_shared(self, function: FunctionHandle, size_bytes: int) -> None:
        """Only ever more: launches that were prepared before may need what is allowed now."""
        kind = self._cu.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if size_bytes > int(self._call("cuFuncGetAttribute", kind, self._cu.CUfunction(function))):
            self._call("cuFuncSetAttribute", self._cu.CUfunction(function), kind, size_bytes)

    def launch(self, prepared: PreparedLaunch, stream: StreamHandle | None = None) -> None:
        grid, block, kept = prepared.config.grid, prepared.config.block, prepared.kept
        assert isinstance(kept, _KeptArguments)
        sizes = (grid.x, grid.y, grid.z, block.x, block.y, block.z, prepared.config.shared_bytes)
        function = self._cu.CUfunction(prepared.function)
        if prepared.cluster is not None:
            self._call("cuLaunchKernelEx", self._configured(prepared, stream), function, kept.address, 0)
        elif prepared.is_cooperative:
            self._call("cuLaunchCooperativeKernel", function, *sizes, self._of(stream), kept.address)
        else:
            self._call("cuLaunchKernel", function, *sizes, self._of(stream), kept.address, 0)

    def is_idle(self, stream: StreamHandle | None = None) -> bool:
        (status,) = self._cu.cuStreamQuery(self._of(stream))
        if status == self._cu.CUresult.CUDA_ERROR_NOT_READY:
            return False
        if int(status) != 0:
            raise self._error(status, "cuStreamQuery")
        return True

    def synchronize(self, stream: StreamHandle | None = None) -> None:
        self._call("cuStreamSynchronize", self._of(stream))

    def create_event(self) -> EventHandle:
        return EventHandle(int(self._call("cuEventCreate", int(self._cu.CUevent_flags.CU_EVENT_DEFAULT))))

    def destroy_event(self, event: EventHandle) -> None:
        self._call("cuEventDestroy", self._cu.CUevent(event))

    def record(self, event: EventHandle, stream: StreamHandle | None = None) -> None:
        self._call("cuEventRecord", self._cu.CUevent(event), self._of(stream))

    def wait(self, event: EventHandle) -> None:
        self._call("cuEventSynchronize", self._cu.CUevent(event))

    def elapsed_s(self, start: EventHandle, end: EventHandle) -> float:
        return float(self._call("cuEventElapsedTime", self._cu.CUevent(start), self._cu.CUevent(end))) * 1e-3

    @property
    def has_graphs(self) -> bool:
        return True

    def create_graph(self, launches: Sequence[PreparedLaunch]) -> GraphHandle:
        graph = self._call("cuGraphCreate", 0)
        try:
            before: list[Any] = []
            for prepared in launches:
                before = [self._call("cuGraphAddKernelNode", graph, before, len(before), self._node(prepared))]
                for identity, value in node_attributes(self._cu, prepared):
                    self._call("cuGraphKernelNodeSetAttribute", before[0], identity, value)
            executable = self._call("cuGraphInstantiate", graph, 0)
        finally:
            self._call("cuGraphDestroy", graph)
        self._call("cuGraphUpload", executable, self._main)
        return GraphHandle(int(executable))

    def launch_graph(self, graph: GraphHandle, stream: StreamHandle | None = None) -> None:
        self._call("cuGraphLaunch", self._cu.CUgraphExec(graph), self._of(stream))

    def destroy_graph(self, graph: GraphHandle) -> None:
        self._call("cuGraphExecDestroy", self._cu.CUgraphExec(graph))

    def _node(self, prepared: PreparedLaunch) -> Any:
        kept = prepared.kept
        assert isinstance(kept, _KeptArguments)
        grid, block = prepared.config.grid, prepared.config.block
        node = self._cu.CUDA_KERNEL_NODE_PARAMS()
        node.func = self._cu.CUfunction(prepared.function)
        node.gridDimX, node.gridDimY, node.gridDimZ = grid.x, grid.y, grid.z
        node.blockDimX, node.blockDimY, node.blockDimZ = block.x, block.y, block.z
        node.sharedMemBytes = prepared.config.shared_bytes
        node.kernelParams = kept.address
        return node

    def _configured(self, prepared: PreparedLaunch, stream: StreamHandle | None) -> Any:
        grid, block = prepared.config.grid, prepared.config.block
        config = self._cu.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = grid.x, grid.y, grid.z
        config.blockDimX, config.blockDimY, config.blockDimZ = block.x, block.y, block.z
        config.sharedMemBytes = prepared.config.shared_bytes
        config.hStream = self._of(stream)
        config.attrs = launch_attributes(self._cu, prepared)
        config.numAttrs = len(config.attrs)
        return config

    def _new_stream(self) -> Any:
        return self._call("cuStreamCreate", int(self._cu.CUstream_flags.CU_STREAM_NON_BLOCKING))

    def _of(self, stream: StreamHandle | None) -> Any:
        return self._main if stream is None else self._cu.CUstream(stream)


def launch_attributes(cu: Any, prepared: PreparedLaunch) -> list[Any]:
    """``CUlaunchAttribute`` for each thing that a launch asks for beyond its sizes. ``cu``: ``cuda.bindings.driver``."""
    found = list[Any]()

    def new_value(name: str) -> Any:
        found.append(cu.CUlaunchAttribute())
        found[-1].id = getattr(cu.CUlaunchAttributeID, name)
        return found[-1].value

    _ask(prepared, new_value)
    return found


def node_attributes(cu: Any, prepared: PreparedLaunch) -> list[tuple[Any, Any]]:
    """The same as ``cuGraphKernelNodeSetAttribute`` takes it, whose values are of a type of their own (cuda-bindings 13.5)."""
    found = list[tuple[Any, Any]]()

    def new_value(name: str) -> Any:
        found.append((getattr(cu.CUkernelNodeAttrID, name), cu.CUkernelNodeAttrValue()))
        return found[-1][1]

    _ask(prepared, new_value)
    return found


def _ask(prepared: PreparedLaunch, new_value: Callable[[str], Any]) -> None:
    """``new_value``: of an attribute, by the name that CUDA's driver API has for it."""
    if prepared.is_cooperative:
        new_value("CU_LAUNCH_ATTRIBUTE_COOPERATIVE").cooperative = 1
    if prepared.cluster is not None:
        sizes = new_value("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION").clusterDim
        sizes.x, sizes.y, sizes.z = prepared.cluster.x, prepared.cluster.y, prepared.cluster.z


def _kept(values: tuple[bytes, ...]) -> _KeptArguments:
    buffers = tuple(ctypes.create_string_buffer(value, len(value)) for value in values)
    pointers = (ctypes.c_void_p * max(1, len(buffers)))(*(ctypes.addressof(buffer) for buffer in buffers))
    return _KeptArguments(buffers, pointers)


def uuid_text(raw: bytes, device: str) -> str:
    """``GPU-8-4-4-4-12``, as ``nvidia-smi`` spells it; ``MIG-…`` for a slice, whose name says so (``NVIDIA A100 MIG 1g.5gb``)."""
    digits = raw.hex()
    kind = "MIG" if " MIG " in device else "GPU"
    return f"{kind}-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
