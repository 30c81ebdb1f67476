"""What CMake's File API left in a build folder: the targets of a project, their sources, flags and libraries.

Read only: editors (Visual Studio Code's CMake Tools, CLion) ask CMake for it, and ``kernelopt program FILE --configure`` does. The format
is cmake-file-api(7), codemodel version 2. Example::

    build = read_reply(Path("/p/build"), "build", "/p")
    build.targets[0].sources[0].flags     # ("-O3", "-std=c++17", "-DN=4", "-I/p/include")
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from assistant.build.flags import absolute_flags
from assistant.build.safe_flags import refused_flag
from assistant.disk.real_paths import real_within
from assistant.disk.texts import read_bytes
from assistant.record import Record

__all__ = ["CMakeBuild", "CMakeSource", "CMakeTarget", "DamagedReplyError", "newest_index", "read_reply"]

_REPLY = ".cmake/api/v1/reply"
_MOST_BYTES = 64 << 20
"""Largest file of a reply that is read (chosen: a target of some 50,000 sources)."""
_MOST_TARGETS = 5000
_VERSION = re.compile(r"(\.so)(?:\.\d+)+\Z")
_Object = Mapping[str, object]


class DamagedReplyError(ValueError):
    """What CMake left cannot be used; the text says why."""


class CMakeSource(Record):
    """A source of a target."""

    path: str
    """Absolute and resolved."""
    language: str
    """``CUDA``, ``CXX``, ``C``; empty for what is not compiled (headers)."""
    flags: tuple[str, ...] = ()
    """As `normalise` gives them, with absolute folders; those that are not taken (``safe_flags``) are left out."""
    is_generated: bool = False


class CMakeTarget(Record):
    """An executable or a library."""

    name: str
    kind: str
    """``EXECUTABLE``, ``STATIC_LIBRARY``, ``OBJECT_LIBRARY``, …"""
    sources: tuple[CMakeSource, ...]
    artifacts: tuple[str, ...]
    """Absolute paths of what is built; for a library of objects, these objects."""
    linked_files: frozenset[str]
    """Absolute paths of what its link line names, shared libraries without their version (``libk.so``)."""


class CMakeBuild(Record):
    """One configured build."""

    folder: Path
    shown: str
    """For people: its folder in the workspace, and the configuration where there are several."""
    source: str
    """Absolute folder of the top ``CMakeLists.txt``."""
    targets: tuple[CMakeTarget, ...]
    inputs: tuple[str, ...]
    """The project's files that were read to configure it, absolute."""
    configured_ns: int
    """When it was configured, as files count time."""


def newest_index(folder: Path) -> Path | None:
    """The index of the last reply in a build folder; None: there is none."""
    return max((folder / _REPLY).glob("index-*.json"), default=None, key=lambda path: path.name)


def read_reply(folder: Path, shown: str, root: str) -> CMakeBuild | None:
    """``root``: of the workspace, a real path. None: the build has no reply with targets.

    Raises DamagedReplyError where it has one that cannot be used.
    """
    index = newest_index(folder)
    if index is None:
        return None
    try:
        return _Reply(index, folder, root).build(shown)
    except OSError as error:
        raise DamagedReplyError(f"{error.filename}: {error.strerror}") from error
    except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise DamagedReplyError(f"it is not as cmake-file-api(7) has it: {error!r}") from error


