"""Peaks of the GPUs that speed can be predicted for; the performance model's only hardware input.

Every row cites its public sources. Rules that hold for all rows:

* ``clock_hz`` is the boost clock that the data sheet's peak FP32 rate implies: rate / (2 · lanes · SMs).
* Lanes: CUDA C++ Programming Guide 13.0, "Arithmetic Instructions", table "Throughput of Native Arithmetic Instructions"
  (results per clock per SM): fp32, fp64, 16-bit (``half2`` counted as two), integer add, special functions, conversions
  from and to 64-bit types.
* ``shared_bytes_per_clock_per_sm`` 128: the guide, "Shared Memory" (32 banks of 32 bits per clock);
  ``l1_bytes_per_clock_per_sm``: NVIDIA A100 and H100 white papers, and measured by arXiv:2402.13499, table "throughput".
* ``issue_slots_per_clock_per_sm`` 4: four warp schedulers of one instruction per clock (guide, "Multiprocessor").
* ``l2_bytes_per_s`` is a measured, reachable rate, not the sum of the slices: see each row.
* ``dram_latency_s``: h200 from two fixture kernels that wait for one load per iteration (16 and 32 iterations: 0.40 and
  0.39 µs each; method in ``assistant.measure.calibration``); the others scaled from it by the dependent-chain latencies
  of arXiv:2402.13499, table "memory latency" (clocks: H100 478.8, A100 466.3, RTX 4090 541.5) at their clocks.

Example::

    target("h200").dram_bytes_per_s   # 4.8e12
"""

from __future__ import annotations

from assistant.errors import UsageError
from assistant.model.device import Target

__all__ = ["DEFAULT_TARGET", "TARGETS", "target", "target_for_device", "target_names"]

DEFAULT_TARGET = "h200"
"""Predicted when no ``--target`` is given and no GPU is there."""

_GUIDE = "CUDA C++ Programming Guide 13.0, Arithmetic Instructions"
_MIB = 1 << 20


def _sm_80(name: str, **peaks: float) -> Target:
    return _target(name, "sm_80", fp32=64, fp64=32, half=256, integer=64, conversion=16, **peaks)


def _sm_89(name: str, **peaks: float) -> Target:
    """Ada: one double-precision pipe of 2 lanes, which also converts."""
    return _target(name, "sm_89", fp32=128, fp64=2, half=128, integer=64, conversion=2, **peaks)


def _sm_90(name: str, **peaks: float) -> Target:
    return _target(name, "sm_90", fp32=128, fp64=64, half=256, integer=64, conversion=16, **peaks)


def _target(
    name: str,
    architecture: str,
    *,
    fp32: int,
    fp64: int,
    half: int,
    integer: int,
    conversion: int,
    sm_count: float,
    clock_hz: float,
    dram_bytes_per_s: float,
    dram_latency_s: float,
    l2_mib: float,
    l2_bytes_per_s: float,
) -> Target:
    return Target(
        name=name,
        architecture=architecture,
        sm_count=int(sm_count),
        clock_hz=clock_hz,
        dram_bytes_per_s=dram_bytes_per_s,
        dram_latency_s=dram_latency_s,
        l2_bytes=int(l2_mib * _MIB),
        l2_bytes_per_s=l2_bytes_per_s,
        l1_bytes_per_clock_per_sm=128,
        shared_bytes_per_clock_per_sm=128,
        issue_slots_per_clock_per_sm=4,
        fp32_lanes_per_sm=fp32,
        fp64_lanes_per_sm=fp64,
        half_lanes_per_sm=half,
        integer_lanes_per_sm=integer,
        special_lanes_per_sm=16,
        conversion_lanes_per_sm=conversion,
        source=_SOURCES[name],
    )


_HOPPER_L2 = "L2 rate measured on an H100 by chipsandcheese.com, 'Nvidia's H100: Funny L2, and Tons of Bandwidth' (2023)"
_ADA_L2 = "L2 rate measured on an RTX 4090 by chipsandcheese.com, 'Microbenchmarking Nvidia's RTX 4090' (2022)"
_SOURCES: dict[str, str] = {
    "h200": f"NVIDIA H200 data sheet (4.8 TB/s, 67 TFLOPS fp32, 132 SMs); 60 MiB L2 as its driver reports; {_HOPPER_L2}; "
    f"{_GUIDE}",
    "h100": f"NVIDIA H100 SXM5 data sheet (3.35 TB/s, 67 TFLOPS fp32, 132 SMs, 50 MiB L2); {_HOPPER_L2}; {_GUIDE}",
    "a100": f"NVIDIA A100 80 GB SXM data sheet (2.039 TB/s, 19.5 TFLOPS, 108 SMs, 40 MiB L2); "
    f"A100 white paper (L2 5120 B/clock, taken at the H100's reachable share); {_GUIDE}",
    "l40s": f"NVIDIA L40S data sheet (864 GB/s, 91.6 TFLOPS, 142 SMs, 96 MiB L2); {_ADA_L2}, same chip; {_GUIDE}",
    "rtx4090": f"NVIDIA Ada white paper (1008 GB/s, 82.6 TFLOPS, 128 SMs, 72 MiB L2); {_ADA_L2}; {_GUIDE}",
}

TARGETS: tuple[Target, ...] = (
    _sm_90(
        "h200",
        sm_count=132,
        clock_hz=1.98e9,
        dram_bytes_per_s=4.8e12,
        dram_latency_s=390e-9,
        l2_mib=60,
        l2_bytes_per_s=5.6e12,
    ),
    _sm_90(
        "h100",
        sm_count=132,
        clock_hz=1.98e9,
        dram_bytes_per_s=3.35e12,
        dram_latency_s=390e-9,
        l2_mib=50,
        l2_bytes_per_s=5.6e12,
    ),
    _sm_80(
        "a100",
        sm_count=108,
        clock_hz=1.41e9,
        dram_bytes_per_s=2.039e12,
        dram_latency_s=470e-9,
        l2_mib=40,
        l2_bytes_per_s=4.5e12,
    ),
    _sm_89(
        "l40s",
        sm_count=142,
        clock_hz=2.52e9,
        dram_bytes_per_s=864e9,
        dram_latency_s=400e-9,
        l2_mib=96,
        l2_bytes_per_s=5.0e12,
    ),
    _sm_89(
        "rtx4090",
        sm_count=128,
        clock_hz=2.52e9,
        dram_bytes_per_s=1008e9,
        dram_latency_s=400e-9,
        l2_mib=72,
        l2_bytes_per_s=5.0e12,
    ),
)


def target_names() -> tuple[str, ...]:
    """Accepted values of ``--target``, the default first."""
    return tuple(t.name for t in TARGETS)


def target(name: str = DEFAULT_TARGET) -> Target:
    """The target of that name (any case); ``UsageError`` names the known ones."""
    for known in TARGETS:
        if known.name == name.strip().lower():
            return known
    raise UsageError(f"no target called '{name}'", f"choose one of {', '.join(target_names())}")


def target_for_device(device_name: str) -> Target | None:
    """The row for a device as its driver names it (``NVIDIA H200``, ``NVIDIA GeForce RTX 4090``); None when unlisted."""
    words = device_name.lower().replace("-", " ").split()
    compact = "".join(words)
    if "rtx" in words:
        return next((t for t in TARGETS if t.name.startswith("rtx") and t.name in compact), None)
    return next((t for t in TARGETS if t.name in words), None)
