"""The text of a window's tile: how it is filled by the whole block, and how the window's loops read it.

Knows nothing of whether a tile is right or pays; ``window_tile`` decides that.

Example::

    edits = tile_edits(context, Tile(window, bounds, block, "uchar"))
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name, mentions
from assistant.cuda.syntax import Node, node_text, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.condition_parts import parts_of
from assistant.plan.expert.analysis.window_bounds import Bounds, Limit, as_limit, is_clamped
from assistant.plan.expert.analysis.window_coordinates import Coordinate, Leaf, Range, coordinate_of, terms_of
from assistant.plan.expert.analysis.window_loads import Window
from assistant.plan.expert.analysis.window_tables import Table
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation, moved_right, with_pragmas
from assistant.plan.expert.writing.opened_bounds import OpenedBounds, with_opened_bounds
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.plan.expert.writing.sums_of_names import negative, opposite, signed, simplified, sum_terms
from assistant.plan.expert.writing.window_table_text import table_lines, table_reads
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["Tile", "WindowTileText", "span_of"]

_MOST_UNROLLED = 128
"""Taps of a window that is unrolled whole: two instructions or three each stay well within the instruction cache. Our own limit."""
_STILL = Range(0, 0, "0", "0")


class Tile(Record):
    """Everything the new text is made from."""

    window: Window
    bounds: Bounds
    block: Dim3
    element: str
    """The tile's element type."""
    tables: tuple[Table, ...] = ()
    """What else the window's loops read, the same for all threads."""
    opened: OpenedBounds | None = None
    """The bounds checks, where the tile is filled in a loop that every thread of the block has to go through."""
    apart: tuple[ApartAsRecorded, ...] = ()
    """What only recorded launches show to be apart."""


def span_of(window: Window, coordinate: Coordinate) -> Range:
    """What the coordinate's counter runs through; nothing where it has none."""
    return _STILL if coordinate.counter is None else window.names.ranges[coordinate.counter]


