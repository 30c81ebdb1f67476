"""Whether a kernel, given the same inputs, leaves the same bytes: the recordings of two runs, launch by launch.

A kernel that was fed something else in the second run is not to blame for what it then left behind, and a kernel that races
leaves equal bytes by luck alone: nothing is claimed of those, and the reason is reported.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assistant.engine.evaluate.assessment import Repeatability
from assistant.model.recording import RecordedLaunch, Recording

__all__ = ["ARBITRARY", "FAILED", "NOT_RUN", "NO_SECOND_RUN", "RACY", "REPEATED", "UNCLEAR", "VARYING", "combined", "compare_runs"]


REPEATED, VARYING = Repeatability(True), Repeatability(False)
NOT_RUN = Repeatability(None, "not tested: no launch ran")
RACY = Repeatability(None, "not claimed: it races")
ARBITRARY = Repeatability(None, "not claimed: it has memory errors")
FAILED = Repeatability(None, "not tested: the program did not succeed")
NO_SECOND_RUN = Repeatability(None, "not tested: the program did not succeed a second time")
NOT_RECORDED = Repeatability(None, "not tested: its buffers were not recorded")
UNCLEAR = Repeatability(None, "not attributed: its results differ together with those of other kernels")
FED_DIFFERENTLY = Repeatability(None, "not tested: its inputs already differed")


def compare_runs(first: Recording, second: Recording, instances: Collection[str]) -> Repeatability:
    """Whether one kernel, whose symbols are ``instances``, repeats its results, by its launches that both runs recorded."""
    others = {launch.index: launch for launch in second.launches}
    pairs = [(launch, others.get(launch.index)) for launch in first.launches if launch.kernel in instances]
    kept = [(a, b) for a, b in pairs if b is not None and _has_ended(a) and _has_ended(b)]
    if not kept:
        return NOT_RECORDED
    fed_alike = [(a, b) for a, b in kept if _inputs(a) == _inputs(b, _poisoned(a))]
    if not fed_alike:
        return FED_DIFFERENTLY
    return Repeatability(all(_results(a) == _results(b) for a, b in fed_alike))


def combined(found: Sequence[Repeatability]) -> Repeatability:
    """Whether a kernel's results repeat over several workloads: one difference denies it, else one claim is enough."""
    ordered = [item for wanted in (False, True, None) for item in found if item.is_deterministic is wanted]
    return next(iter(ordered), NOT_RUN)


def _has_ended(launch: RecordedLaunch) -> bool:
    """Whether its results are kept: a launch that failed, or was cut off, has none."""
    return all(state.after is not None for state in launch.buffers)


def _poisoned(launch: RecordedLaunch) -> frozenset[int]:
    return frozenset(state.buffer for state in launch.buffers if state.is_poisoned)


def _inputs(launch: RecordedLaunch, unwritten: frozenset[int] | None = None) -> tuple[object, ...]:
    """Everything the kernel was given; what nothing had written before (``unwritten``, known of the first run only) is no input."""
    left_out = _poisoned(launch) if unwritten is None else unwritten
    contents = {state.buffer: state.before for state in launch.buffers if state.buffer not in left_out}
    return launch.kernel, launch.config, launch.arguments, contents


def _results(launch: RecordedLaunch) -> dict[int, str | None]:
    return {state.buffer: state.after for state in launch.buffers}