class _Reply:
    """The files of a reply. Values of another shape than CMake writes raise whatever their use raises; `read_reply` names that."""

    def __init__(self, index: Path, folder: Path, root: str) -> None:
        self._index = index
        self._folder = folder
        self._root = root
        self._source = ""
        self._build = ""

    def build(self, shown: str) -> CMakeBuild | None:
        named = {(_text(each, "kind"), _major(each)): _text(each, "jsonFile") for each in _objects(self._read(self._index.name), "objects")}
        if ("codemodel", 2) not in named:
            return None
        model = self._read(named["codemodel", 2])
        paths = _object(model, "paths")
        self._source, self._build = os.path.realpath(_text(paths, "source")), os.path.realpath(_text(paths, "build"))
        configuration, among = self._configuration(_objects(model, "configurations"))
        targets = tuple(map(self._target, _objects(configuration, "targets")[:_MOST_TARGETS]))
        files = self._read(named["cmakeFiles", 1]) if ("cmakeFiles", 1) in named else None
        return CMakeBuild(
            folder=self._folder,
            shown=f"{shown}{among}",
            source=self._source,
            targets=targets,
            inputs=tuple(self._lists(configuration) if files is None else self._inputs(files)),
            configured_ns=self._index.stat().st_mtime_ns,
        )

    def _read(self, name: str) -> _Object:
        path = self._index.parent / posixpath.basename(name)
        try:
            value: object = json.loads(read_bytes(path, _MOST_BYTES))
        except FileNotFoundError as error:
            raise DamagedReplyError(f"its part {path.name} is missing") from error
        except ValueError as error:
            raise DamagedReplyError(f"its part {path.name} is no JSON") from error
        return _checked(value)

    def _configuration(self, configurations: list[_Object]) -> tuple[_Object, str]:
        """The one that was built last, else the first; and what to say of it where there are several."""
        if not configurations:
            raise DamagedReplyError("it has no configuration")
        if len(configurations) == 1:
            return configurations[0], ""
        built = [(self._built_ns(each), -place) for place, each in enumerate(configurations)]
        chosen = configurations[-max(built)[1]]
        names = ", ".join(_text(each, "name") for each in configurations)
        return chosen, f" ({_text(chosen, 'name')} of {names})"

    def _built_ns(self, configuration: _Object) -> int:
        """When an executable of it was last built; 0: none was."""
        targets = (self._target(each) for each in _objects(configuration, "targets")[:_MOST_TARGETS])
        built = (Path(path) for target in targets if target.kind == "EXECUTABLE" for path in target.artifacts)
        return max((path.stat().st_mtime_ns for path in built if path.is_file()), default=0)

    def _target(self, reference: _Object) -> CMakeTarget:
        target = self._read(_text(reference, "jsonFile"))
        groups = [self._group(each) for each in _objects(target, "compileGroups")]
        link: _Object = _object(target, "link") if "link" in target else {}
        words = [word for each in _objects(link, "commandFragments") for word in _words(_text(each, "fragment"))]
        starts = (self._build, self._absolute(_text(_object(target, "paths"), "build"), self._build))  # Ninja links at the top, make below
        return CMakeTarget(
            name=_text(target, "name"),
            kind=_text(target, "type"),
            sources=tuple(self._in_target(each, groups) for each in _objects(target, "sources")),
            artifacts=tuple(self._absolute(_text(each, "path"), self._build) for each in _objects(target, "artifacts")),
            linked_files=frozenset(self._linked(word, start) for word in words if not word.startswith("-") for start in starts),
        )

    def _group(self, group: _Object) -> tuple[str, tuple[str, ...]]:
        """The language and flags of some sources of a target. Folders of the system come by ``-I``, too: the emulator knows no other."""
        words = [word for each in _objects(group, "compileCommandFragments") for word in _words(_text(each, "fragment"))]
        words += (f"-D{_text(each, 'define')}" for each in _objects(group, "defines"))
        folders = (f"-I{_text(each, 'path')}" for each in _objects(group, "includes"))
        taken = (word for word in (*absolute_flags(words, self._build), *folders) if refused_flag((word,)) is None)
        return _text(group, "language"), tuple(taken)

    def _in_target(self, source: _Object, groups: list[tuple[str, tuple[str, ...]]]) -> CMakeSource:
        path = real_within(self._absolute(_text(source, "path").replace("\0", ""), self._source), self._root)
        index = source.get("compileGroupIndex")
        language, flags = groups[index] if isinstance(index, int) else ("", ())
        return CMakeSource(path, language, flags, source.get("isGenerated") is True)

    def _linked(self, word: str, start: str) -> str:
        return _VERSION.sub(r"\1", self._absolute(word, start))

    def _inputs(self, files: _Object) -> Iterator[str]:
        for each in _objects(files, "inputs"):
            if not (each.get("isCMake") or each.get("isExternal") or each.get("isGenerated")):
                yield self._absolute(_text(each, "path"), self._source)

    def _lists(self, configuration: _Object) -> Iterator[str]:
        for each in _objects(configuration, "directories"):
            yield posixpath.join(self._absolute(_text(each, "source"), self._source), "CMakeLists.txt")

    def _absolute(self, path: str, start: str) -> str:
        return posixpath.normpath(posixpath.join(start, path))


def _checked(value: object) -> _Object:
    if not isinstance(value, dict):
        raise TypeError(value)
    return cast("_Object", value)


def _object(parent: _Object, key: str) -> _Object:
    return _checked(parent[key])


def _objects(parent: _Object, key: str) -> list[_Object]:
    values = parent.get(key, [])
    if not isinstance(values, list):
        raise TypeError(key)
    return [_checked(value) for value in cast("list[object]", values)]


def _text(parent: _Object, key: str) -> str:
    value = parent[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return value


def _major(entry: _Object) -> object:
    return _object(entry, "version").get("major")


def _words(fragment: str) -> list[str]:
    try:
        return shlex.split(fragment)
    except ValueError:
        return fragment.split()
