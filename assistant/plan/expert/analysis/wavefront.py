"""Kernels that fill one diagonal of a table in each launch: a thread has the cell of a row and a column, and looks at its three neighbours.

Which cells a launch fills is seen in trials with numbers; what the kernel does for a cell is read from its text.

Example::

    match wavefront(context, loop):
        case Wavefront(row=row, column=column): ...   # locals `i` and `j` of `score[i * w + j] = max(score[(i - 1) * w + j], …)`
        case Obstacle(reason=reason): ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.constants import constants_of
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.names import names_in, words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, node_text
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.cell_work import CellWork, cell_work, guards_of, place_names, stores_always
from assistant.plan.expert.analysis.diagonal_loop import DiagonalLoop, TrialLaunch
from assistant.plan.expert.analysis.filled_tables import filled_tables
from assistant.plan.expert.analysis.wavefront_trial import (
    Cell,
    CellRunner,
    Trial,
    crosses_rows,
    large_sizes,
    samples,
    small_sizes,
    trial_of,
)
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Extent", "WaveTable", "Wavefront", "wavefront"]

Offset = tuple[int, int]
"""Rows and columns from a thread's own cell."""

_NEIGHBOURS = frozenset({(-1, -1), (-1, 0), (0, -1)})
_BEYOND = (0, -1, 1, -2)
"""What is added to a size to get the last row or column."""
_SCALES = (1, 4, 16)
"""Of the sizes in trials."""
_LEAST_CELLS = 4
"""Of a table that shows where its rows are."""
_LEAST_EXTENT = 2
"""Rows and columns of a table that says something about its border."""


class Extent(Record):
    """The rows or the columns that are filled."""

    first: int
    last: str
    """A number that the kernel knows by this name."""
    beyond: int
    """What is added to it to get the last row or column."""
    has_border: bool
    """What lies before the first one is loaded."""


class WaveTable(Record):
    """An array that the kernel stores its cells to."""

    pointer: str
    index: Node
    """Of a store to the thread's own cell."""
    accesses: tuple[tuple[ArrayAccess, Offset], ...]

    @property
    def loads(self) -> frozenset[Offset]:
        """Where the neighbours are that the kernel loads."""
        return frozenset(offset for _, offset in self.accesses) & _NEIGHBOURS


class Wavefront(Record):
    """What the launches do together."""

    function: Function
    row: Variable
    column: Variable
    rows: Extent
    columns: Extent
    tables: tuple[WaveTable, ...]
    work: CellWork
    is_pitch_free: bool
    """Nothing of the text keeps a row of a table from reaching into the next one: how long rows are is passed, as a pitch."""


def wavefront(context: TransformationContext, loop: DiagonalLoop) -> Wavefront | Obstacle | None:
    """The cells and what is done for each, or why they could not be filled in another order; None of a kernel that fills no table."""
    tree, function = context.tree, enclosing_function(context.tree, context.body)
    tables = None if function is None else filled_tables(context, function)
    if function is None or tables is None or isinstance(tables, Obstacle):
        return None if isinstance(tables, tuple) else tables
    accesses = tuple(access for access in array_accesses(tree, context.body) if access.base in tables)
    names = place_names(context, loop)
    known = _trials(context, loop, accesses, names)
    if isinstance(known, Obstacle):
        return known
    pair = _row_and_column(context, known, accesses, names, tables[0])
    if pair is None:
        words = f"`{tables[0]}` would have to be stored row by row, at row * width + column, and row and column would have to be locals"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    offsets = _offsets(accesses, known, pair)
    rectangle = _unclear_guard(context, known[0], accesses) or _rectangle(context, known, pair)
    if isinstance(offsets, Obstacle) or rectangle is not None:
        return offsets if isinstance(offsets, Obstacle) else rectangle
    held = _wave_tables(accesses, tables, offsets)
    moved = [access.node for table in held if table.loads for access, _ in table.accesses]
    work = cell_work(context, loop, pair, accesses, moved)
    unfilled = (
        []
        if isinstance(work, Obstacle)
        else [_unfilled(context, table, work) or _index(context, loop, table, work, pair) for table in held]
    )
    rows, columns = (_extent(context, loop, known, offsets, axis, pair) for axis in (0, 1))
    for each in (work, *unfilled, rows, columns):
        if isinstance(each, Obstacle):
            return each
    assert isinstance(work, CellWork) and isinstance(rows, Extent) and isinstance(columns, Extent), "obstacles were met above"
    crossed = [crosses_rows(trial, accesses, offsets, pair) for trial in known]
    if all(crossed):
        words = f"rows of `{tables[0]}` would have to be longer than what is filled of them and looked at before it"
        return Obstacle(DeclineReason.ORDER_MATTERS, words)
    row, column = (locals_of(tree, function.body)[name][0] for name in pair)
    wave = Wavefront(function, row, column, rows, columns, held, work, any(crossed))
    return _unlike(context, loop, wave, accesses, known) or wave


