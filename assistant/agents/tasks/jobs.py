"""What every job of a task starts from, and how one is listened to.

Example::

    log = await listened(session.profile(request_of(kept)), on_progress)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from assistant.agents.tasks.store import KeptTask
from assistant.engine import JobRequest
from assistant.model import events
from assistant.model.program import STANDS_ALONE

__all__ = ["UNREADABLE", "OnProgress", "listened", "request_of"]

OnProgress = Callable[[str], Awaitable[None]]
"""Is called with what a running job does now."""
UNREADABLE = "unreadable"
"""Code of a reason: the edited file is not what the task asks for."""


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
        torch_project=None if settings.torch_project is None else Path(settings.torch_project),
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
