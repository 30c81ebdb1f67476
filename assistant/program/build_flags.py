"""Flags that a build's own files name, which a program found by includes, or named by its sources, is compiled without: they are reported.

Makefiles and their kin are programs; only what stands in them word by word is read. Example::

    unused_flags(read, "/p", ("/p/src/main.cu",), ("-Iinclude",))     # 'Makefile has -DN=4 and -std=c++20, which are not used'
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from assistant.build.flags import normalise
from assistant.program.build_files import BuildWay, build_way
from assistant.program.sources import ReadFile
from assistant.program.wording import enumerated

__all__ = ["BY_HAND", "named_flags", "unused_flags", "way_to_use"]

BY_HAND = "--cflags gives them"
"""Whatever is asked, of whatever sources."""
_FILES = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "meson.build", "setup.py")
_USUAL_STANDARDS = ("11", "14", "17")
"""Compiled as C++17, which takes such sources too."""
_TELLING = ("-D", "-std", "--std")
"""Folders are found by the includes themselves, and kernels are compiled for the target that is predicted."""
_COMMENT = re.compile(r"(?<!\\)#.*")
_WORD = re.compile(r"(?<![\w-])(-D\s*[A-Za-z_]\w*(?:=[^\s\"',;)\]]+)?|-I\s*[^\s\"',;)\]]+|--?std[= ][\w+]+|-arch[= ]\w+|-gencode[= ]\S+)")
_DEFINITIONS = re.compile(r"(?:target|add)_compile_definitions\s*\(([^)]*)\)", re.IGNORECASE)
_FOLDERS = re.compile(r"(?:target_)?include_directories\s*\(([^)]*)\)", re.IGNORECASE)
_STANDARD = re.compile(r"(?:(?:CUDA|CXX)_STANDARD[\s\"]+|(?:cxx|cuda)_std_)(\d+)")
_MACROS = re.compile(r"define_macros\s*=\s*\[([^\]]*)\]")
_PAIR = re.compile(r"\(\s*['\"](\w+)['\"]\s*,\s*(?:['\"]?([^'\")]*)['\"]?)\s*\)")
_SCOPES = frozenset({"PUBLIC", "PRIVATE", "INTERFACE", "SYSTEM", "BEFORE", "AFTER"})


def unused_flags(read: ReadFile, root: str, units: Iterable[str], given: Iterable[str]) -> str:
    """One sentence about the nearest build file with flags that are not among those ``given``; empty where there is none.

    It lies in the folder of one of the ``units``, or between that and ``root``.
    """
    known = frozenset(normalise(given))
    for path in _build_files(root, units):
        text = read(Path(path)) or ""
        flags = [flag for flag in named_flags(path, text) if not _is_known(flag, posixpath.dirname(path), known)]
        if any(flag.startswith(_TELLING) for flag in flags):
            shown, verb = os.path.relpath(path, root), "is" if len(flags) == 1 else "are"
            ordered = sorted(flags, key=lambda flag: not flag.startswith(_TELLING))
            return f"{shown} has {enumerated(ordered)}, which {verb} not used"
    return ""


def way_to_use(workspace: Path, file: Path) -> str:
    """What a person does to have the build's flags used: ``kernelopt program a.cu --configure has them used; …``."""
    match build_way(workspace, file):
        case None:
            return f"{BY_HAND}, or `flags` of a [program.NAME] table in kernelopt.toml"
        case BuildWay(command=None):
            option = "--configure"
        case BuildWay(command=command):
            option = f'--record "{command}"'
    return f"kernelopt program {file} {option} has them used, or {BY_HAND}"


def named_flags(path: str, text: str) -> tuple[str, ...]:
    """Macros, folders for includes, standards beyond C++17 and architectures that the text names, as nvcc takes them."""
    code = _COMMENT.sub("", text)
    found = (*(re.sub(r"^(-[DI])\s+", r"\1", word) for word in _WORD.findall(code)), *_of_cmake(code), *_of_setup(code))
    return tuple(dict.fromkeys(flag for flag in found if not _is_usual(flag)))


def _build_files(root: str, units: Iterable[str]) -> Iterator[str]:
    """Those in the units' folders and above them, the nearest first."""
    seen = set[str]()
    for unit in units:
        folder = posixpath.dirname(unit)
        while folder not in seen and (folder == root or folder.startswith(f"{root}/")):
            seen.add(folder)
            yield from (path for name in _FILES if os.path.isfile(path := f"{folder}/{name}"))  # noqa: PTH113 - thousands of strings
            folder = posixpath.dirname(folder)


def _of_cmake(code: str) -> Iterator[str]:
    for pattern, flag in ((_DEFINITIONS, "-D"), (_FOLDERS, "-I")):
        for match in pattern.finditer(code):
            words = match[1].split()[1 if match[0].lower().startswith("target") else 0 :]
            yield from (flag + word.strip('"').removeprefix("-D") for word in words if word not in _SCOPES and "$<" not in word)
    yield from (f"-std=c++{match[1]}" for match in _STANDARD.finditer(code))


def _of_setup(code: str) -> Iterator[str]:
    for macros in _MACROS.finditer(code):
        for name, value in _PAIR.findall(macros[1]):
            yield f"-D{name}" if value in ("", "None") else f"-D{name}={value}"


def _is_usual(flag: str) -> bool:
    return flag.startswith(("-std", "--std")) and flag.endswith(_USUAL_STANDARDS)


def _is_known(flag: str, folder: str, known: frozenset[str]) -> bool:
    """Whether the program has it; a folder for includes also counts where it was found."""
    if flag in known or not flag.startswith("-I"):
        return flag in known
    place = re.sub(r"\$[{(](?:CMAKE_)?(?:CURRENT_|PROJECT_)?(?:SOURCE_DIR|CURDIR)[)}]", folder, flag[2:])
    return "$" in place or f"-I{posixpath.normpath(posixpath.join(folder, place))}" in known or posixpath.normpath(place) == "."
