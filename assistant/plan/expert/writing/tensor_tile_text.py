"""The text of a kernel whose warps multiply tiles of doubles with tensor cores.

The products are inline PTX: nvcuda::wmma has 8 x 8 x 4 only, which is half of sm_90's rate (`assistant/measure/calibration.py`). Which lane
holds which element: PTX ISA 9.0, "Matrix Fragments for mma.m8n8k4 with .f64 floating point type" and "… mma.m16n8k4 …". Lane l has of a
tile's row l / 4 column l % 4, of the other tile's column l / 4 row l % 4, of the sums row l / 4 and columns l % 4 * 2 and the next; with 16
rows also those 8 rows further down.

Example::

    edits = tensor_tile_edits(context, TensorTile(kernel, product_sum, block, {"x": 64, "y": 64}, depth=16, rows="y", piece_rows=16))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assistant.cuda.syntax import Node
from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.element_kernel import ElementKernel
from assistant.plan.expert.analysis.products_of_sides import ProductSum, Side
from assistant.plan.expert.analysis.whole_tiles import has_whole_tiles
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.element_text import ElementText
from assistant.plan.expert.writing.style import is_simple_term
from assistant.record import Record

__all__ = ["TensorTile", "side_bytes", "tensor_tile_edits"]

_PADDING = 4
"""Doubles added to the rows of a tile, which are 8, 16 or a multiple of 64 doubles long. 16 lanes read 4 x 4 elements at once: 8 bytes a
lane, half of a warp in a pass over 32 banks of 4 bytes. Rows that are 4 or 12 doubles longer than a multiple of 16 put these into different
banks, whichever of the two directions a tile has (CUDA C++ Programming Guide, "Shared Memory", compute capability 5.x and later)."""
_WARP_EXTENT = 32
"""Rows and columns of a warp's sums: 32 doubles a lane, and two reads from a tile for each four products."""
_PIECE_COLUMNS, _PIECE_DEPTH = 8, 4


class TensorTile(Record):
    """All that the new text is made of."""

    kernel: ElementKernel
    sum: ProductSum
    block: Dim3
    extents: Mapping[str, int]
    """Elements of a block along ``x`` and ``y``, multiples of 32."""
    depth: int
    """Iterations of the loop for which a tile holds elements."""
    rows: str
    """The axis whose neighbours lie far apart where the result is stored: lanes next to each other differ along the other one."""
    piece_rows: int
    """Rows of one product: 8 on sm_80, 16 on sm_90."""
    loads_ahead: bool = False
    """A tile is on its way into registers while the one before is multiplied."""

    @property
    def columns(self) -> str:
        return "x" if self.rows == "y" else "y"


def side_bytes(extent: int, depth: int, *, walks_along_loop: bool) -> int:
    """Shared memory of one side's tile."""
    rows, length = (extent, depth) if walks_along_loop else (depth, extent)
    return rows * (length + _PADDING) * 8


def tensor_tile_edits(context: TransformationContext, tile: TensorTile) -> tuple[TextEdit, ...]:
    """One edit over the kernel's statements."""
    body = context.tree.span(tile.kernel.function.body)
    return (TextEdit(Span(body.start + 1, body.end - 1), _Writer(context, tile).kernel()),)


