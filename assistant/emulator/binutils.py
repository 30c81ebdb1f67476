"""Runs a tool of binutils on one file that compilers made, limited to reading that file.

Example::

    run_binutil(("objdump", "-d", "/tmp/0.o"), Path("/tmp/0.o"), launcher)
"""

from __future__ import annotations

import shutil
from pathlib import Path

from assistant.worker.launcher import Launcher
from assistant.worker.readable import NO_FILES, compiler_access, tool_places
from assistant.worker.tools import Run, ToolSetting, run_tool

__all__ = ["run_binutil", "setting_of"]

_TIMEOUT_S = 30.0


def run_binutil(command: tuple[str, ...], file: Path | None, launcher: Launcher | None) -> Run:
    """Raises FileNotFoundError where the tool is not installed."""
    path = shutil.which(command[0])
    if path is None:
        raise FileNotFoundError(2, "no such program", command[0])
    return run_tool((path, *command[1:]), _TIMEOUT_S, setting_of(path, file, launcher))


def setting_of(tool: str, file: Path | None, launcher: Launcher | None) -> ToolSetting:
    """``tool``: its path; ``file``: the only one of ours or the user's that it reads, None where it reads none."""
    return ToolSetting(launcher, compiler_access(NO_FILES, tool_places(tool), () if file is None else (file,), ()))
