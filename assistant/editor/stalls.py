"""What warps wait for on a line, where a profile sampled it: the top reason with its share. Only a GPU samples; the emulator has none.

Example::

    stall_hint(view, hot_stalls(view)[7])      # "38 % of the kernel's stalls, mostly long scoreboard (62 %)"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from assistant.editor.view import StallView, View
from assistant.profile.catalogue import metric
from assistant.profile.wording import percent
from assistant.record import Record

__all__ = ["HOT_SHARE", "brief_stall_hint", "hot_stalls", "stall_hint", "stall_origin"]

_STALLS = metric("stall_ratio")
HOT_SHARE = 0.1
"""A line is hot from this share of its kernel's stalled samples on."""
_MEANINGS = {
    "barrier": "waits for the other warps of the block at a barrier",
    "branch_resolving": "waits for a branch to be resolved",
    "dispatch_stall": "waits for the dispatcher",
    "drain": "has ended and waits for its stores",
    "imc_miss": "waits for a constant that the cache missed",
    "lg_throttle": "waits for room in the queue of global and local memory",
    "long_scoreboard": "waits for data of global, local or texture memory",
    "math_pipe_throttle": "waits for a busy arithmetic pipe",
    "membar": "waits for a memory fence",
    "mio_throttle": "waits for room in the queue of shared memory and special functions",
    "no_instructions": "waits for its instructions",
    "not_selected": "could go on, but another warp was chosen",
    "short_scoreboard": "waits for data of shared memory or a special function",
    "sleeping": "sleeps",
    "tex_throttle": "waits for room in the texture queue",
    "wait": "waits for a fixed latency",
}
"""Nsight Compute's reasons in words, after ``ncu_report.StallReason`` (2026.3)."""


def hot_stalls(view: View, also: Sequence[int] = ()) -> Mapping[int, list[StallView]]:
    """Line → its stalls, for lines with a share of their kernel's that is worth a hint, and for lines ``also``."""
    totals: Counter[str] = Counter()
    for item in view.stalls:
        totals[item.kernel] += item.counters.samples
    found: dict[int, list[StallView]] = {}
    for line, group in groupby(sorted(view.stalls, key=lambda item: item.line), key=lambda item: item.line):
        items = list(group)
        shares: Counter[str] = Counter()
        for item in items:
            shares[item.kernel] += item.counters.samples
        if line in also or any(count >= HOT_SHARE * max(1, totals[kernel]) for kernel, count in shares.items()):
            found[line] = [item for item in items if item.counters.samples]
    return {line: items for line, items in found.items() if items}


def stall_hint(view: View, items: Sequence[StallView]) -> str:
    """The line's share of its kernel's stalls, and the top reason with its share of the line's; by kernel where several share it."""
    texts = {
        top.kernel: f"{percent(top.share)} of the kernel's stalls, mostly {top.reason} ({percent(top.of_line)})"
        for top in _tops(view, items)
    }
    return _by_kernel(texts)


def brief_stall_hint(view: View, items: Sequence[StallView]) -> str:
    """The same for an inlay hint: ``80 % of stalls, mostly long scoreboard``."""
    return _by_kernel({top.kernel: f"{percent(top.share)} of stalls, mostly {top.reason}" for top in _tops(view, items)})


def stall_origin(items: Sequence[StallView]) -> str:
    """Where the numbers of `stall_hint` come from, and what the top reasons mean."""
    tops = dict.fromkeys(_reasons(items, kernel).most_common(1)[0][0] for kernel in dict.fromkeys(item.kernel for item in items))
    meant = "; ".join(f"{reason.replace('_', ' ')}: the warp {_MEANINGS[reason]}" for reason in tops if reason in _MEANINGS)
    source = f"warp samples by {items[0].method} ({_STALLS.ncu}) on {items[0].device.name}, in the kernel's costliest launch"
    return f"{source}; {meant}" if meant else source


class _Top(Record):
    """What the warps of a kernel mostly wait for on a line."""

    kernel: str
    share: float
    """The line's share of the kernel's stalls."""
    reason: str
    of_line: float
    """The share of the line's stalls that have this reason."""


def _tops(view: View, items: Sequence[StallView]) -> Iterator[_Top]:
    for kernel in dict.fromkeys(item.kernel for item in items):
        reasons = _reasons(items, kernel)
        here, all_samples = reasons.total(), sum(item.counters.samples for item in view.stalls if item.kernel == kernel)
        reason, count = reasons.most_common(1)[0]
        yield _Top(kernel, here / all_samples, reason.replace("_", " "), count / here)


def _by_kernel(texts: Mapping[str, str]) -> str:
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "; ".join(f"{kernel.split('(')[0]}: {text}" for kernel, text in texts.items())


def _reasons(items: Sequence[StallView], kernel: str) -> Counter[str]:
    """Reason → samples."""
    found: Counter[str] = Counter()
    for item in items:
        if item.kernel == kernel:
            found[item.counters.reason] += item.counters.samples
    return found
