"""How long a candidate takes to be screened and an edit to be confirmed, as a reader of `optimize`'s events sees it.

One program at a time, each in a process of its own, whose worker starts with the first candidate. Example::

    measure_screen(kept, folder, end_s)
    print(screen_table(kept.rows))
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.gpu.bench import Kept
from benchmarks.table import heading, row

__all__ = ["measure_screen", "screen_table", "searched", "spans_of"]

_ROOT = Path(__file__).resolve().parents[2]
_PROGRAMS = (
    *(f"examples/{name}.cu" for name in ("accumulator", "transpose", "bank_conflicts", "row_walk", "block_size", "double_literals")),
    "tests/data/h200/histogram.cu",
    "examples/pipeline.cu",
)
_WALL_S = 150.0
_LEAST_LEFT_S = 20.0
_CANDIDATE, _SETTING = "candidate", "setting"
_BEFORE_A_ROUND_ENDS = ("plan", "stage_started", "job_ended")
_CONFIRMED = "confirm"
_BEHIND_A_CONFIRMATION = ("proposal", "message")


def measure_screen(kept: Kept, folder: Path, end_s: float) -> None:
    """Rows ``first`` (with the original's runs and the worker's start), ``screen`` and ``confirm``, by program."""
    for name in _PROGRAMS:
        left_s = min(_WALL_S, end_s - time.monotonic())
        if left_s > _LEAST_LEFT_S and not kept.count(program=Path(name).name):
            for found in spans_of(searched((_ROOT / name).read_text("utf-8"), folder / "screened" / Path(name).name, left_s)):
                kept.add({"program": Path(name).name, **found})
            kept.write()


def screen_table(rows: Sequence[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    names = {
        "first": "a candidate of a kernel's first round, with its share of the original's own runs",
        "screen": "a candidate of a further round",
        "confirm": "confirmation",
    }
    lines = [_line(words, rows, [found for found in rows if found["what"] == what]) for what, words in names.items()]
    screened = [found for found in rows if found["what"] == "screen"]
    taken_s = sum(found["count"] * found["seconds"] for found in screened)
    count = sum(found["count"] for found in screened)
    rate = f"{60 * count / taken_s:.0f} further candidates a minute" if screened else "no candidate was timed"
    return "\n".join((heading("what", "n", "programs", "p50, s", "p95, s", "longest, s"), *lines, "", rate))


def _line(words: str, rows: Sequence[dict[str, Any]], of: Sequence[dict[str, Any]]) -> str:
    seconds = [found["seconds"] for found in of]
    if len(seconds) < 2:
        return row(words, str(len(seconds)), *("–",) * 4)
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    programs = str(len({found["program"] for found in of}))
    return row(words, str(len(seconds)), programs, *(f"{value:.2f}" for value in (cuts[49], cuts[94], max(seconds))))


Heard = Callable[[list[tuple[float, dict[str, Any]]]], None]


def searched(
    text: str, path: Path, wall_s: float, arguments: Sequence[str] = (), home: Path | None = None, heard: Heard = lambda _: None
) -> list[tuple[float, dict[str, Any]]]:
    """(seconds since the start, event) of a search in ``text``, written to ``path``; those until the time was up.

    ``home``: keeps what is built once for all programs; None: one of the search's own. ``heard``: called with all events after each one.
    """
    place = path.parent
    place.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    options = ("--device", "gpu:0", "--json", "--accept", "none", "--allow-host-code", *(("--", *arguments) if arguments else ()))
    line = (sys.executable, "-m", "assistant", "optimize", path.name, *options)
    environment = {**os.environ, "KERNELOPT_HOME": str((home or place / "home").resolve())}
    start_s = time.monotonic()
    found: list[tuple[float, dict[str, Any]]] = []
    with subprocess.Popen(line, cwd=place, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ending = threading.Timer(wall_s, process.kill)  # it may be silent for long
        ending.start()
        for line_of_json in process.stdout:
            found.append((time.monotonic() - start_s, json.loads(line_of_json)))
            heard(found)
        ending.cancel()
    return found


def spans_of(events: Sequence[tuple[float, dict[str, Any]]]) -> list[dict[str, Any]]:
    """What each candidate of a round took, as several are tried at once; how long a confirmation took.

    A round goes from its plan to the last candidate that came to a time, tuned settings among them; its first one for a kernel holds the
    original's own runs.
    """
    rows: list[dict[str, Any]] = []
    known: set[str] = set()
    began_s, ended_s, kernel, tried = 0.0, 0.0, "", set[str]()
    for (before_s, before), (at_s, event) in pairwise(events):
        if event["event"] in (_CANDIDATE, _SETTING) and event.get("point", event)["ratio"] is not None:
            ended_s, kernel = at_s, event["kernel"]
            tried.add(event["candidate"])  # the event comes twice for an edit that was tuned
        elif event["event"] in _BEFORE_A_ROUND_ENDS:
            if tried:
                what, seconds = "screen" if kernel in known else "first", (ended_s - began_s) / len(tried)
                rows.append({"what": what, "kernel": kernel, "count": len(tried), "seconds": seconds})
                known.add(kernel)
            began_s, tried = at_s, set()
        if before["event"] == "stage_started" and before["stage"] == _CONFIRMED and event["event"] in _BEHIND_A_CONFIRMATION:
            rows.append({"what": "confirm", "kernel": None, "count": 1, "seconds": at_s - before_s})
    return rows
