"""A trajectory as memory: each edit that an agent had judged is judged again here, and kept where a technique is recognised in it.

Nothing that a trajectory says of an edit counts, so that one from elsewhere can only bring edits. An edit is held against the right text
of the same session that it adds least to, the start or an earlier edit, so that what was built up step by step is learned step by step.
Example::

    found = await learned(session, kept_for(store, read_trajectory(lines)), texts, on_progress)
    found[0].technique      # "coalescing-interchange"
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from assistant.agents.tasks.calls import JUDGE
from assistant.agents.tasks.jobs import OnProgress, listened, request_of
from assistant.agents.tasks.running import check_edit, is_start
from assistant.agents.tasks.store import KeptTask, TaskStore
from assistant.agents.tasks.task import Budget, JudgeSettings, Task, TaskKind
from assistant.agents.tasks.training_data import edited_text
from assistant.agents.tasks.trajectories import SCHEMA
from assistant.config.paths import CONFIG_NAME
from assistant.cuda.edit_likeness import added
from assistant.cuda.same_code import code_hash
from assistant.disk.texts import MOST_SOURCE_BYTES
from assistant.engine import DONE, Ending, Job, Session, SourceVersion, about_texts, candidate_of, streamed
from assistant.engine.judge import compare
from assistant.errors import CannotAnswerError, KernelOptError, UsageError
from assistant.model.experience import AGENT
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.record import Record

__all__ = ["LearnedEdit", "Trajectory", "kept_for", "learned", "read_trajectory"]

_REMEDY = "kernelopt task trajectory DIR writes one"
_ID_CHARACTERS = 24
_MOST_EDITS = 1000
"""Of one trajectory: each takes a judge's time."""


class Trajectory(Record):
    """What is taken from one."""

    task_id: str
    source: str
    """Name of the file that was edited."""
    start: str
    edits: tuple[str, ...]
    """Texts that were judged, in order, each once."""
    kernel: str | None = None
    arguments: tuple[str, ...] = ()
    """The program's own."""
    is_alone: bool = True
    """The file is the whole program."""


class LearnedEdit(Record):
    """What came of one edit."""

    edit: int
    """In the order of the trajectory, from 1."""
    answer: str
    """The judge's, here."""
    technique: str | None
    """None: none was recognised, and nothing was kept."""


