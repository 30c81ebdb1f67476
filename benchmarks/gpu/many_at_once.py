"""How busy GPUs are while a model is slow: ``python -m benchmarks.gpu.many_at_once [--gpus 0 0,1] [--latency 20]``.

A scripted endpoint answers after a fixed time with edits that all differ, to searches of at least 60 candidates, one after another on the
GPUs named in each word of ``--gpus``. A row of the table has the wall time, the candidates judged in it, the share of it in which each GPU
had a candidate (the search's own meter), the share in which each GPU's lock was held (``/proc/locks``, sampled), that share between the
first and the last outcome, the calls that the model had under way (sampled), and the share of one core that the search's own process took:
what waits for what. The rate is that from the first outcome to the last. With ``--seconds`` a search is stopped after that time, and counts
as far as it came. ``--fake`` shows the search's loop alone, on labs of the tests whose trials are a sleep, on any machine.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.plan.llm.planning import MOST_STEPS_WITH_CODE
from tests.e2e.cli.scripted_model import code, plan, step
from tests.endpoint.server import ReceivedRequest, Says, ScriptedEndpoint

PROGRAM = """\
#include <cstdio>
#include <vector>

__global__ void transpose(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

int main()
{
    int n = 2048;
    std::vector<float> host(n * n);
    for (int i = 0; i < n * n; i++) host[i] = (float)(i % 1013);
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    cudaMemcpy(in, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    transpose<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 32)>>>(out, in, n);
    cudaMemcpy(host.data(), out, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\\n", host[1]);
    return 0;
}
"""
TILED = """\
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    int ox = blockIdx.y * 32 + threadIdx.x;
    int oy = blockIdx.x * 32 + threadIdx.y;
    if (ox < n && oy < n) out[oy * n + ox] = tile[threadIdx.x][threadIdx.y];
}"""
REPOSITORY = Path(__file__).parents[2]
_STEPS = 6
_WITH_CODE = '"step": 1'
"""Says a question for a plan that comes with code."""
_FIRST_PITCH = 33
_SAMPLE_S = 0.02


class Model:
    """Answers after ``latency_s``; every edit pads the tile differently, so that none is another's duplicate."""

    def __init__(self, latency_s: float) -> None:
        self.under_way = 0
        self._latency_s = latency_s
        self._pitches = itertools.count(_FIRST_PITCH)
        self._plans = itertools.count()
        self._lock = threading.Lock()

    def __call__(self, asked: ReceivedRequest) -> Says:
        with self._lock:
            self.under_way += 1
        try:
            time.sleep(self._latency_s)
            return self._said(asked)
        finally:
            with self._lock:
                self.under_way -= 1

    def _said(self, asked: ReceivedRequest) -> Says:
        wanted = asked.body.get("response_format")
        with self._lock:
            if wanted is None and _WITH_CODE in asked.body["messages"][-1]["content"]:
                codes = (code(self._tiled(), "Go through a tile.", step=each + 1) for each in range(MOST_STEPS_WITH_CODE))
                return Says(f"```json\n{self._plan()}\n```\n{''.join(codes)}")
            if wanted is None:
                return Says(code(self._tiled(), "Go through a tile."))
            if wanted["json_schema"]["name"] == "plan_reply":
                return Says(self._plan())
        return Says(json.dumps(dict.fromkeys(("limit", "change", "reason", "assumptions", "left"), "It goes through a tile.")))

    def _tiled(self) -> str:
        return TILED.replace("PITCH", str(next(self._pitches)))

    def _plan(self) -> str:
        number = next(self._plans)
        return plan(*(step(f"tile-{number}-{each}", 6, design=f"Design {number}.{each}.") for each in range(_STEPS)))


@dataclass
class Watch:
    """Samples whether the lock of each GPU of a search is held (those of other work's GPUs do not count), and how much is asked at once."""

    uuids: Sequence[str]
    model: Model
    call_count: int = 0
    """Of all samples, those under way."""
    seen: list[tuple[float, frozenset[str]]] = field(default_factory=list[tuple[float, frozenset[str]]])
    """When, and whose locks were held then."""

    def sample(self) -> None:
        paths = [Path(f"/tmp/kernelopt-{uuid}.lock") for uuid in self.uuids]
        inodes = {path.stat().st_ino: path.name for path in paths if path.exists()}
        locks = Path("/proc/locks").read_text("utf-8")
        taken = {int(line.split()[5].rpartition(":")[2]) for line in locks.splitlines() if " FLOCK " in line and "->" not in line}
        self.call_count += self.model.under_way
        self.seen.append((time.monotonic(), frozenset(name for inode, name in inodes.items() if inode in taken)))

    def shares(self, begin_s: float = 0.0, end_s: float = math.inf) -> tuple[float, ...]:
        """Of the samples between two times, the part in which each GPU's lock was held."""
        held = [names for at_s, names in self.seen if begin_s <= at_s <= end_s]
        names = sorted(frozenset[str]().union(*(names for _, names in self.seen)))
        return tuple(sum(name in each for each in held) / max(1, len(held)) for name in names)


@dataclass
class Figures:
    """Of one search."""

    wall_s: float
    candidate_count: int
    candidates_per_s: float
    lab_held_s: float
    lab_count: int
    locks: tuple[float, ...]
    """Share of the wall time in which each GPU's lock was held."""
    locks_later: tuple[float, ...]
    """The same from the first outcome to the last."""
    calls: float | None
    """Under way at a time."""
    own_cpu_s: float | None
    """Processor time of the search's own process, without those that it started."""

    def row(self) -> str:
        share = self.lab_held_s / self.wall_s / self.lab_count
        locks, later = (", ".join(f"{value:.0%}" for value in each) or "-" for each in (self.locks, self.locks_later))
        rate = self.candidates_per_s
        calls = "-" if self.calls is None else f"{self.calls:.1f}"
        own = "-" if self.own_cpu_s is None else f"{self.own_cpu_s / self.wall_s:.0%}"
        judged = f"{self.lab_count} | {self.candidate_count} | {self.wall_s:.1f} | {rate:.3f}"
        return f"| {judged} | {share:.0%} | {locks} | {later} | {calls} | {own} |"


def uuids(gpus: str) -> list[str]:
    """Of the GPUs with these indices."""
    command = ("nvidia-smi", f"--id={gpus}", "--query-gpu=uuid", "--format=csv,noheader")
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def searched(gpus: str, options: argparse.Namespace) -> Figures:
    """``kernelopt optimize`` on the GPUs with these indices."""
    model = Model(options.latency)
    watch = Watch(uuids(gpus), model)
    with tempfile.TemporaryDirectory() as folder, ScriptedEndpoint(model) as endpoint:
        path = Path(folder, "transpose.cu")
        path.write_text(PROGRAM, "utf-8")
        home = Path(folder, "home")
        home.mkdir()
        home.joinpath("config.toml").write_text(_settings(endpoint.base_url, options), "utf-8")
        environment = os.environ | {"KERNELOPT_HOME": str(home)} | {"CUDA_VISIBLE_DEVICES": gpus}
        command = ["optimize", str(path), "--planner", "llm", "--json", "--accept", "none"]
        _build_tools(path, environment)
        started = time.monotonic()
        front = ["assistant"]
        if options.requests is not None:
            front = ["benchmarks.requests", "--out", str(options.requests / f"requests-{gpus.replace(',', '-')}.jsonl"), "--"]
        process = subprocess.Popen(
            [sys.executable, "-m", *front, *command], stdout=subprocess.PIPE, env=environment, text=True, cwd=REPOSITORY
        )
        end = threading.Timer(options.seconds or threading.TIMEOUT_MAX, process.send_signal, (signal.SIGINT,))
        end.daemon = True
        end.start()
        with Sampled(watch):
            assert process.stdout is not None
            events: list[dict[str, Any]] = []
            times_s: list[float] = []
            own_cpu_s = 0.0
            for line in process.stdout:
                events.append(json.loads(line))
                if _is_judged(events[-1]):
                    times_s.append(time.monotonic())
                own_cpu_s = _cpu_s(process.pid) or own_cpu_s
        wall_s = time.monotonic() - started
        is_whole = end.is_alive()
        end.cancel()
        if process.wait() != 0 and is_whole:
            raise SystemExit(f"the search failed: {events[-1:]}")
    spent = [event["spent"]["gpu_s"] for event in events if event["event"] == "budget"]
    outcomes = Counter(event["outcome"] for event in events if event["event"] == "candidate")
    print(", ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common()), file=sys.stderr)
    rate = (len(times_s) - 1) / (times_s[-1] - times_s[0]) if len(times_s) > 1 else 0.0
    calls = watch.call_count / max(1, len(watch.seen))
    later = watch.shares(times_s[0], times_s[-1]) if times_s else ()
    gpu_s = max(spent, default=0.0)
    return Figures(wall_s, len(times_s), rate, gpu_s, len(gpus.split(",")), watch.shares(), later, calls, own_cpu_s)


def _is_judged(event: dict[str, Any]) -> bool:
    return event["event"] == "candidate" and event["outcome"] not in _NOT_JUDGED


def _cpu_s(pid: int) -> float | None:
    """What a process has taken by now; None: it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _build_tools(path: Path, environment: dict[str, str]) -> None:
    """What the first command on a machine builds, the emulator above all, is there before the search begins."""
    command = (sys.executable, "-m", "assistant", "profile", str(path), "--json")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=REPOSITORY, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command[1:])}: {done.returncode}\n{done.stdout[-600:]}{done.stderr[-600:]}")


def searched_on_fakes(lab_count: int, options: argparse.Namespace) -> Figures:
    """The same loop, where a trial is a sleep of ``--trial`` seconds."""
    from tests.unit.engine.at_once import SlowModel
    from tests.unit.engine.at_once import searched as on_fakes

    with tempfile.TemporaryDirectory() as folder:
        os.environ["KERNELOPT_HOME"] = str(Path(folder, "home"))
        model, settings = SlowModel(latency_s=options.latency), "\n".join(_settings("http://localhost/v1", options).splitlines()[4:])
        found = asyncio.run(on_fakes(Path(folder), model, options.trial, lab_count, options.candidates, settings))
    return Figures(found.wall_s, len(found.judged), len(found.judged) / found.wall_s, found.gpu_s, lab_count, (), (), None, None)


_NOT_JUDGED = ("duplicate", "unwritten", "not_tried", "constrained", "not_allowed")


def _settings(base_url: str, options: argparse.Namespace) -> str:
    return (
        f'[provider]\nkind = "openai"\nbase_url = "{base_url}"\nmodel = "scripted"\ncalls_in_flight = {options.in_flight}\n'
        f"plan_with_code = {str(options.plan_with_code).lower()}\n"
        f"[search]\nvariants = 5\nbeam = {options.beam}\nrepairs = 1\nparallel_builds = 4\ntrials_per_gpu = {options.trials_per_gpu}\n"
        f"[limits]\ncandidates = {options.candidates}\n[budget]\ngpu_s = 100000\n"
    )


class Sampled:
    """Samples in a thread while the block lasts."""

    def __init__(self, watch: Watch) -> None:
        self._watch, self._ended = watch, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(_SAMPLE_S):
            self._watch.sample()


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.many_at_once")
    parser.add_argument("--gpus", nargs="+", default=["0", "0,1"], help="one search for each word, on the GPUs that it names")
    parser.add_argument("--latency", type=float, default=20.0, help="seconds that the model takes for each answer")
    parser.add_argument("--in-flight", type=int, default=12, help="provider.calls_in_flight")
    parser.add_argument(
        "--beam", type=int, default=2, help="search.beam: islands, each of which waits for a plan before each of its rounds"
    )
    parser.add_argument("--candidates", type=int, default=120, help="limits.candidates")
    parser.add_argument("--seconds", type=float, help="of a search at most")
    parser.add_argument("--requests", type=Path, metavar="FOLDER", help="what each search asked of its workers, as lines of JSON")
    parser.add_argument("--trials-per-gpu", type=int, default=4, help="search.trials_per_gpu")
    parser.add_argument("--plan-with-code", action="store_true", help="provider.plan_with_code: one answer has the plan and the code")
    parser.add_argument("--fake", action="store_true", help="no GPU: labs of the tests")
    parser.add_argument("--trial", type=float, default=5.0, help="with --fake: seconds that a timing takes")
    options = parser.parse_args()
    columns = (
        "GPUs",
        "candidates judged",
        "wall [s]",
        "candidates/s",
        "time with a candidate",
        "with the GPU's lock held",
        "from first to last outcome",
        "calls",
        "own CPU",
    )
    print("|", " | ".join(columns), "|")
    print("|" + "---|" * len(columns))
    for gpus in options.gpus:
        figures = searched_on_fakes(len(gpus.split(",")), options) if options.fake else searched(gpus, options)
        print(figures.row(), flush=True)


if __name__ == "__main__":
    main()
