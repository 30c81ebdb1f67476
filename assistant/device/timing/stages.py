"""A recorded case's buffers, several times over, with both versions ready to be started on each: what real comparisons time.

Both versions run on the same buffers. Implements ``copies.Copies`` on the replay's stages. Example::

    with StagedCopies.open(kit, pristine, ((image_a, case_a), (image_b, case_b)), random.Random(1)) as copies:
        CaseTimer(kit, copies, options, tools).run("n=4096", 1.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random

from assistant.device.driver import Address, DeviceError, PreparedLaunch
from assistant.device.gpu_state import LoadedImage
from assistant.device.replay_case import ReplayBuffer, ReplayCase
from assistant.device.staging import Pristine, Stage
from assistant.device.timing.copies import VERSIONS, Left
from assistant.device.timing.kit import COLD_L2_FACTOR, Kit

__all__ = ["ApartCopies", "Side", "StagedCopies"]

Side = tuple[LoadedImage, ReplayCase]
"""A version's code, and the launches that it is started with."""

_MOST_ROTATED = 64
"""Copies that calls go through so that none finds its data in L2: at least twice L2 in all, at most 64."""
_MOST_MEMORY_SHARE = 0.25
"""Share of the free memory that all copies together take: other processes may need some."""


class StagedCopies:
    """Implements ``Copies``; close it when done."""

    def __init__(self, kit: Kit, pristine: Pristine, sides: tuple[Side, Side], random: Random) -> None:
        """Runs each version once to see what it writes. Raises DeviceError where that fails or there is no memory."""
        self._kit = kit
        self._driver = kit.driver
        self._pristine = pristine
        self._sides: dict[str, Side] = dict(zip(VERSIONS, sides, strict=True))
        self._random = random
        self._stages: list[Stage] = []
        self._launches: dict[str, list[tuple[PreparedLaunch, ...]]] = {version: [] for version in VERSIONS}
        free_bytes, _ = self._driver.memory()
        self._most = max(1, int(free_bytes * _MOST_MEMORY_SHARE) // max(1, pristine.case.size_bytes))
        self._changed: frozenset[int] = frozenset()
        try:
            self._add()
            self._changed = self._written()
            self.grow(min(_MOST_ROTATED, -(-kit.l2_bytes * COLD_L2_FACTOR // max(1, pristine.case.size_bytes))))
        except BaseException:
            self.close()
            raise

    @property
    def count(self) -> int:
        return len(self._stages)

    @property
    def size_bytes(self) -> int:
        return self._pristine.case.size_bytes

    @property
    def is_restored(self) -> bool:
        """True unless all that is written is memory whose first contents mean nothing."""
        return any(not buffer.is_poisoned for buffer in self._pristine.case.buffers if buffer.id in self._changed)

    def grow(self, count: int) -> None:
        """Device variables that change exist only once, so that nothing more is made where there are any."""
        if any(buffer.symbol is not None for buffer in self._pristine.case.buffers if buffer.id in self._changed):
            return
        while self.count < min(count, self._most):
            try:
                self._add()
            except DeviceError as error:
                if error.is_out_of_memory and self._stages:
                    return
                raise

    def launches(self, version: str, copy: int) -> Sequence[PreparedLaunch]:
        return self._launches[version][copy]

    def restore(self, version: str, copy: int) -> None:
        self._stages[copy].restore(only=self._changed)

    def changed(self, version: str, copy: int) -> Sequence[tuple[Address, int]]:
        places = (self._stages[copy].place(buffer) for buffer in sorted(self._changed))
        return [place for place in places if place is not None]

    def contents(self, version: str, copy: int) -> Left:
        with_addresses = {buffer.id for buffer in self._pristine.case.buffers if buffer.pointers}
        image, _ = self._sides[version]
        return tuple((buffer, self._stages[copy].read(buffer, image)) for buffer in sorted(self._changed - with_addresses))

    def close(self) -> None:
        for stage in self._stages:
            stage.close()
        self._stages.clear()

    def _add(self) -> None:
        stage = Stage(self._driver, self._pristine, tuple(dict.fromkeys(image for image, _ in self._sides.values())), self._random)
        try:
            launches = {version: stage.launches(image, case) for version, (image, case) in self._sides.items()}
            stage.restore()
            self._driver.synchronize()
        except BaseException:
            with suppress(DeviceError):
                stage.close()
            raise
        self._stages.append(stage)
        for version, prepared in launches.items():
            self._launches[version].append(prepared)

    def _written(self) -> frozenset[int]:
        """Ids of the buffers in which either version changes a byte."""
        found: set[int] = set()
        for version, (image, _) in self._sides.items():
            stage = self._stages[0]
            stage.restore()
            buffers = self._pristine.case.buffers
            before = {buffer.id: stage.read(buffer.id, image) for buffer in buffers if self._place(stage, buffer) is None}
            for launch in self._launches[version][0]:
                self._driver.launch(launch)
            self._driver.synchronize()
            for buffer in buffers:
                place = self._place(stage, buffer)
                if place is None:
                    is_changed = stage.read(buffer.id, image) != before[buffer.id]
                else:
                    is_changed = self._kit.differ(place[0], self._pristine.address(buffer.id), place[1])
                found |= {buffer.id} if is_changed else set()
            stage.restore()
        self._driver.synchronize()
        return frozenset(found)

    @staticmethod
    def _place(stage: Stage, buffer: ReplayBuffer) -> tuple[Address, int] | None:
        """Where the buffer can be compared with its first contents; None: on the host alone, as it is a variable or holds addresses."""
        return None if buffer.pointers else stage.place(buffer.id)


class ApartCopies:
    """Implements ``Copies`` with contents of its own for each version: for launches that do not correspond."""

    def __init__(self, a: StagedCopies, b: StagedCopies) -> None:
        self._of: dict[str, StagedCopies] = dict(zip(VERSIONS, (a, b), strict=True))

    @property
    def count(self) -> int:
        return min(copies.count for copies in self._of.values())

    @property
    def size_bytes(self) -> int:
        return min(copies.size_bytes for copies in self._of.values())

    @property
    def is_restored(self) -> bool:
        return any(copies.is_restored for copies in self._of.values())

    def launches(self, version: str, copy: int) -> Sequence[PreparedLaunch]:
        return self._of[version].launches(version, copy)

    def restore(self, version: str, copy: int) -> None:
        self._of[version].restore(version, copy)

    def changed(self, version: str, copy: int) -> Sequence[tuple[Address, int]]:
        return self._of[version].changed(version, copy)

    def contents(self, version: str, copy: int) -> Left:
        return self._of[version].contents(version, copy)

    def grow(self, count: int) -> None:
        for copies in self._of.values():
            copies.grow(count)
