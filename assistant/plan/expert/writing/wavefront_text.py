"""The text of a kernel whose blocks fill tiles of a table in shared memory, and of the host loop over the diagonals of tiles.

Example::

    wavefront_edits(WaveText(context, loop, wave, 32))     # the constant, the kernel, and the loop
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.files import line_end
from assistant.cuda.integers import Scope
from assistant.cuda.names import free_name, fresh_name, names_in, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, unparenthesized
from assistant.cuda.variables import Variable
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.diagonal_loop import DiagonalLoop
from assistant.plan.expert.analysis.wavefront import Extent, Wavefront, WaveTable
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import comments_of, dedented, indentation
from assistant.plan.expert.writing.style import Style, style_of
from assistant.plan.expert.writing.wavefront_host_text import TileLaunch, host_edits
from assistant.record import Record

__all__ = ["WaveText", "wavefront_edits"]

_BARRIER = "__syncthreads();"
_KEPT_PARAMETERS = 2
"""That a kernel is passed for its diagonal: the diagonal's number, and where it begins. With more of them it gets new ones."""
_SHORT = 2
"""Letters of names like ``i``, whose first one in a tile is called ``i0``."""
_OPEN = ("parenthesized_expression", "argument_list", "subscript_argument_list", "init_declarator")
"""What a sum can stand in without parentheses."""


class WaveText(Record):
    """What the text is made from."""

    context: TransformationContext
    loop: DiagonalLoop
    wave: Wavefront
    edge: int
    """Rows and columns of a tile, and threads of a block."""


class _Names(Record):
    """What the new kernel calls its own things."""

    tile: str
    """The constant."""
    diagonal: str
    first: str
    thread: str
    row: str
    """The first row of the block's tile."""
    column: str
    step: str
    at: str
    """A thread's column in the tile."""
    stored: str
    """A row of the tile as it is stored."""
    tiles: Mapping[str, str]
    """The shared array of each table."""


def wavefront_edits(of: WaveText) -> tuple[TextEdit, ...]:
    """Places in the context's text."""
    context, tree, function = of.context, of.context.tree, of.wave.function
    newline, names = line_end(context.text), _names(of)
    body, parameters = tree.span(function.body), tree.span(function.parameter_list)
    outer = indentation(context.text, function.span.start)
    inner = [style_of(context).indent + line if line else "" for line in _Kernel(of, names).lines()]
    lines = "\n".join(("{", *(outer + line if line else "" for line in inner), f"{outer}}}"))
    said = f"// Each block fills a tile of the table, and a launch the diagonal `{names.diagonal}` of tiles."
    start = context.text.rfind("\n", 0, function.span.start) + 1
    above = _above(context, _outermost(of))
    is_close = bool(context.text[:above].strip()) and not context.text[:above].replace("\r", "").endswith("\n\n")
    heads = {above: f"{newline if is_close else ''}{_constant(of, names.tile)}\n\n"}
    heads[start] = f"{heads.get(start, '')}{outer}{said}\n"
    edits = [
        *(TextEdit(Span(at, at), text) for at, text in heads.items()),
        TextEdit(parameters, _parameters(of, names)),
        TextEdit(body, lines),
        *host_edits(context, of.loop, of.wave, TileLaunch(names.tile, *_given(of))),
    ]
    return tuple(TextEdit(edit.span, edit.new_text.replace("\r\n", "\n").replace("\n", newline)) for edit in edits)


def _constant(of: WaveText, name: str) -> str:
    is_macro = re.search(r"^\s*#\s*define\s+\w+\s+\(?-?\d", of.context.text, re.MULTILINE)
    return f"#define {name} {of.edge}" if is_macro else f"constexpr int {name} = {of.edge};"


def _outermost(of: WaveText) -> int:
    """Where the line of the kernel begins, or that of the outermost namespace around it: the host sees what stands there."""
    tree, function = of.context.tree, of.wave.function
    around = [tree.span(node).start for node in tree.ancestors(function.node) if node.type == "namespace_definition"]
    return of.context.text.rfind("\n", 0, min((*around, function.span.start))) + 1


def _above(context: TransformationContext, start: int) -> int:
    """Where comments right above a line begin."""
    text, at = context.text, start
    while at:
        line = text.rfind("\n", 0, at - 1) + 1
        said = text[line : at - 1].strip()
        if not said.startswith(("//", "/*", "*")) and not said.endswith("*/"):
            break
        at = line
    return at


