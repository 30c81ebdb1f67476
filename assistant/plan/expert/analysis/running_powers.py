"""Calls of ``pow`` and ``powf`` whose exponent counts with a loop: each power is the one of the iteration before, times the base.

nvcc runs the general routine in each iteration, whether it unrolls the loop or not. Example::

    (power,) = running_powers(tree, function)    # `pow(x, k)` in `for (int k = 0; k < n; k++)`
    power.first                                   # 0
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import Use, array_accesses
from assistant.cuda.assignments import modified_names
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.casts import cast_of
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.functions import Function, functions
from assistant.cuda.macros import macro_texts
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.model.recorded_facts import RecordedFacts
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.not_repeatable import not_repeatable
from assistant.plan.expert.analysis.pointer_roots import may_overlap
from assistant.plan.expert.analysis.run_time_values import RunTimeValues
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["RunningPower", "running_power_obstacle", "running_powers"]

_NAMES = frozenset({"pow", "powf"})
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop", "switch_statement")
_LARGEST_FIRST = 3
"""Beyond, the power before the loop would be a long product."""


class RunningPower(Record):
    """One call of a base that the run decides."""

    call: Node
    base: Node
    loop: Node
    """The loop that counts the exponent."""
    body: Node
    """Of the loop."""
    first: int
    """The exponent of the first iteration."""
    is_double: bool
    """The general routine is the double one."""


def running_powers(tree: SyntaxTree, function: Function) -> tuple[RunningPower, ...]:
    """Powers whose exponent is a loop's counter, or a number more, in source order; none where the text does not give a base's type."""
    return tuple(_found(tree, function)) if "pow" in tree.text(function.body) else ()


def _found(tree: SyntaxTree, function: Function) -> Iterator[RunningPower]:
    own = {f.name for f in functions(tree)} | macro_texts(tree).keys()
    kinds, run_time = ValueKinds(tree, function), RunTimeValues(tree, function)
    for call in tree.find("call_expression", inside=function.body):
        name, given = callee_name(tree, call).removeprefix("std::").removeprefix("::"), given_arguments(call)
        if name not in _NAMES or name in own or len(given) != 2 or call.has_error or not run_time.decides(given[0]):
            continue
        counter, more, is_float = _exponent(tree, given[1])
        loop, kind = _counting_loop(tree, call, counter), kinds.of(given[0])
        is_known = kind is Kind.FLOAT or (name == "pow" and kind in (Kind.DOUBLE, Kind.WIDENED))
        if loop is None or not is_known:
            continue
        node, header, body = loop
        first = int(header.first) + more if header.first.isdecimal() else None
        if header.step == "1" and first is not None and first <= _LARGEST_FIRST:
            is_double = name == "pow" and not (kind is Kind.FLOAT and is_float)
            yield RunningPower(call, given[0], node, body, first, is_double)


def _exponent(tree: SyntaxTree, node: Node) -> tuple[str, int, bool]:
    """The variable of ``(float)(k + 1)``, what is added to it, and whether it is a float."""
    inner, is_float = unparenthesized(node), False
    while (cast := cast_of(inner)) is not None or _float_of(tree, inner) is not None:
        is_float = is_float or cast is None or cast.type == "float"
        value = _float_of(tree, inner) if cast is None else cast.value
        inner = inner if value is None else unparenthesized(value)
    parts = binary_parts(inner)
    if parts is not None and parts[0] == "+":
        for one, other in ((parts[1], parts[2]), (parts[2], parts[1])):
            if tree.text(other).isdecimal():
                return tree.text(unparenthesized(one)), int(tree.text(other)), is_float
    return tree.text(inner), 0, is_float


def _float_of(tree: SyntaxTree, node: Node) -> Node | None:
    """The value of ``float(k)``."""
    given = given_arguments(node) if node.type == "call_expression" and callee_name(tree, node) == "float" else ()
    return given[0] if len(given) == 1 else None


def _counting_loop(tree: SyntaxTree, call: Node, counter: str) -> tuple[Node, CountedHeader, Node] | None:
    """The innermost loop around the call's place in its body that counts this variable."""
    for node in tree.ancestors(call):
        if node.type == "for_statement":
            header, body = counted_header(tree, node), node.child_by_field_name("body")
            if header is not None and header.variable == counter and body is not None and body.start_byte <= call.start_byte:
                return node, header, body
    return None


def running_power_obstacle(tree: SyntaxTree, function: Function, power: RunningPower, recorded: RecordedFacts | None) -> Obstacle | None:
    """Why the next power may be another than this one times the base."""
    base = tree.text(power.base)
    repeated = not_repeatable(tree, function, power.base)
    if repeated is not None:
        return repeated
    jump = next((n for n in tree.find("continue_statement", inside=power.body) if _loop_of(tree, n) == power.loop), None)
    jump = jump or next(tree.find("goto_statement", "labeled_statement", inside=power.body), None)
    if jump is not None:
        words = f"line {tree.line(jump)} goes on before the end of the loop, where the next power would be made"
        return Obstacle(DeclineReason.LEAVES_EARLY, words)
    changed = names_in(tree, power.base) & modified_names(tree, power.loop)
    if changed:
        return Obstacle(DeclineReason.ORDER_MATTERS, f"`{min(changed)}` changes in the loop, so that `{base}` is another base each time")
    return _memory_obstacle(tree, function, power, recorded)


def _loop_of(tree: SyntaxTree, node: Node) -> Node | None:
    return next((n for n in tree.ancestors(node) if n.type in _LOOPS and n.type != "switch_statement"), None)


def _memory_obstacle(tree: SyntaxTree, function: Function, power: RunningPower, recorded: RecordedFacts | None) -> Obstacle | None:
    """Why what the base reads from memory may change while the loop runs."""
    read = {a.base for a in array_accesses(tree, power.base)}
    stored = {a.base for a in array_accesses(tree, power.loop) if a.kind is not Use.READ}
    if _reads_out_of_sight(tree, function, power.base) and stored:
        words = f"`{tree.text(power.base)}` may be what the loop stores to through `{min(stored)}`"
        return Obstacle(DeclineReason.MAY_OVERLAP, words)
    effect = leaves_or_synchronizes(tree, power.loop) if read else None
    if effect is not None:
        return effect
    for written in sorted(stored):
        for name in sorted(read):
            overlap = may_overlap(tree, function, written, name, recorded)
            if written == name or overlap is not None:
                words = f"`{written}` is stored to in the loop and may be what `{tree.text(power.base)}` reads"
                return Obstacle(DeclineReason.MAY_OVERLAP, words)
    return None


def _reads_out_of_sight(tree: SyntaxTree, function: Function, base: Node) -> bool:
    """Through a member of a pointer, or a reference."""
    declared = (*function.parameters, *(v for found in locals_of(tree, function.body).values() for v in found))
    references = {v.name for v in declared if v.is_reference}
    return "->" in tree.text(base) or bool(references & names_in(tree, base))