class WindowTileText:
    """The edits, or None where an element's condition cannot be written for the tile."""

    def __init__(self, context: TransformationContext, tile: Tile) -> None:
        self._context, self._tile, self._style = context, tile, style_of(context)
        self._window = tile.window
        self._name = fresh_name(context.tree, self._style.name(tile.window.base, "tile"))
        walked = {c.axis for c in tile.window.coordinates if c.counter is not None}
        self._counters = {
            a: fresh_name(context.tree, name) if a in walked else f"threadIdx.{a}" for a, name in (("y", "row"), ("x", "col"))
        }
        self._locals: dict[str, str] = {}
        """Locals of the window's loops that the element's text still needs, as they are for an element of the tile."""
        self._places = {c.place: self._place_name(c) for c in tile.window.coordinates}

    def edits(self) -> tuple[TextEdit, ...] | None:
        filled = self._filled()
        if filled is None:
            return None
        declared, lines = filled
        reads = [*self._reads(), *(edit for table in self._tile.tables for edit in table_reads(self._context, table, self._window))]
        if self._window.around:
            return self._in_each_iteration(declared, lines, [*reads, *self._removed()])
        if self._is_to_unroll() and self._tile.bounds.statement == self._window.loop:
            lines.append("#pragma unroll")
        statement = self._tile.bounds.statement
        filling = before_statement(self._context.tree, statement, self._text([*declared, *lines], statement))
        return (*filling, *self._unrolled(), *reads, *self._removed())

    def _in_each_iteration(self, declared: list[str], lines: list[str], reads: list[TextEdit]) -> tuple[TextEdit, ...]:
        """The tile is filled anew in the innermost loop around the window's."""
        tree, loop, opened, step = self._context.tree, self._window.loop, self._tile.opened, self._style.indent
        outermost, deeper = self._window.outermost, self._deeper()
        closing = ["__syncthreads();"]
        if opened is not None:
            lines += self._style.opened(f"if ({opened.flag})")
            closing = ["}", *closing]
        if self._is_to_unroll():
            lines.append(f"{'' if opened is None else step}#pragma unroll")
        more = deeper if opened is None else deeper + step
        edits = [
            *before_statement(tree, outermost, self._text(declared, outermost)),
            *before_statement(tree, loop, self._text([deeper + line for line in lines], loop)),
            *after_statement(tree, loop, self._text([deeper + line for line in closing], loop)),
            *(moved_right(self._context.text, with_pragmas(tree, loop), reads, more) if more else ()),
        ]
        return with_opened_bounds(self._context, opened, [*edits, *reads])

    def _deeper(self) -> str:
        """One step where the loop around the window's gets braces, and both stand below one another."""
        text, tree, loop = self._context.text, self._context.tree, self._window.loop
        outer = self._window.around[0]
        is_alone = loop.parent == outer and indentation(text, tree.span(outer).start) == indentation(text, tree.span(loop).start)
        return self._style.indent if is_alone else ""

    def _filled(self) -> tuple[list[str], list[str]] | None:
        """The arrays, and the statements that fill them."""
        conditions = self._conditions()
        value = self._written(self._window.value)
        if conditions is None or value is None:
            return None
        step, spans, axes = self._style.indent, {c.axis: self._edge(c) for c in self._window.coordinates}, self._axes()
        element = "".join(f"[{self._counters[axis]}]" for axis in axes)
        declared = [f"__shared__ {self._tile.element} {self._name}{''.join(f'[{spans[axis]}]' for axis in axes)};"]
        lines = [*self._loop([axis for axis in axes if not self._counters[axis].startswith("threadIdx")], spans)]
        lines += [f"{step}{line}" for line in (*self._declarations(), *(f"const int {n} = {v};" for n, v in self._locals.items()))]
        asked = f"if ({' && '.join(conditions)})" if conditions else ""
        stored = f"{self._name}{element} = {value};"
        lines += [step + asked, step * 2 + stored] if asked else [step + stored]
        lines.append("}")
        for table in self._tile.tables:
            array, *copied = table_lines(self._context, table, self._window, self._tile.block, self._tile.bounds.shared)
            (declared if self._window.around else lines).append(array)
            lines += copied
        return declared, [*lines, "__syncthreads();"]

    def _text(self, lines: list[str], statement: Node) -> str:
        indent = indentation(self._context.text, self._context.tree.span(statement).start)
        return f"{line_end(self._context.text)}{indent}".join(lines)

    def _axes(self) -> list[str]:
        """Rows before columns."""
        axes = {c.axis for c in self._window.coordinates}
        return [axis for axis in ("y", "x") if axis in axes]

    def _edge(self, coordinate: Coordinate) -> str:
        edge, span = self._edge_of(coordinate.axis), span_of(self._window, coordinate).span_text
        if span.isdigit():
            return str(edge + int(span))
        return f"{edge} + {span}"

    def _loop(self, walked: list[str], edges: dict[str, str]) -> tuple[str, ...]:
        """The head of the loop over the tile's elements: each thread takes as few as can be, neighbours take neighbours."""
        block, style = self._tile.block, self._style
        if len(walked) == 1:
            counter, axis = self._counters[walked[0]], walked[0]
            return (f"for (int {counter} = threadIdx.{axis}; {counter} < {edges[axis]}; {counter} += {self._edge_of(axis)}) {{",)
        cell, row, col = fresh_name(self._context.tree, "cell"), self._counters["y"], self._counters["x"]
        height, width = (edge if edge.isdigit() else f"({edge})" for edge in (edges["y"], edges["x"]))
        first = f"threadIdx.y * {block.x} + threadIdx.x"
        return (
            f"for (int {cell} = {first}; {cell} < {height} * {width}; {cell} += {block.count}) {{",
            f"{style.indent}const int {row} = {cell} / {width}, {col} = {cell} % {width};",
        )

    def _edge_of(self, axis: str) -> int:
        """Of the block: a constant, so that the compiler unrolls the loops and loads several elements at once."""
        return self._tile.block.x if axis == "x" else self._tile.block.y

    def _is_to_unroll(self) -> bool:
        """The outer of two loops, which nvcc may leave rolled: places in the tile are constants only where it is not."""
        tree, text, loop = self._context.tree, self._context.text, self._window.loop
        start, before = tree.span(loop).start, loop.prev_named_sibling
        is_asked = before is not None and tree.text(before).lstrip().startswith("#pragma")
        is_nested = sum(c.counter is not None for c in self._window.coordinates) > 1
        begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        return is_nested and begins_line and not is_asked and self._window.taps <= _MOST_UNROLLED

    def _unrolled(self) -> Iterator[TextEdit]:
        """The request, where the tile does not stand right before the loop."""
        text, start = self._context.text, self._context.tree.span(self._window.loop).start
        if self._is_to_unroll() and self._tile.bounds.statement != self._window.loop:
            line = text.rfind("\n", 0, start) + 1
            yield TextEdit(Span(line, line), f"{text[line:start]}#pragma unroll{line_end(text)}")

    def _reads(self) -> Iterator[TextEdit]:
        by_axis = {c.axis: c for c in self._window.coordinates}
        element = "".join(f"[{self._place_in_tile(by_axis[axis])}]" for axis in self._axes())
        for load in self._window.loads:
            target = load.parent if load.type == "conditional_expression" and load.parent is not None else load
            outer = target if target.type == "parenthesized_expression" and unparenthesized(target) == load else load
            yield TextEdit(self._context.tree.span(outer), f"{self._name}{element}")

    def _place_in_tile(self, coordinate: Coordinate) -> str:
        thread = f"threadIdx.{coordinate.axis}"
        if coordinate.counter is None:
            return thread
        span = span_of(self._window, coordinate)
        if coordinate.sign == "-":
            return f"{thread} {signed(_last_text(span))} - {coordinate.counter}" if span.last else f"{thread} - {coordinate.counter}"
        moved = f"{thread} + {coordinate.counter}"
        return moved if span.first == 0 else f"{moved} {signed(negative(span.first_text))}"

    def _place_name(self, coordinate: Coordinate) -> str:
        """The author's own name inside the loops, else a new one after the thread's coordinate."""
        tree = self._context.tree
        own = coordinate.nodes[0] if len(coordinate.nodes) == 1 and coordinate.nodes[0].type == "identifier" else None
        if own is not None and (self._is_inside(own) or coordinate.counter is None):
            return node_text(own)
        names = [node_text(n) for n in coordinate.nodes if n.type == "identifier" and node_text(n) not in self._window.names.ranges]
        return fresh_name(tree, self._style.name(names[0] if names else coordinate.axis, "in"))

    def _is_inside(self, name: Node) -> bool:
        definition = self._window.names.definition(name)
        return definition is not None and definition.start_byte >= self._window.loop.start_byte

    def _declarations(self) -> Iterator[str]:
        for coordinate in self._window.coordinates:
            name = self._places[coordinate.place]
            if coordinate.counter is not None or name not in (node_text(n) for n in coordinate.nodes):
                yield f"const int {name} = {self._sum(coordinate)};"

    def _sum(self, coordinate: Coordinate) -> str:
        """The coordinate of an element of the tile."""
        span, parts = span_of(self._window, coordinate), ""
        for leaf in coordinate.leaves:
            text = self._of_leaf(coordinate, leaf, span)
            if text:
                parts = f"{parts} {signed(text)}" if parts else text
        return parts.replace(" + ", f"{self._style.space}+{self._style.space}").replace(" - ", f"{self._style.space}-{self._style.space}")

    def _of_leaf(self, coordinate: Coordinate, leaf: Leaf, span: Range) -> str:
        if leaf.role == "thread":
            return self._counters[coordinate.axis]
        if leaf.role == "counter":
            first = span.first_text if leaf.sign == "+" else negative(_last_text(span))
            return "" if first == "0" else first
        text = leaf.text if is_simple_term(leaf.text) else f"({leaf.text})"
        return text if leaf.sign == "+" else f"-{text}"

    def _conditions(self) -> tuple[str, ...] | None:
        """What is asked of an element: as in the loops, and as far as these leave it open, as of the threads."""
        asked = [(part, c.is_negated) for c in self._window.conditions for part in parts_of(c.node, "||" if c.is_negated else "&&")]
        within = () if self._window.value.type != "conditional_expression" else parts_of(_asked_by(self._window.value), "&&")
        inner = [limit for part, is_negated in (*asked, *((w, False) for w in within)) if (limit := self._limit(part, is_negated))]
        written = [self._negated(part) if is_negated else self._written(part) for part, is_negated in asked]
        if None in written:
            return None
        needed = [text for limit in self._tile.bounds.limits if (text := self._needed(limit, inner)) is not None]
        return tuple(dict.fromkeys((*self._tile.bounds.shared, *needed, *(w for w in written if w is not None))))

    def _limit(self, part: Node, is_negated: bool) -> Limit | None:
        return as_limit(self._window.names, part, is_negated=is_negated)

    def _needed(self, limit: Limit, inner: list[Limit]) -> str | None:
        """The threads' limit widened by the window; None where the element's own condition, or a clamp, is as narrow."""
        coordinate = next((c for c in self._window.coordinates if c.axis == limit.coordinate.axis), None)
        if coordinate is None or is_clamped(self._context, self._window, limit):
            return None
        same = (limit.operator, node_text(limit.bound).replace(" ", ""))
        if any((i.operator, node_text(i.bound).replace(" ", "")) == same and i.coordinate.place == coordinate.place for i in inner):
            return None
        extra, missing = _only_in(coordinate, limit.coordinate), _only_in(limit.coordinate, coordinate)
        moved = () if coordinate.counter is None else sum_terms(_end_of(span_of(self._window, coordinate), coordinate, limit))
        lacking = ((opposite(sign), text) for sign, text in missing)
        bound = ((sign, node_text(node)) for sign, node in terms_of(limit.bound))
        return f"{self._places[coordinate.place]} {_compared(limit.operator, simplified((*bound, *moved, *extra, *lacking)))}"

    def _written(self, node: Node) -> str | None:
        """An expression as it is for an element of the tile."""
        names = self._window.names
        if not self._reads_window(node):
            return node_text(node)
        if node.type == "parenthesized_expression":
            inside = self._written(node.named_children[0])
            return None if inside is None else inside if inside in self._places.values() else f"({inside})"
        coordinate = coordinate_of(names, terms_of(node))
        place = None if coordinate is None else self._places.get(coordinate.place)
        if place is not None:
            return place
        definition = names.definition(node)
        if definition is not None:
            inner = self._written(definition)
            if inner is not None and self._is_inside(node):
                self._locals[node_text(node)] = inner
                return node_text(node)
            return None if inner is None else inner if is_simple_term(inner) else f"({inner})"
        if node.type == "identifier" or (node.type == "field_expression" and node_text(node).startswith("threadIdx")):
            return None
        return self._of_sum(node) or self._of_children(node)

    def _reads_window(self, node: Node) -> bool:
        return any(self._window.names.roots(n) for n in self._context.tree.find("identifier", inside=node))

    def _of_sum(self, node: Node) -> str | None:
        """A sum whose plain terms are one coordinate."""
        terms = terms_of(node)
        own = next((c for c in self._window.coordinates if set(c.nodes) < {n for _, n in terms}), None)
        if len(terms) < 2 or own is None:
            return None
        parts, is_written = "", False
        for sign, term in terms:
            text = self._places[own.place] if term in own.nodes else self._written(term)
            if term in own.nodes and is_written:
                continue
            is_written = is_written or term in own.nodes
            if text is None:
                return None
            sign = "+" if term in own.nodes else sign
            parts = f"{parts}{self._style.space}{sign}{self._style.space}{text}" if parts else (text if sign == "+" else f"-{text}")
        return parts

    def _of_children(self, node: Node) -> str | None:
        whole, start, parts, position = node.text or b"", node.start_byte, list[bytes](), 0
        for child in node.named_children:
            text = self._written(child)
            if text is None:
                return None
            parts += [whole[position : child.start_byte - start], text.encode()]
            position = child.end_byte - start
        return b"".join((*parts, whole[position:])).decode()

    def _negated(self, node: Node) -> str | None:
        text = self._written(node)
        limit = as_limit(self._window.names, node, is_negated=True)
        if text is None or limit is None:
            return None if text is None else f"!({text})"
        place = self._places.get(limit.coordinate.place)
        return f"!({text})" if place is None else f"{place} {limit.operator} {node_text(limit.bound)}"

    def _removed(self) -> Iterator[TextEdit]:
        """Declarations in the loops whose names nothing uses any more."""
        tree, text = self._context.tree, self._context.text
        gone = [tree.span(load) for load in self._window.loads]
        for declaration in reversed(list(tree.find("declaration", inside=self._window.loop))):
            names = [n for n, found in locals_of(tree, self._window.function.body).items() if any(v.node == declaration for v in found)]
            span = tree.span(declaration)
            uses = [tree.span(m) for name in names for m in mentions(tree, self._window.loop, name)]
            if declaration.parent is None or declaration.parent.type != "compound_statement" or not names:
                continue
            if all(span.contains(use) or any(g.contains(use) for g in gone) for use in uses):
                gone.append(span)
                start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
                is_alone = text[start:end].strip() == text[span.start : span.end]
                yield TextEdit(Span(start, end) if is_alone else span, "")


