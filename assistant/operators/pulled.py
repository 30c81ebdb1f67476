"""The values that one kernel computes for its results, each found from what it is made of: functions of PyTorch, last to first. Pure.

A value belongs to a call, one of its outputs, and the axes along which that output's dimensions run. Where a function reduces other
dimensions than the kernel does, its result is left to a kernel before this one (`Sources.stored`). Example::

    pull = Pull(calls, sources, shapes)
    pull.result(use, alignment)      # "@s4@": the word for step 4; pull.steps and pull.reads say what it is made of
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.operators.axes import (
    FIXED,
    Alignment,
    Axis,
    NoLayoutError,
    WholeAlignment,
    Window,
    axes_of,
    behind_broadcast,
    has_window,
    home_alignment,
    split_for,
    whole_of,
)
from assistant.operators.graph import Argument, Filled, FunctionCall, Graph, TensorUse
from assistant.operators.joining import END_MARK, end_word, joined_parts
from assistant.operators.origins import TYPES_IN_WORDS, VALUE_TYPES, Given, Made, Origin, RefusedError, place_of
from assistant.operators.pointwise import Word, constant, expression, in_double
from assistant.operators.raw_kernel import RawRead, RawStep, Sources
from assistant.operators.row_functions import RowFunction, Stage, row_function
from assistant.operators.value_types import WHOLE, check_types, rounded, typed

__all__ = ["ConflictError", "Pull"]

_FLOATS = frozenset({"float32", "float16", "bfloat16"})
"""What is computed in float32."""
_SCANS = {"cumsum": "running_sum", "cumprod": "running_product"}
_BY_PLACE = frozenset({"repeat", "embedding", "stack", "cat", *_SCANS})
"""Functions whose elements depend on more than the elements at the same place."""
_MOST_STACKED = 4
"""Chosen: each element reads all of them."""
_FOLDED_WHOLE = frozenset({"sum"})


class ConflictError(Exception):
    """A result is reduced over other dimensions than the others."""


class Pull:
    def __init__(self, graph: Graph, sources: Sources, frames: Sequence[Alignment], *, is_strict: bool = False) -> None:
        """``frames``: of the results; ``is_strict``: raise ConflictError rather than leave a part to another kernel."""
        self._calls = graph.calls
        self._sources = sources
        self._frames = frames
        self._is_strict = is_strict
        self._known: dict[tuple[int, int, Alignment, str], str] = {}
        self._scan: tuple[Axis, ...] | None = None
        self._asked: Origin | None = None
        self._parts = 0
        """Within how many parts of tensors what is asked for lies."""
        self.reduced: tuple[Axis, ...] | None = None
        """The axes that are folded, or run along; None without any."""
        self.reads: list[RawRead] = []
        self.steps: list[RawStep] = []
        self.noted: list[tuple[str, Alignment]] = []
        """Along which axes the dimensions of each array run, wherever it is read."""

    def result(self, origin: Origin, use: TensorUse, alignment: Alignment) -> str:
        """The word of a step."""
        self._asked = origin
        word = self._from(origin, use, alignment, None)
        if isinstance(word, str) and word.startswith("@s"):
            return word
        return self._add("value", constant(word), VALUE_TYPES[use.dtype], None, axes_of(alignment))

    def copy(self, given: Given, axes: tuple[Axis, ...]) -> str:
        """The word of a step that is an element of an array."""
        return self._add(
            "value", self._read(RawRead(given.name, VALUE_TYPES[given.use.dtype], axes)), VALUE_TYPES[given.use.dtype], None, axes
        )

    def _from(self, origin: Origin, use: TensorUse, alignment: Alignment, call: FunctionCall | None) -> Word:
        try:
            mine = home_alignment(use, alignment, origin.use)
        except NoLayoutError:
            raise RefusedError(f"{place_of(call)} reads a tensor in a way that rules do not follow") from None
        match origin:
            case Given():
                return self._given(origin, mine)
            case Filled(first=None):
                raise RefusedError(f"{place_of(call)} reads a tensor that is filled in place")
            case Filled():
                if not origin.step:
                    return origin.first
                if has_window(mine):
                    raise RefusedError(f"{place_of(call)} reads a part of what is counted up")
                at = self._read(RawRead(None, "long long", axes_of(mine)))
                return at if (origin.first, origin.step) == (0, 1) else f"({origin.first!r} + {origin.step!r} * {at})"
            case Made():
                return self._made(origin, mine)

    def _given(self, given: Given, alignment: Alignment) -> str:
        if given.axes is None:
            self.noted.append((given.name, alignment))
        axes = axes_of(alignment)
        if has_window(alignment):
            return self._read(RawRead(given.name, VALUE_TYPES[given.use.dtype], axes, part=alignment))
        other = self._sources.turned(given, axes)
        if other is not None and other.axes is not None:
            given, axes = other, other.axes
        return self._read(RawRead(given.name, VALUE_TYPES[given.use.dtype], axes))

    def _read(self, read: RawRead) -> str:
        if read not in self.reads:
            self.reads.append(read)
        return f"@a{self.reads.index(read)}@"

    def _add(self, kind: str, text: str, c_type: str, call: FunctionCall | None, axes: Sequence[Axis] | frozenset[Axis] | None) -> str:
        """The word of a step: of an earlier one that is equal, whichever function it belongs to."""
        own = self._axes_in(text) if axes is None else frozenset(axes)
        for number, step in enumerate(self.steps):
            if (step.kind, step.text, step.c_type, step.axes) == (kind, text, c_type, own):
                return f"@s{number}@"
        self.steps.append(RawStep(kind, text, c_type, call, own))
        return f"@s{len(self.steps) - 1}@"

    def _axes_in(self, text: str) -> frozenset[Axis]:
        """What a text's words depend on; how far tensors reach that are joined is the same for all elements."""
        found: set[Axis] = set()
        for word in text.split("@")[1::2]:
            if word[0] == END_MARK:
                continue
            number = int(word[1:])
            found |= self.steps[number].axes if word[0] == "s" else {*self.reads[number].axes, *self._axes_in(self.reads[number].base)}
        return frozenset(found)

    def _made(self, made: Made, alignment: Alignment) -> str:
        call = self._calls[made.place]
        c_type = VALUE_TYPES.get(made.use.dtype)
        if c_type is None:
            raise RefusedError(f"{place_of(call)} leaves {made.use.dtype}, rules write {TYPES_IN_WORDS}")
        key = (made.place, made.output, alignment, "")
        if key not in self._known:
            found = row_function(call) if call.kind in ("rows", "reduction", "other") else None
            is_part = has_window(alignment)
            self._parts += is_part
            if self._parts and (found is not None or call.name in _BY_PLACE):
                self._known[key] = self._part_of_another(made, alignment)
            elif found is not None:
                self._known[key] = self._rows(made, whole_of(alignment), found)
            elif call.name in _BY_PLACE:
                self._known[key] = self._by_place(made, whole_of(alignment))
            else:
                self._known[key] = self._elements(made, alignment, c_type)
            self._parts -= is_part
        return self._known[key]

    def _by_place(self, made: Made, alignment: WholeAlignment) -> str:
        match self._calls[made.place].name:
            case "repeat":
                return self._repeated(made, alignment)
            case "embedding":
                return self._picked(made, alignment)
            case "cat":
                return self._joined(made, alignment)
            case "stack":
                return self._stacked(made, alignment)
            case _:
                return self._running(made, alignment)

    def _elements(self, made: Made, alignment: Alignment, c_type: str) -> str:
        call, shape = self._calls[made.place], made.use.shape
        name = call.name.rstrip("_") if not call.name.startswith("_") else call.name
        if call.kind == "reduction" or call.kind == "rows":
            raise RefusedError(f"{place_of(call)} is a reduction that rules do not write")
        if call.kind != "pointwise" or made.output != 0 or len(call.writes) != 1:
            raise RefusedError(f"{place_of(call)} is neither element by element nor a reduction")
        types = [VALUE_TYPES.get(each.dtype, "") for each in call.arguments if isinstance(each, TensorUse)]
        check_types(call, name, types, c_type)
        given = (None, *call.arguments[1:]) if name == "copy" else call.arguments
        words = [self._word(call, made.place, argument, shape, alignment) for argument in given]
        named = {key: self._word(call, made.place, value, shape, alignment) for key, value in call.named}
        words = [typed(call, name, number, word, types, c_type) for number, word in enumerate(words)]
        if name in ("tril", "triu"):
            row, column = (self._read(RawRead(None, "long long", axes)) for axes in whole_of(alignment)[-2:])
            words = [words[0], row, column, str(call.arguments[1] if len(call.arguments) > 1 else 0)]
        text = expression(call.name, tuple(words), named)
        if text is None:
            raise RefusedError(f"{place_of(call)} is a function that rules do not write")
        if "double" in (c_type, *types):
            text = in_double(text)
        text = rounded(call, name, made.use.dtype, text)
        return self._add("value", text, c_type, call, None)

    def _word(self, call: FunctionCall, place: int, argument: Argument, whole: tuple[int, ...], alignment: Alignment) -> Word:
        if argument is None or isinstance(argument, bool | int | float | str):
            return argument
        if not isinstance(argument, TensorUse):
            raise RefusedError(f"{place_of(call)} is given a list")
        origin = self._sources.seen(place, argument.memory)
        if origin is None:
            raise RefusedError(f"{place_of(call)} reads what is no input and no weight")
        try:
            mine = behind_broadcast(argument.shape, whole, alignment)
        except NoLayoutError:
            raise RefusedError(f"{place_of(call)} reads {list(argument.shape)} next to {list(whole)}") from None
        return self._from(origin, argument, mine, call)

    def _rows(self, made: Made, alignment: WholeAlignment, found: RowFunction) -> str:
        call = self._calls[made.place]
        stage = next((each for each in found.stages if each.output == made.output), None)
        x = call.arguments[0]
        if stage is None or not isinstance(x, TensorUse):
            raise RefusedError(f"{place_of(call)} is a reduction that rules do not write")
        places = _places(call, x.shape, found)
        whole = alignment if stage.kind == "full" else self._with_reduced(call, made, alignment, x.shape, places, found)
        folded = self._folded(whole, places, x.shape, found)
        rows = frozenset(axes_of(whole)) - frozenset(folded)
        if self._scan is not None or (self.reduced is not None and (self.reduced != folded or rows & set(self.reduced))):
            return self._left_to_another(made, alignment)
        self.reduced = folded
        return self._stage(made.place, stage, found, whole, folded)

    def _with_reduced(
        self, call: FunctionCall, made: Made, alignment: WholeAlignment, shape: tuple[int, ...], places: Sequence[int], found: RowFunction
    ) -> WholeAlignment:
        """Of what is reduced, by the alignment of what is left of it."""
        if found.groups != 1:
            raise RefusedError(f"{place_of(call)} returns statistics of groups, which rules do not write")
        is_kept = len(made.use.shape) == len(shape) and len(shape) > 0
        left = iter(axes for at, axes in enumerate(alignment) if not (is_kept and at in places))
        rows = {at: next(left) for at in range(len(shape)) if at not in places}
        own = self._reduced_axes([axis for axes in rows.values() for axis in axes], [(at, shape[at]) for at in places], made.place)
        return tuple(own[at] if at in own else rows[at] for at in range(len(shape)))

    def _reduced_axes(self, rows: Sequence[Axis], dims: Sequence[tuple[int, int]], place: int) -> Mapping[int, tuple[Axis, ...]]:
        """The kernel's own axes where they fit: what is reduced there is then read once."""
        for axes in (self.reduced or (), *(axes_of(frame) for frame in self._frames)):
            own = _distributed([axis for axis in axes if axis not in rows], dims)
            if own is not None:
                return own
        return {at: self._sources.parts(f"{place}.{at}", size) for at, size in dims}

    def _folded(self, whole: WholeAlignment, places: Sequence[int], shape: Sequence[int], found: RowFunction) -> tuple[Axis, ...]:
        if found.groups == 1:
            return axes_of(tuple(whole[at] for at in places))
        _, inner = split_for(whole[places[0]], shape[places[0]] // found.groups)
        return (*inner, *axes_of(tuple(whole[at] for at in places[1:])))

    def _stage(self, place: int, stage: Stage, found: RowFunction, whole: WholeAlignment, folded: tuple[Axis, ...]) -> str:
        key = (place, -1, whole, stage.name)
        if key in self._known:
            return self._known[key]
        call = self._calls[place]
        x = call.arguments[0]
        assert isinstance(x, TensorUse)
        words: dict[str, str] = {"columns": "columns"}
        earlier = {each.name: each for each in found.stages}
        for name, value in (("x", x), *found.operands):
            if f"{{{name}}}" in stage.text:
                words[name] = constant(self._word(call, place, value, x.shape, whole))
        for name in earlier:
            if f"{{{name}}}" in stage.text:
                words[name] = self._stage(place, earlier[name], found, whole, folded)
        if "{at}" in stage.text:
            words["at"] = self._read(RawRead(None, "long long", folded))
        c_type = stage.c_type
        if stage.kind == "sum" and x.dtype not in _FLOATS:
            if call.name not in _FOLDED_WHOLE or VALUE_TYPES.get(x.dtype) not in WHOLE:
                raise RefusedError(f"{place_of(call)} reduces {x.dtype}, rules write float32, float16, bfloat16, and sums of whole numbers")
            c_type = "long long"
        elif x.dtype not in _FLOATS:
            raise RefusedError(f"{place_of(call)} reduces {x.dtype}, rules write float32, float16, bfloat16, and sums of whole numbers")
        text = stage.text.format(**words)
        rows = frozenset(axes_of(whole)) - frozenset(folded)
        kind, axes = ("value", None) if stage.kind in ("full", "row") else (stage.kind, rows)
        self._known[key] = self._add(kind, text, c_type, call, axes)
        return self._known[key]

    def _running(self, made: Made, alignment: WholeAlignment) -> str:
        """A sum or product of all elements before each one, and itself."""
        call = self._calls[made.place]
        x, place = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else None
        if not isinstance(x, TensorUse) or type(place) is not int or not x.shape or {x.dtype, made.use.dtype} - _FLOATS:
            raise RefusedError(f"{place_of(call)} runs over something else than floats of 16 or 32 bits, which rules do not write")
        along = alignment[place % len(x.shape)]
        if self.reduced is not None and (self._scan is None or self.reduced != along):
            return self._left_to_another(made, alignment)
        self.reduced = self._scan = along
        word = self._word(call, made.place, x, x.shape, alignment)
        return self._add(_SCANS[call.name], constant(word), "float", call, axes_of(alignment))

    def _left_to_another(self, made: Made, alignment: Alignment) -> str:
        if self._is_strict:
            raise ConflictError
        given = self._sources.stored(made, alignment)
        return self._read(RawRead(given.name, VALUE_TYPES[given.use.dtype], given.axes or ()))

    def _part_of_another(self, made: Made, alignment: Alignment) -> str:
        """A part of what a kernel before this one leaves as a whole."""
        if self._is_strict:
            raise ConflictError
        dims = list(zip(made.use.shape, alignment, strict=True))
        label = f"{FIXED}{made.place}.{made.output}."
        whole = tuple(
            (along.reach,)
            if isinstance(along, Window) and along.is_whole
            else self._sources.parts(f"{label}{at}", size)
            if isinstance(along, Window)
            else along
            for at, (size, along) in enumerate(dims)
        )
        given = self._sources.stored(made, whole)
        part = alignment if has_window(alignment) else ()
        return self._read(RawRead(given.name, VALUE_TYPES[given.use.dtype], axes_of(alignment), part=part))

    def _repeated(self, made: Made, alignment: WholeAlignment) -> str:
        call = self._calls[made.place]
        x = call.arguments[0]
        origin = self._sources.seen(made.place, x.memory) if isinstance(x, TensorUse) else None
        if not isinstance(x, TensorUse) or origin is None:
            raise RefusedError(f"{place_of(call)} repeats what is no input and no weight")
        inner: list[tuple[Axis, ...]] = []
        try:
            for size, axes in zip(x.shape, alignment[len(alignment) - len(x.shape) :], strict=True):
                inner.append(() if size == 1 else split_for(axes, size)[1])
        except NoLayoutError:
            raise RefusedError(f"{place_of(call)} repeats a tensor across others, which rules do not write") from None
        word = self._from(origin, x, tuple(inner), call)
        return self._add("value", constant(word), VALUE_TYPES[x.dtype], call, None)

    def _stacked(self, made: Made, alignment: WholeAlignment) -> str:
        """Tensors side by side along a dimension of their own: which one's element it is depends on the place."""
        call = self._calls[made.place]
        tensors, dim = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else 0
        if not isinstance(tensors, tuple) or type(dim) is not int or len(tensors) > _MOST_STACKED:
            raise RefusedError(f"{place_of(call)} stacks more tensors than rules write")
        place = dim % len(alignment)
        at = self._read(RawRead(None, "long long", alignment[place]))
        words: list[str] = []
        for tensor in tensors:
            if not isinstance(tensor, TensorUse) or tensor.dtype != made.use.dtype:
                raise RefusedError(f"{place_of(call)} stacks tensors of several types")
            rest = (*alignment[:place], *alignment[place + 1 :])
            words.append(constant(self._word(call, made.place, tensor, tensor.shape, rest)))
        text = "".join(f"{at} == {number} ? {word} : " for number, word in enumerate(words[:-1])) + words[-1]
        return self._add("value", text, VALUE_TYPES[made.use.dtype], call, None)

    def _joined(self, made: Made, alignment: WholeAlignment) -> str:
        """Tensors one behind the other along a dimension: each element reads all of them, where it lies in none the nearest element."""
        if made != self._asked and any(call.kind in ("rows", "reduction") or call.name in _SCANS for call in self._calls):
            return self._left_to_another(made, alignment)
        call = self._calls[made.place]
        tensors, dim = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else 0
        if not isinstance(tensors, tuple) or type(dim) is not int or len(tensors) > _MOST_STACKED:
            raise RefusedError(f"{place_of(call)} joins more tensors than rules write")
        place = dim % len(alignment)
        at, text = self._read(RawRead(None, "long long", alignment[place])), ""
        for use, window in joined_parts(made, call, place, alignment[place], self._sources):
            word = constant(self._word(call, made.place, use, use.shape, (*alignment[:place], window, *alignment[place + 1 :])))
            text += word if window.is_last else f"{at} < {end_word(window)} ? {word} : "
        return self._add("value", text, VALUE_TYPES[made.use.dtype], call, None)

    def _picked(self, made: Made, alignment: WholeAlignment) -> str:
        """Rows of a table, by their numbers."""
        call = self._calls[made.place]
        table, numbers = call.arguments[:2]
        if not isinstance(table, TensorUse) or not isinstance(numbers, TensorUse):
            raise RefusedError(f"{place_of(call)} picks rows of what is no tensor")
        origin = self._sources.seen(made.place, table.memory)
        if not isinstance(origin, Given) or not table.is_whole or table.dtype not in _FLOATS:
            raise RefusedError(f"{place_of(call)} picks rows of what is no input and no weight")
        row = self._word(call, made.place, numbers, numbers.shape, alignment[:-1])
        self.noted.append((origin.name, ((), alignment[-1])))
        word = self._read(RawRead(origin.name, "float", alignment[-1], constant(row)))
        return self._add("value", word, "float", call, None)


def _places(call: FunctionCall, shape: tuple[int, ...], found: RowFunction) -> list[int]:
    return sorted({place % max(1, len(shape)) for place in found.places or range(len(shape))})


def _distributed(axes: Sequence[Axis], dims: Sequence[tuple[int, int]]) -> Mapping[int, tuple[Axis, ...]] | None:
    """The axes as those of dimensions of these sizes, all of them; None where they do not fit."""
    left, found = list(axes), dict[int, tuple[Axis, ...]]()
    for at, size in dims:
        own: list[Axis] = []
        have = 1
        while left and (have < size or (size == 1 and not own and left[0].size == 1)):
            own.append(left.pop(0))
            have *= own[-1].size
        if have != size:
            return None
        found[at] = tuple(own)
    return None if left else found
