"""What a GPU's counters say of a launch decides what limits it; the performance model decides the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.device.counters.report import ReportRequest, read_report
from assistant.measure.model import predict
from assistant.measure.targets import target
from assistant.model.comparison import ModelTerm, PredictedTime
from assistant.model.profile import LaunchMetric, LaunchProfile
from assistant.profile.bottleneck import bottleneck
from assistant.profile.signature import signature

REPORT = Path(__file__).parents[2] / "data" / "reports" / "transpose.ncu-rep"


@pytest.fixture(scope="module")
def transpose() -> LaunchProfile:
    report = read_report(ReportRequest(str(REPORT))).report
    assert report is not None
    return report.launches[0]


def measured(profile: LaunchProfile, **shares: float) -> LaunchProfile:
    return replace(profile, measured=tuple(LaunchMetric(f"{name}_utilisation", value) for name, value in shares.items()))


def predicted_by(profile: LaunchProfile, name: str) -> PredictedTime:
    predicted = predict(profile, None, None, target("h200"))
    return replace(predicted, bottleneck=name, terms=(ModelTerm(name, predicted.time_s, ()),))


@pytest.mark.parametrize(
    ("shares", "modelled", "expected"),
    [
        ({"dram": 0.92, "l2": 0.5, "l1": 0.3, "issue": 0.2}, "l2", "dram"),
        ({"dram": 0.1, "l2": 0.2, "l1": 0.3, "issue": 0.75}, "dram", "issue"),
        ({"dram": 0.1, "l2": 0.2, "l1": 0.3, "issue": 0.2}, "l2", "latency"),
        ({"dram": 0.1, "l2": 0.2, "l1": 0.3, "issue": 0.2}, "conversion", "conversion"),
        ({}, "l2", "l2"),
    ],
)
def test_the_part_nearest_to_its_peak_limits(transpose: LaunchProfile, shares: dict[str, float], modelled: str, expected: str) -> None:
    profile = measured(transpose, **shares)
    assert bottleneck(profile, predicted_by(profile, modelled)) == expected
    assert signature(profile, None, predicted_by(profile, modelled)).label == expected


def test_a_report_ends_in_the_same_signature_as_a_run(transpose: LaunchProfile) -> None:
    found = signature(transpose, None, predict(transpose, None, None, target("h200")))
    vector = dict(found.vector)
    assert vector["store_waste"] == pytest.approx(1 - 18900 / 150000) and vector["load_waste"] == pytest.approx(1 - 18900 / 21150)
    assert found.label == "latency"
