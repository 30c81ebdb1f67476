"""A running code-server: VS Code's server half with the extension host, in which the installed extension runs.

It knows folders and processes, nothing of the browser. Its user, extensions and memory are its own.

Example::

    with code_server(cli, {"kernelopt.server.python": sys.executable}) as served:
        served.address("folder")      # "http://127.0.0.1:41234/?folder=…"
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.deadlines import GONE_WITHIN_S, HANG_S
from tests.e2e.cli.harness import Alive, Cli, alive
from tests.e2e.vscode.parts import code_server_command

__all__ = ["CodeServer", "code_server", "install", "only_server", "server_ids", "servers"]

_START_DEADLINE_S = HANG_S
_INSTALL_DEADLINE_S = HANG_S
_END_DEADLINE_S = GONE_WITHIN_S
_POLL_S = 0.05
_ENTRY = "/code-server/out/node/entry"
"""Of a command line of code-server."""
_LISTENING = re.compile(r"HTTP server listening on (http://\S+?)/?\s")
_QUIET: dict[str, object] = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.enableExperiments": False,
    "workbench.hover.delay": 3_600_000,
    "editor.hover.delay": 10_000,
    "extensions.ignoreRecommendations": True,
    "editor.minimap.enabled": False,
    "editor.cursorBlinking": "solid",
    "files.autoSave": "off",
    "files.hotExit": "off",
    "git.enabled": False,
    "security.workspace.trust.startupPrompt": "always",
}
"""Nothing moves but by the tests: what blinks is drawn anew all the time. No hint comes up where the mouse rests, over what is to be
clicked next; 10 s are the most that an editor takes. Workspace trust stays on, and asks."""

_OF_MACHINE = ("kernelopt.server.", "kernelopt.program.")
"""Settings of the machine on which the server runs: a window elsewhere does not take them from its user's own."""


@dataclass(frozen=True)
class CodeServer:
    process: subprocess.Popen[bytes]
    url: str
    data: Path
    """The user's data folder."""

    def address(self, folder: Path) -> str:
        return f"{self.url}/?folder={quote(str(folder))}"

    @property
    def settings(self) -> dict[str, Any]:
        return json.loads(_settings_file(self.data).read_text("utf-8"))

    def set(self, values: Mapping[str, object]) -> None:
        """Make these the user's settings; windows that are open do not watch the file."""
        _settings_file(self.data).write_text(json.dumps(dict(values)), "utf-8")

    def forget(self) -> None:
        """Lose the unsaved text of windows that were closed, which VS Code would bring back in the next one on the same folder."""
        shutil.rmtree(self.data / "User" / "Backups", ignore_errors=True)


@contextlib.contextmanager
def code_server(cli: Cli, data: Path, settings: Mapping[str, object]) -> Generator[CodeServer]:
    """Start, wait until it listens, and end it with everything it started."""
    of_machine = {name: value for name, value in settings.items() if name.startswith(_OF_MACHINE)}
    for path, values in ((_settings_file(data), _QUIET | dict(settings)), (data / "Machine" / "settings.json", of_machine)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), "utf-8")
    log = data / "code-server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            (*_command(data), "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"),
            cwd=cli.folder,
            env=_environment(cli, data),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        yield CodeServer(process, _address(process, log), data)
    finally:
        _end(process)


def install(cli: Cli, data: Path, package: Path) -> str:
    """Install a ``.vsix``; what code-server said. Raises where it refused."""
    ended = subprocess.run(
        (*_command(data), "--install-extension", str(package)),
        cwd=cli.folder,
        env=_environment(cli, data),
        capture_output=True,
        text=True,
        timeout=_INSTALL_DEADLINE_S,
        check=True,
    )
    return ended.stdout


def servers() -> list[Alive]:
    """The language servers that windows run; other front ends that tests of this process share may run theirs next to them."""
    windows = [process.pid for process in alive() if _ENTRY in process.command]
    below = {process.pid: process for window in windows for process in alive(window)}
    return [process for process in below.values() if "-m assistant lsp" in process.command]


def server_ids() -> list[int]:
    return [process.pid for process in servers()]


def only_server() -> list[int]:
    """The id of the one that runs, once those of windows before have ended."""
    found = server_ids()
    return found if len(found) == 1 else []


def _command(data: Path) -> tuple[str, ...]:
    own = ("--config", str(data / "config.yaml"), "--user-data-dir", str(data), "--extensions-dir", str(data / "extensions"))
    return *code_server_command(), *own


def _environment(cli: Cli, data: Path) -> dict[str, str]:
    """The command line's, so that memory is shared with it, with nothing of this machine's user."""
    return cli.environment() | {"XDG_CONFIG_HOME": str(data / "config"), "XDG_DATA_HOME": str(data / "share")}


def _settings_file(data: Path) -> Path:
    return data / "User" / "settings.json"


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + _START_DEADLINE_S
    while time.monotonic() < deadline and process.poll() is None:
        if (found := _LISTENING.search(log.read_text("utf-8", "replace"))) is not None:
            return found.group(1)
        time.sleep(_POLL_S)
    raise AssertionError(f"code-server does not listen:\n{log.read_text('utf-8', 'replace')}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask, then insist; its extension hosts are in its process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_DEADLINE_S)
            return
