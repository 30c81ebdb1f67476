"""How long recall takes in a memory of many rows, opened anew and again: `python -m benchmarks.recall_speed [ROWS]`.

Rows are of many techniques, kernels, bottlenecks and devices, made with a fixed seed; what is asked is a state like some of them. A plain
loop is timed in the same run, as the machine may be busy.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from assistant.memory import MemoryStore, open_store
from assistant.memory.experience_rows import add
from assistant.model.experience import (
    Choice,
    DeviceTraits,
    Experience,
    KernelTraits,
    Origin,
    RecallQuery,
    Result,
    State,
    TechniqueEvidence,
    TechniqueUse,
)
from assistant.model.profile import Signature
from assistant.plan.catalogue import own_catalogue
from assistant.plan.llm.recalled import recalled_lines
from assistant.plan.tokens import estimated_tokens
from assistant.profile import DIMENSIONS

_ROWS = 100_000
_KERNELS = 20_000
_NAMES = 60
"""Techniques that the catalogue does not have."""
_LABELS = ("dram", "l2", "shared", "issue", "latency")
_FAMILIES = ("row reduction", "matrix product", "elementwise", "stencil")
_DEVICES = (DeviceTraits("cpu, predicted for h200", "sm_90", False), DeviceTraits("NVIDIA H200", "sm_90", True))
_REPEATS = 10
_LOOP = 1_000_000
"""Steps of a plain loop that is timed in the same run: a machine that is busy, or slower, shows in it."""
_NOW_MS = 1_790_000_000_000
_DAY_MS = 86_400_000


def main() -> None:
    """Print the times as JSON."""
    row_count = int(sys.argv[1]) if len(sys.argv) > 1 else _ROWS
    drawn = random.Random(20_26)
    techniques = (*(technique.id for technique in own_catalogue()), *(f"invented-{number}" for number in range(_NAMES)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.sqlite3"
        with open_store(path) as store, store.database.transaction():
            for number in range(row_count):
                add(store.database, _row(drawn, number, techniques))
        loops: list[float] = []
        first: list[tuple[float, float]] = []
        again: list[tuple[float, float]] = []
        found: tuple[TechniqueEvidence, ...] = ()
        for repeat in range(_REPEATS):
            query = _query(drawn, techniques, repeat)
            loops.append(_loop_ms())
            with open_store(path) as store:
                first.append(_timed(store, query))
                again.append(_timed(store, query))
                found = store.recall(query)
        report = {
            "rows": row_count,
            "techniques": len(techniques),
            "known": len(found),
            "file_bytes": path.stat().st_size,
            "loop_cpu_ms": statistics.median(loops),
            "first": _summary(first),
            "again": _summary(again),
            "prompt_tokens": estimated_tokens("\n".join(recalled_lines(found))),
        }
    print(json.dumps(report, indent=2))


def _row(drawn: random.Random, number: int, techniques: tuple[str, ...]) -> Experience:
    is_right = drawn.random() < 0.9
    kernel = drawn.randrange(_KERNELS)
    return Experience(
        id=f"C{number:08}",
        origin=Origin.TRIAL,
        state=_state(drawn),
        use=TechniqueUse(drawn.choice(techniques)),
        result=Result(is_right, drawn.gauss(0.3, 0.5) if is_right else None, 0.01 if is_right else None, is_right),
        workspace=Path(f"/home/me/project{kernel % 20}"),
        kernel=f"kernel{kernel}(float *, int)",
        kernel_id=f"{kernel:016x}",
        same=f"{number:016x}",
        created_ms=_NOW_MS - drawn.randrange(400) * _DAY_MS,
        method="events",
    )


def _query(drawn: random.Random, techniques: tuple[str, ...], repeat: int) -> RecallQuery:
    return RecallQuery(Path("/home/me/project3"), "mine(float *)", _state(drawn), techniques, _NOW_MS, choice=Choice(key=str(repeat)))


def _state(drawn: random.Random) -> State:
    vector = tuple((name, drawn.random() * 0.6) for name in DIMENSIONS)
    traits = KernelTraits(drawn.choice(_FAMILIES), "float", (("threads", 1 << drawn.randrange(8, 22)),))
    return State(Signature(drawn.choice(_LABELS), vector), traits, drawn.choice(_DEVICES))


def _loop_ms() -> float:
    """This process's own time for `_LOOP` multiplications and additions."""
    own, total = time.process_time(), 0
    for number in range(_LOOP):
        total += number * number
    return (time.process_time() - own) * 1e3


def _timed(store: MemoryStore, query: RecallQuery) -> tuple[float, float]:
    """Milliseconds: of a clock, and of this process's own time, which a busy machine does not lengthen."""
    start, own = time.perf_counter(), time.process_time()
    store.recall(query)
    return (time.perf_counter() - start) * 1e3, (time.process_time() - own) * 1e3


def _summary(times: list[tuple[float, float]]) -> dict[str, float]:
    clock, own = zip(*times, strict=True)
    return {"median_ms": statistics.median(clock), "most_ms": max(clock), "median_cpu_ms": statistics.median(own), "most_cpu_ms": max(own)}


if __name__ == "__main__":
    main()
