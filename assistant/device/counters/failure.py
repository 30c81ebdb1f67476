"""Why the hardware's counters were not read, and what fixes it. Pure."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["PERMIT_COUNTERS", "CountingFailure"]

PERMIT_COUNTERS = (
    "let users read the GPU's counters: options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d/nvidia.conf, "
    "then reload the driver or restart (developer.nvidia.com/ERR_NVGPUCTRPERM); in a container its host must do so"
)


class CountingFailure(Record):
    """What stood in the way of a way to count."""

    kind: str
    """``missing``, ``forbidden``, ``unsupported``, ``busy``, ``slow``, ``timed_out``, ``failed`` or ``dropped``."""
    message: str
    remedy: str
