"""The language server on a TCP port: the loopback interface, one connection, and it ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.e2e.cli.harness import COMMAND, DEADLINE_S, Cli, no_orphans
from tests.e2e.lsp.programs import HALVE

_INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


class _Connection:
    """A client by hand."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def until(self, key: str, value: object) -> dict[str, Any]:
        """The first message that says so."""
        while True:
            header = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"Content-Length: (\d+)", header)
            assert length is not None, header
            message: dict[str, Any] = json.loads(await self.reader.readexactly(int(length[1])))
            if message.get(key) == value:
                return message


@asynccontextmanager
async def _connected(port: int) -> AsyncGenerator[_Connection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield _Connection(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def _listening(cli: Cli) -> AsyncGenerator[tuple[asyncio.subprocess.Process, int]]:
    """A server on a free port, which it prints."""
    with no_orphans():
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "lsp", "--tcp", "0", cwd=cli.folder, env=cli.environment(), stderr=asyncio.subprocess.PIPE
        )
        try:
            assert process.stderr is not None
            async with asyncio.timeout(DEADLINE_S):
                told = (await process.stderr.readline()).decode()
                found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", told)
                assert found is not None, told
                yield process, int(found[1])
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def test_one_client_is_served_a_second_one_is_turned_away_and_exit_ends_it(cli: Cli) -> None:
    async with _listening(cli) as (process, port), _connected(port) as client:
        client.send({"id": 1, "method": "initialize", "params": _INITIALIZE})
        answer = await client.until("id", 1)
        assert answer["result"]["serverInfo"]["name"] == "kernelopt"
        client.send({"method": "initialized", "params": {}})

        async with _connected(port) as second:
            assert await second.reader.read() == b"", "closed without a word"

        uri = (cli.folder / "halve.cu").as_uri()
        client.send({
            "method": "textDocument/didOpen",
            "params": {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": HALVE}},
        })  # fmt: skip
        told = await client.until("method", "textDocument/publishDiagnostics")
        assert told["params"]["uri"] == uri, "the first one is still served"

        client.send({"id": 2, "method": "shutdown"})
        await client.until("id", 2)
        client.send({"method": "exit"})
        assert await process.wait() == 0


async def test_what_is_no_client_is_sent_away_and_the_next_one_is_served(cli: Cli) -> None:
    async with _listening(cli) as (process, port):
        async with _connected(port):
            pass  # a port scan
        async with _connected(port) as reset:
            reset.writer.write(b"Content-Length: 7\r\n")
            reset.writer.transport.abort()
        async with _connected(port) as browser:
            browser.writer.write(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
            with contextlib.suppress(ConnectionError):
                assert await browser.reader.read() == b""
        async with _connected(port) as client:
            client.send({"id": 1, "method": "initialize", "params": _INITIALIZE})
            await client.until("id", 1)

            taken = await asyncio.to_thread(cli.run, "lsp", "--tcp", str(port))
            assert taken.code == 3 and "cannot be used" in taken.err and "--tcp 0" in taken.err, taken.said

            client.writer.transport.abort()
        await process.wait()
        assert process.stderr is not None and b"Traceback" not in await process.stderr.read()


@pytest.mark.thorough
async def test_a_client_that_breaks_off_ends_it(cli: Cli) -> None:
    async with _listening(cli) as (process, port):
        async with _connected(port) as client:
            client.send({"id": 1, "method": "initialize", "params": _INITIALIZE})
            await client.until("id", 1)
        await process.wait()
