"""Compares what timed calls left behind with what one untimed call leaves, bit by bit and on the device; keeps what differs.

Results may vary from run to run by design (floats added atomically), so a difference proves nothing by itself: the requester judges what
was kept. Example::

    checker.expect("A")
    …                           # a timed call of A on copy 3
    checker.check("A", 3)
    checker.results             # [("A", ((1, b"…"),))] where it left something else
"""

from __future__ import annotations

import random

from assistant.device.driver import Address
from assistant.device.timing.copies import VERSIONS, Copies, Left
from assistant.device.timing.kit import Kit

__all__ = ["ResultChecker"]

_MOST_KEPT = 4
"""Differing results of each version that are kept: as many as are checked among the timed calls, and behind them."""
_MOST_KEPT_BYTES = 512 << 20
"""Results larger than this are compared, and not kept: then only that they differ is known."""


class ResultChecker:
    """Checks the results of a case."""

    def __init__(self, kit: Kit, copies: Copies) -> None:
        self._kit = kit
        self._driver = kit.driver
        self._copies = copies
        self._expected: dict[str, tuple[Address, ...]] = {}
        self._differences = self._driver.allocate(8)
        self._due: dict[str, list[int]] = {version: [] for version in VERSIONS}
        self._seen: dict[str, int] = dict.fromkeys(VERSIONS, 0)
        self._unkept: dict[str, None] = {}
        self.checked_count = 0
        self.results: list[tuple[str, Left]] = []
        """(version, what a timed call left that differs from the untimed one's)."""

    @property
    def unchecked_versions(self) -> tuple[str, ...]:
        """Versions of which a timed call left something else that is too large to be kept."""
        return tuple(self._unkept)

    def expect(self, version: str) -> None:
        """Run a version once, untimed, and keep what it leaves."""
        self._copies.restore(version, 0)
        for launch in self._copies.launches(version, 0):
            self._driver.launch(launch)
        self._driver.synchronize()
        kept: list[Address] = []
        for address, size_bytes in self._copies.changed(version, 0):
            kept.append(self._driver.allocate(size_bytes))
            self._driver.copy(kept[-1], address, size_bytes)
        self._expected[version] = tuple(kept)

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
        if not self._differs(version, copy):
            return
        if sum(size_bytes for _, size_bytes in self._copies.changed(version, copy)) > _MOST_KEPT_BYTES:
            self._unkept[version] = None
        elif sum(1 for kept, _ in self.results if kept == version) < _MOST_KEPT:
            self.results.append((version, self._copies.contents(version, copy)))

    def close(self) -> None:
        for version in VERSIONS:
            for address in self._expected.pop(version, ()):
                self._driver.free(address)
        self._driver.free(self._differences)

    def _differs(self, version: str, copy: int) -> bool:
        self._driver.fill(self._differences, 0, 8)
        for (address, size_bytes), kept in zip(self._copies.changed(version, copy), self._expected[version], strict=True):
            self._driver.launch(self._kit.compare(address, kept, size_bytes, self._differences))
        return any(self._driver.read(self._differences, 8))
