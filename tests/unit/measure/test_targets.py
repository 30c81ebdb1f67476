"""Targets are cited and agree with their data sheets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.errors import UsageError
from assistant.measure import DEFAULT_TARGET, TARGETS, target, target_for_device, target_names


def test_the_default_is_an_h200_with_its_132_multiprocessors():
    assert target().name == DEFAULT_TARGET == target_names()[0] == "h200"
    assert (target().sm_count, target().dram_bytes_per_s) == (132, 4.8e12)


@pytest.mark.parametrize(
    ("name", "fp32_tflops", "fp64_tflops"),
    [("h200", 67, 34), ("h100", 67, 34), ("a100", 19.5, 9.7), ("l40s", 91.6, 1.43), ("rtx4090", 82.6, 1.29), ("b200", 75, 37)],
)
def test_peaks_follow_from_lanes_and_clock_as_the_data_sheet_says(name, fp32_tflops, fp64_tflops):
    row = target(name)
    assert row.fp32_lanes_per_sm * row.sm_count * row.clock_hz * 2e-12 == pytest.approx(fp32_tflops, rel=0.02)
    assert row.fp64_lanes_per_sm * row.sm_count * row.clock_hz * 2e-12 == pytest.approx(fp64_tflops, rel=0.02)


@pytest.mark.parametrize(
    ("name", "half_tflops", "tf32_tflops", "fp8_tflops", "fp64_tflops"),
    [
        ("h200", 1979 / 2, 989 / 2, 3958 / 2, 67),
        ("h100", 1979 / 2, 989 / 2, 3958 / 2, 67),
        ("a100", 312, 156, None, 19.5),
        ("l40s", 362.05, 183, 733, None),
        ("rtx4090", 165.2, 82.6, 330.3, None),
        ("b200", 4500 / 2, 2200 / 2, 9000 / 2, 37),
    ],
)
def test_tensor_peaks_are_the_dense_rates_of_the_data_sheets(name, half_tflops, tf32_tflops, fp8_tflops, fp64_tflops):
    tensor = target(name).tensor
    found = (tensor.half_flop_per_s, tensor.tf32_flop_per_s, tensor.fp8_flop_per_s, tensor.fp64_flop_per_s)
    expected = (half_tflops, tf32_tflops, fp8_tflops, fp64_tflops)
    assert [rate is None for rate in found] == [rate is None for rate in expected]
    assert [rate * 1e-12 for rate in found if rate is not None] == pytest.approx([rate for rate in expected if rate is not None], rel=1e-3)


def test_every_target_names_its_sources():
    assert all("NVIDIA" in t.source and re.search("Programming Guide|Best Practices Guide", t.source) for t in TARGETS)


@pytest.mark.parametrize(
    ("name", "l2_tb_per_s", "dram_clocks_at_boost"),
    [("h200", 9.7, None), ("a100", 5.4, 571), ("l40s", 5.2, 631)],
)
def test_rates_and_latencies_are_those_of_the_public_raw_data(name, l2_tb_per_s, dram_clocks_at_boost):
    """github.com/te42kyfo/gpu-benches: gpu-l2-cache, gpu-latency, cuda-latency."""
    row = target(name)
    assert row.l2_bytes_per_s == pytest.approx(l2_tb_per_s * 1e12)
    if dram_clocks_at_boost is not None:
        assert row.dram_latency_s * row.clock_hz == pytest.approx(dram_clocks_at_boost, rel=0.02)


def test_every_number_says_what_kind_of_source_it_has():
    assert all("gpu-benches" in t.source for t in TARGETS if t.name != "b200")
    assert all("derived" in t.source or "as its driver reports" in t.source for t in TARGETS)
    assert "calibrated on tests/data/h200" in target("h200").source


def test_what_is_not_published_of_a_b200_is_said_to_be_assumed():
    row = target("b200")
    assert "L2 rate measured" in row.source
    assert "chipsandcheese.com" in row.source
    assert "assumed" in row.source
    assert row.dram_latency_s == target("h200").dram_latency_s
    assert row.conversion_lanes_per_sm == target("h200").conversion_lanes_per_sm


def test_a_b200_has_no_more_half_than_single_precision_outside_its_tensor_cores():
    assert target("b200").half_lanes_per_sm == target("b200").fp32_lanes_per_sm == 128
    assert target("h200").half_lanes_per_sm == 2 * target("h200").fp32_lanes_per_sm


def test_a_target_s_architecture_has_limits():
    assert all(architecture(t.architecture) is not None for t in TARGETS)


def test_an_unknown_target_is_refused_with_the_known_ones():
    with pytest.raises(UsageError) as refused:
        target("voodoo2")
    assert "h200" in refused.value.remedy


@pytest.mark.parametrize(
    ("device", "name"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA B200", "b200"),
    ],
)
def test_a_device_is_recognised_by_the_name_its_driver_gives(device, name):
    found = target_for_device(device)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("device", ["NVIDIA GeForce RTX 4060", "NVIDIA T4", "", "NVIDIA H20", "NVIDIA GB200", "NVIDIA B300"])
def test_an_unlisted_device_has_no_target(device):
    assert target_for_device(device) is None


@pytest.mark.parametrize("row", TARGETS, ids=target_names())
def test_the_page_on_the_model_has_every_target_s_numbers(row):
    page = (Path(__file__).parents[3] / "docs" / "explanation" / "performance-model.md").read_text("utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith(f"| `{row.name}` |"))
    numbers = [float(number) for number in re.findall(r"[\d.]+", line.partition(f"({row.architecture})")[2])]
    lanes = [row.fp32_lanes_per_sm, row.fp64_lanes_per_sm, row.half_lanes_per_sm]
    memory = [row.dram_bytes_per_s / 1e12, row.dram_latency_s * 1e9, row.l2_bytes / 2**20, row.l2_bytes_per_s / 1e12]
    assert numbers == pytest.approx([row.sm_count, row.clock_hz / 1e9, *lanes, *memory], rel=1e-3)
