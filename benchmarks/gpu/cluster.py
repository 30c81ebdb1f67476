"""Candidates judged by workers of a cluster: ``python -m benchmarks.gpu.cluster [--workers 1 2 4] [--candidates 200] [--seconds 500]``.

Each number of ``--workers`` is a run: so many workers on this machine, one for each GPU (without GPUs under the emulator, which shows that
it works and no more), each warmed up by an edit that is not counted. All judge the same candidates of one task: tiled transposes with
different pitches. With ``--kill`` one worker is killed when half of the answers are there. The table has the time from the first candidate
sent to the last answer, its rate, and how many were lost or came twice. Then: of how many candidates the ratios of two different GPUs
differ by no more than the margin of their verdicts. After N seconds no more candidates are sent; all answers are kept in FOLDER as JSON,
and the same command goes on, as do others for other runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from assistant.agents.tasks import JudgeSettings, KeptTask, NewTask, ServerStart, TaskStore, make_task
from assistant.cli.cluster_asked import judged_on, opened
from assistant.cli.compose import has_gpu, open_session
from assistant.cluster import CPU, Cluster
from assistant.serialize import dumps, loads
from benchmarks.gpu.many_at_once import PROGRAM, TILED

_FIRST_PITCH = 33
_LAST_PITCH = 384
"""More does not fit into 48 KiB of shared memory."""
_REAL_N, _SMALL_N = "int n = 2048", "int n = 64"
_START, _END = "__global__", "int main()"


@dataclass
class Answer:
    """One candidate's answer."""

    pitch: int
    reward: int | None
    ratio: float | None
    margin: float | None
    worker: str
    gpu: str | None
    wall_s: float


@dataclass
class Run:
    """All candidates on so many workers."""

    worker_count: int
    is_killing: bool = False
    device: str = ""
    wall_s: float = 0.0
    killed: int | None = None
    """Process of the worker that was killed."""
    answers: list[Answer] = field(default_factory=list[Answer])
    lost: list[str] = field(default_factory=list[str])
    """Why candidates have no answer."""

    def row(self, first: Run) -> str:
        """``first``: what its rate is compared with."""
        rate, again = len(self.answers) / self.wall_s, len(self.answers) - len({each.pitch for each in self.answers})
        killed = "" if self.killed is None else ", one killed"
        judged_s = statistics.median(each.wall_s for each in self.answers)
        speed = rate * first.wall_s / len(first.answers)
        return (
            f"| {self.worker_count}{killed} | {self.device} | {len(self.answers)} | {self.wall_s:.1f} | {rate * 60:.1f} | {speed:.2f}x "
            f"| {judged_s:.2f} | {len(self.lost)} | {again} |"
        )


def program(is_small: bool) -> str:
    return PROGRAM.replace(_REAL_N, _SMALL_N) if is_small else PROGRAM


def candidate(start: str, pitch: int) -> str:
    """The start with its kernel replaced by a tiled one."""
    head, _, rest = start.partition(_START)
    return head + TILED.replace("PITCH", str(pitch)) + "\n\n" + _END + rest.partition(_END)[2]


async def judged_by(kept: KeptTask, run: Run, pitches: list[int], deadline_s: float) -> None:
    """Adds to the run what is not judged yet, by as many workers of this machine as it has; one is killed when half are judged."""
    left = deque(pitch for pitch in pitches if pitch not in {each.pitch for each in run.answers})
    if not left:
        return
    async with opened(f"local:{run.worker_count}") as cluster:
        device = await cluster.device(kept.task.settings.device)
        found = sum(offer.device == device for offer in await cluster.offers())
        if found != run.worker_count:
            raise SystemExit(f"{run.worker_count} workers with {device} were asked for, and {found} are there")
        run.device = device
        processes = await warmed_up(cluster, kept, device, run.worker_count)
        began_s = time.monotonic()

        async def judge() -> None:
            while left and time.monotonic() < deadline_s:
                await one(left.popleft())

        async def one(pitch: int) -> None:
            try:
                done = await judged_on(cluster, kept, candidate(kept.start(), pitch), device, is_isolated=False)
            except Exception as error:  # noqa: BLE001 - what is lost is counted
                run.lost.append(f"{pitch}: {error}")
                return
            answer: dict[str, Any] = json.loads(done.value)
            speed = answer.get("speed") or {}
            run.answers.append(
                Answer(pitch, answer["reward"], speed.get("ratio"), speed.get("margin"), done.place.worker, done.place.gpu, done.wall_s)
            )
            print(f"{len(run.answers)}/{len(pitches)}: {answer['answer']} ({done.place.worker})", file=sys.stderr, flush=True)
            if run.is_killing and run.killed is None and len(run.answers) >= len(pitches) // 2:
                run.killed = processes[0]
                os.kill(run.killed, signal.SIGKILL)

        await asyncio.gather(*(judge() for _ in range(run.worker_count)))
        run.wall_s += time.monotonic() - began_s