def read_trajectory(lines: Iterable[dict[str, Any]]) -> Trajectory:
    """Of the lines that ``task trajectory`` writes. Raises UsageError where they are none, or not about a kernel."""
    try:
        task, *calls = lines
        if task["event"] != "task" or task["schema"] != SCHEMA:
            raise UsageError(f"the first line is not about a task in version {SCHEMA}", _REMEDY)
        if task["kind"] != TaskKind.KERNEL:
            raise UsageError("techniques are recognised in edits of kernels alone, and the task is about an operator")
        source, start, settings = str(task["source"]), str(task["start"]), task["settings"]
        judged = [edited_text(start, str(call["diff"])) for call in calls if call["event"] == "call" and call["tool"] == JUDGE]
        found = Trajectory(
            task_id=str(task["id"]),
            source=source,
            start=start,
            edits=tuple({code_hash(text): text for text in judged}.values()),
            kernel=None if settings["kernel"] is None else str(settings["kernel"]),
            arguments=tuple(map(str, settings["arguments"])),
            is_alone=not task["units"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"it is no trajectory of a task: {type(error).__name__} {error}", _REMEDY) from error
    if source != source.strip() or "/" in source or source.startswith("."):
        raise UsageError(f"{source!r} is no name of a source", _REMEDY)
    if len(found.edits) > _MOST_EDITS or any(len(text.encode("utf-8", "surrogateescape")) > MOST_SOURCE_BYTES for text in found.edits):
        raise UsageError(f"it has more than {_MOST_EDITS} edits, or one that is too large for a source", "leave some out")
    return found


def kept_for(tasks: TaskStore, elsewhere: TaskStore, found: Trajectory, device: str | None) -> KeptTask:
    """The task that the trajectory is of, on ``device`` if one is named.

    One that is not among ``tasks`` is kept in ``elsewhere``, as far as its file is the whole program. Raises UsageError where it is not.
    """
    kept = _known(tasks, found)
    if kept is None:
        kept = _known(elsewhere, replace(found, task_id=_id_of(found))) or _added(elsewhere, found)
    return KeptTask(kept.root, replace(kept.task, settings=replace(kept.task.settings, device=device or kept.task.settings.device)))


async def learned(session: Session, kept: KeptTask, edits: Iterable[str], on_progress: OnProgress) -> tuple[LearnedEdit, ...]:
    """What came of each edit, in one job. Raises CannotAnswerError where the start itself cannot be run here."""
    found: list[LearnedEdit] = []

    async def body(job: Job, version: SourceVersion) -> Ending:
        right = [kept.start()]
        for number, text in enumerate(edits, 1):
            await on_progress(f"edit {number}")
            found.append(await _learned_one(session, job, version, kept, text, right, number))
        return Ending(DONE, f"{sum(edit.technique is not None for edit in found)} of {len(found)} edits were kept")

    request = request_of(kept)
    asked = about_texts(request, (Source(kept.program_file, kept.start()),))
    await listened(streamed(lambda listener: session.run("compare", asked, body, listener)), on_progress)
    return tuple(found)


async def _learned_one(
    session: Session, job: Job, version: SourceVersion, kept: KeptTask, text: str, right: list[str], number: int
) -> LearnedEdit:
    """``right``: texts that are right, to which this one is added if it is."""
    refusal = check_edit(kept, text)
    if is_start(kept, text) or refusal is not None:
        return LearnedEdit(number, "the code is the start's" if refusal is None else f"not run: {refusal.message}", None)
    path = version.source.path
    nearest = min(reversed(right), key=lambda each: len(added(each, text)))
    try:
        sides = [candidate_of(version, (Source(path, each),)) for each in (nearest, text)]
    except KernelOptError as error:
        return LearnedEdit(number, error.message, None)
    result = await compare(job, *sides, is_strict=False)
    if result.failure is not None and not result.verdicts and nearest == kept.start():
        raise CannotAnswerError(f"the trajectory's start cannot be judged here: {result.failure.message}", "judge it where it was made")
    if result.verdicts and all(verdict.verification.outcome is Outcome.PASS for verdict in result.verdicts):
        right.append(text)
    attempt = await session.learn(job, result, AGENT)
    return LearnedEdit(number, result.ending.reason, None if attempt is None else attempt.technique)


def _known(store: TaskStore, found: Trajectory) -> KeptTask | None:
    try:
        kept = store.find(found.task_id)
    except UsageError:
        return None
    return kept if kept.task.id == found.task_id and kept.start() == found.start else None


def _added(store: TaskStore, found: Trajectory) -> KeptTask:
    if not found.is_alone:
        message = f"{found.source} is one of several sources of its program, and a trajectory has that one alone"
        raise UsageError(message, "learn from it where the task was made")
    task = Task(
        id=_id_of(found),
        kind=TaskKind.KERNEL,
        source=found.source,
        program_file=found.source,
        units=(),
        settings=JudgeSettings(kernel=found.kernel, arguments=found.arguments),
        budget=Budget(),
        answer_characters=0,
        protected=(),
        made_ms=0,
    )
    program = {CONFIG_NAME: b"# of a trajectory\n", found.source: found.start.encode("utf-8", "surrogateescape")}
    return store.add(task, program, found.start, {})


def _id_of(found: Trajectory) -> str:
    """The same for the same program, so that what is learned from it twice counts once."""
    identity = "\0".join((found.source, found.start, found.kernel or "", *found.arguments))
    return "T" + hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:_ID_CHARACTERS].upper()
