"""Serves one client, on stdio or on one connection of the loopback interface, until it leaves."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdinAsyncReader
from pygls.protocol import LanguageServerProtocol

from lsp.client import Client
from lsp.messages import Reader, converse
from lsp.wire import ClientWriter

__all__ = ["ClientServer", "is_defect", "serve"]

_ANSWERS = frozenset({types.LSPErrorCodes.RequestFailed.value, types.ErrorCodes.InvalidParams.value, types.ErrorCodes.InvalidRequest.value})
"""Error codes that handlers use on purpose."""
_CANCELLED_LATE = 'Cancel notification for unknown message id "%s"'
"""pygls logs this when a request is cancelled after its answer: nothing is wrong."""
_MALFORMED = "Unable to deserialize message\n%s"
"""pygls logs this for messages that `lsp.messages` answers."""


class ClientServer(Protocol):
    """The server of a client."""

    @property
    def client(self) -> Client: ...

    @property
    def protocol(self) -> LanguageServerProtocol: ...

    @property
    def thread_pool(self) -> ThreadPoolExecutor: ...

    async def close(self) -> None:
        """End every job."""
        ...


def serve(server: ClientServer, port: int | None) -> int:
    """Serve one client on stdio, or on a TCP port of the loopback interface (0: any; it is printed); the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls.protocol.json_rpc").addFilter(is_defect)
    try:
        asyncio.run(_serve_stdio(server) if port is None else _serve_one(server, port))
    except (KeyboardInterrupt, BrokenPipeError, ConnectionError):
        return 1
    return 0


def is_defect(record: logging.LogRecord) -> bool:
    """Whether a logged failure is a defect of the server: an error that the client gets as an answer is not."""
    if record.msg in (_MALFORMED, _CANCELLED_LATE):
        return False
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, JsonRpcException) and error.code in _ANSWERS)


async def _serve_stdio(server: ClientServer) -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not reach the protocol
    try:
        await _speak(server, StdinAsyncReader(sys.stdin.buffer, server.thread_pool), ClientWriter(out))
    finally:
        await server.close()  # every job ends with its client


async def _serve_one(server: ClientServer, port: int) -> None:
    """One client on a port: what it answers to questions of trust counts for this run only."""
    from lsp.tcp import listen

    server.client.keeps_answers = False
    try:
        await listen(port, lambda reader, writer: _speak(server, reader, writer))
    finally:
        await server.close()


async def _speak(server: ClientServer, reader: Reader, writer: Any) -> bool:
    """Until the client leaves; whether one was there."""
    server.protocol.set_writer(writer)
    with contextlib.suppress(ConnectionError):
        await converse(reader, server.protocol)
    return server.client.is_introduced