async def warmed_up(cluster: Cluster, kept: KeptTask, device: str, count: int) -> list[int]:
    """Processes of the workers, each of which has judged something: their compilers are started and their caches filled."""
    spare = [f"{candidate(kept.start(), _FIRST_PITCH)}// {number}\n" for number in range(count)]
    done = await asyncio.gather(*(judged_on(cluster, kept, text, device, is_isolated=False) for text in spare))
    return list(dict.fromkeys(each.place.process_id for each in done))


def agreement(runs: list[Run]) -> str:
    """Of the pairs of answers about one candidate on two different GPUs."""
    by_pitch: dict[int, list[Answer]] = {}
    for run in runs:
        for answer in run.answers:
            by_pitch.setdefault(answer.pitch, []).append(answer)
    differences: list[tuple[float, float]] = []
    for answers in by_pitch.values():
        for a, b in combinations(answers, 2):
            if a.gpu != b.gpu and a.ratio and b.ratio and a.margin and b.margin:
                differences.append((abs(math.log(a.ratio / b.ratio)), max(a.margin, b.margin)))
    if not differences:
        return "no candidate was timed on two different GPUs"
    within = sum(difference <= math.log1p(margin) for difference, margin in differences)
    median = math.expm1(statistics.median(difference for difference, _ in differences))
    count = len(differences)
    return f"ratios on two different GPUs: within the margin in {within} of {count} ({within / count:.0%}); median difference {median:.2%}"


async def measured(options: argparse.Namespace, runs: list[Run]) -> None:
    """Goes on with the runs that are asked for, and adds those that are new."""
    deadline_s = time.monotonic() + options.seconds
    is_on_gpu = has_gpu(options.device)
    pitches = list(range(_FIRST_PITCH + 1, min(_LAST_PITCH, _FIRST_PITCH + options.candidates) + 1))
    with tempfile.TemporaryDirectory(prefix="cluster-") as place:
        file = Path(place, "transpose.cu")
        file.write_text(program(is_small=not is_on_gpu), "utf-8")  # noqa: ASYNC240 - nothing else runs
        new = NewTask(file, Path(place, "work"), JudgeSettings(device="gpu" if is_on_gpu else "cpu"))
        session = open_session("task", memory=Path(place, "memory.sqlite3"))
        kept = await make_task(session, TaskStore(Path(place, "tasks")), new, ServerStart("kernelopt", (), ()), _said)
        session.close()
        for count in options.workers:
            run = next((each for each in runs if (each.worker_count, each.is_killing) == (count, options.kill)), None)
            if run is None:
                runs.append(run := Run(count, options.kill))
            await judged_by(kept, run, pitches, deadline_s)


async def _said(stage: str) -> None:
    print(stage, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.cluster")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2, 4], help="workers of each run, with a GPU each")
    parser.add_argument("--candidates", type=int, default=200, help=f"at most {_LAST_PITCH - _FIRST_PITCH}")
    parser.add_argument("--kill", action="store_true", help="kill one worker half way")
    parser.add_argument("--seconds", type=float, default=500.0, metavar="N")
    parser.add_argument("--device", default="auto", help="cpu: the emulator, even where there are GPUs")
    parser.add_argument("--out", type=Path, default=Path(".kernelopt/bench-gpu"), metavar="FOLDER")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "cluster.json"
    runs = loads(tuple[Run, ...], file.read_bytes()) if file.exists() else ()
    found = list(runs)
    try:
        asyncio.run(measured(options, found))
    finally:
        file.write_text(dumps(tuple(found)) + "\n", "utf-8")
    print("| workers | device | judged | wall [s] | a minute | to the first | one judgement [s] | lost | twice |")
    print("|---|---|---|---|---|---|---|---|---|")
    judged = sorted((run for run in found if run.answers), key=lambda run: (run.is_killing, run.worker_count))
    for run in judged:
        print(run.row(judged[0]))
    print()
    print("rewards: " + ", ".join(f"{value}: {count}" for value, count in Counter(a.reward for r in judged for a in r.answers).items()))
    is_timed = any(run.device != CPU for run in judged)
    print(agreement(judged) if is_timed else "under the emulator: nothing was timed, so no ratios of two devices are compared")
    for run in found:
        for reason in run.lost:
            print(f"lost: {reason}")


if __name__ == "__main__":
    main()
