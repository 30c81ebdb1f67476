"""A GPU of our own for tests of the timing: implements ``device.driver.Driver`` on a virtual clock, one stream, known kernels.

A launch takes as long as its ``kernel`` says; commands run one after another when they are queued, but behind a closed gate only when
it is opened. Kernels are Python functions on the virtual memory. Example::

    gpu = VirtualGpu({"work": Kernel(lambda gpu, arguments: 10e-6)})
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from assistant.model.launch import Dim3, LaunchConfig

START_S = 2.8e-6
"""What an event before and after add to a kernel."""
NODE_S = 0.6e-6
GAP_S = 4e-6
"""Host latency of one command, which shows between events where nothing holds the stream."""

Body = Callable[["VirtualGpu", tuple[bytes, ...]], float]
"""Does the work on the virtual memory; the seconds it takes."""


def number(argument: bytes) -> int:
    return int.from_bytes(argument, "little", signed=True)


@dataclass
class _Command:
    run: Callable[[], float]


class VirtualGpu:
    """One device, one stream."""

    has_graphs: bool = True

    def __init__(self, kernels: dict[str, Body], is_slow_host: bool = False) -> None:
        self._kernels = {**_KIT, **kernels}
        self._names = list(self._kernels)
        self._is_slow_host = is_slow_host
        self.memory_of: dict[int, bytearray] = {}
        self._next = 0x10000
        self.now_s = 0.0
        self._queue: list[_Command] = []
        self._flags: memoryview | None = None
        self._is_gated = False
        self._events: dict[int, float] = {}
        self._graphs: dict[int, list[PreparedLaunch]] = {}
        self.launched: list[str] = []

    def facts(self) -> DeviceFacts:
        return DeviceFacts(0, "Virtual GPU", "GPU-0", (9, 0), 4, 1 << 16, 1 << 30, 1 << 16, 1 << 16, 2e9, "13.0", "virtual 1")

    def memory(self) -> tuple[int, int]:
        return 1 << 29, 1 << 30

    def close(self) -> None: ...

    def allocate(self, size_bytes: int) -> Address:
        address, self._next = self._next, self._next + (size_bytes + 255) // 256 * 256 + 256
        self.memory_of[address] = bytearray(size_bytes)
        return Address(address)

    def free(self, address: Address) -> None:
        del self.memory_of[address]

    def allocate_host(self, size_bytes: int) -> HostMemory:
        self._flags = memoryview(bytearray(size_bytes))
        return HostMemory(self._flags, Address(1))

    def open_shared(self, handle: bytes) -> Address:
        raise AssertionError("nothing is shared here")

    def close_shared(self, address: Address) -> None: ...

    def share(self, address: Address) -> bytes:
        raise AssertionError("nothing is shared here")

    def bytes_at(self, address: int, size_bytes: int) -> memoryview:
        start = max(base for base in self.memory_of if base <= address)
        return memoryview(self.memory_of[start])[address - start : address - start + size_bytes]

    def write(self, address: Address, data: bytes | memoryview, stream: StreamHandle | None = None) -> None:
        self._put(lambda: self._set(address, bytes(data)))

    def read(self, address: Address, size_bytes: int, stream: StreamHandle | None = None) -> bytes:
        self.synchronize()
        return bytes(self.bytes_at(address, size_bytes))

    def copy(self, target: Address, source: Address, size_bytes: int, stream: StreamHandle | None = None) -> None:
        self._put(lambda: self._set(target, bytes(self.bytes_at(source, size_bytes))))

    def fill(self, address: Address, byte: int, size_bytes: int, stream: StreamHandle | None = None) -> None:
        self._put(lambda: self._set(address, bytes([byte]) * size_bytes))

    def _set(self, address: int, data: bytes) -> float:
        self.bytes_at(address, len(data))[:] = data
        return 1e-6

    def reset_persisting_l2(self) -> None: ...

    def load(self, image: bytes) -> ModuleHandle:
        return ModuleHandle(1)

    def unload(self, module: ModuleHandle) -> None: ...

    def function(self, module: ModuleHandle, name: str) -> FunctionHandle:
        return FunctionHandle(self._names.index(name))

    def symbol(self, module: ModuleHandle, name: str) -> tuple[Address, int]:
        raise DeviceError("CUDA_ERROR_NOT_FOUND", "no device variables here", "cuModuleGetGlobal")

    def prepare(
        self,
        function: FunctionHandle,
        config: LaunchConfig,
        arguments: Sequence[bytes],
        is_cooperative: bool = False,
        cluster: Dim3 | None = None,
    ) -> PreparedLaunch:
        return PreparedLaunch(function, config, tuple(arguments), is_cooperative, None, cluster)

    def launch(self, prepared: PreparedLaunch, stream: StreamHandle | None = None) -> None:
        if self._names[prepared.function] == "kernelopt_gate":
            self._is_gated = not self._is_slow_host
            if self._is_slow_host and self._flags is not None:
                self._flags[4] = 1
            return
        self._put(lambda: self._run(prepared) + START_S)

    def _run(self, prepared: PreparedLaunch) -> float:
        name = self._names[prepared.function]
        self.launched.append(name)
        return self._kernels[name](self, prepared.arguments)

    def is_idle(self, stream: StreamHandle | None = None) -> bool:
        return not self._queue

    def synchronize(self, stream: StreamHandle | None = None) -> None:
        is_open = self._flags is None or self._flags[0] == 1
        assert is_open or not self._is_gated, "waited for a stream that a closed gate holds"
        self._is_gated = False
        for command in self._queue:
            self.now_s += command.run()
        self._queue.clear()

    def _put(self, run: Callable[[], float]) -> None:
        if not self._is_gated:
            self.synchronize()
            self.now_s += GAP_S + run()
        else:
            self._queue.append(_Command(run))

    def create_event(self) -> EventHandle:
        self._next += 1
        return EventHandle(self._next)

    def destroy_event(self, event: EventHandle) -> None:
        self._events.pop(event, None)

    def record(self, event: EventHandle, stream: StreamHandle | None = None) -> None:
        def run() -> float:
            self._events[event] = self.now_s
            return 0.0

        self._put(run)

    def wait(self, event: EventHandle) -> None:
        self.synchronize()

    def elapsed_s(self, start: EventHandle, end: EventHandle) -> float:
        return self._events[end] - self._events[start]

    def create_graph(self, launches: Sequence[PreparedLaunch]) -> GraphHandle:
        self._next += 1
        self._graphs[self._next] = list(launches)
        return GraphHandle(self._next)

    def launch_graph(self, graph: GraphHandle, stream: StreamHandle | None = None) -> None:
        nodes = self._graphs[graph]
        self._put(lambda: START_S + sum(NODE_S + self._run(node) for node in nodes))

    def destroy_graph(self, graph: GraphHandle) -> None:
        del self._graphs[graph]


def _compare(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
    a, b, count, counter = (number(argument) for argument in arguments)
    found = sum(x != y for x, y in zip(gpu.bytes_at(a, count), gpu.bytes_at(b, count), strict=True))
    cell = gpu.bytes_at(counter, 8)
    cell[:] = (int.from_bytes(cell, "little") + found).to_bytes(8, "little")
    return 1e-6


def _copy(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
    target, source, count = (number(argument) for argument in arguments)
    gpu.bytes_at(target, 16 * count)[:] = bytes(gpu.bytes_at(source, 16 * count))
    return 1e-6


_KIT: dict[str, Body] = {
    "kernelopt_gate": lambda gpu, arguments: 0.0,
    "kernelopt_empty": lambda gpu, arguments: 0.0,
    "kernelopt_read": lambda gpu, arguments: 30e-6,
    "kernelopt_read_again": lambda gpu, arguments: 30e-6,
    "kernelopt_spin": lambda gpu, arguments: number(arguments[0]) / 2e9,
    "kernelopt_copy": _copy,
    "kernelopt_compare": _compare,
    "kernelopt_fma32": lambda gpu, arguments: 1e-3,
    "kernelopt_fma64": lambda gpu, arguments: 2e-3,
    "kernelopt_half2": lambda gpu, arguments: 1e-3,
}
