"""Where the order in which threads arrive decides what a kernel leaves: read off source text and machine code, never off a run.

Two kinds. *Float sums*: floats added atomically, so that rounding depends on the order. *Arrivals*: the old value of an atomic is used (a
position, a ticket), or an atomic exchanges, so that places or values may depend on it. A run of two may leave equal results by luck, so
runs support what is found here and never replace it. Example::

    facts = order_facts("int at = atomicAdd(count, 1); out[at] = x;", ())
    facts.arrivals[0].text      # 'atomicAdd on count'
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.atomics import atomic_calls, may_be_floating
from assistant.model.build import KernelCode
from assistant.record import Record
from assistant.verify.text import Match

__all__ = ["NO_ORDER", "OrderFacts", "new_float_sum", "order_facts"]

_SUMS = ("atomicAdd", "atomicSub", "fetch_add", "fetch_sub")
_EXCHANGES = ("atomicExch", "atomicCAS", "exchange", "compare_exchange")


class OrderFacts(Record):
    """Facts of order in one version's kernels in question."""

    float_sums: tuple[Match, ...] = ()
    """``atomicAdd on out``; line 0 where only machine code shows it."""
    arrivals: tuple[Match, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether the order of threads may decide anything."""
        return bool(self.float_sums or self.arrivals)


NO_ORDER = OrderFacts()
"""Facts of kernels in which the order of threads decides nothing."""


def order_facts(code: str, machine_code: Sequence[KernelCode]) -> OrderFacts:
    """``code``: device text without comments (``code_text.blanked``); ``machine_code``: empty without a CUDA compiler."""
    sums, arrivals = list[Match](), list[Match]()
    for call in atomic_calls(code):
        place = Match(f"{call.function} on {call.target}", code.count("\n", 0, call.start) + 1, call.start)
        if call.function.startswith(_SUMS) and may_be_floating(code, call.target):
            sums.append(place)
        elif call.function.startswith(_EXCHANGES) or call.is_used:
            arrivals.append(place)
    if not sums:
        found = (one for kernel in machine_code for one in kernel.instructions if one.is_atomic_float_sum)
        sums += [Match(f"machine code adds floats atomically ({one.opcode})", one.line or 0, 0) for one in found]
    return OrderFacts(tuple(sums), tuple(arrivals))


def new_float_sum(before: OrderFacts, after: OrderFacts) -> Match | None:
    """The first place where a version adds floats atomically and the other one does so nowhere."""
    return None if before.float_sums else next(iter(after.float_sums), None)
