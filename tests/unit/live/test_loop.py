"""The loop that notebooks and scripts work on in the background."""

from __future__ import annotations

import asyncio
import warnings

import pytest

from assistant.live.loop import BackgroundLoop


async def one() -> int:
    return 1


def test_what_does_not_end_in_time_is_called_off_and_closing_raises_nothing() -> None:
    loop = BackgroundLoop(end_s=0.05)
    assert loop.wait(one()) == 1
    was_cancelled: list[bool] = []

    async def last() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            was_cancelled.append(True)
            raise

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loop.close(last)
    assert was_cancelled == [True]


def test_what_goes_wrong_at_the_end_is_raised() -> None:
    loop = BackgroundLoop()
    loop.wait(one())

    async def last() -> None:
        raise ValueError("left open")

    with pytest.raises(ValueError, match="left open"):
        loop.close(last)
