"""What limits a launch, in words: the performance model's terms for people."""

from __future__ import annotations

from assistant.profile.bottleneck import NOT_COUNTED

__all__ = ["limit_in_words"]

_LIMITS = {
    "dram": "DRAM bandwidth",
    "l2": "L2 bandwidth",
    "l1": "L1 throughput",
    "shared": "shared memory bandwidth",
    "issue": "instruction issue",
    "fp32": "single-precision pipe",
    "fp64": "double-precision pipe",
    "half": "half-precision pipe",
    "integer": "integer pipe",
    "conversion": "conversion pipe",
    "special": "special-function pipe",
    "latency": "latency",
    "launch": "launch overhead",
    "blocks": "block scheduling",
    NOT_COUNTED: "what is not known, as nothing was counted",
}


def limit_in_words(name: str) -> str:
    """``L2 bandwidth`` for the model's term ``l2``; a name that is not known as it is."""
    return _LIMITS.get(name, name)
