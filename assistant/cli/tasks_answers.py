"""What the commands about tasks for coding agents do and print. ``--json`` prints what the server answers over MCP, in one line."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import typer

from assistant.agents import CLIENTS, clients_of, load_skills
from assistant.agents.tasks import (
    AgentFolder,
    CallLog,
    Door,
    KeptTask,
    NewTask,
    ServerStart,
    TaskStore,
    copy_task,
    left,
    make_task,
    restore,
    trajectory,
)
from assistant.agents.tasks.judging import JudgeEdit
from assistant.agents.tasks.learning import LearnedEdit, kept_for, learned, read_trajectory
from assistant.agents.tasks.training_data import conversation, steps
from assistant.agents.tasks.words import answer_in_words, task_in_words
from assistant.cli import exit_codes
from assistant.cli.agents_answers import server_command
from assistant.cli.compose import open_session
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.cli.loading import loading
from assistant.cli.status import StatusLine
from assistant.config import user_paths
from assistant.errors import UsageError
from assistant.serialize import encodable, encode

__all__ = ["ask_memory", "copy", "door_of", "judge", "kept_of", "learn", "make", "print_trajectory", "profile", "put_back", "show"]

_MOST_BYTES = 256 << 20
"""Of a file with a trajectory."""
_ELSEWHERE = "elsewhere"
"""Folder beside the tasks of this home: programs of trajectories that other homes wrote."""

_INTERRUPTED = "interrupted; the call is kept as cancelled, and counts"
OnProgress = Callable[[str], Awaitable[None]]


def make(new: NewTask, names: tuple[str, ...], as_json: bool) -> int:
    """Make a task; raises KernelOptError."""
    clients = clients_of(new.folder, names) if names else CLIENTS
    server = ServerStart(server_command(), clients, load_skills())

    async def work() -> int:
        with StatusLine(console(is_error=True)) as status:
            kept = await make_task(open_session("task"), _store(), new, server, _shown(status))
        _print_made(kept, new.folder, as_json)
        return exit_codes.DONE

    return run_async(work, "interrupted; no task was made")


def copy(place: str, folder: Path, names: tuple[str, ...], as_json: bool) -> None:
    """Make the same task once more; raises KernelOptError."""
    server = ServerStart(server_command(), clients_of(folder, names) if names else CLIENTS, load_skills())
    _print_made(copy_task(_store(), kept_of(place), folder, server), folder, as_json)


def _print_made(kept: KeptTask, folder: Path, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"task": kept.task.id, "folder": str(folder), "source": kept.task.source}))
    else:
        _print(f"{kept.task.id}: {folder}\nnext: start your agent in it; README.md says the rest. kernelopt task show {folder}")


def judge(folder: Path | None, as_json: bool, cluster: str | None = None) -> int:
    """Exit code 0 for a reward of 0 and more, 1 for -1, 3 where there is none. ``cluster``: whose workers judge; None: this process."""

    def exit_code(answer: dict[str, Any]) -> int:
        reward = answer.get("reward")
        if reward is None:
            return exit_codes.CANNOT_ANSWER
        return exit_codes.DONE if reward >= 0 else exit_codes.ANSWER_IS_NO

    return _asked(folder, lambda door, progress: door.judge(progress), as_json, exit_code, cluster)


def profile(folder: Path | None, kernel: str | None, as_json: bool) -> int:
    return _asked(folder, lambda door, progress: door.profile(kernel, progress), as_json, lambda answer: int(answer.get("exit_code", 0)))


def ask_memory(folder: Path | None, topic: str, as_json: bool) -> int:
    return _asked(folder, lambda door, progress: door.ask_memory(topic, progress), as_json, lambda _: exit_codes.DONE)


def show(place: str, as_json: bool) -> None:
    """What a task asks and what came of its calls."""
    kept = kept_of(place)
    calls = CallLog(kept.calls).calls()
    remains = left(kept.task.budget, calls)
    if as_json:
        lines = trajectory(kept)
        typer.echo(encodable(json.dumps(next(iter(lines)) | {"calls": len(calls), "left": remains.as_json()}, ensure_ascii=False)))
    else:
        _print(task_in_words(kept.task, calls, remains))


def print_trajectory(place: str, form: str, least_reward: int | None) -> None:
    """JSON lines: ``calls``, the task first; ``messages`` or ``steps``, training data."""
    lines: Iterable[dict[str, Any]] = trajectory(kept_of(place))
    if form != "calls":
        task, *calls = lines
        whole = conversation(task, calls, least_reward)
        lines = steps(task, calls, least_reward) if form == "steps" else ([] if whole is None else [whole])
    for line in lines:
        typer.echo(encodable(json.dumps(line, ensure_ascii=False)))


def learn(place: str, device: str | None, as_json: bool) -> int:
    """Judge what an agent had judged once more, and keep it; raises KernelOptError."""
    path = Path(place)
    found = read_trajectory(_lines_in(path) if path.is_file() else trajectory(kept_of(place)))
    tasks = _store()
    kept = kept_for(tasks, TaskStore(tasks.root.with_name(_ELSEWHERE)), found, device)

    async def work() -> int:
        with StatusLine(console(is_error=True)) as status:
            edits = await learned(open_session("task"), kept, found.edits, _shown(status))
        for edit in edits:
            if as_json:
                typer.echo(json.dumps(encode(edit)))
            else:
                _print(f"{edit.edit}: {edit.answer}: {_kept_as(edit)}")
        return exit_codes.DONE

    return run_async(work, "interrupted; what was judged before is kept")


def _kept_as(edit: LearnedEdit) -> str:
    return "not kept, no technique is recognised in it" if edit.technique is None else f"kept as {edit.technique}"


def _lines_in(file: Path) -> list[dict[str, Any]]:
    """Raises UsageError where they are no JSON objects."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{file} is larger than {_MOST_BYTES >> 20} MiB", "name a file with one trajectory")
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{file} cannot be read as JSON lines: {error}", "kernelopt task trajectory DIR writes such a file") from error
    if not all(isinstance(line, dict) for line in lines):
        raise UsageError(f"{file} has a line that is no JSON object", "kernelopt task trajectory DIR writes such a file")
    return lines


