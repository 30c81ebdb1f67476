"""Where a real editor is driven: a folder with one faulty source, a ``kernelopt`` on the path, and nothing of the user's own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.memory.store import open_store
from tests.deadlines import HANG_S
from tests.e2e.cli.harness import COMMAND, DATA, ROOT, Cli
from tests.e2e.editors.packages import Packaged

__all__ = ["SNIPPETS", "Stage", "as_cpp_header", "emacs_command", "emacs_says", "make_project_stage", "make_stage", "neovim_command"]

_HERE = Path(__file__).parent
SNIPPETS = ROOT / "docs" / "how-to" / "editors"
"""The very files that the documentation shows."""

_DEADLINE_S = 2 * HANG_S
_STEP_DEADLINE_S = round(HANG_S)
"""Of one thing that an editor waits for: optimize on a loaded machine with a cold cache."""
_RIGHT, _FAULTY = "threadIdx.y;\n    if", "threadIdx.y\n    if"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_QUIET = '[background]\nverify = "off"\n'
"""Nothing but the compiler runs unasked; optimize verifies and profiles all the same."""


@dataclass(frozen=True)
class Stage:
    """One editor's surroundings."""

    cli: Cli
    source: Path

    @property
    def report(self) -> Path:
        return self.cli.folder.with_name("report.json")

    def play(self, command: tuple[str, ...], variables: dict[str, str]) -> dict[str, Any]:
        """Run an editor in a terminal of its own to its end; what its script saw."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        process = subprocess.Popen(
            command,
            cwd=self.cli.folder,
            env=self._environment() | variables,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(follower)
        screen = bytearray()
        reader = threading.Thread(target=_read, args=(leader, screen))
        reader.start()
        try:
            process.wait(_DEADLINE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the editor did not end:\n{_tail(screen)}") from None
        finally:
            process.kill()
            process.wait()
            reader.join(10)
            os.close(leader)
        assert self.report.exists(), f"the editor ended without a report:\n{_tail(screen)}"
        return json.loads(self.report.read_text("utf-8"))

    def decisions(self) -> list[str]:
        """What memory holds, oldest first."""
        with open_store(self.cli.home / "memory.sqlite3") as store:
            return [decision.kind.value for proposal in store.proposals() for decision in store.decisions(proposal.id)]

    def helix_health(self, editor: Packaged, snippet: str, language: str) -> str:
        """What ``hx --health`` says of a language, with a snippet as the whole ``languages.toml``."""
        configuration = self.cli.folder.with_name("user") / "XDG_CONFIG_HOME" / "helix"
        configuration.mkdir(parents=True)
        (configuration / "languages.toml").write_text((SNIPPETS / snippet).read_text("utf-8"), "utf-8")
        command = (*editor.command(), "--health", language)
        variables = self._environment() | {"HELIX_RUNTIME": str(editor.folder / "usr/lib/hx/runtime"), "NO_COLOR": "1"}
        ended = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=_STEP_DEADLINE_S, check=True)
        return _COLOUR.sub("", ended.stdout)

    def _environment(self) -> dict[str, str]:
        own = self.cli.folder.with_name("user")
        folders = {name: str(own / name) for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        script = {
            "KERNELOPT_TEST_SOURCE": str(self.source),
            "KERNELOPT_TEST_REPORT": str(self.report),
            "KERNELOPT_TEST_DEADLINE_S": str(_STEP_DEADLINE_S),
        }
        path = f"{self.cli.folder.with_name('bin')}:{os.environ['PATH']}"
        return self.cli.environment() | folders | script | {"HOME": str(own), "PATH": path, "TERM": "xterm"}


def make_stage(cli: Cli) -> Stage:
    """A trusted folder with a source that does not compile as it stands."""
    _set(cli)
    source = cli.example("transpose.cu")
    source.write_text(source.read_text("utf-8").replace(_RIGHT, _FAULTY), "utf-8")
    return Stage(cli, source)


def make_project_stage(cli: Cli) -> Stage:
    """A trusted, configured CMake project; a proposal for the kernel of its header, ``source``, waits: it changes ``bench.cu`` too."""
    shutil.copytree(DATA / "programs" / "cmake_header", cli.folder, dirs_exist_ok=True)
    _set(cli)
    header = as_cpp_header(cli.folder)
    for words in (("program", header, "--configure"), ("optimize", header, "--allow-host-code", "--accept", "none")):
        ended = cli.run(*words)
        assert ended.code == 0, ended.said
    return Stage(cli, header)


def as_cpp_header(folder: Path) -> Path:
    """The project's header under a name by which editors take it for C++."""
    header = folder / "include" / "vec" / "scale.hpp"
    header.with_suffix(".cuh").rename(header)
    bench = folder / "bench" / "bench.cu"
    bench.write_text(bench.read_text("utf-8").replace("scale.cuh", header.name), "utf-8")
    return header


