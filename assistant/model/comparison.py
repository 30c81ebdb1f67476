"""Is B faster than A? Measured on a GPU, only predicted on a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from assistant.record import Record

_SMALL, _TINY = 0.1, 1e-4


class SpeedOutcome(StrEnum):
    FASTER = "FASTER"
    SAME = "SAME"
    SLOWER = "SLOWER"
    INCONCLUSIVE = "INCONCLUSIVE"
    PREDICTED = "PREDICTED"


class ModelTerm(Record):
    """One resource of the performance model."""

    name: str
    """``dram``, ``l2``, ``l1``, ``shared``, ``issue``, ``fp32``, ``fp64``, ``conversion``, ``special``, ``integer``, ``latency`` or
    ``launch``."""
    time_s: float
    inputs: tuple[tuple[str, float, str], ...]
    """(quantity, value, unit) that the time was computed from."""


LAUNCH_TERM = "launch"
"""Name of the term that stands for starting a kernel at all."""


class PredictedTime(Record):
    """The model's time of a launch."""

    time_s: float
    bottleneck: str
    terms: tuple[ModelTerm, ...]
    target: str
    notes: tuple[str, ...] = ()
    """What had to be assumed, in words (no machine code, no unique-sector counts, sampled blocks)."""

    def term(self, name: str) -> ModelTerm | None:
        """The term of that name; None when the launch does not use the resource."""
        return next((t for t in self.terms if t.name == name), None)

    @property
    def own_bottleneck(self) -> str:
        """The largest term that the kernel itself decides: launch overhead, which no edit changes, only where there is no other."""
        own = [term for term in self.terms if term.name != LAUNCH_TERM]
        return max(own, key=lambda term: term.time_s).name if own else self.bottleneck


class CaseSpeed(Record):
    """Speed on one shape."""

    shape: str
    weight: float
    ratio: float
    low: float | None
    high: float | None
    outcome: SpeedOutcome
    before_s: float | None = None
    """Measured median time of A on this shape; None where nothing was timed."""
    after_s: float | None = None


class Comparison(Record):
    """time(A) / time(B): above 1 when B is faster."""

    outcome: SpeedOutcome
    ratio: float
    low: float | None
    """95 % interval; of a prediction the model's error, None where too few like it were re-measured."""
    high: float | None
    margin: float | None
    quality: str
    """``good|fair|poor`` of a measurement; of a prediction how far the model's were off where a GPU re-measured them, in words."""
    cases: tuple[CaseSpeed, ...]
    method: str
    bottleneck_before: str | None = None
    """For a prediction: the largest term of the heaviest shape that the kernel itself decides, launch overhead aside."""
    bottleneck_after: str | None = None
    predicted_ratio: float | None = None
    """For a measurement: the performance model's ratio of the same kernels, launch overhead left out as in the measurement; None where
    nothing was measured, or several kernels together."""
    caveats: tuple[str, ...] = ()
    """Shown in the line of the speed itself, behind the ratio: why it is no measurement although there is a clock, what is not in it."""

    @property
    def is_predicted(self) -> bool:
        """Whether the performance model's times are compared, whatever follows from that; else measured ones are."""
        return bool(self.cases) and all(case.outcome is SpeedOutcome.PREDICTED for case in self.cases)

    @property
    def is_gain(self) -> bool:
        """Whether it says that B is faster, measured or predicted."""
        return self.outcome is SpeedOutcome.FASTER or (self.outcome is SpeedOutcome.PREDICTED and self.ratio > 1.0)


def format_ratio(ratio: float) -> str:
    """``1.83``; of what is more than ten times as slow two significant digits: ``0.0042``."""
    return f"{ratio:.2f}" if not 0.0 < ratio < _SMALL else f"{ratio:.2g}" if ratio >= _TINY else f"{ratio:.1e}"


def format_interval(low: float | None, high: float | None) -> str:
    """`` [1.81, 1.85]``, to be put behind a ratio; nothing where there is none."""
    return "" if low is None or high is None else f" [{format_ratio(low)}, {format_ratio(high)}]"


def speed_in_words(outcome: SpeedOutcome, ratio: float, caveats: Sequence[str]) -> str:
    """``FASTER 1.83x``, or ``PREDICTED 1.83x (timing failed: …)``: never the ratio without what it lacks."""
    return f"{outcome} {format_ratio(ratio)}x" + (f" ({'; '.join(caveats)})" if caveats else "")
