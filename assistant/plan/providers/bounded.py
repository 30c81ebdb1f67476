"""Hooks of the HTTP client: nothing unneeded goes out, and nothing unbounded comes in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import cast

import httpx2

__all__ = ["AnswerTooLargeError", "bound_response", "only_needed_headers"]

_NEEDED = frozenset({"host", "accept", "connection", "content-type", "content-length", "transfer-encoding", "authorization"})
"""The ``openai`` client adds what machine and Python it runs on, and the variables ``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID`` and
``OPENAI_CUSTOM_HEADERS``, to every endpoint alike."""
_USER_AGENT = "kernelopt"
_RESPONSE_BYTES = 32_000_000
"""Upper bound for a whole response: an answer of `ANSWER_BYTES` that comes in pieces of a few characters, each in 200 bytes of JSON, and
more."""
_PLAIN = "identity"
"""A compressed response could hold any amount, so none is asked for and none is read."""


class AnswerTooLargeError(Exception):
    """A response exceeds its bound."""


def only_needed_headers(key: str | None) -> Callable[[httpx2.Request], Awaitable[None]]:
    """A hook that leaves the headers that HTTP needs, and the key where there is one."""

    async def hook(request: httpx2.Request) -> None:
        for name in [name for name in request.headers if name.lower() not in _NEEDED]:
            del request.headers[name]
        request.headers["user-agent"] = _USER_AGENT
        request.headers["accept-encoding"] = _PLAIN
        if key is None:
            request.headers.pop("authorization", None)
        else:
            request.headers["authorization"] = f"Bearer {key}"

    return hook


async def bound_response(response: httpx2.Response) -> None:
    """A hook that ends a response above `_RESPONSE_BYTES` with `AnswerTooLargeError`."""
    if response.headers.get("content-encoding", _PLAIN) != _PLAIN:
        raise AnswerTooLargeError("compressed, though that was not asked for")
    # The client is asynchronous, so its responses' streams are too; the type says either.
    response.stream = _BoundedStream(cast("httpx2.AsyncByteStream", response.stream))


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left_bytes = _RESPONSE_BYTES
        async for piece in self._stream:
            left_bytes -= len(piece)
            if left_bytes < 0:
                raise AnswerTooLargeError(f"more than {_RESPONSE_BYTES} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
