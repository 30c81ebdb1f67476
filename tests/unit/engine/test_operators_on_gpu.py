"""A candidate judged where there is a GPU: the emulator and the GPU both look at it, and it is timed where it is not wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.job import CANNOT_ANSWER, DONE, NO
from assistant.engine.operators import judging, on_gpu, tracing
from assistant.lab.torch_sides import TorchGpu
from assistant.model import events
from assistant.model.device import GpuIdentity, LabDescription
from assistant.ports.lab import Lab, LabFailure
from assistant.program.torch_place import TorchPlace
from tests.unit.engine.test_operator_pairs import WRONG, Asked, ExtensionLab, Sides, answers, ran

GPU = GpuIdentity("GPU-7", "NVIDIA H200", (9, 0), "580.1")
PLACE = TorchPlace("python3", Path(), "2.13.0+cu130", "13.0", None)
KERNELS = [["twice_of", True, 3e-6], ["gemm", False, 1e-6]]


@dataclass
class WithGpu(ExtensionLab):
    """It has a GPU; what the emulator is asked comes here too."""

    def describe(self) -> LabDescription:
        return replace(super().describe(), name="gpu:0", gpu=GPU)


@dataclass
class GpuSides(Sides):
    """Also times: the candidate takes half of eager's time."""

    alone_s: float = 20e-6
    timing_failure: dict[str, str] | None = None
    wrong: list[str] = field(default_factory=list[str])
    """Who leaves other values when it is timed."""
    kernels: list[list[Any]] = field(default_factory=lambda: KERNELS[:1])
    is_blind: bool = False

    async def run(self, name: str, order: dict[str, Any], working_directory: Path, *, is_candidate: bool) -> dict[str, Any] | LabFailure:
        if name != "timing":
            return await super().run(name, order, working_directory, is_candidate=is_candidate)
        self.orders.append(order)
        if self.timing_failure is not None:
            return {"failure": self.timing_failure}
        chance = random.Random(1)
        times = {"eager": 20e-6, "candidate": 10e-6}
        turn = {name: lambda s=time_s: [s * chance.uniform(0.999, 1.001) for _ in range(2)] for name, time_s in times.items()}
        rounds = [{name: {"call": made(), "device": made()} for name, made in turn.items()} for _ in range(10)]
        return {
            "failure": None, "names": list(times), "left_out": [["compile", "no compiler"]], "rounds": rounds, "alone_s": self.alone_s,
            "wrong": self.wrong, "kernels": {"eager": [{"name": "add", "count": 2, "time_s": 1e-5}]}, "replaced": [], "settings": {},
            "device": GPU.name, "torch": "2.13.0",
        }  # fmt: skip

    def _candidate(self) -> dict[str, Any]:
        answer = super()._candidate()
        for case in answer["cases"]:
            case["first"]["kernels"] = case["second"]["kernels"] = self.kernels
        return {**answer, "calls": [], "extensions": [], "is_blind": self.is_blind}


@dataclass
class OnGpu(Asked):
    gpu: GpuSides = field(default_factory=lambda: GpuSides(Path()))
    made_for: list[TorchGpu] = field(default_factory=list[TorchGpu])

    def said(self) -> list[str]:
        return [event.message for event in self.heard.events if isinstance(event, events.Message)]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OnGpu:
    (tmp_path / "there").mkdir()
    made = OnGpu(Sides(tmp_path), WithGpu(tmp_path, {}, ends=[ran(answers(b"one"))]), gpu=GpuSides(tmp_path / "there"))
    graph = {"failure": None, "inputs": [], "weights": [], "calls": [], "results": [], "filled": []}

    class Traced(Sides):
        async def run(self, *_: object, **__: object) -> dict[str, Any]:
            return graph

    def sides(_: Path, __: TorchPlace, ___: object, gpu: TorchGpu | None = None) -> Sides:
        if gpu is None:
            return made.sides
        made.made_for.append(gpu)
        return made.gpu

    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tracing, "torch_place", lambda _: made.sides.place)
    monkeypatch.setattr(tracing, "TorchSides", lambda *_: Traced(tmp_path))
    monkeypatch.setattr(judging, "TorchSides", sides)
    monkeypatch.setattr(on_gpu, "TorchSides", sides)
    made.sides.place = made.gpu.place = PLACE
    monkeypatch.setattr(GpuSides, "folder", lambda self, name: _folder(self.root / name))
    monkeypatch.setattr(Sides, "run", _run_anywhere(Sides.run))
    return made


