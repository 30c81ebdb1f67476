"""The loops of a kernel, and the kernel as a plan: of which kind it is, and by which index each array is read. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from assistant.operators.axes import Axis, Window
from assistant.operators.joining import with_ends
from assistant.operators.kernel_plan import Array, KernelKind, Line, Plan, Read, Step, Store, index, multiplied
from assistant.operators.origins import RefusedError
from assistant.operators.part_index import part_index, part_step, where_not_empty
from assistant.operators.pulled import Pull
from assistant.operators.raw_kernel import RawRead
from assistant.operators.scan_kernel import SCANS
from assistant.operators.sizes import Sizes
from assistant.record import Record

__all__ = ["Loops", "TurnError", "loops_of", "plan_of"]

_WORD = re.compile(r"@([as])(\d+)@")


class TurnError(Exception):
    """An array has to lie in another order before this kernel reads it."""

    def __init__(self, array: str, axes: tuple[Axis, ...], order: tuple[Axis, ...]) -> None:
        super().__init__(array)
        self.array = array
        self.axes = axes
        self.order = order


class Loops(Record):
    """The axes of one kernel."""

    kind: KernelKind
    order: tuple[Axis, ...]
    """The last one fastest."""
    reduced: tuple[Axis, ...]
    """Those that are folded or run along, side by side in the order."""
    lines: tuple[Line, ...]
    tile: tuple[Axis, Axis] | None = None

    @property
    def outer(self) -> tuple[Axis, ...]:
        """Those in front of what is reduced; all without that, and without those of tiles."""
        return self.lines[0].axes


def loops_of(pull: Pull, wanted: Sequence[tuple[str, tuple[Axis, ...]]]) -> Loops:
    """``wanted``: what the kernel leaves, and along which axes. Raises RefusedError, and TurnError."""
    reduced = pull.reduced
    if reduced is not None and not any(axis.size > 1 for axis in reduced):
        raise RefusedError("it reduces a dimension of one element")
    order = _order(pull, [axes for _, axes in wanted], reduced or ())
    if reduced is None:
        return _of_elements(pull, order)
    own = [axis for axis in order if axis in reduced]
    first = order.index(own[0])
    if order[first : first + len(own)] != tuple(own):
        raise RefusedError("it reduces dimensions that do not stand side by side")
    is_scan = any(step.kind in SCANS for step in pull.steps)
    behind = order[first + len(own) :]
    if is_scan and behind:
        raise RefusedError("it runs along a dimension with others behind it: running sums are written along the last dimension")
    kind: KernelKind = "scan" if is_scan else "column" if behind else "row"
    names = ("outer", "i", "column") if behind else ("row", "i", "")
    lines = [Line(names[0], order[:first]), Line(names[1], tuple(own))] + ([Line(names[2], behind)] if behind else [])
    _turn_what_lies_apart(pull, order)
    return Loops(kind, order, tuple(own), tuple(lines))


def _order(pull: Pull, wanted: Sequence[tuple[Axis, ...]], reduced: tuple[Axis, ...]) -> tuple[Axis, ...]:
    full = [axes for axes in wanted if not reduced or set(axes) & set(reduced)]
    used = {axis for read in pull.reads for axis in read.axes} | {axis for step in pull.steps for axis in step.axes} | set(reduced)
    if full:
        order = full[0]
        if any(axes != order for axes in full):
            raise RefusedError("its results lie in memory in different orders")
    else:
        rows = tuple(axis for axis in wanted[0] if axis in used)
        arrays = [read for read in pull.reads if read.array is not None and not read.base and set(reduced) <= set(read.axes)]
        main = max(arrays, key=lambda read: len(read.axes), default=None)
        order = main.axes if main is not None and {*main.axes} >= {*rows, *reduced} else (*rows, *reduced)
        for axes in wanted:
            mine = [axis for axis in axes if axis in used]
            if mine != [axis for axis in order if axis in mine]:
                raise RefusedError("its results lie in memory in another order than what they are made of")
    if any(axis.size > 1 and axis not in order for axis in used):
        raise RefusedError("it computes values for more elements than its results have, which rules do not write")
    return tuple(order)


def _of_elements(pull: Pull, order: tuple[Axis, ...]) -> Loops:
    apart = [read for read in pull.reads if _place(read, order) == "apart"]
    if any(read.array is None or read.base for read in apart):
        raise RefusedError("it picks elements along another dimension than it writes, which rules do not write")
    if not apart:
        return Loops("flat", order, (), (Line("at", order),))
    if any(isinstance(along, Window) and along.is_joined for read in pull.reads for along in read.part):
        raise RefusedError("it joins tensors and reads along another dimension than it writes, which rules do not write")
    main = max(apart, key=lambda read: len(read.axes))
    q, p = main.axes[-1], order[-1]
    if any(read.axes[-1] != q for read in apart):
        raise RefusedError("it reads arrays along more than one other dimension than it writes")
    outer = tuple(axis for axis in order if axis not in (p, q))
    return Loops("tiled", order, (), (Line("outer", outer), Line("q", (q,)), Line("p", (p,))), (q, p))


def _turn_what_lies_apart(pull: Pull, order: tuple[Axis, ...]) -> None:
    for read in pull.reads:
        if _place(read, order) != "apart":
            continue
        if read.array is None or read.base:
            raise RefusedError("it picks elements along another dimension than it reduces, which rules do not write")
        if read.part:
            raise RefusedError("it reads a part of a tensor along another dimension than it reduces")
        raise TurnError(read.array, read.axes, tuple(axis for axis in order if axis in read.axes))


def _place(read: RawRead, order: Sequence[Axis]) -> Literal["near", "one", "apart"]:
    last = next((axis for axis in reversed(order) if axis.size > 1), None)
    own = [axis for axis in read.axes if axis.size > 1]
    if last is None or last not in own:
        return "one"
    return "near" if own[-1] == last else "apart"


def plan_of(
    pull: Pull,
    loops: Loops,
    wanted: Sequence[tuple[Array, str, tuple[Axis, ...]]],
    function: str,
    model: str,
    known: Mapping[str, Array],
    sizes: Sizes,
    *,
    is_part: bool,
) -> Plan:
    """``wanted``: each array that the kernel fills, the word of its step, and its axes; ``known``: arrays that may be read."""
    reads = _reads(pull, loops, known, sizes.names)
    steps, names = _steps(pull, loops, reads, sizes.names)
    stores = tuple(_store(array, names[int(word[2:-1])], axes, loops, sizes.names) for array, word, axes in wanted)
    words = {label: sizes.names[label] for label in (axis.label for axis in loops.order)}

    def sized(axes: Sequence[Axis]) -> str:
        return multiplied(words[axis.label] for axis in axes)

    first = len(loops.outer)
    last = words[loops.order[-1].label] if loops.order else "1"
    texts = [sized(loops.order), *(read.index for read in reads), *(store.index for store in stores)]
    used = set(re.findall(r"\w+", " ".join(texts)))
    return Plan(
        kind=loops.kind,
        function=function,
        model=model,
        arrays=tuple(dict.fromkeys(read.array for read in reads if read.array is not None)),
        sizes=tuple(name for name in sizes.bound if name in used),
        reads=reads,
        steps=steps,
        stores=stores,
        outer=sized(loops.outer),
        columns=sized(loops.reduced),
        inner=sized(loops.order[first + len(loops.reduced) :]) if loops.kind == "column" else "1",
        last=f"({last})" if " " in last else last,
        tile=None if loops.tile is None else (words[loops.tile[0].label], words[loops.tile[1].label]),
        is_part=is_part,
    )


def _reads(pull: Pull, loops: Loops, known: Mapping[str, Array], names: Mapping[str, str]) -> tuple[Read, ...]:
    found: list[Read] = []
    order = () if loops.kind == "tiled" else loops.order
    vector = next((axis for axis in reversed(order) if axis.size > 1), None)
    for raw in pull.reads:
        where = part_index(raw.part, loops.lines, names, vector) if raw.part else index(_looped(raw.axes, loops), order, loops.lines, names)
        if raw.base:
            number = int(raw.base[2:-1])
            base = found[number]
            assert base.array is not None
            where = f"{base.array.name}[{base.index}] * {multiplied(names[axis.label] for axis in raw.axes)} + {where}"
        array = None if raw.array is None else known[raw.array]
        base_word = "" if array is None else array.name
        count = sum(each.array == array for each in found)
        is_own = array is not None and not raw.base and not raw.part and loops.kind == "row" and _is_own(raw, loops)
        is_of_row = bool(loops.reduced) and array is not None and not raw.base and not set(raw.axes) & set(loops.reduced)
        word = base_word if not count else f"{base_word}_{count + 1}"
        found.append(
            Read(
                array,
                where,
                _place(raw, loops.order),
                word,
                is_of_row,
                is_own,
                *part_step(raw.part, names),
                where_not_empty(raw.part, names),
            )
        )
    return tuple(found)


def _looped(axes: Sequence[Axis], loops: Loops) -> tuple[Axis, ...]:
    """Without those of one element that the kernel has no loop for."""
    return tuple(axis for axis in axes if axis in loops.order or axis.size > 1)


def _is_own(raw: RawRead, loops: Loops) -> bool:
    """Whether each row has elements of its own there, side by side."""
    count = len(loops.reduced)
    rows = [axis for axis in loops.order if axis not in loops.reduced]
    return raw.axes[len(raw.axes) - count :] == loops.reduced and (len(raw.axes) > count or not rows)


def _steps(pull: Pull, loops: Loops, reads: Sequence[Read], sizes: Mapping[str, str]) -> tuple[tuple[Step, ...], list[Step]]:
    """All in order, those that read something for a row first; and those of the pulled steps."""
    found: list[Step] = []
    words: dict[tuple[str, int], str] = {}
    for number, read in enumerate(reads):
        if read.is_of_row and read.array is not None:
            found.append(Step(f"r{len(found)}", "row", f"@a{number}@", read.array.value_type, None))
            words["a", number] = found[-1].name
    own: list[Step] = []
    for number, raw in enumerate(pull.steps):
        is_full = not loops.reduced or bool(raw.axes & set(loops.reduced))
        kind = raw.kind if raw.kind != "value" else "full" if is_full else "row"
        text = _WORD.sub(lambda match: words.get((match[1], int(match[2])), match[0]), with_ends(raw.text, sizes))
        found.append(Step(f"{'v' if is_full else 'r'}{len(found)}", kind, text, raw.c_type, raw.call))
        words["s", number] = found[-1].name
        own.append(found[-1])
    return tuple(found), own


def _store(array: Array, step: Step, axes: tuple[Axis, ...], loops: Loops, names: Mapping[str, str]) -> Store:
    mine = _looped(axes, loops)
    is_full = not loops.reduced or bool(set(mine) & set(loops.reduced))
    rows = tuple(axis for axis in loops.order if axis not in loops.reduced)
    if loops.kind == "tiled":
        return Store(array, step, index(mine, (), loops.lines, names), True)
    if is_full:
        return Store(array, step, "at", True)
    if mine != rows:
        raise RefusedError("a result has a value for each of less than all rows")
    return Store(array, step, "outer * inner + column" if loops.kind == "column" else "row", False)
