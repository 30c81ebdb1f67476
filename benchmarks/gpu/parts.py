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
from benchmarks.gpu.subjects import SUBJECTS, Subject, polynomial, spin

__all__ = ["PARTS"]

Rows = Sequence[dict[str, Any]]

_AA_COUNT = 32
_GAINS = (0.01, 0.03, 0.10)
_LENGTHS_S = (3e-6, 20e-6, 500e-6)
_GAIN_COUNT = 100
_LINE_STEPS = (0.85, 0.92, 1.0, 1.01, 1.03, 1.06, 1.10, 1.18)
"""Lengths that a kernel's time is a line of, in parts of the gain's base length."""
_LINE_ROUNDS = 12


def measure_aa(bench: Bench, kept: Kept, end_s: float) -> None:
    """Each kernel against itself: code loaded twice, buffers anew each time."""
    subjects = (*SUBJECTS, spin(5_000, bench.kit.sm_count))
    for turn in range(_AA_COUNT):
        for index, subject in enumerate(subjects):
            if kept.count(subject=subject.name) <= turn and time.monotonic() < end_s:
                kept.add(bench.compare(subject, subject, seed=1000 * index + turn))


def aa_table(rows: Rows) -> str:
    lines = [
        "| kernel | time | comparisons | SAME | INCONCLUSIVE | FASTER, SLOWER | ratio: median, range | A/A half-width, median | blocks, median | seconds, median |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["subject"] for row in rows):
        of = [row for row in rows if row["subject"] == name]
        ratios = [row["ratio"] for row in of]
        lines.append(
            f"| {name} | {_us(statistics.median(row['a_s'] for row in of))} | {len(of)} | {_share(of, 'SAME')} | {_share(of, 'INCONCLUSIVE')} "
            f"| {_share(of, 'FASTER', 'SLOWER')} | {statistics.median(ratios):.4f}, {min(ratios):.4f} to {max(ratios):.4f} "
            f"| {100 * statistics.median(row['aa'] for row in of):.2f} % | {statistics.median(len(row['case']['blocks']) for row in of):.0f} "
            f"| {statistics.median(row['wall_s'] for row in of):.2f} |"
        )
    lines.append(
        f"| all | | {len(rows)} | {_share(rows, 'SAME')} | {_share(rows, 'INCONCLUSIVE')} | {_share(rows, 'FASTER', 'SLOWER')} | | | | |"
    )
    return "\n".join(lines)


def measure_gains(bench: Bench, kept: Kept, end_s: float) -> None:
    """Kernels that are longer by a set share: first the line of time over length, then A (longer) against B, in turns."""
    bases = {(kind, length_s): _kept_base(bench, kept, kind, length_s) for kind in ("spin", "polynomial") for length_s in _LENGTHS_S}
    for (kind, length_s), base in bases.items():
        for turn in range(_LINE_ROUNDS):
            for step in _LINE_STEPS:
                if kept.count(what="line", kind=kind, length_s=length_s, step=step) <= turn and time.monotonic() < end_s:
                    row = bench.compare(_of(bench, kind, base * step), _of(bench, kind, base), seed=turn)
                    kept.add({"what": "line", "kind": kind, "length_s": length_s, "step": step, "base": base, "time_s": row["a_s"]})
    for turn in range(_GAIN_COUNT):
        for (kind, length_s), base in bases.items():
            for gain in _GAINS:
                key: dict[str, Any] = {"what": "gain", "kind": kind, "length_s": length_s, "gain": gain}
                if kept.count(**key) <= turn and time.monotonic() < end_s:
                    row = bench.compare(_of(bench, kind, base * (1 + gain)), _of(bench, kind, base), seed=7 * turn + round(1e3 * gain))
                    kept.add({**key, "base": base, **row})


def _of(bench: Bench, kind: str, length: float) -> Subject:
    return spin(round(length), bench.kit.sm_count) if kind == "spin" else polynomial(round(length))


def _kept_base(bench: Bench, kept: Kept, kind: str, length_s: float) -> int:
    """The one that earlier rows were taken with."""
    known = (row["base"] for row in kept.rows if (row["kind"], row["length_s"]) == (kind, length_s))
    return next(known, None) or _base(bench, kind, length_s)


def _base(bench: Bench, kind: str, length_s: float) -> int:
    """Clocks or repeats of about ``length_s``, a multiple of 100, so that every gain is exact."""
    first = 4000
    time_s = bench.compare(_of(bench, kind, first), _of(bench, kind, first), seed=1)["a_s"]
    half_s = bench.compare(_of(bench, kind, first // 2), _of(bench, kind, first // 2), seed=1)["a_s"]
    per_unit_s = (time_s - half_s) / (first - first // 2)
    return max(100, round((length_s - (time_s - per_unit_s * first)) / per_unit_s / 100) * 100)


def gains_table(rows: Rows) -> str:
    lines = [
        "| kernel | length | true gain | comparisons | FASTER | SAME | INCONCLUSIVE | SLOWER | interval holds the truth | half-width, median | seconds, median |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    gains = [row for row in rows if row["what"] == "gain"]
    for kind, length_s, gain in dict.fromkeys((row["kind"], row["length_s"], row["gain"]) for row in gains):
        of = [row for row in gains if (row["kind"], row["length_s"], row["gain"]) == (kind, length_s, gain)]
        truth = true_ratio(rows, kind, length_s, gain)
        covered = sum(row["low"] <= truth <= row["high"] for row in of)
        width = statistics.median(math.log(row["high"] / row["low"]) / 2 for row in of)
        lines.append(
            f"| {kind} | {length_s * 1e6:g} µs | {100 * gain:g} % ({truth:.4f}x) | {len(of)} | {_share(of, 'FASTER')} | {_share(of, 'SAME')} "
            f"| {_share(of, 'INCONCLUSIVE')} | {_share(of, 'SLOWER')} | {covered} | {100 * width:.3f} % | {statistics.median(row['wall_s'] for row in of):.2f} |"
        )
    return "\n".join(lines)


def true_ratio(rows: Rows, kind: str, length_s: float, gain: float) -> float:
    """By the line through independent timings of eight lengths (least squares): what starts and ends a kernel is part of its time."""
    points = [
        (row["base"] * row["step"], row["time_s"])
        for row in rows
        if row["what"] == "line" and (row["kind"], row["length_s"]) == (kind, length_s)
    ]
    base = next(row["base"] for row in rows if (row["kind"], row["length_s"]) == (kind, length_s))
    if len(points) < len(_LINE_STEPS):
        return 1 + gain
    slope, offset = statistics.linear_regression([x for x, _ in points], [y for _, y in points])
    return (offset + slope * base * (1 + gain)) / (offset + slope * base)


def measure_device(bench: Bench, kept: Kept, end_s: float) -> None:
    """Peaks and self-test, a few times."""
    while len(kept.rows) < 5 and time.monotonic() < end_s:
        peaks = measure_peaks(bench.kit, bench.device.uuid, bench.device.driver_version)
        tested = self_test(bench.kit, bench.tools, seed=len(kept.rows))
        kept.add({"peaks": encode(peaks), "self_test": encode(tested), "state": encode(bench.sensor.state())})


def device_table(rows: Rows) -> str:
    lines = ["| what | best of 5 | range |", "|---|---|---|"]
    for name in ("dram_bytes_per_s", "l2_bytes_per_s", "fp32_per_s", "fp64_per_s", "half2_per_s"):
        values = [row["peaks"][name] for row in rows]
        lines.append(f"| {name} | {max(values):.4g} | {min(values):.4g} to {max(values):.4g} |")
    tests = [row["self_test"] for row in rows]
    lines.append(
        f"| self-test: passed | {sum(not test['failures'] for test in tests)} of {len(tests)} | {statistics.median(test['seconds'] for test in tests):.2f} s |"
    )
    return "\n".join(lines)


def _share(rows: Rows, *outcomes: str) -> str:
    return str(sum(row["outcome"] in outcomes for row in rows))


def _us(time_s: float) -> str:
    return f"{time_s * 1e6:.3g} µs" if time_s < 1e-3 else f"{time_s * 1e3:.3g} ms"


PARTS: dict[str, tuple[Callable[[Bench, Kept, float], None], Callable[[Rows], str]]] = {
    "aa": (measure_aa, aa_table),
    "gains": (measure_gains, gains_table),
    "device": (measure_device, device_table),
}
"""By name: what measures, until a time; what writes the table."""
