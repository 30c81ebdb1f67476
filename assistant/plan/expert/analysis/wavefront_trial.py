"""Runs a loop over the diagonals of a table with small numbers in the place of its sizes, to see which cells each launch fills.

Example::

    trial = trial_of(context, loop, accesses, ('i', 'j', 't'), {'n': 5})
    trial.cells[0].places['i']       # 1: the row of the first cell that the first launch fills
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assistant.cuda.accesses import ArrayAccess, Use
from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.macros import macro_text
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_inside, scope_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, parsed_expression, unparenthesized
from assistant.plan.expert.analysis.diagonal_loop import DiagonalLoop, TrialLaunch
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.analysis.path_conditions import conditions_on_the_way
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["Cell", "CellRunner", "Trial", "crosses_rows", "large_sizes", "samples", "small_sizes", "trial_of"]

_SMALL = ((4, 3, 6, 5), (3, 5, 4, 6), (5, 4, 3, 6))
"""Values of the sizes in each trial: wide tables, high ones, and one with a longer pitch than it has columns."""
_LARGE = ((3_000_017, 700_001, 5_000_011, 1_300_021), (700_001, 3_000_017, 1_300_021, 5_000_011))
"""For launches of many blocks, and so that no other number of the text limits which cells are filled."""
_MOST_LAUNCHES = 400
"""Of a loop over small sizes."""
_MOST_THREADS = 12
"""Of a launch that are all tried; more cells no diagonal of a small table has."""
_SAMPLES = 9


class Cell(Record):
    """What one thread of one launch does."""

    launch: int
    """Its place in the order of launches."""
    thread: int
    """Its place in the grid."""
    places: Mapping[str, int]
    """The kernel's locals that say which cell it is."""
    touched: Mapping[int, int]
    """The element of each access that may happen, by the access's place among all of them."""


class Trial(Record):
    """All cells of a loop over small sizes."""

    sizes: Mapping[str, int]
    launches: tuple[TrialLaunch, ...]
    cells: tuple[Cell, ...]


def small_sizes(context: TransformationContext, loop: DiagonalLoop, scale: int) -> tuple[Mapping[str, int], ...]:
    """Values for the sizes of the loop, constants of the text included."""
    return tuple(_sizes(context, loop, [scale * value for value in values], with_constants=True) for values in _SMALL)


def large_sizes(context: TransformationContext, loop: DiagonalLoop) -> tuple[Mapping[str, int], ...]:
    """The same with many blocks in a launch; constants have their own values."""
    found = (_sizes(context, loop, values, with_constants=False) for values in _LARGE)
    return tuple({tuple(sizes.items()): sizes for sizes in found}.values())


def trial_of(
    context: TransformationContext,
    loop: DiagonalLoop,
    accesses: Sequence[ArrayAccess],
    names: Sequence[str],
    sizes: Mapping[str, int],
) -> Trial | None:
    """What the loop does; None where an index is not known."""
    count = loop.turn_count(sizes)
    if count is None or count > _MOST_LAUNCHES:
        return None
    launches = [loop.launched(sizes, turn) for turn in range(count)]
    runner, cells = CellRunner(context, accesses, names, sizes), list[Cell]()
    for number, launch in enumerate(launches):
        if launch is None:
            return None
        total = launch.blocks * launch.threads
        asked = (*range(min(total, _MOST_THREADS)), *((total - 1,) if total > _MOST_THREADS else ()))
        for thread in asked:
            cell = runner.cell(number, launch, thread)
            if cell is None:
                return None
            cells += [cell] if cell.touched else []
    return Trial(sizes, tuple(launch for launch in launches if launch is not None), tuple(cells))


def crosses_rows(trial: Trial, accesses: Sequence[ArrayAccess], offsets: Mapping[int, tuple[int, int]], pair: tuple[str, str]) -> bool:
    """Whether a cell's element is that of another cell, or what lies before a first column is the end of another row. ``offsets``: rows and
    columns from a thread's own cell, of each access; ``pair``: the locals that are its row and its column."""
    filled = dict[tuple[str, int], tuple[int, int]]()
    for cell in trial.cells:
        place = (cell.places[pair[0]], cell.places[pair[1]])
        for which, at in cell.touched.items():
            access = accesses[which]
            if access.kind is not Use.READ and filled.setdefault((access.base, at), place) != place:
                return True
    for cell in trial.cells:
        for which, at in cell.touched.items():
            looked_at = (cell.places[pair[0]] + offsets[which][0], cell.places[pair[1]] + offsets[which][1])
            if filled.get((accesses[which].base, at), looked_at) != looked_at:
                return True
    return False


def _sizes(context: TransformationContext, loop: DiagonalLoop, values: Sequence[int], *, with_constants: bool) -> dict[str, int]:
    names = [*loop.roots, *(_constants(context, loop) if with_constants else ())]
    found = {name: values[place % len(values)] for place, name in enumerate(names)}
    for name in _constants(context, loop) if with_constants else ():
        text = macro_text(context.tree, name)
        node = None if text is None else parsed_expression(text)
        if node is not None and names_in(context.tree, node) & found.keys():
            made = evaluate(node, Scope({}, {}, {}), found)
            found.update({} if made is None else {name: made})
    return found


