"""The text of a loop along rows that goes chunk by chunk: the block loads a piece of all its rows, each thread walks through its own.

Knows nothing of whether that is right or pays; ``staged_rows`` decides it.

Example::

    staged = staged_loop(context, function, loop, Chunk(64, 32), tile_names(context, (loop,)), opened, loop.tiles, (False, False))
    staged_edit(context, staged)     # one edit over the loop
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.files import line_end
from assistant.cuda.functions import Function
from assistant.cuda.names import free_name, mentions
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.walked_rows import RowTile, WalkedLoop
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import body_lines, indentation, with_pragmas, without_line
from assistant.plan.expert.writing.opened_bounds import OpenedBounds
from assistant.plan.expert.writing.other_rows import OtherRows, other_rows
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["Chunk", "StagedLoop", "idle_declarations", "staged_edit", "staged_loop", "tile_names"]

_SUM = re.compile(r"[\w\s.+*/-]*")
"""To which a number can be added without parentheses."""
_BARRIER = "__syncthreads();"
_OF_INTEGERS = ("identifier", "number_literal", "binary_expression", "parenthesized_expression")


class Chunk(Record):
    """The piece of its rows that a block has in shared memory."""

    rows: int
    """Threads of the block."""
    columns: int


class StagedLoop(Record):
    """What a loop's text is made of."""

    walked: WalkedLoop
    chunk: Chunk
    names: Mapping[RowTile, str]
    rows: OtherRows
    row: str
    """The counter of the block's rows."""
    flag: str | None
    inside: str
    """What must hold for a row to be there; empty where all are."""
    declared: tuple[RowTile, ...]
    """Tiles that no loop before it has."""
    barriers: tuple[bool, bool]
    """Before and after the loop."""


def tile_names(context: TransformationContext, loops: Sequence[WalkedLoop]) -> dict[RowTile, str]:
    """One for each tile of a loop; loops behind each other have the tiles of an array in common."""
    names = dict[RowTile, str]()
    for loop in loops:
        taken = list[str]()
        for tile in loop.tiles:
            wanted = style_of(context).name(tile.pointer.rstrip("_"), "tile")
            name, number = free_name(context.tree, context.body, wanted), 1
            while name in taken:
                number += 1
                name = free_name(context.tree, context.body, f"{wanted}{number}")
            names[tile] = name
            taken.append(name)
    return names


def staged_loop(
    context: TransformationContext,
    function: Function,
    walked: WalkedLoop,
    chunk: Chunk,
    names: Mapping[RowTile, str],
    opened: OpenedBounds | None,
    declared: tuple[RowTile, ...],
    barriers: tuple[bool, bool],
) -> StagedLoop | Obstacle:
    """The parts, or why rows of other threads cannot be addressed. ``declared``: its tiles that no loop before it has."""
    inside, row = "" if opened is None else opened.inside, free_name(context.tree, context.body, "r")
    spelled = [node_text(offset) for tile in walked.tiles for offset in tile.offsets]
    rows = other_rows(context, function, (inside, *spelled), walked.header.variable, row)
    if isinstance(rows, Obstacle):
        return rows
    return StagedLoop(walked, chunk, names, rows, row, None if opened is None else opened.flag, inside, declared, barriers)


def staged_edit(context: TransformationContext, staged: StagedLoop) -> TextEdit:
    """One edit over the loop."""
    node = staged.walked.node
    start, span = context.tree.span(node).start, with_pragmas(context.tree, node)
    line, newline = context.text.rfind("\n", 0, span.start) + 1, line_end(context.text)
    is_alone = not context.text[line : span.start].strip()
    indent = indentation(context.text, start)
    text = f"{newline}{indent}".join(_Lines(context, staged).all())
    return TextEdit(Span(line, span.end), f"{indent}{text}") if is_alone else TextEdit(span, text)


