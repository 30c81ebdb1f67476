"""How much a time on one device says about another: by method, architecture, and how alike their peaks are in proportion. Pure.

Gains are never carried over as they are: this is the weight that they get. Example::

    device_likeness(DeviceTraits("NVIDIA H200", "sm_90", is_measured=True), "NVIDIA A100", "sm_80")    # 0.51
"""

from __future__ import annotations

import math
from functools import cache

from assistant.measure import targets
from assistant.model.device import Target
from assistant.model.experience import DeviceTraits

__all__ = ["device_likeness"]

_OTHER_GPU = 0.8
"""Most that another GPU says (chosen, as all numbers here)."""
_OTHER_ARCHITECTURE = 0.8
"""Of that, where it is of another architecture."""
_UNKNOWN_ARCHITECTURE = 0.5
"""Of a GPU of another architecture, or of an unknown one, whose peaks are not known here."""
_OTHER_METHOD = 0.5
"""Of a prediction where this lab measures, of a measurement where it predicts."""
_LEAST = 0.2
"""Of a GPU of any proportions: what is right in kind mostly stays so."""
_HALVED_AT = 3.0
"""Root mean square of the proportions' ratios, as a factor, at which a GPU says half."""
_PREDICTED = "cpu, predicted for "


def device_likeness(asked: DeviceTraits, name: str, architecture: str) -> float:
    """0 to 1: of a time that was seen on the device of that name, for one on ``asked``; 1 on the same."""
    if name == asked.name:
        return 1.0
    method = 1.0 if name.startswith(_PREDICTED) is not asked.is_measured else _OTHER_METHOD
    known, own = _hardware(name), _hardware(asked.name)
    if known is not None and known == own:
        return method
    is_same = "" not in (architecture, asked.architecture) and architecture == asked.architecture
    if known is None or own is None:
        return method * (_OTHER_GPU if is_same else _UNKNOWN_ARCHITECTURE)
    most = _OTHER_GPU * (1.0 if is_same else _OTHER_ARCHITECTURE)
    return method * max(_LEAST, most * 0.5 ** (_apart(known, own) / math.log(_HALVED_AT)))


@cache
def _hardware(name: str) -> Target | None:
    """Of a GPU as its driver names it, or of a prediction's target; None where its peaks are not known here."""
    if name.startswith(_PREDICTED):
        return next((known for known in targets.TARGETS if known.name == name.removeprefix(_PREDICTED)), None)
    return targets.target_for_device(name)


def _apart(a: Target, b: Target) -> float:
    """Root mean square of the logarithms of the ratios of proportions: what decides which edit pays is not how fast a GPU is, but what it
    is short of."""
    squares = [math.log(one / other) ** 2 for one, other in zip(_proportions(a), _proportions(b), strict=True)]
    return math.sqrt(math.fsum(squares) / len(squares))


def _proportions(gpu: Target) -> tuple[float, ...]:
    """Operations per byte of memory, bytes of L2 per byte of memory, double to single precision, L2 per SM, bytes in flight per SM."""
    clocks_per_s = gpu.clock_hz * gpu.sm_count
    return (
        2 * gpu.fp32_lanes_per_sm * clocks_per_s / gpu.dram_bytes_per_s,
        gpu.l2_bytes_per_s / gpu.dram_bytes_per_s,
        gpu.fp64_lanes_per_sm / gpu.fp32_lanes_per_sm,
        gpu.l2_bytes / gpu.sm_count,
        gpu.dram_latency_s * gpu.dram_bytes_per_s / gpu.sm_count,
    )
