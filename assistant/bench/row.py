"""What a suite's run found of a task."""

from __future__ import annotations

from enum import StrEnum

from assistant.bench.bound import Bound
from assistant.model.comparison import SpeedOutcome
from assistant.record import Record

__all__ = ["Cost", "Row", "RowOutcome", "Times"]


class RowOutcome(StrEnum):
    """How a task ended."""

    FASTER = "faster"
    """Verified, and measured FASTER or predicted to be."""
    NOT_FASTER = "not faster"
    """Edits were kept, but the whole program was not shown to be faster with them."""
    WAITS = "waits"
    """A person has to decide on what was found."""
    NOTHING = "nothing to propose"
    NOT_SEARCHED = "not searched"
    FAILED = "failed"


class Times(Record):
    """Times of all that a program does on the GPU, but copies from and to the host."""

    original_s: float
    best_s: float
    is_predicted: bool
    method: str
    """For people: where the times come from."""


class Cost(Record):
    """What the task took."""

    wall_s: float
    token_count: int = 0
    money_usd: float | None = 0.0
    """None: a model without a known price took part."""


class Row(Record):
    """One task with its result."""

    name: str
    arguments: tuple[str, ...]
    sources_sha256: str
    """Hash over its files; a row of other texts is run again."""
    outcome: RowOutcome
    reason: str
    """One sentence."""
    cost: Cost
    device: str = ""
    target: str = ""
    """Whose peaks the bound is of."""
    times: Times | None = None
    """None: nothing could be timed or predicted."""
    bound: Bound | None = None
    """None: not known."""
    verification: str | None = None
    """Verdict on the whole edit: PASS or NEEDS_DECISION with what they rest on; None where nothing was kept."""
    speed: SpeedOutcome | None = None
    ratio: float | None = None
    """time(original) / time(best) of the whole program, as judged."""
    low: float | None = None
    high: float | None = None
    labels: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()
    """Techniques in the order in which they were kept."""
    waiting: tuple[str, ...] = ()
    """Proposals that a person has to decide on, in words; none of them is counted."""
    diff: str = ""
    is_cut_off: bool = False
    """The search's time was up before it came to its end."""
    unused: str = ""
    """In words, flags that the build's own files name and the program ran without; empty where there are none."""

    @property
    def title(self) -> str:
        return " ".join((self.name, *self.arguments))

    @property
    def counted_ratio(self) -> float:
        """What the task counts in a mean: its ratio where it is faster, or slower than it was; else, and for a failure, 1."""
        is_lost = self.outcome is RowOutcome.NOT_FASTER and self.speed in (SpeedOutcome.SLOWER, SpeedOutcome.PREDICTED)
        counts = self.outcome is RowOutcome.FASTER or is_lost
        return self.ratio if counts and self.ratio is not None else 1.0

    @property
    def distance(self) -> float | None:
        """time(original) / bound; None where one of them is not known, or is nothing."""
        if self.times is None or self.bound is None or not self.times.original_s or not self.bound.time_s:
            return None
        return self.times.original_s / self.bound.time_s

    @property
    def best_distance(self) -> float | None:
        """time(best) / bound, by the ratio that counts."""
        return None if self.distance is None else self.distance / self.counted_ratio

    @property
    def dram_share(self) -> float | None:
        """Share of DRAM's bandwidth that the best would need if all of its bytes passed DRAM; more than 1: L2 had a part of them."""
        if self.times is None or self.bound is None or self.bound.all_from_dram_s is None or not self.times.original_s:
            return None
        return self.bound.all_from_dram_s * self.counted_ratio / self.times.original_s
