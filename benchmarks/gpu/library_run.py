"""Times library operations on this GPU, one after another: `libraries` starts it, and starts it again where it was broken off.

    python -m benchmarks.gpu.library_run FOLDER --sizes 3 --seconds N

A time is of device time with warm caches: as many calls as take a millisecond are captured in a CUDA graph, which is replayed between two
CUDA events; what cannot be captured is called as often in a row, so that its own host's work counts. ``cold_s`` is of single calls, each
behind a write of more than L2 holds. Exit status 3: a capture failed, which may have spoiled the process, and the rest is for another one.
"""

# PyTorch is not in every environment, and says little of its types.
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import argparse
import gc
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch

from benchmarks.gpu import library_algebra, library_basic
from benchmarks.gpu.libraries import NONE, ROWS_NAME, RUNNING_NAME, Sized, chosen, key_of, read_rows
from benchmarks.gpu.library_cub import Cub, cub_ops
from benchmarks.gpu.library_work import Data, Op, difference

__all__ = ["Timed", "timed", "undone"]

_SAMPLES = 25
_FEWER_SAMPLES = 20
"""Where a sample takes more than `_LONG_S`."""
_LONG_S = 50e-3
_SAMPLE_S = 1e-3
_LEAST_S = 1e-6
_COUNTING_SAMPLES = 3
_MOST_CALLS = 200
_COLD_SAMPLES = 10
_FLUSH_BYTES = 256 << 20
"""More than L2 holds: 50 MB of an H100 or H200 (NVIDIA H100 Tensor Core GPU Architecture, table 3)."""
_WARM_CALLS = 3
_WARM_S = 30e-3
_CLOCKS_WARM_S = 0.3
_ASKING_TIMEOUT_S = 10.0
_SPOILED = 3
_KERNELS_NAME = "library-kernels.jsonl"


class Timed(NamedTuple):
    """Seconds of one call, once for each sample."""

    times_s: tuple[float, ...]
    method: str
    cold_s: float | None = None
    """The median of single calls, each with nothing of its data in L2, less what starting a graph takes; of a long call as if warm. None
    where there is no graph."""
    capture_error: str = ""
    """Why there is no graph where one was wanted."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.library_run")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args()
    end_s = time.monotonic() + options.seconds
    _set_up()
    ops = (*library_basic.OPS, *library_algebra.OPS, *cub_ops(Cub(options.folder)))
    wanted = tuple(undone(ops, chosen(options.sizes), options.folder / ROWS_NAME))
    _warm_clocks()
    where = _where()
    for op, sized in wanted:
        if time.monotonic() > end_s:
            return 0
        at = _named(op, sized)
        (options.folder / RUNNING_NAME).write_text(json.dumps(at), "utf-8")
        found, is_spoiled = _measured(op, sized)
        _add(options.folder / ROWS_NAME, {**at, **found, "where": where})
        if is_spoiled:
            return _SPOILED
    _name_kernels(ops, options, end_s)
    return 0


def _set_up() -> None:
    torch.set_grad_enabled(False)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True


def _warm_clocks() -> None:
    a = torch.rand(4096, 4096, device="cuda")
    end_s = time.monotonic() + _CLOCKS_WARM_S
    while time.monotonic() < end_s:
        torch.mm(a, a)
        torch.cuda.synchronize()


def undone(ops: tuple[Op, ...], wanted: tuple[Sized, ...], path: Path) -> Iterator[tuple[Op, Sized]]:
    """Operations without a row, those of PyTorch first: nvcc is still at work on CUB's. Raises ValueError for a program without any."""
    there = {key_of(each) for each in read_rows(path)}
    known = {op.program for op in ops} | NONE.keys()
    missing = [sized.program for sized in wanted if sized.program not in known]
    if missing:
        raise ValueError(f"{missing[0]}: there are neither calls for it nor a reason why not")
    return ((op, sized) for op in ops for sized in wanted if sized.program == op.program and key_of(_named(op, sized)) not in there)


def _named(op: Op, sized: Sized) -> dict[str, Any]:
    return {
        "program": op.program, "size": list(sized.size), "library": op.library, "calls": op.calls, "type": op.type, "differs": op.differs,
    }  # fmt: skip


def _measured(op: Op, sized: Sized) -> tuple[dict[str, Any], bool]:
    """The row's rest, and whether this process may be spoiled."""
    is_spoiled = False
    try:
        off = difference(op.work(Data(torch.device("cuda")), sized.smallest))
        found = timed(op.work(Data(torch.device("cuda")), sized.size).call, is_graphed=op.is_graphed)
        row: dict[str, Any] = {
            "median_s": statistics.median(found.times_s), "low_s": min(found.times_s), "high_s": max(found.times_s),
            "n": len(found.times_s), "cold_s": found.cold_s, "method": found.method,
            "difference": off, "difference_size": list(sized.smallest),
        }  # fmt: skip
        words, is_spoiled = f"{row['median_s'] * 1e6:.1f} µs ({row['method']}), off by {off:.1e}", bool(found.capture_error)
    except (RuntimeError, OSError, ValueError, TypeError, AttributeError, AssertionError) as error:
        row = {"reason": f"{type(error).__name__}: {str(error).strip()[:500]}"}
        words = row["reason"].splitlines()[0]
        is_spoiled = isinstance(error, RuntimeError) and not isinstance(error, torch.cuda.OutOfMemoryError)
    print(f"{' '.join((op.program, *map(str, sized.size)))}, {op.library}: {words}", flush=True)
    gc.collect()
    if not is_spoiled:
        torch.cuda.empty_cache()
    return row, is_spoiled