def _constants(context: TransformationContext, loop: DiagonalLoop) -> tuple[str, ...]:
    """Those that the loop is about, and locals of the host that are set to a number; those of its block's size apart."""
    tree, known = context.tree, scope_inside(context.tree, loop.caller.body).constants
    asked = [loop.start, loop.condition, *loop.passed.values(), *loop.launch.grid.components]
    values = {name: node for name in _definitions(tree, loop) if (node := loop.launch.scope.definition(name)) is not None}
    set_to_numbers = {
        name for name, node in values.items() if not names_in(tree, node) and evaluate(node, loop.launch.scope, {}) is not None
    }
    block = {name for node in loop.launch.block.components for name in names_in(tree, node)}
    named = (name for node in (*asked, *values.values()) for name in _ordered(tree, node))
    return tuple(dict.fromkeys(name for name in named if name in known.keys() | set_to_numbers and name not in block))


def _definitions(tree: SyntaxTree, loop: DiagonalLoop) -> Iterator[str]:
    """Locals of the host that the loop's numbers are made of."""
    asked = (loop.start, loop.condition, *loop.passed.values(), *loop.launch.grid.components)
    waiting = [name for node in asked for name in _ordered(tree, node)]
    seen = set[str]()
    while waiting:
        name = waiting.pop(0)
        value = None if name in seen or name in loop.roots else loop.launch.scope.definition(name)
        seen.add(name)
        if value is not None:
            yield name
            waiting += _ordered(tree, value)


def _ordered(tree: SyntaxTree, node: Node) -> list[str]:
    return [tree.text(n) for n in tree.find("identifier", inside=node)]


class CellRunner:
    """The kernel's indices and conditions, with numbers in the place of its names."""

    def __init__(
        self, context: TransformationContext, accesses: Sequence[ArrayAccess], names: Sequence[str], sizes: Mapping[str, int]
    ) -> None:
        tree, kernel = context.tree, context.kernel
        self._scope = scope_of(tree, kernel).fixed()
        self._values = {name: value for name in names if (value := self._scope.definition(name)) is not None}
        self._accesses = accesses
        self._conditions = [tuple(conditions_on_the_way(tree, access.node, context.body)) for access in accesses]
        self._is_store = [access.kind is not Use.READ for access in accesses]
        parameters = {parameter.name for parameter in kernel.parameters}
        constants = {name: value for name, value in sizes.items() if name not in parameters and name in self._scope.constants}
        self._fixed = {**template_environment(context), **constants}

    def cell(self, number: int, launch: TrialLaunch, thread: int) -> Cell | None:
        """What a thread does; with nothing touched of a thread that fills no cell; None where an index is not known."""
        place = self._place(launch, thread)
        answers, touched = dict[int, int | None](), dict[int, int]()
        for which, access in enumerate(self._accesses):
            if not all(self._may_hold(node, holds, place, answers) for node, holds in self._conditions[which]):
                continue
            index = evaluate(access.indices[0], self._scope, place) if len(access.indices) == 1 else None
            if index is None:
                return None
            touched[which] = index
        is_filled = any(self._is_store[which] for which in touched)
        places = {name: evaluate(node, self._scope, place) for name, node in self._values.items()}
        return Cell(number, thread, {name: value for name, value in places.items() if value is not None}, touched if is_filled else {})

    def is_known(self, condition: Node, launch: TrialLaunch) -> bool:
        """Whether it is decided by sizes and the thread's place alone."""
        return evaluate(condition, self._scope, self._place(launch, 0)) is not None

    def _place(self, launch: TrialLaunch, thread: int) -> Mapping[str, int]:
        block, inner = divmod(thread, launch.threads)
        builtins = {"blockIdx.x": block, "threadIdx.x": inner, "blockDim.x": launch.threads, "gridDim.x": launch.blocks}
        return {**self._fixed, **launch.given, **builtins, "warpSize": 32}

    def _may_hold(self, node: Node, holds: bool, place: Mapping[str, int], answers: dict[int, int | None]) -> bool:
        """Whether a condition may come to that, whatever the data are; of `a && b` each part by itself."""
        node = unparenthesized(node)
        parts = binary_parts(node)
        if parts is not None and parts[0] in ("&&", "||"):
            each = (self._may_hold(part, holds, place, answers) for part in parts[1:])
            return all(each) if holds == (parts[0] == "&&") else any(each)
        if node.id not in answers:
            answers[node.id] = evaluate(node, self._scope, place)
        answer = answers[node.id]
        return answer is None or bool(answer) == holds


def samples(count: int) -> tuple[int, ...]:
    """Some of so many things in a row, the first and the last ones among them."""
    steps = {place * (count - 1) // _SAMPLES for place in range(_SAMPLES + 1)} if count > 1 else set[int]()
    return tuple(sorted(n for n in steps | {0, 1, 2, count - 3, count - 2, count - 1} if 0 <= n < count))
