"""Peaks of the GPUs that speed can be predicted for; the performance model's only hardware input.

Every row says where each number comes from, in one of five words: *data sheet* (NVIDIA's), *measured* (public raw data, given below),
*derived* (arithmetic on such numbers, stated), *calibrated* (``tests/data/h200``), *assumed* (another GPU's). Rules that hold
for all rows but the B200's, which is described last:

* ``clock_hz`` is derived: the data sheet's FP32 rate / (2 · lanes · SMs). It agrees with the boost clocks that drivers report
  (A100 1410 MHz; L40S and RTX 4090 2520 MHz).
* Lanes, results per clock per SM: CUDA C++ Programming Guide, "Arithmetic Instructions", table "Throughput of Native Arithmetic
  Instructions": fp32, fp64, 16-bit (``half2`` counted as two), integer add, special functions, conversions from and to 64-bit types.
  fp32, fp64 and 16-bit agree with the data sheets' rates (fp64 is 1/2 of fp32 on sm_80 and sm_90, 1/64 on sm_89).
* ``shared_bytes_per_clock_per_sm`` 128: the guide, "Shared Memory" (32 banks of 32 bits per clock); ``l1_bytes_per_clock_per_sm``
  128: A100 and H100 white papers.
* ``issue_slots_per_clock_per_sm`` 4: four warp schedulers of one instruction per clock (guide, "Multiprocessor").
* ``l2_bytes_per_s``: what many blocks reading the same data reach, 10 to 40 MB in L2: raw data of github.com/te42kyfo/gpu-benches,
  ``gpu-l2-cache/{h200,a100_80,l40}.txt``.
* ``tensor``: the data sheets' rates without sparsity (those of H100, H200 and L40S are printed with it: half), sums in fp32; of the RTX
  4090 the Ada white paper, appendix A. Per SM and clock that is 1024 fp16 multiply-adds on sm_80, 2048 on sm_90 (at 1.83 GHz, a lower
  boost clock than ``clock_hz``), 512 on an L40S, 256 on an RTX 4090.
* ``dram_latency_s``: one dependent load after the other: the same, ``gpu-latency/{h100_pcie,l40}.txt`` and
  ``cuda-latency/a100_80.txt`` (650 clocks at 1755 MHz, 571 at 1410, 631 at 2490).

The B200 (sm_100; one GPU of an HGX B200: two dies that are one device to CUDA):

* ``sm_count``, ``clock_hz``, ``l2_bytes``: as its driver reports them (148; 1965 MHz; 126.5 MiB: github.com/pytorch/ao/pull/4002, and
  ``cuda_core_info_table.cc`` of github.com/openxla/xla). The data sheet names none of them; its 75 TFLOPS fp32 are 1.98 GHz.
* ``dram_bytes_per_s``: data sheet, HGX B200, per GPU: 7.7 TB/s (7680 bits at 3996 MHz by its driver: 7.67). Older ones say 8 TB/s, as do
  those of GB200, another product.
* Lanes: CUDA C++ Best Practices Guide 13.0, "Throughput of Native Arithmetic Instructions", as OpenXLA's table cites it: fp32 128, fp64 64,
  integer 64, 16-bit **128**: ``half2`` is no faster than ``float`` (seen on a B200, too: chipsandcheese.com, "Nvidia's B200: Keeping the
  CUDA Juggernaut Rolling", 15 December 2025). Special functions 16, shared memory 128 bytes: FlashAttention-4, arXiv 2603.05451.
* ``l2_bytes_per_s``: the same article: 16.8 TB/s where accesses cross to the other die's half of L2, as those of many blocks to the same
  data do (21 within a half); another benchmark than gpu-benches, which has no B200.
* ``tensor``: data sheet, half of the rates with sparsity. ``tcgen05`` reaches them; ``mma.sync`` and ``wmma`` do not.
* Assumed: ``dram_latency_s``, that of the H200 (the article has it in a picture only, a little above an H100's; ``gpu-latency`` of
  gpu-benches would measure it); conversions from and to 64-bit types, those of sm_90.

Example::

    target("h200").dram_bytes_per_s   # 4.8e12
"""

from __future__ import annotations

from assistant.errors import UsageError
from assistant.model.device import Target, TensorPeaks

__all__ = ["DEFAULT_TARGET", "TARGETS", "target", "target_for_device", "target_names"]

DEFAULT_TARGET = "h200"
"""Predicted when no ``--target`` is given and no GPU is there."""

_GUIDE = "CUDA C++ Programming Guide 13.0, Arithmetic Instructions"
_MIB = 1 << 20
_HOPPER = TensorPeaks(half_flop_per_s=989.5e12, tf32_flop_per_s=494.7e12, fp8_flop_per_s=1979e12, fp64_flop_per_s=67e12)
_TENSOR = {
    "h200": _HOPPER,
    "h100": _HOPPER,
    "a100": TensorPeaks(half_flop_per_s=312e12, tf32_flop_per_s=156e12, fp64_flop_per_s=19.5e12),
    "l40s": TensorPeaks(half_flop_per_s=362.05e12, tf32_flop_per_s=183e12, fp8_flop_per_s=733e12),
    "rtx4090": TensorPeaks(half_flop_per_s=165.2e12, tf32_flop_per_s=82.6e12, fp8_flop_per_s=330.3e12),
    "b200": TensorPeaks(half_flop_per_s=2250e12, tf32_flop_per_s=1100e12, fp8_flop_per_s=4500e12, fp64_flop_per_s=37e12),
}


