"""What an agent may do to its folder and its budget, and what the door answers; nothing is run in these."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from assistant.agents.tasks import AgentFolder, Budget, CallLog, JudgeSettings, KeptTask, restore, trajectory
from assistant.agents.tasks.calls import Begun
from assistant.errors import CannotAnswerError, KernelOptError, UsageError
from tests.unit.agents.tasks.kept import START, agent_folder, door, kept_task, silent

FASTER = START.replace("x[i] *= 2.0f", "x[i] += x[i]")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return agent_folder(tmp_path / "work")


@pytest.fixture
def kept(home: Path) -> KeptTask:
    return kept_task(home)


async def judge(home: Path, folder: Path) -> dict[str, Any]:
    return await door(home, folder).judge(silent)


async def test_the_start_is_worth_nothing_and_costs_a_call(home: Path, folder: Path, kept: KeptTask) -> None:
    (folder / "twice.cu").write_text(START + "// faster\n")
    answer = await judge(home, folder)
    assert (answer["reward"], answer["milestone"], answer["left"]["judge_calls"]) == (0, "unchanged", 2)
    assert answer["components"]["isolated"] is False and any("not isolated" in note for note in answer["notes"])


@pytest.mark.parametrize("name", ["task.json", "reference/twice.cu"])
async def test_a_changed_protected_file_is_named_and_costs_the_reward(name: str, home: Path, folder: Path, kept: KeptTask) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    answer = await judge(home, folder)
    assert (answer["reward"], answer["components"]["cheat"]) == (-1, "protected-file-changed")
    assert name in answer["answer"]
    with pytest.raises(UsageError, match=name):
        await door(home, folder).profile(None, silent)
    assert restore(kept, AgentFolder(folder)) == (name,) and restore(kept, AgentFolder(folder)) == ()
    assert (await judge(home, folder))["reward"] == 0


async def test_a_protected_folder_in_another_place_is_a_changed_one(home: Path, folder: Path, tmp_path: Path, kept: KeptTask) -> None:
    shutil.move(folder / "reference", tmp_path / "elsewhere")
    (folder / "reference").symlink_to(tmp_path / "elsewhere")
    assert (await judge(home, folder))["components"]["cheat"] == "protected-file-changed"
    assert restore(kept, AgentFolder(folder)) == ("reference/twice.cu",)
    assert not (folder / "reference").is_symlink() and (await judge(home, folder))["reward"] == 0


async def test_notes_may_be_edited_and_are_kept(home: Path, folder: Path, kept: KeptTask) -> None:
    (folder / "NOTES.md").write_text("x" * 9000 + "sectors 32 -> 4")
    assert (await judge(home, folder))["reward"] == 0
    (call,) = CallLog(kept.calls).calls()
    assert call.begun.notes.endswith("sectors 32 -> 4") and len(call.begun.notes) == 4000


@pytest.mark.parametrize("how", ["link", "huge", "folder", "pipe", "binary", "gone"])
async def test_a_source_that_is_no_plain_text_is_refused_and_costs_nothing(how: str, home: Path, folder: Path, kept: KeptTask) -> None:
    source = folder / "twice.cu"
    source.unlink()
    match how:
        case "link":
            source.symlink_to("/etc/passwd")
        case "huge":
            source.write_bytes(b" " * ((1 << 20) + 1))
        case "folder":
            source.mkdir()
        case "pipe":
            os.mkfifo(source)
        case "binary":
            source.write_bytes(b"a\0b")
        case _:
            pass
    with pytest.raises(UsageError, match=r"twice\.cu is not judged: ") as found:
        await judge(home, folder)
    assert "\n" not in found.value.message
    assert CallLog(kept.calls).calls() == ()
    assert [refused.reason for refused in CallLog(kept.calls).refusals()] == [found.value.message]


async def test_notes_that_lead_elsewhere_are_not_read(home: Path, folder: Path, kept: KeptTask) -> None:
    (folder / "NOTES.md").unlink()
    (folder / "NOTES.md").symlink_to("/etc/passwd")
    await judge(home, folder)
    assert CallLog(kept.calls).calls()[0].begun.notes == ""


async def test_host_code_is_refused_before_it_is_built(home: Path, folder: Path, kept: KeptTask) -> None:
    (folder / "twice.cu").write_text(START.replace("int main() {", 'int main() {\n  if (getenv("X")) return 0;'))
    answer = await judge(home, folder)
    assert (answer["reward"], answer["components"]["cheat"]) == (-1, "host-code")
    with pytest.raises(UsageError, match="host code"):
        await door(home, folder).profile(None, silent)


async def test_a_budget_that_is_used_up_refuses_with_one_line(home: Path, folder: Path, kept: KeptTask) -> None:
    answers = [await judge(home, folder) for _ in range(3)]
    assert [answer["left"]["judge_calls"] for answer in answers] == [2, 1, 0]
    with pytest.raises(CannotAnswerError, match="calls of judge are used up"):
        await judge(home, folder)
    lines = list(trajectory(kept))
    assert [line["event"] for line in lines] == ["task", "call", "call", "call", "refused"]
    assert [line.get("reward") for line in lines] == [None, 0, 0, 0, None]


async def test_a_budget_that_the_agent_writes_is_no_budget(home: Path, folder: Path, kept: KeptTask) -> None:
    about = json.loads((folder / "task.json").read_text())
    (folder / "task.json").write_text(json.dumps(about | {"budget": {"judge_count": 999, "wall_s": 1e9}}))
    assert (await judge(home, folder))["left"]["judge_calls"] == 2


async def test_wall_time_is_used_up_by_all_calls(home: Path, folder: Path) -> None:
    kept = kept_task(home, budget=Budget(3, 5.0))
    log = CallLog(kept.calls)
    log.end(log.begin(Begun("profile", "", 0, str(folder), "", "", "")), 5.5, {"answer": "1 kernel profiled"})
    with pytest.raises(CannotAnswerError, match="wall time is used up"):
        await judge(home, folder)


async def test_a_killed_call_counts_once_and_the_log_is_whole(home: Path, folder: Path, kept: KeptTask) -> None:
    log = CallLog(kept.calls)
    log.begin(Begun("judge", "", 10_000, str(folder), "", "", ""))
    kept.beat.touch()
    os.utime(kept.beat, (17.5, 17.5))
    with kept.calls.open("ab") as file:
        file.write(b'{"event": "ended", "call": 1, "du')
    left = (await judge(home, folder))["left"]
    assert left["judge_calls"] == 1 and 80 < left["wall_s"] <= 92.5  # the second call took some time, more on a busy machine
    killed, whole = log.calls()
    assert killed.ended is not None and killed.ended.duration_s == 7.5 and "killed" in killed.ended.answer["answer"]
    assert whole.ended is not None and len(kept.calls.read_text().splitlines()) == 4


async def test_two_calls_at_once_take_turns(home: Path, folder: Path, kept: KeptTask) -> None:
    answers = await asyncio.gather(judge(home, folder), judge(home, folder), judge(home, folder))
    assert sorted(answer["left"]["judge_calls"] for answer in answers) == [0, 1, 2]
    assert sorted(answer["call"] for answer in answers) == [1, 2, 3]


async def test_a_moved_folder_works_and_a_copy_shares_the_budget(home: Path, folder: Path, tmp_path: Path, kept: KeptTask) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    shutil.move(folder, tmp_path / "moved")
    assert (await judge(home, tmp_path / "moved"))["left"]["judge_calls"] == 2
    assert (await judge(home, tmp_path / "copy"))["left"]["judge_calls"] == 1
    assert {Path(call.begun.folder).name for call in CallLog(kept.calls).calls()} == {"moved", "copy"}


async def test_another_home_does_not_know_the_task(folder: Path, tmp_path: Path, kept: KeptTask) -> None:
    with pytest.raises(UsageError, match="there is no task") as found:
        await judge(tmp_path / "other", folder)
    assert "KERNELOPT_HOME" in (found.value.remedy or "")


@pytest.mark.parametrize("name", ['"../../etc"', '"T*"', '""', "7", "null"])
async def test_an_id_that_is_none_leads_nowhere(name: str, home: Path, folder: Path, kept: KeptTask) -> None:
    (folder / "task.json").write_text(f'{{"id": {name}}}')
    with pytest.raises(KernelOptError):
        await judge(home, folder)


async def test_the_judge_is_marked_as_isolated_where_the_folder_is_another_user_s(
    home: Path, folder: Path, kept: KeptTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert (await judge(home, folder))["components"]["isolated"] is True


async def test_the_edit_is_kept_as_a_diff(home: Path, folder: Path) -> None:
    kept = kept_task(home, JudgeSettings())
    (folder / "twice.cu").write_text(FASTER)
    (folder / "reference/twice.cu").write_text("")
    await judge(home, folder)
    (_, line) = trajectory(kept)
    assert "-  if (i < n) x[i] *= 2.0f;\n+  if (i < n) x[i] += x[i];" in line["diff"]
    assert (line["tool"], line["reward"]) == ("judge", -1)
