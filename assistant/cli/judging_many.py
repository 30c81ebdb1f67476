"""``kernelopt tasks judge``: many edits of one task judged, here or on a cluster, each answer kept as soon as it is there.

Example::

    judge_many(JudgingRun("work", (Path("a.cu"), Path("b.cu")), Path("out"), False, 1, "local:2", False))
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import typer

from assistant.agents.tasks import KeptTask
from assistant.agents.tasks.judging import judge_here
from assistant.bench import Journal, left_of, run_suite
from assistant.cli import exit_codes
from assistant.cli.compose import open_session
from assistant.cli.jobs import run_async
from assistant.cli.loading import loading
from assistant.cli.tasks_answers import kept_of
from assistant.cluster import WorkLostError, own_build
from assistant.disk.texts import read_own_bytes
from assistant.errors import UsageError
from assistant.record import Record
from assistant.serialize import encodable, encode

__all__ = ["JudgedRow", "JudgingRun", "judge_many"]

_MOST_SOURCE_BYTES = 1 << 20


class JudgingRun(Record):
    """What the options say."""

    place: str
    files: tuple[Path, ...]
    out: Path
    is_resumed: bool
    jobs: int
    """Files at a time, without a cluster."""
    cluster: str | None
    is_json: bool


class _Settings(Record):
    """What all rows have in common; only the same is gone on with."""

    task: str
    build: str
    device: str | None
    """``cpu`` or the name of a GPU, of the workers; None: as the task says, on this machine."""


class JudgedRow(Record):
    """One edit with its answer."""

    title: str
    """Its file."""
    sources_sha256: str
    """Of its text."""
    answer: dict[str, Any]
    """What ``judge`` answers."""
    wall_s: float
    place: dict[str, Any] | None = None
    """Which worker judged; None: this machine did."""


class _Edit(Record):
    title: str
    text: str
    sha256: str


JudgeText = Callable[[str], Coroutine[Any, Any, JudgedRow]]
"""A row without title and hash, which several files of one text share."""


def judge_many(run: JudgingRun) -> int:
    """Exit code 0 where every file has an answer, whatever it is. Raises KernelOptError."""
    words = f"interrupted; finished answers are kept in {run.out}: the same command with --resume goes on"
    return run_async(lambda: _run(run), words)


async def _run(run: JudgingRun) -> int:
    kept = kept_of(run.place)
    if run.cluster is None:
        session = open_session("task")
        return await _judged(run, kept, None, _here(session, kept), run.jobs)
    with loading():
        from assistant.cli.cluster_asked import device_of, judged_on, opened
    async with opened(run.cluster) as cluster:
        device = await device_of(cluster, kept)

        async def judge(text: str) -> JudgedRow:
            try:
                done = await judged_on(cluster, kept, text, device, is_isolated=False)
            except WorkLostError as error:
                return JudgedRow("", "", {"answer": error.message, "reward": None}, 0.0)
            return JudgedRow("", "", json.loads(done.value), done.wall_s, encode(done.place))

        return await _judged(run, kept, device, judge, len(run.files))


async def _judged(run: JudgingRun, kept: KeptTask, device: str | None, judge: JudgeText, at_once: int) -> int:
    edits = [_read(file) for file in run.files]
    settings = _Settings(kept.task.id, own_build(), device)
    journal = (
        Journal[_Settings, JudgedRow].resumed(run.out, settings, JudgedRow)
        if run.is_resumed
        else Journal[_Settings, JudgedRow].begun(run.out, settings)
    )
    shared: dict[str, asyncio.Task[JudgedRow]] = {}
    known = {row.sources_sha256: row for row in journal.rows}

    async def judge_once(edit: _Edit) -> JudgedRow:
        found = known.get(edit.sha256)
        if found is None:
            if edit.sha256 not in shared:
                shared[edit.sha256] = asyncio.create_task(judge(edit.text))
            found = await shared[edit.sha256]
        return JudgedRow(edit.title, edit.sha256, found.answer, found.wall_s, found.place)

    left = left_of(edits, journal, lambda edit: edit.sha256)
    if len(left) < len(edits):
        _say(run, f"{len(edits) - len(left)} of {len(edits)} have an answer already")
    try:
        async for row in run_suite(left, journal, judge_once, at_once):
            _show(run, row)
    finally:
        for task in shared.values():
            task.cancel()
        await asyncio.gather(*shared.values(), return_exceptions=True)
    _sum_up(run, [row for row in journal.rows if row.title in {edit.title for edit in edits}])
    return exit_codes.DONE


def _here(session: Any, kept: KeptTask) -> JudgeText:
    judge = judge_here(session)

    async def unheard(_: str) -> None: ...

    async def judged(text: str) -> JudgedRow:
        began_s = time.monotonic()
        answer = await judge(kept, text, False, unheard)
        return JudgedRow("", "", answer, round(time.monotonic() - began_s, 3))

    return judged


def _read(file: Path) -> _Edit:
    """Raises UsageError for what is no source."""
    try:
        data = read_own_bytes(file, _MOST_SOURCE_BYTES)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}", "name edited texts of the task's file") from error
    return _Edit(str(file), data.decode("utf-8", "surrogateescape"), hashlib.sha256(data).hexdigest())


def _show(run: JudgingRun, row: JudgedRow) -> None:
    if run.is_json:
        typer.echo(encodable(json.dumps(encode(row), ensure_ascii=False)))
        return
    reward = row.answer.get("reward")
    where = "" if row.place is None else f" ({row.place['worker']})"
    typer.echo(f"{Path(row.title).name}: {'no reward' if reward is None else f'reward {reward}'}: {row.answer.get('answer', '')}{where}")


def _sum_up(run: JudgingRun, rows: list[JudgedRow]) -> None:
    counted = Counter(row.answer.get("reward") for row in rows)
    words = [f"{count} with {'no reward' if reward is None else reward}" for reward, count in sorted(counted.items(), key=_order)]
    _say(run, f"{len(rows)} judged: {', '.join(words)}; answers: {run.out / 'rows.jsonl'}")


def _order(item: tuple[int | None, int]) -> int:
    reward, _ = item
    return -2 if reward is None else reward


def _say(run: JudgingRun, text: str) -> None:
    if not run.is_json:
        typer.echo(text)
