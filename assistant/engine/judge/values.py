"""The launch of one case on other values, in the order of what shows most: drawn again from its own, or of kinds that it never had.

Example::

    [made.new.origin.kind for made in other_values(Base(case, layouts, rows, seeds))]     # ["dense", "resampled", "mirrored", …]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate import JudgedCase, Resize, layouts_of
from assistant.engine.judge.probes import refilled, resized, with_repeats, with_ties
from assistant.engine.judge.written_grid import WrittenGrid
from assistant.model.launch import Dim3
from assistant.model.recording import RecordedLaunch
from assistant.model.structs import ElementLayout, LayoutOf
from assistant.record import Record
from assistant.verify.kinds import RETUNED, meaning_of
from assistant.verify.numbers import element_of, floats
from assistant.workload.alignment import with_shifted
from assistant.workload.cancelling import CANCELLING, with_cancelling
from assistant.workload.clustered import with_clustered
from assistant.workload.derive import Layouts, contents_of, fresh_values, typed_buffers
from assistant.workload.draws import MIRRORED, Draw, Zeros, fresh_draws
from assistant.workload.offsets import with_offsets, with_sorted_rows_kept
from assistant.workload.recordings import NewCase
from assistant.workload.resize import SizeModel
from assistant.workload.scalars import Scalar, numbers_of, scalars_of, with_floats_elsewhere, with_floats_near
from assistant.workload.smaller_grid import SMALLER_GRID, with_smaller_grids
from assistant.workload.specials import not_constant, with_huge, with_signed_zeros, with_specials, with_specials_apart
from assistant.workload.unseen import INTEGER_KINDS, SAME, SPREAD, TELLING_KINDS, UNEVEN, changed_buffers, with_uneven, with_unseen
from assistant.workload.unsorted import with_unsorted

__all__ = ["REPASSED", "Base", "apart", "base_of", "of_own_size", "other_values"]

_UNCHECKED_KINDS = frozenset({*TELLING_KINDS, SPREAD, UNEVEN, CANCELLING, "injected", "huge", "zeros", "mirrored", "mixed"})
"""Kinds that change floats alone: races and bounds are looked at on the others."""
_RESIZED = "resized"
_TIED, _EQUAL = "tied", "equal"
_ELEMENT_SIZES = (1, 2, 4, 8)
_NAMES_SHOWN = 2
_BELOW = "below"
_FILLED: tuple[Zeros, Zeros] = ("filled", "gone")
REPASSED = "repassed"
"""The kind of cases that are passed other floating numbers."""
_NUMBER_DRAWS = 3
_APART_COUNT = 4
"""Buffers of integers that are changed one by one where all together send the original out of bounds."""


class Base(Record):
    """The case whose values are changed."""

    case: JudgedCase
    layouts: Layouts
    row_lengths: tuple[int, ...]
    """Elements that a row may have (``zeros.structural_zeros``)."""
    seeds: tuple[int, ...]
    layout_of: LayoutOf
    """The structs that the original's text defines."""
    model: SizeModel | None = None
    """How its sizes depend on each other, where that is known."""
    written: WrittenGrid | None = None
    """What the text of the original's launch says of its grid, where it says anything."""


