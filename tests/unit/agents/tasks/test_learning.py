"""What is taken from a trajectory, and which program its edits are judged in; nothing is run in these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.agents.tasks import TaskStore, trajectory
from assistant.agents.tasks.learning import Trajectory, kept_for, read_trajectory
from assistant.cuda.hunks import unified_diff
from assistant.errors import UsageError
from tests.unit.agents.tasks.kept import ID, START, kept_task
from tests.unit.agents.tasks.sessions import SESSIONS, judged_texts, lines_of

FASTER = START.replace("x[i] *= 2.0f", "x[i] += x[i]")


def lines(tmp_path: Path, *texts: str) -> list[dict[str, Any]]:
    """As a home writes them whose task ``texts`` were judged in."""
    calls = [{"event": "call", "tool": "judge", "diff": unified_diff(START, text, "twice.cu")} for text in texts]
    return [*trajectory(kept_task(tmp_path)), *calls]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_the_edits_of_a_played_session_are_read_in_order(session: Path) -> None:
    task, calls = lines_of(session)
    found = read_trajectory([task, *calls])
    assert list(found.edits) == [text for text, _ in judged_texts(session)] and found.is_alone


def test_an_edit_that_was_judged_twice_counts_once(tmp_path: Path) -> None:
    assert read_trajectory(lines(tmp_path, FASTER, START, FASTER + "// again\n")).edits == (FASTER + "// again\n", START)


def test_other_tools_and_refused_calls_are_no_edits(tmp_path: Path) -> None:
    asked = {"event": "call", "tool": "profile", "diff": unified_diff(START, FASTER, "twice.cu")}
    refused = {"event": "refused", "tool": "judge", "reason": "used up"}
    assert read_trajectory([*lines(tmp_path), asked, refused]).edits == ()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"event": "call"}, "not about a task"),
        ({"schema": 99}, "not about a task"),
        ({"kind": "operator"}, "kernels alone"),
        ({"source": "../../etc/passwd"}, "no name of a source"),
        ({"source": ".bashrc"}, "no name of a source"),
        ({"settings": None}, "no trajectory"),
    ],
)
def test_what_is_no_trajectory_of_a_kernel_is_refused(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    first, *calls = lines(tmp_path, FASTER)
    with pytest.raises(UsageError, match=said):
        read_trajectory([first | change, *calls])


@pytest.mark.parametrize("wrong", [[], [{}], [{"event": "task"}]])
def test_other_json_lines_are_refused(wrong: list[dict[str, Any]]) -> None:
    with pytest.raises(UsageError, match="trajectory"):
        read_trajectory(wrong)


def test_a_task_of_this_home_is_learned_from_in_its_own_program(tmp_path: Path) -> None:
    found = read_trajectory(lines(tmp_path, FASTER))
    kept = kept_for(TaskStore(tmp_path / "tasks"), TaskStore(tmp_path / "elsewhere"), found, "gpu:1")
    assert (kept.task.id, kept.task.settings.device) == (ID, "gpu:1") and not (tmp_path / "elsewhere").exists()


def test_another_homes_program_is_kept_once_and_apart_from_tasks(tmp_path: Path) -> None:
    found = read_trajectory(lines(tmp_path / "theirs", FASTER))
    tasks, elsewhere = TaskStore(tmp_path / "tasks"), TaskStore(tmp_path / "elsewhere")
    first, again = (kept_for(tasks, elsewhere, found, None) for _ in range(2))
    assert first.root == again.root and first.program_file.read_text() == START and not tasks.root.exists()
    changed = _with_start(found, START + "// another\n")
    assert kept_for(tasks, elsewhere, changed, None).root != first.root


def test_a_task_of_the_same_id_and_another_start_is_not_taken_for_it(tmp_path: Path) -> None:
    found = _with_start(read_trajectory(lines(tmp_path, FASTER)), FASTER)
    kept = kept_for(TaskStore(tmp_path / "tasks"), TaskStore(tmp_path / "elsewhere"), found, None)
    assert kept.task.id != ID and kept.start() == FASTER


def test_of_another_homes_program_of_several_sources_nothing_is_learned(tmp_path: Path) -> None:
    first, *calls = lines(tmp_path / "theirs", FASTER)
    found = read_trajectory([first | {"units": ["other.cu"]}, *calls])
    with pytest.raises(UsageError, match="several sources"):
        kept_for(TaskStore(tmp_path / "tasks"), TaskStore(tmp_path / "elsewhere"), found, None)


def _with_start(found: Trajectory, start: str) -> Trajectory:
    return Trajectory(found.task_id, found.source, start, found.edits)
