"""REST below ``/kernelopt/api/v1/``: who may ask is Jupyter's rule (token, cookie, XSRF, authorizer), what is answered is `served.py`'s.

=====================================  ====  ==================================================================
``status``                             GET   the workspace of a path, and whether memory can be written
``jobs``, ``jobs/ID``                  GET   jobs of a workspace; one with the events that memory keeps of it
``jobs/ID/cancel``                     POST  asks the job to end
``history``                            GET   attempts and decisions of a workspace or a file
``proposals``, ``proposals/ID``        GET   open ones, or all; one with its diff
``proposals/ID/accept|reject|undo``    POST  a decision
``memory``                             GET   what was learnt
``reports``                            GET   the whole profile of a file
=====================================  ====  ==================================================================

``workspace`` and ``path`` are Jupyter's own paths. Errors are JSON ``{message, reason, code}``: 400 a request that makes no sense, 404 no
such thing below the server's root folder, 409 what is there does not allow it, 503 memory or the machine cannot answer.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web

from assistant.engine.proposals import DecisionRequest
from assistant.errors import KernelOptError, MemoryFileError
from assistant.model.proposal import REASON_CODES, DecisionKind
from jupyter_ext.memory_thread import MemoryThread
from jupyter_ext.served import BadRequest, Conflict, NotThere, ServedMemory

__all__ = ["RESOURCE", "Routes", "owner", "routes", "status_of"]

RESOURCE = "kernelopt"
"""What Jupyter's authorizer is asked about."""
_ID = r"(?P<id>[A-Z][0-9A-Z]*)"
_MOST_ROWS = 1000
_ROWS = 100
_REASON_CHARACTERS = 2000
_STATUS: tuple[tuple[type[KernelOptError], int, str], ...] = (
    (BadRequest, 400, "bad_request"),
    (NotThere, 404, "not_found"),
    (Conflict, 409, "conflict"),
    (MemoryFileError, 503, "memory_unusable"),
)
"""The first that fits says it; what is left is a machine that cannot answer."""

Routes = list[tuple[str, type[web.RequestHandler], dict[str, Any]]]


def routes(prefix: str, memory: MemoryThread, who: str) -> Routes:
    """Where each handler stands, below ``prefix``; ``who`` decides, in memory's words."""
    parts = {"memory": memory, "who": who}
    patterns: tuple[tuple[str, type[web.RequestHandler]], ...] = (
        ("status", _Status),
        ("jobs", _Jobs),
        (f"jobs/{_ID}", _Job),
        (f"jobs/{_ID}/cancel", _JobCancel),
        ("history", _History),
        ("proposals", _Proposals),
        (f"proposals/{_ID}", _Proposal),
        (f"proposals/{_ID}/(?P<verb>accept|reject|undo)", _Decide),
        ("memory", _Memory),
        ("reports", _Report),
    )
    return [(f"{prefix}/{pattern}/?", handler, parts) for pattern, handler in patterns]


def status_of(error: KernelOptError) -> tuple[int, str]:
    """HTTP status and stable code of an error that was raised on purpose."""
    return next(((status, code) for kind, status, code in _STATUS if isinstance(error, kind)), (503, "cannot_answer"))


class _Handler(APIHandler):
    """One request: its parameters, its answer, its error."""

    auth_resource = RESOURCE

    def initialize(self, memory: MemoryThread, who: str) -> None:
        self._memory = memory
        self._who = who

    async def answer(self, question: Callable[[ServedMemory], object]) -> None:
        """Ask memory and write what it says, or the error as JSON."""
        await self._write_answer(self._memory.ask(question))

    async def change(self, question: Callable[[ServedMemory], object]) -> None:
        """As `answer`, for what writes into memory."""
        await self._write_answer(self._memory.change(question))

    async def _write_answer(self, asked: Awaitable[object]) -> None:
        try:
            answer = await asked
        except KernelOptError as error:
            status, code = status_of(error)
            self.set_status(status)
            answer = {"message": error.message, "reason": error.remedy or None, "code": code}
        await self.finish(json.dumps(answer, ensure_ascii=False, allow_nan=False))

    def text(self, name: str) -> str | None:
        value: str | None = self.get_query_argument(name, None)
        return value or None

    def count(self, name: str, default: int, most: int) -> int:
        """Raises HTTPError 400 for what is no count."""
        value = self.text(name)
        if value is None:
            return default
        if not value.isascii() or not value.isdigit() or int(value) > most:
            raise web.HTTPError(400, f"{name} is a count up to {most}, not {value[:40]!r}")
        return int(value)

    def body(self) -> dict[str, Any]:
        """The JSON object that was sent; an empty body counts as an empty one."""
        try:
            given: object = json.loads(self.request.body or b"{}")
        except ValueError as error:
            raise web.HTTPError(400, "the body is not JSON") from error
        if not isinstance(given, dict):
            raise web.HTTPError(400, "the body is a JSON object")
        return cast("dict[str, Any]", given)  # JSON objects have text keys

    @property
    def workspace(self) -> str:
        return self.text("workspace") or ""


