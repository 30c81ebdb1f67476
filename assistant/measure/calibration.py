"""Constants of the performance model that no data sheet gives, each with its origin.

*Measured* (public raw data), *cited* (white papers, guides), *calibrated* from Nsight Compute durations of 38 launches on one H200
(driver 580, CUDA 13.0, Nsight Compute 2025.3, one run each; 36 of them are ``tests/data/h200/counters.json``), and *fitted*, all together,
to launch times of half of the programs of ``tests/data/model/h100.json.gz`` (one H100 80GB HBM3, driver 580, CUDA 13.0, CUPTI's time
stamps, caches warm; ``benchmarks/model_fit.py``). docs/explanation/performance-model.md shows the resulting errors.
"""

from __future__ import annotations

SECTOR_BYTES = 32
"""Size of an L1/L2 sector (Nsight Compute documentation, "Memory Tables")."""
LINE_BYTES = 128
"""Size of an L1 line, what one tag stands for (same)."""
WARP_LANES = 32

LAUNCH_S = 0.94e-6
"""Duration of a kernel that does next to nothing, by CUPTI's time stamps (fitted). Nsight Compute's durations are 0.8 µs longer: the least
of the 36 of the H200 is 1.79 µs (two blocks, one store per thread)."""
START_S = 1.7e-6
"""From the start of a short launch, copy or fill to that of the next, where the host asks for one after the other (calibrated as the time
of such a kernel with what the host takes)."""

BLOCK_START_S = 0.6e-9
"""Time to start one block, over the whole device: blocks are handed out one after the other. Calibrated: an empty kernel on one
H200 (driver 580, CUDA 13.0, back to back launches, median of 15 series of 50) takes 21.0 µs with 32,768 blocks and 158.9 µs with
262,144, the same for 32 to 512 threads a block; blocks of 1,024 threads take 0.86 ns each, which is not modelled."""

DRAM_EFFICIENCY_RATIO = 0.9
"""Reachable share of the DRAM peak for streaming. Calibrated: with 0.9 the thread-per-row row sum (bound by L1 tags) is
4.1 times the coalesced one (bound by DRAM); measured 4.05."""

PARTIAL_STORE_COST = 4.85
"""L2 time of a sector that a store fills only in part, in times of a full sector that is read. Calibrated together with the
H200's measured read rate of 9.7 TB/s: naive transpose of 4096², 16.8 M sectors of one 4-byte store each, 250.4 µs."""

ATOMIC_S = 0.54e-9
"""Time of one lane's atomic where L2 carries them out one after the other: about one L2 clock."""
ATOMIC_GRANULE_BYTES = 512
"""Atomics on the same piece of this size queue up. Calibrated together: histogram of 2^18 bytes into 256 counters of 4 bytes
(two pieces), 72.6 µs; 1,024 adds to one address then take 0.55 µs, which fits the fixture's reductions (3.5 µs in all)."""

L1_LATENCY_CLOCKS = 35
"""Measured: 34.2 on H100 PCIe, 36.0 on A100 and L40 (github.com/te42kyfo/gpu-benches, gpu-latency/h100_pcie.txt and l40.txt,
cuda-latency/a100_80.txt)."""
SHARED_LATENCY_CLOCKS = 30
"""Cited: arXiv:2402.13499, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", comparison of memory latencies (29 to
30 clocks on Hopper, Ampere and Ada). Its table was not at hand when the other rows were checked."""
L2_LATENCY_RATIO = 0.34
"""What a hit in L2 takes longer than one in L1, as a share of DRAM latency (fitted). Measured (same files): H100 PCIe 265 clocks in
the near half of L2, about 470 in the far one, 650 from DRAM, so 0.35 to 0.67 with L1's 35 clocks taken off; A100 211, 424 and 571; L40,
whose L2 is one piece, 276 and 631."""

L2_BYTES_PER_CLOCK_PER_SM = 64
"""The most that one SM can read from L2 (cited: NVIDIA A100 white paper, "64 bytes per clock per SM"); all together reach 37 on
an H200, which is the target's ``l2_bytes_per_s``."""

L1_TAGS_PER_CLOCK = 2.9
"""128-byte lines that L1 looks up per clock (fitted)."""
BUSIEST_DEVIATIONS = 2.6
"""The largest of as many normally distributed values as a GPU has SMs (108 to 142) lies so many standard deviations above the mean."""

DEPENDENT_ISSUE_CLOCKS = 4.0
"""Clocks between two instructions of one warp: results come after about 4 (cited: arXiv:1804.06826, Volta; taken to be the same on later
chips). The following are the same for classes of which the launch times show another value, all fitted; that of FP64 is not."""
DEPENDENT_SPECIAL_CLOCKS = 40.0
"""MUFU and conversions, which one unit of a quarter of the width carries out."""
DEPENDENT_CONTROL_CLOCKS = 15.0
"""Branches, and what lets lanes part and meet."""
DEPENDENT_ACCESS_CLOCKS = 2.0
"""Issuing a load or store; what is waited for is counted by itself."""

DEPENDENT_PRODUCT_CLOCKS = 16.0
"""A warp's product of doubles by tensor cores: what one of an SM's four takes by the data sheets' rates (below). A warp has several."""

DOUBLE_PRODUCT_FLOP = 512
"""Of DMMA.8x8x4, the one product of doubles that sm_80 has."""
LONGER_DOUBLE_PRODUCT_FLOP = 1024
"""Of DMMA.16x8x4, which sm_90 needs for its peak; 8x8x4 takes as long there. Measured by others on an H100: 28 to 31 TFLOP/s with the one,
45 to 53 with the other, 48 to 56 of cuBLAS (github.com/triton-lang/triton/pull/10313)."""

LOADS_IN_FLIGHT_PER_SITE = 4
"""Loads of one source line that a warp has in flight in a loop: nvcc unrolls plain loops by 4 or more (seen in the fixture's
machine code). Where the kernel has barriers between shared stores and loads, or atomics, the fixture's loops keep one."""

MAX_LOADS_IN_FLIGHT = 16
"""Loads of one warp, however many stand between two branches (fitted)."""

INTEGER_PER_ACCESS = 0.4
ARITHMETIC_PER_ACCESS = 0.8
CONTROL_PER_ACCESS = 0.1
"""Instructions assumed for each memory access, in addition to it, when there is no machine code. Calibrated at the low end, so that an
assumption does not become the bottleneck: the fixture's naive matrix product has 1.36 others per access, short kernels 3 to 6."""

L2_RESIDENT_RATIO = 0.5
"""Up to this share of L2 a footprint stays resident between repeated launches, from the full size on it does not; linear
in between (assumption)."""
