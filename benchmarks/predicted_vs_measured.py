"""How well does a machine without a GPU foretell what one measures? The same candidates, predicted there and measured here.

    python -m benchmarks.orders --out predicted --search --predicted --size 3 --only suite/mvt suite/gemver
    python -m benchmarks.predicted_vs_measured predicted/memory benchmarks/results/measured-h200.jsonl

Each side is a folder of memories (``*.sqlite3``, of ``benchmarks.orders`` or of ``kernelopt bench --out``) or a file of their rows (``id``
and what ``_COLUMNS`` names, a JSON object a line). A candidate is the same where kernel, technique, its numbers and the techniques before
it are; of several such, tried one after another, the n-th of one side is the n-th of the other, where both have as many. With
``--write DEVICE METHOD`` they become what the product says of its predictions.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sqlite3
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from assistant.measure.scoring import ScoredPrediction
from assistant.record import Record
from benchmarks.gpu.model import write_accuracy_module

__all__ = ["Candidate", "Pair", "candidates_of", "figures", "pairs_of"]

_COLUMNS = ("kernel", "technique", "log_ratio", "created_ms", "detail")
_APART = 1.2
"""Candidates of a kernel whose measured gains differ by a larger factor are to be predicted in the same order."""

Key = tuple[str, str, tuple[tuple[str, int], ...], tuple[str, ...]]
"""Kernel, technique, its numbers, the techniques before it."""


class Candidate(Record):
    """One that was tried, and its speed compared."""

    key: Key
    ratio: float
    """time(version) / time(candidate)."""
    created_ms: int


class Pair(Record):
    """A candidate that both sides have."""

    key: Key
    predicted: float
    measured: float

    @property
    def factor(self) -> float:
        """Of the prediction's error, 1 or more."""
        return max(self.predicted / self.measured, self.measured / self.predicted)


def candidates_of(path: Path) -> tuple[Candidate, ...]:
    """Of a folder of memories, or a file of rows, oldest first."""
    rows = _stored(sorted(path.glob("*.sqlite3"))) if path.is_dir() else map(json.loads, path.read_text("utf-8").splitlines())
    found = (_candidate(row) for row in rows if row["log_ratio"] is not None)
    return tuple(sorted(found, key=lambda one: one.created_ms))


def _stored(files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        try:
            for row in database.execute(f"select {', '.join(_COLUMNS)} from experience where origin = 'trial'"):
                yield dict(zip(_COLUMNS, row, strict=True))
        finally:
            database.close()


def _candidate(row: dict[str, Any]) -> Candidate:
    detail = json.loads(row["detail"])
    kernel = str(row["kernel"]).strip('"').partition("(")[0]
    key = (kernel, row["technique"], tuple((name, value) for name, value in detail["parameters"]), tuple(detail["after"]))
    return Candidate(key, math.exp(row["log_ratio"]), row["created_ms"])


def pairs_of(predicted: Sequence[Candidate], measured: Sequence[Candidate]) -> tuple[Pair, ...]:
    """What both have."""
    found: list[Pair] = []
    for key in dict.fromkeys(one.key for one in measured):
        own = [one.ratio for one in measured if one.key == key]
        others = [one.ratio for one in predicted if one.key == key]
        if len(own) == len(others):
            found += [Pair(key, other, one) for other, one in zip(others, own, strict=True)]
    return tuple(found)


def figures(pairs: Sequence[Pair]) -> list[str]:
    """For people."""
    factors = sorted(pair.factor for pair in pairs)
    in_order = wrong = best = chosen = 0
    for _, group in itertools.groupby(sorted(pairs, key=lambda pair: pair.key[0]), key=lambda pair: pair.key[0]):
        some = list(group)
        for one, other in itertools.combinations(some, 2):
            if max(one.measured / other.measured, other.measured / one.measured) > _APART:
                is_same = (one.measured > other.measured) == (one.predicted > other.predicted)
                in_order, wrong = in_order + is_same, wrong + (not is_same)
        if len(some) > 1:
            chosen += 1
            best += max(some, key=lambda pair: pair.measured) is max(some, key=lambda pair: pair.predicted)
    side = [pair for pair in pairs if (pair.measured - 1) * (pair.predicted - 1) < 0 and max(pair.measured, 1 / pair.measured) > 1 / 0.95]
    kernels = len({pair.key[0] for pair in pairs})
    lines = [
        f"{len(pairs)} candidates of {kernels} kernels: factor of error {statistics.median(factors):.2f} in the median, "
        f"{factors[math.ceil(0.9 * len(factors)) - 1]:.2f} in nine of ten, {factors[-1]:.2f} at most",
        f"on the wrong side of 1, where 5 % or more was measured: {len(side)}",
    ]
    if in_order + wrong:
        tau = (in_order - wrong) / (in_order + wrong)
        order = f"{in_order} of {in_order + wrong} (Kendall's tau {tau:.2f})"
        lines.append(f"of two candidates of a kernel that differ by more than 20 %, in the same order: {order}")
    if chosen:
        lines.append(f"the candidate that was measured best is predicted best: {best} of {chosen} kernels")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.predicted_vs_measured", description="Predictions against measurements.")
    parser.add_argument("predicted", type=Path)
    parser.add_argument("measured", type=Path)
    parser.add_argument("--rows", action="store_true", help="each candidate, too")
    parser.add_argument("--write", nargs=2, metavar=("DEVICE", "METHOD"), help="write assistant/measure/measured_error.py")
    arguments = parser.parse_args()
    pairs = pairs_of(candidates_of(arguments.predicted), candidates_of(arguments.measured))
    if not pairs:
        parser.error("no candidate is on both sides")
    for pair in pairs if arguments.rows else ():
        kernel, technique, numbers, after = pair.key
        name = " + ".join((*after, technique)) + "".join(f", {value}" for _, value in numbers)
        print(f"| {kernel} | {name} | {pair.predicted:.3g} | {pair.measured:.3g} | {pair.factor:.2f} |")
    for line in figures(pairs):
        print(line)
    if arguments.write:
        write_accuracy_module([ScoredPrediction("", pair.predicted, pair.measured, pair.key[0]) for pair in pairs], *arguments.write)


if __name__ == "__main__":
    main()
