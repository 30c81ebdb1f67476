"""A recorded launch at other sizes: integers, buffers and grid change together, as far as its recordings show how.

``size_model`` says what depends on which integer; ``at_sizes`` makes the launch. Whether the result is a launch that the kernel was
meant for is not known here: the original must show it by running clean and writing what a launch of these sizes would write. Example::

    model = size_model(case, observed, scalars)
    for plan in plans(model, {"w": 401, "h": 263}):
        at_sizes(case, model, plan)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product

import numpy as np

from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedBuffer, RecordedLaunch
from assistant.record import Record
from assistant.workload.arrays import Array, decode, encode
from assistant.workload.derive import contents_of, typed_buffers, with_contents
from assistant.workload.grown_contents import element_count, filled
from assistant.workload.offsets import offsets_of
from assistant.workload.recordings import NewCase
from assistant.workload.relations import CountAtSizes, SeenBlocks, Sizes, Term, explain_blocks, explain_extent
from assistant.workload.resample import is_distinct, is_sorted
from assistant.workload.scalars import Scalar, fits, with_scalars

__all__ = [
    "GridModel",
    "ObservedLaunch",
    "Place",
    "Plan",
    "SizeModel",
    "at_sizes",
    "configs_at",
    "grid_model",
    "plans",
    "shape_words",
    "size_model",
    "with_config",
]

_MOST_CONFIGS = 6
_MOST_BLOCKS = (1 << 31) - 1, 65535, 65535
_MOST_BLOCK_THREADS = 1024
_MOST_SHARED_BYTES = 227 << 10
"""Largest grid, block and dynamic shared memory (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0)."""
_WARP_THREADS = 32
_PROVING_GRIDS = 3
_LEAST_USED_RATIO = 0.5
"""Share of a size that integers below it must reach: with less of it, that they are below says nothing."""


Place = tuple[int, int]
"""Where a launch is passed a pointer: the argument's position, and the pointer's offset in it, as in a struct that is passed by value."""


class ObservedLaunch(Record):
    """One recorded launch of the kernel: what is known of its sizes."""

    sizes: Sizes
    config: LaunchConfig
    counts: Mapping[Place, int]
    """Elements of the buffer behind each pointer."""


class GridModel(Record):
    """How grid, block and shared memory of a version's launches follow from its integers."""

    config: LaunchConfig
    grid: tuple[tuple[Term, ...], tuple[Term, ...], tuple[Term, ...]]
    """Per axis, likeliest first; empty where it is always the same."""
    block: tuple[str | None, str | None, str | None]
    """The integer that a block's axis is equal to; None where it is always the same."""
    shared: tuple[Term, ...]
    is_proved: bool = False
    """Launches of several sizes have just the grids that the terms say: at other sizes no other grid is meant."""

    @property
    def names(self) -> frozenset[str]:
        """The integers that it follows from, by the likeliest term of each axis and of shared memory."""
        terms = (*(axis[0] for axis in self.grid if axis), *self.shared[:1])
        return frozenset(name for term in terms for name in term.names) | {name for name in self.block if name}

    @property
    def possible_names(self) -> frozenset[str]:
        """Also the integers that it may follow from instead, alone: the width of rows, where their pitch would do as well."""
        alone = (term for axis in self.grid for term in axis if len(term.factors) == 1 and term.factors[0].is_plain)
        return self.names | {name for term in alone for name in term.names}


