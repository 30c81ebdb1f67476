"""A running JupyterLab with the extensions of this tree: a user of its own, whose memory is the command line's.

Example::

    with jupyter_lab(cli, folder) as lab:
        lab.address("lab.ipynb")      # "http://127.0.0.1:41234/lab/…"
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request, urlopen

from tests.deadlines import GONE_WITHIN_S, HANG_S
from tests.e2e.cli.harness import ROOT, Cli

__all__ = ["Cell", "JupyterLab", "jupyter_lab", "notebook"]

_START_DEADLINE_S = HANG_S
_END_DEADLINE_S = GONE_WITHIN_S
_POLL_S = 0.1
_SETTINGS = {
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension/plugin.jupyterlab-settings": {"autosave": False},
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"codeCellConfig": {"cursorBlinkRate": 0}},
}
"""Nothing is asked of the network, and nothing moves but by the tests."""


@dataclass(frozen=True)
class JupyterLab:
    process: subprocess.Popen[bytes]
    url: str
    token: str
    log: Path

    def address(self, path: str) -> str:
        """Of a page that shows a file of the folder, in a workspace of its own."""
        return f"{self.url}lab/workspaces/{secrets.token_hex(4)}/tree/{quote(path)}?token={self.token}"

    def notebook_address(self, path: str) -> str:
        """Of Notebook 7's page of it, which the same server has."""
        return f"{self.url}notebooks/{quote(path)}?token={self.token}"

    def end_kernels(self) -> None:
        """As *Shut Down All Kernels* does."""
        for session in self._ask("GET", "api/sessions"):
            self._ask("DELETE", f"api/sessions/{session['id']}")

    def _ask(self, method: str, path: str) -> list[dict[str, str]]:
        asked = Request(f"{self.url}{path}", method=method, headers={"Authorization": f"token {self.token}"})
        with urlopen(asked, timeout=_END_DEADLINE_S) as answer:
            return json.loads(answer.read() or "[]")


@contextlib.contextmanager
def jupyter_lab(cli: Cli, user: Path) -> Generator[JupyterLab]:
    """Start, wait until it listens, and end it with everything it started; ``user``: an empty folder for what is the user's."""
    _install(user)
    log, token = user / "jupyter.log", secrets.token_hex(16)
    with log.open("wb") as out:
        process = subprocess.Popen(
            (sys.executable, "-m", "jupyterlab", *_options(cli, token)),
            cwd=cli.folder,
            env=cli.environment() | _variables(user),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        yield JupyterLab(process, _url(process, user, log), token, log)
    finally:
        _end(process)


@dataclass(frozen=True)
class Cell:
    """A code cell with metadata of its own."""

    text: str
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])


def notebook(*cells: str | Cell) -> str:
    """A notebook of code cells ``cell0``, ``cell1``, …, as Jupyter writes it."""
    written = [_written(i, cell if isinstance(cell, Cell) else Cell(cell)) for i, cell in enumerate(cells)]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": spec, "language_info": {"name": "python"}}
    return json.dumps({"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _written(index: int, cell: Cell) -> dict[str, object]:
    source, metadata = cell.text.splitlines(True), dict(cell.metadata)
    return {"cell_type": "code", "id": f"cell{index}", "source": source, "metadata": metadata, "outputs": [], "execution_count": None}


def _install(user: Path) -> None:
    """Where an installed wheel puts it: JupyterLab's extension, and that the server loads ours."""
    extensions = user / "share" / "labextensions"
    extensions.mkdir(parents=True)
    (extensions / "kernelopt").symlink_to(ROOT / "jupyter_ext" / "labextension")
    enabled = user / "config" / "jupyter_server_config.d"
    enabled.mkdir(parents=True)
    (enabled / "kernelopt.json").symlink_to(ROOT / "jupyter_ext" / "server_config.json")
    for name, values in _SETTINGS.items():
        path = user / "settings" / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values), "utf-8")


def _variables(user: Path) -> dict[str, str]:
    return {
        "JUPYTER_PATH": str(user / "share"),
        "JUPYTER_CONFIG_PATH": str(user / "config"),
        "JUPYTER_CONFIG_DIR": str(user / "own"),
        "JUPYTER_DATA_DIR": str(user / "data"),
        "JUPYTER_RUNTIME_DIR": str(user / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(user / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(user / "workspaces"),
        "IPYTHONDIR": str(user / "ipython"),
    }


def _options(cli: Cli, token: str) -> tuple[str, ...]:
    return (
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        "--port=0",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={cli.folder}",
        "--LabApp.extension_manager=readonly",
        "--LabApp.check_for_updates_class=jupyterlab.handlers.announcements.NeverCheckForUpdate",
    )


def _url(process: subprocess.Popen[bytes], user: Path, log: Path) -> str:
    """From the file that it writes once it listens."""
    deadline = time.monotonic() + _START_DEADLINE_S
    while time.monotonic() < deadline and process.poll() is None:
        for path in (user / "runtime").glob("jpserver-*.json"):
            with contextlib.suppress(ValueError):  # half written
                return str(json.loads(path.read_text("utf-8"))["url"])
        time.sleep(_POLL_S)
    raise AssertionError(f"JupyterLab does not listen:\n{log.read_text('utf-8', 'replace')}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask, then insist; what its kernels started is theirs to end."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_DEADLINE_S)
            return
