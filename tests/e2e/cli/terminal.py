"""A command on a pseudo terminal of its own, for what is asked only of people.

Example::

    with Terminal(cli, "optimize", path) as terminal:
        terminal.read_until("decide [l]ater")
        terminal.type("l\\n")
        assert terminal.wait() == 0
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time
from pathlib import Path

from tests.e2e.cli.harness import COMMAND, DEADLINE_S, Cli


class Terminal:
    """A running command; ``seen`` is what it has written so far."""

    def __init__(self, cli: Cli, *arguments: str | Path) -> None:
        self.seen = ""
        self._descriptor, child = pty.openpty()
        self._process = subprocess.Popen(
            (*COMMAND, *map(str, arguments)),
            cwd=cli.folder,
            env=cli.environment() | {"TERM": "xterm-256color", "COLUMNS": "120"},
            stdin=child,
            stdout=child,
            stderr=child,
            start_new_session=True,
            preexec_fn=lambda: _take_terminal(child),
        )
        os.close(child)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._descriptor)

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def read_until(self, words: str) -> None:
        deadline = time.monotonic() + DEADLINE_S
        while words not in self.seen and self._read_some(deadline):
            pass
        assert words in self.seen, self.seen

    def wait(self, seconds: float = DEADLINE_S) -> int:
        """The exit code; output is drained meanwhile."""
        deadline = time.monotonic() + seconds
        while self._read_some(deadline):
            pass
        return self._process.wait(max(0.1, deadline - time.monotonic()))

    def _read_some(self, deadline: float) -> bool:
        if not select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return False
        try:
            chunk = os.read(self._descriptor, 65536)
        except OSError:  # Linux: the other side is closed
            return False
        self.seen += chunk.decode("utf-8", "replace")
        return bool(chunk)


def _take_terminal(descriptor: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)
