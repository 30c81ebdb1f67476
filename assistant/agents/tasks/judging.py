"""An edited text of a task with its answer: judged, rewarded, and put into words that name nothing outside of an agent's folder.

Example::

    (await judge_here(session)(kept, text, False, on_progress))["reward"]       # 1
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from assistant.agents.tasks.answering import by_folder_names, judge_answer
from assistant.agents.tasks.jobs import OnProgress
from assistant.agents.tasks.reward import reward_of
from assistant.agents.tasks.running import judged
from assistant.agents.tasks.store import KeptTask
from assistant.engine import Session
from assistant.engine.search import deferred_labels
from assistant.model.verification import Label

__all__ = ["JudgeEdit", "allowed_of", "judge_here"]

JudgeEdit = Callable[[KeptTask, str, bool, OnProgress], Awaitable[dict[str, Any]]]
"""Is given a task, an edited text, and whether the judge is isolated from its author; what ``judge`` answers."""


def judge_here(session: Session) -> JudgeEdit:
    """Judges in this process and its workers."""

    async def judge(kept: KeptTask, text: str, is_isolated: bool, on_progress: OnProgress) -> dict[str, Any]:
        judgement, log = await judged(session, kept, text, on_progress)
        reward = reward_of(judgement, allowed_of(kept), is_isolated=is_isolated)
        return by_folder_names(judge_answer(judgement, reward, log), kept.folder_names())

    return judge


def allowed_of(kept: KeptTask) -> frozenset[str]:
    """Labels that the task lets pass without a person."""
    settings = kept.task.settings
    named = {label.value for label in deferred_labels(settings.allowed)}
    return frozenset(named | ({Label.HOST_CODE.value} if settings.may_edit_host_code else set()))
