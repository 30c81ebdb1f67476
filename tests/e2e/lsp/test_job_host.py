"""The process that runs a front end's jobs obeys at any moment: before it has started, before a job has, and in the middle of one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import uuid
from pathlib import Path

import pytest

from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.tasks import Task, Verb
from assistant.engine.request import JobRequest
from assistant.errors import KernelOptError
from assistant.model.events import Event, JobEnded
from assistant.serialize import encode
from tests.e2e.cli.harness import COMMAND, DEADLINE_S, Cli, no_orphans
from tests.thorough import only

KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n"
DELAYS_S = (0.0, 0.0005, 0.002, 0.005, 0.02, 0.2)


def inspection(cli: Cli, text: str = KERNEL) -> Task:
    path = Path(cli.folder, "k.cu")
    return Task(Verb.INSPECT, JobRequest(path, path.parent, texts=((path, text),)))


async def last_event(host: JobHost, task: Task) -> object:
    async with contextlib.aclosing(host.run(task)) as events:
        return [event async for event in events][-1]


@pytest.mark.parametrize("delay_s", only((0.02,), DELAYS_S))
async def test_a_job_cancelled_while_its_host_starts_leaves_room_for_the_next(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, delay_s: float
) -> None:
    for name, value in cli.environment().items():
        monkeypatch.setenv(name, value)
    with no_orphans():
        host = JobHost("lsp")
        try:
            async with asyncio.timeout(DEADLINE_S):
                first = asyncio.create_task(last_event(host, inspection(cli)))
                await asyncio.sleep(delay_s)
                first.cancel()
                await asyncio.gather(first, return_exceptions=True)
                assert isinstance(await last_event(host, inspection(cli)), JobEnded)
        finally:
            await host.close()


@pytest.mark.parametrize("again_after_s", only((0.0,), (0.0, 0.02)))
async def test_a_second_cancel_leaves_the_pipe_to_the_first(cli: Cli, monkeypatch: pytest.MonkeyPatch, again_after_s: float) -> None:
    for name, value in cli.environment().items():
        monkeypatch.setenv(name, value)
    with no_orphans():
        host = JobHost("lsp")
        try:
            async with asyncio.timeout(DEADLINE_S):
                await last_event(host, inspection(cli))
                fresh = f"// {uuid.uuid4()}: no cache has it\n{KERNEL}"
                first = asyncio.create_task(last_event(host, inspection(cli, fresh)))
                await asyncio.sleep(0.02)
                second = asyncio.create_task(last_event(host, inspection(cli)))
                for _ in range(2):
                    first.cancel()
                    await asyncio.sleep(again_after_s)
                assert isinstance(await second, JobEnded)
                assert first.done()
        finally:
            await host.close()


class Ends:
    """A listener: which work ended how."""

    def __init__(self) -> None:
        self.cancelled: dict[str, bool] = {}
        self.all = asyncio.Event()

    def started(self, work: Work) -> None: ...

    def reported(self, work: Work, event: Event) -> None: ...

    def waits(self, work: Work, reason: str) -> None: ...

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        assert refusal is None
        self.cancelled[work.id] = is_cancelled
        if len(self.cancelled) == 3:
            self.all.set()


async def test_work_that_is_overtaken_in_the_same_moment_makes_room(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in cli.environment().items():
        monkeypatch.setenv(name, value)
    ends = Ends()
    with no_orphans():
        lane = Lane(JobHost("lsp"))
        try:
            for name in ("J1", "J2", "J3"):
                lane.submit(Work(name, "file:///k.cu", inspection(cli), is_background=name != "J3", listener=ends))
            async with asyncio.timeout(DEADLINE_S):
                await ends.all.wait()
        finally:
            await lane.close()
    assert ends.cancelled["J1"] and not ends.cancelled["J3"] and lane.works == ()


def test_a_job_that_is_cancelled_before_it_began_is_answered(cli: Cli) -> None:
    messages = ({"id": 1, "task": encode(inspection(cli))}, {"id": 1, "cancel": True})
    done = subprocess.run(
        (*COMMAND, "host", "lsp"),
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
        cwd=cli.folder,
        env=cli.environment(),
        timeout=DEADLINE_S,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {"id": 1, "end": None}
