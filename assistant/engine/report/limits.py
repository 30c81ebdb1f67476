"""What limits a launch, in words: the performance model's terms for people."""

from __future__ import annotations

from assistant.profile.bottleneck import NOT_COUNTED

__all__ = ["bound_in_words", "limit_in_words", "peak_in_words"]

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

_BOUNDS = {
    "dram": "DRAM",
    "l2": "L2",
    "l1": "L1",
    "shared": "shared-memory",
    "fp32": "FP32",
    "fp64": "FP64",
    "half": "FP16",
    "special": "SFU",
    "blocks": "block-scheduling",
}
_PEAKS = {
    "dram": "DRAM bandwidth",
    "l2": "L2 bandwidth",
    "fp32": "FP32 throughput",
    "fp64": "FP64 throughput",
    "half": "FP16 throughput",
    "special": "special-function throughput",
}
_FAINT_RATIO = 0.1
"""Shares below this are shown with a decimal: a lower bound is never shown as nothing."""


def bound_in_words(name: str) -> str:
    """``L2-bound`` for the model's term ``l2``; a name that is not known as it is."""
    return f"{_BOUNDS.get(name, name)}-bound"


def peak_in_words(ratio: float, limit: str) -> str:
    """``23 % of peak DRAM bandwidth``: the launch's distinct bytes, or its arithmetic, over its time, as a share of the nominal peak."""
    share = f"{ratio * 100:.0f}" if ratio >= _FAINT_RATIO else f"{ratio * 100:.2g}"
    return f"{share} % of peak {_PEAKS.get(limit, limit_in_words(limit))}"


def limit_in_words(name: str) -> str:
    """``L2 bandwidth`` for the model's term ``l2``; a name that is not known as it is."""
    return _LIMITS.get(name, name)
