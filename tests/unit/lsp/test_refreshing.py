"""How often a client is asked to pull anew: soon after a change, once for several, and never in quick succession."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from lsp.listener import SessionListener

PAUSE_S = 0.05


class Asked:
    """Stands for the client and its server: which documents were named, and when."""

    def __init__(self) -> None:
        self.uris: list[list[str]] = []
        self.times_s: list[float] = []
        self.is_new = asyncio.Event()

    def notify(self, method: str, given: dict[str, Any]) -> None:
        assert method == "kernelopt/changed"
        self.uris.append(given["uris"])
        self.times_s.append(asyncio.get_running_loop().time())
        self.is_new.set()


def listener(asked: Asked) -> SessionListener:
    client = SimpleNamespace(supports=lambda _: True, refreshes_lenses=False, refreshes_hints=False)
    units = SimpleNamespace(find=lambda key: SimpleNamespace(uri=f"file:///{key}"))
    shown = SimpleNamespace(publish=lambda _: None)
    parts: Any = (SimpleNamespace(protocol=asked), client, units, shown, None, None)
    return SessionListener(*parts)


async def test_changes_that_come_together_are_told_once_and_the_next_after_a_pause() -> None:
    asked = Asked()
    heard = listener(asked)
    heard.shown("b")
    heard.shown("a")
    await _until(asked, 1)
    heard.shown("a")
    await _until(asked, 2)
    assert asked.uris == [["file:///a", "file:///b"], ["file:///a"]]
    assert asked.times_s[1] - asked.times_s[0] >= PAUSE_S


async def _until(asked: Asked, count: int) -> None:
    async with asyncio.timeout(10):
        while len(asked.uris) < count:
            asked.is_new.clear()
            await asked.is_new.wait()
