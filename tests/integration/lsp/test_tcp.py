"""Which connections the language server accepts on a port: real ones, of this user and of another one."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from assistant.errors import CannotAnswerError
from lsp import tcp
from lsp.tcp import peer_of

ANOTHER_USER = 54321
AS_ANOTHER = pytest.mark.skipif(os.getuid() != 0, reason="only the superuser can connect as another user")
CONNECT = """
import os, socket, sys
if int(sys.argv[3]):
    os.setresgid(*[int(sys.argv[3])] * 3)
    os.setresuid(*[int(sys.argv[3])] * 3)
connection = socket.socket(socket.AF_INET6 if sys.argv[2].count(":") else socket.AF_INET)
connection.connect((sys.argv[2], int(sys.argv[1])))
connection.sendall(b"Content-Length: 2\\r\\n")
print("connected", flush=True)
if sys.argv[4] == "stay":
    print(connection.recv(16), flush=True)
"""


@contextmanager
def client(port: int, address: str = "127.0.0.1", user: int = 0, then: str = "stay") -> Generator[subprocess.Popen[str]]:
    """A process of its own that has connected; ``user`` 0 is this one."""
    command = (sys.executable, "-S", "-c", CONNECT, str(port), address, str(user), then)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "connected\n"
        yield process
        process.kill()


@contextmanager
def accepted(address: str = "127.0.0.1", user: int = 0, then: str = "stay") -> Generator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server, client(server.getsockname()[1], address, user, then) as process:
        if then == "leave":
            process.wait()
        connection, _ = server.accept()
        with connection:
            yield connection


@pytest.mark.parametrize("address", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_this_user_is_named_through_either_kind_of_socket(address: str) -> None:
    with accepted(address) as connection:
        assert peer_of(connection) == os.getuid()


@AS_ANOTHER
@pytest.mark.parametrize("address", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_another_user_is_named_as_such(address: str) -> None:
    with accepted(address, ANOTHER_USER) as connection:
        assert peer_of(connection) == ANOTHER_USER


def test_who_left_before_being_looked_at_is_not_named() -> None:
    """What is left of a closed socket is listed as the superuser's, and its addresses are free for others."""
    with accepted(then="leave") as connection:
        assert peer_of(connection) is None


def test_an_address_of_another_loopback_network_is_distinguished() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as own:
        own.bind(("127.0.0.2", 0))
        own.connect(server.getsockname())
        connection, _ = server.accept()
        with connection:
            assert peer_of(connection) == os.getuid()


def test_without_the_kernels_list_no_user_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tcp, "_LISTS", (tmp_path / "tcp", tmp_path / "tcp6"))
    with accepted() as connection:
        assert peer_of(connection) is None
    with pytest.raises(CannotAnswerError, match="does not report which user opened a connection"):
        asyncio.run(tcp.listen(0, no_client))


async def no_client(_: object, __: object) -> bool:
    raise AssertionError("no client is to be served")


@asynccontextmanager
async def listening(capfd: pytest.CaptureFixture[str], served: list[bytes]) -> AsyncGenerator[int]:
    """The port."""

    async def speak(reader: asyncio.StreamReader | tcp.FirstLine, writer: asyncio.StreamWriter) -> bool:
        served.append(await reader.readline())
        writer.write(b"served")
        await writer.drain()
        return False

    task = asyncio.create_task(tcp.listen(0, speak))
    log = ""
    while "\n" not in log:
        await asyncio.sleep(0.005)
        log += capfd.readouterr().err
    yield int(log.rpartition(":")[2])
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def answer(port: int, user: int) -> str:
    with client(port, user=user) as process:
        assert process.stdout is not None
        return process.stdout.readline().strip()


@AS_ANOTHER
async def test_a_stranger_is_sent_away_unheard_and_the_user_is_served_after(capfd: pytest.CaptureFixture[str]) -> None:
    served: list[bytes] = []
    async with listening(capfd, served) as port:
        assert await asyncio.to_thread(answer, port, ANOTHER_USER) in ("b''", "")
        assert served == [] and "refused a connection of another user" in capfd.readouterr().err
        assert await asyncio.to_thread(answer, port, 0) == "b'served'"
    assert served == [b"Content-Length: 2\r\n"]
