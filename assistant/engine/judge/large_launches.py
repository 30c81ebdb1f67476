"""Launches that reach too much memory to be recorded: what both versions leave there is compared where it lies, on the GPU.

Both programs run as they are, and what their large launches leave stays on the device. Only where the two differ, the parts in which they
do so most are read, from a second run of the original too, and judged as what reaches the host is. Example::

    (await compared_in_memory(job, baseline, candidate)).compared     # ("norm behind rowNorm",)
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.instance_parameters import instance_parameters
from assistant.engine.evaluate import least_roundoff
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline
from assistant.engine.judge.changes import edited_kernels
from assistant.engine.source_version import SourceVersion
from assistant.engine.threads import in_thread
from assistant.model.elements import ElementKind, parse_element_type
from assistant.model.snapshot import Piece, Snapshot, SnapshotDifference, SnapshotPair, Snapshots
from assistant.model.verification import VerificationFinding
from assistant.ports.lab import LabFailure, LargeLaunches
from assistant.record import Record
from assistant.verify.evidence import ProgramVerdict
from assistant.verify.program import compare_programs
from assistant.verify.transfers import IN_MEMORY, HostData, ProgramTrace

__all__ = ["ComparedInMemory", "compared_in_memory"]

_KINDS = {
    (ElementKind.FLOAT, 4): "float",
    (ElementKind.FLOAT, 8): "double",
    (ElementKind.FLOAT, 2): "half",
    (ElementKind.BFLOAT, 2): "bfloat",
}


class ComparedInMemory(Record):
    """What the comparison shows."""

    findings: tuple[VerificationFinding, ...] = ()
    compared: tuple[str, ...] = ()
    """Each buffer that was compared, for people."""
    missing: tuple[str, ...] = ()


class _Place(Record):
    """Which buffer of the program it is, in both versions."""

    kernel: str
    """Its qualified name."""
    launch: int
    parameter: str
    offset_bytes: int


class _Buffer(Record):
    """One of A's buffers and B's, with what is known of it."""

    place: _Place
    pair: SnapshotPair
    element: str | None

    @property
    def name(self) -> str:
        count = f"launch {self.place.launch + 1} of " if self.place.launch else ""
        return f"{self.place.parameter} behind {count}{self.place.kernel}"


async def compared_in_memory(job: Job, baseline: Baseline, candidate: SourceVersion) -> ComparedInMemory:
    """Of the baseline's kernels, those launches that are too large to be recorded; nothing where there are none."""
    recording, large = baseline.counted.recording, job.lab.large_launches
    if recording is None or large is None:
        return ComparedInMemory()
    kernels = (baseline.version.kernel_of(instance) for instance in recording.too_large)
    wanted = frozenset(kernel.qualified_name for kernel in kernels if kernel is not None and kernel.key in baseline.kernels)
    return await _Comparison(job, baseline, candidate, large, wanted).made() if wanted else ComparedInMemory()


