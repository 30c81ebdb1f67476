"""How long screening and confirming take for launches of 10 µs to 100 ms: one search for each size of two programs.

Each span is printed and kept as soon as it is known, so that a part that is broken off has shown what it measured, and goes on with what is
missing. Example::

    measure_sizes(kept, folder, end_s, ("10us", "1ms"))
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

__all__ = ["SIZES", "measure_sizes", "sizes_table"]

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_WALL_S = 120.0
_LEAST_LEFT_S = 20.0
_CANDIDATES = 3
"""Of each search: the first, which finds the original's own runs to be made, and two more."""
_WHATS = ("first", "screen", "confirm")
_ENDED = "search"


class _Target(NamedTuple):
    """Seconds, the program's own build and run apart."""

    screen_s: float
    confirm_s: float


_USUAL, _LONG = _Target(3.0, 15.0), _Target(6.0, 30.0)
SIZES = {"10us": _USUAL, "100us": _USUAL, "1ms": _USUAL, "20ms": _USUAL, "100ms": _LONG}
"""About what A's launch takes, and what is asked of a screen and a confirmation there."""


class _Sized(NamedTuple):
    size: str
    name: str
    example: str
    replaced: tuple[tuple[str, str], ...] = ()
    arguments: tuple[str, ...] = ()


def _smooth(size: str, count: int, steps: int) -> _Sized:
    replaced = (("const int count = 100000;", f"const int count = {count};"), ("(d, count, 64)", f"(d, count, {steps})"))
    return _Sized(size, f"double_literals, {count:,} cells, {steps} steps", "double_literals.cu", replaced)


def _product(size: str, n: int) -> _Sized:
    return _Sized(size, f"accumulator, {n}²", "accumulator.cu", (), (str(n),))


_CELLS = ((30_000, 16), (300_000, 64), (2_000_000, 64), (10_000_000, 64), (20_000_000, 512))
_PROGRAMS = (
    *map(_product, SIZES, (64, 256, 1024, 2560, 4352)),
    *(_smooth(size, *cells) for size, cells in zip(SIZES, _CELLS, strict=True)),
)
"""Many threads that each do little, and few that each do much."""


def measure_sizes(kept: Kept, folder: Path, end_s: float, sizes: Sequence[str] = tuple(SIZES)) -> None:
    """Rows ``first``, ``screen``, ``confirm`` and ``search`` of each program, and all events of each search below ``folder``."""
    for number, program in enumerate(_PROGRAMS):
        left_s = min(_WALL_S, end_s - time.monotonic())
        if program.size not in sizes or left_s < _LEAST_LEFT_S or kept.count(program=program.name, what=_ENDED):
            continue
        _measure(kept, program, folder, number, end_s)


def _measure(kept: Kept, program: _Sized, folder: Path, number: int, end_s: float) -> None:
    source = folder / f"size{number}" / program.example
    text = _text(program)
    own_s = _own_seconds(text, source, program.arguments)
    (source.parent / "kernelopt.toml").write_text(f"[limits]\ncandidates = {_CANDIDATES}\n", "utf-8")
    shown = 0
    print(f"{program.size}, {program.name}: its own build and run take {own_s:.2f} s", flush=True)

    def heard(events: list[tuple[float, dict[str, Any]]]) -> None:
        nonlocal shown
        spans = spans_of(events)
        for span in spans[shown:]:
            found = {"program": program.name, "size": program.size, "a_us": _launch_us(events), "own_s": own_s, **span}
            kept.add(found)
            kept.write()
            print(f"  {_in_words(found)}", flush=True)
        shown = len(spans)

    left_s = min(_WALL_S, end_s - time.monotonic())
    events = searched(text, source, left_s, program.arguments, folder / "home", heard)
    (folder / f"size{number}.jsonl").write_text("".join(f"{json.dumps([at_s, event])}\n" for at_s, event in events), "utf-8")
    whole_s = events[-1][0] if events else 0.0
    if events and events[-1][1]["event"] == "job_ended":
        kept.add({"program": program.name, "size": program.size, "own_s": own_s, "what": _ENDED, "seconds": whole_s})
        kept.write()
    else:
        print(f"  broken off after {whole_s:.1f} s, with {shown} spans: it is searched again when this part goes on", flush=True)


def _in_words(found: dict[str, Any]) -> str:
    seconds, target = found["seconds"], SIZES[found["size"]]
    match found["what"]:
        case "screen":
            net_s = seconds - found["own_s"]
            return f"{found['count']} screened in {seconds:.2f} s each, {net_s:.2f} s without its own ({_held(net_s, target.screen_s)})"
        case "confirm":
            return f"confirmed in {seconds:.2f} s ({_held(seconds, target.confirm_s)}, its own build and run included)"
        case _:
            return f"{found['count']} candidates of the first round in {seconds:.2f} s each, with the original's own runs"


def _held(seconds: float, most_s: float) -> str:
    return f"asked ≤ {most_s:g} s: {'held' if seconds <= most_s else 'MISSED'}"


def sizes_table(rows: Sequence[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    lines: list[str] = []
    for program in _PROGRAMS:
        of = [found for found in rows if found["program"] == program.name]
        if not of:
            continue
        first, screened, confirmed = (tuple(found["seconds"] for found in of if found["what"] == what) for what in _WHATS)
        a_us = next((found["a_us"] for found in of if found.get("a_us") is not None), None)
        net = tuple(found["seconds"] - found["own_s"] for found in of if found["what"] == "screen")  # a candidate is built and run once
        whole = tuple(found["seconds"] for found in of if found["what"] == _ENDED)
        target = SIZES[program.size]
        asked = (f"{target.screen_s:g}", f"{target.confirm_s:g}")
        known = (f"{program.size}: {program.name}", "–" if a_us is None else f"{a_us:,.1f}", f"{of[0]['own_s']:.2f}")
        spans = (_seconds(first), _seconds(screened), _seconds(net), asked[0], _seconds(confirmed), asked[1], _seconds(whole))
        lines.append(row(*known, *spans))
    head = ("program", "A's launch, µs", "its own build and run, s", "first, s", "screened, s", "without the own, s", "asked, s")
    return "\n".join((heading(*head, "confirmed, s", "asked, s", "whole search, s"), *lines))


def _text(program: _Sized) -> str:
    text = (_EXAMPLES / program.example).read_text("utf-8")
    for old, new in program.replaced:
        assert old in text, old
        text = text.replace(old, new)
    return text


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
    return next((case["before_s"] * 1e6 for case in cases if case["before_s"] is not None), None)
