"""A study as jobs of a session, one for each frozen node with work left.

Example::

    run = StudyRun.opened(session, folder, design, parts)
    run.cost()                      # before anything is asked
    await run.carried_out(listener)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import reduce
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from assistant.config import Settings
from assistant.engine import DONE, Ending, Job, JobRequest, Session, SourceVersion, about_texts
from assistant.engine.search import FrozenVersion, JobAccounts, Models
from assistant.errors import CannotAnswerError, UsageError
from assistant.model import events
from assistant.model.completion import Caps, ModelRole, ServedModel, Spending
from assistant.model.profile import Severity
from assistant.plan.budget import MANUAL, added, keepable
from assistant.ports.lab import LabFailure
from assistant.ports.planner import PlanRequest
from assistant.ports.provider import Provider
from assistant.ports.store import Store
from assistant.record import Record
from assistant.study.arms import Arm, Control, StudyDesign, arms_of
from assistant.study.asking import Asker
from assistant.study.costs import StudyCost, cost_of
from assistant.study.folder import StudyFolder
from assistant.study.freezing import memory_before
from assistant.study.frozen_node import FrozenNode
from assistant.study.intervening import NodeParts, NodeWork, Opened, intervene, left_of

__all__ = ["OnEvent", "StudyParts", "StudyRun", "request_of"]

OnEvent = Callable[[events.Event], None]


class StudyParts(Record):
    """What a study is carried out with."""

    session: Session
    models: Models
    models_in: Callable[[Path], Models]
    """The same, with the files of ``manual`` in a folder of their own."""
    open_store: Callable[[Path], Store]
    """Opens a memory file, for what memory knew when a search asked."""
    caps: Caps


class StudyRun(Record):
    """A study whose design is settled."""

    parts: StudyParts
    folder: StudyFolder
    design: StudyDesign
    nodes: tuple[FrozenNode, ...]

    @classmethod
    def opened(cls, parts: StudyParts, folder: StudyFolder, design: StudyDesign) -> StudyRun:
        """Raises UsageError where nothing is frozen, and for controls that need a second node."""
        nodes = folder.nodes()
        if Control.RANDOM_FEEDBACK in design.controls and len(nodes) < 2:
            raise UsageError(
                "random feedback is that of another frozen node, and there is one", "freeze another run, or leave the control out"
            )
        return cls(parts, folder, design, nodes)

    @property
    def arms(self) -> tuple[Arm, ...]:
        return arms_of(self.design)

    def work(self) -> tuple[tuple[FrozenNode, NodeWork], ...]:
        """What is left, by node."""
        answers, verdicts, arms = self.folder.answers(), self.folder.verdicts(), self.arms
        return tuple((node, left_of(node, arms, self.design, answers, verdicts)) for node in self.nodes)

    async def served(self) -> tuple[ServedModel, ...]:
        """Who would answer: planner and coder."""
        provider = self.parts.models.provider(self._settings(self.nodes[0]), self.nodes[0].workspace, _unheard)
        try:
            return provider.served(ModelRole.PLANNER), provider.served(ModelRole.CODER)
        finally:
            await provider.close()

    def cost(self, served: Sequence[ServedModel]) -> StudyCost:
        """Of what is left."""
        return cost_of(self.work(), served[0], served[1], self._at_once(self._settings(self.nodes[0])))

    async def carried_out(self, on_event: OnEvent) -> int:
        """Ask and judge what is left; the exit code of the first node that could not be finished, else 0."""
        self.folder.begin(self.design)
        for node, work in self.work():
            if not work.is_done:
                ending = await self._on(node, work, _Heard(on_event))
                if ending.exit_code != DONE:
                    return ending.exit_code
        return DONE

    async def _on(self, node: FrozenNode, work: NodeWork, listener: _Heard) -> Ending:
        session, settings = self.parts.session, self._settings(node)

        async def body(job: Job, version: SourceVersion) -> Ending:
            async with AsyncExitStack() as stack:
                folder = stack.enter_context(TemporaryDirectory(prefix="kernelopt-study-"))
                memory = await asyncio.to_thread(memory_before, session.store, node, self.parts.open_store, Path(folder))
                stack.callback(memory.close)

                async def asker(job: Job, opened: Opened) -> Asker:
                    providers = _Providers(self, job, settings, node)
                    stack.push_async_callback(providers.close)
                    served = [providers.of(arm, 0).served(role) for arm in self.arms for role in (ModelRole.PLANNER, ModelRole.CODER)]
                    accounts = JobAccounts(job, session.store, keepable(self.parts.caps, served), spent=self._spent())
                    request = opened.version.request(opened.store, node.workspace, node.tried)
                    other = await self._other(node, job, opened) if Control.RANDOM_FEEDBACK in self.design.controls else None
                    return Asker(self.design, settings, self.parts.models, providers.of, accounts, job.id, node, request, other)

                at_once = self._at_once(settings)
                parts = NodeParts(node, self.folder, session.catalogue, memory, asker, at_once)
                return await intervene(job, version, parts, work)

        return await session.run("study", request_of(node), body, listener)

    async def _other(self, node: FrozenNode, job: Job, opened: Opened) -> PlanRequest:
        """What another node, always the same one, was asked: of another kernel, where there is one."""
        others = [one for one in self.nodes if one.id != node.id]
        foreign = [one for one in others if (one.path, one.kernel) != (node.path, node.kernel)] or others
        other = Random(f"{self.design.seed}/{node.id}").choice(foreign)  # noqa: S311 (no secret)
        found: list[PlanRequest] = []

        async def body(job: Job, version: SourceVersion) -> Ending:
            frozen = await FrozenVersion.opened(job, version, other.kernel, self.parts.session.catalogue)
            if isinstance(frozen, LabFailure):
                return job.failed(frozen)
            found.append(frozen.request(opened.store, other.workspace, other.tried))
            return Ending(DONE, "its signals are known")

        await self.parts.session.run("study", request_of(other), body, job.listener)
        if not found:
            raise CannotAnswerError(f"{other.title} cannot be counted, whose signals are the random feedback", "leave that control out")
        return found[0]

    def _settings(self, node: FrozenNode) -> Settings:
        return self.parts.session.settings(node.path).settings

    def _at_once(self, settings: Settings) -> int:
        return 1 if settings.provider.kind in (MANUAL, "editor") else settings.provider.calls_in_flight

    def _spent(self) -> Spending:
        return reduce(added, (answer.spending for answer in self.folder.answers()), Spending())


def request_of(node: FrozenNode) -> JobRequest:
    """The node's version, run as its program is; its files need not be on disk as they were."""
    program = node.program
    request = JobRequest(
        file=node.path,
        working_directory=node.path.parent,
        device=program.device,
        target=program.target,
        cflags=program.cflags,
        arguments=program.arguments,
        timeout_s=program.timeout_s,
    )
    about = about_texts(request, node.texts)
    return about if len(node.texts) > 1 else replace(about, edited=())