def _trials(
    context: TransformationContext, loop: DiagonalLoop, accesses: Sequence[ArrayAccess], names: Sequence[str]
) -> tuple[Trial, ...] | Obstacle:
    """With small sizes, but such that there are some cells: a table may have a fourth of a constant as its width."""
    for scale in _SCALES:
        trials = [trial_of(context, loop, accesses, names, sizes) for sizes in small_sizes(context, loop, scale)]
        known = tuple(trial for trial in trials if trial is not None)
        if len(known) < len(trials):
            words = f"which cells each launch of {context.kernel.name} fills would have to follow from sizes and `{loop.variable}` alone"
            return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
        if all(len(trial.cells) >= _LEAST_CELLS for trial in known):
            return known
    words = f"the launches of {context.kernel.name} would have to have a thread for each cell, however small the table is"
    return Obstacle(DeclineReason.GRID_FORM, words)


def _row_and_column(
    context: TransformationContext, trials: Sequence[Trial], accesses: Sequence[ArrayAccess], names: Sequence[str], table: str
) -> tuple[str, str] | None:
    """Locals that say a cell's row and its column: those that the index is made of in fewest steps, else the first in the text."""
    index = next(access.indices[0] for access in accesses if access.base == table and access.kind is not Use.READ)
    steps = _steps_from(context, index)
    order = sorted(permutations(names, 2), key=lambda pair: sum(steps.get(name, len(names)) for name in pair))
    return next((pair for pair in order if all(_pitch(t, accesses, pair, table) for t in trials)), None)


def _steps_from(context: TransformationContext, index: Node) -> Mapping[str, int]:
    """By name, how many locals stand between an index and what they are made of."""
    scope, found, waiting = scope_of(context.tree, context.kernel).fixed(), dict[str, int](), [(index, 0)]
    while waiting:
        node, step = waiting.pop(0)
        for name in sorted(names_in(context.tree, node) - found.keys()):
            found[name] = step
            value = scope.definition(name)
            waiting += [] if value is None else [(value, step + 1)]
    return found


