"""A task on another machine: the same files and settings, and no place of the machine that it comes from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agents.tasks import JudgeSettings, TaskStore
from assistant.agents.tasks.packing import packed, portable, unpacked
from assistant.agents.tasks.store import KeptTask
from assistant.agents.tasks.task import TaskKind
from assistant.serialize import dumps
from tests.unit.agents.tasks.kept import START, kept_task


@pytest.fixture
def kept(tmp_path: Path) -> KeptTask:
    made = kept_task(tmp_path / "here")
    flags = ("-O3", f"-I{made.program}/include")
    settings = JudgeSettings(cflags=flags, device="gpu:3", torch_project=str(tmp_path), allowed=("precision",))
    return KeptTask(made.root, replace(made.task, settings=settings))


def test_what_travels_names_no_place_of_this_machine(kept: KeptTask, tmp_path: Path) -> None:
    assert str(tmp_path) not in dumps(portable(kept))
    assert not any(str(tmp_path).encode() in data for data in packed(kept).values())


def test_it_is_judged_there_as_here(kept: KeptTask, tmp_path: Path) -> None:
    there = unpacked(TaskStore(tmp_path / "there"), portable(kept), packed(kept), "gpu")
    assert there.start() == kept.start() == START
    assert there.program_file.read_bytes() == kept.program_file.read_bytes()
    assert there.task.settings == replace(
        kept.task.settings, cflags=("-O3", f"-I{there.program}/include"), device="gpu", torch_project=None
    )


def test_operators_are_judged_on_the_cpu_with_the_workers_own_pytorch(kept: KeptTask, tmp_path: Path) -> None:
    task = replace(portable(kept), kind=TaskKind.OPERATOR)
    settings = unpacked(TaskStore(tmp_path / "there"), task, packed(kept), "gpu").task.settings
    assert (settings.device, settings.torch_project) == ("cpu", str(Path.cwd()))