def _asked_by(choice: Node) -> Node:
    condition = choice.child_by_field_name("condition")
    assert condition is not None, "a choice asks something"
    return unparenthesized(condition)


def _only_in(one: Coordinate, other: Coordinate) -> list[tuple[str, str]]:
    """Shared terms of one coordinate that the other lacks."""
    terms = [(leaf.sign, leaf.text) for leaf in one.leaves if leaf.role == "shared"]
    return [(sign, text) for sign, text in terms if (sign, text.replace(" ", "")) not in other.shared]


def _end_of(span: Range, coordinate: Coordinate, limit: Limit) -> str:
    """How far the window reaches from the thread's element in the direction of the limit."""
    if coordinate.sign == "-":
        return negative(span.first_text if limit.is_upper else _last_text(span))
    return _last_text(span) if limit.is_upper else span.first_text


def _last_text(span: Range) -> str:
    """The counter's last value, in the author's names where the loop has them."""
    if span.span_text == f"2 * {negative(span.first_text)}":
        return negative(span.first_text)
    return span.span_text if span.first == 0 else str(span.last)


def _compared(operator: str, bound: str) -> str:
    """``< w`` rather than ``<= w - 1``."""
    if operator == "<=" and bound.endswith(" - 1"):
        return f"< {bound[:-4]}"
    return f"{operator} {bound}"
