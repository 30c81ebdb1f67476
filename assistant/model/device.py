"""Devices: what a lab runs on, and the limits and peaks of a target GPU."""

from __future__ import annotations

from assistant.record import Record


class Architecture(Record):
    """Per-SM and per-block limits of a compute capability; source cited in ``assistant.build.architectures``."""

    name: str
    """``sm_90``"""
    max_threads_per_block: int
    max_threads_per_sm: int
    max_blocks_per_sm: int
    max_registers_per_thread: int
    registers_per_sm: int
    register_allocation_unit: int
    """Registers are allocated per warp in multiples of this."""
    warp_allocation_granularity: int
    shared_bytes_per_sm: int
    shared_bytes_per_block_default: int
    shared_bytes_per_block_optin: int
    shared_allocation_unit_bytes: int
    shared_reserved_bytes_per_block: int
    warp_size: int = 32

    @property
    def max_warps_per_sm(self) -> int:
        return self.max_threads_per_sm // self.warp_size


class TensorPeaks(Record):
    """Dense matrix products by tensor cores, sums in fp32 (fp64 products in fp64): operations per second, a multiply-add counted as two."""

    half_flop_per_s: float
    """fp16 and bf16, which have one rate."""
    tf32_flop_per_s: float
    fp8_flop_per_s: float | None = None
    """None: the device has none."""
    fp64_flop_per_s: float | None = None


class Target(Record):
    """Peaks of one GPU, the performance model's only hardware input; source cited in ``assistant.measure.targets``."""

    name: str
    """``h200``"""
    architecture: str
    sm_count: int
    clock_hz: float
    """SM boost clock."""
    dram_bytes_per_s: float
    dram_latency_s: float
    l2_bytes: int
    l2_bytes_per_s: float
    l1_bytes_per_clock_per_sm: int
    shared_bytes_per_clock_per_sm: int
    issue_slots_per_clock_per_sm: int
    """Warp instructions issued per clock."""
    fp32_lanes_per_sm: int
    fp64_lanes_per_sm: int
    half_lanes_per_sm: int
    integer_lanes_per_sm: int
    special_lanes_per_sm: int
    conversion_lanes_per_sm: int
    """Results per clock of conversions from and to 64-bit types."""
    tensor: TensorPeaks
    source: str


class GpuIdentity(Record):
    """One GPU, so that another process can be told to use it."""

    uuid: str
    """``GPU-…``, or ``MIG-…`` for a slice."""
    name: str
    compute_capability: tuple[int, int]
    driver_version: str


class LabDescription(Record):
    """What a lab is, for people and for events."""

    name: str
    """``cpu`` or ``gpu:0``."""
    device: str
    """``CPU emulator (sm_90 rules)`` or the GPU's name."""
    target: str
    """Target whose performance is predicted."""
    rung: str
    """The rung of the degrade ladder in words."""
    missing: tuple[str, ...]
    """What is not available here, each with its remedy."""
    gpu: GpuIdentity | None = None
    """None: it has none."""
