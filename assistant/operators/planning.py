"""The kernels of a model, one after the other: what each computes, along which axes, and what those are called in C. Pure.

What one kernel leaves to an earlier one is kept in memory of the file's own (`Scratch`). Example::

    program = planned(graph, "Model", given, sources)
    program.plans[-1].kind      # "row"
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.operators.axes import Alignment, Axis, SplitError, WholeAlignment, Window, axes_of
from assistant.operators.graph import Graph, TensorUse
from assistant.operators.kernel_plan import Array, Plan, multiplied
from assistant.operators.loops import Loops, TurnError, loops_of, plan_of
from assistant.operators.origins import C_TYPES, TYPES_IN_WORDS, VALUE_TYPES, Given, Made, Origin, RefusedError
from assistant.operators.pulled import ConflictError, Pull
from assistant.operators.sizes import sizes_of
from assistant.record import Record

__all__ = ["Program", "Scratch", "planned"]

_MOST_RESTARTS = 40


class Scratch(Record):
    """Memory between two kernels."""

    array: Array
    count: str
    """How many elements it has, in C."""


class Program(Record):
    """All that is written."""

    function: str
    """The launcher's name."""
    plans: tuple[Plan, ...]
    scratches: tuple[Scratch, ...]
    inputs: tuple[tuple[str, tuple[str, ...]], ...]
    """All inputs with the words for their sizes."""
    weights: tuple[tuple[str, str], ...]
    """Those that are read."""
    outputs: tuple[tuple[Array, tuple[str, ...]], ...]
    arrays: tuple[Array, ...]
    """Inputs and weights that are read."""
    sizes: tuple[str, ...]
    is_for_any_model: bool
    """Whether no size is a number."""


class Wanted(Record):
    """What a kernel leaves."""

    array: Array
    word: str
    axes: tuple[Axis, ...]


class _Kernel(Record):
    pull: Pull
    wanted: tuple[Wanted, ...]
    loops: Loops

    @property
    def joined(self) -> list[Window]:
        """What it reads of tensors that are joined."""
        return [along for read in self.pull.reads for along in read.part if isinstance(along, Window) and along.is_joined]


def planned(graph: Graph, name: str, given: Sequence[Given], seen: Sequence[Mapping[int, Origin]]) -> Program:
    """``seen``: what is in each memory before each call, and behind the last one. Raises RefusedError."""
    splits: dict[str, int] = {}
    turns: dict[tuple[str, tuple[Axis, ...]], tuple[Axis, ...]] = {}
    for _ in range(_MOST_RESTARTS):
        planner = _Planner(graph, seen, splits, turns)
        try:
            kernels = planner.kernels()
        except SplitError as split:
            splits[split.axis.label] = split.inner
            turns.clear()
        except TurnError as turn:
            turns[turn.array, turn.axes] = turn.order
        else:
            return _program(graph, name, given, kernels, planner)
    raise RefusedError("its tensors are viewed in too many ways")