def base_of(case: JudgedCase, text: str, seeds: tuple[int, ...]) -> Base:
    """``text`` is the original's, which defines the structs."""

    def layout_of(name: str) -> ElementLayout | None:
        return layout_named(text, name)

    case = replace(case, new=with_sorted_rows_kept(case.new))
    integers = [scalar.value for scalar in scalars_of(case.new.recording.launches[0], case.parameters[0], layout_of)]
    rows = tuple(dict.fromkeys(value // size for size in _ELEMENT_SIZES for value in integers if value > 0 and value % size == 0))
    return Base(case, layouts_of(case.new, text), rows, seeds, layout_of)


def other_values(base: Base, is_declared: bool) -> Iterator[JudgedCase]:
    """Made one by one, as each may be large. ``is_declared``: its own kinds of values are drawn by the block's generators."""
    for make in (*(() if is_declared else (_drawn,)), _of_other_kinds, *(() if is_declared else (_drawn_further,)), _special):
        for made in make(base):
            yield _judged(base, _outside(made) if is_declared else made)


def apart(base: Base, made: JudgedCase) -> list[JudgedCase]:
    """A case of other integers, once for each of the buffers that it changes; none where that is one."""
    buffers = changed_buffers(base.case.new, made.new)
    seed = made.new.origin.seed
    cases = (
        with_unseen(base.case.new, made.new.origin.kind, seed + 1 + index, base.layouts, frozenset({buffer}))
        for index, buffer in enumerate(buffers)
    )
    found = [case for case in cases if case is not None] if len(buffers) > 1 else []
    return [_judged(base, case) for case in found[:_APART_COUNT]]


def of_own_size(base: Base) -> list[JudgedCase]:
    """What shows at the launch's own size only: integers of one value, of which counts may overflow, and large values that all fall to one
    thread of a block, of which it may keep too few."""
    cases = (with_unseen(base.case.new, SAME, base.seeds[0], base.layouts), _clustered(base))
    return [_judged(base, case) for case in cases if case is not None]


def _clustered(base: Base) -> NewCase | None:
    case = base.case.new
    return with_clustered(case, case.recording.launches[0].config.block.count, base.seeds[0], dict(base.case.buffer_names))


def _drawn(base: Base) -> Iterator[NewCase]:
    """The program's own kinds of values: dense, as they are, with signs flipped."""
    case, (draw, *_) = base.case.new, fresh_draws(base.seeds)
    kept = fresh_values(case, draw, base.layouts)
    is_of_integers = not changed_buffers(case, kept)
    first = fresh_values(case, replace(draw, integers="redrawn"), base.layouts) if is_of_integers else kept
    dense = fresh_values(case, replace(draw, integers="redrawn", zeros="filled"), base.layouts, base.row_lengths)
    if not changed_buffers(case, first) and not changed_buffers(case, dense):
        yield from (_with_other_numbers(base, seed) for seed in base.seeds[:_NUMBER_DRAWS])
        return
    has_other_zeros = _zero_count(dense) < _zero_count(kept)
    if has_other_zeros:
        yield dense
    if has_other_zeros and _holds_floats(base):
        yield _scattered(base)
    if changed_buffers(case, first):
        yield first
    if _holds_floats(base):
        yield fresh_values(case, Draw(base.seeds[-1], MIRRORED, zeros="filled"), base.layouts, base.row_lengths)
    yield from _retuned(base)


def _retuned(base: Base) -> Iterator[NewCase]:
    """The program's own kinds of data, with other floating numbers among the arguments; none where the launch is passed none but zeros."""
    fresh, random = fresh_values(base.case.new, fresh_draws(base.seeds)[0], base.layouts), np.random.default_rng(base.seeds[0])
    launches, changed = list[RecordedLaunch](), list[str]()
    for launch, parameters in zip(fresh.recording.launches, base.case.parameters, strict=True):
        launches.append(with_floats_elsewhere(launch, parameters, base.layout_of, random))
        before, after = (numbers_of(one, parameters, base.layout_of) for one in (launch, launches[-1]))
        changed += [f"{name}={after[name]:.4g}" for name, value in before.items() if np.isfinite(value) and after[name] != value]
    if changed:
        origin = replace(fresh.origin, kind=RETUNED, values=" and ".join(changed[:_NAMES_SHOWN]))
        yield replace(fresh, recording=replace(fresh.recording, launches=tuple(launches)), origin=origin)


def _scattered(base: Base) -> NewCase:
    return fresh_values(base.case.new, Draw(base.seeds[0], integers="kept", zeros="scattered"), base.layouts, base.row_lengths)


def _holds_floats(base: Base) -> bool:
    """Whether a draw of other floats changes anything."""
    members = (member.element for layout in base.layouts.values() for member in layout.members)
    return any(element.is_floating for element in (*typed_buffers(base.case.new).values(), *members))


def _with_other_numbers(base: Base, seed: int) -> NewCase:
    """A case with other numbers, for a kernel that reads no data: what it computes follows from the numbers that it is passed."""
    case, random = base.case.new, np.random.default_rng(seed)
    launches = tuple(
        with_floats_near(launch, parameters, base.layout_of, random)
        for launch, parameters in zip(case.recording.launches, base.case.parameters, strict=True)
    )
    origin = replace(case.origin, kind=REPASSED, seed=seed, scale=1.0, weight=0.0)
    return replace(case, recording=replace(case.recording, launches=launches), origin=origin)


def _of_other_kinds(base: Base) -> Iterator[NewCase]:
    """Ties, other integers, floats that are chosen to show mistakes."""
    case, seed = base.case.new, base.seeds[0]
    for kind in INTEGER_KINDS:
        yield from _unless_none(with_unseen(case, kind, seed, base.layouts))
    yield with_ties(case, seed)
    yield from _unless_none(_clustered(base))
    yield from with_smaller_grids(case)
    yield from with_offsets(case, dict(base.case.buffer_names), seed)
    yield from _unless_none(with_unseen(case, SPREAD, seed, base.layouts, not_constant(case)))
    dense = fresh_values(case, Draw(seed, integers="kept", zeros="filled"), base.layouts, base.row_lengths)
    for kind in TELLING_KINDS:
        yield from _unless_none(with_unseen(dense, kind, seed, base.layouts, _inputs(base) if kind == _BELOW else None))
    yield from with_uneven(case, seed, base.layouts, not_constant(case))
    yield from _unless_none(with_cancelling(dense, dict(base.case.buffer_names), base.row_lengths, seed))


def _inputs(base: Base) -> frozenset[int] | None:
    """Buffers of floats that the kernel only reads, as its parameters say; None where they say it of none.

    What a minimum or a maximum is kept in has a sign of its own: turned with the values, it would hide which of them is larger.
    """
    (launch, *_), (parameters, *_) = base.case.new.recording.launches, base.case.parameters
    given = [
        (one.buffer, parameter.is_const)
        for argument, parameter in zip(launch.arguments, parameters, strict=False)
        for one in argument.pointers
    ]
    written = {buffer for buffer, is_const in given if not is_const}
    floating = {buffer for buffer, element in typed_buffers(base.case.new).items() if element.is_floating}
    return frozenset(floating - written) & {buffer for buffer, _ in given} or None


def _drawn_further(base: Base) -> Iterator[NewCase]:
    """More of the program's own kinds, and smaller sizes on its own buffers."""
    case, seed = base.case.new, base.seeds[-1]
    if not _holds_floats(base) and changed_buffers(case, scattered := _scattered(base)):
        yield scattered
    mixed = fresh_values(case, Draw(seed, has_mixed_signs=True, zeros="filled"), base.layouts, base.row_lengths)
    if changed_buffers(fresh_values(case, Draw(seed, zeros="filled"), base.layouts, base.row_lengths), mixed):
        yield mixed
    for draw in fresh_draws(base.seeds)[1:]:
        yield fresh_values(case, draw, base.layouts)
    first = fresh_values(case, fresh_draws(base.seeds)[0], base.layouts)
    yield from _unless_none(with_repeats(case, seed))
    yield from _unless_none(with_unsorted(case, seed))
    dense, unpadded = (fresh_values(case, Draw(seed, zeros=zeros, integers="redrawn"), base.layouts, base.row_lengths) for zeros in _FILLED)
    if _zero_count(unpadded) < _zero_count(dense):
        yield unpadded
    yield from with_shifted(first, dict(base.case.buffer_names), base.layouts)
    yield from _unless_none(refilled(first, dict(base.case.buffer_names), seed))
    if case.origin.is_own_size:
        yield from resized(first, base.case.parameters[0], base.layout_of)


def _special(base: Base) -> Iterator[NewCase]:
    """NaN, infinities, denormal and huge values, zeros of both signs."""
    case, seed = base.case.new, base.seeds[0]
    yield with_specials(case, seed, base.layouts)
    yield from with_specials_apart(case, seed)
    yield with_signed_zeros(case, seed, base.layouts)
    yield with_huge(case, seed, base.layouts)


def _outside(made: NewCase) -> NewCase:
    """Ties are nothing that a block's generators would draw, so a difference there is no failure."""
    return replace(made, origin=replace(made.origin, kind=_EQUAL)) if made.origin.kind == _TIED else made


def _unless_none(case: NewCase | None) -> Iterator[NewCase]:
    if case is not None:
        yield case


def _judged(base: Base, made: NewCase) -> JudgedCase:
    is_probe = meaning_of(made.origin.kind) is not None
    words = (
        _words(base, made) if is_probe and not made.origin.values and made.origin.is_own_size == base.case.new.origin.is_own_size else ""
    )
    new = replace(made, origin=replace(made.origin, values=made.origin.values or words))
    resize = base.case.resize
    if made.origin.kind == _RESIZED and base.model is not None:
        before, integers = (scalars_of(one.recording.launches[0], base.case.parameters[0], base.layout_of) for one in (base.case.new, made))
        sizes = base.model.sizes | {scalar.name: scalar.value for scalar in integers}
        resize = Resize(base.model, tuple(sizes.items()), is_whole=False)
        grids = None if base.written is None else base.written.at(sizes)
        new = _with_a_block_for_each(before, integers, new) if grids is None else _with_grid(new, *grids[:1])
    if made.origin.kind == SMALLER_GRID:
        return _with_fewer_blocks(base, new)
    return replace(base.case, new=new, resize=resize, repeats=1, is_checked=made.origin.kind not in _UNCHECKED_KINDS, given=())


def _with_a_block_for_each(before: Sequence[Scalar], after: Sequence[Scalar], new: NewCase) -> NewCase:
    """With as many blocks as the integer says that changed, where there were as many before and no text says how many there are: a kernel
    with a block for each row need not compare the block's number with it."""
    changed = {old.value: now.value for old, now in zip(before, after, strict=True) if old.value != now.value}
    grid = new.recording.launches[0].config.grid
    return _with_grid(new, Dim3(*(changed.get(count, count) if count > 1 else count for count in grid.axes)))


def _with_grid(new: NewCase, grid: Dim3 | None = None) -> NewCase:
    """Its first launch with another grid; with its own where there is none."""
    if grid is None:
        return new
    first, *others = new.recording.launches
    started = replace(first, config=replace(first.config, grid=grid))
    return replace(new, recording=replace(new.recording, launches=(started, *others)))


def _with_fewer_blocks(base: Base, new: NewCase) -> JudgedCase:
    """A candidate takes over the blocks that the case has: nothing is modelled."""
    own = base.case.new.recording.launches[0].config
    recorded = own if base.case.resize is None else base.case.resize.model.grid.config
    return replace(base.case, new=new, resize=None, own_grid=own.grid, recorded_config=recorded, repeats=1, given=())


def _words(base: Base, made: NewCase) -> str:
    """``x from -250 to -1 and y from …``, of the first buffers that changed."""
    names, contents = dict(base.case.buffer_names), contents_of(made)
    types = typed_buffers(made)
    shown: list[str] = []
    for buffer in [one for one in changed_buffers(base.case.new, made) if one in types][:_NAMES_SHOWN]:
        values = floats(contents[buffer], types[buffer])
        finite = values[np.isfinite(values)]
        if finite.size:
            shown.append(f"{names[buffer]} from {finite.min():.4g} to {finite.max():.4g}")
    return " and ".join(shown)


def _zero_count(case: NewCase) -> int:
    contents = contents_of(case)
    typed = ((contents.get(b.id, b""), element_of(b.element_type, b.size_bytes)) for b in case.recording.buffers if not b.is_poisoned)
    return sum(int(np.count_nonzero(floats(data, element) == 0)) for data, element in typed if data)
