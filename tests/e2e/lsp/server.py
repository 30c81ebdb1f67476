"""A language server's process as its client has it: started, heard on stderr, ended in every way that editors know."""

from __future__ import annotations

import asyncio
import contextlib

from pygls.lsp.client import LanguageClient as PlainClient
from pytest_lsp import LanguageClient

from tests.e2e.cli.harness import COMMAND, Cli

__all__ = ["Server"]


class Server:
    """The process behind one client."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.stderr: list[str] = []
        self._reading: asyncio.Task[None] | None = None

    async def start_server(self, cli: Cli) -> None:
        """Start it in the folder of ``cli``; nothing is initialized yet."""
        await PlainClient.start_io(self.client, *COMMAND, "lsp", cwd=cli.folder, env=cli.environment(), limit=64 << 20)
        self._reading = asyncio.create_task(self._read_stderr())

    @property
    def process(self) -> asyncio.subprocess.Process:
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
        assert process.stdin is not None
        process.stdin.close()
        process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]  # asyncio has no public way  # pyright: ignore

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
