"""Where things live: the user's own files, the workspace of a source, the workspace's ``.kernelopt`` folder.

``KERNELOPT_HOME`` puts all of the user's files into one folder (tests, several users of one account)::

    KERNELOPT_HOME=/tmp/k kernelopt doctor      # memory, cache, configuration and trust below /tmp/k
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from assistant.disk.texts import MOST_SOURCE_BYTES, read_bytes
from assistant.record import Record

__all__ = [
    "CONFIG_NAME",
    "PYPROJECT_NAME",
    "RECORDS_NAME",
    "UserPaths",
    "find_project",
    "find_workspace",
    "has_tool_section",
    "is_workspace",
    "user_paths",
    "workspace_folder",
]

CONFIG_NAME = "kernelopt.toml"
PYPROJECT_NAME = "pyproject.toml"
RECORDS_NAME = "builds.json"
"""In a workspace's ``.kernelopt`` folder: what its recorded builds make."""
_OWN_FOLDER = ".kernelopt"
_PROJECT_FILES = ("CMakeLists.txt", "meson.build")
_PROJECT = re.compile(r"^\s*project\s*\(", re.MULTILINE | re.IGNORECASE)
_PACKAGE_FILES = ("setup.py", PYPROJECT_NAME)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TOOL_SECTION = "[tool.kernelopt"
_HOME_VARIABLE = "KERNELOPT_HOME"

_EXTENSIONS = "cpp_extension"
_NEAR = 4
"""Folders around a file, its own included."""
_MOST_SCRIPTS = 64
"""Files of a folder that are looked into."""
_HEADER_FOLDERS = ("include", "inc", "headers")
_SOURCE_FOLDERS = ("src", "source", "sources")
_OF_SYSTEM = ("usr",)
"""Its folders of these names belong to no one project."""
_MAIN = re.compile(r"^[ \t]*(?:int|auto|void)\s+main\s*\(", re.MULTILINE)


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
    writing: Path
    """Says which of the user's sources are being written while several are, JSON; there only while they are, or after a crash."""
    tasks: Path
    """Folder: what is judged in tasks for coding agents, and what came of it."""


def user_paths() -> UserPaths:
    """The platform's places for data, cache and configuration, or those below ``$KERNELOPT_HOME``."""
    home = os.environ.get(_HOME_VARIABLE)
    if home:
        root = Path(home).absolute()
        return UserPaths(
            memory=root / "memory.sqlite3",
            cache=root / "cache",
            config=root / "config.toml",
            trust=root / "trust.json",
            prices=root / "prices.toml",
            writing=root / "writing.json",
            tasks=root / "tasks",
        )
    data = platformdirs.user_data_path("kernelopt", appauthor=False)
    config = platformdirs.user_config_path("kernelopt", appauthor=False)
    return UserPaths(
        memory=data / "memory.sqlite3",
        cache=platformdirs.user_cache_path("kernelopt", appauthor=False),
        config=config / "config.toml",
        trust=data / "trust.json",
        prices=config / "prices.toml",
        writing=data / "writing.json",
        tasks=data / "tasks",
    )


def find_workspace(path: Path) -> Path:
    """Nearest ancestor with kernelopt configuration, a recorded build or ``.git``, else the folder of ``path``; symbolic links resolved.

    ``path`` is a file or a folder and need not exist (then it counts as a file). A link to a file lies where it is written; folders are
    where links lead, but where nothing around them is a workspace and something around their name is.
    """
    folder, *others = _starts(path)
    around = (candidate for start in (folder, *others) for candidate in (start, *start.parents))
    return next((Path(os.path.realpath(candidate)) for candidate in around if is_workspace(candidate)), folder)


def find_project(path: Path) -> Path:
    """The folder in which the sources of a file's programs are looked for: a marked workspace, else the outermost folder of its build.

    That is, of the folders around it: the topmost whose ``CMakeLists.txt`` or ``meson.build`` calls ``project()``, the nearest with
    ``setup.py`` or ``pyproject.toml``, the topmost of those with a ``Makefile`` that lie directly in each other. Else the nearest of a few
    with a Python file that has PyTorch build extensions, else the nearest with ``include`` beside a ``src`` that has a CUDA source with
    ``main()``, in itself or a folder in it, else the nearest of them with such a source, else its own folder. The home folder and what is
    around it are never meant.
    """
    workspace = find_workspace(path)
    if is_workspace(workspace):
        return workspace
    roots = (_build_root(start) for start in _starts(path))
    root = next((found for found in roots if found is not None), None)
    if root is None:
        near = list(itertools.islice(_below_home(workspace), _NEAR))
        return next((folder for has in (_builds_extension, _is_split, _has_main) for folder in near if has(folder)), workspace)
    return Path(os.path.realpath(root))


