"""A checkout that changes every open source queues no more than a few of them, the one that is looked at first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.config import ConsentAnswer, ProgramConsent, Settings, TrustStore
from assistant.editor import staging
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.parts import EditorParts
from assistant.editor.session import EditorSession
from assistant.editor.staging import QUEUED_SOURCES, Trigger
from assistant.editor.tasks import Task, Verb
from assistant.errors import KernelOptError
from assistant.memory.store import open_store
from assistant.model.events import Event
from assistant.model.proposal import AlreadyDecided, Decision

OPEN = 40
QUEUED_IN_BOTH = 2 * (QUEUED_SOURCES + 1)
"""In two lanes, with one in each that a person turned to meanwhile."""
PROGRAM = """
__global__ void halve(float *x) { x[threadIdx.x] *= 0.5f; }
int main() { float *x; cudaMalloc(&x, 128); halve<<<1, 32>>>(x); }
"""


class Host:
    """In place of a job host: every job takes a turn of the loop, once jobs are let go."""

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.ran: list[tuple[str, Verb]] = []

    async def start(self) -> None: ...

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        await self.let_go.wait()
        self.ran.append((task.request.file.stem, task.verb))
        return
        yield cast(Any, task)

    async def close(self) -> None: ...


class Listener:
    """Implements ``EditorListener``; keeps how many sources were queued at most."""

    def __init__(self) -> None:
        self.editor: EditorSession | None = None
        self.most_sources = 0

    def shown(self, key: str) -> None: ...

    def decided(self, key: str, decision: Decision) -> None: ...

    def lost(self, key: str, outcome: AlreadyDecided) -> None: ...

    def job_started(self, work: Work) -> None:
        assert self.editor is not None
        self.most_sources = max(self.most_sources, len({work.key for work in self.editor.works()}))

    def job_reported(self, work: Work, event: Event) -> None: ...

    def job_waits(self, work: Work, reason: str) -> None: ...

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        assert refusal is None


@pytest.mark.parametrize(("trigger", "stages"), [(Trigger.OPENED, 3), (Trigger.TYPED, 1)])
def test_a_checkout_of_many_open_sources_queues_few_of_them(
    trigger: Trigger, stages: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "_SETTLE_S", 0.0)
    (tmp_path / ".git").mkdir()
    sources = [tmp_path / f"s{index}.cu" for index in range(OPEN)]
    host, listener = Host(), Listener()

    async def ask(run: ProgramConsent) -> ConsentAnswer:
        return ConsentAnswer.ONCE

    async def all_run(editor: EditorSession, stages: int, first: Path) -> None:
        """Whatever is planned now runs, for every source once, with few of them queued at any time."""
        host.ran.clear()
        editor.look_at(str(first))
        async with asyncio.timeout(20):
            while not editor.works():  # noqa: ASYNC110 - a session tells of no beginning
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert 0 < len({work.key for work in editor.works()}) <= QUEUED_IN_BOTH
        host.let_go.set()
        async with asyncio.timeout(20):
            while editor.works() or len(host.ran) < stages * OPEN:  # noqa: ASYNC110 - a session tells of no end of all
                await asyncio.sleep(0.01)
        host.let_go.clear()
        assert len(set(host.ran)) == len(host.ran) == stages * OPEN
        assert first.stem in [name for name, verb in host.ran if verb is Verb.INSPECT][: QUEUED_SOURCES + 1]

    async def play() -> None:
        """Opens all sources, lets every stage run, then announces a change of the settings."""
        guard = Guard(TrustStore(tmp_path / "trust"), ask, is_trusted=True)
        lanes = (Lane(cast(JobHost, host)), Lane(cast(JobHost, host)))
        settings = Settings.model_validate({"background": {"pause_s": 0.05, "profile": "on_save"}})
        editor = listener.editor = EditorSession(
            open_store(tmp_path / "memory.db"), EditorParts(*lanes, guard, listener, lambda _: settings, "test")
        )
        try:
            for source in sources:
                editor.put(str(source), source, PROGRAM, trigger)
            await all_run(editor, stages, first=sources[-9])
            editor.files_changed((tmp_path / "kernelopt.toml",))
            await all_run(editor, 3, first=sources[-5])
        finally:
            await editor.close()

    asyncio.run(play())
    assert listener.most_sources <= QUEUED_IN_BOTH


def test_a_source_that_another_program_wrote_is_looked_at_as_if_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an agent or a checkout does it: the editor hands the text over as typed, and nobody saves."""
    monkeypatch.setattr(staging, "_SETTLE_S", 0.0)
    (tmp_path / ".git").mkdir()
    source = tmp_path / "s.cu"
    host, listener = Host(), Listener()
    host.let_go.set()

    async def ask(run: ProgramConsent) -> ConsentAnswer:
        return ConsentAnswer.ONCE

    async def play() -> None:
        guard = Guard(TrustStore(tmp_path / "trust"), ask, is_trusted=True)
        lanes = (Lane(cast(JobHost, host)), Lane(cast(JobHost, host)))
        settings = Settings.model_validate({"background": {"pause_s": 0.05, "profile": "on_save"}})
        editor = listener.editor = EditorSession(
            open_store(tmp_path / "memory.db"), EditorParts(*lanes, guard, listener, lambda _: settings, "test")
        )
        try:
            for text in (PROGRAM, PROGRAM.replace("0.5f", "0.25f")):
                source.write_text(text, "utf-8")
                host.ran.clear()
                if text == PROGRAM:
                    editor.put(str(source), source, text, Trigger.OPENED)
                else:
                    editor.put(str(source), source, text, Trigger.TYPED)
                    editor.files_changed((source,))
                async with asyncio.timeout(20):
                    while Verb.PROFILE not in {verb for _, verb in host.ran}:  # noqa: ASYNC110 - a session tells of no end of all
                        await asyncio.sleep(0.01)
        finally:
            await editor.close()

    asyncio.run(play())
