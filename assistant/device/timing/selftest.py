"""Comparisons whose answers are known, made by a worker before its first real one: A against itself, against a slowed copy, and a
kernel that does nothing, which must not pass for one that writes its output.

Example::

    self_test(kit, tools, seed=7).has_passed
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.device.driver import Address, PreparedLaunch
from assistant.device.timing.case import CaseTimer, Tools
from assistant.device.timing.checker import ResultChecker
from assistant.device.timing.copies import Left
from assistant.device.timing.kit import Kit, pointer, u64
from assistant.measure.paired import compare_timing
from assistant.model.comparison import SpeedOutcome
from assistant.model.timing import PairTiming, SelfTest, TimedDevice, TimingOptions

__all__ = ["LaunchCopies", "self_test"]

_CLOCKS = 20_000
"""About 10 µs at 2 GHz."""
_SLOWED_CLOCKS = 21_000
_WALL_S = 2.0
_BYTES = 4096


class LaunchCopies:
    """A single set of buffers, or none, with a launch of each version: what the self-test and benchmarks time."""

    def __init__(
        self,
        kit: Kit,
        launches: dict[str, Sequence[Sequence[PreparedLaunch]]],
        changed: Sequence[Sequence[tuple[Address, int]]] = ((),),
        is_restored: bool = False,
    ) -> None:
        """``launches``: for each version its launches on each copy; ``changed``: what they write on each copy."""
        self._driver = kit.driver
        self._launches = launches
        self._changed = changed
        self.is_restored = is_restored

    @property
    def count(self) -> int:
        return len(self._changed)

    @property
    def size_bytes(self) -> int:
        return sum(size_bytes for _, size_bytes in self._changed[0])

    def launches(self, version: str, copy: int) -> Sequence[PreparedLaunch]:
        return self._launches[version][copy]

    def restore(self, version: str, copy: int) -> None:
        for address, size_bytes in self._changed[copy]:
            self._driver.fill(address, 0, size_bytes)

    def changed(self, version: str, copy: int) -> Sequence[tuple[Address, int]]:
        return self._changed[copy]

    def contents(self, version: str, copy: int) -> Left:
        return tuple((number, self._driver.read(*place)) for number, place in enumerate(self._changed[copy]))

    def grow(self, count: int) -> None:
        """There are as many as there are."""


def self_test(kit: Kit, tools: Tools, seed: int) -> SelfTest:
    """About a quarter of a second; raises DeviceError where the device fails altogether."""
    start_s = tools.clock()
    same, same_ratio = _spins(kit, tools, seed, _CLOCKS)
    slowed, slowed_ratio = _spins(kit, tools, seed, _SLOWED_CLOCKS)
    failures: list[str] = []
    if same is not SpeedOutcome.SAME:
        failures.append(f"a kernel timed against itself came out {same.value} ({same_ratio:.3f}x)")
    if slowed is not SpeedOutcome.SLOWER:
        failures.append(f"a copy slowed by 5 % came out {slowed.value} ({slowed_ratio:.3f}x)")
    if not _null_kernel_is_seen(kit):
        failures.append("a kernel that does nothing passed for one that writes")
    return SelfTest(same_ratio, slowed_ratio, tuple(failures), tools.clock() - start_s)


def _spins(kit: Kit, tools: Tools, seed: int, clocks: int) -> tuple[SpeedOutcome, float]:
    """The verdict on a kernel that spins ``clocks`` as B, against the plain one."""
    copies = LaunchCopies(kit, {"A": ((kit.spin(_CLOCKS),),), "B": ((kit.spin(clocks),),)})
    timing = CaseTimer(kit, copies, TimingOptions(seed=seed, wall_s=_WALL_S), tools).run("self-test", 1.0)
    comparison = compare_timing(PairTiming((timing,), TimedDevice("", "", "", "")), seed)
    return comparison.outcome, comparison.ratio


def _null_kernel_is_seen(kit: Kit) -> bool:
    """Whether the check of timed results tells a kernel that writes from one that does nothing."""
    driver = kit.driver
    source, target = driver.allocate(_BYTES), driver.allocate(_BYTES)
    try:
        driver.fill(source, 0x5A, _BYTES)
        write = kit.prepared("kernelopt_copy", kit.filling(1), (pointer(target), pointer(source), u64(_BYTES // 16)))
        copies = LaunchCopies(kit, {"A": ((write,),), "B": ((kit.empty,),)}, (((target, _BYTES),),))
        checker = ResultChecker(kit, copies)
        try:
            checker.expect("A")
            copies.restore("B", 0)
            driver.launch(kit.empty)
            checker.check("A", 0)
            return bool(checker.results)
        finally:
            checker.close()
    finally:
        driver.free(source)
        driver.free(target)
