"""``/kernelopt/api/v1/events``: a websocket that reports when memory changed, and the events of running searches.

Messages are JSON objects: ``{"type": "hello", "protocol": 1}`` first, ``{"type": "changed", "jobs": […]}`` whenever any process wrote,
``{"type": "event", "job": ID, "event": {…}}`` for each event of a search of the workspace. Nothing is listened to.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado import web
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from assistant.errors import KernelOptError
from jupyter_ext.handlers import RESOURCE, status_of
from jupyter_ext.memory_thread import MemoryThread

__all__ = ["EventSocket", "Watch"]

_PROTOCOL = 1
_POLL_S = 0.5
"""How soon what other processes wrote is sent (within a second)."""
_MOST_WATCHED = 64
"""Sockets of one server; a browser tab holds one."""


class Watch:
    """Looks at memory while any socket is open, once for all of them."""

    def __init__(self, memory: MemoryThread, log: logging.Logger) -> None:
        self._memory = memory
        self._log = log
        self._sockets: set[EventSocket] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        return len(self._sockets) >= _MOST_WATCHED

    def add(self, socket: EventSocket) -> None:
        self._sockets.add(socket)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def remove(self, socket: EventSocket) -> None:
        self._sockets.discard(socket)
        if not self._sockets and self._task is not None:
            self._task.cancel()
            self._task = None

    async def close(self) -> None:
        """Send nothing any more."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        seen: tuple[int, int] | None = None
        while True:
            try:
                version = await self._memory.version()
                if version != seen:
                    for socket in tuple(self._sockets):
                        await socket.send_changes()
                seen = version
            except KernelOptError as error:
                self._log.warning("kernelopt: %s", error.message)
            await asyncio.sleep(_POLL_S)


class EventSocket(WebSocketMixin, WebSocketHandler, JupyterHandler):  # pyright: ignore[reportIncompatibleMethodOverride]  # Jupyter's own order
    """One page that shows a workspace."""

    auth_resource = RESOURCE

    def initialize(self, memory: MemoryThread, watch: Watch) -> None:
        self._memory = memory
        self._watch = watch
        self._workspace = ""
        self._sent_counts: dict[str, int] = {}
        """Events sent of each job."""

    @ws_authenticated
    async def get(self, *arguments: Any, **named: Any) -> None:
        """Authorized as executing is: what comes is what jobs of the user say."""
        user = self.current_user
        if not await ensure_async(self.authorizer.is_authorized(self, user, "execute", RESOURCE)):
            raise web.HTTPError(403)
        if self._watch.is_full:
            raise web.HTTPError(503, "too many pages watch this server")
        self._workspace = self.get_query_argument("workspace", "")
        try:
            await self._memory.ask(lambda served: served.status(self._workspace))
        except KernelOptError as error:
            raise web.HTTPError(status_of(error)[0], error.message) from error
        await super().get(*arguments, **named)

    def open(self, *arguments: Any, **named: Any) -> None:
        super().open(*arguments, **named)  # pyright: ignore[reportUnknownMemberType]  # the mixin is not typed
        self._say({"type": "hello", "protocol": _PROTOCOL})
        self._watch.add(self)

    def on_message(self, message: str | bytes) -> None:
        """Nothing is asked this way."""

    def on_close(self) -> None:
        self._watch.remove(self)
        super().on_close()

    async def send_changes(self) -> None:
        """The jobs as they are now, and the events of searches since the last time. Raises KernelOptError."""
        jobs = await self._memory.ask(lambda served: served.jobs(self._workspace, time.time_ns() // 1_000_000))
        self._say({"type": "changed", "jobs": jobs})
        for job in jobs:
            if job["is_running"] or job["id"] in self._sent_counts:
                await self._send_events(job["id"])

    async def _send_events(self, job_id: str) -> None:
        start = self._sent_counts.get(job_id, 0)
        job = await self._memory.ask(lambda served: served.job(job_id, start, time.time_ns() // 1_000_000))
        for event in job["events"]:
            self._say({"type": "event", "job": job_id, "event": event})
        self._sent_counts[job_id] = start + len(job["events"])

    def _say(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(WebSocketClosedError):
            self.write_message(json.dumps(message, ensure_ascii=False, allow_nan=False))
