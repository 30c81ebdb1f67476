"""Commands of a session on a lab that is a table: a program that scales an array, and kernels declared with a workload."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assistant.engine.events_as_json import event_object
from assistant.engine.request import JobRequest
from assistant.engine.session import Session, SessionParts
from assistant.model import events
from assistant.model.build import CompilerMissing
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import Upload
from assistant.model.workload import LiveCase, LiveReference, LiveWorkload
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Counters, Lab, LabFailure, Timing
from assistant.ports.planner import Planner
from assistant.workload.recordings import NewCase, blob_name, write_case
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.fakes import FakePlanner
from tests.unit.workload.launches import launched

__all__ = ["BESIDE", "BOTH", "CHAIN", "HOST", "MANY", "SCALE", "STREAMS", "Commands", "events_of", "live_workload"]

SCALE = """\
__global__ void scale(float *out, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * x[i];
}
"""
HOST = """\
int main()
{
    float *out, *x;
    cudaMalloc(&out, 4000);
    cudaMalloc(&x, 4000);
    scale<<<4, 256>>>(out, x, 1000);
    cudaMemcpy(x, out, 4000, cudaMemcpyDeviceToHost);
}
"""
STREAMS = HOST.replace("    scale", "    cudaStream_t s; cudaStreamCreate(&s);\n    scale").replace("4, 256>", "4, 256, 0, s>")
CHAIN = HOST.replace("1000);\n", "1000);\n    scale<<<4, 256>>>(x, out, 1000);\n", 1)
"""Two launches, the second on what the first has left."""
BESIDE = HOST.replace("1000);\n", "1000);\n    both<<<4, 256>>>(out, x, 1000); // beside\n", 1)
"""A launch of ``scale``, then one of ``both``."""
MANY = HOST.replace("int main()", "// takes long\nint main()").replace("4, 256>", "32, 32>")
"""Blocks enough that some of them may stand for all: so many run in the time that there is."""
BOTH = """\
__global__ void both(float *out, float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2.0f * (out[i] = 2.0f * x[i]);
}
"""
"""What ``CHAIN`` does, in one kernel."""
_NAME = "scale(float*, const float*, int)"
_Event = TypeVar("_Event", bound=events.Event)


def _scaled(by: float, least: int = 0) -> Any:
    def compute(out: Any, x: Any, n: int) -> None:
        if n < least:
            raise IndexError(f"{n} are too few")
        out[:n] = np.float32(by) * x[:n]

    return compute


def _left_out(out: Any, x: Any, n: int) -> None:
    out[: n - 1] = np.float32(2) * x[: n - 1]


def _without_one(out: Any, x: Any, n: int) -> None:
    others = np.arange(n) != n // 3
    out[:n][others] = np.float32(2) * x[:n][others]


def _beyond(out: Any, x: Any, n: int) -> None:
    raise IndexError(f"out[{n}] is beyond its end")


def _both(out: Any, x: Any, n: int) -> None:
    out[:n] = np.float32(2) * x[:n]
    x[:n] = np.float32(2) * out[:n]


def _both_of_small(out: Any, x: Any, n: int) -> None:
    """Right for what the program uploads, and for nothing that is larger."""
    _both(out, np.minimum(x, np.float32(4)), n)
    x[:n] = np.float32(2) * out[:n]


KERNELS: Mapping[str, Behaviour] = {
    "if (i < n - 1)": Behaviour(_left_out, sectors=4),
    "i != n / 3": Behaviour(_without_one, sectors=4),
    "x[i] = 2.0f * (out[i] = 2.0f * x[i])": Behaviour(_both, sectors=8),
    "x[i] = 2.0f * (out[i] = 2.0f * fminf(x[i], 4.0f))": Behaviour(_both_of_small, sectors=8),
    "out[x * n + y] = -in": Behaviour(lambda out, values, n: np.negative(values.reshape(n, n).T.ravel(), out=out), sectors=4),
    "out[i] = 2.0f * x[i]": Behaviour(_scaled(2.0), sectors=8),
    "out[i] = x[i] + x[i]": Behaviour(_scaled(2.0), sectors=4),
    "out[i] = x[i] * 2.0f": Behaviour(_scaled(2.0), sectors=16),
    "out[i] = 2.5f * x[i]": Behaviour(_scaled(2.5), sectors=4),
    "out[i + n]": Behaviour(_beyond, sectors=4),
}


def _program(launch_count: int, name: str = _NAME, least: float = -4.0, blocks: int = 4, threads: int = 256) -> NewCase:
    x = np.linspace(least, 4, 1000, dtype=np.float32)
    case, _ = launched(LaunchConfig(Dim3(blocks), Dim3(threads)), {"n": 1000}, np.zeros(1000, np.float32), x)
    (first,) = (replace(launch, kernel=name, file="a.cu", line=1) for launch in case.recording.launches)
    out, values, number = first.arguments
    second = replace(first, index=1, arguments=(values, out, number))
    blob = blob_name(x.tobytes())
    uploads = (Upload(blob, blob, x.nbytes, 1, 0, has_addresses=False, transfer_count=0, element_type="float"),)
    recording = replace(case.recording, launches=(first, second)[:launch_count], uploads=uploads)
    return replace(case, recording=recording, launches=tuple(range(launch_count)))


def _turned(n: int, **given: Any) -> np.ndarray:
    return given["in"].reshape(int(n), int(n)).T.ravel()


def _beside() -> NewCase:
    case = _program(1)
    (first,) = case.recording.launches
    launches = (first, replace(first, index=1, kernel="both(float*, float*, int)"))
    return replace(case, recording=replace(case.recording, launches=launches), launches=(0, 1))


def _in_place() -> NewCase:
    case = _program(1)
    (first,) = case.recording.launches
    x = first.arguments[1]
    return replace(case, recording=replace(case.recording, launches=(replace(first, arguments=(x, x, *first.arguments[2:])),)))


PROGRAMS = {
    "scale<<<32, 32>>>": _program(1, blocks=32, threads=32),
    "scale<<<16, 64>>>": _program(1, blocks=16, threads=64),
    "(x, x, 1000)": _in_place(),
    "// beside": _beside(),
    "both<<<": _program(1, "both(float*, float*, int)"),
    "(x, out, 1000)": _program(2),
    "(out, x, 1000)": _program(1),
}
FAILURES = {
    "// crashes": LabFailure("crashed", "the program ends by signal SIGSEGV", "run it under a debugger", printed="before it crashed"),
    "// is interrupted": LabFailure("internal", "the lab lost its worker", "try again"),
}
LATE = {"// too early": _program(1, least=0.0)}
"""A launch that does not wait for the copy before it."""


def live_workload(folder: Path) -> LiveWorkload:
    """Arrays of a notebook, once its own and once drawn afresh, with what the person's own function makes of them."""
    cases = list[LiveCase]()
    for seed, weight in ((0, 1.0), (7, 0.0)):
        case = _program(1, least=-4.0 - seed)
        made = (2 * np.linspace(-4.0 - seed, 4, 1000, dtype=np.float32).astype(np.float64)).tobytes()
        whole = replace(case, blobs={**case.blobs, blob_name(made): made})
        recording = write_case(folder / f"live-{seed}", whole).recording
        cases.append(LiveCase(recording, "n=1000", weight, seed, (LiveReference("out", 0, blob_name(made)),)))
    return LiveWorkload(tuple(cases), "numpy.multiply")