class _Status(_Handler):
    @web.authenticated
    @authorized
    async def get(self) -> None:
        workspace = self.workspace
        await self.answer(lambda served: served.status(workspace))


class _Jobs(_Handler):
    @web.authenticated
    @authorized
    async def get(self) -> None:
        workspace = self.workspace
        await self.answer(lambda served: {"jobs": served.jobs(workspace, _now_ms())})


class _Job(_Handler):
    @web.authenticated
    @authorized
    async def get(self, id: str) -> None:  # noqa: A002 - the route's own name
        start = self.count("start", 0, 1 << 31)
        await self.answer(lambda served: served.job(id, start, _now_ms()))


class _JobCancel(_Handler):
    @web.authenticated
    @authorized
    async def post(self, id: str) -> None:  # noqa: A002
        await self.change(lambda served: served.cancel(id))


class _History(_Handler):
    @web.authenticated
    @authorized
    async def get(self) -> None:
        workspace, path, limit = self.workspace, self.text("path"), self.count("limit", _ROWS, _MOST_ROWS)
        await self.answer(lambda served: served.history(workspace, path, limit))


class _Proposals(_Handler):
    @web.authenticated
    @authorized
    async def get(self) -> None:
        workspace, path, state = self.workspace, self.text("path"), self.text("state") or "open"
        if state not in ("open", "all"):
            raise web.HTTPError(400, f"state is open or all, not {state[:40]!r}")
        await self.answer(lambda served: {"proposals": served.proposals(workspace, path, state == "open")})


class _Proposal(_Handler):
    @web.authenticated
    @authorized
    async def get(self, id: str) -> None:  # noqa: A002
        await self.answer(lambda served: served.proposal(id))


class _Decide(_Handler):
    @web.authenticated
    @authorized
    async def post(self, id: str, verb: str) -> None:  # noqa: A002
        request = _decision(verb, self.body())
        await self.change(lambda served: served.decide(id, request, self._who, _now_ms()))


class _Memory(_Handler):
    @web.authenticated
    @authorized
    async def get(self) -> None:
        await self.answer(lambda served: served.memory())


class _Report(_Handler):
    @web.authenticated
    @authorized
    async def get(self) -> None:
        path = self.text("path")
        if path is None:
            raise web.HTTPError(400, "give the file as path")
        await self.answer(lambda served: served.report(path))


def _decision(verb: str, body: dict[str, Any]) -> DecisionRequest:
    """What a person decided. Raises HTTPError 400 for what cannot be meant."""
    kind = {"accept": DecisionKind.ACCEPTED, "reject": DecisionKind.REJECTED, "undo": DecisionKind.UNDONE}[verb]
    allowed = {"reason_code", "reason"} if kind is DecisionKind.REJECTED else set[str]()
    if unknown := sorted(set(body) - allowed):
        raise web.HTTPError(400, f"{verb} takes no {unknown[0][:40]!r}")
    code, reason = body.get("reason_code"), body.get("reason")
    if code is not None and code not in REASON_CODES:
        raise web.HTTPError(400, f"reason_code is one of {', '.join(REASON_CODES)}")
    if reason is not None and (not isinstance(reason, str) or len(reason) > _REASON_CHARACTERS):
        raise web.HTTPError(400, f"reason is a text of at most {_REASON_CHARACTERS} characters")
    return DecisionRequest(kind, reason_code=code, reason=reason or None)


def owner() -> str:
    """Front end and process, as memory names who decided."""
    return f"jupyter {os.getpid()}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
