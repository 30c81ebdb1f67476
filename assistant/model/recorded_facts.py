"""What the recorded launches of one kernel have in common: true of these launches, and nothing more.

Example::

    facts.separation("y", "x")      # Separation.APART: no launch passed one allocation for both
    facts.pointer("x").alignment_bytes
"""

from __future__ import annotations

from enum import StrEnum

from assistant.model.launch import LaunchConfig
from assistant.record import Record

__all__ = [
    "LARGEST_ALIGNMENT_BYTES",
    "FactsOrigin",
    "LaunchShape",
    "PointerPair",
    "PointerReach",
    "RecordedFacts",
    "RecordedPointer",
    "RecordedScalar",
    "Separation",
]

LARGEST_ALIGNMENT_BYTES = 256
"""What ``cudaMalloc`` promises (CUDA C++ Programming Guide, "Device Memory Accesses"); an address that happens to be a multiple of more
promises nothing."""


class FactsOrigin(StrEnum):
    """Where the launches come from."""

    RECORDED = "recorded"
    """The user's own program ran."""
    BOUND = "bound"
    """Arrays of a notebook."""
    DECLARED = "declared"
    """Made from a workload block, each array an allocation of its own."""


class Separation(StrEnum):
    """How two pointers of a kernel lay to each other, the worst of all launches."""

    APART = "apart"
    """In different allocations in every launch: whatever the kernel accesses through them, they never overlap."""
    ONE_ALLOCATION = "one_allocation"
    """At different places of an allocation in some launch: whether they overlap depends on how far the kernel goes."""
    SAME_ADDRESS = "same_address"
    """Equal in some launch."""
    UNKNOWN = "unknown"
    """Some launch passed an address that is in no allocation that was seen."""


class PointerPair(Record):
    """Two pointers of the kernel."""

    first: str
    second: str
    separation: Separation
    launch_count: int
    """Launches of which ``separation`` is true."""


class RecordedPointer(Record):
    """One pointer parameter."""

    name: str
    alignment_bytes: int
    """The largest power of two, up to 256, that divides every address that is not null; 1 where one is not known."""
    null_count: int
    """Launches that passed null."""


class PointerReach(Record):
    """How far it is from a pointer parameter to the end of its allocation, over all recorded launches."""

    name: str
    least_bytes: int
    most_bytes: int


class RecordedScalar(Record):
    """One number that the kernel is passed, whole or as the member of a struct."""

    name: str
    """The parameter's, or ``box.width`` of a member."""
    lowest: float | int
    highest: float | int
    divisor: int
    """The largest integer that divides every value; 0 where all are 0, 1 of a floating number."""

    @property
    def is_constant(self) -> bool:
        return self.lowest == self.highest


class LaunchShape(Record):
    """Grid, block and dynamic shared memory, and how many of the launches had them."""

    config: LaunchConfig
    launch_count: int


class RecordedFacts(Record):
    """What is true of every launch of a kernel whose arguments were kept, all its template instances together."""

    kernel: str
    """Qualified name."""
    origin: FactsOrigin
    launch_count: int
    """Launches that were looked at, at least one."""
    program_count: int
    """Launches that the program made, those included of which no argument was kept; at least ``launch_count``."""
    shapes: tuple[LaunchShape, ...]
    """Most frequent first."""
    pointers: tuple[RecordedPointer, ...]
    pairs: tuple[PointerPair, ...]
    """Every two pointer parameters, in the order of the parameters."""
    scalars: tuple[RecordedScalar, ...]

    def pointer(self, name: str) -> RecordedPointer | None:
        return next((pointer for pointer in self.pointers if pointer.name == name), None)

    def scalar(self, name: str) -> RecordedScalar | None:
        return next((scalar for scalar in self.scalars if scalar.name == name), None)

    def pair(self, first: str, second: str) -> PointerPair | None:
        """The pair, in either order; None where one of them is no pointer parameter."""
        return next((pair for pair in self.pairs if {pair.first, pair.second} == {first, second}), None)

    def separation(self, first: str, second: str) -> Separation:
        pair = self.pair(first, second)
        return Separation.UNKNOWN if pair is None else pair.separation
