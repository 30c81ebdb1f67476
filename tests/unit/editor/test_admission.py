"""What a person is asked before a job runs is about the program that the job turned out to run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.config import ConsentAnswer, ProgramConsent, TrustStore
from assistant.editor.admission import Admission
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.tasks import Task, Verb
from assistant.engine.request import JobRequest
from assistant.errors import KernelOptError
from assistant.model.events import Event
from assistant.model.program import STANDS_ALONE, FoundProgram, ProgramOrigin, ProgramSearch

pytestmark = pytest.mark.asyncio


class _Source:
    """Hears that a question was asked, and was answered."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    def waits_for_consent(self, work: Work) -> None:
        self.asked.set()

    def started(self, work: Work) -> None: ...

    def reported(self, work: Work, event: Event) -> None: ...

    def waits(self, work: Work, reason: str) -> None: ...

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None: ...


async def test_a_click_on_what_waits_asks_about_the_program_that_waits_and_ends_the_wait(tmp_path: Path) -> None:
    main, part = tmp_path / "main.cu", tmp_path / "part.cu"
    for path in (main, part, tmp_path / "kernelopt.toml"):
        path.touch()
    program = FoundProgram("main.cu", (main, part), ProgramOrigin.INCLUDES, "")
    runs: list[ProgramConsent] = []
    later: asyncio.Future[ConsentAnswer | None] = asyncio.get_running_loop().create_future()

    async def quietly(_: ProgramConsent) -> ConsentAnswer | None:
        return await later

    async def now(run: ProgramConsent) -> ConsentAnswer | None:
        runs.append(run)
        later.set_result(ConsentAnswer.NEVER)
        return ConsentAnswer.NEVER

    async def settle(work: Work) -> Work:
        return replace(work, task=replace(work.task, request=replace(work.task.request, programs=ProgramSearch((program,)))))

    async def renew(work: Work) -> Work | None:
        return work

    async def refusal(_: Work) -> str | None:
        return None

    lanes = Lane(JobHost("test")), Lane(JobHost("test"))
    admission = Admission(Guard(TrustStore(tmp_path / "trust.json"), quietly, True, now), *lanes, settle, renew, refusal)
    source, task = _Source(), Task(Verb.PROFILE, JobRequest(part, tmp_path, programs=STANDS_ALONE))
    waiting = admission.ask(Work("J1", "part", task, is_background=True, listener=source))
    await source.asked.wait()
    assert admission.asks_about("part")
    await admission.ask_again("part")
    assert [run.command for run in runs] == [(str(main), str(part))]
    await waiting
    assert not admission.asks_about("part")
