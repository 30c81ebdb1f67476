"""Messages of a client: framed, parsed and handed to the protocol; malformed ones are answered as JSON-RPC says.

pygls 2.1.1 does not react to a request with wrong parameters, to JSON that cannot be parsed, and to a malformed answer of the client, and
takes a negative length for a long header (``run_async`` and ``structure_message``); this can go when it answers them. Example::

    await converse(reader, protocol)     # until the client leaves
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable
from concurrent.futures import Future, InvalidStateError
from typing import Any, Protocol, cast

from cattrs import BaseValidationError, transform_error
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
)
from pygls.protocol import LanguageServerProtocol

from assistant.errors import KernelOptError

__all__ = ["Reader", "converse", "in_words", "with_remedy"]

_LENGTH = re.compile(rb"Content-Length: *(\d+)\s*$", re.IGNORECASE)
_SHOWN_PROBLEMS = 3
"""Problems that an error answer lists; a malformed message can have hundreds."""
_log = logging.getLogger(__name__)


class Reader(Protocol):
    """Reads the bytes that the client sends."""

    def readline(self) -> Awaitable[bytes]: ...

    def readexactly(self, n: int) -> Awaitable[bytes]: ...


async def converse(reader: Reader, protocol: LanguageServerProtocol) -> None:
    """Handle every message until the client leaves."""
    while (body := await _next_body(reader, protocol)) is not None:
        _take(body, protocol)


async def _next_body(reader: Reader, protocol: LanguageServerProtocol) -> bytes | None:
    """The next message; None at the end. A header without a length is answered with an error and skipped."""
    length, is_begun = 0, False
    while line := await reader.readline():
        found = _LENGTH.search(line)
        if found is not None:
            length = int(found[1])
        if line.strip():
            is_begun = True
        elif length:
            try:
                return await reader.readexactly(length) or None
            except asyncio.IncompleteReadError:
                return None
        elif is_begun:
            is_begun = False
            _answer_error(protocol, None, JsonRpcParseError("a header without Content-Length"))
    return None


def _take(body: bytes, protocol: LanguageServerProtocol) -> None:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        _answer_error(protocol, None, JsonRpcParseError(f"the message is not valid JSON: {error}"))
        return
    if not isinstance(message, dict) or cast(dict[str, Any], message).get("jsonrpc") != "2.0":
        _answer_error(protocol, None, JsonRpcInvalidRequest("a message must be a JSON object with jsonrpc 2.0"))
        return
    _handle(cast(dict[str, Any], message), protocol)


def _handle(message: dict[str, Any], protocol: LanguageServerProtocol) -> None:
    try:
        structured: Any = protocol.structure_message(message)
    except JsonRpcException as error:
        _refuse(message, JsonRpcInvalidParams(in_words(error.__cause__ or error)), protocol)
        return
    try:
        protocol.handle_message(structured)
    except InvalidStateError:
        _log.warning("ignored a late answer to request %r", message.get("id"))
    except Exception as error:  # noqa: BLE001 - the message's boundary: the next one is heard
        _log.exception("a message could not be handled")
        _refuse(message, JsonRpcInternalError(f"internal error: {type(error).__name__}: {error}"), protocol)


def _refuse(message: dict[str, Any], error: JsonRpcException, protocol: LanguageServerProtocol) -> None:
    """Give the error to what waits: the client for its request, our own task for the client's answer."""
    if "method" in message and "id" in message:
        _answer_error(protocol, message["id"], error)
    elif "method" in message:
        _log.warning("ignored %s: %s", message["method"], error.message)
    else:
        futures: dict[Any, Future[Any]] = protocol._request_futures  # pyright: ignore  # pygls has no public way
        waiting = futures.pop(message.get("id"), None)
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)


def _answer_error(protocol: LanguageServerProtocol, request: Any, error: JsonRpcException) -> None:
    answer = {"jsonrpc": "2.0", "id": request, "error": {"code": error.code, "message": error.message}}
    protocol._send_data(answer)  # pyright: ignore[reportPrivateUsage]  # `ResponseErrorMessage` leaves out an id of null, which JSON-RPC wants


def in_words(error: BaseException) -> str:
    """What is wrong with a message's form: ``required field missing @ $.params.textDocument``, and how many more such."""
    if not isinstance(error, BaseValidationError):
        return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    problems = transform_error(error, path="$")
    more = [f"and {len(problems) - _SHOWN_PROBLEMS} more"] if len(problems) > _SHOWN_PROBLEMS else []
    return "; ".join([*problems[:_SHOWN_PROBLEMS], *more])


def with_remedy(error: KernelOptError) -> str:
    """What went wrong and what to try next, in one line."""
    return f"{error.message}; {error.remedy}" if error.remedy else error.message
