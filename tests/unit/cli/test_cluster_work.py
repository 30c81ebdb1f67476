"""What workers are sent and how they start, without any worker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agents.tasks import Budget, KeptTask
from assistant.bench import BenchSettings, Task
from assistant.cli.cluster_work import SECRET, judge_item, program_item
from assistant.cluster import CPU, WorkFile, planned_workers
from assistant.cluster.work import digest_of
from assistant.errors import UsageError
from assistant.lab.gpus import Gpu, NoGpu
from assistant.serialize import dumps
from assistant.worker import environment
from tests.unit.agents.tasks.kept import START, kept_task

NO_GPU = NoGpu("there is no NVIDIA driver here", "install NVIDIA's driver")
GPUS = tuple(Gpu(index, "NVIDIA H200", f"GPU-{index}", 1 << 37, (9, 0), "580.95.05") for index in range(4))


def test_an_edit_travels_as_text_and_is_the_same_work_whatever_machine_asks(tmp_path: Path) -> None:
    edited = START.replace("2.0f", "3.0f")
    copy = kept_task(tmp_path / "two", budget=Budget(7, 7.0))
    copy = KeptTask(copy.root, replace(copy.task, id="T7", made_ms=7))
    items = [judge_item(kept, edited, CPU, is_isolated=False) for kept in (kept_task(tmp_path / "one"), copy)]
    assert digest_of(items[0], "b", CPU) == digest_of(items[1], "b", CPU)
    assert str(tmp_path) not in dumps(items[0]) and "KERNELOPT_HOME" not in dumps(items[0])
    other = judge_item(kept_task(tmp_path / "three"), START, CPU, is_isolated=False)
    assert digest_of(other, "b", CPU) != digest_of(items[0], "b", CPU)


def test_a_program_of_a_suite_names_no_folder_of_the_sender(tmp_path: Path) -> None:
    settings = BenchSettings(folder=str(tmp_path), planner="expert", cluster_device="NVIDIA H200")
    item = program_item(tmp_path / "suite", (WorkFile("a.cu", b""),), settings, Task("a", (Path("a.cu"),)), "NVIDIA H200")
    assert str(tmp_path) not in dumps(item)
    assert '"device":"gpu"' in item.about


def test_a_worker_sees_one_gpu_or_none() -> None:
    plans = planned_workers(GPUS, (1, 3), cpu_count=2)
    assert [(plan.device, plan.visible) for plan in plans] == [("NVIDIA H200", "GPU-1"), ("NVIDIA H200", "GPU-3"), (CPU, ""), (CPU, "")]
    assert len({plan.name for plan in plans}) == 4
    assert len(planned_workers(GPUS, None, cpu_count=0)) == 4
    assert [plan.device for plan in planned_workers(NO_GPU, None, cpu_count=1)] == [CPU]


def test_workers_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="there are 4"):
        planned_workers(GPUS, (4,), cpu_count=1)
    with pytest.raises(UsageError, match="no NVIDIA driver"):
        planned_workers(NO_GPU, (0,), cpu_count=1)
    with pytest.raises(UsageError, match="no GPU here"):
        planned_workers(NO_GPU, None, cpu_count=0)


def test_what_is_secret_to_candidates_is_secret_to_programs_of_others() -> None:
    assert SECRET.pattern == environment._SECRET.pattern  # pyright: ignore[reportPrivateUsage]
