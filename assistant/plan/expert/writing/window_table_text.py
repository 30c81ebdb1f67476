"""The text of a window's table in shared memory: how the block copies it, and how the window's loops read it.

Example::

    table_lines(context, table, window, block, ())    # ('__shared__ float wgt_table[K][K];', 'for (int tap = …', …)
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.names import fresh_name
from assistant.model.launch import Dim3
from assistant.model.source import TextEdit
from assistant.plan.expert.analysis.window_coordinates import Range
from assistant.plan.expert.analysis.window_loads import Window
from assistant.plan.expert.analysis.window_tables import Table
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of

__all__ = ["table_lines", "table_reads"]


def table_lines(context: TransformationContext, table: Table, window: Window, block: Dim3, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The array and the loop that fills it, each thread taking every so-many-th element; ``asked``: of the block."""
    style, name = style_of(context), _name(context, table)
    ranges = [window.names.ranges[counter] for counter in table.counters]
    lengths = [_length(one) for one in ranges]
    thread = "threadIdx.x" if block.y == 1 else f"threadIdx.y * {block.x} + threadIdx.x"
    declared = f"__shared__ {table.element} {name}{''.join(f'[{length}]' for length in lengths)};"
    stored = f"{_element(table, window, name)} = {context.tree.text(table.loads[0])};"
    condition = f"if ({' && '.join(asked)}) " if asked else ""
    if len(table.counters) == 1 and ranges[0].first == 0:
        counter = table.counters[0]
        head = f"for (int {counter} = {thread}; {counter} < {lengths[0]}; {counter} += {block.count})"
        return declared, head, f"{style.indent}{condition}{stored}"
    tap, factors = fresh_name(context.tree, "tap"), [_factor(length) for length in lengths]
    places = [_moved(text, one) for text, one in zip(_places(tap, factors), ranges, strict=True)]
    names = ", ".join(f"{counter} = {place}" for counter, place in zip(table.counters, places, strict=True))
    head = f"for (int {tap} = {thread}; {tap} < {' * '.join(factors)}; {tap} += {block.count}) {{"
    return declared, head, f"{style.indent}const int {names};", f"{style.indent}{condition}{stored}", "}"


def table_reads(context: TransformationContext, table: Table, window: Window) -> Iterator[TextEdit]:
    """The loads, from the copy."""
    for load in table.loads:
        yield TextEdit(context.tree.span(load), _element(table, window, _name(context, table)))


def _name(context: TransformationContext, table: Table) -> str:
    return fresh_name(context.tree, style_of(context).name(table.base, "table"))


def _element(table: Table, window: Window, name: str) -> str:
    return name + "".join(f"[{_from_first(counter, window.names.ranges[counter])}]" for counter in table.counters)


def _from_first(counter: str, span: Range) -> str:
    if span.first == 0:
        return counter
    text = span.first_text
    return f"{counter} + {text[1:]}" if text.startswith("-") else f"{counter} - {text}"


def _moved(text: str, span: Range) -> str:
    if span.first == 0:
        return text
    return f"{text} - {span.first_text[1:]}" if span.first_text.startswith("-") else f"{text} + {span.first_text}"


def _length(span: Range) -> str:
    if span.span_text.endswith(" - 1"):
        return span.span_text[: -len(" - 1")]
    return str(int(span.span_text) + 1) if span.span_text.isdigit() else f"{span.span_text} + 1"


def _factor(length: str) -> str:
    return f"({length})" if " " in length else length


def _places(tap: str, factors: list[str]) -> Iterator[str]:
    """``tap / K`` and ``tap % K`` of a table of two dimensions."""
    for position in range(len(factors)):
        later = " * ".join(factors[position + 1 :])
        divided = tap if not later else f"{tap} / {later}" if len(factors) - position == 2 else f"{tap} / ({later})"
        yield divided if position == 0 else f"{divided} % {factors[position]}"
