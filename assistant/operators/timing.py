"""Times that a process on a GPU took of an operator's contenders → how much faster the candidate is than each. Pure.

Pairs, intervals and verdicts are those of kernels (``measure.statistics``): a round gives one pair, the geometric means of both turns of
each contender. Example::

    compared(answer, seed=7).ratios[0]      # Ratio(baseline="eager", call=Comparison(…), device=Comparison(…))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.measure.paired import aa_half_width_of, pairs_of, time_of
from assistant.measure.statistics import WeightedPairs, compare_pairs
from assistant.model.comparison import Comparison
from assistant.model.timing import Block
from assistant.record import Record

__all__ = ["CANDIDATE", "EAGER", "ContenderTime", "OperatorTiming", "RanKernel", "Ratio", "compared"]

EAGER, CANDIDATE = "eager", "candidate"
_GRAPHED = f"{CANDIDATE} in a CUDA graph"
_KINDS = ("call", "device")
_SYSTEMATIC = {"call": 0.005, "device": 0.003}
"""Chosen: what two processes that time the same may differ by, as memory lies elsewhere and the host's code is placed otherwise."""
_CLOCK_S = 1e-7
"""Chosen: error of a median of many event times; one has a resolution of about 0.5 µs (CUDA Runtime API, cudaEventElapsedTime). With both,
0 of 344 comparisons of equals on an H200 were told apart (docs/measurements.md)."""
_OTHER_VALUES = "it leaves other values than the reference does"
_MOST_SLOWED = 1.25
"""Chosen: the reference may take this much longer than it did before the candidate was loaded."""


class RanKernel(Record):
    """What one call ran on the GPU, by name."""

    name: str
    launch_count: int
    time_s: float


class ContenderTime(Record):
    """Medians over all rounds, in seconds a call."""

    name: str
    call_s: float
    device_s: float
    kernels: tuple[RanKernel, ...] = ()
    """Of one call, the costliest first; none of the candidate."""


class Ratio(Record):
    """time(baseline) / time(candidate)."""

    baseline: str
    call: Comparison
    device: Comparison


class OperatorTiming(Record):
    """What the times amount to."""

    times: tuple[ContenderTime, ...]
    ratios: tuple[Ratio, ...]
    """Of the candidate over each baseline; of a candidate in a CUDA graph behind them, named as such."""
    graphed: tuple[Ratio, ...]
    left_out: tuple[tuple[str, str], ...]
    """Contenders that could not be made ready, with why."""
    method: str
    suspicion: str | None
    """Why the times are not to be believed; None: nothing speaks against them."""
    is_wrong: bool = False
    """The candidate leaves other values when it is timed."""

    def of(self, baseline: str) -> Ratio | None:
        """The candidate over this baseline."""
        return next((ratio for ratio in self.ratios if ratio.baseline == baseline), None)


def compared(answer: Mapping[str, Any], seed: int) -> OperatorTiming:
    """``answer``: as ``torch_worker.side.timing`` writes it."""
    wrong = [name for name in answer["wrong"] if name != CANDIDATE]
    names: list[str] = [name for name in answer["names"] if name not in wrong]
    rounds: list[Mapping[str, Any]] = answer["rounds"]
    baselines = [name for name in names if not name.startswith(CANDIDATE)]
    method = _method(answer)

    def over(name: str) -> tuple[Ratio, ...]:
        if name not in names:
            return ()
        made = ({kind: _comparison(rounds, each, name, kind, seed, method) for kind in _KINDS} for each in baselines)
        return tuple(Ratio(each, both["call"], both["device"]) for each, both in zip(baselines, made, strict=True))

    return OperatorTiming(
        times=tuple(
            ContenderTime(name, _median(rounds, name, "call"), _median(rounds, name, "device"), _ran(answer, name)) for name in names
        ),
        ratios=over(CANDIDATE),
        graphed=over(_GRAPHED),
        left_out=(*((name, reason) for name, reason in answer["left_out"]), *((name, _OTHER_VALUES) for name in wrong)),
        method=method,
        suspicion=_suspicion(answer),
        is_wrong=CANDIDATE in answer["wrong"],
    )


def _blocks(rounds: Sequence[Mapping[str, Any]], a: str, b: str, kind: str) -> tuple[Block, ...]:
    turns = ((each[a][kind], each[b][kind]) for each in rounds)
    return tuple(Block("ABBA", (of_a[0], of_b[0], of_b[1], of_a[1])) for of_a, of_b in turns)


def _comparison(rounds: Sequence[Mapping[str, Any]], a: str, b: str, kind: str, seed: int, method: str) -> Comparison:
    blocks = _blocks(rounds, a, b, kind)
    least_s = min(time_of(blocks, "A"), time_of(blocks, "B"))
    systematic = math.hypot(_SYSTEMATIC[kind], _CLOCK_S / least_s)
    half_width = math.hypot(aa_half_width_of(blocks, seed), systematic)
    return compare_pairs((WeightedPairs("", 1.0, pairs_of(blocks), systematic),), half_width, seed, method)


def _median(rounds: Sequence[Mapping[str, Any]], name: str, kind: str) -> float:
    return time_of(_blocks(rounds, name, name, kind), "A")


def _ran(answer: Mapping[str, Any], name: str) -> tuple[RanKernel, ...]:
    return tuple(RanKernel(each["name"], each["count"], each["time_s"]) for each in answer["kernels"].get(name, ()))


def _method(answer: Mapping[str, Any]) -> str:
    settings = ", ".join(f"{name}: {_word(value)}" for name, value in answer["settings"].items())
    return (
        f"turns in random order and back, n={len(answer['rounds'])} rounds; call: calls one after the other by the host's clock; device: "
        f"events around each call, L2 overwritten before; {answer['device']}, PyTorch {answer['torch']}; {settings}"
    )


def _word(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _suspicion(answer: Mapping[str, Any]) -> str | None:
    if CANDIDATE in answer["wrong"]:
        return "the candidate leaves other values when it is timed than the reference does"
    if answer["replaced"]:
        return f"after the candidate was loaded these are other functions than before: {', '.join(answer['replaced'][:4])}"
    now_s = _median(answer["rounds"], EAGER, "device")
    if now_s > _MOST_SLOWED * answer["alone_s"] and CANDIDATE in answer["names"]:
        ratio = now_s / answer["alone_s"]
        return f"the reference takes {ratio:.2f} times as long as it did before the candidate was loaded"
    return None