class _Planner:
    """One attempt, with the axes that are known to be split and the arrays that are known to be turned."""

    def __init__(
        self,
        graph: Graph,
        seen: Sequence[Mapping[int, Origin]],
        splits: Mapping[str, int],
        turns: Mapping[tuple[str, tuple[Axis, ...]], tuple[Axis, ...]],
    ) -> None:
        self._graph = graph
        self._seen = seen
        self._splits = splits
        self._turns = turns
        self._stored: dict[tuple[int, int, Alignment], Given] = {}
        self._turned: dict[tuple[str, tuple[Axis, ...]], Given] = {}
        self._done: list[_Kernel] = []
        self.scratches: list[tuple[Array, tuple[Axis, ...]]] = []
        self.frames = [self._frame(use) for use in graph.results]

    def kernels(self) -> list[_Kernel]:
        """In the order in which they run."""
        outputs = [Array("y" if len(self.frames) == 1 else f"y{number}", "") for number in range(len(self.frames))]
        results = list(zip(self._graph.results, outputs, self.frames, strict=True))
        if len(results) > 1:
            try:
                self._done = [self._of_results(results, is_strict=True)]
            except (ConflictError, RefusedError):
                self._done = []
            else:
                return self._done
        for result in results:
            self._done.append(self._of_results([result]))
        return self._done

    def seen(self, place: int, memory: int) -> Origin | None:
        return self._seen[place].get(memory)

    def parts(self, label: str, size: int, parent: str = "", *, is_outer: bool = False) -> tuple[Axis, ...]:
        inner = self._splits.get(label)
        if inner is None:
            return (Axis(label, size, parent, is_outer),)
        outer = self.parts(f"{label}o", size // inner, label, is_outer=True)
        return (*outer, *self.parts(f"{label}i", inner, label))

    def stored(self, made: Made, alignment: Alignment) -> Given:
        key = (made.place, made.output, alignment)
        if key not in self._stored:
            axes = axes_of(alignment)
            array = self._scratch(made.use, axes)
            pull = self._pull()
            word = pull.result(made, made.use, alignment)
            self._done.append(self._kernel(pull, [Wanted(array, word, axes)]))
            self._stored[key] = Given(array.name, made.use, None, axes)
        return self._stored[key]

    def turned(self, given: Given, axes: tuple[Axis, ...]) -> Given | None:
        order = self._turns.get((given.name, axes))
        if order is None:
            return None
        key = (given.name, axes)
        if key not in self._turned:
            array = self._scratch(given.use, order)
            self._turned[key] = Given(array.name, given.use, None, order)
            plain = self._pull()
            word = plain.copy(given, axes)
            self._done.append(self._kernel(plain, [Wanted(array, word, order)]))
        return self._turned[key]

    def _pull(self, *, is_strict: bool = False) -> Pull:
        return Pull(self._graph, self, self.frames, is_strict=is_strict)

    def _scratch(self, use: TensorUse, axes: tuple[Axis, ...]) -> Array:
        array = Array(f"s{len(self.scratches)}", VALUE_TYPES[use.dtype])
        self.scratches.append((array, axes))
        return array

    def _frame(self, use: TensorUse) -> WholeAlignment:
        """Results of one shape run along the same axes."""
        shape = "x".join(map(str, use.shape))
        return tuple(self.parts(f"r{shape}.{place}", size) for place, size in enumerate(use.shape))

    def _of_results(self, results: Sequence[tuple[TensorUse, Array, Alignment]], *, is_strict: bool = False) -> _Kernel:
        pull = self._pull(is_strict=is_strict)
        wanted: list[Wanted] = []
        for use, array, frame in results:
            origin = self._seen[-1].get(use.memory)
            if not isinstance(origin, Made) or use.dtype not in C_TYPES:
                raise RefusedError(f"a result is no tensor of {TYPES_IN_WORDS} that its functions compute")
            wanted.append(Wanted(replace(array, c_type=C_TYPES[use.dtype]), pull.result(origin, use, frame), axes_of(frame)))
        return self._kernel(pull, wanted)

    def _kernel(self, pull: Pull, wanted: Sequence[Wanted]) -> _Kernel:
        return _Kernel(pull, tuple(wanted), loops_of(pull, [(each.word, each.axes) for each in wanted]))


def _program(graph: Graph, name: str, given: Sequence[Given], kernels: Sequence[_Kernel], planner: _Planner) -> Program:
    function = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    noted = [pair for kernel in reversed(kernels) for pair in kernel.pull.noted]
    orders = [kernel.loops.order for kernel in reversed(kernels)]
    inputs = [
        (each.name, each.use.shape, tuple(alignment for array, alignment in noted if array == each.name))
        for each in given
        if each.weight is None
    ]
    weights = {each.name for each in given if each.weight is not None}
    joined = [window for kernel in kernels for window in kernel.joined]
    sizes = sizes_of(orders, inputs, joined, [alignment for array, alignment in noted if array in weights])
    used = {read.array for kernel in kernels for read in kernel.pull.reads}
    arrays = tuple(Array(each.name, C_TYPES[each.use.dtype]) for each in given if each.name in used)
    scratches = tuple(Scratch(array, multiplied(sizes.names[axis.label] for axis in axes)) for array, axes in planner.scratches)
    known = {array.name: array for array in (*arrays, *(each.array for each in scratches))}
    is_alone = len(kernels) == 1
    plans = tuple(
        plan_of(
            kernel.pull,
            kernel.loops,
            [(each.array, each.word, each.axes) for each in kernel.wanted],
            function if is_alone else f"{function}_{number + 1}",
            name,
            known,
            sizes,
            is_part=not is_alone,
        )
        for number, kernel in enumerate(kernels)
    )
    if is_alone:
        plans = (replace(plans[0], arrays=arrays, sizes=sizes.bound),)
    outputs = {each.array.name: (each.array, each.axes) for kernel in kernels for each in kernel.wanted}
    results = [outputs["y" if len(graph.results) == 1 else f"y{number}"] for number in range(len(graph.results))]
    return Program(
        function=function,
        plans=plans,
        scratches=scratches,
        inputs=tuple((array, sizes.words[array]) for array, _, _ in inputs),
        weights=tuple((each.name, each.weight) for each in given if each.weight is not None and each.name in used),
        outputs=tuple((array, sizes.of_frame(frame)) for (array, _), frame in zip(results, planner.frames, strict=True)),
        arrays=arrays,
        sizes=sizes.bound,
        is_for_any_model=all(sizes.is_named(axis) for order in orders for axis in order)
        and all(sizes.is_named(axis) for window in joined for axis in window.joined),
    )