def _folder(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


def _run_anywhere(run: Any) -> Any:
    """The task lies in one folder, both sides' files in others."""

    async def ran_there(self: Sides, name: str, order: dict[str, Any], _: Path, *, is_candidate: bool) -> Any:
        return await run(self, name, order, self.folder("candidate") if is_candidate else self.root, is_candidate=is_candidate)

    return ran_there


async def test_it_passes_by_both_and_is_faster_than_eager(asked: OnGpu) -> None:
    ending = await asked.judge()
    assert (ending.exit_code, ending.reason) == (DONE, f"PASS, FASTER {asked.only(events.ComparisonMade).speed.ratio:.2f}x than eager")
    verdict = asked.only(events.ComparisonMade)
    assert verdict.speed.ratio == pytest.approx(2.0, rel=0.01) and len(verdict.verification.cases) == 4
    assert verdict.verification.caveats == () and not any("speed" in each for each in verdict.verification.missing_checks)
    timed = asked.only(events.OperatorTimed)
    assert [time.name for time in timed.times] == ["eager", "candidate"] and timed.left_out == ("compile: no compiler",)
    assert [[(kernel.name, kernel.launch_count) for kernel in time.kernels] for time in timed.times] == [[("add", 2)], []]
    assert asked.sides.is_closed and asked.gpu.is_closed


async def test_the_gpu_is_named_and_each_candidate_builds_in_a_folder_of_its_own(asked: OnGpu) -> None:
    await asked.judge()
    (gpu,) = asked.made_for
    assert (gpu.uuid, gpu.compute_capability) == ("GPU-7", "9.0") and gpu.builds.is_dir()
    assert {order["device"] for order in asked.gpu.orders} == {"cuda"} and {order["device"] for order in asked.sides.orders} == {"cpu"}
    other = on_gpu._builds("another candidate")  # pyright: ignore[reportPrivateUsage]
    assert other != gpu.builds and other.parent == gpu.builds.parent


@pytest.mark.parametrize("where", ["sides", "gpu"])
async def test_what_is_wrong_on_either_fails_and_is_not_timed(asked: OnGpu, where: str) -> None:
    getattr(asked, where).result = WRONG
    ending = await asked.judge()
    assert (ending.exit_code, ending.reason) == (NO, "FAIL: candidate.py does not do what Model does")
    assert "timing" not in [order["role"] for order in asked.gpu.orders] and asked.only(events.ComparisonMade).speed is None


async def test_what_the_emulator_cannot_run_is_judged_on_the_gpu_alone_and_said(asked: OnGpu) -> None:
    asked.sides.refusals = {"candidate": LabFailure("unsupported", "no such function", "")}
    assert (await asked.judge()).exit_code == DONE
    missing = asked.only(events.ComparisonMade).verification.missing_checks
    assert "races, bounds and uninitialised reads: no such function" in missing


@pytest.mark.parametrize("limit", ["timed_out", "memory_exceeded"])
async def test_what_takes_the_emulator_too_long_is_no_fault_of_a_candidate_that_the_gpu_runs(asked: OnGpu, limit: str) -> None:
    asked.lab.ends = [ran(**{limit: True})]
    assert (await asked.judge()).exit_code == DONE
    verification = asked.only(events.ComparisonMade).verification
    assert verification.findings == () and any(each.startswith("races, bounds") for each in verification.missing_checks)


async def test_a_process_that_takes_too_long_on_the_cpu_is_none_either(asked: OnGpu) -> None:
    asked.sides.refusals = {"candidate": LabFailure("timed_out", "PyTorch's process timed out", "")}
    assert (await asked.judge()).exit_code == DONE
    asked.gpu.refusals = {"candidate": LabFailure("timed_out", "PyTorch's process timed out", "")}
    assert (await asked.judge()).exit_code == NO, "on the GPU it is"


async def test_kernels_of_libraries_are_named_with_their_share(asked: OnGpu) -> None:
    asked.gpu.kernels = KERNELS
    await asked.judge()
    (finding,) = asked.only(events.ComparisonMade).verification.findings
    assert finding.code == "library_call" and "25% of the time on the GPU: gemm (2 launches)" in finding.message


async def test_which_kernels_ran_may_not_be_known(asked: OnGpu) -> None:
    asked.gpu.is_blind, asked.gpu.kernels = True, []
    await asked.judge()
    verification = asked.only(events.ComparisonMade).verification
    assert verification.findings == () and any("which kernels ran" in each for each in verification.missing_checks)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"alone_s": 5e-6}, "takes 4.0"),
        ({"timing_failure": {"kind": "busy", "message": "another one measures"}}, "another one"),
    ],
)
async def test_times_that_are_not_to_be_had_or_believed_leave_the_verdict(asked: OnGpu, changes: dict[str, Any], why: str) -> None:
    for name, value in changes.items():
        setattr(asked.gpu, name, value)
    ended = await asked.judge()
    assert ended.reason == "PASS, not timed"
    verdict = asked.only(events.ComparisonMade)
    assert verdict.speed is None and any(each.startswith("speed: ") and why in each for each in verdict.verification.missing_checks)


async def test_a_candidate_that_leaves_other_values_when_it_is_timed_fails(asked: OnGpu) -> None:
    asked.gpu.wrong = ["candidate"]
    assert (await asked.judge()).exit_code == NO
    verdict = asked.only(events.ComparisonMade)
    (finding,) = verdict.verification.findings
    assert (finding.code, finding.outcome, verdict.speed) == ("remembered", "FAIL", None) and "when it is timed" in finding.message


async def test_a_gpu_that_is_busy_is_no_fault_of_the_candidate(asked: OnGpu) -> None:
    asked.gpu.changes = {"failure": {"kind": "busy", "message": "another kernelopt measures"}}
    ending = await asked.judge()
    assert (ending.exit_code, ending.reason) == (CANNOT_ANSWER, "another kernelopt measures")


async def test_a_pytorch_for_cpus_judges_without_the_gpu_and_says_so(asked: OnGpu) -> None:
    asked.sides.place = replace(PLACE, cuda=None)
    ending = await asked.judge()
    assert ending.reason == "PASS (on the CPU emulator), no time without a GPU" and not asked.gpu.orders
    assert any("is built for CPUs alone: nothing is timed" in text for text in asked.said())


def test_the_labs_fit(tmp_path: Path) -> None:
    lab: Lab = WithGpu(tmp_path, {})
    assert lab.describe().gpu == GPU
