"""Bound shapes as the live workload that the engine judges on, with what the user's reference says of each.

The reference is called on the thread that calls here, the user's main thread: first on the arrays' own values of every shape, then on
fresh ones, until the time that it may take is over. Example::

    made = live_workload(folder, (ShapeBinding(bound, config),), reference, ReferenceLimits())
    made.workload.cases, made.notes
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.live.binding import Bound
from assistant.live.deadline import Overdue, deadline
from assistant.live.references import Reference, call_reference, outputs_of
from assistant.live.snapshot import ReadRegions, Region, regions_of, write_launch
from assistant.live.variables import VariableState
from assistant.live.zeros import drawn_values
from assistant.model.launch import LaunchConfig
from assistant.model.workload import CaseOrigin, LiveCase, LiveReference, LiveWorkload
from assistant.record import Record
from assistant.workload.derive import contents_of, extract, fresh_values, with_contents
from assistant.workload.draws import MINIMUM_SEED_COUNT, fresh_draws
from assistant.workload.recordings import NewCase, RecordingReader, RecordingWriter, write_case
from assistant.workload.select import shape_of

__all__ = ["MadeWorkload", "ReferenceLimits", "ShapeBinding", "live_workload"]

_SEED_BITS = 31
_OVERDUE = "as its calls took longer than"
_FRESH_VALUES_BYTES = 64 << 20
"""Arrays with more data are held against the reference on their own values only: fresh ones would be made in this process."""


class ShapeBinding(Record):
    """One launch as a person bound it."""

    bound: Bound
    config: LaunchConfig
    variables: tuple[VariableState, ...] = ()
    """Of the text, which the kernel may write."""
    zero_inputs: tuple[str, ...] = ()
    """Arrays of zeros alone, in whose place fresh values are drawn (`zero_floats`)."""


class ReferenceLimits(Record):
    """How long the reference may keep the cell waiting."""

    total_s: float = 10.0
    """After it, the call under way is ended and no further one is begun."""
    is_own_awaited: bool = False
    """Calls on the arrays' own values are let finish, however long they take."""
    option: str = " (--ref-time)"
    """What raises ``total_s``, in a note that says it was too little."""
    seed_count: int = MINIMUM_SEED_COUNT
    """Draws of fresh values per shape."""


class MadeWorkload(Record):
    workload: LiveWorkload
    notes: tuple[str, ...]
    """What was left out, in words."""

    @property
    def drawn(self) -> frozenset[str]:
        """Arrays of zeros alone that have other values in some case."""
        return frozenset(name for case in self.workload.cases for name in case.drawn)


_USUAL_LIMITS = ReferenceLimits()


def live_workload(
    folder: Path,
    shapes: Sequence[ShapeBinding],
    file: str,
    reference: Reference | None,
    limits: ReferenceLimits = _USUAL_LIMITS,
    read: ReadRegions | None = None,
) -> MadeWorkload:
    """Write every shape below ``folder``, and fresh values of those that the reference is called for or that have ``zero_inputs``.

    ``read`` copies arrays that are on a GPU.

    Raises BindingError and BadReference; what the reference raises passes.
    """
    own = [_own_case(folder / f"shape-{index}", shape, file, read) for index, shape in enumerate(shapes)]
    if reference is None:
        fresh = (
            _fresh(folder / f"fresh-{index}", own[index], one, limits.seed_count) for index, one in enumerate(shapes) if one.zero_inputs
        )
        return MadeWorkload(LiveWorkload((*own, *(case for cases in fresh for case, _ in cases))), ())
    asked = _ReferenceCalls(reference, limits)
    judged = [asked.case(case, shape.bound, None) for case, shape in zip(own, shapes, strict=True)]
    for index, shape in enumerate(shapes):
        judged += asked.fresh(folder / f"fresh-{index}", own[index], shape)
    return MadeWorkload(LiveWorkload(tuple(judged), reference.name), asked.notes())


def _own_case(folder: Path, shape: ShapeBinding, file: str, read: ReadRegions | None) -> LiveCase:
    recording = write_launch(folder, shape.bound, shape.config, file, read, shape.variables)
    return LiveCase(folder, shape_of(recording.launches[0], shape.bound.signature.parameters), 1.0, 0)


