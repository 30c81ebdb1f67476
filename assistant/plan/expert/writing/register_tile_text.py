"""The text of a kernel whose threads compute several elements each, from tiles that the block loads together.

Example::

    edits = register_tile_edits(context, RegisterTile(kernel, loads, per_row=4, per_column=4, …))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from assistant.cuda.syntax import Node
from assistant.cuda.variables import Variable
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.added_products import adds_product
from assistant.plan.expert.analysis.element_kernel import ElementKernel, Position
from assistant.plan.expert.analysis.staged_loads import StagedLoad
from assistant.plan.expert.analysis.whole_tiles import has_whole_tiles
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.element_text import ElementText, contains
from assistant.plan.expert.writing.launch_bounds import launch_bounds
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


class _Writer(ElementText):
    """Writes one kernel; holds the names that it chose."""

    def __init__(self, context: TransformationContext, tile: RegisterTile) -> None:
        super().__init__(context, tile.kernel, tile.loads, {axis: tile.extent(axis) for axis in "xy"})
        self._tile = tile
        self._row, self._column = self._free("i", "r"), self._free("j", "c")
        self._thread, self._slot = self._free("thread", "lane"), self._free("e", "slot")
        self._start, self._inner = self._free("start", "first"), self._free("p", "step")
        self._length = self._free("length", "count")
        self._tiles = {load.key(self._tree): self._free(*self._names(load, "tile")) for load in self._distinct}
        self._registers = {load.key(self._tree): self._free(*self._names(load, "reg")) for load in self._distinct}

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

    def _initial(self, value: Variable) -> str:
        return " = {}" if value.value is None or self._starts_at_zero(value) else ""

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

    def _replaced(self, node: Node, loads: tuple[StagedLoad, ...]) -> str:
        """The text with each staged load read from a register, and each value that of the thread's element."""
        edits = {self._tree.span(load.node): self._register(load) for load in loads if contains(node, load.node)}
        return self._with_values(node, edits, {value.name: self._element(value.name) for value in self._kernel.locals.values})

    def _register(self, load: StagedLoad) -> str:
        name, index = self._registers[load.key(self._tree)], self._row if load.axis == "y" else self._column
        return f"{name}[{index}]" if self._tile.factors[load.axis] > 1 else name

    def _element(self, name: str) -> str:
        indices = ((self._row, "y"), (self._column, "x"))
        return name + "".join(f"[{index}]" for index, axis in indices if self._tile.factors[axis] > 1)

    @cached_property
    def _distinct(self) -> tuple[StagedLoad, ...]:
        return tuple({load.key(self._tree): load for load in self._tile.loads}.values())

    def _names(self, load: StagedLoad, kind: str) -> tuple[str, ...]:
        """Names for what holds a load's elements, the shortest first; one that says row or column where a matrix has both."""
        base = load.base.lower() if len(load.base) == 1 else load.base.rstrip("_")
        position = self._kernel.locals.position(load.axis).name
        is_only = sum(each.base == load.base for each in self._distinct) == 1
        both = self._style.name(base, position, kind)
        return (self._style.name(base, kind), both) if is_only else (both,)
