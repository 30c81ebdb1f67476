"""What commands ask of a cluster in the place of this process: an edit judged, a drawn task checked, a program of a suite searched.

Example::

    async with open_cluster(word) as cluster:
        judge = judge_on(cluster)
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

from assistant.agents.synthesis import Check, Drawn, settings_of
from assistant.agents.tasks import KeptTask
from assistant.agents.tasks.jobs import OnProgress
from assistant.agents.tasks.judging import JudgeEdit
from assistant.agents.tasks.task import TaskKind
from assistant.bench import BenchSettings, ProgramRunner, Row, sources_sha256
from assistant.bench.private_copy import private_copy
from assistant.bench.task import Task
from assistant.cli.cluster_work import carry_out, check_item, judge_item, program_item
from assistant.cluster import CPU, Cluster, Done, WorkFile, WorkLostError, files_below, open_cluster
from assistant.errors import CannotAnswerError
from assistant.serialize import loads

__all__ = ["ProgramsOnCluster", "check_on", "device_of", "judge_on", "judged_on", "opened"]


def opened(word: str) -> AbstractAsyncContextManager[Cluster]:
    """The cluster that ``--cluster`` means; raises KernelOptError when it is entered."""
    return open_cluster(word, carry_out)


async def device_of(cluster: Cluster, kept: KeptTask) -> str:
    """Where edits of a task are judged; operators by their values alone, on CPUs."""
    return await cluster.device(CPU if kept.task.kind is TaskKind.OPERATOR else kept.task.settings.device)


async def judged_on(cluster: Cluster, kept: KeptTask, text: str, device: str, *, is_isolated: bool) -> Done:
    """An edited text of a task; the value is what ``judge`` answers."""
    try:
        item = await asyncio.to_thread(judge_item, kept, text, device, is_isolated=is_isolated)
    except OSError as error:
        raise CannotAnswerError(f"{kept.root} cannot be read: {error.strerror}", "make the task anew: kernelopt task new") from error
    return await cluster.run(item, device)


def judge_on(cluster: Cluster) -> JudgeEdit:
    """Judges on a worker."""

    async def judge(kept: KeptTask, text: str, is_isolated: bool, on_progress: OnProgress) -> dict[str, Any]:
        await on_progress("judging on the cluster")
        done = await judged_on(cluster, kept, text, await device_of(cluster, kept), is_isolated=is_isolated)
        return loads(dict[str, Any], done.value)

    return judge


async def check_on(cluster: Cluster, drawn: Drawn, wanted: str) -> Check:
    """Whether a drawn task is one, on a worker with the device that its kind needs."""
    device = await cluster.device(settings_of(drawn, wanted).device)
    return loads(Check, (await cluster.run(check_item(drawn, device), device)).value)


class ProgramsOnCluster:
    """Searches programs of a suite on workers, by rules: nothing is sent that a language model would need."""

    def __init__(self, cluster: Cluster, runner: ProgramRunner, device: str) -> None:
        self._cluster = cluster
        self._runner = runner
        self._device = device
        self._files: tuple[WorkFile, ...] | None = None
        self._sha256 = sources_sha256(runner.folder)

    async def run(self, program: Task) -> Row:
        """The program's row. What is lost with its workers, time and again, is a failure of that row alone."""
        settings: BenchSettings = replace(self._runner.settings, planner="expert")
        try:
            item = program_item(self._runner.folder, self._suite(), settings, program, self._device)
            row = loads(Row, (await self._cluster.run(item, self._device)).value)
        except WorkLostError as error:
            row = self._runner.failed(program, error.message)
        return replace(row, sources_sha256=self._sha256)

    def _suite(self) -> tuple[WorkFile, ...]:
        if self._files is None:
            with private_copy(self._runner.folder) as copy:
                self._files = files_below(copy, lambda path: ".git" not in path.relative_to(copy).parts)
        return self._files