class SizeModel(Record):
    """How one launch grows."""

    scalars: tuple[Scalar, ...]
    counts: Mapping[int, tuple[Term, ...]]
    """Elements per buffer id; buffers that are not named keep their size."""
    grid: GridModel
    has_places: bool
    """Whether a buffer holds integers that look like places: sorted ones, all different, or ``bounds``."""
    bounds: Mapping[int, str] = field(default_factory=dict[int, str])
    """By buffer id: the size that all its integers are below, as labels are below the number of classes, columns below the width."""
    block_counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Sizes that no integer shows but the grid (``gridDim.x``), as of a kernel with a block for each row."""

    @property
    def sizes(self) -> dict[str, int]:
        return {scalar.name: scalar.value for scalar in self.scalars} | dict(self.block_counts)

    @property
    def leading(self) -> frozenset[str]:
        """The integers that a buffer or the grid depends on."""
        return self.grid.names | {name for terms in self.counts.values() for term in terms for name in term.names}

    @property
    def looped(self) -> frozenset[str]:
        """Those that the number of blocks does not depend on: the same threads go over more."""
        counts = self.grid.config.grid.axes
        of_blocks = (axis[0] for axis, count in zip(self.grid.grid, counts, strict=True) if axis and count > 1)
        return self.leading - {name for term in of_blocks for name in term.names} - self.block_counts.keys()

    @property
    def varied(self) -> dict[str, int]:
        """Those, and those that the grid may depend on instead, in the order of the parameters."""
        used = self.leading | self.grid.possible_names
        return {name: value for name, value in self.sizes.items() if name in used}

    def keeps_elements_whole(self, sizes: Sizes) -> bool:
        """Whether sizes in bytes, such as a pitch, that are whole numbers of elements are so in ``sizes``, too."""
        own, counted = self.sizes, [term for terms in self.counts.values() for term in terms if term.per > 1]
        in_bytes = ((name, term.per) for term in counted for name in term.names if own[name] % term.per == 0)
        return all(sizes.get(name, own[name]) % per == 0 for name, per in in_bytes)


class Plan(Record):
    """One way to launch at other sizes."""

    sizes: Sizes
    config: LaunchConfig
    is_followed: bool
    """Integers that look like places (sorted, or all different) are carried on where a buffer grows and scaled where it shrinks, those
    below a size are scaled with it; else they are repeated, or cut."""


def size_model(case: NewCase, observed: Sequence[ObservedLaunch], scalars: tuple[Scalar, ...]) -> SizeModel | None:
    """Model of the launch that ``observed`` begins with; None where no integer says how large anything is."""
    counts = _extents(case, observed)
    grid = grid_model(observed, _terms(counts))
    counts |= _of_each_block(case, observed[0], grid, counts.keys())
    unexplained = [axis for axis, terms in zip("xyz", grid.grid, strict=True) if not terms and getattr(grid.config.grid, axis) > 1]
    with_grid = [_with_block_counts(one, unexplained) for one in observed]
    more = {buffer: terms for buffer, terms in _extents(case, with_grid).items() if buffer not in counts}
    block_counts: dict[str, int] = {}
    if more:
        counts |= more
        used = {name for term in _terms(more) for name in term.names}
        block_counts = {name: value for name, value in with_grid[0].sizes.items() if name in used and name not in observed[0].sizes}
        grid = grid_model([_with_block_counts(one, [name[-1] for name in block_counts]) for one in observed], _terms(counts))
    contents = contents_of(case)
    has_places = any(_are_places(contents[b.id], b) for b in case.recording.buffers if b.id in counts)
    bounds = _bounds(case, {scalar.name: scalar.value for scalar in scalars})
    model = SizeModel(scalars, counts, grid, has_places or bool(bounds), bounds, block_counts)
    return model if model.varied else None


def _extents(case: NewCase, observed: Sequence[ObservedLaunch]) -> dict[int, tuple[Term, ...]]:
    """What the elements of each buffer follow from; buffers that nothing explains are left out."""
    counts: dict[int, tuple[Term, ...]] = {}
    for buffer, place in _free_buffers(case.recording.launches[0], case.recording.buffers).items():
        seen = [CountAtSizes(one.sizes, one.counts[place]) for one in observed if place in one.counts]
        terms = explain_extent(seen) if seen and seen[0].sizes == observed[0].sizes else ()
        if terms:
            counts[buffer] = terms
    return counts


def _of_each_block(case: NewCase, own: ObservedLaunch, grid: GridModel, known: Collection[int]) -> dict[int, tuple[Term, ...]]:
    """Buffers that nothing else explains with an element for each block of a grid along x: there are as many as there are blocks."""
    blocks, terms = own.config.grid, grid.grid[0]
    if blocks.count == 1 or blocks.count != blocks.x or not terms:
        return {}
    free = _free_buffers(case.recording.launches[0], case.recording.buffers)
    return {buffer: terms for buffer, place in free.items() if buffer not in known and own.counts.get(place) == blocks.x}


def _terms(counts: Mapping[int, tuple[Term, ...]]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(term for terms in counts.values() for term in terms))


def _with_block_counts(one: ObservedLaunch, axes: Sequence[str]) -> ObservedLaunch:
    """With the grid along ``axes`` among the sizes."""
    return replace(one, sizes={**one.sizes, **{f"gridDim.{axis}": getattr(one.config.grid, axis) for axis in axes}})


def grid_model(observed: Sequence[ObservedLaunch], extents: Sequence[Term] = ()) -> GridModel:
    """Grid model of the launch that ``observed`` begins with; the others must fit as well. ``extents``: what buffers follow from."""
    config, sizes = observed[0].config, observed[0].sizes
    x, y, z = (_axis_terms(observed, axis, extents) for axis in ("x", "y", "z"))
    block_x, block_y, block_z = (_same_size(value, sizes) for value in config.block.axes)
    shared = explain_extent([CountAtSizes(one.sizes, one.config.shared_bytes) for one in observed]) if config.shared_bytes else ()
    grids = {one.config.grid for one in observed}
    is_followed = all(terms or len({getattr(grid, axis) for grid in grids}) == 1 for axis, terms in zip("xyz", (x, y, z), strict=True))
    return GridModel(config, (x, y, z), (block_x, block_y, block_z), shared, len(grids) >= _PROVING_GRIDS and is_followed)


def _axis_terms(observed: Sequence[ObservedLaunch], axis: str, extents: Sequence[Term]) -> tuple[Term, ...]:
    """Terms of the grid along one axis; a single block says nothing, unless a buffer depends on the integer: it may cover any."""
    seen = [SeenBlocks(one.sizes, one.config.block, getattr(one.config.grid, axis), axis) for one in observed]
    known = frozenset(name for term in extents for name in term.names)
    terms = explain_blocks(seen, extents)
    usual = tuple(term for term in terms if term.names <= known)
    if seen[0].count == 1:
        covering = (replace(term, per=term.per * observed[0].config.block.count) for term in extents)
        return tuple(dict.fromkeys((*usual, *covering))) if axis == "x" else ()
    return (*usual, *(term for term in terms if term not in usual))


def plans(model: SizeModel, sizes: Sizes) -> Iterator[Plan]:
    """Ways to launch at ``sizes``, likeliest first; none where an integer's type or the hardware's limits do not allow it."""
    if not all(fits(scalar, sizes[scalar.name]) for scalar in model.scalars):
        return
    for config in configs_at(model.grid, sizes):
        for is_followed in (True, False) if model.has_places else (False,):
            yield Plan(sizes, config, is_followed)


def configs_at(model: GridModel, sizes: Sizes) -> tuple[LaunchConfig, ...]:
    """Launch configurations at ``sizes`` that hardware takes: the likeliest, the recorded one, the largest, further likely ones.

    Where several recorded grids prove how it follows, likely ones alone.
    """
    axes = zip(model.grid, model.config.grid.axes, strict=True)
    choices = [tuple(dict.fromkeys(term.at(sizes) for term in terms)) or (count,) for terms, count in axes]
    block = Dim3(*(value if name is None else sizes[name] for name, value in zip(model.block, model.config.block.axes, strict=True)))
    shared = max((term.at(sizes) for term in model.shared), default=model.config.shared_bytes)
    first, *others = sorted(product(*choices), key=lambda blocks: _place_of(blocks, choices))
    largest = tuple(max(choice) for choice in choices)
    unlike = () if model.is_proved else (model.config.grid.axes, largest)
    likely = islice(dict.fromkeys((first, *unlike, *others)), _MOST_CONFIGS)
    found = (LaunchConfig(Dim3(*blocks), block, shared) for blocks in likely)
    return tuple(config for config in found if _is_launchable(config))


def at_sizes(case: NewCase, model: SizeModel, plan: Plan) -> NewCase:
    """``case`` (of one launch) launched by ``plan``; buffers hold what they held, repeated or cut."""
    launch = with_scalars(case.recording.launches[0], {scalar: plan.sizes[scalar.name] for scalar in model.scalars})
    before = contents_of(case)
    counts = {buffer: max(term.at(plan.sizes) for term in terms) for buffer, terms in model.counts.items()}
    contents = {b.id: filled(before[b.id], b, counts[b.id], plan.is_followed) for b in case.recording.buffers if b.id in counts}
    if plan.is_followed:
        contents |= _shorter_offsets(case, counts) | _below_bounds(case, model, plan.sizes, counts)
    buffers = tuple(replace(b, size_bytes=len(contents.get(b.id, before[b.id]))) for b in case.recording.buffers)
    recording = replace(case.recording, buffers=buffers, launches=(replace(launch, config=plan.config, blocks_run=None, chosen_blocks=()),))
    origin = replace(case.origin, kind="resized", shape=shape_words(plan.sizes), weight=0.0, is_own_size=False)
    return with_contents(replace(case, recording=recording), contents, origin)


def with_config(case: NewCase, config: LaunchConfig) -> NewCase:
    """``case`` (of one launch) with another launch configuration."""
    launch = replace(case.recording.launches[0], config=config)
    return replace(case, recording=replace(case.recording, launches=(launch,)))


def shape_words(sizes: Sizes) -> str:
    """``n=1000, m=30``."""
    return ", ".join(f"{name}={value}" for name, value in sizes.items())


def _free_buffers(launch: RecordedLaunch, buffers: Sequence[RecordedBuffer]) -> dict[int, Place]:
    """Buffers whose size may change, each with the first place that points to its beginning."""
    reached: dict[int, list[tuple[Place, int]]] = {}
    for position, argument in enumerate(launch.arguments):
        for pointer in argument.pointers:
            reached.setdefault(pointer.buffer, []).append(((position, pointer.offset_bytes), pointer.buffer_offset_bytes))
    sizes = {buffer.id: buffer for buffer in buffers if buffer.symbol is None and not buffer.pointers}
    return {buffer: places[0][0] for buffer, places in reached.items() if buffer in sizes and all(offset == 0 for _, offset in places)}


def _are_places(data: bytes, buffer: RecordedBuffer) -> bool:
    values = _integers(data, buffer)
    return values is not None and (is_sorted(values) or is_distinct(values))


def _integers(data: bytes, buffer: RecordedBuffer) -> Array | None:
    """What a buffer of several integers holds; None of any other."""
    element = parse_element_type(buffer.element_type or "")
    if buffer.is_poisoned or element is None or element.is_floating or element.components != 1:
        return None
    values = decode(data, element)
    return values if values.size > 1 else None


def _bounds(case: NewCase, sizes: Sizes) -> dict[int, str]:
    """As of ``SizeModel.bounds``: the least size above all integers of a buffer that use most of it, and look like no other places."""
    contents, free = contents_of(case), typed_buffers(case)
    found: dict[int, str] = {}
    for buffer in (buffer for buffer in case.recording.buffers if buffer.id in free):
        values = _integers(contents[buffer.id], buffer)
        if values is None or int(values.min()) < 0 or is_sorted(values) or is_distinct(values):
            continue
        largest = int(values.max())
        above = [name for name, size in sizes.items() if largest < size <= largest / _LEAST_USED_RATIO]
        if above:
            found[buffer.id] = min(above, key=sizes.__getitem__)
    return found


def _same_size(count: int, sizes: Sizes) -> str | None:
    """The integer that says how many threads a block has along an axis; multiples of a warp are anybody's choice."""
    if count == 1 or count % _WARP_THREADS == 0 or count & (count - 1) == 0:
        return None
    return next((name for name, value in sizes.items() if value == count), None)


