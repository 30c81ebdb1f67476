"""How hot a line is: its share of the stalls where they were sampled, else of the traffic beyond the ideal. Pure.

Example::

    heat_of(view)["k(float *)", 11]      # Heat(step=4, text='98 % of excess sectors')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.editor.stalls import stall_hint
from assistant.editor.view import View
from assistant.engine.report import heat_step, line_heat, share_in_words, stall_heat
from assistant.record import Record

__all__ = ["COLD", "Heat", "heat_of"]


class Heat(Record):
    step: int
    """0 for none, to 4 (``profile_parts.HEAT_STEPS``)."""
    text: str
    """The share in words, shown next to the shade."""


COLD = Heat(0, "")


def heat_of(view: View) -> Mapping[tuple[str, int], Heat]:
    """(kernel, line) → its heat in the kernel's costliest launch, for lines that have any."""
    kernels = dict.fromkeys(item.kernel for item in (*view.lines, *view.stalls))
    return {(kernel, line): heat for kernel in kernels for line, heat in _of(view, kernel)}


def _of(view: View, kernel: str) -> Iterator[tuple[int, Heat]]:
    stalls = [item for item in view.stalls if item.kernel == kernel]
    if not stalls:
        yield from _excess(view, kernel)
        return
    now = {(item.counters.file, item.counters.line): item.line for item in stalls}
    for place, ratio in stall_heat(item.counters for item in stalls).items():
        here = [item for item in stalls if item.line == now[place] and item.counters.samples]
        yield now[place], Heat(heat_step(ratio), stall_hint(view, here))


def _excess(view: View, kernel: str) -> Iterator[tuple[int, Heat]]:
    lines = [item for item in view.lines if item.kernel == kernel]
    now = {(item.counters.file, item.counters.line): item.line for item in lines}
    for hot in line_heat(item.counters for item in lines):
        shares = ((hot.excess_sectors, hot.sectors_ratio, "sectors"), (hot.excess_wavefronts, hot.wavefronts_ratio, "wavefronts"))
        parts = [f"{share_in_words(ratio)} of excess {what}" for excess, ratio, what in shares if excess]
        yield now[hot.file, hot.line], Heat(heat_step(hot.ratio), ", ".join(parts))
