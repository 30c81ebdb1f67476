"""Peaks are measured once per device and driver; a file that cannot be read is as good as none."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.lab.gpu_timing import PeaksCache
from assistant.model.timing import MeasuredPeaks, PairTiming, SelfTest, TimedDevice

_PEAKS = MeasuredPeaks("GPU-1/2", "580 (CUDA 13.0)", 4.6e12, 7.9e12, 3.2e13, 1.6e13, 3.2e13, "best of 5")


def test_peaks_are_kept_for_one_device_and_driver(tmp_path: Path) -> None:
    cache = PeaksCache(tmp_path / "peaks")
    assert cache.load("GPU-1/2", "580") is None
    cache.store(_PEAKS, "580")
    assert cache.load("GPU-1/2", "580") == _PEAKS
    assert cache.load("GPU-1/2", "590") is None
    assert cache.load("GPU-3", "580") is None


def test_an_unreadable_file_is_measured_anew(tmp_path: Path) -> None:
    cache = PeaksCache(tmp_path)
    cache.store(_PEAKS, "580")
    (kept,) = tmp_path.iterdir()
    kept.write_text('{"device_uuid": 3}')
    assert cache.load("GPU-1/2", "580") is None


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "peaks").write_text("a file")
    PeaksCache(tmp_path / "peaks").store(_PEAKS, "580")


@pytest.mark.parametrize(("failures", "is_kept"), [((), True), (("a kernel timed against itself came out SLOWER",), False)])
def test_peaks_that_were_taken_while_timing_was_disturbed_are_not_kept(tmp_path: Path, failures: tuple[str, ...], is_kept: bool) -> None:
    cache = PeaksCache(tmp_path)
    cache.keep(PairTiming((), TimedDevice("", "", "", ""), SelfTest(1.0, 0.95, failures, 0.1), _PEAKS), "580")
    assert (cache.load("GPU-1/2", "580") == _PEAKS) is is_kept