def _place_of(blocks: tuple[int, ...], choices: Sequence[tuple[int, ...]]) -> int:
    """How far down in the lists of likely numbers these stand."""
    return sum(choice.index(count) for count, choice in zip(blocks, choices, strict=True))


def _is_launchable(config: LaunchConfig) -> bool:
    grid, block = config.grid.axes, config.block
    return (
        all(0 < count <= most for count, most in zip(grid, _MOST_BLOCKS, strict=True))
        and 0 < block.count <= _MOST_BLOCK_THREADS
        and config.shared_bytes <= _MOST_SHARED_BYTES
    )


def _shorter_offsets(case: NewCase, counts: Mapping[int, int]) -> dict[int, bytes]:
    """Buffers of offsets that become shorter, with the rows that they begin with, as far as there will be elements.

    The elements are taken to be those of the smallest buffer that holds as many as the offsets say.
    """
    types, held = typed_buffers(case), {buffer.id: element_count(buffer) for buffer in case.recording.buffers}
    found: dict[int, bytes] = {}
    for buffer, values in offsets_of(case).items():
        if counts.get(buffer, values.size) < values.size:
            rows = min((other for other in held if other != buffer and held[other] >= int(values[-1])), key=held.__getitem__)
            kept = np.minimum(values[: counts[buffer]], counts.get(rows, held[rows]))
            found[buffer] = encode(kept.astype(values.dtype), types[buffer])
    return found


def _below_bounds(case: NewCase, model: SizeModel, sizes: Sizes, counts: Mapping[int, int]) -> dict[int, bytes]:
    """Buffers whose integers are below a size that is smaller now, scaled with it."""
    types, contents, own = typed_buffers(case), contents_of(case), model.sizes
    found: dict[int, bytes] = {}
    for buffer, name in model.bounds.items():
        if sizes[name] < own[name]:
            values = decode(contents[buffer], types[buffer])
            whole = np.resize(values, counts.get(buffer, values.size))
            found[buffer] = encode((whole.astype(np.float64) * sizes[name] / own[name]).astype(values.dtype), types[buffer])
    return found
