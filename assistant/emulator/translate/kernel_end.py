"""Where threads end that ran a kernel to the end of its body, and did not leave it by ``return``.

A barrier waits for no thread that has left (sm_70 and newer, as compute-sanitizer's synccheck has it), but one that went past a barrier to
the end of the body has missed it. ``__global__ void k(float* x) { … }`` becomes ``… EMU_END }``: the checked flavour notes who comes
there (``include/checked/emu_promises.h``), in the others it is nothing.
"""

from __future__ import annotations

from assistant.emulator.translate.context import is_barrier_word
from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Function

__all__ = ["end_edits"]


def end_edits(stream: Stream, kernel: Function) -> list[Edit]:
    """The mark in front of the body's last brace; none where the body ends in an ``if`` around a barrier: as good as an early return."""
    if kernel.body is None or kernel.body.start in stream.alternatives:
        return []
    last = kernel.body.stop - 1
    if last >= len(stream.tokens) or _ends_in_guarded_barrier(stream, kernel.body):
        return []
    place = stream.tokens[last].start
    return [Edit(place, place, "EMU_END ")]


def _ends_in_guarded_barrier(stream: Stream, body: range) -> bool:
    close = body.stop - 2
    opener = stream.partner.get(close)
    if stream.text(close) != "}" or opener is None or stream.text(opener - 1) != ")":
        return False
    condition = stream.partner.get(opener - 1)
    if condition is None or stream.text(condition - 1) != "if" or stream.text(condition - 2) == "else":
        return False
    return any(is_barrier_word(stream.text(i)) for i in range(opener, close))
