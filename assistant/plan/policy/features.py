"""What a policy sees, as numbers of about 0 to 1, by name. Pure; the same for the same situation, offers and vocabulary.

A kernel's family is left out: training and trial are told apart by it. Example::

    rows = feature_rows(vocabulary, situation, offers)     # one for each offer, and a last one that stands for stopping
    dict(zip(feature_names(vocabulary), rows[0]))["promise"]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from assistant.plan.policy.situation import Hardware, Offer, Situation
from assistant.profile.signature import DIMENSIONS
from assistant.record import Record

__all__ = ["FORM", "Vocabulary", "feature_names", "feature_rows"]

FORM = 1
"""Of what the numbers mean; another one is another network's."""
_LABELS = ("dram", "l2", "l1", "shared", "issue", "fp32", "fp64", "conversion", "special", "latency")
_ELEMENTS = ("float", "double", "__half", "int")
_DECISIONS = ("precision", "assumption", "host-code")
"""Labels of edits that a network sees."""
_SCALES = (("threads", 30.0), ("blocks", 20.0), ("threads per block", 10.0))
"""Quantities of a launch with the logarithms to base 2 that count as 1 (a launch of 2^30 threads)."""
_MOST_SHARE = 0.999
_MOST_REGISTERS = 255.0
_SHARED_BYTES = 49_152.0
"""Static shared memory that a kernel can have."""
_GAIN = math.log(10.0)
"""A gain of 10x counts as 1."""
_ADDED = 4_000.0
"""Characters of an edit that count as 1."""
_SMS = 150.0
_FLOPS_PER_BYTE = 20.0
_L2_BYTES = 64.0 * 1024 * 1024


class Vocabulary(Record):
    """Names that a network knows; others share an input."""

    techniques: tuple[str, ...]
    findings: tuple[str, ...]


def feature_names(vocabulary: Vocabulary) -> tuple[str, ...]:
    """In the order of each row of `feature_rows`."""
    return tuple(name for name, _ in _situation(_EMPTY)) + tuple(name for name, _ in _offer(vocabulary, _EMPTY, (), None))


def feature_rows(vocabulary: Vocabulary, situation: Situation, offers: Sequence[Offer]) -> list[list[float]]:
    """One row for each offer, in order, and a last one for stopping."""
    shared = [value for _, value in _situation(situation)]
    return [[*shared, *(value for _, value in _offer(vocabulary, situation, offers, offer))] for offer in (*offers, None)]


def _situation(situation: Situation | None) -> Iterator[tuple[str, float]]:
    """What is the same for all offers."""
    signature = {} if situation is None else dict(situation.state.signature.vector)
    for name in DIMENSIONS:
        yield name, signature.get(name, 0.0)
    yield from _one_of("limit", _LABELS, None if situation is None else situation.state.signature.label)
    yield from _one_of("element", _ELEMENTS, None if situation is None else situation.state.traits.element)
    scale = {} if situation is None else dict(situation.state.traits.scale)
    for name, most in _SCALES:
        yield name, math.log2(max(1, scale.get(name, 1))) / most
    yield "registers", 0.0 if situation is None else situation.registers_per_thread / _MOST_REGISTERS
    yield "static shared memory", 0.0 if situation is None else min(1.0, situation.static_shared_bytes / _SHARED_BYTES)
    costs = () if situation is None else tuple(cost for _, cost in situation.findings)
    yield "findings", min(1.0, len(costs) / 10)
    yield "promised by all", min(1.0, sum(costs))
    yield "promised by one", max(costs, default=0.0)
    tried = () if situation is None else situation.tried
    yield "tried", min(1.0, len(tried) / 16)
    yield "kept", min(1.0, sum(one.is_kept for one in tried) / 4)
    yield "best gain", min(1.0, math.log(max(1.0, *(one.ratio or 1.0 for one in tried), 1.0)) / _GAIN)
    yield from _hardware(None if situation is None else situation.hardware)
    yield "is measured", float(situation is not None and situation.state.device.is_measured)


def _hardware(hardware: Hardware | None) -> Iterator[tuple[str, float]]:
    """In proportions: what decides which edit pays is what a GPU is short of."""
    if hardware is None:
        lanes = per_byte = double = l2 = 0.0
    else:
        lanes = hardware.sm_count / _SMS
        flops_per_s = 2.0 * hardware.fp32_lanes_per_sm * hardware.sm_count * hardware.clock_hz
        per_byte = flops_per_s / hardware.dram_bytes_per_s / _FLOPS_PER_BYTE
        double = hardware.fp64_lanes_per_sm / hardware.fp32_lanes_per_sm
        l2 = hardware.l2_bytes / _L2_BYTES
    yield from (("SMs", lanes), ("operations per byte", per_byte), ("double per single", double), ("L2", l2))


def _offer(
    vocabulary: Vocabulary, situation: Situation | None, offers: Sequence[Offer], offer: Offer | None
) -> Iterator[tuple[str, float]]:
    """What is the offer's own; ``None`` stands for stopping."""
    yield "stop", float(offer is None)
    yield from _known("technique", vocabulary.techniques, None if offer is None else offer.technique)
    yield from _known("finding", vocabulary.findings, None if offer is None else offer.finding)
    promise = 0.0 if offer is None else min(_MOST_SHARE, max(0.0, offer.promise))
    yield "promise", promise
    yield "promised gain", min(1.0, -math.log(1 - promise) / _GAIN)
    yield "is modelled", float(offer is not None and offer.is_modelled)
    most = max((min(_MOST_SHARE, each.promise) for each in offers), default=0.0)
    yield "share of the best promise", promise / most if most > 0 else 0.0
    yield "promises more", 0.0 if offer is None else sum(each.promise > offer.promise for each in offers) / len(offers)
    yield "offers", min(1.0, len(offers) / 10)
    yield "for the same finding", 0.0 if offer is None else min(1.0, sum(_answers_same(each, offer) for each in offers) / 4)
    yield "of the same technique", 0.0 if offer is None else min(1.0, sum(each.technique == offer.technique for each in offers) / 4)
    yield "variants", 0.0 if offer is None else min(1.0, offer.variant_count / 8)
    yield "added code", 0.0 if offer is None else min(1.0, offer.added_length / _ADDED)
    for name in _DECISIONS:
        yield f"label {name}", float(offer is not None and name in offer.labels)
    same = [one for one in (() if situation is None else situation.tried) if offer is not None and one.technique == offer.technique]
    yield "kept before", float(any(one.is_kept for one in same))
    yield "tried in vain", float(any(not one.is_kept for one in same))


def _answers_same(one: Offer, other: Offer) -> bool:
    return (one.finding, one.line) == (other.finding, other.line)


def _one_of(kind: str, names: Iterable[str], value: str | None) -> Iterator[tuple[str, float]]:
    for name in names:
        yield f"{kind} {name}", float(name == value)


def _known(kind: str, names: Sequence[str], value: str | None) -> Iterator[tuple[str, float]]:
    yield from _one_of(kind, names, value)
    yield f"{kind} of another name", float(value is not None and value not in names)


_EMPTY: None = None