def _starts(path: Path) -> tuple[Path, ...]:
    """The folder of a path: the real one, then as it is written, where that is another. What we keep in a workspace belongs to that."""
    written = Path(os.path.abspath(path))  # noqa: PTH100 - ``..`` goes with it
    folder = written if written.is_dir() else written.parent
    own = next((each for each in (folder, *folder.parents) if each.name == _OWN_FOLDER), None)
    folder = folder if own is None else own.parent
    return tuple(dict.fromkeys((Path(os.path.realpath(folder)), folder)))  # a loop of links is no error yet


def _build_root(folder: Path) -> Path | None:
    """The outermost folder of the build that a folder belongs to."""
    around = list(_below_home(folder))
    roots = (
        *(folder for folder in around if any(_PROJECT.search(_text(folder / name)) for name in _PROJECT_FILES)),
        *[folder for folder in around if _has_any(folder, _PACKAGE_FILES)][:1],
        *_first_run([_has_any(folder, _MAKEFILES) for folder in around], around),
    )
    return min(roots, key=lambda folder: len(folder.parts), default=None)


def _builds_extension(folder: Path) -> bool:
    """Whether a Python file in it mentions PyTorch's module for that."""
    return any(_EXTENSIONS in _text(script) for script in sorted(folder.glob("*.py"))[:_MOST_SCRIPTS])


def _has_main(folder: Path) -> bool:
    """Whether a CUDA source in it has ``main()``: one in a folder around a file may run what stands in that."""
    return any(_MAIN.search(_text(source)) for source in sorted(folder.glob("*.cu"))[:_MOST_SCRIPTS])


def _is_split(folder: Path) -> bool:
    """Whether headers, and a CUDA source with ``main()``, have a folder each in it."""
    has_headers = any((folder / name).is_dir() for name in _HEADER_FOLDERS)
    return has_headers and folder.parts[1:2] != _OF_SYSTEM and any(_has_main_below(folder / name) for name in _SOURCE_FOLDERS)


def _has_main_below(folder: Path) -> bool:
    """As ``_has_main``, also of the folders in it: ``src/apps/main.cu``."""
    inner = sorted(each for each in folder.iterdir() if each.is_dir())[:_MOST_SCRIPTS] if folder.is_dir() else []
    return any(map(_has_main, (folder, *inner)))


def has_tool_section(pyproject: Path) -> bool:
    """Whether a ``pyproject.toml`` holds ``[tool.kernelopt]``, even if it is not valid TOML otherwise."""
    try:
        return _TOOL_SECTION in pyproject.read_text("utf-8", errors="replace").replace(" ", "")
    except OSError:
        return False


def workspace_folder(workspace: Path) -> Path:
    """The ``.kernelopt`` folder of a workspace, made if need be, with a ``.gitignore`` that hides all of it."""
    folder = workspace / _OWN_FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n", "utf-8")
    return folder


def is_workspace(folder: Path) -> bool:
    """Whether something in the folder marks it as one."""
    marks = (folder / CONFIG_NAME, folder / _OWN_FOLDER / RECORDS_NAME)
    return any(mark.is_file() for mark in marks) or (folder / ".git").exists() or has_tool_section(folder / PYPROJECT_NAME)


def _below_home(folder: Path) -> Iterator[Path]:
    """The folder and those around it, up to the home folder and the file system's root, both left out."""
    home = Path(os.path.realpath(Path.home()))
    outer = {home, *home.parents, Path(folder.anchor)}
    yield from itertools.takewhile(lambda each: each not in outer, (folder, *folder.parents))


def _first_run(has: list[bool], folders: list[Path]) -> list[Path]:
    """The first of the folders that has it, and those around it that have it without a gap."""
    start = next((at for at, one in enumerate(has) if one), len(has))
    return list(itertools.takewhile(lambda folder: has[folders.index(folder)], folders[start:]))


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).is_file() for name in names)


def _text(path: Path) -> str:
    """Empty for what cannot be read, and for what is larger than any source."""
    try:
        return read_bytes(path, MOST_SOURCE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
