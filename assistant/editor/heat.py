"""How hot a line is: its share of the stalls where they were sampled, else of the traffic beyond the ideal. Pure.

Lines at their ideal have none. Example::

    heat_of(view)["k(float *)", 11]      # Heat(step=4, text='store 32 sectors/request, 4 would do')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.editor.stalls import HOT_SHARE, brief_stall_hint
from assistant.editor.view import View
from assistant.editor.words import is_beyond_ideal, line_hint
from assistant.engine.report import heat_step, line_heat, stall_heat
from assistant.record import Record

__all__ = ["COLD", "Heat", "heat_of"]


class Heat(Record):
    step: int
    """0 for none, to 4 (``profile_parts.HEAT_STEPS``)."""
    text: str
    """What stands at the end of the line while the cursor is on it."""


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
        if ratio >= HOT_SHARE:
            here = [item for item in stalls if item.line == now[place] and item.counters.samples]
            yield now[place], Heat(heat_step(ratio), brief_stall_hint(view, here))


def _excess(view: View, kernel: str) -> Iterator[tuple[int, Heat]]:
    lines = [item for item in view.lines if item.kernel == kernel]
    now = {(item.counters.file, item.counters.line): item.line for item in lines}
    for hot in line_heat(item.counters for item in lines):
        line = now[hot.file, hot.line]
        here = [item for item in lines if item.line == line]
        if is_beyond_ideal(here):
            yield line, Heat(heat_step(hot.ratio), line_hint(here))
