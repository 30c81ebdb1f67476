"""What limits a launch: by the GPU's own counters where they were read, else by the performance model. Pure.

Example::

    bottleneck(profile, predicted)     # 'dram': measured at 92 % of its peak
"""

from __future__ import annotations

from assistant.model.comparison import PredictedTime
from assistant.model.profile import LaunchProfile
from assistant.profile.thresholds import threshold

__all__ = ["NOT_COUNTED", "bottleneck"]

_MEASURED = (("dram", "dram_utilisation"), ("l2", "l2_utilisation"), ("l1", "l1_utilisation"), ("issue", "issue_utilisation"))
"""The model's terms that hardware counters show; what happens inside the pipes takes more of them."""
_LATENCY = "latency"
NOT_COUNTED = "not_counted"
"""In the place of a term, for a launch of which no block was counted."""


def bottleneck(profile: LaunchProfile, predicted: PredictedTime) -> str:
    """Name of the model's term that limits the launch.

    Measured: the part nearest to its peak, if it is near; where none of them is, ``latency``, unless the model names a pipe, which no
    share of these says.
    """
    shares = [(value, name) for name, metric in _MEASURED if (value := profile.measurement(metric)) is not None]
    modelled = predicted.own_bottleneck
    if not shares:
        return modelled
    highest, name = max(shares)
    if highest >= threshold("near_peak"):
        return name
    return _LATENCY if modelled in {"shared", *(known for known, _ in _MEASURED)} else modelled
