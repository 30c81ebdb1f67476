"""What the doctor says of a machine: what is fine, what is needed, and how to get what is missing."""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from assistant.config.paths import user_paths
from assistant.engine.doctor import doctor
from assistant.engine.doctor.doctor import Part, examine
from assistant.engine.doctor.models import examine_models
from assistant.lab.gpus import Gpu, GpuSearch, NoGpu
from assistant.lab.tools import FoundTool, ToolReport
from assistant.memory.store import open_store
from assistant.model.completion import Completion, CompletionFailure, FailureKind, ModelRole, Price, ServedModel
from assistant.model.survey import GpuSurvey
from tests.contracts.fake_model import Answer, FakeModel

NOTHING = GpuSurvey(False, None, None, None, has_report_reader=False, is_restricted=None, is_administrator=False)
WHOLE = GpuSurvey(False, (13, 0), "/opt/ncu", "/opt/sanitizer", True, False, False, cupti=None, has_gxx=True)
FOUND = ToolReport(
    (
        FoundTool("nvcc", "13.0", "/opt/nvcc", "wheel", ""),
        FoundTool("nvrtc", "13.0", None, "wheel", ""),
        FoundTool("nvdisasm", None, None, "missing", "pip install nvdisasm"),
    ),
    "g++ 12.2",
    "",
    "",
    ("no network", "2 GiB"),
    (),
    NOTHING,
)
UNSTARTED = ToolReport((), None, "a worker process does not start: it died", "reinstall kernelopt")
NO_GPU = NoGpu("there is no driver", "install one")
H200 = Gpu(0, "NVIDIA H200", "GPU-1", 1 << 37, (9, 0), "580.1")
Usage = namedtuple("Usage", "total used free")


