"""What the GPU worker asks of CUDA's driver API: the small protocol that ``drivers/cuda.py`` and ``drivers/pycuda.py`` implement.

One `Driver` holds one context on one GPU for the life of the worker; every call is made from the thread that opened it. Handles are
plain numbers (the driver API's own where the binding shows them) that mean something only to the `Driver` that gave them. Streams do
not wait for each other or for the null stream. A `stream` of None stands for the worker's main stream. Example::

    driver = open_cuda(0)
    module = driver.load(cubin)
    kernel = driver.function(module, "_Z5saxpyfPKfPfi")
    launch = driver.prepare(kernel, config, (bytes_of_a, bytes_of_x, bytes_of_y, bytes_of_n))
    driver.launch(launch)
    driver.synchronize()                    # raises DeviceError where the kernel failed
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NewType, Protocol

from assistant.model.launch import Dim3, LaunchConfig
from assistant.record import Record

__all__ = [
    "Address",
    "DeviceError",
    "DeviceFacts",
    "Driver",
    "EventHandle",
    "FunctionHandle",
    "GraphHandle",
    "HostMemory",
    "ModuleHandle",
    "PreparedLaunch",
    "StreamHandle",
]

Address = NewType("Address", int)
"""An address in device memory."""
ModuleHandle = NewType("ModuleHandle", int)
FunctionHandle = NewType("FunctionHandle", int)
StreamHandle = NewType("StreamHandle", int)
EventHandle = NewType("EventHandle", int)
GraphHandle = NewType("GraphHandle", int)
"""An instantiated graph, ready to be launched."""

_LASTING = frozenset(
    (
        *("CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_TIMEOUT", "CUDA_ERROR_ASSERT", "CUDA_ERROR_HARDWARE_STACK_ERROR"),
        *("CUDA_ERROR_ILLEGAL_INSTRUCTION", "CUDA_ERROR_MISALIGNED_ADDRESS", "CUDA_ERROR_INVALID_ADDRESS_SPACE"),
        *("CUDA_ERROR_INVALID_PC", "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_EXTERNAL_DEVICE", "CUDA_ERROR_ECC_UNCORRECTABLE"),
        *("CUDA_ERROR_CONTAINED", "CUDA_ERROR_TENSOR_MEMORY_LEAK", "CUDA_ERROR_MPS_CLIENT_TERMINATED", "CUDA_ERROR_UNKNOWN"),
        *("CUDA_ERROR_CONTEXT_IS_DESTROYED", "CUDA_ERROR_DEINITIALIZED", "CUDA_ERROR_DEVICE_UNAVAILABLE"),
    )
)
"""Results after which "the process must be terminated and relaunched" (CUDA driver API, CUresult), and those that mean the same."""


class DeviceError(Exception):
    """A driver call that failed."""

    def __init__(self, name: str, message: str, call: str) -> None:
        """``name``: ``CUDA_ERROR_…``; ``message``: CUDA's own words; ``call``: the driver function."""
        super().__init__(f"{call}: {name} ({message})")
        self.name = name
        self.call = call
        self.message = message

    @property
    def is_sticky(self) -> bool:
        """Whether the context is lost: nothing works any more until the worker is started again."""
        return self.name in _LASTING

    @property
    def is_out_of_memory(self) -> bool:
        return self.name == "CUDA_ERROR_OUT_OF_MEMORY"


class DeviceFacts(Record):
    """What the device says of itself."""

    index: int
    """As ``nvidia-smi`` counts."""
    name: str
    uuid: str
    """``GPU-…``, or ``MIG-…`` for a slice."""
    compute_capability: tuple[int, int]
    sm_count: int
    l2_bytes: int
    memory_bytes: int
    shared_bytes_per_block_optin: int
    max_shared_bytes_per_sm: int
    clock_hz: float
    """Peak SM clock."""
    driver_version: str
    """CUDA version that the driver supports (``13.0``)."""
    binding: str
    """Name and version of the Python binding (``cuda-bindings 13.5.0``)."""

    @property
    def architecture(self) -> str:
        """``sm_90``"""
        major, minor = self.compute_capability
        return f"sm_{major}{minor}"


class PreparedLaunch(Record):
    """A launch whose arguments are kept in a form that costs nothing to pass again."""

    function: FunctionHandle
    config: LaunchConfig
    arguments: tuple[bytes, ...]
    """Raw little-endian bytes of each parameter, by value."""
    is_cooperative: bool
    kept: object
    """What the driver must keep alive while this launch or a graph of it is in use; only the driver looks at it."""
    cluster: Dim3 | None = None
    """Blocks of a cluster; None: as the kernel was compiled."""


