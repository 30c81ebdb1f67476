"""The body of a job on one frozen node: its draws that are left are asked, then every edit that is not judged yet is judged.

Each answer and each verdict is kept as it comes, so that a study that was killed goes on. Example::

    work = left_of(node, arms, design, folder.answers(), folder.verdicts())
    ending = await intervene(job, version, NodeParts(…), work)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from assistant.engine import DONE, Ending, Job, SourceVersion
from assistant.engine.search import FrozenVersion
from assistant.model import events
from assistant.model.trial import TrialOutcome
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.store import AttemptStore
from assistant.record import Record
from assistant.study.arms import Arm, StudyDesign
from assistant.study.asking import Asker, NoSample
from assistant.study.folder import StudyFolder
from assistant.study.frozen_node import FrozenNode
from assistant.study.outcomes import Answer, Verdict, rewrite_key

__all__ = ["NodeParts", "NodeWork", "Opened", "intervene", "left_of"]

_CANNOT_ANSWER = 3


class NodeWork(Record):
    """What is left to do on a node."""

    draws: tuple[tuple[Arm, int], ...]
    unjudged: tuple[Answer, ...]
    """Answers whose edit has no verdict."""
    judged: frozenset[str]
    """Keys of the edits that have one."""

    @property
    def is_done(self) -> bool:
        return not (self.draws or self.unjudged)


class Opened(Record):
    """A node's version, ready to be asked about."""

    version: FrozenVersion
    store: AttemptStore
    """Memory as it was when the search asked."""


MakeAsker = Callable[[Job, Opened], Awaitable[Asker]]


class NodeParts(Record):
    """What a node is worked on with."""

    node: FrozenNode
    folder: StudyFolder
    catalogue: Catalogue
    memory: AttemptStore
    make_asker: MakeAsker
    at_once: int
    """Draws that are asked at the same time."""


def left_of(node: FrozenNode, arms: Sequence[Arm], design: StudyDesign, answers: Iterable[Answer], verdicts: Iterable[Verdict]) -> NodeWork:
    """Draws in turn over the arms: a study that is stopped has asked all arms about as often."""
    own = [answer for answer in answers if answer.node == node.id]
    known = {(answer.arm, answer.index) for answer in own}
    judged = frozenset(verdict.rewrite for verdict in verdicts if verdict.node == node.id)
    draws = tuple((arm, index) for index in range(design.draw_count) for arm in arms if (arm.key, index) not in known)
    waiting = tuple(answer for answer in own if answer.rewrite is not None and rewrite_key(answer.rewrite) not in judged)
    return NodeWork(draws, waiting, judged)


async def intervene(job: Job, version: SourceVersion, parts: NodeParts, work: NodeWork) -> Ending:
    """Ask and judge; what a model or the machine refuses ends it, with all that came before kept."""
    job.emit(events.StageStarted(job.id, "profile", f"counts what {parts.node.title} does"))
    opened = await FrozenVersion.opened(job, version, parts.node.kernel, parts.catalogue)
    if isinstance(opened, LabFailure):
        return job.failed(opened)
    asked = await _ask(job, Opened(opened, parts.memory), parts, work.draws)
    problem = next((one for one in asked if isinstance(one, NoSample)), None)
    answers = (*work.unjudged, *(one for one in asked if isinstance(one, Answer)))
    await _judge(job, opened, parts, answers, set(work.judged))
    if problem is not None:
        return job.failed(LabFailure("cannot_judge", f"the study stops here: {problem.reason}", problem.remedy))
    return Ending(DONE, f"{len(asked)} draws asked")


async def _ask(job: Job, opened: Opened, parts: NodeParts, draws: Sequence[tuple[Arm, int]]) -> list[Answer | NoSample | None]:
    """An answer each, in order; after the first that no model gave none is asked any more (None)."""
    if not draws:
        return []
    asker = await parts.make_asker(job, opened)
    room, stopped, done = asyncio.Semaphore(parts.at_once), asyncio.Event(), 0

    async def one(arm: Arm, index: int) -> Answer | NoSample | None:
        nonlocal done
        async with room:
            if stopped.is_set():
                return None
            answer = await asker.answer(arm, index)
            if isinstance(answer, NoSample):
                stopped.set()
            else:
                parts.folder.add_answer(answer)
                done += 1
                job.emit(events.StageStarted(job.id, "model", f"{done} of {len(draws)} draws answered"))
            return answer

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(arm, index)) for arm, index in draws]
    return [task.result() for task in tasks]


async def _judge(job: Job, version: FrozenVersion, parts: NodeParts, answers: Sequence[Answer], judged: set[str]) -> None:
    """Every edit once."""
    for answer in answers:
        if answer.step is None or answer.rewrite is None or (key := rewrite_key(answer.rewrite)) in judged:
            continue
        job.emit(events.StageStarted(job.id, "candidate", f"judges an edit of {parts.node.title}"))
        trial = await version.judged(answer.step, answer.rewrite)
        judged.add(key)
        is_decided = trial.outcome is TrialOutcome.NOT_BUNDLED or (trial.node is not None and trial.node.needs_decision)
        parts.folder.add_verdict(Verdict(parts.node.id, key, trial.outcome, trial.reason, trial.ratio, is_decided))
