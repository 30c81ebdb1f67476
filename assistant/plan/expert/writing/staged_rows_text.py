"""The text of a loop along rows whose elements a warp brings to shared memory, 32 of each row at a time.

Example::

    for (int d = 0; d < days; d++) { double today = prices[a * days + d]; … }
    // becomes
    __shared__ double prices_tile[64][33];
    const int lane = threadIdx.x % 32, first_thread = threadIdx.x - lane, first_row = a - lane;
    for (int tile = 0; tile < days; tile += 32) {
        if (tile + lane < days) {
            const double *prices_column = prices + first_row * days + tile + lane;
            #pragma unroll
            for (int r = 0; r < 32; ++r)
                if (first_row + r < assets)
                    prices_tile[first_thread + r][lane] = prices_column[r * days];
        }
        __syncwarp();
        const int stop = is_inside ? min(tile + 32, days) : tile;
        for (int d = tile; d < stop; d++) { double today = prices_tile[threadIdx.x][d - tile]; … }
        __syncwarp();
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.casts import without_integer_casts
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.names import free_name, mentions, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text
from assistant.cuda.variables import declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.row_walk import RowWalk, WalkedElement
from assistant.plan.expert.analysis.warp_pattern import lane_environments
from assistant.plan.expert.analysis.window_coordinates import terms_of
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, with_pragmas, without_line
from assistant.plan.expert.writing.opened_bounds import OpenedBounds, moved_right, with_opened_bounds
from assistant.plan.expert.writing.style import is_simple_term, style_of

__all__ = ["COLUMNS", "staged_rows_edits"]

COLUMNS = 32
"""Elements of a row in a tile: one for each lane."""


def staged_rows_edits(context: TransformationContext, walk: RowWalk, opened: OpenedBounds | None) -> tuple[TextEdit, ...]:
    """What the loop becomes, with a flag in the place of the bounds checks in front of it."""
    return _Writer(context, walk, opened).edits()


class _Writer:
    def __init__(self, context: TransformationContext, walk: RowWalk, opened: OpenedBounds | None) -> None:
        self._context, self._tree, self._walk, self._opened = context, context.tree, walk, opened
        self._style = style_of(context)
        self._lane = free_name(context.tree, context.body, "lane", "own_lane")
        self._tile = free_name(context.tree, context.body, "tile", "tile_start")
        self._other = free_name(context.tree, context.body, "r", "other_row")
        self._stop = free_name(context.tree, context.body, "stop", self._style.name("tile", "stop"))
        self._first_thread = free_name(context.tree, context.body, self._style.name("first", "thread"))
        self._first_row = free_name(context.tree, context.body, self._style.name("first", "row"), self._style.name("first", walk.row))
        names = dict.fromkeys(element.pointer for element in walk.elements)
        self._columns = {n: free_name(context.tree, context.body, self._style.name(n.rstrip("_"), "column"), f"{n}_lane") for n in names}
        self._arrays = {
            name: free_name(context.tree, context.body, self._style.name(name.rstrip("_"), "tile"), f"{name}_rows") for name in names
        }

    def edits(self) -> tuple[TextEdit, ...]:
        text, loop = self._context.text, with_pragmas(self._tree, self._walk.loop)
        indent, newline, step = indentation(text, loop.start), line_end(text), self._style.indent
        line = text.rfind("\n", 0, loop.start) + 1
        stop = text.find(newline, loop.end)
        before = newline.join([*(indent + each for each in self._declared()), *(indent + each for each in self._opening())])
        after = newline.join(indent + each for each in self._closing())
        inner = list(self._inside())
        edits = [
            TextEdit(Span(line, line), before + newline),
            *inner,
            *moved_right(self._context, Span(line, loop.end), inner, step),
            TextEdit(Span(stop, stop), newline + after),
            *self._without_pointers(),
        ]
        return with_opened_bounds(self._context, self._opened, edits)

    def _without_pointers(self) -> Iterator[TextEdit]:
        """Takes away declarations of pointers into the row that nothing uses any more."""
        body, replaced = self._context.body, [node for element in self._walk.elements for node in element.nodes]
        for declaration in self._tree.find("declaration", inside=body):
            declared = tuple(declared_variables(self._tree, declaration))
            used = [n for v in declared for n in mentions(self._tree, body, v.name) if not _is_within(n, declaration)]
            if all(v.is_pointer for v in declared) and used and all(any(_is_within(n, node) for node in replaced) for n in used):
                yield without_line(self._context.text, self._tree.span(declaration))

    def _declared(self) -> list[str]:
        threads = self._walk.seen.block.x
        kinds = {element.pointer: element.type for element in self._walk.elements}
        shared = [f"__shared__ {kinds[name]} {array}[{threads}][{COLUMNS + 1}];" for name, array in self._arrays.items()]
        lane = f"const int {self._lane} = threadIdx.x % {COLUMNS}, {self._first_thread} = threadIdx.x - {self._lane}"
        kind, first = self._walk.row_type, f"{self._first_row} = {self._walk.row} - {self._lane};"
        return [*shared, f"{lane}, {first}"] if kind == "int" else [*shared, f"{lane};", f"const {kind} {first}"]

    def _opening(self) -> list[str]:
        head = f"for ({self._walk.counter_type} {self._tile} = {self._first()}; {self._tile} < {self._bound()}; {self._tile} += {COLUMNS})"
        loads = [element for element in self._walk.elements if not element.is_written]
        lines = [*self._moves(loads), "__syncwarp();"] if loads else []
        return [*self._style.opened(head), *self._inner([*lines, self._stopped()])]

    def _stopped(self) -> str:
        """Where the loop over one tile ends: at once for a thread without a row."""
        kind, bound, stop = self._walk.counter_type, self._bound(), f"{self._tile} + {COLUMNS}"
        is_alike = any(p.name == bound and p.element_type is None and p.type == kind for p in self._context.kernel.parameters)
        nearer = f"min({stop}, {bound})" if is_alike else f"{stop} < {bound} ? {stop} : {bound}"
        if self._opened is not None:
            nearer = f"{self._opened.flag} ? {nearer} : {self._tile}" if is_alike else f"!{self._opened.flag} ? {self._tile} : {nearer}"
        return f"const {kind} {self._stop} = {nearer};"

    def _closing(self) -> list[str]:
        stores = [element for element in self._walk.elements if element.is_written]
        lines = ["__syncwarp();", *(self._moves(stores) if stores else [])]
        return [*(self._style.indent + line for line in lines), "}"]

    def _moves(self, elements: list[WalkedElement]) -> list[str]:
        """A warp's rows between memory and the tiles, neighbouring lanes neighbouring elements."""
        style, r = self._style, self._other
        lines = [self._move(element) for element in elements]
        if self._opened is not None:
            head = f"if ({self._opened_for_another()})"
            lines = [head, self._style.indent + lines[0]] if len(lines) == 1 else [*style.opened(head), *self._inner(lines), "}"]
        loop = f"for (int {r} = 0; {r} < {COLUMNS}; ++{r})"
        lines = [loop, *self._inner(lines)] if len(lines) < 3 else [*style.opened(loop), *self._inner(lines), "}"]
        asked = f"if ({self._tile} + {self._lane} < {self._bound()})"
        columns = [column for element in elements if (column := self._column(element)) is not None]
        return [*style.opened(asked), *self._inner([*columns, "#pragma unroll", *lines]), "}"]

    def _inner(self, lines: list[str]) -> list[str]:
        return [self._style.indent + line for line in lines]

    def _move(self, element: WalkedElement) -> str:
        tile = f"{self._arrays[element.pointer]}[{self._first_thread} + {self._other}][{self._lane}]"
        pitch = self._pitch(element)
        whole = f"{element.pointer}[{self._index(element, self._row())}]"
        memory = whole if pitch is None else f"{self._columns[element.pointer]}[{self._other} * {pitch}]"
        return f"{memory} = {tile};" if element.is_written else f"{tile} = {memory};"

    def _column(self, element: WalkedElement) -> str | None:
        """A pointer to the lane's column in the warp's first row; None where the rows' distance is not spelled."""
        if self._pitch(element) is None:
            return None
        const = "" if element.is_written else "const "
        return f"{const}{element.type} *{self._columns[element.pointer]} = {element.pointer} + {self._index(element, self._first_row)};"

    def _pitch(self, element: WalkedElement) -> str | None:
        """How far rows are apart: ``days`` of ``(size_t)a * days``."""
        found = [self._factor(node) for offset in element.offsets for sign, node in terms_of(offset) if sign == "+"]
        known = [factor for factor in found if factor is not None]
        return known[0] if len(known) == 1 else None

    def _factor(self, node: Node) -> str | None:
        node = without_integer_casts(node)
        definition = scope_of(self._tree, self._context.kernel).definition(node_text(node)) if node.type == "identifier" else None
        parts = binary_parts(node)
        if definition is not None and node_text(node) != self._walk.row:
            return self._factor(definition)
        if parts is None or parts[0] != "*":
            return None
        others = [side for side in parts[1:] if node_text(without_integer_casts(side)) != self._walk.row]
        text = self._tree.text(others[0]) if len(others) == 1 else ""
        return text if text and is_simple_term(text) and self._walk.row not in words_in(text) else None

    def _index(self, element: WalkedElement, row: str) -> str:
        """The element's index in a row, with the counter at the lane's column."""
        column = f"{self._tile} + {self._lane}"
        parts = [part for offset in element.offsets for part in terms_of(offset)]
        texts = [(sign, column if node_text(node) == self._walk.header.variable else self._spelled(node, row)) for sign, node in parts]
        texts.sort(key=lambda part: part[1] == column)
        whole = " ".join(f"{sign} {text}" for sign, text in texts)
        return whole.removeprefix("+ ")

    def _spelled(self, node: Node, row: str) -> str:
        """The expression with another row; locals that depend on the row in full."""
        text, whole, scope = self._tree.text(node), self._tree.span(node), scope_of(self._tree, self._context.kernel)
        for name in reversed(list(self._tree.find("identifier", inside=node))):
            span, word = self._tree.span(name), node_text(name)
            definition = scope.definition(word)
            if word == self._walk.row:
                new = row if row.isidentifier() else f"({row})"
            elif word == self._walk.header.variable:
                new = f"({self._tile} + {self._lane})"
            elif definition is not None and self._differs(definition):
                inner = self._spelled(definition, row)
                new = inner if node == name else f"({inner})"
            else:
                continue
            text = text[: span.start - whole.start] + new + text[span.end - whole.start :]
        return text

    def _differs(self, node: Node) -> bool:
        """The value is another one in another lane."""
        scope, lanes = scope_of(self._tree, self._context.kernel), lane_environments(self._walk.seen.block)
        sizes = unknown_sizes(self._context)
        return evaluate(node, scope, {**sizes, **lanes[0]}) != evaluate(node, scope, {**sizes, **lanes[1]})

    def _row(self) -> str:
        return f"{self._first_row} + {self._other}"

    def _opened_for_another(self) -> str:
        """The bounds check of another lane's row."""
        assert self._opened is not None, "there is a check"
        return re.sub(rf"\b{re.escape(self._walk.row)}\b", self._row(), self._opened.inside)

    def _inside(self) -> Iterator[TextEdit]:
        """The author's loop over one tile."""
        header, start = self._walk.header, self._walk.loop.child_by_field_name("initializer")
        assert start is not None, "a counted loop starts somewhere"
        first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
        assert first is not None, "a counted loop starts somewhere"
        yield TextEdit(self._tree.span(first), self._tile)
        yield TextEdit(self._tree.span(header.bound_node), self._stop)
        for element in self._walk.elements:
            for node in element.nodes:
                place = f"[threadIdx.x][{header.variable} - {self._tile}]"
                yield TextEdit(self._tree.span(node), f"{self._arrays[element.pointer]}{place}")

    def _first(self) -> str:
        return self._walk.header.first

    def _bound(self) -> str:
        return self._walk.header.bound


def _is_within(node: Node, other: Node) -> bool:
    return other.start_byte <= node.start_byte and node.end_byte <= other.end_byte
