"""The text by which the lanes of a warp make one list of theirs: the best of what is left, place by place.

Each round the lanes compare the elements at one place, of which every lane's list holds its own best that is not taken yet. Lanes that
had another one put it in front of theirs, so that at the end all lanes have the same list.

Example::

    merged_lists(context, kernel.function, kept, "lane", "offset")
    # ('for (int place = 0; place < K; place++) {', '    float first_best = best[place];', …)
"""

from __future__ import annotations

from assistant.cuda.functions import Function
from assistant.cuda.names import free_name
from assistant.plan.expert.analysis.kept_list import Column, KeptList
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.shared_rows import combined_values
from assistant.plan.expert.writing.style import Style, style_of
from assistant.record import Record

__all__ = ["merged_lists"]

_ALL = "0xffffffff"


class _Names(Record):
    """What the new locals are called."""

    place: str
    index: str
    first: dict[str, str]
    """By array: the best that any lane has at the place."""
    other: dict[str, str]
    """By array: that of another lane."""
    owner: str
    """The lane whose element it is."""


def merged_lists(context: TransformationContext, function: Function, kept: KeptList, lane: str, offset: str) -> tuple[str, ...]:
    """The statements behind the loop, line by line, without indentation."""
    style, names = style_of(context), _names(context, function, kept)
    best = _best_of_lanes(kept, names, offset, style)
    inner = (*best, *_taken(kept, names, lane, style))
    head = f"for (int {names.place} = 0; {names.place} < {kept.length}; {names.place}++)"
    return ("// the lanes' lists become one", "#pragma unroll", *style.headed(head, inner))


def _names(context: TransformationContext, function: Function, kept: KeptList) -> _Names:
    style = style_of(context)

    def free(*wanted: str) -> str:
        return free_name(context.tree, function.node, *wanted)

    return _Names(
        place=free("place", "list_place"),
        index=free("k", "i", "j", "p"),
        first={array: free(style.name("first", array)) for array in kept.arrays},
        other={array: free(style.name("other", array)) for array in kept.arrays},
        owner=free("owner", "owner_lane"),
    )


def _best_of_lanes(kept: KeptList, names: _Names, offset: str, style: Style) -> tuple[str, ...]:
    """The best element of all lanes at the place."""
    firsts = [f"{kept.elements[array]} {names.first[array]} = {array}[{names.place}];" for array in kept.arrays]
    loop = f"for (int {offset} = 16; {offset} > 0; {offset} /= 2)"
    if kept.counter is None:
        first = _of(names.first, kept.key)
        better = Combination.MAXIMUM if kept.is_largest_first else Combination.MINIMUM
        exchanged = combined_values(first, kept.key.type, better, f"__shfl_xor_sync({_ALL}, {first}, {offset})")
        return (*firsts, loop, f"{style.indent}{exchanged}")
    others = [line for array in kept.arrays for line in _of_other_lane(kept, names, array, offset)]
    better = ">" if kept.is_largest_first else "<"
    key, counter = kept.key, kept.counter
    asked = (
        f"{_of(names.other, key)} {better} {_of(names.first, key)} || ({_of(names.other, key)} == {_of(names.first, key)} && "
        f"{_of(names.other, counter)} < {_of(names.first, counter)})"
    )
    taken = [f"{names.first[array]} = {names.other[array]};" for array in kept.arrays]
    return (*firsts, *style.headed(loop, (*others, *style.headed(f"if ({asked})", taken))))


def _of_other_lane(kept: KeptList, names: _Names, array: str, offset: str) -> tuple[str, ...]:
    columns = [column for column in kept.columns if column.array == array]
    moves = [f"{_of(names.other, c)} = __shfl_xor_sync({_ALL}, {_of(names.first, c)}, {offset});" for c in columns]
    if columns[0].member:
        return (f"{kept.elements[array]} {names.other[array]};", *moves)
    return (f"{kept.elements[array]} {moves[0]}",)


def _of(names: dict[str, str], column: Column) -> str:
    return f"{names[column.array]}.{column.member}" if column.member else names[column.array]


def _taken(kept: KeptList, names: _Names, lane: str, style: Style) -> tuple[str, ...]:
    """Lanes that had another element at the place put the best there, before their own."""
    shifts = [f"{array}[{names.index}] = {array}[{_less_one(names.index, style)}];" for array in kept.arrays]
    loop = f"for (int {names.index} = {_less_one(kept.length, style)}; {names.index} > {names.place}; {names.index}--)"
    stored = [f"{array}[{names.place}] = {names.first[array]};" for array in kept.arrays]
    inner = ("#pragma unroll", *style.headed(loop, shifts), *stored)
    before, asked = _is_another(kept, names, lane)
    return (*before, *style.headed(f"if ({asked})", inner))


def _is_another(kept: KeptList, names: _Names, lane: str) -> tuple[tuple[str, ...], str]:
    """Whether the best is not the lane's own, and what is worked out before; of lanes with equal ones it is the first's."""
    if kept.counter is not None:
        parts = (f"{_element(column, names.place)} != {_of(names.first, column)}" for column in (kept.key, kept.counter))
        return (), " || ".join(parts)
    ballot = f"__ballot_sync({_ALL}, {_element(kept.key, names.place)} == {_of(names.first, kept.key)})"
    return (f"const int {names.owner} = __ffs({ballot}) - 1;",), f"{lane} != {names.owner}"


def _element(column: Column, place: str) -> str:
    return f"{column.array}[{place}].{column.member}" if column.member else f"{column.array}[{place}]"


def _less_one(text: str, style: Style) -> str:
    if text.isdigit():
        return str(int(text) - 1)
    return f"{text}{style.space}-{style.space}1"
