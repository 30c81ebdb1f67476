"""Situations and offers for tests."""

from __future__ import annotations

from typing import Any

from assistant.model.experience import DeviceTraits, KernelTraits, State
from assistant.model.profile import Signature
from assistant.plan.policy.features import Vocabulary
from assistant.plan.policy.situation import Hardware, Offer, Situation, Tried
from assistant.profile.signature import DIMENSIONS

VOCABULARY = Vocabulary(("shared-tile", "vectorized-access", "warp-per-row"), ("KO101", "KO105"))
H200 = Hardware("h200", 132, 1.98e9, 4.8e12, 50 << 20, 128, 64)


def situation(label: str = "dram", tried: tuple[Tried, ...] = (), **shares: float) -> Situation:
    vector = tuple((name, shares.get(name, 0.0)) for name in DIMENSIONS)
    traits = KernelTraits("row reduction", "float", (("blocks", 64), ("threads per block", 128), ("threads", 8192)))
    state = State(Signature(label, vector), traits, DeviceTraits("cpu, predicted for h200", "sm_90", is_measured=False))
    return Situation(state, H200, (("KO101", 0.6),), tried, 32, 4096)


def offer(technique: str, promise: float = 0.5, **changes: Any) -> Offer:
    values = {"finding": "KO101", "line": 7, "is_modelled": True, "variant_count": 1, "added_length": 200, "labels": ()} | changes
    return Offer(technique=technique, promise=promise, **values)
