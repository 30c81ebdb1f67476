"""How long screening and confirming take for launches of 10 µs to 100 ms: one search for each size of two programs. Example::

measure_sizes(kept, folder, end_s)
print(sizes_table(kept.rows))
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.gpu.bench import Kept
from benchmarks.gpu.screen import searched, spans_of
from benchmarks.table import heading, row

__all__ = ["measure_sizes", "sizes_table"]

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_WALL_S = 120.0
_LEAST_LEFT_S = 30.0
_CANDIDATES = 3
"""Of each search: the first, which finds the original's own runs to be made, and two more."""
_WHATS = ("first", "screen", "confirm")


class _Sized(NamedTuple):
    name: str
    example: str
    replaced: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()


def _smooth(count: int, steps: int) -> _Sized:
    replaced = (("const int count = 100000;", f"const int count = {count};"), ("(d, count, 64)", f"(d, count, {steps})"))
    return _Sized(f"double_literals, {count:,} cells, {steps} steps", "double_literals.cu", replaced)


def _product(n: int) -> _Sized:
    return _Sized(f"accumulator, {n}²", "accumulator.cu", (), (str(n),))


_PROGRAMS = (
    *map(_product, (64, 256, 1024, 2560, 4352)),
    *(_smooth(count, steps) for count, steps in ((30_000, 16), (300_000, 64), (2_000_000, 64), (10_000_000, 64), (20_000_000, 512))),
)
"""Launches of about 10 µs, 100 µs, 1 ms, 20 ms and 100 ms of A; many threads that each do little, and few that each do much."""


def measure_sizes(kept: Kept, folder: Path, end_s: float) -> None:
    """Rows ``first``, ``screen`` and ``confirm`` of each program, and all events of each search below ``folder``."""
    for number, program in enumerate(_PROGRAMS):
        left_s = min(_WALL_S, end_s - time.monotonic())
        if left_s < _LEAST_LEFT_S or kept.count(program=program.name):
            continue
        text = (_EXAMPLES / program.example).read_text("utf-8")
        for old, new in program.replaced:
            assert old in text, old
            text = text.replace(old, new)
        source = folder / f"size{number}" / program.example
        own_s = _own_seconds(text, source, program.arguments)
        (source.parent / "kernelopt.toml").write_text(f"[limits]\ncandidates = {_CANDIDATES}\n", "utf-8")
        events = searched(text, source, left_s, program.arguments, folder / "home")
        (folder / f"size{number}.jsonl").write_text("".join(f"{json.dumps([at_s, event])}\n" for at_s, event in events), "utf-8")
        for span in spans_of(events):
            kept.add({"program": program.name, "a_us": _launch_us(events), "own_s": own_s, "whole_s": events[-1][0], **span})
        kept.write()


def sizes_table(rows: Sequence[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    lines: list[str] = []
    for name in dict.fromkeys(found["program"] for found in rows):
        of = [found for found in rows if found["program"] == name]
        first, screened, confirmed = (tuple(found["seconds"] for found in of if found["what"] == what) for what in _WHATS)
        a_us, own_s = of[0]["a_us"], of[0]["own_s"]
        net = tuple(seconds - own_s for seconds in screened)  # a candidate is built and run once
        spans = map(_seconds, (first, screened, net, confirmed))
        lines.append(row(name, "–" if a_us is None else f"{a_us:,.1f}", f"{own_s:.2f}", *spans, f"{of[0]['whole_s']:.1f}"))
    columns = ("program", "A's launch, µs", "its own build and run, s", "first, s", "screened, s", "without the own, s", "confirmed, s")
    return "\n".join((heading(*columns, "whole search, s"), *lines))


def _own_seconds(text: str, source: Path, arguments: Sequence[str]) -> float:
    """What nvcc takes to build the program, and the program to run, by themselves; the second time, as the first one finds cold files."""
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text, "utf-8")
    taken_s = 0.0
    for _ in range(2):
        start_s = time.monotonic()
        subprocess.run(("nvcc", "-O3", "-arch=native", "-lineinfo", "-o", "own", source.name), cwd=source.parent, check=True)
        subprocess.run(("./own", *arguments), cwd=source.parent, check=True, stdout=subprocess.DEVNULL)
        taken_s = time.monotonic() - start_s
    return taken_s


def _seconds(spans: Iterable[float]) -> str:
    return ", ".join(f"{span:.2f}" for span in spans) or "–"


def _launch_us(events: Sequence[tuple[float, dict[str, Any]]]) -> float | None:
    """Of A, by the first timing that is reported."""
    cases = (case for _, event in events for case in (event.get("speed") or {}).get("cases", ()))
    return next((case["before_s"] * 1e6 for case in cases), None)
