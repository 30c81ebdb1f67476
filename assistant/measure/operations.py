"""Predicted time of a copy or a fill: the bytes that it moves over the bandwidth of what they go through, and what starting it costs.

Nothing here is a measurement. Example::

    predict_operation("copy_on_device", 1 << 30, target("h200")).time_s      # 4.97e-4: each byte is read and written
"""

from __future__ import annotations

from assistant.measure import calibration as c
from assistant.model.comparison import LAUNCH_TERM, ModelTerm, PredictedTime
from assistant.model.device import Target
from assistant.model.recording import HOST_COPIES

__all__ = ["LINK_BYTES_PER_S", "predict_operation"]

LINK_BYTES_PER_S = 63e9
"""One direction of a PCIe 5.0 x16 link, which the GPUs with the fastest one have: 32 GT/s, 16 lanes, 128 bits in 130 (PCI Express Base
Specification 5.0). No copy is faster; one from pageable memory takes several times as long."""
_ACCESSES = {"copy_on_device": 2, "fill": 1}
"""How often each byte goes to or from DRAM: read and written, or only written."""


def predict_operation(kind: str, size_bytes: int, target: Target) -> PredictedTime:
    """Predicted time of a copy or fill (``DeviceStep.kind``): as a kernel that streams its bytes through DRAM, or the least that the link
    to the host takes.

    The share of DRAM's peak and the time of starting are those of kernels (``calibration.py``).
    """
    if kind in HOST_COPIES:
        moved, bytes_per_s, name = float(size_bytes), LINK_BYTES_PER_S, "link"
    else:
        moved, bytes_per_s, name = float(_ACCESSES[kind] * size_bytes), target.dram_bytes_per_s * c.DRAM_EFFICIENCY_RATIO, "dram"
    body = ModelTerm(name, moved / bytes_per_s, (("bytes", moved, "byte"), ("bandwidth", bytes_per_s, "byte/s")))
    launch = ModelTerm(LAUNCH_TERM, c.START_S, (("launch overhead", c.START_S, "s"),))
    return PredictedTime(c.START_S + body.time_s, max((body, launch), key=lambda term: term.time_s).name, (body, launch), target.name, ())