class _Comparison:
    """One comparison of two programs."""

    def __init__(self, job: Job, baseline: Baseline, candidate: SourceVersion, large: LargeLaunches, wanted: frozenset[str]) -> None:
        self._job = job
        self._baseline = baseline
        self._candidate = candidate
        self._large = large
        self._wanted = wanted

    async def made(self) -> ComparedInMemory:
        taken = list[Snapshot]()
        try:
            return await self._made(taken)
        finally:
            await self._large.free(taken)

    async def _made(self, taken: list[Snapshot]) -> ComparedInMemory:
        """``taken`` receives what must be given back."""
        sides = list[dict[_Place, Snapshot]]()
        left_out = set[str]()
        for version in (self._baseline.version, self._candidate):
            found = await self._large.take(version.program, self._wanted, self._job.limits)
            if isinstance(found, LabFailure):
                return _not_compared(found)
            taken += found.taken
            left_out.update(found.left_out)
            sides.append(self._places(version, found))
        buffers = [self._buffer(place, mine, sides[1][place]) for place, mine in sides[0].items() if _is_alike(mine, sides[1].get(place))]
        missing = self._missing(left_out, {buffer.place.kernel for buffer in buffers})
        differences = await self._large.compare([buffer.pair for buffer in buffers]) if buffers else ()
        if isinstance(differences, LabFailure):
            return _not_compared(differences)
        differing = [(buffer, found) for buffer, found in zip(buffers, differences, strict=True) if found.count]
        verdict = await self._verdict(differing, taken) if differing else ()
        if isinstance(verdict, LabFailure):
            return _not_compared(verdict)
        return ComparedInMemory(verdict, tuple(buffer.name for buffer in buffers), missing)

    def _places(self, version: SourceVersion, found: Snapshots) -> dict[_Place, Snapshot]:
        places = dict[_Place, Snapshot]()
        for snapshot in found.taken:
            kernel = version.kernel_of(snapshot.kernel)
            if kernel is None or kernel.qualified_name not in self._wanted:
                continue
            parameters = instance_parameters(kernel, snapshot.kernel)
            if snapshot.argument < len(parameters):
                name = parameters[snapshot.argument].name
                places[_Place(kernel.qualified_name, snapshot.launch, name, snapshot.offset_bytes)] = snapshot
        return places

    def _buffer(self, place: _Place, mine: Snapshot, theirs: Snapshot) -> _Buffer:
        kernel = self._baseline.version.kernel_of(mine.kernel)
        assert kernel is not None
        spelled = instance_parameters(kernel, mine.kernel, self._baseline.version.aliases)[mine.argument].element_type
        element = None if spelled is None else parse_element_type(spelled)
        kind = "" if element is None else _KINDS.get((element.kind, element.scalar_bytes), "")
        return _Buffer(place, SnapshotPair(mine, theirs, kind), None if element is None else spelled)

    def _missing(self, left_out: set[str], compared: set[str]) -> tuple[str, ...]:
        """What there was no room for, or what B leaves nothing of in the same place."""
        kernels = (self._baseline.version.kernel_of(instance) or self._candidate.kernel_of(instance) for instance in sorted(left_out))
        crowded = {kernel.qualified_name for kernel in kernels if kernel is not None} & self._wanted
        said = [f"all that {name} leaves: the GPU has no memory for it besides the program's" for name in sorted(crowded)]
        said += [f"what {name} leaves: both versions leave nothing in the same place" for name in sorted(self._wanted - compared - crowded)]
        return tuple(said)

    async def _verdict(
        self, differing: Sequence[tuple[_Buffer, SnapshotDifference]], taken: list[Snapshot]
    ) -> tuple[VerificationFinding, ...] | LabFailure:
        """Of the parts that differ most, in the light of a second run of the original."""
        places = [(buffer, piece) for buffer, found in differing for piece in found.pieces]
        sides = list[tuple[bytes, ...]]()
        for snapshots in ([buffer.pair.a for buffer, _ in places], [buffer.pair.b for buffer, _ in places]):
            read = await self._large.read([Piece(one.id, *piece) for one, (_, piece) in zip(snapshots, places, strict=True)])
            if isinstance(read, LabFailure):
                return read
            sides.append(read)
        await self._large.free(taken)
        taken.clear()
        again = await self._read_again(places, sides[0], taken)
        if isinstance(again, LabFailure):
            return again
        return await in_thread(self._judged, places, (sides[0], again, sides[1]))

    async def _read_again(
        self, places: Sequence[tuple[_Buffer, tuple[int, int]]], first: tuple[bytes, ...], taken: list[Snapshot]
    ) -> tuple[bytes, ...] | LabFailure:
        """The same parts as another run of the original leaves them; as the first left them where it leaves none there."""
        found = await self._large.take(self._baseline.version.program, self._wanted, self._job.limits)
        if isinstance(found, LabFailure):
            return found
        taken += found.taken
        known = self._places(self._baseline.version, found)
        at = [index for index, (buffer, _) in enumerate(places) if buffer.place in known]
        read = await self._large.read([Piece(known[places[index][0].place].id, *places[index][1]) for index in at])
        if isinstance(read, LabFailure):
            return read
        other = dict(zip(at, read, strict=True))
        return tuple(other.get(index, data) for index, data in enumerate(first))

    def _judged(
        self, places: Sequence[tuple[_Buffer, tuple[int, int]]], sides: Sequence[tuple[bytes, ...]]
    ) -> tuple[VerificationFinding, ...]:
        traces = [
            ProgramTrace(0, b"", tuple(_data_of(buffer, offset, data) for (buffer, (offset, _)), data in zip(places, side, strict=True)))
            for side in sides
        ]
        instances = {buffer.pair.a.kernel for buffer, _ in places}
        least = least_roundoff(self._baseline.version.parsed, edited_kernels(self._baseline.version, self._candidate), instances)
        verdict = compare_programs(*traces, tolerance=self._baseline.tolerance, least_roundoff=least)
        return verdict.findings if isinstance(verdict, ProgramVerdict) else ()


def _is_alike(mine: Snapshot, theirs: Snapshot | None) -> bool:
    return theirs is not None and (mine.size_bytes, mine.pointer_offset_bytes) == (theirs.size_bytes, theirs.pointer_offset_bytes)


def _data_of(buffer: _Buffer, offset_bytes: int, data: bytes) -> HostData:
    element = parse_element_type(buffer.element or "char")
    size = 1 if element is None else element.scalar_bytes
    return HostData(IN_MEMORY, data, buffer.element, buffer.name, first_index=offset_bytes // size)


def _not_compared(failure: LabFailure) -> ComparedInMemory:
    return ComparedInMemory(missing=(f"what large launches leave in the GPU's memory: {failure.message}",))