class _ReferenceCalls:
    """Calls of a reference within their limits."""

    def __init__(self, reference: Reference, limits: ReferenceLimits) -> None:
        self._reference = reference
        self._limits = limits
        self._end_s = time.monotonic() + limits.total_s
        self._skipped: list[str] = []
        self._unsaid: list[str] = []
        """Outputs that it returned nothing for."""

    def case(self, case: LiveCase, bound: Bound, contents: Mapping[str, bytes] | None) -> LiveCase:
        """The case with what the reference says of it; without, where time is over."""
        left_s = self._end_s - time.monotonic()
        try:
            if self._limits.is_own_awaited and contents is None:
                returned = call_reference(self._reference, bound, None)
            elif left_s <= 0:
                raise Overdue
            else:
                with deadline(left_s):
                    returned = call_reference(self._reference, bound, contents)
        except Overdue:
            self._skipped.append(f"{case.shape}{', fresh values' if contents else ''}, {self._overdue}")
            return case
        self._unsaid += [name for name in outputs_of(self._reference, bound) if name not in returned and name not in self._unsaid]
        writer = RecordingWriter(case.recording)
        regions = regions_of(bound)
        said = tuple(self._said(bound, regions, name, writer.add_blob(data)) for name, data in returned.items())
        return replace(case, reference=said)

    def _said(self, bound: Bound, regions: Sequence[Region], name: str, blob: str) -> LiveReference:
        region = _region_of(regions, name)
        return LiveReference(name, region.id, blob, offset_bytes=bound.arrays[name].address - region.address)

    def fresh(self, folder: Path, own: LiveCase, shape: ShapeBinding) -> list[LiveCase]:
        """The shape on fresh values, as many as time allows."""
        bound, count = shape.bound, self._limits.seed_count
        if bound.size_bytes > _FRESH_VALUES_BYTES:
            self._skipped.append(f"{own.shape}: {bound.size_bytes >> 20} MiB, so only on the arrays' own values")
            return []
        cases: list[LiveCase] = []
        drawn = _fresh(folder, own, shape, count)
        while len(cases) < count:
            if time.monotonic() > self._end_s:
                skipped = f"{own.shape}: {count - len(cases)} of {count} draws of fresh values"
                self._skipped.append(f"{skipped}, {self._overdue}")
                break
            case, values = next(drawn)
            cases.append(self.case(case, bound, values))
        return cases

    @property
    def _overdue(self) -> str:
        return f"{_OVERDUE} {self._limits.total_s:g} s{self._limits.option}"

    def notes(self) -> tuple[str, ...]:
        name = self._reference.name
        unsaid = [f"{', '.join(self._unsaid)} was held against nothing: the reference {name} did not return it"] if self._unsaid else []
        return (*unsaid, *(f"nothing was held against the reference {name} for {skipped}" for skipped in self._skipped))


def _fresh(folder: Path, own: LiveCase, shape: ShapeBinding, count: int) -> Iterator[tuple[LiveCase, dict[str, bytes]]]:
    """The shape on other values, with those by parameter; none of much data."""
    bound = shape.bound
    if bound.size_bytes > _FRESH_VALUES_BYTES:
        return
    base = _loaded(own, bound)
    for index, draw in enumerate(fresh_draws(tuple(secrets.randbits(_SEED_BITS) for _ in range(count)))):
        new = fresh_values(base, draw)
        values = drawn_values(bound, shape.zero_inputs, draw.seed, draw.scale)
        new = with_contents(new, _placed(new, bound, values), new.origin)
        written = write_case(folder / str(index), new)
        case = LiveCase(written.recording, own.shape, 0.0, draw.seed, scale=draw.scale, drawn=shape.zero_inputs)
        yield case, _values_by_name(new, bound)


def _placed(case: NewCase, bound: Bound, values: Mapping[str, bytes]) -> dict[int, bytes]:
    """By region, its contents with these values of arrays in it."""
    contents, regions = contents_of(case), regions_of(bound)
    placed: dict[int, bytes] = {}
    for name, data in values.items():
        region = _region_of(regions, name)
        start = bound.arrays[name].address - region.address
        held = placed.get(region.id, contents[region.id])
        placed[region.id] = held[:start] + data + held[start + len(data) :]
    return placed


def _loaded(case: LiveCase, bound: Bound) -> NewCase:
    reader = RecordingReader(case.recording)
    origin = CaseOrigin("recorded", case.shape, 0, 1.0, case.weight)
    return extract(reader.recording, reader.blob, 0, bound.signature.parameters, origin)


def _values_by_name(case: NewCase, bound: Bound) -> dict[str, bytes]:
    contents, regions = contents_of(case), regions_of(bound)
    values: dict[str, bytes] = {}
    for name, array in bound.arrays.items():
        region = _region_of(regions, name)
        start = array.address - region.address
        values[name] = contents[region.id][start : start + array.size_bytes]
    return values


def _region_of(regions: Sequence[Region], name: str) -> Region:
    return next(region for region in regions if any(array.name == name for array in region.arrays))
