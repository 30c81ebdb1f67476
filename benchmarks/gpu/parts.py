"""The parts of ``make bench-gpu``: what each measures, and its table from the rows that were kept."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from assistant.device.timing.peaks import measure_peaks
from assistant.device.timing.selftest import self_test
from assistant.serialize import encode
from benchmarks.gpu.bench import Bench, Kept
from benchmarks.gpu.subjects import SUBJECTS, TINY, Subject, polynomial, spin
from benchmarks.table import heading, row

__all__ = ["PARTS"]

Rows = Sequence[dict[str, Any]]

_AA_COUNT = 30
_SPIN_CLOCKS = 10_000
_GAINS = (0.01, 0.03, 0.10)
_LENGTHS_S = (3e-6, 20e-6, 500e-6)
_KINDS = ("spin", "polynomial")
_GAIN_COUNT = 50
"""Of each kind of kernel: 100 of each length and gain."""
_TRUTH_COUNT = 15


def measure_aa(bench: Bench, kept: Kept, end_s: float) -> None:
    """Each kernel against itself: code loaded twice, buffers anew each time."""
    subjects = (*SUBJECTS, spin(_SPIN_CLOCKS, bench.kit.sm_count), TINY)
    for turn in range(_AA_COUNT):
        for index, subject in enumerate(subjects):
            if kept.count(subject=subject.name) <= turn and time.monotonic() < end_s:
                kept.add(bench.compare(subject, subject, seed=1000 * index + turn))


def aa_table(rows: Rows) -> str:
    """One row a kernel, and one for all but the tiny one, which is shorter than what the method is for."""
    names = list(dict.fromkeys(found["subject"] for found in rows))
    lines = [_aa_line(name, [found for found in rows if found["subject"] == name]) for name in names]
    proper = [found for found in rows if found["subject"] != TINY.name]
    header = ("kernel", "time", "n", "SAME", "INCONCLUSIVE", "FASTER or SLOWER", "interval holds 1", "ratio: median, range")
    columns = (*header, "margin, median", "blocks", "seconds")
    return _table(columns, [*lines, _aa_line(f"all but {TINY.name}", proper)])


def _aa_line(name: str, of: Rows) -> list[str]:
    ratios = [found["ratio"] for found in of]
    times = [found["a_s"] for found in of]
    return [
        name,
        _time(statistics.median(times)) if len({found["subject"] for found in of}) == 1 else f"{_time(min(times))} to {_time(max(times))}",
        str(len(of)),
        *(_share(of, *outcomes) for outcomes in (("SAME",), ("INCONCLUSIVE",), ("FASTER", "SLOWER"))),
        str(sum(found["low"] <= 1 <= found["high"] for found in of)),
        f"{statistics.median(ratios):.4f}, {min(ratios):.4f} to {max(ratios):.4f}",
        f"{100 * statistics.median(found['margin'] for found in of):.2f} %",
        f"{statistics.median(len(found['case']['blocks']) for found in of):.0f}",
        f"{statistics.median(found['wall_s'] for found in of):.2f}",
    ]


def measure_gains(bench: Bench, kept: Kept, end_s: float) -> None:
    """A is longer than B by a set share of its clocks or repeats. ``truth`` rows tell apart from ``gain`` rows what the ratio really is."""
    bases = {(kind, length_s): _kept_base(bench, kept, kind, length_s) for kind in _KINDS for length_s in _LENGTHS_S}
    for what, count in (("truth", _TRUTH_COUNT), ("gain", _GAIN_COUNT)):
        for turn in range(count):
            for (kind, length_s), base in bases.items():
                for gain in _GAINS:
                    key: dict[str, Any] = {"what": what, "kind": kind, "length_s": length_s, "gain": gain}
                    if kept.count(**key) <= turn and time.monotonic() < end_s:
                        seed = 7 * turn + round(1e3 * gain) + (100_000 if what == "truth" else 0)
                        taken = bench.compare(_of(bench, kind, base * (1 + gain)), _of(bench, kind, base), seed)
                        kept.add({**key, "base": base, **taken})


def _of(bench: Bench, kind: str, length: float) -> Subject:
    return spin(round(length), bench.kit.sm_count) if kind == "spin" else polynomial(round(length))


def _kept_base(bench: Bench, kept: Kept, kind: str, length_s: float) -> int:
    """The one that earlier rows were taken with."""
    known = (found["base"] for found in kept.rows if (found["kind"], found["length_s"]) == (kind, length_s))
    return next(known, None) or _base(bench, kind, length_s)


def _base(bench: Bench, kind: str, length_s: float) -> int:
    """Clocks or repeats of about ``length_s``, a multiple of 100, so that every gain is a whole number of them."""
    first, half = 4000, 2000
    time_s, half_s = (bench.compare(_of(bench, kind, length), _of(bench, kind, length), seed=1)["a_s"] for length in (first, half))
    per_unit_s = (time_s - half_s) / (first - half)
    return max(100, round((length_s - (time_s - per_unit_s * first)) / per_unit_s / 100) * 100)


def gains_table(rows: Rows) -> str:
    """Detection against the margin; coverage of the true ratio, which is the median of as many comparisons that are not counted here."""
    gains = [found for found in rows if found["what"] == "gain"]
    keys = dict.fromkeys((found["kind"], found["length_s"], found["gain"]) for found in gains)
    header = ("kernel", "length", "more work", "true ratio", "n", "FASTER", "SAME", "INCONCLUSIVE", "SLOWER", "interval holds the truth")
    lines = [_gain_line(rows, [found for found in gains if (found["kind"], found["length_s"], found["gain"]) == key], *key) for key in keys]
    for gain in _GAINS:
        of = [found for found in gains if found["gain"] == gain]
        if of:
            lines.append(_gain_counts("all", "", f"{100 * gain:g} %", "", rows, of))
    return _table((*header, "half-width, median", "seconds"), lines)


def _gain_line(rows: Rows, of: Rows, kind: str, length_s: float, gain: float) -> list[str]:
    return _gain_counts(kind, f"{length_s * 1e6:g} µs", f"{100 * gain:g} %", f"{_truth(rows, kind, length_s, gain):.4f}", rows, of)


def _gain_counts(kind: str, length: str, gain: str, truth: str, rows: Rows, of: Rows) -> list[str]:
    covered = sum(found["low"] <= _truth(rows, found["kind"], found["length_s"], found["gain"]) <= found["high"] for found in of)
    width = statistics.median(math.log(found["high"] / found["low"]) / 2 for found in of)
    outcomes = [_share(of, outcome) for outcome in ("FASTER", "SAME", "INCONCLUSIVE", "SLOWER")]
    seconds = f"{statistics.median(found['wall_s'] for found in of):.2f}"
    return [
        kind,
        length,
        gain,
        truth,
        str(len(of)),
        *outcomes,
        f"{covered} ({100 * covered / len(of):.1f} %)",
        f"{100 * width:.3f} %",
        seconds,
    ]


def _truth(rows: Rows, kind: str, length_s: float, gain: float) -> float:
    """What starts and ends a kernel is part of its time, so that 3 % more work is a little less than 3 % more time."""
    key = ("truth", kind, length_s, gain)
    found = [found["ratio"] for found in rows if (found["what"], found["kind"], found["length_s"], found["gain"]) == key]
    return statistics.median(found) if found else 1 + gain


def measure_device(bench: Bench, kept: Kept, end_s: float) -> None:
    """Peaks and self-test, a few times."""
    while len(kept.rows) < 5 and time.monotonic() < end_s:
        peaks = measure_peaks(bench.kit, bench.device.uuid, bench.device.driver_version)
        tested = self_test(bench.kit, bench.tools, seed=len(kept.rows))
        kept.add({"peaks": encode(peaks), "self_test": encode(tested), "state": encode(bench.sensor.state())})


def device_table(rows: Rows) -> str:
    names = ("dram_bytes_per_s", "l2_bytes_per_s", "fp32_per_s", "fp64_per_s", "half2_per_s")
    values = {name: [found["peaks"][name] for found in rows] for name in names}
    lines = [[name, f"{max(found):.4g}", f"{min(found):.4g} to {max(found):.4g}"] for name, found in values.items()]
    tests = [found["self_test"] for found in rows]
    passed = f"{sum(not test['failures'] for test in tests)} of {len(tests)}"
    lines.append(["self-test passed", passed, f"{statistics.median(test['seconds'] for test in tests):.2f} s"])
    return _table(("what", "best", "range"), lines)


def _table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join((heading(*header), *(row(*line) for line in lines)))


def _share(rows: Rows, *outcomes: str) -> str:
    return str(sum(found["outcome"] in outcomes for found in rows))


def _time(time_s: float) -> str:
    return f"{time_s * 1e6:.3g} µs" if time_s < 1e-3 else f"{time_s * 1e3:.3g} ms"


PARTS: dict[str, tuple[Callable[[Bench, Kept, float], None], Callable[[Rows], str]]] = {
    "aa": (measure_aa, aa_table),
    "gains": (measure_gains, gains_table),
    "device": (measure_device, device_table),
}
"""By name: what measures, until a time; what writes the table."""
