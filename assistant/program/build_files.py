"""What a build is described by: Makefiles, ninja files, scripts; and how a person may have it recorded.

Example::

    made_from(Path("/p"), ("make", "app"), Path("/p"))      # {'Makefile': '4f…', 'rules.mk': '09…'}
    build_way(Path("/p"), Path("/p/a.cu"))              # BuildWay(file='Makefile', command='make')
    build_hint(Path("/p"), Path("/p/a.cu"))             # 'Makefile was found: kernelopt program /p/a.cu --record "make" …'
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from assistant.build.units import UNIT_SUFFIXES
from assistant.disk.sources import source_files
from assistant.disk.texts import MOST_SOURCE_BYTES, source_text
from assistant.program.build_record import file_digest
from assistant.record import Record

__all__ = ["BuildWay", "build_hint", "build_way", "made_from", "sources_taken"]

_BUILD_FILES = ("Makefile", "makefile", "GNUmakefile", "*.mk", "*.mak", "*.ninja", "CMakeLists.txt", "*.cmake", "meson.build", "configure")
_SCRIPT_SUFFIXES = frozenset({".sh", ".bash", ".py", ".pl", ".awk", ".mk", ".in", ""})
"""Suffixes of files that count where a build file or the command names them."""
_NOT_ENTERED = frozenset({"node_modules", "site-packages", "__pycache__", "CMakeFiles", "venv", "virtualenv"})
_CMAKE_FILE = "CMakeLists.txt"
_CONFIGURED = ".kernelopt/cmake"
"""Where ``--configure`` was answered already."""
_OF_CMAKE = "CMakeCache.txt"
"""Next to build files that name the folder which they were made in, and build in no copy of it."""
_MOST_FILES = 400
_MOST_FOLDERS = 5_000
_WORD = re.compile(r"[\w./+-]+")
_TAKES_ALL = re.compile(r"\*\.(?:cu|cpp|cc|cxx|c)\b")
"""Pattern in a build that compiles whatever sources there are."""
_HINTS = (
    ("Makefile", "make"), ("makefile", "make"), ("GNUmakefile", "make"), ("build.ninja", "ninja"), ("build/Makefile", "make -C build"),
    ("build/build.ninja", "ninja -C build"), ("build.sh", "sh build.sh"), ("compile.sh", "sh compile.sh"),
)  # fmt: skip
"""(file, command), the first that is there."""
_HINTS_BELOW = _HINTS[:4]
"""Hints for folders below the workspace's: about commands that take ``-C``."""


def made_from(workspace: Path, command: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Digests of the files that say how the build goes, by their paths relative to the workspace."""
    files = dict.fromkeys((*_files(workspace), *_named(workspace, folder, " ".join(command))))
    for path in list(files):
        files.update(dict.fromkeys(_named(workspace, path.parent, source_text(path) or "")))
    kept = list(files)[:_MOST_FILES]
    return {str(path.relative_to(workspace)): file_digest(path) for path in kept}


def sources_taken(workspace: Path, command: tuple[str, ...], files: dict[str, str]) -> tuple[str, ...]:
    """All units of the workspace where the build takes whatever there is; none where it names them."""
    texts = (" ".join(command), *(source_text(workspace / name) or "" for name in files))
    if not any(_TAKES_ALL.search(text) for text in texts):
        return ()
    return tuple(str(path.relative_to(workspace)) for path in source_files(workspace, UNIT_SUFFIXES, MOST_SOURCE_BYTES))


class BuildWay(Record):
    """How a build could say more than includes do."""

    file: str
    """What describes the build, relative to the workspace."""
    command: str | None
    """To be recorded, in the workspace; None: CMake is to configure the project."""


def build_way(workspace: Path, file: Path | None) -> BuildWay | None:
    """At the workspace's root, else nearest to the file; None where no build is seen, or CMake configured the project already."""
    above = [] if file is None else list(itertools.takewhile(lambda folder: folder != workspace, file.parents))
    folders = (workspace, *(folder for folder in above if folder.is_relative_to(workspace)))
    if any((folder / _CMAKE_FILE).is_file() for folder in folders) and not (workspace / _CONFIGURED).is_dir():
        return BuildWay(_CMAKE_FILE, None)
    for folder in folders:
        for name, command in _HINTS if folder == workspace else _HINTS_BELOW:
            place = folder / name
            if place.is_file() and not (place.parent / _OF_CMAKE).exists():
                within = "" if folder == workspace else f" -C {shlex.quote(str(folder.relative_to(workspace)))}"
                return BuildWay(str(place.relative_to(workspace)), command + within)
    return None


def build_hint(workspace: Path, file: Path | None) -> str:
    """``build_way`` in one sentence for a person at a terminal; empty where there is none."""
    asked = "" if file is None else f" {file}"
    match build_way(workspace, file):
        case None:
            return ""
        case BuildWay(file=name, command=None):
            return f"{name} was found: kernelopt program{asked} --configure has CMake list what it builds, in a folder of its own"
        case BuildWay(file=name, command=command):
            return f'{name} was found: kernelopt program{asked} --record "{command}" runs it once and keeps what it compiles and links'


def _files(workspace: Path) -> Iterator[Path]:
    """Build files by their names, the nearest to the workspace's root first."""
    waiting, count = [str(workspace)], 0
    while waiting and count < _MOST_FOLDERS:
        count += 1
        try:
            with os.scandir(waiting.pop(0)) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NOT_ENTERED and not entry.name.startswith("."):
                    waiting.append(entry.path)
            elif any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in _BUILD_FILES) and entry.is_file():
                yield Path(entry.path)


def _named(workspace: Path, folder: Path, text: str) -> Iterator[Path]:
    """Scripts and lists in the workspace that a text names."""
    for word in dict.fromkeys(_WORD.findall(text)):
        path = Path(os.path.normpath(folder / word))
        if path.suffix in _SCRIPT_SUFFIXES and path.is_relative_to(workspace) and path.is_file() and _is_text(path):
            yield path


def _is_text(path: Path) -> bool:
    """Not a program or object that lies there from an earlier build."""
    try:
        with path.open("rb") as file:
            return b"\0" not in file.read(4096)
    except OSError:
        return False
