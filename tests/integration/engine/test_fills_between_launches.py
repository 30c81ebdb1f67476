"""Programs that fill memory between launches, as the emulator records them: what of them is replayed as one call, and what the answer says.

The clock is the tests' own (``clocked.py``); everything else is real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from assistant.engine.request import JobRequest
from assistant.engine.session import Session, SessionParts
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure, Program, RunLimits
from tests.e2e.cli.harness import working_cli
from tests.integration.engine.clocked import Clock, open_clocked
from tests.unit.engine.fakes import FakePlanner
from tests.unit.engine.regions import ran

COUNTED = """\
#include <cstdio>
#include <vector>
__global__ void tally(const unsigned char *in, int n, unsigned *bins)
{
    // takes 30 us
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i] & 7], 1);
}
int main()
{
    const int n = 600;
    std::vector<unsigned char> h(2 * n);
    for (int i = 0; i < 2 * n; i++) h[i] = i * 37 % 101;
    unsigned char *in;
    unsigned *bins, *other, sums[16];
    cudaMalloc(&in, 2 * n);
    for (unsigned **p : {&bins, &other}) cudaMalloc(p, 8 * sizeof *bins);
    cudaMemcpy(in, h.data(), 2 * n, cudaMemcpyHostToDevice);
    for (int half = 0; half < 2; half++) {
        cudaMemset(bins, 0, 8 * sizeof *bins);
        tally<<<1, 64>>>(in + half * n, n, bins);
        cudaMemcpy(sums + 8 * half, bins, 8 * sizeof *bins, cudaMemcpyDeviceToHost);
    }
    for (unsigned sum : sums) printf("%u ", sum);
}
"""
QUICK = COUNTED.replace("takes 30 us", "takes 10 us").replace("[in[i] & 7]", "[in[i] % 8]")
LOOP = "        cudaMemset(bins, 0, 8 * sizeof *bins);\n"
OTHER = "        cudaMemset(half ? other : bins, 0, 8 * sizeof *bins);\n"
"""Both halves are counted together, and the second fill is of memory that no launch looks at."""


class Watched(Clock):
    """Keeps which launches it was asked to time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        if options.is_apart:
            self.asked += [(mine.launches, theirs.launches) for mine, theirs in cases]
        return await super().time(a, b, cases, options, limits)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with working_cli(tmp_path) as cli:
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        yield cli.folder


def steps_of(us: int) -> tuple[tuple[str, int, int], ...]:
    """A run of the program: 2 us of each fill, and 50 us between any two steps."""
    half = [("fill", 2), ("tally", us), ("copy_to_host", 5)]
    found, now = list[tuple[str, int, int]](), 0
    for word, taken in [("copy_to_device", 5), *half, *half]:
        found.append((word, now * 1000, (now + taken) * 1000))
        now += taken + 50
    return tuple(found)


def compared(folder: Path, a: str, b: str, clock: Watched) -> events.ComparisonMade:
    (folder / "a.cu").write_text(a)
    (folder / "b.cu").write_text(b)
    slow, quick = (ran(tally=steps_of(us)) for us in (30, 10))
    clock.ran = lambda program: (quick if "takes 10 us" in program.sources[0].text else slow)(program)
    parts = SessionParts(
        open_store=open_store,
        open_lab=partial(open_clocked, clock),
        planner=FakePlanner("a planner"),
        catalogue=Catalogue(()),
        who="a test",
    )

    async def collected() -> list[events.Event]:
        request = JobRequest(folder / "a.cu", folder, region="main")
        return [event async for event in Session(parts).compare(request, folder / "b.cu", is_strict=False)]

    made = [event for event in asyncio.run(collected()) if isinstance(event, events.ComparisonMade)]
    return made[-1]


def test_a_counter_that_is_zero_again_makes_parts_and_fills_are_added(folder: Path) -> None:
    clock = Watched()
    speed = compared(folder, COUNTED, QUICK, clock).speed
    assert clock.asked == [((0,), (0,)), ((1,), (1,))], speed
    assert speed is not None and (speed.outcome, speed.ratio) == ("FASTER", pytest.approx(64 / 24, rel=1e-3))
    assert "fills added at their recorded times, 4 µs of A and 4 µs of B" in speed.method
    assert "replayed in 2 parts" in speed.method


def test_launches_that_need_no_fill_between_them_are_one_call(folder: Path) -> None:
    clock = Watched()
    speed = compared(folder, COUNTED.replace(LOOP, OTHER), QUICK.replace(LOOP, OTHER), clock).speed
    assert clock.asked == [((0, 1), (0, 1))], speed
    assert speed is not None and "parts" not in speed.method
