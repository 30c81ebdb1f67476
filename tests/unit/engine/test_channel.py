"""Work that tells what happens, read as an async iterator."""

from __future__ import annotations

import asyncio

import pytest

from assistant.engine.channel import Listener, streamed
from assistant.model import events


def stage(detail: str) -> events.Event:
    return events.StageStarted("J1", "build", detail)


async def test_what_is_reported_is_read_in_order_while_the_work_goes_on() -> None:
    goes_on = asyncio.Event()

    async def work(listener: Listener) -> None:
        listener.emit(stage("first"))
        await goes_on.wait()
        listener.emit(stage("second"))

    stream = streamed(work)
    assert await anext(stream) == stage("first")
    goes_on.set()
    assert [event async for event in stream] == [stage("second")]


async def test_an_error_comes_after_all_that_was_reported() -> None:
    async def work(listener: Listener) -> None:
        listener.emit(stage("told"))
        raise ValueError("broken")

    stream = streamed(work)
    assert await anext(stream) == stage("told")
    with pytest.raises(ValueError, match="broken"):
        await anext(stream)


async def test_who_stops_reading_stops_the_work_and_waits_for_its_end() -> None:
    ended: list[str] = []

    async def work(listener: Listener) -> None:
        """Reports once, then waits until it is cancelled."""
        listener.emit(stage("told"))
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("tidied up")

    stream = streamed(work)
    await anext(stream)
    await stream.aclose()
    assert ended == ["tidied up"]


async def test_a_reader_that_is_cancelled_ends_the_work() -> None:
    ended = asyncio.Event()

    async def work(listener: Listener) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def read() -> None:
        async for _ in streamed(work):
            pass

    reader = asyncio.create_task(read())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert ended.is_set()


async def test_work_that_was_cancelled_ends_its_reader_so() -> None:
    async def work(listener: Listener) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        [event async for event in streamed(work)]


async def test_a_question_waits_until_what_it_is_about_was_shown() -> None:
    order: list[str] = []

    async def work(listener: Listener) -> None:
        listener.emit(stage("shown"))
        await listener.delivered()
        order.append("asked")

    async for _ in streamed(work):
        await asyncio.sleep(0)
        order.append("shown")
    assert order == ["shown", "asked"]
