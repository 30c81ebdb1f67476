"""The text of a loop over items that a block brings to shared memory together, tile by tile.

Knows nothing of whether a tile is right or pays; ``tiled_pairs`` decides that.

Example::

    edits = item_tile_edits(context, found, block, opened)     # one edit over the loop
    tiles_of(context, found.parts)                             # (ItemTile("b_tile", "float4", …),)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.files import line_end
from assistant.cuda.names import fresh_name, mentions
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.common_items import ItemLoop, Part
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import body_lines, indentation, with_pragmas, zero_of
from assistant.plan.expert.writing.opened_bounds import OpenedBounds
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.plan.expert.writing.warp_count import thread_count
from assistant.record import Record

__all__ = ["ItemTile", "bytes_of_item", "item_tile_edits", "tiles_of"]

_JOINED = {"float": 4, "double": 2}
"""Values of a type that one access of 16 bytes moves."""
_PADDED = 3
"""Values that get a fourth next to them, as a load of 12 bytes is three."""
_MEMBERS = "xyzw"


class ItemTile(Record):
    """An array in shared memory, with an element for each item."""

    name: str
    type: str
    parts: tuple[Part, ...]
    """What its elements hold: the members x, y, … of a vector, where there are several."""
    is_joined: bool

    @property
    def vector_length(self) -> int:
        return int(self.type[-1]) if self.is_joined else 1


def tiles_of(context: TransformationContext, parts: tuple[Part, ...]) -> tuple[ItemTile, ...]:
    """Floats of an item joined to vectors of up to 16 bytes, so that one load brings them; everything else by itself."""
    tiles: list[ItemTile] = []
    taken: set[str] = set()
    for kind, group in groupby(sorted(parts, key=lambda part: _kind(context, part)), key=lambda part: _kind(context, part)):
        every, most = list(group), _JOINED.get(kind, 1)
        for start in range(0, len(every), most):
            held = tuple(every[start : start + most])
            spelled = held[0].type if len(held) == 1 else f"{kind}{len(held) if len(held) != _PADDED else _PADDED + 1}"
            name = _name(context, held, taken)
            taken.add(name)
            tiles.append(ItemTile(name, spelled, held, len(held) > 1))
    return tuple(tiles)


def bytes_of_item(context: TransformationContext, tiles: tuple[ItemTile, ...]) -> int:
    """Of all tiles together."""
    return sum(element_size_bytes(context.tree.program, plain_type(context.tree, tile.type)) or 16 for tile in tiles)


def item_tile_edits(
    context: TransformationContext, found: ItemLoop, tiles: tuple[ItemTile, ...], block: Dim3, opened: OpenedBounds | None
) -> tuple[TextEdit, ...]:
    """One edit over the loop, whose bounds checks are open already where it has any."""
    start, span = context.tree.span(found.node).start, with_pragmas(context.tree, found.node)
    line, newline = context.text.rfind("\n", 0, span.start) + 1, line_end(context.text)
    is_alone = not context.text[line : span.start].strip()
    lines = _Lines(context, found, tiles, block, opened).all()
    indent = indentation(context.text, start)
    text = f"{newline}{indent}".join(lines)
    return (TextEdit(Span(line, span.end), f"{indent}{text}") if is_alone else TextEdit(span, text),)


class _Lines:
    """The loop's new lines, as they are where it begins."""

    def __init__(
        self, context: TransformationContext, found: ItemLoop, tiles: tuple[ItemTile, ...], block: Dim3, opened: OpenedBounds | None
    ) -> None:
        self._context, self._found, self._tiles, self._block, self._opened = context, found, tiles, block, opened
        self._style = style_of(context)
        self._start, self._item = fresh_name(context.tree, "tile"), fresh_name(context.tree, "item")
        self._end = fresh_name(context.tree, self._style.name("tile", "end"))
        self._kept = tuple((part, self._name_of_own(part)) for part in found.kept)
        self._count = thread_count(context, block.x) if block.y * block.z == 1 else str(block.count)
        self._thread = "threadIdx.x" if block.y == 1 else f"threadIdx.y * {block.x} + threadIdx.x"

    def all(self) -> list[str]:
        header, step, sign = self._found.header, self._style.indent, self._found.header.comparison
        count = f"{self._start} = {header.first}; {self._start} {sign} {header.bound}; {self._start} += {self._count}"
        head = f"for ({self._found.counter_type} {count})"
        inner = [*self._filling(), "__syncthreads();", *self._loop(), "__syncthreads();"]
        declared = [*self._registers(), *(f"__shared__ {tile.type} {tile.name}[{self._count}];" for tile in self._tiles)]
        return [*declared, *self._style.opened(head), *(step + line for line in inner), "}"]

    def _registers(self) -> Iterator[str]:
        """The thread's own elements, which it would load again in every iteration: the barriers keep compilers from doing this."""
        for part, name in self._kept:
            value = self._context.tree.text(part.loads[0])
            asked = "" if self._opened is None else f"{self._opened.flag} ? "
            otherwise = "" if self._opened is None else f" : {zero_of(self._context.tree, part.type)}"
            yield f"const {part.type} {name} = {asked}{value}{otherwise};"

    def _filling(self) -> Iterator[str]:
        """Each thread brings one item."""
        header = self._found.header
        yield f"const {self._found.counter_type} {self._item} = {self._style.sum(self._start, self._thread)};"
        stored = [f"{tile.name}[{self._thread}] = {self._value(tile)};" for tile in self._tiles]
        yield from self._style.headed(f"if ({self._item} {header.comparison} {header.bound})", stored)

    def _value(self, tile: ItemTile) -> str:
        values = [self._of_item(part) for part in tile.parts]
        if not tile.is_joined:
            return values[0]
        values += ["0.0f"] * (tile.vector_length - len(values))
        return f"make_{tile.type}({', '.join(values)})"

    def _of_item(self, part: Part) -> str:
        """The part's first load with the thread's item in place of the counter."""
        node, header = part.loads[0], self._found.header
        return _replaced(self._context, node, [(each, self._item) for each in mentions(self._context.tree, node, header.variable)])

    def _loop(self) -> list[str]:
        """The author's loop over one tile."""
        header, step = self._found.header, self._style.indent
        past = "" if header.comparison == "<" else " + 1"
        bound = f"{header.bound}{past}" if is_simple_term(header.bound) or not past else f"({header.bound}){past}"
        end = self._style.sum(self._start, self._count)
        first = f"const {self._found.counter_type} {self._end} = {self._smaller(end, bound)};"
        pragmas = self._pragmas()
        head = f"for ({self._found.counter_type} {header.variable} = {self._start}; {header.variable} < {self._end}; {self._update()})"
        loop = [*pragmas, *self._style.opened(head), *(step + line if line else line for line in self._body()), "}"]
        if self._opened is None:
            return [first, *loop]
        is_long = bool(pragmas)
        asked = self._style.opened(f"if ({self._opened.flag})") if is_long else (f"if ({self._opened.flag})",)
        return [first, *asked, *(step + line if line else line for line in loop), *(["}"] if is_long else [])]

    def _smaller(self, one: str, other: str) -> str:
        """``min`` where both have the counter's type, so that no overload is in question."""
        if self._is_of_counter_type():
            return f"min({one}, {other})"
        return f"{one} < {other} ? {one} : {other}"

    def _is_of_counter_type(self) -> bool:
        tree, bound = self._context.tree, self._found.header.bound_node
        if bound.type != "identifier" or self._found.header.comparison != "<" or self._found.counter_type != "int":
            return bound.type == "number_literal" and tree.text(bound).isdigit() and self._found.counter_type == "int"
        name = tree.text(bound)
        variable = self._found.function.parameter(name) or next(iter(locals_of(tree, self._found.function.body).get(name, ())), None)
        return variable is not None and variable.type == "int" and not variable.is_pointer

    def _update(self) -> str:
        update = self._found.node.child_by_field_name("update")
        return f"{self._found.header.variable}++" if update is None else self._context.tree.text(update)

    def _pragmas(self) -> list[str]:
        text, tree = self._context.text, self._context.tree
        before = text[with_pragmas(tree, self._found.node).start : tree.span(self._found.node).start]
        return [line.strip() for line in before.splitlines() if line.strip()]

    def _body(self) -> list[str]:
        """The author's statements, which read the tiles."""
        body = self._found.node.child_by_field_name("body")
        assert body is not None, "a counted loop has a body"
        kept = [TextEdit(self._context.tree.span(load), name) for part, name in self._kept for load in part.loads]
        return body_lines(self._context.tree, body, [*kept, *(edit for tile in self._tiles for edit in self._reads(tile))])

    def _name_of_own(self, part: Part) -> str:
        member = part.text.rsplit(".", 1)[1:] if part.text.rsplit(".", 1)[0].endswith("]") else []
        same = [each for each in self._found.kept if each.base == part.base and each.text.endswith(f".{member[0]}" if member else "]")]
        number = [] if len(same) == 1 else [str(same.index(part) + 1)]
        return fresh_name(self._context.tree, self._style.name("own", part.base.rstrip("_"), *member, *number))

    def _reads(self, tile: ItemTile) -> Iterator[TextEdit]:
        place = f"{tile.name}[{self._found.header.variable} - {self._start}]"
        for part, member in zip(tile.parts, _MEMBERS, strict=False):
            for load in part.loads:
                yield TextEdit(self._context.tree.span(load), f"{place}.{member}" if tile.is_joined else place)


def _replaced(context: TransformationContext, node: Node, places: list[tuple[Node, str]]) -> str:
    """The node's text with others in the place of some of its nodes."""
    start, text = context.tree.span(node).start, context.tree.text(node)
    for place, new in reversed(places):
        at = context.tree.span(place)
        text = text[: at.start - start] + new + text[at.end - start :]
    return text


def _kind(context: TransformationContext, part: Part) -> str:
    return plain_type(context.tree, part.type)


def _name(context: TransformationContext, parts: tuple[Part, ...], taken: set[str]) -> str:
    """After the array, after the letters of several, else ``items``."""
    bases = list(dict.fromkeys(part.base.rstrip("_") for part in parts))
    joined = bases[0] if len(bases) == 1 else "".join(bases) if all(len(base) == 1 for base in bases) else "items"
    name = fresh_name(context.tree, style_of(context).name(joined.lower() if len(joined) == 1 else joined, "tile"))
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name}{number}"
    return wanted
