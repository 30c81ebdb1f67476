"""How often a source loop went round, by the emulated blocks of a loop that holds nothing but other loops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.build.cfg import control_flow
from assistant.build.loop_iterations import iterations_of
from assistant.build.loop_map import LoopMap
from assistant.build.machine import Function
from assistant.build.matching import EmulatedBlocks
from assistant.model.build import KernelCode
from assistant.model.profile import BlockExecution
from assistant.model.source import SourceLoop

FILE = "k.cu"
CHANNELS, ROWS = (
    SourceLoop(FILE, first, last, first, 1, None, is_unroll_requested=False, has_jump=False) for first, last in ((23, 32), (24, 31))
)


def block(address: int, threads: int, *lines: int) -> BlockExecution:
    return BlockExecution(address, tuple((FILE, line) for line in lines), threads // 20, threads)


@pytest.mark.parametrize(
    ("name", "blocks"),
    [
        ("head of the inner loop", (block(1, 3200, 17, 23), block(2, 76800, 23, 26), block(3, 25600, 13, 23, 24), block(4, 76800, 24))),
        ("work moved to the head", (block(1, 3200, 23, 27), block(2, 25600, 23, 26, 34), block(3, 76800, 24, 26))),
        ("inner loop's end on both lines", (block(1, 3200, 23), block(2, 76800, 23, 24), block(3, 25600, 23, 24))),
    ],
)
def test_a_loop_around_a_loop_is_not_taken_to_go_round_once(
    name: str, blocks: tuple[BlockExecution, ...], listing: Callable[[str], KernelCode]
) -> None:
    graph = control_flow(listing("23 EXIT"))
    function = Function("", graph, LoopMap(graph, (CHANNELS, ROWS), ()))
    assert iterations_of(EmulatedBlocks(blocks), function, CHANNELS, 1) == [(25600, 1280)], name