def put_back(folder: Path) -> None:
    """Put protected files back."""
    place = AgentFolder(folder)
    written = restore(_store().find(place.task_id()), place)
    _print(f"put back: {', '.join(written)}" if written else "nothing was changed")


def door_of(session_name: str, folder: Path | None, judge_edit: JudgeEdit | None = None) -> Door:
    """What an agent in the folder may ask; ``judge_edit``: who judges, None: this process."""
    return Door(open_session(session_name), _store(), AgentFolder(folder or Path()), judge_edit=judge_edit)


async def _judge_on(cluster: str, stack: AsyncExitStack) -> JudgeEdit:
    with loading():
        from assistant.cli.cluster_asked import judge_on, opened

    return judge_on(await stack.enter_async_context(opened(cluster)))


def _asked(
    folder: Path | None,
    ask: Callable[[Door, OnProgress], Awaitable[dict[str, Any]]],
    as_json: bool,
    exit_code: Callable[[dict[str, Any]], int],
    cluster: str | None = None,
) -> int:
    async def work() -> int:
        with StatusLine(console(is_error=True)) as status:
            async with AsyncExitStack() as stack:
                judge_edit = None if cluster is None else await _judge_on(cluster, stack)
                answer = await ask(door_of("task", folder, judge_edit), _shown(status))
        if as_json:
            typer.echo(encodable(json.dumps(answer, ensure_ascii=False)))
        else:
            _print(answer_in_words(answer))
        return exit_code(answer)

    return run_async(work, _INTERRUPTED)


def kept_of(place: str) -> KeptTask:
    """By the folder, or by the id of a task."""
    folder = Path(place)
    return _store().find(AgentFolder(folder).task_id() if folder.is_dir() else place)


def _store() -> TaskStore:
    return TaskStore(user_paths().tasks)


def _shown(status: StatusLine) -> OnProgress:
    async def progress(stage: str) -> None:
        status.say(stage)

    return progress


def _print(text: str) -> None:
    console().print(text, markup=False, highlight=False, soft_wrap=True)