async def events_of(told: AsyncIterator[events.Event]) -> list[events.Event]:
    return [event async for event in told]


@dataclass
class Commands:
    """A folder with sources, a session on it, and what its commands told."""

    folder: Path
    planner: Planner = field(default_factory=lambda: FakePlanner("expert"))
    timing: Timing | None = None
    counters: Counters | None = None
    compiler: CompilerMissing | None = None
    kernels: Mapping[str, Behaviour] = field(default_factory=lambda: KERNELS)
    catalogue: Catalogue = field(default_factory=lambda: Catalogue(()))
    heard: list[events.Event] = field(default_factory=list[events.Event])
    store: FakeStore = field(default_factory=FakeStore)

    def __post_init__(self) -> None:
        self.session = Session(SessionParts(lambda _: self.store, self._open_lab, self.planner, self.catalogue, "a test"))

    def request(self, text: str, name: str = "a.cu", **more: Any) -> JobRequest:
        """The text lies in a file of that name; two seeds of every job are drawn beforehand."""
        path = self.folder / name
        path.write_text(text)
        return JobRequest(path, self.folder, **{"seeds": (11, 12, 13, 14), **more})

    async def hear(self, told: AsyncIterator[events.Event]) -> list[events.Event]:
        """All events of one command."""
        self.heard = await events_of(told)
        return self.heard

    async def compare(self, before: str, after: str, is_strict: bool = False, **more: Any) -> list[events.Event]:
        other = self.request(after, "b.cu").file
        return await self.hear(self.session.compare(self.request(before, **more), other, is_strict))

    def all(self, kind: type[_Event]) -> list[_Event]:
        return [event for event in self.heard if isinstance(event, kind)]

    def only(self, kind: type[_Event]) -> _Event:
        (event,) = self.all(kind)
        return event

    @property
    def ending(self) -> events.JobEnded:
        return self.only(events.JobEnded)

    @property
    def said(self) -> list[str]:
        return [event.message for event in self.all(events.Message)]

    def objects(self) -> list[dict[str, Any]]:
        """What was told, as ``--json`` prints it."""
        return [event_object(event) for event in self.heard]

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        return FakeLab(
            scratch,
            self.kernels,
            PROGRAMS,
            LATE,
            {"turned_by_numpy": lambda **given: (_turned(**given),)},
            {"// takes long": 9},
            FAILURES,
            self.compiler,
            target,
            timing=self.timing,
            counters=self.counters,
        )