def _names(of: WaveText) -> _Names:
    tree, node, wave, style = of.context.tree, of.wave.function.node, of.wave, style_of(of.context)
    taken = list[str]()

    def free(*wanted: str) -> str:
        name = next((each for each in wanted if each not in taken and free_name(tree, node, each) == each), None)
        name = name or free_name(tree, node, style.name(wanted[0], "in", "tile"))
        taken.append(name)
        return name

    held = [table.pointer for table in wave.tables if table.loads]
    is_camel_constant = re.search(r"\bconstexpr\s+\w+\s+k[A-Z]\w*\s*=", of.context.text) is not None
    diagonal, first = _counted(of)
    taken += [name for name in (diagonal, first) if name is not None]
    return _Names(
        tile=fresh_name(tree, "kTile" if is_camel_constant else "TILE"),
        diagonal=diagonal or free("d", "diagonal"),
        first=first or free(*(("first",) if len(of.loop.given) < _KEPT_PARAMETERS else ()), style.name("first", "tile")),
        thread=free("t", "tid", "lane"),
        row=free(*_first_names(style, wave.row.name)),
        column=free(*_first_names(style, wave.column.name)),
        step=free("step", "s"),
        at=free("c", "k", "at"),
        stored=free("r", "q", "line"),
        tiles={name: free("tile") if len(held) == 1 else free(style.name(name.rstrip("_"), "tile")) for name in held},
    )


def _first_names(style: Style, name: str) -> tuple[str, ...]:
    plain = style.name("first", name)
    return (f"{name}0", plain) if len(name) <= _SHORT else (plain, f"{name}0")


def _counted(of: WaveText) -> tuple[str | None, str | None]:
    """What the author calls the diagonal, and the first thing on it, where the kernel is passed both."""
    direct = of.loop.direct(of.context.tree)
    is_whole = len(of.loop.given) <= _KEPT_PARAMETERS
    first = next((name for name in of.loop.given if is_whole and name != direct and re.match(r"(?:first|start|lo|begin)", name)), None)
    return direct, first


def _given(of: WaveText) -> tuple[int, ...]:
    """The places of the diagonal's and the first tile's arguments; they are the same where the second one is new."""
    places = [n for n, p in enumerate(of.wave.function.parameters) if p.name in of.loop.given]
    direct, first = _counted(of)
    order = [p.name for p in of.wave.function.parameters]
    at = order.index(direct) if direct is not None else next((n for n in places if order[n] != first), places[0])
    others = [n for n in places if n != at]
    return at, order.index(first) if first is not None and order.index(first) != at else next(iter(others), at)


def _parameters(of: WaveText, names: _Names) -> str:
    """The list, with the diagonal of tiles and its first tile in the place of what differed from launch to launch."""
    tree, function = of.context.tree, of.wave.function
    old = tree.text(function.parameter_list)
    diagonal, first = _given(of)
    declared = list[str]()
    for place, parameter in enumerate(function.parameters):
        if parameter.name not in of.loop.given:
            declared.append(tree.text(parameter.node))
        declared += [f"int {names.diagonal}"] if place == diagonal else []
        declared += [f"int {names.first}"] if place == first else []
    between, begin, end = re.search(r",(\s*\n\s*)", old), re.match(r"\(\s*", old), re.search(r"\s*\)$", old)
    assert begin is not None and end is not None, "a list of parameters has parentheses"
    if between is None:
        return f"{begin[0]}{', '.join(declared)}{end[0]}"
    lines, line = list[str](), ""
    for each in declared:
        is_last = bool(re.search(rf"{re.escape(each)}\s*,\s*\n", old))
        line = f"{line}, {each}" if line else each
        lines, line = ([*lines, line], "") if is_last else (lines, line)
    return f"{begin[0]}{f',{between[1]}'.join([*lines, *([line] if line else [])])}{end[0]}"