def _sm_80(name: str, **peaks: float) -> Target:
    return _target(name, "sm_80", fp32=64, fp64=32, half=256, integer=64, conversion=16, **peaks)


def _sm_89(name: str, **peaks: float) -> Target:
    """Ada: one double-precision pipe of 2 lanes, which also converts."""
    return _target(name, "sm_89", fp32=128, fp64=2, half=128, integer=64, conversion=2, **peaks)


def _sm_90(name: str, **peaks: float) -> Target:
    return _target(name, "sm_90", fp32=128, fp64=64, half=256, integer=64, conversion=16, **peaks)


def _sm_100(name: str, **peaks: float) -> Target:
    """Blackwell of data centres: outside its tensor cores, 16-bit products are no faster than 32-bit ones."""
    return _target(name, "sm_100", fp32=128, fp64=64, half=128, integer=64, conversion=16, **peaks)


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
        tensor=_TENSOR[name],
        source=_SOURCES[name],
    )


_BENCHES = "github.com/te42kyfo/gpu-benches"
_SOURCES: dict[str, str] = {
    "h200": f"NVIDIA H200 data sheet (4.8 TB/s, 67 TFLOPS fp32; 132 SMs); clock derived; 60 MiB L2 as its driver reports; L2 rate "
    f"measured on an H200 ({_BENCHES}); DRAM latency calibrated on tests/data/h200; {_GUIDE}",
    "h100": f"NVIDIA H100 SXM5 data sheet (3.35 TB/s, 67 TFLOPS fp32; 132 SMs, 50 MiB L2); clock derived; L2 rate of the H200, which has "
    f"the same SMs and clock; DRAM latency measured on an H100 PCIe ({_BENCHES}); {_GUIDE}",
    "a100": f"NVIDIA A100 80 GB SXM data sheet (2.039 TB/s, 19.5 TFLOPS; 108 SMs, 40 MiB L2); clock derived; L2 rate and DRAM latency "
    f"measured on it ({_BENCHES}); {_GUIDE}",
    "l40s": f"NVIDIA L40S data sheet (864 GB/s, 91.6 TFLOPS; 142 SMs, 96 MiB L2); clock derived; L2 rate and DRAM latency measured on an "
    f"L40, the same chip at 2490 MHz ({_BENCHES}); {_GUIDE}",
    "rtx4090": f"NVIDIA Ada white paper (1008 GB/s, 82.6 TFLOPS; 128 SMs, 72 MiB L2); clock derived; L2 rate derived from an L40's by SMs "
    f"and clock, DRAM latency that of the L40, which has slower memory of the same kind ({_BENCHES}); {_GUIDE}",
    "b200": "NVIDIA Blackwell data sheet, HGX B200 (7.7 TB/s, 75 TFLOPS fp32); 148 SMs, 1965 MHz, 126.5 MiB L2 as its driver reports "
    "(github.com/pytorch/ao/pull/4002, OpenXLA); L2 rate measured on a B200 (chipsandcheese.com, 2025); DRAM latency and conversions of "
    "64-bit types assumed to be those of an H200; CUDA C++ Best Practices Guide 13.0, Arithmetic Instructions, as OpenXLA cites it",
}

TARGETS: tuple[Target, ...] = (
    _sm_90(
        "h200",
        sm_count=132,
        clock_hz=1.98e9,
        dram_bytes_per_s=4.8e12,
        dram_latency_s=390e-9,
        l2_mib=60,
        l2_bytes_per_s=9.7e12,
    ),
    _sm_90(
        "h100",
        sm_count=132,
        clock_hz=1.98e9,
        dram_bytes_per_s=3.35e12,
        dram_latency_s=370e-9,
        l2_mib=50,
        l2_bytes_per_s=9.7e12,
    ),
    _sm_80(
        "a100",
        sm_count=108,
        clock_hz=1.41e9,
        dram_bytes_per_s=2.039e12,
        dram_latency_s=405e-9,
        l2_mib=40,
        l2_bytes_per_s=5.4e12,
    ),
    _sm_89(
        "l40s",
        sm_count=142,
        clock_hz=2.52e9,
        dram_bytes_per_s=864e9,
        dram_latency_s=253e-9,
        l2_mib=96,
        l2_bytes_per_s=5.2e12,
    ),
    _sm_89(
        "rtx4090",
        sm_count=128,
        clock_hz=2.52e9,
        dram_bytes_per_s=1008e9,
        dram_latency_s=253e-9,
        l2_mib=72,
        l2_bytes_per_s=4.7e12,
    ),
    _sm_100(
        "b200",
        sm_count=148,
        clock_hz=1.965e9,
        dram_bytes_per_s=7.7e12,
        dram_latency_s=390e-9,
        l2_mib=126.5,
        l2_bytes_per_s=16.8e12,
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