def _settings_with(settings: Settings, design: StudyDesign, planner: int, coder: int) -> Settings:
    """Settings in which these of the study's models plan and write; the first is as the settings say."""
    names: dict[str, object] = {}
    if planner:
        names["planner_model"] = design.models[planner]
    if coder:
        names["coder_model"] = design.models[coder]
    return settings.model_copy(update={"provider": settings.provider.model_copy(update=names)}) if names else settings


class _Providers:
    """Who is asked about a node. By hand, each draw has files of its own: a person's answer to one is none to another."""

    def __init__(self, run: StudyRun, job: Job, settings: Settings, node: FrozenNode) -> None:
        self._run = run
        self._job = job
        self._settings = settings
        self._node = node
        self._opened: dict[tuple[object, ...], Provider] = {}

    def of(self, arm: Arm, index: int) -> Provider:
        """Opened when it is first needed."""
        is_by_hand = self._settings.provider.kind == MANUAL
        key = (arm.key, index) if is_by_hand else (arm.planner, arm.coder)
        if key not in self._opened:
            number = self._run.arms.index(arm)
            place = self._run.folder.path / "prompts" / self._node.id / f"arm-{number:02}-draw-{index:02}"
            models = self._run.parts.models_in(place) if is_by_hand else self._run.parts.models
            settings = _settings_with(self._settings, self._run.design, arm.planner, arm.coder)
            self._opened[key] = models.provider(settings, self._node.workspace, self._waits)
        return self._opened[key]

    async def close(self) -> None:
        for provider in self._opened.values():
            await provider.close()

    def _waits(self, prompt: Path, answer: Path) -> None:
        self._job.say(Severity.INFORMATION, f"waits for an answer to {prompt}", f"paste the answer into {answer}")


class _Heard:
    """Hands events on at once."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event

    def emit(self, event: events.Event) -> None:
        self._on_event(event)

    async def delivered(self) -> None:
        pass


def _unheard(_prompt: Path, _answer: Path) -> None:
    pass
