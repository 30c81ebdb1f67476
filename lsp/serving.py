"""One client on stdio, or on one connection of the loopback interface, until it leaves."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from threading import Event
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdinAsyncReader, run_async

from lsp.wire import ClientWriter

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["serve"]

_LOOPBACK = "127.0.0.1"
_ANSWERS = frozenset({types.LSPErrorCodes.RequestFailed.value, types.ErrorCodes.InvalidParams.value})
"""Errors that a handler answers with on purpose."""


def serve(server: KernelOptServer, port: int | None) -> int:
    """Serve one client on stdio, or on a TCP port of the loopback interface (0: any; it is printed); the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_defect)
    try:
        asyncio.run(_serve_stdio(server) if port is None else _serve_one(server, port))
    except (KeyboardInterrupt, BrokenPipeError, ConnectionError):
        return 1
    return 0


def _is_defect(record: logging.LogRecord) -> bool:
    """Whether a logged failure is ours: a request that is answered with what is wrong with it is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, JsonRpcException) and error.code in _ANSWERS)


async def _serve_stdio(server: KernelOptServer) -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not reach the protocol
    await _speak(server, StdinAsyncReader(sys.stdin.buffer, server.thread_pool), ClientWriter(out))


async def _serve_one(server: KernelOptServer, port: int) -> None:
    """One connection; another one is refused, as one protocol object cannot serve two."""
    is_taken = False
    ended = asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal is_taken
        if is_taken:
            writer.close()
            return
        is_taken = True
        try:
            await _speak(server, reader, writer)
        finally:
            ended.set()

    listening = await asyncio.start_server(connected, _LOOPBACK, port)
    sys.stderr.write(f"listening on {_LOOPBACK}:{listening.sockets[0].getsockname()[1]}\n")
    sys.stderr.flush()
    async with listening:
        await ended.wait()


async def _speak(server: KernelOptServer, reader: Any, writer: Any) -> None:
    """Until the client leaves; every job ends with it."""
    server.protocol.set_writer(writer)
    try:
        await run_async(stop_event=Event(), reader=reader, protocol=server.protocol, error_handler=server.report_server_error)
    finally:
        await server.close()