class Machine:
    """One whose compilers, GPUs and disks are what a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self.tools, self.free_bytes = FOUND, 5 << 30
        self.gpus: GpuSearch = NO_GPU
        monkeypatch.setenv("KERNELOPT_HOME", str(home))
        monkeypatch.setattr(doctor, "find_tools", self._find_tools)
        monkeypatch.setattr(doctor, "usable_gpus", self._usable_gpus)
        self.packages = {"ipykernel": "7.1.0", "ipywidgets": "8.1.8", "jupyterlab": "4.6.0"}
        monkeypatch.setattr(doctor, "version", self._version)
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage(0, 0, self.free_bytes))
        self.paths = user_paths()

    async def parts(self) -> dict[str, Part]:
        return {part.name: part for part in await examine(self.paths)}

    async def _find_tools(self) -> ToolReport:
        return self.tools

    def _version(self, name: str) -> str:
        if name not in self.packages:
            raise PackageNotFoundError(name)
        return self.packages[name]

    def _usable_gpus(self, environment: Mapping[str, str]) -> GpuSearch:
        return self.gpus


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    return Machine(monkeypatch, tmp_path / "home")


async def test_a_machine_without_a_gpu_lacks_nothing_that_is_needed(machine: Machine) -> None:
    parts = await machine.parts()
    assert list(parts) == [
        "Python",
        "emulator",
        "nvcc",
        "nvrtc",
        "nvdisasm",
        "cuobjdump",
        "limits",
        "GPU",
        "rung",
        "Jupyter",
        "memory",
        "cache",
    ]
    assert {name for name, part in parts.items() if part.is_needed} == {"Python", "emulator", "memory", "cache"}
    assert {name for name, part in parts.items() if not part.is_fine} == {"nvdisasm", "cuobjdump", "GPU", "rung"}
    assert parts["Python"] == Part("Python", True, True, ".".join(map(str, sys.version_info[:3])), "")
    assert parts["emulator"].detail == "runs CUDA programs on the CPU, built by g++ 12.2"
    assert parts["nvcc"] == Part("nvcc", True, False, "13.0 at /opt/nvcc (wheel)", "")
    assert parts["nvrtc"].detail == "13.0 wheel: fast compiler diagnostics and registers"
    assert parts["limits"] == Part("limits", True, False, "candidates run limited: no network; 2 GiB", "")
    assert parts["GPU"] == Part("GPU", False, False, "none: there is no driver", "install one")
    assert parts["rung"].detail.startswith("no GPU: the emulator runs") and "driver" not in parts["rung"].detail
    assert parts["cache"].detail == f"{machine.paths.cache}, 5 GiB free"


async def test_what_a_notebook_needs_is_named_with_what_is_weaker_without_it(machine: Machine) -> None:
    async def found(**versions: str) -> Part:
        machine.packages = versions
        return (await machine.parts())["Jupyter"]

    assert (await machine.parts())["Jupyter"].detail == "ipykernel 7.1.0, ipywidgets 8.1.8, jupyterlab 4.6.0: %%kernelopt and its buttons"
    assert (await found()).remedy == "pip install 'kernelopt[jupyter]'"
    assert (await found(ipykernel="7.1.0")).detail.endswith("without ipywidgets there are no buttons below a cell")
    old = await found(ipykernel="6.29.5", ipywidgets="8.1.8")
    assert (old.is_fine, old.is_needed) == (False, False) and "buttons wait" in old.detail and old.remedy == "pip install 'ipykernel>=7'"


async def test_each_missing_tool_says_how_to_get_it(machine: Machine) -> None:
    parts = await machine.parts()
    assert parts["nvdisasm"].remedy == "pip install nvdisasm" and parts["nvdisasm"].detail.startswith("missing: no machine code by line")
    assert parts["cuobjdump"].remedy == "pip install 'kernelopt[cuda]'"
    machine.tools = replace(FOUND, tools=(), missing_limits=("no seccomp",))
    parts = await machine.parts()
    assert (parts["nvcc"].is_fine, parts["nvcc"].remedy) == (False, "pip install 'kernelopt[cuda]'")
    assert not parts["limits"].is_fine and parts["limits"].detail.endswith("2 GiB. Missing: no seccomp") and parts["limits"].remedy
    machine.tools = replace(FOUND, tools=(FoundTool("nvcc", None, None, "missing", "get it"),))
    assert (await machine.parts())["nvcc"].remedy == "get it"


async def test_workers_that_do_not_start_are_the_reason_for_all_that_they_would_tell(machine: Machine) -> None:
    machine.tools = UNSTARTED
    parts = await machine.parts()
    assert parts["emulator"] == Part("emulator", False, True, UNSTARTED.emulator_reason, "reinstall kernelopt")
    assert [parts[name].detail.partition(":")[0] for name in ("limits", "GPU")] == ["unknown"] * 2
    assert "rung" not in parts


async def test_a_gpu_is_listed_with_its_profiling_tools(machine: Machine) -> None:
    machine.gpus, machine.tools = (H200,), replace(FOUND, survey=WHOLE)
    parts = await machine.parts()
    assert parts["GPU"] == Part("GPU", True, False, "gpu:0 NVIDIA H200 (driver 580.1, CUDA 13.0)", "")
    assert parts["rung"].is_fine and parts["rung"].detail.startswith("GPU with ncu: ") and "But" not in parts["rung"].detail
    assert parts["ncu"] == Part("ncu", True, False, "/opt/ncu: counters by line and stalls", "")
    assert (
        not parts["CUPTI"].is_fine and parts["CUPTI"].detail.startswith("missing: no counters where ncu cannot") and parts["CUPTI"].remedy
    )


async def test_a_slice_in_windows_is_listed_as_a_slice_and_cupti_stands_in_for_ncu(machine: Machine) -> None:
    survey = replace(WHOLE, is_wsl=True, driver_cuda=None, ncu=None, cupti="/opt/cupti")
    machine.gpus, machine.tools = (replace(H200, uuid="MIG-1"),), replace(FOUND, survey=survey)
    parts = await machine.parts()
    assert parts["GPU"].detail == "gpu:0 NVIDIA H200 (driver 580.1, a MIG slice, through WSL)"
    assert ". No better, as Nsight Compute's ncu is not installed" in parts["rung"].detail and not parts["rung"].is_fine
    assert parts["ncu"].detail == "missing: CUPTI counts in its place" and parts["CUPTI"].is_fine
    machine.tools = replace(FOUND, survey=replace(survey, has_gxx=False))
    assert (await machine.parts())["ncu"].detail == "missing: no counters by line and stalls"
    machine.tools = replace(FOUND, survey=WHOLE)
    assert ". But NVIDIA H200 is a MIG slice" in (await machine.parts())["rung"].detail


@pytest.mark.parametrize(("version", "is_fine"), [((3, 10, 9), False), ((3, 11, 0), True), ((3, 12, 1), True), ((4, 0, 0), True)])
async def test_python_must_be_new_enough(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], is_fine: bool
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "version_info", version)
        python = (await machine.parts())["Python"]
    words = "" if is_fine else "install Python 3.11 or newer"
    assert (python.is_fine, python.detail, python.remedy) == (is_fine, ".".join(map(str, version)), words)


async def test_a_full_disk_stops_everything(machine: Machine) -> None:
    machine.free_bytes = (1 << 30) - 1
    parts = await machine.parts()
    for name in ("memory", "cache"):
        assert not parts[name].is_fine and parts[name].is_needed
        assert "only 1023 MiB free" in parts[name].detail and "KERNELOPT_HOME" in parts[name].remedy
    machine.free_bytes += 1
    assert (await machine.parts())["cache"].is_fine


async def test_a_folder_that_cannot_be_written_is_named(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)  # the tests may run as root, who may write everywhere
    cache = (await machine.parts())["cache"]
    assert (
        not cache.is_fine
        and cache.detail == f"{machine.paths.cache} cannot be written"
        and str(machine.paths.cache.parent.parent) in cache.remedy
    )


async def test_memory_is_opened_to_see_whether_it_is_whole(machine: Machine) -> None:
    machine.paths.memory.parent.mkdir()
    open_store(machine.paths.memory).close()
    assert (await machine.parts())["memory"].is_fine
    machine.paths.memory.write_bytes(b"no database at all, but long enough to be one" * 100)
    memory = (await machine.parts())["memory"]
    assert not memory.is_fine and memory.is_needed and str(machine.paths.memory) in memory.detail and memory.remedy


class Served(FakeModel):
    """Far away, or for one role another one, or a person."""

    endpoint, other, provider = "http://localhost/v1", "small", "openai"

    def served(self, role: ModelRole, island: int = 0) -> ServedModel:
        name = self.other if role is list(ModelRole)[-1] else "small"
        return ServedModel(role, self.provider, self.endpoint, name, self.price)


async def asked(*answers: Answer, **more: object) -> list[Part]:
    model = Served(list(answers), more.pop("price", None))  # type: ignore[arg-type]
    for name, value in more.items():
        setattr(model, name, value)
    return list(await examine_models(model))


RIGHT = Completion('{"ok": true}', "small-2", 10, 5)


async def test_a_model_that_answers_as_asked_is_fine_and_roles_share_the_call() -> None:
    (part,) = await asked(RIGHT, price=Price(0.5, 2))
    assert part.name == f"model ({', '.join(role.value for role in ModelRole)})" and part.is_fine and part.is_needed
    assert part.detail.startswith("small at http://localhost/v1 answered in 0.")
    assert part.detail.endswith("; it calls itself small-2; $0.5 in and $2 out per million tokens") and part.remedy == ""


async def test_another_model_for_one_role_is_asked_too() -> None:
    first, second = await asked(RIGHT, CompletionFailure(FailureKind.UNREACHABLE, "no answer", "start it"), other="large")
    assert first.is_fine and list(ModelRole)[-1].value in second.name
    assert second == Part(second.name, False, True, "large: no answer", "start it")


@pytest.mark.parametrize("text", ["yes", "[1]", '{"ok": true, "more": 1}'])
async def test_a_model_that_does_not_follow_instructions_is_recognized(text: str) -> None:
    (part,) = await asked(Completion(text, "", 10, None))
    assert not part.is_fine and "not with the JSON that it was asked for" in part.detail and "calls itself" not in part.detail
    assert "it does not count tokens" in part.detail and "its price is not known" in part.detail
    assert part.remedy.startswith("take a model that follows instructions")


@pytest.mark.parametrize(
    ("endpoint", "is_warned"), [("http://far.example/v1", True), ("https://far.example/v1", False), ("http://localhost/v1", False)]
)
async def test_source_text_that_would_go_unencrypted_is_warned_of(endpoint: str, is_warned: bool) -> None:
    (part,) = await asked(RIGHT, endpoint=endpoint)
    assert part.is_fine and ("use https" in part.remedy) is is_warned


async def test_a_person_who_answers_is_not_called() -> None:
    (part,) = await asked(provider="manual")
    assert part.is_fine and "a person answers" in part.detail
    (part,) = await asked(RIGHT, provider="anthropic")
    assert "answered in" in part.detail
