"""The text of a loop along rows whose elements a warp brings to shared memory, 32 of each row at a time.

Example::

    for (int d = 0; d < days; d++) { double today = prices[a * days + d]; … }
    // becomes
    __shared__ double prices_tile[64][33];
    const int lane = threadIdx.x % 32;
    for (int tile = 0; tile < days; tile += 32) {
        for (int r = 0; r < 32; ++r)
            if (a - lane + r < assets && tile + lane < days)
                prices_tile[threadIdx.x - lane + r][lane] = prices[(a - lane + r) * days + tile + lane];
        __syncwarp();
        for (int d = tile; d < days && d < tile + 32; d++) { double today = prices_tile[threadIdx.x][d - tile]; … }
        __syncwarp();
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.names import free_name
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.memory_accesses import unknown_sizes
from assistant.plan.expert.analysis.row_walk import RowWalk, WalkedElement
from assistant.plan.expert.analysis.warp_pattern import lane_environments
from assistant.plan.expert.analysis.window_coordinates import terms_of
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, with_pragmas
from assistant.plan.expert.writing.opened_bounds import OpenedBounds, moved_right, with_opened_bounds
from assistant.plan.expert.writing.style import style_of

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
        names = dict.fromkeys(element.pointer for element in walk.elements)
        self._arrays = {
            name: free_name(context.tree, context.body, self._style.name(name.rstrip("_"), "tile"), f"{name}_rows") for name in names
        }

    def edits(self) -> tuple[TextEdit, ...]:
        text, loop = self._context.text, with_pragmas(self._tree, self._walk.loop)
        indent, newline, step = indentation(text, loop.start), line_end(text), self._style.indent
        line = text.rfind("\n", 0, loop.start) + 1
        stop = text.find("\n", loop.end)
        before = newline.join([*(indent + each for each in self._declared()), *(indent + each for each in self._opening())])
        after = newline.join(indent + each for each in self._closing())
        inner = list(self._inside())
        edits = [
            TextEdit(Span(line, line), before + newline),
            *inner,
            *moved_right(self._context, Span(line, loop.end), inner, step),
            TextEdit(Span(stop, stop), newline + after),
        ]
        return with_opened_bounds(self._context, self._opened, edits)

    def _declared(self) -> list[str]:
        threads = self._walk.seen.block.x
        kinds = {element.pointer: element.type for element in self._walk.elements}
        shared = [f"__shared__ {kinds[name]} {array}[{threads}][{COLUMNS + 1}];" for name, array in self._arrays.items()]
        return [*shared, f"const int {self._lane} = threadIdx.x % {COLUMNS};"]

    def _opening(self) -> list[str]:
        head = f"for ({self._walk.counter_type} {self._tile} = {self._first()}; {self._tile} < {self._bound()}; {self._tile} += {COLUMNS})"
        loads = [element for element in self._walk.elements if not element.is_written]
        lines = [*self._moves(loads), "__syncwarp();"] if loads else []
        return [*self._style.opened(head), *(self._style.indent + line for line in lines)]

    def _closing(self) -> list[str]:
        stores = [element for element in self._walk.elements if element.is_written]
        lines = ["__syncwarp();", *(self._moves(stores) if stores else [])]
        return [*(self._style.indent + line for line in lines), "}"]

    def _moves(self, elements: list[WalkedElement]) -> list[str]:
        """A warp's rows between memory and the tiles, neighbouring lanes neighbouring elements."""
        step, r = self._style.indent, self._other
        moves = [self._move(element) for element in elements]
        asked = " && ".join([*self._other_row_is_inside(), f"{self._tile} + {self._lane} < {self._bound()}"])
        head = f"for (int {r} = 0; {r} < {COLUMNS}; ++{r})"
        if len(moves) == 1:
            return [head, f"{step}if ({asked})", f"{step}{step}{moves[0]}"]
        inner = [*self._style.opened(f"if ({asked})"), *(step + move for move in moves), "}"]
        return [head, *(step + line for line in inner)]

    def _move(self, element: WalkedElement) -> str:
        tile = f"{self._arrays[element.pointer]}[threadIdx.x - {self._lane} + {self._other}][{self._lane}]"
        memory = f"{element.pointer}[{self._index(element)}]"
        return f"{memory} = {tile};" if element.is_written else f"{tile} = {memory};"

    def _index(self, element: WalkedElement) -> str:
        """The element's index with another lane's row, and the counter at the lane's column."""
        column = f"{self._tile} + {self._lane}"
        parts = [part for offset in element.offsets for part in terms_of(offset)]
        texts = [(sign, column if node_text(node) == self._walk.header.variable else self._spelled(node)) for sign, node in parts]
        texts.sort(key=lambda part: part[1] == column)
        whole = " ".join(f"{sign} {text}" for sign, text in texts)
        return whole.removeprefix("+ ")

    def _spelled(self, node: Node) -> str:
        """The expression with another lane's row; locals that depend on the row in full."""
        text, whole, scope = self._tree.text(node), self._tree.span(node), scope_of(self._tree, self._context.kernel)
        for name in reversed(list(self._tree.find("identifier", inside=node))):
            span, word = self._tree.span(name), node_text(name)
            definition = scope.definition(word)
            if word == self._walk.row:
                new = f"({self._row()})"
            elif word == self._walk.header.variable:
                new = f"({self._tile} + {self._lane})"
            elif definition is not None and self._differs(definition):
                inner = self._spelled(definition)
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
        return f"{self._walk.row} - {self._lane} + {self._other}"

    def _other_row_is_inside(self) -> list[str]:
        if self._opened is None:
            return []
        return [re.sub(rf"\b{re.escape(self._walk.row)}\b", self._row(), self._opened.inside)]

    def _inside(self) -> Iterator[TextEdit]:
        """The author's loop over one tile."""
        header, start = self._walk.header, self._walk.loop.child_by_field_name("initializer")
        assert start is not None, "a counted loop starts somewhere"
        first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
        assert first is not None, "a counted loop starts somewhere"
        yield TextEdit(self._tree.span(first), self._tile)
        end = self._tree.span(header.bound_node).end
        flag = "" if self._opened is None else f" && {self._opened.flag}"
        yield TextEdit(Span(end, end), f" && {header.variable} < {self._tile} + {COLUMNS}{flag}")
        for element in self._walk.elements:
            for node in element.nodes:
                place = f"[threadIdx.x][{header.variable} - {self._tile}]"
                yield TextEdit(self._tree.span(node), f"{self._arrays[element.pointer]}{place}")

    def _first(self) -> str:
        return self._walk.header.first

    def _bound(self) -> str:
        return self._walk.header.bound
