"""Edits that were written from our prompts alone (tests/data/manual) at a GPU's sizes: against the program as it was, against what the
expert planner finds there, and the products against cuBLAS in fp32 without TF32.

Each comparison is ``kernelopt compare``: verified, timed in pairs. cuBLAS is timed through PyTorch with CUDA events. Example::

    measure_answers(kept, folder, end_s)
    print(answers_table(kept.rows))
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.gpu.bench import Kept
from benchmarks.table import heading, row

__all__ = ["PROGRAMS", "answers_table", "measure_answers"]

_ANSWERS = Path(__file__).resolve().parents[2] / "tests" / "data" / "manual"
_LEAST_LEFT_S = 60.0
_AT_ONCE = 4
"""Programs that are compared at the same time: they take turns on the GPU whenever something is timed."""
_KEEPING = threading.Lock()
_MOST_S = 420.0
"""Of one command."""
_PYTHONS = (sys.executable, "/opt/torch/.venv/bin/python3", "python3")
"""Where PyTorch may be."""


class _Product(NamedTuple):
    """A product that cuBLAS can do: m x k times k x n."""

    m: int
    n: int
    k: int
    is_transposed: bool
    """The second matrix is n x k."""


class _Program(NamedTuple):
    name: str
    arguments: tuple[str, ...]
    product: _Product | None = None


_PROGRAMS = (
    _Program("dense", ("4096", "4096", "4096"), _Product(4096, 4096, 4096, False)),
    _Program("linear", ("4096", "2048", "4096"), _Product(4096, 4096, 2048, True)),
    _Program("gram", ("4096", "1024"), _Product(4096, 4096, 1024, True)),
    _Program("attention", ("4096", "4096")),
    _Program("softmax_rows", ("16384", "1000")),
    _Program("layernorm", ("16384", "1024")),
    _Program("color_histogram", ("7680", "4320")),
    _Program("column_sums", ("100000", "1024")),
)
PROGRAMS = tuple(program.name for program in _PROGRAMS)
_CUBLAS = """
import json, statistics, sys, torch
m, n, k, is_transposed = json.loads(sys.argv[1])
torch.backends.cuda.matmul.allow_tf32 = False
torch.set_float32_matmul_precision("highest")
a = torch.randn(m, k, device="cuda")
b = torch.randn(n, k, device="cuda").t() if is_transposed else torch.randn(k, n, device="cuda")
times = []
for i in range(60):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record(); torch.matmul(a, b); end.record(); torch.cuda.synchronize()
    times.append(start.elapsed_time(end) * 1e-3)
print(json.dumps({"median_s": statistics.median(times[20:]), "device": torch.cuda.get_device_name(), "torch": torch.__version__}))
"""


def measure_answers(kept: Kept, folder: Path, end_s: float, only: Sequence[str] = PROGRAMS) -> None:
    """Rows ``original``, ``expert`` and ``cublas`` of each program, each with what the edit was held against; events below ``folder``."""
    places = {program: _place(folder, program) for program in _PROGRAMS if program.name in only}
    for program, place in places.items():
        _measured(kept, program, place, ("cublas",), end_s)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        made = [pool.submit(_measured, kept, program, place, ("original", "expert"), end_s) for program, place in places.items()]
        for each in made:
            each.result()


def _place(folder: Path, program: _Program) -> Path:
    """A workspace with the program and the edit."""
    place = (folder / "answers" / program.name).resolve()
    place.mkdir(parents=True, exist_ok=True)
    (place / ".git").mkdir(exist_ok=True)
    (place / "home").mkdir(exist_ok=True)
    if not (place / "home" / "cache").exists():  # what is built once is built for all of them; what is remembered is each one's own
        (place.parent / "cache").mkdir(exist_ok=True)
        (place / "home" / "cache").symlink_to(place.parent / "cache")
    for name in (f"{program.name}.cu", "edited.cu"):
        shutil.copyfile(_ANSWERS / program.name / name, place / name)
    return place


def _measured(kept: Kept, program: _Program, place: Path, wanted: Sequence[str], end_s: float) -> None:
    """The rows that are not there yet, while there is time."""
    for what in wanted:
        if kept.count(program=program.name, what=what) or end_s - time.monotonic() < _LEAST_LEFT_S:
            continue
        found = _MEASURES[what](program, place, min(_MOST_S, end_s - time.monotonic()))
        if found is not None:
            with _KEEPING:
                kept.add({"program": program.name, "arguments": " ".join(program.arguments), "what": what, **found})
                kept.write()


def answers_table(rows: Sequence[dict[str, Any]]) -> str:
    """One line a program: ratios above 1 are the edit's gain; the last column is cuBLAS' time / the edit's."""
    head = heading("program", "arguments", "verdict", "edit, ms", "original / edit", "expert / edit", "cuBLAS fp32 / edit")
    return "\n".join((head, *(_line(program.name, rows) for program in _PROGRAMS)))


