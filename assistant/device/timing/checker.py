"""Compares what timed calls left behind with what one untimed call leaves, bit by bit and on the device.

Example::

    checker.expect("A")
    …                           # a timed call of A on copy 3
    checker.check("A", 3)
    checker.different_versions  # ("A",) where it left something else
"""

from __future__ import annotations

import random

from assistant.device.driver import Address
from assistant.device.timing.copies import VERSIONS, Copies
from assistant.device.timing.kit import Kit

__all__ = ["ResultChecker"]


class ResultChecker:
    """Of one case."""

    def __init__(self, kit: Kit, copies: Copies) -> None:
        self._kit = kit
        self._driver = kit.driver
        self._copies = copies
        self._expected: dict[str, tuple[Address, ...]] = {}
        self._differences = self._driver.allocate(8)
        self._due: dict[str, list[int]] = {version: [] for version in VERSIONS}
        self._seen: dict[str, int] = dict.fromkeys(VERSIONS, 0)
        self._different: dict[str, None] = {}
        self.checked_count = 0
        self.unchecked_versions: tuple[str, ...] = ()
        self.notes: list[str] = []

    @property
    def different_versions(self) -> tuple[str, ...]:
        return tuple(self._different)

    def expect(self, version: str) -> None:
        """Run a version once, untimed, and keep what it leaves; not checked where a second run, on another copy, leaves something else."""
        self._run(version, 0)
        kept: list[Address] = []
        for address, size_bytes in self._copies.changed(version, 0):
            kept.append(self._driver.allocate(size_bytes))
            self._driver.copy(kept[-1], address, size_bytes)
        self._expected[version] = tuple(kept)
        last = self._copies.count - 1
        self._run(version, last)
        if self._differs(version, last):
            self._drop(version)
            self.unchecked_versions += (version,)
            reason = "change from run to run, or with the place of its buffers"
            self.notes.append(f"results of {version} {reason}, so that those of timed calls were not compared bit by bit")

    def schedule(self, rng: random.Random, count: int, slots: int) -> None:
        """Choose which slots of each version are checked."""
        self._due = {version: sorted(rng.sample(range(slots), min(count, slots))) for version in VERSIONS}

    def is_next(self, version: str, is_due: bool) -> bool:
        """Whether the slot that comes is checked, as it is due or chosen; counts it."""
        slot = self._seen[version]
        self._seen[version] += 1
        return (is_due or slot in self._due[version]) and bool(self._expected.get(version))

    def check(self, version: str, copy: int) -> None:
        self.checked_count += 1
        if self._differs(version, copy):
            self._different[version] = None

    def close(self) -> None:
        for version in VERSIONS:
            self._drop(version)
        self._driver.free(self._differences)

    def _run(self, version: str, copy: int) -> None:
        self._copies.restore(version, copy)
        for launch in self._copies.launches(version, copy):
            self._driver.launch(launch)
        self._driver.synchronize()

    def _differs(self, version: str, copy: int) -> bool:
        self._driver.fill(self._differences, 0, 8)
        for (address, size_bytes), kept in zip(self._copies.changed(version, copy), self._expected[version], strict=True):
            self._driver.launch(self._kit.compare(address, kept, size_bytes, self._differences))
        return any(self._driver.read(self._differences, 8))

    def _drop(self, version: str) -> None:
        for address in self._expected.pop(version, ()):
            self._driver.free(address)
