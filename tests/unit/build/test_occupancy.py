"""Known values of the occupancy calculator."""

from __future__ import annotations

import pytest

from assistant.build.architectures import ARCHITECTURES, architecture, compiled_for
from assistant.build.occupancy import occupancy


@pytest.mark.parametrize(
    ("name", "threads", "registers", "shared_bytes", "blocks", "limiter"),
    [
        ("sm_90", 256, 32, 0, 8, "none"),
        ("sm_90", 256, 64, 0, 4, "registers"),
        ("sm_90", 1024, 64, 0, 1, "registers"),
        ("sm_90", 1024, 72, 0, 0, "registers"),
        ("sm_90", 96, 168, 0, 4, "registers"),
        ("sm_90", 32, 16, 0, 32, "blocks"),
        ("sm_90", 128, 16, 100 * 1024, 2, "shared"),
        ("sm_90", 128, 16, 227 * 1024, 1, "shared"),
        ("sm_90", 128, 16, 228 * 1024, 0, "shared"),
        ("sm_86", 1024, 32, 0, 1, "threads"),
        ("sm_80", 128, 32, 40 * 1024, 4, "shared"),
        ("sm_75", 256, 64, 0, 4, "none"),
        ("sm_70", 256, 32, 48 * 1024, 2, "shared"),
    ],
)
def test_resident_blocks_equal_the_occupancy_calculator(
    name: str, threads: int, registers: int, shared_bytes: int, blocks: int, limiter: str
) -> None:
    limits = architecture(name)
    assert limits is not None
    found = occupancy(limits, threads_per_block=threads, registers_per_thread=registers, shared_bytes=shared_bytes)
    assert (found.blocks_per_sm, found.limiter) == (blocks, limiter)


def test_half_occupancy_is_a_ratio_of_a_half() -> None:
    limits = architecture("sm_90a")
    assert limits is not None
    assert occupancy(limits, threads_per_block=256, registers_per_thread=64, shared_bytes=0).ratio == 0.5


def test_an_empty_block_is_refused() -> None:
    with pytest.raises(ValueError, match="threads_per_block is 0"):
        occupancy(ARCHITECTURES[0], threads_per_block=0, registers_per_thread=1, shared_bytes=0)


def test_an_unknown_architecture_has_no_limits() -> None:
    assert architecture("sm_61") is None
    assert architecture("gfx90a") is None


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("sm_90", 'asm volatile("wgmma.fence.sync.aligned;");', "sm_90a"),
        ("sm_90", "#include <cute/tensor.hpp>", "sm_90a"),
        ("sm_100", 'asm volatile("tcgen05.commit;");', "sm_100a"),
        ("sm_90", "execute(x); int wgmmas;", "sm_90"),
        ("sm_80", "#include <cutlass/cutlass.h>", "sm_80"),
    ],
)
def test_what_one_architecture_alone_has_is_compiled_for_its_own_name(name: str, text: str, expected: str) -> None:
    assert compiled_for(name, ("int x;", text)) == expected
    plain, own = architecture(name), architecture(expected)
    assert plain == own