class _Kernel:
    """The lines of the new kernel's body."""

    def __init__(self, of: WaveText, names: _Names) -> None:
        self._of, self._names, self._wave = of, names, of.wave
        self._tree, self._style = of.context.tree, style_of(of.context)
        self._scope: Scope = scope_of(self._tree, of.context.kernel).fixed()
        self._held = [table for table in of.wave.tables if table.loads]

    def lines(self) -> list[str]:
        wave, names = self._wave, self._names
        border, walk, stores = list(self._border()), self._walk(), list(self._stores())
        used = words_in("\n".join((*border, *walk, *stores)))
        hoisted = [line for node in wave.work.hoisted if self._declared(node) & used for line in self._statement(node, ())]
        types = {p.name: p.type for p in wave.function.parameters}
        edge, wide = self._plus(names.tile, "1"), self._plus(names.tile, "2")
        shared = [f"__shared__ {types[t.pointer]} {names.tiles[t.pointer]}[{edge}][{wide}];" for t in self._held]
        qualifier = "const " if wave.row.is_const else ""
        before = f"{self._minus(names.diagonal, names.first)}{self._style.space}-{self._style.space}blockIdx.x"
        starts = [
            f"{qualifier}int {names.thread} = threadIdx.x;",
            self._start(wave.row, names.row, wave.rows.first, self._plus(names.first, "blockIdx.x")),
            self._start(wave.column, names.column, wave.columns.first, before),
            f"{qualifier}{wave.row.type} {wave.row.name} = {self._plus(names.row, names.thread)};",
        ]
        said = "// what the tiles above and to the left have stored next to this one"
        return [*shared, *hoisted, *starts, "", said, *border, _BARRIER, "", *walk, "", *stores]

    def _start(self, of: Variable, name: str, first: int, tiles: str) -> str:
        """The first row or column of the block's tile."""
        space, qualifier = self._style.space, "const " if of.is_const else ""
        start = f"({tiles}){space}*{space}{self._names.tile}"
        return f"{qualifier}{of.type} {name} = {self._plus(str(first), start) if first else start};"

    def _border(self) -> Iterator[str]:
        """The loads of the row above the tile, the column to the left of it, and the corner."""
        wave, names = self._wave, self._names
        t, row, column = names.thread, names.row, names.column
        beside = [x for x in self._held if any(offset[1] < 0 for offset in x.loads)]
        above = [x for x in self._held if any(offset[0] < 0 for offset in x.loads)]
        corner = [x for x in self._held if (-1, -1) in x.loads]
        is_below = () if wave.rows.has_border else (f"{row} > {wave.rows.first}",)
        is_right = () if wave.columns.has_border else (f"{column} > {wave.columns.first}",)
        on, left, top = self._plus(column, t), self._minus(column, "1"), self._minus(row, "1")
        loads = (
            (beside, (self._within(wave.row.name, wave.rows), *is_right), (self._plus(t, "1"), "0"), (wave.row.name, left)),
            (above, (self._within(on, wave.columns), *is_below), ("0", self._plus(t, "1")), (top, on)),
            (corner, (f"{t} == 0", *is_below, *is_right), ("0", "0"), (top, left)),
        )
        for tables, asked, held, place in loads:
            moves = [f"{self._held_at(x, *held)} = {self._element(x, *place)};" for x in tables]
            yield from self._style.headed(f"if ({' && '.join(asked)})", moves) if moves else ()

    def _walk(self) -> list[str]:
        """The diagonals of the tile."""
        wave, names, space = self._wave, self._names, self._style.space
        head = f"for (int {names.step} = 0; {names.step} < 2{space}*{space}{names.tile}{space}-{space}1; {names.step}++)"
        qualifier = "const " if wave.column.is_const else ""
        asked = (
            f"{names.at} >= 0",
            f"{names.at} < {names.tile}",
            self._within(wave.row.name, wave.rows),
            self._within(wave.column.name, wave.columns),
        )
        inner = [
            f"{'const ' if wave.row.is_const else ''}int {names.at} = {self._minus(names.step, names.thread)};",
            f"{qualifier}{wave.column.type} {wave.column.name} = {self._plus(names.column, names.at)};",
            *self._style.opened(f"if ({' && '.join(asked)})"),
            *(self._style.indent + line for line in self._work()),
            "}",
            _BARRIER,
        ]
        return [*self._style.opened(head), *(self._style.indent + line for line in inner), "}"]

    def _work(self) -> list[str]:
        edits = [edit for table in self._held for edit in self._uses(table)]
        lines = {node: self._statement(node, edits) for node in self._wave.work.statements}
        for node in reversed(self._wave.work.statements):
            others = words_in("\n".join(line for other, each in lines.items() if other != node for line in each))
            is_idle = node.type == "declaration" and not any(self._tree.find("call_expression", inside=node))
            if is_idle and not self._declared(node) & others:
                lines[node] = []
        return [line for each in lines.values() for line in each]

    def _uses(self, table: WaveTable) -> Iterator[TextEdit]:
        t, at = self._names.thread, self._names.at
        for access, (down, right) in table.accesses:
            row, column = (name if back else self._plus(name, "1") for name, back in ((t, down), (at, right)))
            yield TextEdit(self._tree.span(access.node), self._held_at(table, row, column))

    def _stores(self) -> Iterator[str]:
        """The tile goes back row by row, so that neighbouring threads store neighbouring elements."""
        wave, names = self._wave, self._names
        t, r = names.thread, names.stored
        column, row = self._plus(names.column, t), self._plus(names.row, r)
        held = (self._plus(r, "1"), self._plus(t, "1"))
        moves = [f"{self._element(table, row, column)} = {self._held_at(table, *held)};" for table in self._held]
        head = f"for (int {r} = 0; {r} < {names.tile} && {self._within(row, wave.rows)}; {r}++)"
        yield f"if ({self._within(column, wave.columns)})"
        yield from (self._style.indent + line for line in self._style.headed(head, moves))

    def _statement(self, node: Node, edits: Sequence[TextEdit]) -> list[str]:
        """Its lines, with the comments that belong to it."""
        text, span = self._of.context.text, self._tree.span(node)
        above, behind = comments_of(self._tree, node)
        piece = text[span.start : span.end]
        for edit in sorted((e for e in edits if span.contains(e.span)), reverse=True):
            piece = piece[: edit.span.start - span.start] + edit.new_text + piece[edit.span.end - span.start :]
        line = text.rfind("\n", 0, span.start) + 1
        indent = re.match(r"[ \t]*", text[line:])
        lines = dedented(f"{'' if indent is None else indent[0]}{piece}{behind}", is_opened=True)
        return [*(part.strip() for comment in above for part in comment.splitlines()), *lines]

    def _declared(self, node: Node) -> frozenset[str]:
        return frozenset(self._tree.text(n) for n in self._tree.find("identifier", inside=node) if _is_declared(n))

    def _held_at(self, table: WaveTable, row: str, column: str) -> str:
        return f"{self._names.tiles[table.pointer]}[{row}][{column}]"

    def _element(self, table: WaveTable, row: str, column: str) -> str:
        """The table's element at a row and a column, by the author's index."""
        places = {self._wave.row.name: row, self._wave.column.name: column}
        return f"{table.pointer}[{self._placed(unparenthesized(table.index), places)}]"

    def _placed(self, node: Node, places: Mapping[str, str]) -> str:
        """An expression at other places; locals that are made of the place are written out."""
        span, text = self._tree.span(node), self._tree.text(node)
        for leaf in sorted(self._tree.find("identifier", inside=node), key=lambda n: -n.start_byte):
            name = self._tree.text(leaf)
            value = None if name in places else self._scope.definition(name)
            is_made = value is not None and self._is_made(value, places)
            new = places.get(name) or (self._placed(value, places) if is_made and value is not None else name)
            start = self._tree.span(leaf).start - span.start
            is_whole = leaf == node or _stands_alone(leaf) or re.fullmatch(r"\w+", new) is not None
            text = f"{text[:start]}{new if is_whole else f'({new})'}{text[start + len(name) :]}"
        return text

    def _is_made(self, value: Node, places: Mapping[str, str]) -> bool:
        """Of the row or the column, or of a local that is."""
        names = names_in(self._tree, value)
        values = (self._scope.definition(name) for name in names)
        return bool(names & places.keys()) or any(self._is_made(each, places) for each in values if each is not None)

    def _within(self, place: str, extent: Extent) -> str:
        if extent.beyond == -1:
            return f"{place} < {extent.last}"
        added = "" if extent.beyond == 0 else f"{extent.beyond:+d}".replace("+", " + ").replace("-", " - ")
        return f"{place} <= {extent.last}{added}"

    def _plus(self, left: str, right: str) -> str:
        return self._style.sum(left, right)

    def _minus(self, left: str, right: str) -> str:
        return f"{left}{self._style.space}-{self._style.space}{right}"


def _is_declared(name: Node) -> bool:
    parent = name.parent
    return parent is not None and parent.child_by_field_name("declarator") == name


def _stands_alone(leaf: Node) -> bool:
    """A sum needs no parentheses in its place."""
    parent = leaf.parent
    parts = None if parent is None else binary_parts(parent)
    if parent is None or parent.type in _OPEN:
        return True
    return parts is not None and (parts[0] == "+" or (parts[0] == "-" and parts[1] == leaf))
