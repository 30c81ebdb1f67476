"""Where things live: the user's own files, the workspace of a source, the workspace's ``.kernelopt`` folder.

``KERNELOPT_HOME`` puts all of the user's files into one folder (tests, several users of one account)::

    KERNELOPT_HOME=/tmp/k kernelopt doctor      # memory, cache, configuration and trust below /tmp/k
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from assistant.record import Record

__all__ = ["CONFIG_NAME", "PYPROJECT_NAME", "UserPaths", "find_workspace", "has_tool_section", "user_paths", "workspace_folder"]

CONFIG_NAME = "kernelopt.toml"
PYPROJECT_NAME = "pyproject.toml"
_TOOL_SECTION = "[tool.kernelopt"
_HOME_VARIABLE = "KERNELOPT_HOME"


class UserPaths(Record):
    """The user's own files; none of them need exist."""

    memory: Path
    """The memory file."""
    cache: Path
    """Folder; may be deleted at any time."""
    config: Path
    """The user's settings, TOML."""
    trust: Path
    """Which folders may run programs, JSON."""
    prices: Path
    """What models cost, TOML; the user writes it."""


def user_paths() -> UserPaths:
    """The platform's places for data, cache and configuration, or those below ``$KERNELOPT_HOME``."""
    home = os.environ.get(_HOME_VARIABLE)
    if home:
        root = Path(home).absolute()
        return UserPaths(root / "memory.sqlite3", root / "cache", root / "config.toml", root / "trust.json", root / "prices.toml")
    data = platformdirs.user_data_path("kernelopt", appauthor=False)
    config = platformdirs.user_config_path("kernelopt", appauthor=False)
    return UserPaths(
        memory=data / "memory.sqlite3",
        cache=platformdirs.user_cache_path("kernelopt", appauthor=False),
        config=config / "config.toml",
        trust=data / "trust.json",
        prices=config / "prices.toml",
    )


def find_workspace(path: Path) -> Path:
    """Nearest ancestor with kernelopt configuration or ``.git``, else the folder of ``path``; symbolic links resolved.

    ``path`` is a file or a folder and need not exist (then it counts as a file).
    """
    resolved = Path(os.path.realpath(path))  # a loop of links is no error yet
    folder = resolved if resolved.is_dir() else resolved.parent
    return next((candidate for candidate in (folder, *folder.parents) if _is_workspace(candidate)), folder)


def has_tool_section(pyproject: Path) -> bool:
    """Whether a ``pyproject.toml`` holds ``[tool.kernelopt]``, even if it is not valid TOML otherwise."""
    try:
        return _TOOL_SECTION in pyproject.read_text("utf-8", errors="replace").replace(" ", "")
    except OSError:
        return False


def workspace_folder(workspace: Path) -> Path:
    """The ``.kernelopt`` folder of a workspace, made if need be, with a ``.gitignore`` that hides all of it."""
    folder = workspace / ".kernelopt"
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
    return folder


def _is_workspace(folder: Path) -> bool:
    return (folder / CONFIG_NAME).is_file() or (folder / ".git").exists() or has_tool_section(folder / PYPROJECT_NAME)
