"""No test reaches the network, nor does a command that a test starts; neither prepares what no test asks for."""

from __future__ import annotations

import asyncio
import importlib
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.cli.harness import make_cli
from tests.network.ban import NetworkForbiddenError

ELSEWHERE = "192.0.2.1"
"""Of no machine (RFC 5737)."""


def test_a_connection_elsewhere_is_refused() -> None:
    with socket.socket() as plain, pytest.raises(NetworkForbiddenError, match=ELSEWHERE):
        plain.connect((ELSEWHERE, 80))
    with socket.socket(type=socket.SOCK_DGRAM) as plain, pytest.raises(NetworkForbiddenError):
        plain.sendto(b"x", (ELSEWHERE, 53))


def test_no_name_is_looked_up() -> None:
    with pytest.raises(NetworkForbiddenError, match=r"api\.openai\.com"):
        socket.getaddrinfo("api.openai.com", 443)


async def test_a_library_cannot_go_around_it() -> None:
    with pytest.raises(NetworkForbiddenError):
        await asyncio.open_connection(ELSEWHERE, 443)


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(("localhost", server.getsockname()[1])):
        pass


def test_commands_that_tests_start_are_bound_too(tmp_path: Path) -> None:
    asked = f"import socket; socket.create_connection(({ELSEWHERE!r}, 80))"
    ended = subprocess.run((sys.executable, "-c", asked), env=make_cli(tmp_path).environment(), capture_output=True, text=True, timeout=60)
    assert "NetworkForbiddenError" in ended.stderr


def test_nothing_that_no_test_asks_for_is_prepared(tmp_path: Path) -> None:
    """`tests/network/quick.py`: here and in what tests start."""
    with pytest.raises(ImportError):
        importlib.import_module("rfc3987_syntax")
    asked = "import sys; sys.exit('rfc3987_syntax' not in sys.modules)"
    subprocess.run((sys.executable, "-c", asked), env=make_cli(tmp_path).environment(), check=True, timeout=60)
