"""One client on a port of the loopback interface. Who connects is the user himself, as far as the system says so.

On Linux the kernel names the user at the other end of a local connection (``/proc/net/tcp``, proc(5)); anybody else is sent away. Other
systems say nothing, so there whoever connects first is served: ``docs/explanation/security.md`` says what that means.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.errors import CannotAnswerError

__all__ = ["listen", "user_at"]

_LOOPBACK = "127.0.0.1"
_HEADERS = (b"content-length:", b"content-type:")
_FIRST_LINE_S = 10.0
"""How long a connection may say nothing before another one is preferred."""
_SOCKETS = Path("/proc/net/tcp")

Speak = Callable[["asyncio.StreamReader | FirstLine", asyncio.StreamWriter], Awaitable[bool]]
"""Serves a connection to its end; whether a client was there."""


class FirstLine:
    """A reader whose first line has been read already."""

    def __init__(self, line: bytes, rest: asyncio.StreamReader) -> None:
        self._line = line
        self._rest = rest

    async def readline(self) -> bytes:
        line, self._line = self._line, b""
        return line or await self._rest.readline()

    async def readexactly(self, n: int) -> bytes:
        return await self._rest.readexactly(n)


async def listen(port: int, speak: Speak) -> None:
    """Until the first client leaves; a second one, and what is none, are sent away. Raises CannotAnswerError for a port in use."""
    ended, taken = asyncio.Event(), asyncio.Lock()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError, ValueError):
            first = None if taken.locked() else await _first_line(reader, writer)
            if first is not None and not taken.locked():
                async with taken:
                    if await speak(FirstLine(first, reader), writer):
                        ended.set()
        writer.close()

    try:
        listening = await asyncio.start_server(connected, _LOOPBACK, port)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise CannotAnswerError(f"port {port} of {_LOOPBACK} cannot be used: {error.strerror}", "--tcp 0 takes a free port") from error
    sys.stderr.write(f"listening on {_LOOPBACK}:{listening.sockets[0].getsockname()[1]}\n")
    sys.stderr.flush()
    async with listening:
        await ended.wait()


async def _first_line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
    """What a client of this user says first; None for a stranger, and for what does not speak our protocol (a browser, a port scan)."""
    peer, own = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
    sockets = _sockets()
    if sockets is not None and user_at(sockets, (peer[1], own[1])) != os.getuid():
        sys.stderr.write("a connection of another user was refused\n")
        return None
    async with asyncio.timeout(_FIRST_LINE_S):
        line = await reader.readline()
    return line if line.lower().startswith(_HEADERS) else None


def _sockets() -> str | None:
    """The kernel's list of sockets; None where there is none to read."""
    return _SOCKETS.read_text() if _SOCKETS.exists() else None


def user_at(sockets: str, ports: tuple[int, int]) -> int | None:
    """The id of the user whose socket is at ``ports`` (its own, the other end's) of the loopback interface; None where none is.

    ``sockets`` is ``/proc/net/tcp``: addresses as hexadecimal words in the machine's byte order, the user's id in the eighth column.
    """
    loopback = "0100007F" if sys.byteorder == "little" else "7F000001"
    wanted = [f"{loopback}:{port:04X}" for port in ports]
    rows = (line.split() for line in sockets.splitlines()[1:])
    return next((int(row[7]) for row in rows if row[1:3] == wanted), None)
