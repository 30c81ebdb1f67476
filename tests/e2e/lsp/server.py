"""A language server's process as its client has it: started, heard on stderr, ended in every way that editors know."""

from __future__ import annotations

import asyncio
import contextlib
import logging

from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient as PlainClient
from pytest_lsp import LanguageClient

from tests.e2e.cli.harness import COMMAND, Cli
from tests.e2e.lsp.forked import ForkedServer, fork_server

__all__ = ["Server"]

_LIMIT_BYTES = 64 << 20
"""Longest line that the server may write."""


class Server:
    """The process behind one client."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.stderr: list[str] = []
        self._reading: asyncio.Task[None] | None = None

    async def start_server(self, cli: Cli) -> None:
        """Start it in the folder of ``cli``; nothing is initialized yet."""
        if cli.is_loaded:
            self._connect(await fork_server(cli, _LIMIT_BYTES))
        else:
            await PlainClient.start_io(self.client, *COMMAND, "lsp", cwd=cli.folder, env=cli.environment(), limit=_LIMIT_BYTES)
        self._reading = asyncio.create_task(self._read_stderr())

    def _connect(self, server: ForkedServer) -> None:
        """As `start_io` does with a process that it has started."""
        client = self.client
        client.protocol.set_writer(server.stdin)
        speaking = run_async(
            stop_event=client._stop_event,  # pyright: ignore[reportPrivateUsage]
            reader=server.stdout,
            protocol=client.protocol,
            logger=logging.getLogger(__name__),
            error_handler=client.report_server_error,
        )
        client._server = server  # type: ignore[assignment]  # what it uses of a process
        client._async_tasks += [asyncio.create_task(speaking), asyncio.create_task(client._server_exit())]  # pyright: ignore[reportPrivateUsage]

    @property
    def process(self) -> asyncio.subprocess.Process | ForkedServer:
        process = self.client._server  # pyright: ignore[reportPrivateUsage]
        assert process is not None
        return process

    async def stop(self) -> int:
        """shutdown and exit; the exit code. What the server logged on the way must be no error."""
        if self.process.returncode is None:
            await self.client.shutdown_async(None)
            self.client.exit(None)
        return await self.ended()

    async def ended(self, deadline_s: float = 15.0) -> int:
        """The exit code, once the process is gone by itself."""
        async with asyncio.timeout(deadline_s):
            code = await self.process.wait()
        await self._let_go()
        return code

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.ended()

    def hang_up(self) -> None:
        """Vanish as an editor does that is killed: both pipes close."""
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.stdout._transport.close()  # type: ignore[attr-defined]  # asyncio has no public way  # pyright: ignore

    @property
    def complaints(self) -> str:
        """Unhandled errors that the server logged."""
        text = "".join(self.stderr)
        return text if "Traceback" in text or "ERROR" in text else ""

    async def _let_go(self) -> None:
        if self._reading is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(2):
                    await self._reading
        self.client.protocol.writer = None
        with contextlib.suppress(Exception):
            await PlainClient.stop(self.client)

    async def _read_stderr(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        while line := await stream.readline():
            self.stderr.append(line.decode("utf-8", "replace"))
