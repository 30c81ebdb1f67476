"""ptxas's report, as nvcc and NVRTC print it."""

from __future__ import annotations

from assistant.build.ptxas import parse_resources

REPORT = """\
ptxas info    : 0 bytes gmem, 28 bytes cmem[3]
ptxas info    : Compiling entry function '_Z4spilPfi' for 'sm_90'
ptxas info    : Function properties for _Z4helpf
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for _Z4spilPfi
ptxas         .     64 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 64 bytes cumulative stack size, 2048+16 bytes smem, 368 bytes cmem[0]
ptxas info    : Compile time = 5.308 ms
ptxas info    : Compiling entry function '_Z5emptyv' for 'sm_90'
ptxas info    : Function properties for _Z5emptyv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
"""


def test_each_kernel_is_reported_once_with_its_own_frame() -> None:
    spilling, empty = parse_resources(REPORT, {"_Z5emptyv": "empty()"})
    assert (spilling.spill_store_bytes, spilling.spill_load_bytes, spilling.stack_bytes) == (40, 44, 64)
    assert (spilling.registers_per_thread, spilling.static_shared_bytes, spilling.constant_bytes) == (32, 2064, 368)
    assert (spilling.symbol, spilling.kernel, spilling.architecture) == ("_Z4spilPfi", "_Z4spilPfi", "sm_90")
    assert (empty.kernel, empty.registers_per_thread, empty.stack_bytes) == ("empty()", 4, 0)


def test_a_report_without_kernels_has_no_resources() -> None:
    assert parse_resources("ptxas info    : 0 bytes gmem\n", {}) == ()


def test_what_the_linker_found_replaces_what_one_unit_knew() -> None:
    linked = (
        "nvlink info    : 4 bytes gmem, 32 bytes cmem[3]\n"
        "nvlink info    : Function properties for '_Z5emptyv':\n"
        "nvlink info    : used 40 registers, used 1 barriers, 16 stack, 0 bytes smem, 544 bytes cmem[0], 0 bytes lmem\n"
    )
    spilling, called = parse_resources(REPORT + linked, {})
    assert (called.registers_per_thread, called.stack_bytes, called.static_shared_bytes) == (40, 16, 0)
    assert (spilling.registers_per_thread, spilling.stack_bytes) == (32, 64)
