"""How far counters and predictions scaled from a sample of blocks are from those of all blocks.

    python -m benchmarks.sampled_counts tests/data/sampled/a_dozen.cu

Each kernel is counted whole and on the fewest blocks that a limited run counts. One line a kernel: blocks, and by how
much the sampled value is off for global sectors, requests of all memory, executed code and the predicted time.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate.assess import assess
from assistant.engine.evaluate.assessment import AssessedLaunch, Assessment, CountedRun
from assistant.engine.evaluate.counting import run_program
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.ports.lab import RunLimits

LEAST_S = 1e-3
"""A budget that is over before it is looked at for the first time."""


async def main(file: Path, cache: Path) -> None:
    limits = architecture("sm_90")
    assert limits is not None
    with tempfile.TemporaryDirectory() as folder:
        lab = CpuLab(Path(folder), cache, "h200")
        request = JobRequest(file, file.parent, sample_blocks=0)
        whole = Job("J", request, lab, target("h200"), limits, Path(folder), (1,), RunLimits(wall_s=300))
        part = replace(whole, limits=replace(whole.limits, launch_budget_s=LEAST_S, launch_bytes=0))
        every, some = await _launches(whole), await _launches(part)
        await lab.close()
    print("| kernel | blocks | counted | global sectors | requests | blocks of code run | predicted time |\n|---|---|---|---|---|---|---|")
    for name, launch in every.items():
        sampled = some[name]
        ratios = (f"{_ratio(b, a):+.1%}" for a, b in zip(_values(launch), _values(sampled), strict=True))
        count = launch.profile.config.grid.count
        print(f"| `{name}` | {count:,} | {sampled.profile.blocks_counted} | {' | '.join(ratios)} |")


async def _launches(job: Job) -> dict[str, AssessedLaunch]:
    version = read_version(job.request, DEFAULT_FLAGS)
    counted = await run_program(job, version)
    assert isinstance(counted, CountedRun), counted
    assessment = await assess(job, version, replace(counted, failure=None), 1)
    assert isinstance(assessment, Assessment), assessment
    return {item.kernel.name: item.launches[0] for item in assessment.kernels}


def _values(launch: AssessedLaunch) -> tuple[float, ...]:
    accesses = launch.profile.accesses
    sectors = sum(access.sectors or 0 for access in accesses if access.op.startswith("global"))
    executed = sum(execution.warp_executions for execution in launch.profile.executions)
    return sectors, sum(access.requests for access in accesses), executed, launch.predicted.time_s


def _ratio(sampled: float, whole: float) -> float:
    return sampled / whole - 1 if whole else 0.0


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
