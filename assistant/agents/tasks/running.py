"""Jobs of a task: the edited text judged, profiled, or looked up in memory, always in the protected copy of its program and limited.

Example::

    judgement, log = await judged(session, kept, text, on_progress)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from assistant.agents.admission import refused_edit
from assistant.agents.tasks.jobs import UNREADABLE, OnProgress, listened, request_of
from assistant.agents.tasks.judged import judgement_of, judgement_of_events
from assistant.agents.tasks.operator_jobs import is_same_python, judged_operator, profiled_operator
from assistant.agents.tasks.reward import Judgement, Reason
from assistant.agents.tasks.store import KeptTask
from assistant.agents.tasks.task import TaskKind
from assistant.cuda.same_code import code_hash
from assistant.engine import (
    NO,
    Ending,
    Job,
    Session,
    SourceVersion,
    about_texts,
    candidate_of,
    streamed,
)
from assistant.engine.judge import compare
from assistant.engine.report import stages
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.source import Source

__all__ = ["check_edit", "in_program", "judged", "judged_start", "profiled"]

EditedBody = Callable[[Job, SourceVersion], Awaitable[Ending]]


async def judged(session: Session, kept: KeptTask, text: str, on_progress: OnProgress) -> tuple[Judgement, list[events.Event]]:
    """The judgement of an edited text, and what the judge reported on the way; nothing is run of the start itself."""
    if is_start(kept, text):
        return Judgement(None, "the code is the start's, so nothing was run", is_unchanged=True), []
    if kept.task.kind is TaskKind.OPERATOR:
        return await judged_operator(session, kept, text, on_progress)
    refusal = check_edit(kept, text)
    if refusal is not None:
        return Judgement(None, refusal.message, refusal=refusal), []
    return await _judged_kernel(session, kept, text, on_progress)


async def judged_start(session: Session, kept: KeptTask, on_progress: OnProgress) -> Judgement:
    """The start judged in its own place: whether the task can be judged at all."""
    how = judged_operator if kept.task.kind is TaskKind.OPERATOR else _judged_kernel
    return (await how(session, kept, kept.start(), on_progress))[0]


async def _judged_kernel(session: Session, kept: KeptTask, text: str, on_progress: OnProgress) -> tuple[Judgement, list[events.Event]]:
    found: list[Judgement] = []

    async def body(job: Job, before: SourceVersion, after: SourceVersion) -> Ending:
        result = await compare(job, before, after, is_strict=False)
        found.append(judgement_of(result, is_host_same=not kept.task.settings.may_edit_host_code or check_host(kept, text) is None))
        return result.ending

    log = await listened(in_program(session, kept, text, "compare", body, found.append), on_progress)
    return (found[0] if found else judgement_of_events(log)), log


def is_start(kept: KeptTask, text: str) -> bool:
    """Whether the text is the same code as the start."""
    if kept.task.kind is TaskKind.OPERATOR:
        return is_same_python(text, kept.start())
    return code_hash(text) == code_hash(kept.start())


async def profiled(session: Session, kept: KeptTask, text: str, kernel: str | None, on_progress: OnProgress) -> list[events.Event]:
    """What the profile of an edited text reported; of a PyTorch task, what its reference consists of."""
    if kept.task.kind is TaskKind.OPERATOR:
        return await profiled_operator(session, kept, on_progress)

    async def body(job: Job, before: SourceVersion, after: SourceVersion) -> Ending:
        return await stages.profile(job, after)

    stream = in_program(session, kept, text, "profile", body, lambda _: None, kernel)
    return await listened(stream, on_progress)


def check_edit(kept: KeptTask, text: str) -> Reason | None:
    """Why an edited text of a kernel's task is not run at all; None where it may be."""
    before, after = _texts(kept, text)
    refusal = refused_edit(before, after, may_edit_host_code=kept.task.settings.may_edit_host_code)
    if refusal is None:
        return None
    return Reason(refusal.code, f"{refusal.message.replace('was not allowed', 'this task does not allow')}: {refusal.remedy}")


def check_host(kept: KeptTask, text: str) -> Reason | None:
    """That the text edits host code, whether that is allowed or not; None where it does not."""
    before, after = _texts(kept, text)
    refusal = refused_edit(before, after, may_edit_host_code=False)
    return None if refusal is None else Reason(refusal.code, refusal.message)


def in_program(
    session: Session,
    kept: KeptTask,
    text: str,
    command: str,
    body: Callable[[Job, SourceVersion, SourceVersion], Awaitable[Ending]],
    on_unreadable: Callable[[Judgement], None],
    kernel: str | None = None,
) -> AsyncIterator[events.Event]:
    """A job on the start and the edited text of a kernel's task; the edited one is a candidate, which runs limited."""
    before, after = _texts(kept, text)
    request = request_of(kept)
    asked = about_texts(replace(request, kernel=kernel or request.kernel), (before,))

    async def whole(job: Job, version: SourceVersion) -> Ending:
        try:
            edited = candidate_of(version, (after,))
        except KernelOptError as error:
            on_unreadable(Judgement(None, error.message, refusal=Reason(UNREADABLE, error.message)))
            return Ending(NO, error.message)
        return await body(job, version, edited)

    return streamed(lambda listener: session.run(command, asked, whole, listener))


def _texts(kept: KeptTask, text: str) -> tuple[Source, Source]:
    path: Path = kept.program_file
    return Source(path, kept.start()), Source(path, text)
