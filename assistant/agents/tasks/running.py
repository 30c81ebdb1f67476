"""Jobs of a task: the edited text judged, profiled, or looked up in memory, always in the protected copy of its program and limited.

Example::

    judgement, log = await judged(session, kept, text, on_progress)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from assistant.agents.admission import refused_edit
from assistant.agents.tasks.judged import judgement_of, judgement_of_events
from assistant.agents.tasks.reward import Judgement, Reason
from assistant.agents.tasks.store import KeptTask
from assistant.agents.tasks.task import Task, TaskKind
from assistant.cuda.same_code import code_hash
from assistant.engine import (
    NO,
    Ending,
    Job,
    JobRequest,
    OperatorOptions,
    Session,
    SourceVersion,
    about_texts,
    candidate_of,
    scratch_folder,
    streamed,
)
from assistant.engine.judge import compare
from assistant.engine.report import stages
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.program import STANDS_ALONE
from assistant.model.source import Source

__all__ = ["OnProgress", "check_edit", "in_program", "judged", "judged_start", "listened", "profiled", "request_of"]

OnProgress = Callable[[str], Awaitable[None]]
"""Is called with what a running job does now."""
_UNREADABLE = "unreadable"
EditedBody = Callable[[Job, SourceVersion], Awaitable[Ending]]


async def judged(session: Session, kept: KeptTask, text: str, on_progress: OnProgress) -> tuple[Judgement, list[events.Event]]:
    """The judgement of an edited text, and what the judge reported on the way; nothing is run of the start itself."""
    if is_start(kept, text):
        return Judgement(None, "the code is the start's, so nothing was run", is_unchanged=True), []
    if kept.task.kind is TaskKind.OPERATOR:
        return await _judged_operator(session, kept, text, on_progress)
    refusal = check_edit(kept, text)
    if refusal is not None:
        return Judgement(None, refusal.message, refusal=refusal), []
    return await _judged_kernel(session, kept, text, on_progress)


async def judged_start(session: Session, kept: KeptTask, on_progress: OnProgress) -> Judgement:
    """The start judged in its own place: whether the task can be judged at all."""
    how = _judged_operator if kept.task.kind is TaskKind.OPERATOR else _judged_kernel
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
        return text == kept.start()
    return code_hash(text) == code_hash(kept.start())


async def profiled(session: Session, kept: KeptTask, text: str, kernel: str | None, on_progress: OnProgress) -> list[events.Event]:
    """What the profile of an edited text reported."""

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
            on_unreadable(Judgement(None, error.message, refusal=Reason(_UNREADABLE, error.message)))
            return Ending(NO, error.message)
        return await body(job, version, edited)

    return streamed(lambda listener: session.run(command, asked, whole, listener))


def request_of(kept: KeptTask) -> JobRequest:
    """About the reference in its protected copy, by the task's settings."""
    task, settings = kept.task, kept.task.settings
    return JobRequest(
        file=kept.program_file,
        working_directory=kept.program_file.parent,
        extra_sources=tuple(kept.program / name for name in task.units),
        programs=None if task.units else STANDS_ALONE,
        is_everywhere=False,
        kernel=settings.kernel,
        region=settings.region,
        device=settings.device,
        target=settings.target,
        cflags=settings.cflags,
        arguments=settings.arguments,
        timeout_s=settings.timeout_s,
    )


async def listened(stream: AsyncIterator[events.Event], on_progress: OnProgress) -> list[events.Event]:
    """All events of a job; cancelling ends it."""
    log: list[events.Event] = []
    try:
        async for event in stream:
            log.append(event)
            if isinstance(event, events.StageStarted):
                await on_progress(f"{event.stage}: {event.detail}")
    finally:
        await stream.aclose()  # type: ignore[attr-defined]  # `streamed` and the session's jobs are generators
    return log


async def _judged_operator(session: Session, kept: KeptTask, text: str, on_progress: OnProgress) -> tuple[Judgement, list[events.Event]]:
    with scratch_folder() as folder:
        candidate = folder / kept.task.source
        candidate.write_bytes(text.encode("utf-8", "surrogateescape"))
        try:
            stream = session.judge_operator("compare", request_of(kept), candidate, operator_options(kept.task))
        except KernelOptError as error:
            return Judgement(None, error.message, refusal=Reason(_UNREADABLE, error.message)), []
        log = await listened(stream, on_progress)
    return judgement_of_events(log), log


def operator_options(task: Task) -> OperatorOptions:
    settings = task.settings
    return OperatorOptions(settings.class_name, settings.only_custom, settings.is_backward)


def _texts(kept: KeptTask, text: str) -> tuple[Source, Source]:
    path: Path = kept.program_file
    return Source(path, kept.start()), Source(path, text)
