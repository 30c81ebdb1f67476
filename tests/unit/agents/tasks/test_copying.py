"""The same task once more, with a whole budget; nothing is judged for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.agents.tasks import AgentFolder, CallLog, JudgeSettings, KeptTask, ServerStart, TaskStore, copy_task
from assistant.errors import UsageError
from tests.unit.agents.tasks.kept import ID, START, agent_folder, door, kept_task, silent

NO_CLIENTS = ServerStart("kernelopt", (), ())


@pytest.fixture
def store(tmp_path: Path) -> TaskStore:
    return TaskStore(tmp_path / "home/tasks")


@pytest.fixture
def kept(tmp_path: Path) -> KeptTask:
    flags = ("-I", str(tmp_path / "home/tasks" / ID / "program/include"))
    return kept_task(tmp_path / "home", JudgeSettings(cflags=flags))


async def test_a_copy_has_its_own_calls_and_the_whole_budget(tmp_path: Path, store: TaskStore, kept: KeptTask) -> None:
    await door(tmp_path / "home", agent_folder(tmp_path / "first")).judge(silent)
    made = copy_task(store, kept, tmp_path / "second", NO_CLIENTS)
    folder = AgentFolder(tmp_path / "second")
    assert made.task.id != ID and folder.task_id() == made.task.id and folder.changed(made.task) == ()
    assert made.start() == START == folder.source(made.task) and made.program_file.read_text() == START
    assert CallLog(made.calls).calls() == () and len(CallLog(kept.calls).calls()) == 1
    answer = await door(tmp_path / "home", tmp_path / "second").judge(silent)
    assert (answer["reward"], answer["left"]["judge_calls"]) == (0, 2)
    assert json.loads((tmp_path / "second/task.json").read_text())["id"] == made.task.id


def test_folders_of_flags_are_those_of_the_copy(tmp_path: Path, store: TaskStore, kept: KeptTask) -> None:
    made = copy_task(store, kept, tmp_path / "second", NO_CLIENTS)
    assert made.task.settings.cflags == ("-I", str(made.program / "include"))


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, store: TaskStore, kept: KeptTask) -> None:
    (tmp_path / "second").mkdir()
    (tmp_path / "second/mine").touch()
    with pytest.raises(UsageError, match="not empty"):
        copy_task(store, kept, tmp_path / "second", NO_CLIENTS)
    assert [path.name for path in store.root.iterdir()] == [ID]