def _set(cli: Cli) -> None:
    """The surroundings of any stage."""
    for name in ("user", "bin"):
        cli.folder.with_name(name).mkdir()
    starter = cli.folder.with_name("bin") / "kernelopt"
    starter.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    starter.chmod(0o755)
    cli.write("kernelopt.toml", _QUIET)
    trusted = cli.run("trust", cli.folder)
    assert trusted.code == 0, trusted.said


def neovim_command(editor: Packaged, snippet: str, script: str = "drive.lua") -> tuple[tuple[str, ...], dict[str, str]]:
    """Starts Neovim with a snippet as its whole configuration, and has it drive itself."""
    runtime = {"VIMRUNTIME": str(editor.folder / "usr/share/nvim/runtime")}
    return (*editor.command(), "--headless", "-u", str(SNIPPETS / snippet), "-c", f"luafile {_HERE / script}"), runtime


def emacs_command(editor: Packaged, snippet: str, source: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Starts Emacs in the terminal with a snippet as its whole configuration, and has it drive itself."""
    start, places = _emacs(editor)
    scripts = ("-l", str(SNIPPETS / snippet), "-l", str(_HERE / "drive.el"), str(source))
    return (*start, "-nw", "-Q", "--eval", "(setq native-comp-jit-compilation nil)", *scripts), places


def emacs_says(editor: Packaged, snippet: str, expression: str) -> str:
    """The value of an expression once Emacs has taken a snippet as its whole configuration."""
    start, places = _emacs(editor)
    words = (*start, "--batch", "-Q", "-l", str(SNIPPETS / snippet), "--eval", f"(princ {expression})")
    return subprocess.run(words, env=os.environ | places, capture_output=True, text=True, timeout=_STEP_DEADLINE_S, check=True).stdout


def _emacs(editor: Packaged) -> tuple[tuple[str, ...], dict[str, str]]:
    """What starts it, and the variables by which it finds its own files."""
    share = next(editor.folder.glob("usr/share/emacs/[0-9]*"))
    dump = next(editor.folder.glob("usr/libexec/emacs/*/*/*.pdmp"))
    data = str(share / "etc")
    lisp = (*editor.folder.glob("usr/share/emacs/site-lisp/elpa-src/*"), share / "lisp")  # what packages bring comes first
    places = {"EMACSDATA": data, "EMACSDOC": data, "EMACSLOADPATH": ":".join(map(str, lisp)), "EMACSPATH": str(dump.parent)}
    return (*editor.command(), f"--dump-file={dump}"), places


def _tail(screen: bytearray) -> str:
    return screen[-3000:].decode("utf-8", "replace")


def _read(terminal: int, screen: bytearray) -> None:
    """Take what an editor draws: it would wait for ever on a full terminal."""
    while True:
        try:
            drawn = os.read(terminal, 65536)
        except OSError:
            return
        if not drawn:
            return
        screen += drawn
