"""What the performance model says of each launch, copy and fill of a program, wherever in it they stand.

Example::

    known_times(assessment, target)[instance, config].body_s     # without starting it
    known_operation("fill", 1 << 20, target)
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.engine.evaluate.assessment import Assessment
from assistant.measure.calibration import START_S
from assistant.measure.model import predict, room_ratio
from assistant.measure.operations import predict_operation
from assistant.model.build import Occupancy
from assistant.model.comparison import LAUNCH_TERM, PredictedTime
from assistant.model.device import Target
from assistant.model.launch import LaunchConfig
from assistant.model.profile import LaunchProfile
from assistant.record import Record

__all__ = ["OPERATIONS_METHOD", "KnownTime", "KnownTimes", "known_operation", "known_times"]

OPERATIONS_METHOD = "copies and fills by their bytes over DRAM's bandwidth, those to and from the host over that of a PCIe 5.0 x16 link"
_SHARED_TERMS = frozenset({"dram", "l2"})


class KnownTime(Record):
    """What is predicted of a launch, copy or fill."""

    time: PredictedTime
    room_ratio: float
    """Share of the machine that its blocks, or its traffic, take up."""

    @property
    def launch_s(self) -> float:
        """Time of starting it, between the host's asking for one and for the next."""
        return 0.0 if self.time.term(LAUNCH_TERM) is None else START_S

    @property
    def body_s(self) -> float:
        """Without what a kernel that does nothing takes."""
        launch = self.time.term(LAUNCH_TERM)
        return self.time.time_s - (0.0 if launch is None else launch.time_s)


KnownTimes = Mapping[tuple[str, LaunchConfig], KnownTime]


def known_times(assessment: Assessment, target: Target) -> KnownTimes:
    """By instance and configuration, of what was counted; launches of kernels that were not asked about without their machine code."""
    others = {
        (profile.kernel, profile.config): _known(profile, None, predict(profile, None, None, target), target)
        for profile in assessment.counted.profiles
        if profile.blocks_counted
    }
    return others | {
        (item.instance, launch.profile.config): _known(launch.profile, launch.occupancy, launch.predicted, target)
        for item in assessment.kernels
        for launch in item.launches
        if launch.profile.blocks_counted
    }


def known_operation(kind: str, size_bytes: int, target: Target) -> KnownTime:
    """Time of a copy or fill (``DeviceStep.kind``)."""
    time = predict_operation(kind, size_bytes, target)
    return KnownTime(time, _busy_ratio(time))


def _known(profile: LaunchProfile, occupancy: Occupancy | None, time: PredictedTime, target: Target) -> KnownTime:
    return KnownTime(time, max(room_ratio(profile, occupancy, target), _busy_ratio(time)))


def _busy_ratio(time: PredictedTime) -> float:
    """The share of DRAM or of L2, which all kernels share, that it keeps busy: the larger one."""
    body_s = KnownTime(time, 0.0).body_s
    shared_s = max((term.time_s for term in time.terms if term.name in _SHARED_TERMS), default=0.0)
    return min(1.0, shared_s / body_s) if body_s > 0 else 0.0