class _Writer(ElementText):
    """Writes one kernel; holds the names that it chose."""

    def __init__(self, context: TransformationContext, tile: TensorTile) -> None:
        super().__init__(context, tile.kernel, tuple(side.load for product in tile.sum.products for side in product), tile.extents)
        self._tile = tile
        self._row, self._column, self._slot = self._free("i", "r"), self._free("j", "c"), self._free("e", "slot")
        self._thread, self._lane = self._free("thread", "flat"), self._free("lane", "lane_index")
        self._start, self._inner = self._free("start", "first"), self._free("p", "step")
        self._first = {axis: self._free(self._style.name("warp", self._kernel.locals.position(axis).name)) for axis in "yx"}
        self._sums = tuple(sorted(product, key=lambda side: side.axis != tile.rows) for product in tile.sum.products)
        self._sides = {(side.axis, side.text): side for product in self._sums for side in product}
        self._ahead = {key: self._free(*self._names(side, "next")) for key, side in self._sides.items()}
        self._tiles = {key: self._free(*self._names(side, "tile")) for key, side in self._sides.items()}
        self._registers = {key: self._free(*self._names(side, "reg")) for key, side in self._sides.items()}

    def kernel(self) -> str:
        """Everything between the braces of the kernel."""
        one = self._outer + self._step
        lines = [one + self._tree.text(statement) for statement in self._heading()]
        parts = (*self._whole_blocks_left_out(), *self._tile_declarations(), *self._sum_declaration(), *self._loop(), *self._stores())
        lines += [one + line for line in parts]
        return self._newline + self._newline.join(lines) + self._newline + self._outer

    @property
    def _piece_count(self) -> int:
        """Pieces of a warp's rows."""
        return _WARP_EXTENT // self._tile.piece_rows

    @property
    def _lane_sums(self) -> int:
        """Sums of a lane in one piece."""
        return self._tile.piece_rows // 4

    def _tile_declarations(self) -> list[str]:
        tile, found = self._tile, list[str]()
        for key, side in self._sides.items():
            rows, length = self.extent(side.axis), tile.depth
            if not side.load.walks_along_loop:
                rows, length = length, rows
            found.append(f"__shared__ double {self._tiles[key]}[{rows}][{length + _PADDING}];")
        flat = f"threadIdx.y * {tile.block.x} + threadIdx.x" if tile.block.y > 1 else "threadIdx.x"
        across = self.extent(tile.columns) // _WARP_EXTENT
        warp = f"{self._thread} / {across * 32} * {_WARP_EXTENT}"
        along = f"{self._thread} / 32 % {across} * {_WARP_EXTENT}"
        return [
            *found,
            f"const int {self._thread} = {flat};",
            f"const int {self._lane} = {self._thread} % 32;",
            f"const int {self._first[tile.rows]} = {warp}, {self._first[tile.columns]} = {along};",
        ]

    def _sum_declaration(self) -> list[str]:
        name, tile = self._tile.sum.name, self._tile
        size = f"[{self._piece_count}][{_WARP_EXTENT // _PIECE_COLUMNS}][{self._lane_sums}]"
        value = next(each for each in self._kernel.locals.values if each.name == name)
        rows = f"{self._lane} / 4" + (" and + 8" if tile.piece_rows == 16 else "")
        lines = [
            f"// a lane's sums of {tile.piece_rows} x 8: rows {rows}, columns {self._lane} % 4 * 2 and + 1",
            f"double {name}{size} = {{}};{self._remark(value)}",
        ]
        if value.value is None or self._starts_at_zero(value):
            return lines
        start = f"{self._element} = {self._with_values(value.value, {}, {})};"
        return [*lines, *self._each_element([start], [value.value], self._kernel.guard.inside)]

    @property
    def _element(self) -> str:
        return f"{self._tile.sum.name}[{self._row}][{self._column}][{self._slot}]"

    def _loop(self) -> list[str]:
        header, depth, step = self._kernel.header, self._tile.depth, self._step
        ahead = self._tile.loads_ahead
        bound = header.bound if not ahead or is_simple_term(header.bound) else f"({header.bound})"
        goes_on = f"{self._start} {header.comparison} {bound}" + (f" + {depth}" if ahead else "")
        if self._kernel.triangles and self._has_others:
            goes_on = f"{self._busy} && {goes_on}"
        loads = [line for key in self._sides for line in self._loading(key)]
        inner = [*loads, "__syncthreads();", *self._products(), "__syncthreads();"]
        if ahead:
            before = [f"if ({self._start} > {header.first}) {{", *(step + line for line in self._products()), "}"]
            stores = [line for key in self._sides for line in self._storing(key)]
            inner = [*loads, *before, "__syncthreads();", *stores, "__syncthreads();"]
        head = f"for ({self._counter_type()} {self._start} = {header.first}; {goes_on}; {self._start} += {depth}) {{"
        said = ["// each round loads a tile while it multiplies the one before; the last round only multiplies"] if ahead else []
        return [*said, head, *(step + line for line in inner), "}"]

    def _loading(self, key: tuple[str, str]) -> list[str]:
        """The threads of the block load one tile together, neighbours next to neighbours; zeros where the matrix ends."""
        side, slot, header = self._sides[key], self._slot, self._kernel.header
        extent, position = self.extent(side.axis), self._kernel.locals.position(side.axis)
        first, second = self._own_place(side)
        across, along = (first, second) if side.load.walks_along_loop else (second, first)
        is_whole = not self._tile.loads_ahead and has_whole_tiles(self._context, header, self._tile.depth)
        ends = [] if is_whole else [f"{header.variable} {header.comparison} {header.bound}"]
        checks = " && ".join((*self._kernel.conditions(self._tree, side.axis), *ends))
        rows, step = self._rows_of(side)
        target = f"{self._ahead[key]}[{slot} / {step}]" if self._tile.loads_ahead else f"{self._tiles[key]}[{first}][{second}]"
        lines = [
            f"const {position.type} {position.name} = blockIdx.{side.axis} * {extent} + {across};",
            f"const {self._counter_type()} {header.variable} = {self._start} + {along};",
            *self._declarations(set(side.names)),
            f"{target} = {f'{checks} ? {side.text} : 0.0' if checks else side.text};",
        ]
        declared = [f"double {self._ahead[key]}[{rows // step}];"] if self._tile.loads_ahead else []
        head = f"for (int {slot} = 0; {slot} < {rows}; {slot} += {step}) {{"
        return [*declared, "#pragma unroll", head, *(self._step + line for line in lines), "}"]

    def _storing(self, key: tuple[str, str]) -> list[str]:
        """What a thread loaded goes to its places of the tile."""
        slot, (rows, step), (first, second) = self._slot, self._rows_of(self._sides[key]), self._own_place(self._sides[key])
        head = f"for (int {slot} = 0; {slot} < {rows}; {slot} += {step})"
        return ["#pragma unroll", head, f"{self._step}{self._tiles[key]}[{first}][{second}] = {self._ahead[key]}[{slot} / {step}];"]

    def _rows_of(self, side: Side) -> tuple[int, int]:
        """Rows of the side's tile, and of these so many as all threads together fill at once."""
        depth, extent = self._tile.depth, self.extent(side.axis)
        rows, length = (extent, depth) if side.load.walks_along_loop else (depth, extent)
        return rows, self._tile.block.count // length

    def _own_place(self, side: Side) -> tuple[str, str]:
        """Row and column of the element that a thread brings."""
        length = self._tile.depth if side.load.walks_along_loop else self.extent(side.axis)
        return f"{self._slot} + {self._thread} / {length}", f"{self._thread} % {length}"

    def _products(self) -> list[str]:
        """All products of a tile."""
        lines: list[str] = []
        for key, side in self._sides.items():
            lines += self._row_side(key, side) if side.axis == self._tile.rows else self._column_side(key, side)
        adding: list[str] = []
        for across, along in self._sums:
            adding += self._adding(self._registers[across.axis, across.text], self._registers[along.axis, along.text])
        lines += self._unrolled(self._row, self._piece_count, self._unrolled(self._column, _WARP_EXTENT // _PIECE_COLUMNS, adding))
        head = f"for (int {self._inner} = 0; {self._inner} < {self._tile.depth}; {self._inner} += {_PIECE_DEPTH}) {{"
        return ["#pragma unroll", head, *(self._step + line for line in lines), "}"]

    def _row_side(self, key: tuple[str, str], side: Side) -> list[str]:
        rows, index = self._tile.piece_rows, self._row
        place = f"{self._first[side.axis]} + {index} * {rows} + {self._lane} / 4"
        name = self._registers[key]
        if rows == 8:
            read = [f"{name}[{index}] = {self._tile_element(key, side, place)};"]
            return [f"double {name}[{self._piece_count}];", *self._unrolled(index, self._piece_count, read)]
        read = [f"{name}[{index}][{half}] = {self._tile_element(key, side, place + ' + 8' * half)};" for half in range(2)]
        return [f"double {name}[{self._piece_count}][2];", *self._unrolled(index, self._piece_count, read)]

    def _column_side(self, key: tuple[str, str], side: Side) -> list[str]:
        count, name = _WARP_EXTENT // _PIECE_COLUMNS, self._registers[key]
        place = f"{self._first[side.axis]} + {self._column} * {_PIECE_COLUMNS} + {self._lane} / 4"
        read = [f"{name}[{self._column}] = {self._tile_element(key, side, place)};"]
        return [f"double {name}[{count}];", *self._unrolled(self._column, count, read)]

    def _tile_element(self, key: tuple[str, str], side: Side, place: str) -> str:
        step = f"{self._inner} + {self._lane} % 4"
        first, second = (place, step) if side.load.walks_along_loop else (step, place)
        return f"{self._tiles[key]}[{first}][{second}]"

    def _adding(self, across: str, along: str) -> list[str]:
        """The instruction for one piece, whose sums are read and written."""
        rows, sums, step = self._tile.piece_rows, self._lane_sums, self._step
        listed = ", ".join(f"%{number}" for number in range(sums))
        parts = [f"{across}[{self._row}][{half}]" for half in range(2)] if rows == 16 else [f"{across}[{self._row}]"]
        given = ", ".join(f"%{sums + number}" for number in range(len(parts)))
        written = ", ".join(f'"+d"({self._tile.sum.name}[{self._row}][{self._column}][{number}])' for number in range(sums))
        read = ", ".join(f'"d"({text})' for text in (*parts, f"{along}[{self._column}]"))
        instruction = (
            f"mma.sync.aligned.m{rows}n8k4.row.col.f64.f64.f64.f64 {{{listed}}}, {{{given}}}, {{%{sums + len(parts)}}}, {{{listed}}};"
        )
        return [f'asm volatile("{instruction}"', f"{step}: {written}", f"{step}: {read});"]

    def _stores(self) -> list[str]:
        guard, after = self._kernel.guard, self._kernel.after
        element = {self._tile.sum.name: self._element}
        early = [self._with_values(statement, {}, element) for statement in guard.stores]
        others = [value for value in self._kernel.locals.values if value.name != self._tile.sum.name]
        declared = [f"{each.type} {each.name} = {self._tree.text(each.value)};" for each in others if each.value is not None]
        declared += [f"{each.type} {each.name};" for each in others if each.value is None]
        lines = [*declared, *(self._with_values(statement, {}, element) for statement in after)]
        uses = (*guard.stores, *after, *(each.value for each in others if each.value is not None))
        if guard.early is None:
            return self._each_element([*early, *lines], uses, guard.inside)
        inner = " && ".join(text for _, text in guard.conditions[len(guard.early.conditions) :])
        behind = [f"if ({inner}) {{", *(self._step + line for line in lines), "}"]
        return self._each_element([*early, *behind], uses, guard.early.inside)

    def _each_element(self, lines: list[str], uses: Iterable[Node], inside: str) -> list[str]:
        """``lines`` for every element of the lane that is ``inside``, with what they need of its position."""
        nodes, tile, one = list(uses), self._tile, self._step
        half = f" + {self._slot} / 2 * 8" if tile.piece_rows == 16 else ""
        places = {
            tile.rows: f"{self._row} * {tile.piece_rows} + {self._lane} / 4{half}",
            tile.columns: f"{self._column} * {_PIECE_COLUMNS} + {self._lane} % 4 * 2 + {self._slot} % 2",
        }
        inner: list[str] = []
        for axis in (tile.rows, tile.columns):
            position = self._kernel.locals.position(axis)
            first = f"blockIdx.{axis} * {self.extent(axis)} + {self._first[axis]}"
            inner.append(f"const {position.type} {position.name} = {first} + {places[axis]};")
        inner += [*self._derived(nodes), f"if ({inside}) {{", *(one + line for line in lines), "}"]
        each = self._unrolled(self._column, _WARP_EXTENT // _PIECE_COLUMNS, self._unrolled(self._slot, self._lane_sums, inner))
        return self._unrolled(self._row, self._piece_count, each)

    def _unrolled(self, index: str, count: int, lines: list[str]) -> list[str]:
        head = f"for (int {index} = 0; {index} < {count}; ++{index})"
        if len(lines) == 1:
            return ["#pragma unroll", head, self._step + lines[0]]
        return ["#pragma unroll", head + " {", *(self._step + line for line in lines), "}"]

    def _names(self, side: Side, kind: str) -> tuple[str, ...]:
        """Names for what holds a side's elements, the shortest first; one that says row or column where a matrix has both."""
        base = side.load.base.lower() if len(side.load.base) == 1 else side.load.base.rstrip("_")
        position = self._kernel.locals.position(side.axis).name
        is_only = sum(each.load.base == side.load.base for each in self._sides.values()) == 1
        both = self._style.name(base, position, kind)
        return (self._style.name(base, kind), both) if is_only else (both,)
