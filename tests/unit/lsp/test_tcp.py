"""Who is at the other end of a local connection."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

import pytest

from lsp import tcp
from lsp.tcp import user_at

SOCKETS = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:8C93 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2857599 1 0000000027c63a0a 100 0 0 10 0
   1: 0100007F:8C93 0100007F:935A 01 00000000:00000000 00:00000000 00000000     0        0 2903871 1 00000000fedc6567 20 4 30 16 -1
   2: 0100007F:935A 0100007F:8C93 01 00000000:00000000 02:00000C1B 00000000  1000        0 2903870 2 000000008734a07d 21 4 30 18 -1
   3: 0200000A:935B 0100007F:8C93 01 00000000:00000000 02:00000C1B 00000000  1001        0 2903872 2 000000008734a07d 21 4 30 18 -1
"""


def test_the_kernel_names_the_user_of_the_other_end() -> None:
    assert user_at(SOCKETS, (0x935A, 0x8C93)) == 1000
    assert user_at(SOCKETS, (0x8C93, 0x935A)) == 0, "our own end is another socket"
    assert user_at(SOCKETS, (0x935B, 0x8C93)) is None, "no socket of the loopback interface"


async def is_served_as(user: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a connection was spoken to, where the system says that it is of ``user``."""
    spoken = asyncio.Event()
    found: list[int] = []

    async def speak(_: object, __: object) -> bool:
        spoken.set()
        return True

    def user_of(_: str, __: tuple[int, int]) -> int:
        return user

    monkeypatch.setattr(tcp, "user_at", user_of)
    monkeypatch.setattr(sys, "stderr", Heard(found))
    listening = asyncio.create_task(tcp.listen(0, speak))
    while not found:  # noqa: ASYNC110 - the port is printed
        await asyncio.sleep(0.005)
    reader, writer = await asyncio.open_connection("127.0.0.1", found[0])
    writer.write(b"Content-Length: 2\r\n")
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    return spoken.is_set()


class Heard:
    """In place of stderr: takes the port."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports

    def write(self, text: str) -> None:
        if text.startswith("listening"):
            self._ports.append(int(text.rpartition(":")[2]))

    def flush(self) -> None: ...


@pytest.mark.parametrize(("user", "is_served"), [(os.getuid(), True), (os.getuid() + 1, False)])
def test_only_this_user_is_served(user: int, is_served: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(is_served_as(user, monkeypatch)) == is_served
