"""One client on a port of the loopback interface; connections of other users are refused.

On Linux the kernel names the user at the other end of a local connection (``/proc/net/tcp``, proc(5)); a connection of
another or an unknown user is closed. Other systems do not name the user, so no port is served there.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.errors import CannotAnswerError

__all__ = ["listen", "peer_of"]

_LOOPBACK = "127.0.0.1"
_HEADERS = (b"content-length:", b"content-type:")
_FIRST_LINE_S = 10.0
"""How long a connection may stay silent before it is closed."""
_LISTS = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Sockets of this machine: those of IPv4, and of IPv6, which reach an IPv4 address under a longer form."""
_ESTABLISHED = 1
"""The state of a connection that neither end has closed (linux/tcp_states.h), as ``TCP_INFO`` and ``/proc/net/tcp`` have it."""

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
    """Serve until the first client leaves; a second one, and connections that do not speak LSP, are closed.

    Raises CannotAnswerError for a port in use, and where the system does not name the connecting user.
    """
    if not _LISTS[0].is_file():
        raise CannotAnswerError(
            "this system does not report which user opened a connection, so no port is served", "use stdin and stdout (--stdio)"
        )
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
    """The first line of a client of this user; None for another user, and for what does not speak LSP (a browser, a port scan)."""
    user = peer_of(writer.get_extra_info("socket"))
    if user != os.getuid():
        sys.stderr.write(f"refused a connection of {'an unknown user' if user is None else 'another user'}\n")
        return None
    async with asyncio.timeout(_FIRST_LINE_S):
        line = await reader.readline()
    return line if line.lower().startswith(_HEADERS) else None


def peer_of(connection: socket.socket) -> int | None:
    """The id of the user at the other end of a local connection; None where the system names none, or the connection is over.

    The other end is found by its addresses, which another program can reuse once the connection is closed: so the connection's state is
    checked last.
    """
    local, remote = connection.getsockname(), connection.getpeername()
    words = ((_word(remote), _word(local)), (_mapped_word(remote), _mapped_word(local)))
    users = (_user_in(file, *ends) for file, ends in zip(_LISTS, words, strict=True))
    user = next((found for found in users if found is not None), None)
    state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return user if state == _ESTABLISHED else None


def _user_in(file: Path, local: str, remote: str) -> int | None:
    """User of the socket in the kernel's list ``file`` that stands between two ends.

    Columns as proc(5) has them: addresses are the second and third, the state the fourth, the user's id the eighth.
    """
    try:
        rows = [line.split() for line in file.read_text().splitlines()[1:]]
    except OSError:
        return None
    return next((int(row[7]) for row in rows if row[1:4] == [local, remote, f"{_ESTABLISHED:02X}"]), None)


def _word(end: tuple[str, int]) -> str:
    """An end as ``/proc/net/tcp`` has it: the address as a word of the machine's byte order."""
    return f"{int.from_bytes(socket.inet_aton(end[0]), sys.byteorder):08X}:{end[1]:04X}"


def _mapped_word(end: tuple[str, int]) -> str:
    """As ``/proc/net/tcp6`` has the same end where its program opened a socket of IPv6."""
    return f"{0:016X}{int.from_bytes(bytes((0, 0, 255, 255)), sys.byteorder):08X}{_word(end)}"
