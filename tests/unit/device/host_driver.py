"""A driver without a GPU: device memory is bytes of this process, kernels are Python functions. Passes ``driver_contract``."""

from __future__ import annotations

import hashlib
import itertools
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

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

_MEMORY_BYTES = 64 << 20
_BASE = 0x7F0000000000
FILL_SHARED = "kernelopt_fill_shared"


@dataclass(frozen=True)
class HostKernel:
    """What stands for a compiled kernel."""

    parameters: tuple[tuple[int, int], ...]
    run: Callable[[HostDriver, tuple[bytes, ...]], None]


@dataclass
class HostCode:
    """What stands for a cubin; its name is what is loaded."""

    kernels: dict[str, HostKernel]
    symbols: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Device variables with what they hold when the code is loaded."""


class HostDriver:
    """Implements ``driver.Driver``; every call has happened when it returns."""

    def __init__(self, codes: dict[bytes, HostCode]) -> None:
        self._codes = codes
        self._memory = bytearray(_MEMORY_BYTES)
        self._sizes: dict[int, int] = {}
        self._next = 256
        self._ids = itertools.count(1)
        self._modules: dict[int, dict[str, tuple[Address, int]]] = {}
        self._loaded: dict[int, HostCode] = {}
        self._functions: dict[int, HostKernel] = {}
        self._graphs: dict[int, tuple[PreparedLaunch, ...]] = {}
        self._events: dict[int, float] = {}
        self.is_stuck = False
        """A kernel never ends."""
        self.shared_patterns: list[int] = []
        """What shared memory was filled with, one for each fill."""
        self.allocated_bytes = 0

    def facts(self) -> DeviceFacts:
        return DeviceFacts(0, "host", "GPU-host", (9, 0), 1, 1 << 20, _MEMORY_BYTES, 1024, 1024, 1e9, "13.0", "host")

    def memory(self) -> tuple[int, int]:
        return _MEMORY_BYTES - self._next, _MEMORY_BYTES

    def close(self) -> None:
        self._sizes.clear()

    def allocate(self, size_bytes: int) -> Address:
        start = self._next
        if start + size_bytes > _MEMORY_BYTES:
            raise DeviceError("CUDA_ERROR_OUT_OF_MEMORY", "out of memory", "cuMemAlloc")
        self._next = (start + max(1, size_bytes) + 255) // 256 * 256
        self._sizes[_BASE + start] = size_bytes
        self.allocated_bytes += size_bytes
        return Address(_BASE + start)

    def free(self, address: Address) -> None:
        assert not self.is_stuck, "CUDA would wait for the kernel"
        self.allocated_bytes -= self._sizes.pop(address)

    def allocate_host(self, size_bytes: int) -> HostMemory:
        address = self.allocate(size_bytes)
        start = address - _BASE
        return HostMemory(memoryview(self._memory)[start : start + size_bytes], address)

    def open_shared(self, handle: bytes) -> Address:
        """A handle is the address in eight bytes, as everything is in one process here."""
        return Address(int.from_bytes(handle[:8], "little"))

    def close_shared(self, address: Address) -> None:
        assert address in self._sizes

    def share(self, address: Address) -> bytes:
        return address.to_bytes(64, "little")

    def write(self, address: Address, data: bytes | memoryview, stream: StreamHandle | None = None) -> None:
        start = address - _BASE
        self._memory[start : start + len(data)] = data

    def read(self, address: Address, size_bytes: int, stream: StreamHandle | None = None) -> bytes:
        start = address - _BASE
        return bytes(self._memory[start : start + size_bytes])

    def copy(self, target: Address, source: Address, size_bytes: int, stream: StreamHandle | None = None) -> None:
        self.write(target, self.read(source, size_bytes))

    def fill(self, address: Address, byte: int, size_bytes: int, stream: StreamHandle | None = None) -> None:
        self.write(address, bytes([byte]) * size_bytes)

    def reset_persisting_l2(self) -> None: ...

    def load(self, image: bytes) -> ModuleHandle:
        code, handle = self._codes[image], next(self._ids)
        symbols: dict[str, tuple[Address, int]] = {}
        for name, contents in code.symbols.items():
            symbols[name] = (self.allocate(len(contents)), len(contents))
            self.write(symbols[name][0], contents)
        self._modules[handle], self._loaded[handle] = symbols, code
        return ModuleHandle(handle)

    def unload(self, module: ModuleHandle) -> None:
        for address, _ in self._modules.pop(module).values():
            self.free(address)

    def function(self, module: ModuleHandle, name: str) -> FunctionHandle:
        kernels = self._loaded[module].kernels
        if name not in kernels:
            raise DeviceError("CUDA_ERROR_NOT_FOUND", "named symbol not found", "cuModuleGetFunction")
        handle = FunctionHandle(next(self._ids))
        kernel = kernels[name]
        symbols = self._modules[module]

        def run(driver: HostDriver, arguments: tuple[bytes, ...]) -> None:
            self.symbols = symbols
            kernel.run(driver, arguments)

        self._functions[handle] = HostKernel(kernel.parameters, run)
        return handle

    def symbol(self, module: ModuleHandle, name: str) -> tuple[Address, int]:
        if name not in self._modules[module]:
            raise DeviceError("CUDA_ERROR_NOT_FOUND", "named symbol not found", "cuModuleGetGlobal")
        return self._modules[module][name]

    def prepare(
        self,
        function: FunctionHandle,
        config: LaunchConfig,
        arguments: Sequence[bytes],
        is_cooperative: bool = False,
        cluster: Dim3 | None = None,
    ) -> PreparedLaunch:
        values = checked_arguments(arguments, self._functions[function].parameters)
        return PreparedLaunch(function, config, values, is_cooperative, None, cluster)

    def launch(self, prepared: PreparedLaunch, stream: StreamHandle | None = None) -> None:
        self._functions[prepared.function].run(self, prepared.arguments)

    def is_idle(self, stream: StreamHandle | None = None) -> bool:
        return not self.is_stuck

    def synchronize(self, stream: StreamHandle | None = None) -> None:
        return

    def create_event(self) -> EventHandle:
        return EventHandle(next(self._ids))

    def destroy_event(self, event: EventHandle) -> None:
        self._events.pop(event, None)

    def record(self, event: EventHandle, stream: StreamHandle | None = None) -> None:
        self._events[event] = time.perf_counter()

    def wait(self, event: EventHandle) -> None:
        return

    def elapsed_s(self, start: EventHandle, end: EventHandle) -> float:
        return self._events[end] - self._events[start]

    @property
    def has_graphs(self) -> bool:
        return True

    def create_graph(self, launches: Sequence[PreparedLaunch]) -> GraphHandle:
        handle = GraphHandle(next(self._ids))
        self._graphs[handle] = tuple(launches)
        return handle

    def launch_graph(self, graph: GraphHandle, stream: StreamHandle | None = None) -> None:
        for launch in self._graphs[graph]:
            self.launch(launch)

    def destroy_graph(self, graph: GraphHandle) -> None:
        del self._graphs[graph]


def address_of(argument: bytes) -> Address:
    """The pointer that a raw argument is."""
    return Address(struct.unpack("<Q", argument)[0])


def number_of(argument: bytes) -> int:
    return int(struct.unpack("<i", argument)[0])


def own_kernels() -> HostCode:
    """What stands for ``helpers.cu``."""
    return HostCode(
        {
            FILL_SHARED: HostKernel(((0, 4), (4, 4)), lambda driver, given: driver.shared_patterns.append(given[0][0])),
            "kernelopt_compare": HostKernel(((0, 8), (8, 8), (16, 8), (24, 8)), _compare),
            "kernelopt_differences": HostKernel(((0, 8), (8, 8), (16, 8), (24, 8), (32, 4), (40, 8)), _differences),
            "kernelopt_checksum": HostKernel(((0, 8), (8, 8), (16, 8)), _checksum),
        }
    )


def _compare(driver: HostDriver, given: tuple[bytes, ...]) -> None:
    size = address_of(given[2])
    one, other = (driver.read(address_of(place), size) for place in given[:2])
    driver.write(address_of(given[3]), sum(a != b for a, b in zip(one, other, strict=True)).to_bytes(8, "little"))


def _checksum(driver: HostDriver, given: tuple[bytes, ...]) -> None:
    data = driver.read(address_of(given[0]), address_of(given[1]))
    driver.write(address_of(given[2]), hashlib.blake2b(data, digest_size=8).digest())


def _differences(driver: HostDriver, given: tuple[bytes, ...]) -> None:
    """Of bytes and floats, in pieces, as of ``helpers.cu``."""
    size, piece, kind = address_of(given[2]), address_of(given[3]), number_of(given[4])
    dtype = np.dtype(np.float32 if kind == 1 else np.uint8)
    one, other = (np.frombuffer(driver.read(address_of(place), size), dtype).astype(np.float64) for place in given[:2])
    found = list[float]()
    for start in range(0, one.size, piece // dtype.itemsize):
        x, y = (values[start : start + piece // dtype.itemsize] for values in (one, other))
        difference = np.abs(x - y)
        relative = np.divide(difference, np.maximum(np.abs(x), np.abs(y)), out=np.zeros_like(x), where=difference > 0)
        found += [float(np.count_nonzero(x != y)), *((float(difference.max()), float(relative.max())) if kind else (0.0, 0.0))]
    driver.write(address_of(given[5]), struct.pack(f"<{len(found)}d", *found))