class HostMemory(Record):
    """Page-locked host memory that the device can reach."""

    view: memoryview
    """Writable, of bytes."""
    address: Address
    """Where kernels see it."""


class Driver(Protocol):
    """CUDA's driver API, as much of it as the worker needs. Every method raises `DeviceError` where CUDA refuses."""

    def facts(self) -> DeviceFacts: ...

    def memory(self) -> tuple[int, int]:
        """(free, total) bytes of the device."""
        ...

    def close(self) -> None:
        """Free everything and let go of the context; of a lost one too."""
        ...

    # Memory. Copies and fills are ordered on their stream and do not wait for it, but `read`, which does.

    def allocate(self, size_bytes: int) -> Address: ...

    def free(self, address: Address) -> None: ...

    def allocate_host(self, size_bytes: int) -> HostMemory: ...

    def open_shared(self, handle: bytes) -> Address:
        """Where another process's allocation lies in this one, by the ``CUipcMemHandle`` that it made of it."""
        ...

    def close_shared(self, address: Address) -> None: ...

    def share(self, address: Address) -> bytes:
        """The ``CUipcMemHandle`` by which another process can open an allocation of this one."""
        ...

    def write(self, address: Address, data: bytes | memoryview, stream: StreamHandle | None = None) -> None:
        """Host to device; ``data`` may be changed when the call returns."""
        ...

    def read(self, address: Address, size_bytes: int, stream: StreamHandle | None = None) -> bytes:
        """Device to host, behind what is queued on the stream; waits for it."""
        ...

    def copy(self, target: Address, source: Address, size_bytes: int, stream: StreamHandle | None = None) -> None: ...

    def fill(self, address: Address, byte: int, size_bytes: int, stream: StreamHandle | None = None) -> None: ...

    def reset_persisting_l2(self) -> None:
        """Lines that kernels asked L2 to keep are like any other from now on. Nothing where the device keeps none.

        From the first call on every kernel of the context takes longer to start (0.86 µs for 0.54 between nodes of a graph, H200, driver
        580.159.04), so that what is subtracted from a time must be timed behind it, too.
        """
        ...

    # Code

    def load(self, image: bytes) -> ModuleHandle:
        """Load a cubin (or PTX text); everything in it is loaded at once, so that no launch waits for it."""
        ...

    def unload(self, module: ModuleHandle) -> None: ...

    def function(self, module: ModuleHandle, name: str) -> FunctionHandle:
        """The kernel with a mangled name."""
        ...

    def symbol(self, module: ModuleHandle, name: str) -> tuple[Address, int]:
        """(address, size in bytes) of a ``__device__`` or ``__constant__`` variable by its mangled name."""
        ...

    # Launches

    def prepare(
        self,
        function: FunctionHandle,
        config: LaunchConfig,
        arguments: Sequence[bytes],
        is_cooperative: bool = False,
        cluster: Dim3 | None = None,
    ) -> PreparedLaunch:
        """Check the arguments' sizes against the kernel's parameters and allow the dynamic shared memory, above 48 KiB too.

        Raises ValueError for arguments that do not fit the kernel's parameters.
        """
        ...

    def launch(self, prepared: PreparedLaunch, stream: StreamHandle | None = None) -> None: ...

    def synchronize(self, stream: StreamHandle | None = None) -> None:
        """Wait for a stream; what a kernel did wrong is raised here."""
        ...

    def is_idle(self, stream: StreamHandle | None = None) -> bool:
        """Whether all that is queued on a stream has ended, without waiting."""
        ...

    # Time

    def create_event(self) -> EventHandle:
        """One that can be timed."""
        ...

    def destroy_event(self, event: EventHandle) -> None: ...

    def record(self, event: EventHandle, stream: StreamHandle | None = None) -> None: ...

    def wait(self, event: EventHandle) -> None:
        """Block until the event has happened."""
        ...

    def elapsed_s(self, start: EventHandle, end: EventHandle) -> float:
        """Seconds between two events that have happened (resolution about 0.5 µs, CUDA driver API, cuEventElapsedTime)."""
        ...

    # Graphs

    @property
    def has_graphs(self) -> bool:
        """Whether the binding offers graphs; without them the three calls below must not be made."""
        ...

    def create_graph(self, launches: Sequence[PreparedLaunch]) -> GraphHandle:
        """Kernel nodes one after another, instantiated and uploaded."""
        ...

    def launch_graph(self, graph: GraphHandle, stream: StreamHandle | None = None) -> None: ...

    def destroy_graph(self, graph: GraphHandle) -> None: ...