def _pitch(trial: Trial, accesses: Sequence[ArrayAccess], pair: tuple[str, str], table: str) -> int | None:
    """The elements from a row of the table to the next; None where the two locals are not a cell's row and column."""
    found, first = set[int](), dict[str, int]()
    for cell in trial.cells:
        own = _own(cell, accesses, table)
        if own is None or any(name not in cell.places for name in pair):
            return None
        place = {"row": cell.places[pair[0]], "column": cell.places[pair[1]], "at": own}
        first = first or place
        down, on = place["row"] - first["row"], place["at"] - first["at"] - (place["column"] - first["column"])
        if (down == 0 and on != 0) or (down != 0 and on % down != 0):
            return None
        found |= {on // down} if down else set()
    return found.pop() if len(found) == 1 and min(found) > 1 else None


def _own(cell: Cell, accesses: Sequence[ArrayAccess], table: str) -> int | None:
    """The element that a thread stores to."""
    found = {at for which, at in cell.touched.items() if accesses[which].base == table and accesses[which].kind is not Use.READ}
    return found.pop() if len(found) == 1 else None


def _offsets(accesses: Sequence[ArrayAccess], trials: Sequence[Trial], pair: tuple[str, str]) -> dict[int, Offset] | Obstacle:
    """Where each access lies, from the thread's own cell."""
    found = dict[int, Offset]()
    for which, access in enumerate(accesses):
        places = {_offset(trial, accesses, which, pair) for trial in trials} - {None}
        place = places.pop() if len(places) == 1 else None
        if place is None or (place not in _NEIGHBOURS and place != (0, 0)) or (place != (0, 0) and access.kind is not Use.READ):
            words = f"`{node_text(access.node)}` would have to be the thread's own cell, or one above it, left of it, or above left"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
        found[which] = place
    return found


def _wave_tables(accesses: Sequence[ArrayAccess], tables: Sequence[str], offsets: Mapping[int, Offset]) -> tuple[WaveTable, ...]:
    found = list[WaveTable]()
    for table in tables:
        placed = tuple((access, offsets[which]) for which, access in enumerate(accesses) if access.base == table)
        store = next(access for access, _ in placed if access.kind is not Use.READ)
        found.append(WaveTable(table, store.indices[0], placed))
    return tuple(found)


def _unclear_guard(context: TransformationContext, trial: Trial, accesses: Sequence[ArrayAccess]) -> Obstacle | None:
    """Why it is not known which cells are left out."""
    runner = CellRunner(context, accesses, (), trial.sizes)
    unknown = next((guard for guard in guards_of(context, accesses) if not runner.is_known(guard, trial.launches[0])), None)
    if unknown is None:
        return None
    words = f"whether a cell is filled would have to follow from its row and column: `{node_text(unknown)}` decides it, too"
    return Obstacle(DeclineReason.GUARD_FORM, words)


def _unfilled(context: TransformationContext, table: WaveTable, work: CellWork) -> Obstacle | None:
    """Why a thread might leave its cell as it was, or look at what it was."""
    if not table.loads:
        return None
    stores = [access.node for access, _ in table.accesses if access.kind is Use.WRITE]
    first = next((statement.end_byte for statement in work.statements if stores_always((statement,), stores)), None)
    looked = [a.node for a, offset in table.accesses if offset == (0, 0) and a.kind is not Use.WRITE]
    if first is None or any(node.start_byte < first for node in looked):
        words = f"{context.kernel.name} would have to store to its cell of `{table.pointer}` whatever the data are, without looking at it"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    return None


def _offset(trial: Trial, accesses: Sequence[ArrayAccess], which: int, pair: tuple[str, str]) -> Offset | None:
    """Where an access lies, from the thread's own cell; (9, 9) where that is not the same for all threads, None where none comes to it."""
    table, found = accesses[which].base, set[int]()
    pitch = _pitch(trial, accesses, pair, table)
    for cell in trial.cells:
        own = _own(cell, accesses, table)
        if which in cell.touched and own is not None:
            found.add(cell.touched[which] - own)
    if not found:
        return None
    places = {} if pitch is None else {0: (0, 0), -1: (0, -1), -pitch: (-1, 0), -pitch - 1: (-1, -1)}
    return places.get(next(iter(found)), (9, 9)) if len(found) == 1 else (9, 9)


def _rectangle(context: TransformationContext, trials: Sequence[Trial], pair: tuple[str, str]) -> Obstacle | None:
    """Why the launches do not fill a rectangle's diagonals one after the other, each cell once."""
    for trial in trials:
        cells = [(cell.places[pair[0]], cell.places[pair[1]]) for cell in trial.cells]
        sums = [(cell.launch, sum(place)) for cell, place in zip(trial.cells, cells, strict=True)]
        diagonal = dict(sums)
        if any(diagonal[launch] != each for launch, each in sums) or len(set(diagonal.values())) < len(diagonal):
            words = f"each launch of {context.kernel.name} would have to fill the cells of one diagonal, those with the same row + column"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
        if list(diagonal.values()) != sorted(diagonal.values()):
            return Obstacle(DeclineReason.ORDER_MATTERS, "the diagonals would have to be filled from the first row and column on")
        (top, left), (bottom, right) = (tuple(how(each[axis] for each in cells) for axis in (0, 1)) for how in (min, max))
        every = {(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)}
        if len(cells) != len(every) or set(cells) != every:
            words = f"the launches of {context.kernel.name} would have to fill every cell of a rectangle of the table, each once"
            return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return None


def _index(context: TransformationContext, loop: DiagonalLoop, table: WaveTable, work: CellWork, pair: tuple[str, str]) -> Obstacle | None:
    """Why the element of another row and column could not be named before the cell's work begins."""
    tree, scope, waiting, seen = context.tree, scope_of(context.tree, context.kernel).fixed(), [table.index], set[str]()
    hoisted = {v.name for node in work.hoisted for v in declared_variables(tree, node)}
    known = {*pair, *hoisted}
    while waiting:
        node = waiting.pop()
        for name in names_in(tree, node) - known - seen:
            seen.add(name)
            value = scope.definition(name)
            waiting += [] if value is None else [value]
    own = locals_of(tree, context.body).keys()
    stray = {name for name in seen if name in loop.given or (name in own and scope.definition(name) is None)}
    stray |= seen & {"threadIdx", "blockIdx", "blockDim", "gridDim"}
    if not table.loads or not stray:
        return None
    words = f"the index of `{table.pointer}` would have to be made of `{pair[0]}`, `{pair[1]}` and sizes: `{min(stray)}` is part of it"
    return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)


