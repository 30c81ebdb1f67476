"""Typing in a long Python document with CUDA in it: read in pauses, and up to date whenever something is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from lsp import documents
from tests.unit.lsp.session import Session, opened

_URI = "file:///nowhere/train.py"
_KERNEL = '''\
import cupy
k = cupy.RawKernel(r"""
extern "C" __global__ void halve(float *x)
{
    x[threadIdx.x] *= 0.5f;
}
""", "halve")
'''


def _function(number: int) -> str:
    return f"def f{number}(a, b):\n    c = [a * {number} + b for a in range(b)]\n    return {{'x': c, 'y': (a, b)}}\n\n"


_LONG = _KERNEL + "".join(map(_function, range(600)))


class _Typing:
    """The document, and how often it was read."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.reads = 0
        self.version = 1

    def insert_above(self, text: str) -> None:
        self.version += 1
        place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        change = {"textDocument": {"uri": _URI, "version": self.version}, "contentChanges": [{"range": place, "text": text}]}
        self.session.notify("textDocument/didChange", change)

    def kernel_line(self) -> int:
        (symbol,) = self.session.ask("textDocument/documentSymbol", {"textDocument": {"uri": _URI}})
        return symbol["selectionRange"]["start"]["line"]

    def is_shown(self) -> bool:
        return any(item["version"] == self.version for item in self.session.published(_URI))


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[_Typing], Awaitable[None]]], None]:
    """Open a text and play a scene with it."""
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))

    def run(text: str, scene: Callable[[_Typing], Awaitable[None]]) -> None:
        """Plays the scene on an open Python document whose reads are counted."""

        async def whole() -> None:
            """The session around the scene."""
            async with opened(tmp_path) as session:
                typing = _Typing(session)
                session.server.load()
                plain = documents.read_embedded

                def counted(*arguments: Any) -> Any:
                    typing.reads += 1
                    return plain(*arguments)

                monkeypatch.setattr(documents, "read_embedded", counted)
                session.open(_URI, text, "python")
                await scene(typing)

        asyncio.run(whole())

    return run


def test_a_burst_of_keystrokes_is_read_once_and_shown(play: Callable[..., None]) -> None:
    async def scene(typing: _Typing) -> None:
        """Twenty keystrokes in a row, then a pause."""
        for _ in range(20):
            typing.insert_above("#")
        assert typing.reads == 1, "only opening it was"
        async with asyncio.timeout(10):
            while not typing.is_shown():  # noqa: ASYNC110 - what is sent has no event
                await asyncio.sleep(0.01)
        assert typing.reads == 2

    play(_LONG, scene)


def test_whatever_is_asked_is_answered_on_the_text_as_it_stands(play: Callable[..., None]) -> None:
    async def scene(typing: _Typing) -> None:
        assert typing.kernel_line() == 2
        for lines in range(1, 4):
            typing.insert_above("# above\n")
            assert typing.kernel_line() == 2 + lines

    play(_LONG, scene)


def test_a_short_document_is_read_at_every_keystroke(play: Callable[..., None]) -> None:
    async def scene(typing: _Typing) -> None:
        for _ in range(5):
            typing.insert_above("#")
        assert typing.reads == 6

    play(_KERNEL, scene)


def test_what_was_put_off_of_a_closed_document_is_not_read(play: Callable[..., None]) -> None:
    async def scene(typing: _Typing) -> None:
        typing.insert_above("#")
        typing.session.server.parts.documents.close(_URI)
        await asyncio.sleep(0.3)
        assert typing.reads == 1 and typing.session.server.parts.units.of(_URI) == ()

    play(_LONG, scene)
