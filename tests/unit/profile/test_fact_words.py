"""Metrics and their values in the words of people."""

from __future__ import annotations

import re

import pytest

from assistant.profile.catalogue import METRICS, Metric
from assistant.profile.fact_words import change_in_words, fact_in_words, metric_in_words, quantity_in_words, value_in_words
from tests.editor_texts import RECORDED, recorded_view

_IDENTIFIER = re.compile(r"[a-z0-9]_[a-z0-9]")
_ONE_OF_MANY = re.compile(r"(?<![\d.,])1 [a-zA-Z]+s\b(?<!pass)")


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_no_metric_is_said_by_its_identifier_or_one_of_it_in_the_plural(metric: Metric) -> None:
    for value in (0.5, 1.0, 4096.0):
        said = fact_in_words(metric.name, value, metric.unit, line=7)
        assert not _IDENTIFIER.search(said)
        assert not _ONE_OF_MANY.search(said)
        assert not said.endswith(" ratio")
        assert " on line 7: " in said
    assert (
        fact_in_words(metric.name, 1.0, metric.unit) == f"{metric_in_words(metric.name)}: {value_in_words(metric.name, 1.0, metric.unit)}"
    )


def test_different_metrics_have_different_words() -> None:
    assert len({metric_in_words(metric.name) for metric in METRICS}) == len(METRICS)


@pytest.mark.parametrize(
    ("name", "value", "unit", "said"),
    [
        ("constant_powers", 1, "calls", "general powers: 1 call"),
        ("constant_powers", 3, "calls", "general powers: 3 calls"),
        ("global_sectors_per_request", 31.8, "sectors/request", "sectors a request: 31.8"),
        ("spill_bytes", 1, "bytes/thread", "spilled registers: 1 byte/thread"),
        ("sm_count", 1, "SMs", "GPU: 1 SM"),
        ("occupancy", 0.75, "ratio", "occupancy: 75 %"),
        ("time_ratio", 1.5, "ratio", "speed: 1.50x"),
        ("predicted_time", 1.0, "s", "predicted time: 1 s"),
        ("shared_conflict_factor", 3.5, "wavefronts/ideal wavefront", "passes through shared memory per pass needed: 3.5"),
        ("problem_count", 1, "events", "seen: 1 time"),
    ],
)
def test_facts_read_as_english(name: str, value: float, unit: str, said: str) -> None:
    assert fact_in_words(name, value, unit) == said


@pytest.mark.parametrize(
    ("name", "before", "after", "unit", "said"),
    [
        ("global_sectors", 150_000, 18_750, "sectors", "150,000 → 18,750"),
        ("constant_powers", 4, 1, "calls", "4 → 1 call"),
        ("block_count", 1, 132, "blocks", "1 → 132 blocks"),
        ("occupancy", 0.5, 1, "ratio", "50 → 100 %"),
        ("predicted_time", 2e-3, 1e-6, "s", "2 ms → 1 µs"),
    ],
)
def test_a_change_has_its_unit_once(name: str, before: float, after: float, unit: str, said: str) -> None:
    assert change_in_words(name, before, after, unit) == said


def test_one_is_one_of_any_unit() -> None:
    assert [quantity_in_words(1, unit) for unit in ("loads/sector", "bytes", "")] == ["1 load/sector", "1 byte", "1"]


@pytest.mark.parametrize("name", RECORDED)
def test_the_evidence_of_every_example_is_said_in_words(name: str) -> None:
    evidence = [
        item for kernel in recorded_view(name).kernels for launch in kernel.launches if launch.profile for item in launch.profile.evidence
    ]
    assert evidence
    for item in evidence:
        said = fact_in_words(item.metric, item.value, item.unit, item.line)
        assert not _IDENTIFIER.search(said) and not _ONE_OF_MANY.search(said)
