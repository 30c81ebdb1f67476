"""A program's timeline on a GPU, held against what the program itself measures with events."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.lab.captured import CapturedRuns
from assistant.lab.gpus import usable_gpus
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.model.timeline import Timeline
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from assistant.workload.timeline import timeline_of

SPIN = """\
#include <cstdio>
__global__ void spin(long long clocks) { for (long long start = clock64(); clock64() - start < clocks;) {} }
__global__ void other(long long clocks) { for (long long start = clock64(); clock64() - start < clocks;) {} }
"""
ONE_STREAM = f"""{SPIN}
int main() {{
  static char host[1 << 24];
  char* x;
  cudaEvent_t begin, end;
  cudaMalloc(&x, sizeof host), cudaEventCreate(&begin), cudaEventCreate(&end);
  spin<<<1, 1>>>(1000), cudaMemset(x, 0, 1 << 20), cudaDeviceSynchronize();
  cudaEventRecord(begin);
  for (int k = 0; k < 5; ++k) spin<<<1, 1>>>(4000000);
  cudaEventRecord(end);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end), std::printf("%g\\n", ms);
}}
"""
TWO_STREAMS = f"""{SPIN}
int main() {{
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  spin<<<1, 1, 0, a>>>(1000), other<<<1, 1, 0, b>>>(1000), cudaDeviceSynchronize();
  spin<<<1, 1, 0, a>>>(20000000), other<<<1, 1, 0, b>>>(20000000);
  cudaDeviceSynchronize();
}}
"""
MANY = f"""{SPIN}
int main() {{
  for (int k = 0; k < 12000; ++k) spin<<<1, 1>>>(1);
  cudaDeviceSynchronize();
}}
"""


@pytest.fixture
async def captured(tmp_path: Path) -> AsyncIterator[CapturedRuns]:
    found = usable_gpus(os.environ)
    assert isinstance(found, tuple), found
    runs = CapturedRuns(tmp_path, tmp_path / "cache", found[0])
    yield runs
    await runs.close()


async def timeline(captured: CapturedRuns, folder: Path, text: str) -> tuple[Timeline, str]:
    """And what the program printed."""
    program = Program((Source(folder / "a.cu", text),), Flags(("-O2",)), (), folder)
    runs = await captured.timelines((program, program), RunLimits())
    assert not isinstance(runs, LabFailure) and len(runs) == 2, runs
    run = runs[-1]
    assert isinstance(run, ProgramRun) and run.exit_status == 0 and run.recording is not None, run
    found = timeline_of(run.recording)
    assert found is not None and not found.is_predicted
    return found, run.stdout.decode()


async def test_kernels_take_as_long_as_events_around_them_say(captured: CapturedRuns, tmp_path: Path) -> None:
    found, printed = await timeline(captured, tmp_path, ONE_STREAM)
    rows = {(row.kind, row.direction): row for row in found.rows}
    spun = rows["kernel", None]
    assert (spun.name, spun.count) == ("spin", 6)
    measured_s = float(printed) * 1e-3
    assert 0.9 * measured_s < spun.time_s < 1.1 * measured_s, "events hold the launches' starts too"
    assert (rows["copy", "to_host"].size_bytes, rows["fill", None].size_bytes) == (1 << 24, 1 << 20)
    assert found.gap_s is not None and found.busy_s + found.gap_s == pytest.approx(found.span_s)


async def test_streams_that_overlap_are_counted_once(captured: CapturedRuns, tmp_path: Path) -> None:
    found, _ = await timeline(captured, tmp_path, TWO_STREAMS)
    assert len(found.streams) == 2 and {row.name for row in found.rows} == {"spin", "other"}
    assert found.busy_s < 0.75 * sum(row.time_s for row in found.rows)
    assert found.leading_ratio <= 1.0


async def test_too_many_launches_are_added_up(captured: CapturedRuns, tmp_path: Path) -> None:
    found, _ = await timeline(captured, tmp_path, MANY)
    (row,) = found.rows
    assert (row.count, found.gap_s, found.streams) == (12000, None, ()) and row.time_s > 0
