"""Jobs of a task about a PyTorch operator: the candidate judged, and what its reference consists of.

Example::

    judgement, log = await judged_operator(session, kept, text, on_progress)
"""

from __future__ import annotations

import ast

from assistant.agents.tasks.jobs import UNREADABLE, OnProgress, listened, request_of
from assistant.agents.tasks.judged import judgement_of_events
from assistant.agents.tasks.reward import Judgement, Reason
from assistant.agents.tasks.store import KeptTask
from assistant.engine import OperatorOptions, Session, scratch_folder
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.python_text import parse_module

__all__ = ["is_same_python", "judged_operator", "profiled_operator"]


async def judged_operator(session: Session, kept: KeptTask, text: str, on_progress: OnProgress) -> tuple[Judgement, list[events.Event]]:
    """The judgement of a candidate, and what the judge reported on the way."""
    settings = kept.task.settings
    options = OperatorOptions(settings.class_name, settings.only_custom, settings.is_backward)
    with scratch_folder() as folder:
        candidate = folder / kept.task.source
        candidate.write_bytes(text.encode("utf-8", "surrogateescape"))
        try:
            stream = session.judge_operator("compare", request_of(kept), candidate, options)
        except KernelOptError as error:
            return Judgement(None, error.message, refusal=Reason(UNREADABLE, error.message)), []
        log = await listened(stream, on_progress)
    return judgement_of_events(log), log


async def profiled_operator(session: Session, kept: KeptTask, on_progress: OnProgress) -> list[events.Event]:
    """The reference's functions with their least times, and the groups that one kernel could do together."""
    return await listened(session.profile_operator(request_of(kept), OperatorOptions(kept.task.settings.class_name)), on_progress)


def is_same_python(text: str, other: str) -> bool:
    """Whether both are the same code: comments and layout are none."""
    if text == other:
        return True
    try:
        return ast.dump(parse_module(text)) == ast.dump(parse_module(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # the judge says what is wrong with it
