"""A language server that is forked from a process which has loaded it (`tests.e2e.cli.prepared`), as a client has one that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

from tests.e2e.cli.harness import Cli, prepared

__all__ = ["ForkedServer", "fork_server"]


class ForkedServer:
    """Of `asyncio.subprocess.Process` what clients and tests use."""

    def __init__(self, pid: int, stdin: asyncio.StreamWriter, stdout: asyncio.StreamReader, stderr: asyncio.StreamReader) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.returncode: int | None = None
        """None until it has ended."""
        self._has_ended = asyncio.Event()
        self._handle = os.pidfd_open(pid)
        asyncio.get_running_loop().add_reader(self._handle, self._note_end)

    async def wait(self) -> int:
        """The exit code, once the process is gone."""
        await self._has_ended.wait()
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """Raises ProcessLookupError where it has ended."""
        if self.returncode is not None:
            raise ProcessLookupError
        signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._handle)
        os.close(self._handle)
        self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.stdin.close()
        self._has_ended.set()


async def fork_server(cli: Cli, limit_bytes: int) -> ForkedServer:
    """``kernelopt lsp`` in the folder of ``cli``; ``limit_bytes``: of a line that is read from it."""
    own_ends: list[int] = []
    with contextlib.ExitStack() as given:
        streams: dict[int, int] = {}
        for number in (0, 1, 2):
            read, write = os.pipe()
            streams[number], own = (read, write) if number == 0 else (write, read)
            given.callback(os.close, streams[number])
            own_ends.append(own)
        pid = await asyncio.to_thread(prepared().start, ("lsp",), cli.environment(), cli.folder, streams)
        stdin, stdout, stderr = own_ends
        return ForkedServer(pid, await _writer(stdin), await _reader(stdout, limit_bytes), await _reader(stderr, limit_bytes))


async def _writer(descriptor: int) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, _ = await loop.connect_write_pipe(lambda: protocol, os.fdopen(descriptor, "wb", 0))
    return asyncio.StreamWriter(transport, protocol, None, loop)


async def _reader(descriptor: int, limit_bytes: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit_bytes)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0))
    return reader
