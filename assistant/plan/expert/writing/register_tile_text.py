"""The text of a kernel whose threads compute several elements each, from tiles that the block loads together.

Example::

    edits = register_tile_edits(context, RegisterTile(kernel, loads, per_row=4, per_column=4, …))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from assistant.cuda.files import line_end
from assistant.cuda.macros import conditional_macros
from assistant.cuda.names import names_in, words_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.added_products import adds_product
from assistant.plan.expert.analysis.element_kernel import ElementKernel, Position
from assistant.plan.expert.analysis.staged_loads import StagedLoad
from assistant.plan.expert.analysis.whole_tiles import has_whole_tiles
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.launch_bounds import launch_bounds
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.tile_filling import FillingNames, TileFilling
from assistant.record import Record

__all__ = ["RegisterTile", "register_tile_edits"]

_PADDING = 4
"""Elements added to the rows of a tile that is filled along the loop: rows stay aligned to 16 bytes, and the threads that fill a column
spread over the banks (CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks")."""


_STRETCH_BYTES = 16
"""Of neighbouring elements that a thread computes: the widest load."""


class RegisterTile(Record):
    """All that the new text is made of."""

    kernel: ElementKernel
    loads: tuple[StagedLoad, ...]
    block: Dim3
    factors: Mapping[str, int]
    """Elements that a thread computes along ``x`` and ``y``."""
    depth: int
    """Iterations of the loop for which a tile holds elements."""
    element_bytes: int = 4
    """Of the widest tile."""
    loads_ahead: bool = False
    """Each thread loads its elements of the next tile while the block works on this one."""

    @property
    def stretch(self) -> int:
        """Neighbouring elements that a thread computes before it goes on to the next stretch."""
        return min(4, _STRETCH_BYTES // self.element_bytes)

    def extent(self, axis: str) -> int:
        """Elements of a block along an axis."""
        return self.factors[axis] * {"x": self.block.x, "y": self.block.y}[axis]


def register_tile_edits(context: TransformationContext, tile: RegisterTile) -> tuple[TextEdit, ...]:
    """One edit over the kernel's statements, and for large blocks one that says how large they are."""
    body = context.tree.span(tile.kernel.function.body)
    text = _Writer(context, tile).kernel()
    return (*launch_bounds(context, tile.block), TextEdit(Span(body.start + 1, body.end - 1), text))


class _Writer:
    """Writes one kernel; holds the names that it chose."""

    def __init__(self, context: TransformationContext, tile: RegisterTile) -> None:
        self._context, self._tree, self._tile, self._kernel = context, context.tree, tile, tile.kernel
        self._newline = line_end(context.text)
        self._outer = indentation(context.text, context.kernel.span.start)
        style = style_of(context)
        self._step, self._style = style.indent, style
        self._taken = set(words_in(context.text[context.kernel.span.start : context.kernel.span.end])) | set(
            conditional_macros(context.tree)
        )
        self._row, self._column = self._free("i", "r"), self._free("j", "c")
        self._thread, self._slot = self._free("thread", "lane"), self._free("e", "slot")
        self._start, self._inner = self._free("start", "first"), self._free("p", "step")
        self._length, self._busy = self._free("length", "count"), self._free(style.name("has", "elements"), "is_busy")
        self._tiles = {load.key(self._tree): self._free(*self._names(load, "tile")) for load in self._distinct}
        self._registers = {load.key(self._tree): self._free(*self._names(load, "reg")) for load in self._distinct}

    @cached_property
    def _distinct(self) -> tuple[StagedLoad, ...]:
        return tuple({load.key(self._tree): load for load in self._tile.loads}.values())

    def kernel(self) -> str:
        """Everything between the braces of the kernel."""
        one = self._outer + self._step
        lines = [one + self._tree.text(statement) for statement in self._heading()]
        lines += [
            one + line
            for line in (
                *self._whole_blocks_left_out(),
                *self._tile_declarations(),
                *self._value_declarations(),
                *self._loop(),
                *self._stores(),
            )
        ]
        return self._newline + self._newline.join(lines) + self._newline + self._outer

    def _heading(self) -> list[Node]:
        """What stays above the tiles: declarations that all threads share, and comments on lines of their own."""
        body, loop = self._kernel.function.body, self._kernel.loop
        code_lines = {n.end_point[0] for n in self._tree.find("declaration", "if_statement", inside=body) if n.start_byte < loop.start_byte}
        comments = [n for n in self._tree.find("comment", inside=body) if n.start_byte < loop.start_byte]
        alone = [n for n in comments if n.start_point[0] not in code_lines]
        return sorted((*self._kernel.locals.shared, *alone), key=lambda node: node.start_byte)

    def _whole_blocks_left_out(self) -> list[str]:
        """Of a triangle: blocks without an element leave together, before the first barrier; where others have something to store, too,
        only those with an element go round the loop."""
        sides: list[tuple[str, str, str]] = []
        for triangle in self._kernel.triangles:
            low, high = self._tile.extent(triangle.low), self._tile.extent(triangle.high)
            sides.append((f"blockIdx.{triangle.low} * {low}", triangle.operator, f"blockIdx.{triangle.high} * {high} + {high - 1}"))
        if sides and self._has_others:
            return [f"const bool {self._busy} = {' && '.join(' '.join(each) for each in sides)};"]
        return [f"if ({first} {'>=' if operator == '<' else '>'} {last}) return;" for first, operator, last in sides]

    @property
    def _has_others(self) -> bool:
        """Something is stored for more elements than those of the loop."""
        return bool(self._kernel.guard.stores) and self._kernel.guard.early is not None

    def _remark(self, value: Variable) -> str:
        """The comment behind a declaration."""
        behind = value.node.next_named_sibling
        is_behind = behind is not None and behind.type == "comment" and behind.start_point[0] == value.node.end_point[0]
        return f"  {self._tree.text(behind)}" if behind is not None and is_behind else ""

    def _tile_declarations(self) -> list[str]:
        found: list[str] = []
        for load in self._distinct:
            length = self._tile.extent(load.axis) + (_PADDING if load.walks_along_loop else 0)
            found.append(f"__shared__ {load.type} {self._tiles[load.key(self._tree)]}[{self._tile.depth}][{length}];")
        flat = f"threadIdx.y * {self._tile.block.x} + threadIdx.x" if self._tile.block.y > 1 else "threadIdx.x"
        return [*found, f"const int {self._thread} = {flat};"]

    def _value_declarations(self) -> list[str]:
        factors, values = self._tile.factors, self._kernel.locals.values
        size = "".join(f"[{factors[axis]}]" for axis in "yx" if factors[axis] > 1)
        lines = [f"{value.type} {value.name}{size}{self._initial(value)};{self._remark(value)}" for value in values]
        for reads_memory in (False, True):
            first = [
                v.value
                for v in values
                if v.value is not None and not self._starts_at_zero(v) and self._reads_memory(v.value) == reads_memory
            ]
            names = [v.name for v in values if v.value in first]
            if first:
                sets = [f"{self._element(name)} = {self._replaced(value, ())};" for name, value in zip(names, first, strict=True)]
                lines += self._each_element(sets, first, is_guarded=reads_memory)
        return lines

    def _reads_memory(self, value: Node) -> bool:
        return any(self._tree.find("subscript_expression", "pointer_expression", "call_expression", inside=value))

    def _initial(self, value: Variable) -> str:
        return " = {}" if value.value is None or self._starts_at_zero(value) else ""

    def _starts_at_zero(self, value: Variable) -> bool:
        return value.value is not None and self._tree.text(value.value).rstrip("fF.0") == "" and "0" in self._tree.text(value.value)

    def _loop(self) -> list[str]:
        header, depth = self._kernel.header, self._tile.depth
        counter = self._counter_type()
        goes_on = f"{self._start} {header.comparison} {header.bound}"
        if self._kernel.triangles and self._has_others:
            goes_on = f"{self._busy} && {goes_on}"
        filling, loads = self._filling, self._distinct
        lines = filling.ahead(loads) if self._tile.loads_ahead else []
        lines.append(f"for ({counter} {self._start} = {header.first}; {goes_on}; {self._start} += {depth}) {{")
        fill, then = (filling.stored, [filling.loaded_next()]) if self._tile.loads_ahead else (filling.straight, [])
        inner = [line for load in loads for line in fill(load)]
        inner += ["__syncthreads();", *then, *self._sums(), "__syncthreads();"]
        return [*lines, *(self._step + line for line in inner), "}"]

    @cached_property
    def _filling(self) -> TileFilling:
        tile = self._tile
        ahead = {load.key(self._tree): self._free(*self._names(load, "next")) for load in self._distinct if tile.loads_ahead}
        turn, load_next = (self._free("l", "turn"), self._free(self._style.name("load", "next"))) if ahead else ("", "")
        return TileFilling(
            tree=self._tree,
            kernel=self._kernel,
            names=FillingNames(self._thread, self._slot, self._start, turn, load_next, self._tiles, ahead),
            depth=tile.depth,
            extents={axis: tile.extent(axis) for axis in "xy"},
            threads=tile.block.x * tile.block.y,
            counter_type=self._counter_type(),
            has_whole_tiles=self._has_whole_tiles,
            derived=self._derived,
            step=self._step,
        )

    def _sums(self) -> list[str]:
        """The iterations over a tile."""
        tile, tree, step = self._tile, self._tree, self._step
        lines: list[str] = []
        for axis, index in (("y", self._row), ("x", self._column)):
            loads = [load for load in self._distinct if load.axis == axis]
            if not loads:
                continue
            count = tile.factors[axis]
            read = [f"{self._tiles[load.key(tree)]}[{self._inner}][{self._offset(axis, index)}];" for load in loads]
            if count == 1:
                pairs = zip(loads, read, strict=True)
                lines += [f"const {load.type} {self._registers[load.key(tree)]} = {text}" for load, text in pairs]
                continue
            lines += [f"{load.type} {self._registers[load.key(tree)]}[{count}];" for load in loads]
            filled = [f"{self._registers[load.key(tree)]}[{index}] = {text}" for load, text in zip(loads, read, strict=True)]
            lines += self._unrolled(axis, index, filled)
        lines += self._each_element(self._body_lines(), self._statements(), is_guarded=False)
        counter = self._kernel.header.variable
        if counter in {name for node in self._statements() for name in self._names_beside_loads(node)}:
            lines.insert(0, f"const {self._counter_type()} {counter} = {self._start} + {self._inner};")
        is_whole = self._has_whole_tiles or self._adds_products()
        length = str(tile.depth) if is_whole else self._length
        loop = [f"for (int {self._inner} = 0; {self._inner} < {length}; ++{self._inner}) {{", *(step + line for line in lines), "}"]
        return ["#pragma unroll", *loop] if is_whole else [self._rest(), *loop]

    @property
    def _has_whole_tiles(self) -> bool:
        return has_whole_tiles(self._context, self._kernel.header, self._tile.depth)

    def _rest(self) -> str:
        """How many iterations the tile has elements for: fewer at the loop's end, where zeros would not be harmless."""
        header, depth = self._kernel.header, self._tile.depth
        rest = f"{header.bound} - {self._start}" + (" + 1" if header.comparison == "<=" else "")
        return f"const int {self._length} = min({depth}, {rest if self._counter_type() == 'int' else f'(int)({rest})'});"

    def _adds_products(self) -> bool:
        """Every statement of the loop adds a product with a factor that is zero behind the loop's end."""
        staged = tuple(load.node for load in self._tile.loads)
        return all(adds_product(self._tree, statement, staged) for statement in self._statements() if statement.type != "comment")

    def _body(self) -> Node:
        body = self._kernel.loop.child_by_field_name("body")
        assert body is not None, "a counted loop has a body"
        return body

    def _statements(self) -> list[Node]:
        body = self._body()
        return body.named_children if body.type == "compound_statement" else [body]

    def _body_lines(self) -> list[str]:
        return [self._replaced(statement, self._tile.loads) for statement in self._statements()]

    def _stores(self) -> list[str]:
        guard, after = self._kernel.guard, self._kernel.after
        early = [self._replaced(statement, ()) for statement in guard.stores]
        lines = [self._replaced(statement, ()) for statement in after]
        if guard.early is None:
            return self._each_element([*early, *lines], (*guard.stores, *after))
        inner = " && ".join(text for _, text in guard.conditions[len(guard.early.conditions) :])
        behind = [f"if ({inner}) {{", *(self._step + line for line in lines), "}"]
        return self._each_element([*early, *behind], (*guard.stores, *after), inside=guard.early.inside)

    def _each_element(self, lines: list[str], uses: Iterable[Node], is_guarded: bool = True, inside: str = "") -> list[str]:
        """``lines`` for every element of the thread, with what they need of its position; ``inside``: of another guard than the loop's."""
        nodes, tile, step = list(uses), self._tile, self._step
        derived = self._derived(nodes)
        needed = self._needed(nodes) | (self._guard_names() if is_guarded else frozenset[str]())
        inner = [*self._place(self._kernel.columns, self._column, needed), *derived]
        if is_guarded:
            inner += [f"if ({inside or self._kernel.guard.inside}) {{", *(step + line for line in lines), "}"]
        else:
            inner += lines
        row = self._place(self._kernel.rows, self._row, needed)
        if tile.factors["y"] == 1:
            return self._unrolled("x", self._column, [*row, *inner])
        return self._unrolled("y", self._row, [*row, *self._unrolled("x", self._column, inner)])

    def _unrolled(self, axis: str, index: str, lines: list[str]) -> list[str]:
        """``lines`` for each element of the thread along an axis; without a loop where it has one."""
        count = self._tile.factors[axis]
        if count == 1:
            return lines
        return ["#pragma unroll", f"for (int {index} = 0; {index} < {count}; ++{index}) {{", *(self._step + line for line in lines), "}"]

    def _place(self, position: Position, index: str, needed: frozenset[str]) -> list[str]:
        if position.name not in needed:
            return []
        axis = position.axis
        value = f"blockIdx.{axis} * {self._tile.extent(axis)} + {self._offset(axis, index)}"
        return [f"const {position.type} {position.name} = {value};"]

    def _offset(self, axis: str, index: str) -> str:
        """Where the thread's element ``index`` lies in the block: four floats next to each other, then four of the next stretch, so that
        threads read a tile in stretches of 16 bytes without bank conflicts."""
        count, size, stretch = self._tile.factors[axis], {"x": self._tile.block.x, "y": self._tile.block.y}[axis], self._tile.stretch
        if count <= stretch:
            return f"threadIdx.{axis} * {count} + {index}" if count > 1 else f"threadIdx.{axis}"
        return f"{index} / {stretch} * {stretch * size} + threadIdx.{axis} * {stretch} + {index} % {stretch}"

    def _needed(self, nodes: Iterable[Node]) -> frozenset[str]:
        """Names that ``nodes`` use outside of loads that were staged, those of derived locals followed."""
        names = {name for node in nodes for name in self._names_beside_loads(node)}
        for variable in reversed(self._kernel.locals.derived):
            if variable.name in names and variable.value is not None:
                names |= names_in(self._tree, variable.value)
        return frozenset(names)

    def _names_beside_loads(self, node: Node) -> frozenset[str]:
        skipped = [load.node for load in self._tile.loads] if self._is_in_loop(node) else []
        names = (n for n in self._tree.find("identifier", inside=node) if not any(_contains(load, n) for load in skipped))
        return frozenset(self._tree.text(n) for n in names)

    def _is_in_loop(self, node: Node) -> bool:
        return _contains(self._kernel.loop, node)

    def _guard_names(self) -> frozenset[str]:
        return self._needed([node for node, _ in self._kernel.guard.conditions])

    def _derived(self, nodes: list[Node]) -> list[str]:
        """Declarations of the derived locals that ``nodes`` use, in order; of loads, those inside the loads."""
        staged = {load.node.id for load in self._tile.loads}
        names = {n for node in nodes for n in (names_in(self._tree, node) if node.id in staged else self._names_beside_loads(node))}
        for variable in reversed(self._kernel.locals.derived):
            if variable.name in names and variable.value is not None:
                names |= names_in(self._tree, variable.value)
        return [_declaration(self._tree, v) for v in self._kernel.locals.derived if v.name in names]

    def _replaced(self, node: Node, loads: tuple[StagedLoad, ...]) -> str:
        """The text with each staged load read from a register, and each value that of the thread's element."""
        edits = {self._tree.span(load.node): self._register(load) for load in loads if _contains(node, load.node)}
        names = {value.name for value in self._kernel.locals.values}
        for name in self._tree.find("identifier", inside=node):
            if self._tree.text(name) in names:
                edits.setdefault(self._tree.span(name), self._element(self._tree.text(name)))
        offset, text = self._tree.span(node).start, self._tree.text(node)
        for span, new in sorted(edits.items(), key=lambda edit: edit[0].start, reverse=True):
            text = text[: span.start - offset] + new + text[span.end - offset :]
        return " ".join(line.strip() for line in text.splitlines()) if "//" not in text else text

    def _register(self, load: StagedLoad) -> str:
        name, index = self._registers[load.key(self._tree)], self._row if load.axis == "y" else self._column
        return f"{name}[{index}]" if self._tile.factors[load.axis] > 1 else name

    def _element(self, name: str) -> str:
        indices = ((self._row, "y"), (self._column, "x"))
        return name + "".join(f"[{index}]" for index, axis in indices if self._tile.factors[axis] > 1)

    def _counter_type(self) -> str:
        start = self._kernel.loop.child_by_field_name("initializer")
        kind = None if start is None else start.child_by_field_name("type")
        return "int" if kind is None else self._tree.text(kind)

    def _names(self, load: StagedLoad, kind: str) -> tuple[str, ...]:
        """Names for what holds a load's elements, the shortest first; one that says row or column where a matrix has both."""
        base = load.base.lower() if len(load.base) == 1 else load.base.rstrip("_")
        position = self._kernel.locals.position(load.axis).name
        is_only = sum(each.base == load.base for each in self._distinct) == 1
        both = self._style.name(base, position, kind)
        return (self._style.name(base, kind), both) if is_only else (both,)

    def _free(self, *wanted: str) -> str:
        """The first of ``wanted`` that the kernel does not use yet, else the last with a number."""
        name = next((w for w in wanted if w not in self._taken), None)
        number = 2
        while name is None:
            candidate = f"{wanted[-1]}{number}"
            name = candidate if candidate not in self._taken else None
            number += 1
        self._taken.add(name)
        return name


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _declaration(tree: SyntaxTree, variable: Variable) -> str:
    """A variable as the author wrote it where it stands alone."""
    declarators = variable.node.children_by_field_name("declarator")
    if len(declarators) == 1:
        return tree.text(variable.node)
    head = tree.source[tree.span(variable.node).start : tree.span(declarators[0]).start]
    return f"{head.strip()} {tree.text(variable.declarator)};"