def _line(name: str, rows: Sequence[dict[str, Any]]) -> str:
    found = {entry["what"]: entry for entry in rows if entry["program"] == name}
    original, expert, cublas = (found.get(what, {}) for what in ("original", "expert", "cublas"))
    edit_s = original.get("after_s")
    share = f"{cublas['median_s'] / edit_s:.0%}" if edit_s and cublas else "–"
    shown_s = "–" if edit_s is None else f"{edit_s * 1e3:.3f}"
    arguments, verdict = original.get("arguments", "–"), original.get("verdict", "–")
    return row(name, arguments, verdict, shown_s, _ratio(original), expert.get("why") or _ratio(expert), share)


def _ratio(entry: dict[str, Any]) -> str:
    if entry.get("ratio") is None:
        return "–"
    return f"{entry['ratio']:.2f} ({entry['low']:.2f} to {entry['high']:.2f})" if entry.get("low") else f"{entry['ratio']:.2f}"


def _against_original(program: _Program, place: Path, wall_s: float) -> dict[str, Any] | None:
    return _compared(program, place, f"{program.name}.cu", wall_s)


def _against_expert(program: _Program, place: Path, wall_s: float) -> dict[str, Any] | None:
    """What the expert planner makes of the program in the same folder's copy, compared with the edit."""
    (place / "expert").mkdir(exist_ok=True)
    path = place / "expert" / f"{program.name}.cu"
    shutil.copyfile(place / f"{program.name}.cu", path)
    options = ("--planner", "expert", "--accept", "best", "--allow-host-code")
    events = _run(("optimize", str(path.relative_to(place)), *options), program, place, wall_s, "expert")
    if not any(event["event"] == "job_ended" for event in events):
        return None  # cut off: what it would have found is not known
    if path.read_text("utf-8") == (place / f"{program.name}.cu").read_text("utf-8"):
        return {"ratio": None, "why": "the expert finds nothing"}
    return _compared(program, place, str(path.relative_to(place)), wall_s)


def _compared(program: _Program, place: Path, before: str, wall_s: float) -> dict[str, Any] | None:
    events = _run(("compare", before, "edited.cu"), program, place, wall_s, f"compare-{Path(before).parent.name or 'original'}")
    made = next((event for event in reversed(events) if event["event"] == "comparison"), None)
    if made is None:
        return None
    speed: dict[str, Any] = made["speed"] or {}
    (case,) = speed.get("cases", [])[:1] or ({},)
    kept = {name: speed.get(name) for name in ("outcome", "ratio", "low", "high", "method")}
    times = {name: case.get(name) for name in ("before_s", "after_s")}
    return {**kept, **times, "verdict": made["verification"]["outcome"], "device": made["device"]}


def _cublas(program: _Program, place: Path, wall_s: float) -> dict[str, Any] | None:
    if program.product is None:
        return None
    for python in _PYTHONS:
        line = (python, "-c", _CUBLAS, json.dumps(list(program.product)))
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=wall_s, check=False)
        except (FileNotFoundError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return json.loads(done.stdout)
    return None


_MEASURES = {"original": _against_original, "cublas": _cublas, "expert": _against_expert}


def _run(command: Sequence[str], program: _Program, place: Path, wall_s: float, name: str) -> list[dict[str, Any]]:
    """The events of one command on the GPU, also kept as ``NAME.jsonl``; those until its time was up."""
    environment = {**os.environ, "KERNELOPT_HOME": str(place / "home")}
    line = (sys.executable, "-m", "assistant", *command, "--device", "gpu:0", "--json", "--", *program.arguments)
    with (place / f"{name}.jsonl").open("w", encoding="utf-8") as out:
        try:
            subprocess.run(line, stdout=out, stderr=subprocess.DEVNULL, cwd=place, env=environment, timeout=wall_s, check=False)
        except subprocess.TimeoutExpired:
            out.flush()
    text = (place / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]