def idle_declarations(context: TransformationContext, region: Node, replaced: Sequence[Node]) -> tuple[TextEdit, ...]:
    """Edits without the pointers and indices that are declared in the region for nothing but what is ``replaced``."""
    tree, edits = context.tree, list[TextEdit]()
    for declaration in tree.find("declaration", inside=region):
        variables = tuple(declared_variables(tree, declaration))
        if len(variables) != 1 or variables[0].value is None or any(tree.find("call_expression", inside=declaration)):
            continue
        spans, own = tuple(Span(n.start_byte, n.end_byte) for n in replaced), declaration.start_byte
        used = [n.start_byte for n in mentions(tree, context.body, variables[0].name) if not own <= n.start_byte < declaration.end_byte]
        if used and all(any(span.start <= at < span.end for span in spans) for at in used):
            edits.append(without_line(context.text, tree.span(declaration)))
    return tuple(edits)


class _Lines:
    """The loop's new lines, as they are where it begins."""

    def __init__(self, context: TransformationContext, staged: StagedLoop) -> None:
        self._context, self._staged, self._walked = context, staged, staged.walked
        self._style, self._header = style_of(context), staged.walked.header
        self._start, self._column, self._at = (free_name(context.tree, context.body, name) for name in ("chunk", "column", "at"))
        self._end = free_name(context.tree, context.body, self._style.name("chunk", "end"))
        self._is_upwards = self._header.step == "1"
        self._sign = "<" if self._is_upwards else ">"
        trips = self._header.trip_count(context.tree)
        self._is_whole = trips is not None and trips % staged.chunk.columns == 0

    def all(self) -> list[str]:
        header, columns, kind = self._header, self._staged.chunk.columns, self._walked.counter_type
        step = "+=" if self._is_upwards else "-="
        first = self._context.tree.text(self._walked.first)
        head = f"for ({kind} {self._start} = {first}; {self._start} {header.comparison} {header.bound}; {self._start} {step} {columns})"
        loads, stores = self._loads_and_stores()
        inner = [f"const int {self._column} = threadIdx.x % {columns};"]
        inner.append(f"const {kind} {self._at} = {self._moved(self._start, self._column)};")
        inner.append(f"const {kind} {self._end} = {self._last()};")
        inner += [*self._moves(loads, True), *([_BARRIER] if loads else []), *self._walk(), _BARRIER]
        inner += [*self._moves(stores, False), *([] if loads else [_BARRIER])]
        tiles = [f"__shared__ {t.type} {self._name(t)}[{self._staged.chunk.rows}][{columns}{self._plus}1];" for t in self._staged.declared]
        loop = [*self._style.opened(head), *(self._style.indent + line if line else line for line in inner), "}"]
        before, after = ([_BARRIER] if has else [] for has in self._staged.barriers)
        return [*tiles, *before, *loop, *after]

    @property
    def _plus(self) -> str:
        return f"{self._style.space}+{self._style.space}"

    def _loads_and_stores(self) -> tuple[list[RowTile], list[RowTile]]:
        tiles = self._walked.tiles
        return [tile for tile in tiles if tile.is_loaded], [tile for tile in tiles if tile.is_stored]

    def _name(self, tile: RowTile) -> str:
        return self._staged.names[tile]

    def _moved(self, start: str, by: str) -> str:
        return f"{start}{self._plus}{by}" if self._is_upwards else f"{start}{self._plus.replace('+', '-')}{by}"

    def _last(self) -> str:
        """Where the chunk ends, or the row before that."""
        past, header = self._moved(self._start, str(self._staged.chunk.columns)), self._header
        if self._is_whole:
            return past
        bound = header.bound if _SUM.fullmatch(header.bound) or header.comparison in "<>" else f"({header.bound})"
        if header.comparison == "<=":
            bound = f"{bound}{self._plus}1"
        elif header.comparison == ">=":
            bound = "-1" if bound == "0" else f"{bound}{self._plus.replace('+', '-')}1"
        if self._is_of_int():
            return f"{'min' if self._is_upwards else 'max'}({past}, {bound})"
        return f"{past} {self._sign} {bound} ? {past} : {bound}"

    def _is_of_int(self) -> bool:
        """The counter and its bound are ``int``, so that no overload of ``min`` is in question."""
        tree, bound, body = self._context.tree, self._header.bound_node, self._context.body
        nodes = [bound, *tree.find(*_OF_INTEGERS, inside=bound)]
        others = any(tree.find("call_expression", "cast_expression", "field_expression", "subscript_expression", inside=bound))
        if self._walked.counter_type != "int" or others or any(node.type not in _OF_INTEGERS for node in nodes):
            return False
        names = [tree.text(node) for node in nodes if node.type == "identifier"]
        numbers = [tree.text(node) for node in nodes if node.type == "number_literal"]
        types = {p.name: p.type for p in self._context.kernel.parameters} | {n: v[0].type for n, v in locals_of(tree, body).items()}
        plain = {plain_type(tree, types.get(name, "")).removeprefix("const ") for name in names}
        return all(number.isdigit() for number in numbers) and plain <= {"int"}

    def _moves(self, tiles: Sequence[RowTile], is_load: bool) -> list[str]:
        """The block brings a piece of all its rows to their tiles, or back: neighbours in a warp take neighbours in a row."""
        if not tiles:
            return []
        rows, columns = self._staged.chunk.rows, self._staged.chunk.columns
        moved = [self._move(tile, is_load) for tile in tiles]
        inside = self._staged.rows.text(self._staged.inside, {})
        inner = list(self._style.headed(f"if ({inside})", moved)) if inside else moved
        row = self._staged.row
        step = f"{row} += {rows // columns}" if rows > columns else f"{row}++"
        head = f"for (int {row} = threadIdx.x / {columns}; {row} < {rows}; {step})"
        loop = list(self._style.headed(head, [*self._staged.rows.declared, *inner]))
        return loop if self._is_whole else self._only(f"if ({self._at} {self._sign} {self._end})", loop)

    def _only(self, asked: str, lines: list[str]) -> list[str]:
        return [asked, *(self._style.indent + line for line in lines)]

    def _move(self, tile: RowTile, is_load: bool) -> str:
        counter = {self._header.variable: self._at}
        index = self._plus.join(self._term(self._staged.rows.text(node_text(offset), counter)) for offset in tile.offsets)
        held, element = f"{self._name(tile)}[{self._staged.row}][{self._column}]", f"{tile.pointer}[{index}]"
        return f"{held} = {element};" if is_load else f"{element} = {held};"

    def _term(self, text: str) -> str:
        return text if "?" not in text and "<" not in text and ">" not in text else f"({text})"

    def _walk(self) -> list[str]:
        """The author's loop over one chunk."""
        header, step = self._header, self._style.indent
        update = self._walked.node.child_by_field_name("update")
        changed = f"{header.variable}++" if update is None else self._context.tree.text(update)
        head = f"for ({self._walked.counter_type} {header.variable} = {self._start}; {header.variable} {self._sign} {self._end}; {changed})"
        pragmas = self._pragmas()
        loop = [*pragmas, *self._style.opened(head), *(step + line if line else line for line in self._body()), "}"]
        if self._staged.flag is None:
            return loop
        if pragmas:
            return [*self._style.opened(f"if ({self._staged.flag})"), *(step + line if line else line for line in loop), "}"]
        return [f"if ({self._staged.flag})", *(step + line if line else line for line in loop)]

    def _pragmas(self) -> list[str]:
        text, tree = self._context.text, self._context.tree
        before = text[with_pragmas(tree, self._walked.node).start : tree.span(self._walked.node).start]
        return [line.strip() for line in before.splitlines() if line.strip()]

    def _body(self) -> list[str]:
        body = self._walked.node.child_by_field_name("body")
        assert body is not None, "a counted loop has a body"
        idle = idle_declarations(self._context, body, [node for tile in self._walked.tiles for node in tile.nodes])
        return body_lines(self._context.tree, body, [*idle, *(edit for tile in self._walked.tiles for edit in self._uses(tile))])

    def _uses(self, tile: RowTile) -> Iterator[TextEdit]:
        minus, counter = self._plus.replace("+", "-"), self._header.variable
        column = f"{counter}{minus}{self._start}" if self._is_upwards else f"{self._start}{minus}{counter}"
        for node in tile.nodes:
            yield TextEdit(self._context.tree.span(node), f"{self._name(tile)}[threadIdx.x][{column}]")