def _where() -> str:
    """Device, driver and the versions of what is timed: CUB is that of nvcc's toolkit."""
    driver = _last_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    libraries = f"PyTorch {torch.__version__} (CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()})"
    return f"{torch.cuda.get_device_name()}, driver {driver}, {libraries}, nvcc {_last_line('nvcc', '--version')}"


def _last_line(*command: str) -> str:
    """What it prints last; ``unknown`` where it is not there or fails."""
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=_ASKING_TIMEOUT_S, check=True).stdout.split("\n")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return next((line.strip() for line in reversed(lines) if line.strip()), "unknown")


def timed(call: Callable[[], object], *, is_graphed: bool) -> Timed:
    """At least 20 samples, each of as many calls as take a millisecond, all queued one behind the other."""
    _warm(call)
    if is_graphed:
        try:
            return _timed_in_graphs(call)
        except RuntimeError as error:
            why = str(error).strip()[:200] or "no reason given"
            found = _timed_in_a_row(call)
            return found._replace(method=f"{found.method}, as they cannot be captured: {why.splitlines()[0]}", capture_error=why)
    return _timed_in_a_row(call)


def _warm(call: Callable[[], object]) -> None:
    """What is done once, as choosing an algorithm is; and warm caches, where a call is short enough for them to count."""
    for _ in range(_WARM_CALLS):
        start_s = time.monotonic()
        call()
        torch.cuda.synchronize()
        if time.monotonic() - start_s > _LONG_S:
            break


def _timed_in_graphs(call: Callable[[], object]) -> Timed:
    """Raises RuntimeError where a call does what a capture does not allow."""
    alone = _graph(call, 1)
    count = _count(alone)
    times_s = _samples(alone if count == 1 else _graph(call, count), count)
    median_s = statistics.median(times_s)
    if median_s > _LONG_S:
        return Timed(times_s, f"graph of {count} calls", median_s)
    flushed = torch.empty(_FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    start_s = statistics.median(_spans_s(alone, _COLD_SAMPLES)) - median_s
    cold_s = statistics.median(_spans_s(alone, _COLD_SAMPLES, lambda: flushed.fill_(1))) - max(start_s, 0.0)
    return Timed(times_s, f"graph of {count} calls", cold_s)


def _timed_in_a_row(call: Callable[[], object]) -> Timed:
    count = _count(call)

    def run() -> None:
        for _ in range(count):
            call()

    return Timed(_samples(run, count), f"{count} calls in a row")


def _count(call: Callable[[], object]) -> int:
    """How many calls take `_SAMPLE_S`."""
    (once_s,) = _spans_s(call, 1)
    if once_s < _SAMPLE_S:
        once_s = min(_spans_s(call, _COUNTING_SAMPLES))
    return max(1, min(_MOST_CALLS, math.ceil(_SAMPLE_S / max(once_s, _LEAST_S))))


def _samples(run: Callable[[], object], count: int) -> tuple[float, ...]:
    """Seconds of one of its ``count`` calls, once for each run."""
    warm_end_s = time.monotonic() + _WARM_S
    is_long = False
    while time.monotonic() < warm_end_s:
        is_long = min(_spans_s(run, 1)) > _LONG_S
    if not is_long:
        run()  # the GPU is busy with it while the first sample is queued
    return tuple(time_s / count for time_s in _spans_s(run, _FEWER_SAMPLES if is_long else _SAMPLES))


def _spans_s(run: Callable[[], object], count: int, first: Callable[[], object] = lambda: None) -> tuple[float, ...]:
    """Each from behind ``first`` to the end of ``run``, all queued one behind the other."""
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
    for start, end in events:
        first()
        start.record()
        run()
        end.record()
    torch.cuda.synchronize()
    return tuple(start.elapsed_time(end) * 1e-3 for start, end in events)


def _graph(call: Callable[[], object], count: int) -> Callable[[], None]:
    """Raises RuntimeError where a call does what a capture does not allow."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call()  # what is made once for each stream, as cuBLAS's workspace is
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(count):
            call()
    graph.replay()  # the first time it is sent to the GPU
    torch.cuda.synchronize()
    return graph.replay


def _name_kernels(ops: tuple[Op, ...], options: argparse.Namespace, end_s: float) -> None:
    """Which kernels one call of each timed operation runs, by PyTorch's profiler: what chose tensor cores, or which algorithm."""
    there = {key_of(each) for each in read_rows(options.folder / _KERNELS_NAME)}
    timed_rows = {key_of(each) for each in read_rows(options.folder / ROWS_NAME) if each.get("median_s") is not None}
    for op in ops:
        for sized in chosen(options.sizes):
            at = _named(op, sized)
            if sized.program == op.program and key_of(at) in timed_rows - there and time.monotonic() < end_s:
                _add(options.folder / _KERNELS_NAME, {**at, "kernels": _kernels(op.work(Data(torch.device("cuda")), sized.size).call)})


def _kernels(call: Callable[[], object]) -> list[str]:
    from torch.profiler import ProfilerActivity, profile

    call()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        call()
        torch.cuda.synchronize()
    return sorted({event.name[:200] for event in profiled.events() or () if str(event.device_type).endswith("CUDA")})


def _add(path: Path, found: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    sys.exit(main())