def _extent(
    context: TransformationContext,
    loop: DiagonalLoop,
    trials: Sequence[Trial],
    offsets: Mapping[int, Offset],
    axis: int,
    pair: tuple[str, str],
) -> Extent | Obstacle:
    """The rows (axis 0) or the columns (axis 1)."""
    ends = [tuple(how(cell.places[pair[axis]] for cell in trial.cells) for how in (min, max)) for trial in trials]
    firsts = {first for first, _ in ends}
    names = _sizes_known(context, loop)
    values = [[known.get(name) for known in map(_known, trials)] for name in names]
    fits = [
        (name, beyond)
        for beyond in _BEYOND
        for name, each in zip(names, values, strict=True)
        if all(value is not None and value + beyond == last for value, (_, last) in zip(each, ends, strict=True))
    ]
    border = {_border(trial, offsets, axis, pair) for trial in trials if _is_wide(trial, pair)}
    if len(firsts) != 1 or not fits:
        what = ("rows", "columns")[axis]
        words = f"{context.kernel.name} would have to be passed how many {what} the table has, and begin at one that is always the same"
        return Obstacle(DeclineReason.SIZE_UNKNOWN, words)
    if len(border) != 1 or None in border:
        words = f"{context.kernel.name} would have to load either all or none of what lies before the table's first rows and columns"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    return Extent(firsts.pop(), *fits[0], has_border=bool(border.pop()))


def _known(trial: Trial) -> Mapping[str, int]:
    return {**trial.sizes, **(trial.launches[0].given if trial.launches else {})}


def _sizes_known(context: TransformationContext, loop: DiagonalLoop) -> list[str]:
    """Numbers that the kernel sees and that stay from launch to launch, those that it compares with first."""
    above = words_in(context.text[: context.kernel.span.start])
    constants = [name for name in constants_of(context.tree) if name in above]
    body = words_in(context.tree.text(context.body))
    names = [p.name for p in context.kernel.parameters if not p.is_pointer and p.name not in loop.given]
    return [*names, *sorted(constants, key=lambda name: name not in body)]


def _is_wide(trial: Trial, pair: tuple[str, str]) -> bool:
    return all(len({cell.places[name] for cell in trial.cells}) >= _LEAST_EXTENT for name in pair)


def _border(trial: Trial, offsets: Mapping[int, Offset], axis: int, pair: tuple[str, str]) -> bool | None:
    """Whether the cells of the first row (column) load what lies before it; None where some do."""
    first = tuple(min(cell.places[name] for cell in trial.cells) for name in pair)
    at_edge = [cell for cell in trial.cells if cell.places[pair[axis]] == first[axis] and cell.places[pair[1 - axis]] > first[1 - axis]]
    found = {any(offsets[which][axis] < 0 for which in cell.touched) for cell in at_edge}
    return found.pop() if len(found) == 1 else None


def _unlike(
    context: TransformationContext, loop: DiagonalLoop, wave: Wavefront, accesses: Sequence[ArrayAccess], trials: Sequence[Trial]
) -> Obstacle | None:
    """Why launches of several blocks fill other cells than the small ones suggest."""
    pair = (wave.row.name, wave.column.name)
    begin = {sum(cell.places[name] for name in pair) - cell.launch for trial in trials for cell in trial.cells}
    for sizes in large_sizes(context, loop):
        count = loop.turn_count(sizes)
        runner = CellRunner(context, accesses, pair, sizes)
        scope = scope_of(context.tree, context.kernel)
        is_whole = bool(count) and len(begin) == 1
        for number in samples(count or 0) if is_whole else ():
            launch = loop.launched(sizes, number)
            known = {**sizes, **({} if launch is None else launch.given)}
            ends = [known.get(e.last, scope.constants.get(e.last, 0)) + e.beyond for e in (wave.rows, wave.columns)]
            total = number + min(begin)
            rows = (max(wave.rows.first, total - ends[1]), min(ends[0], total - wave.columns.first))
            is_whole = is_whole and launch is not None and _fills(runner, number, launch, rows, pair[0])
        if not is_whole:
            words = f"every launch of {context.kernel.name} would have to fill all cells of its diagonal, however large the table is"
            return Obstacle(DeclineReason.GRID_FORM, words)
    return None


def _fills(runner: CellRunner, number: int, launch: TrialLaunch, rows: tuple[int, int], row: str) -> bool:
    """The launch's threads have the cells of its diagonal from a row to another, and no other ones."""
    count = launch.blocks * launch.threads
    if count < 1:
        return rows[0] > rows[1]
    begun = [runner.cell(number, launch, thread) for thread in (0, 1)]
    if any(cell is None or row not in cell.places for cell in begun):
        return False
    at = [cell.places[row] for cell in begun if cell is not None]
    step = at[1] - at[0]
    if abs(step) != 1:
        return False
    wanted = {n for n in (rows[0], rows[0] + 1, sum(rows) // 2, rows[1] - 1, rows[1]) if rows[0] <= n <= rows[1]}
    beside = {n for n in (rows[0] - 1, rows[1] + 1, at[0], at[0] + (count - 1) * step) if not rows[0] <= n <= rows[1]}
    for each in wanted | beside:
        thread = (each - at[0]) * step
        cell = runner.cell(number, launch, thread) if 0 <= thread < count else None
        is_filled = cell is not None and bool(cell.touched) and cell.places[row] == each
        if is_filled != (each in wanted):
            return False
    return True
