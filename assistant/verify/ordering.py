"""Where the order in which threads arrive decides what a kernel leaves: read off source text and machine code, never off a run.

Two kinds. *Float sums*: floats added atomically, so that rounding depends on the order. *Arrivals*: the old value of an atomic is used (a
position, a ticket), or an atomic exchanges, so that places or values may depend on it. A run of two may leave equal results by luck, so
runs support what is found here and never replace it. Example::

    facts = order_facts("int at = atomicAdd(count, 1); out[at] = x;", ())
    facts.arrivals[0].text      # 'atomicAdd on count'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.model.build import KernelCode
from assistant.record import Record
from assistant.verify.text import Match

__all__ = ["NO_ORDER", "OrderFacts", "new_float_sum", "order_facts"]

_CALL = re.compile(
    r"\b(atomic(?:Add|Sub|Inc|Dec|Min|Max|And|Or|Xor|Exch|CAS)(?:_block|_system)?)\s*\(\s*(?:\([^()]*\)\s*)?&?\s*\(?\s*"
    r"(?:\w+\s*(?:\.|->)\s*)*([A-Za-z_]\w*)"
)
_MEMBER_CALL = re.compile(
    r"([A-Za-z_]\w*)\s*(?:\.|->)\s*(fetch_(?:add|sub|min|max|and|or|xor)|exchange|compare_exchange_(?:weak|strong))\s*\("
)
"""Calls of members of ``cuda::atomic_ref`` and ``cuda::atomic``."""
_SUMS = ("atomicAdd", "atomicSub", "fetch_add", "fetch_sub")
_EXCHANGES = ("atomicExch", "atomicCAS", "exchange", "compare_exchange")
_UNUSED_AFTER = re.compile(r"(?:\A|[;{}:)]|\belse|\bdo|\(\s*void\s*\))\s*\Z")
"""What stands before a call whose result is dropped; behind a closing parenthesis it is the statement of an ``if`` or a loop."""
_FLOATING = r"(?:float|double|half|__half2?|half2|__nv_bfloat162?|nv_bfloat162?|float[24])"
_TEMPLATE_TYPE = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)")
_FLOAT_SUM_SASS = re.compile(r"^(?:RED|REDG|ATOM|ATOMG|ATOMS)\b.*\.ADD\b.*\.(?:F16|F32|F64|BF16)")


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
    for start, name, target in _calls(code):
        place = Match(f"{name} on {target}", code.count("\n", 0, start) + 1, start)
        if name.startswith(_SUMS) and _may_be_floating(target, code):
            sums.append(place)
        elif name.startswith(_EXCHANGES) or not _UNUSED_AFTER.search(code, 0, start):
            arrivals.append(place)
    if not sums:
        sums.extend(_machine_sums(machine_code))
    return OrderFacts(tuple(sums), tuple(arrivals))


def new_float_sum(before: OrderFacts, after: OrderFacts) -> Match | None:
    """The first place where a version adds floats atomically and the other one does so nowhere."""
    return None if before.float_sums else next(iter(after.float_sums), None)


def _calls(code: str) -> Iterator[tuple[int, str, str]]:
    """(offset, function, what it works on)"""
    for found in _CALL.finditer(code):
        yield found.start(), found[1], found[2]
    for found in _MEMBER_CALL.finditer(code):
        yield found.start(), found[2], found[1]


def _may_be_floating(target: str, code: str) -> bool:
    """Whether some declaration of that name is floating, or of a template's type, which may be."""
    types = "|".join((_FLOATING, *(re.escape(name) for name in dict.fromkeys(_TEMPLATE_TYPE.findall(code)))))
    declared = rf"\b(?:{types})\b[\s*&]*(?:const\s*)?(?:__restrict__\s*)?\b{re.escape(target)}\b"
    wrapped = rf"\batomic(?:_ref)?\s*<\s*{_FLOATING}\b[^<>]*>\s*{re.escape(target)}\b"
    return re.search(f"{declared}|{wrapped}", code) is not None


def _machine_sums(machine_code: Sequence[KernelCode]) -> Iterator[Match]:
    for code in machine_code:
        for instruction in code.instructions:
            if _FLOAT_SUM_SASS.search(instruction.opcode):
                yield Match(f"machine code adds floats atomically ({instruction.opcode})", instruction.line or 0, 0)
