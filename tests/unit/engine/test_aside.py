"""What comes up while a job waits is told at once, and nothing goes on waiting when nobody listens."""

from __future__ import annotations

import asyncio

import pytest

from assistant.engine.aside import Aside, Waited
from assistant.model import events


def stage(detail: str) -> events.StageStarted:
    return events.StageStarted("J1", "model", detail)


@pytest.mark.asyncio
async def test_events_come_while_the_result_is_waited_for() -> None:
    aside, goes_on = Aside(), asyncio.Event()

    async def work() -> int:
        aside.tell(stage("one"))
        await goes_on.wait()
        aside.tell(stage("two"))
        return 7

    waited, seen = Waited(aside, work()), list[str]()
    async for event in waited.events():
        assert isinstance(event, events.StageStarted)
        seen.append(event.detail)
        goes_on.set()
    assert seen == ["one", "two"]
    assert waited.result == 7


@pytest.mark.asyncio
async def test_an_error_is_the_waiters() -> None:
    async def work() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        _ = [event async for event in Waited(Aside(), work()).events()]


@pytest.mark.asyncio
async def test_who_stops_listening_ends_the_work() -> None:
    aside, is_ended = Aside(), asyncio.Event()

    async def work() -> None:
        try:
            aside.tell(stage("one"))
            await asyncio.Event().wait()
        finally:
            is_ended.set()

    listening = Waited(aside, work()).events()
    await anext(listening)
    await listening.aclose()  # type: ignore[attr-defined]  # an async generator
    assert is_ended.is_set()
