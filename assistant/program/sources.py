"""The source files around a file, as the search asks about them: text, includes, names; each is read when it is first asked for.

Paths are strings here, as thousands of them are compared. Example::

    sources = Sources(Path("/p/scale.cuh"), Path("/p"), read)
    tuple(sources.closure("/p/main.cu", ()))      # ('/p/main.cu', '/p/scale.cuh')
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from assistant.build.units import HEADER_SUFFIXES, UNIT_SUFFIXES, is_unit
from assistant.cuda.includes import IncludeDirective, include_directives
from assistant.cuda.linkage import Linkage, MainFunction
from assistant.disk.real_paths import real_within
from assistant.disk.sources import source_files
from assistant.disk.texts import MOST_SOURCE_BYTES
from assistant.program.facts import Facts, ReadFacts
from assistant.program.nearness import folder_distance
from assistant.record import Record

__all__ = ["MOST_FILES", "IncludeOrigin", "ReadFile", "Sources"]

ReadFile = Callable[[Path], str | None]
"""The text of a file, None for what cannot be read."""

MOST_FILES = 5000
"""Read for one search (chosen: 3 s on a slow core where they are small; of large ones `facts.MOST_CHARACTERS` is the limit)."""
_CUDA_SUFFIXES = (".cu", ".cuh")
_MOST_GUESSES = 4
"""Guesses for one file: a guess takes a fifth of the time that reading takes."""
_MAIN = re.compile(r"\bmain\b")
_INCLUDE_FOLDER = "include"
_TOOLKIT_FOLDERS = frozenset({"cooperative_groups", "crt", "cub", "cuda", "nv", "nvtx3", "sys", "thrust"})
"""First folders of what ``<…>`` names: CUDA's own headers and the system's, whatever copies or stubs of them a project may hold."""

_LIBRARY_FOLDERS = frozenset({"cute", "cutlass"})
"""The same of a library of thousands of headers, which flags name: it is looked into where the workspace itself holds it."""


class IncludeOrigin(Record):
    """How an include was found."""

    path: str
    includer: str
    folder: str | None = None
    """The folder that compilers must be given by ``-I`` to find it too; None: they find it as things are."""


class Sources:
    """The files of a search. No text is kept beyond it, so that a change is seen by the next."""

    def __init__(self, file: Path, workspace: Path, read: ReadFile, facts: Facts | None = None) -> None:
        """``file`` may be written with symbolic links; the rest of the workspace is known by resolved paths."""
        self._facts = facts or ReadFacts()
        self.root = os.path.realpath(workspace)
        self._workspace = _as_written(file, self.root) or workspace
        self._given: dict[str, Path] = {}
        self.file = self.known(file)
        self.read = read
        self._texts: dict[str, str | None] = {}
        self._includes: dict[str, tuple[IncludeDirective, ...]] = {}
        self._linkages: dict[str, Linkage] = {}
        self._mains: dict[str, MainFunction | None] = {}
        self._closures: dict[tuple[str, tuple[str, ...]], Mapping[str, IncludeOrigin]] = {}
        self._resolved: dict[tuple[str, IncludeDirective, tuple[str, ...]], IncludeOrigin | None] = {}
        self._asked = Counter[str]()
        self._words: dict[str, frozenset[str]] = {}
        self._by_word: dict[str, set[str]] = {}

    @cached_property
    def _every(self) -> tuple[str, ...]:
        """All source files of the workspace, the nearest to the file in question first; of a folder those in CUDA before the others."""
        paths = map(str, source_files(Path(self.root), UNIT_SUFFIXES | HEADER_SUFFIXES, MOST_SOURCE_BYTES))
        is_folder = Path(self.file).is_dir()
        folder = self.file if is_folder else posixpath.dirname(self.file)

        def place(path: str) -> tuple[int, bool, str]:
            return folder_distance(folder, path), not path.endswith(_CUDA_SUFFIXES), path

        return tuple(sorted({*paths, *(() if is_folder else (self.file,))}, key=place))

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """Those that are read."""
        return self._every[:MOST_FILES]

    @property
    def left_out_count(self) -> int:
        """How many files of the workspace are not read."""
        return len(self._every) - len(self.listed)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Those of them that are compiled by themselves."""
        return tuple(path for path in self.listed if is_unit(path) and self.text(path) is not None)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.listed)

    def known(self, given: Path) -> str:
        """The path by which a file that the caller names is known here; texts are asked for by the name that was given."""
        path = real_within(str(given), self.root)
        self._given.setdefault(path, given)
        return path

    def path(self, path: str) -> Path:
        """As the caller knows it: below the workspace as that was given, which may be a link."""
        return self._given.get(path) or (self._workspace / self.shown(path) if self.is_inside(path) else Path(path))

    def is_inside(self, path: str) -> bool:
        """Whether it lies in the workspace."""
        return path.startswith(self.root + os.sep)

    def shown(self, path: str) -> str:
        """For people: relative to the workspace where it lies there."""
        return path[len(self.root) + 1 :] if self.is_inside(path) else path

    def text(self, path: str) -> str | None:
        """None for what cannot be read, and for what would be one file too many."""
        if path not in self._texts and len(self._texts) < MOST_FILES:
            self._texts[path] = self.read(self.path(path))
        return self._texts.get(path)

    def includes(self, path: str) -> tuple[IncludeDirective, ...]:
        """The include directives of a file."""
        if path not in self._includes:
            self._includes[path] = include_directives(self.text(path) or "")
        return self._includes[path]

    def linkage(self, path: str) -> Linkage:
        """The names of a file."""
        if path not in self._linkages:
            self._linkages[path] = self._facts.linkage(self.text(path) or "")
        return self._linkages[path]

    def main_in(self, path: str) -> MainFunction | None:
        """The ``main()`` that a file itself has; its names are not read where the word is missing."""
        if path not in self._mains:
            self._mains[path] = self.linkage(path).main if _MAIN.search(self.text(path) or "") else None
        return self._mains[path]

    def is_worth_reading(self, path: str) -> bool:
        """Whether the names of a file are known, or asked about so often that reading them costs less than guessing each time."""
        self._asked[path] += 1
        return path in self._linkages or self._asked[path] > _MOST_GUESSES

    def words(self, path: str) -> frozenset[str]:
        """All words of a file, those of comments and literals too."""
        if path not in self._words:
            self._words[path] = self._facts.words(self.text(path) or "")
        return self._words[path]

    def with_word(self, word: str) -> frozenset[str]:
        """Files read so far whose text has a word; a first, quick question."""
        if not self._by_word:
            for path, text in self._texts.items():
                for each in self.words(path) if text is not None else ():
                    self._by_word.setdefault(each, set()).add(path)
        return frozenset(self._by_word.get(word, ()))

    def read_closures(self, units: tuple[str, ...], folders: Callable[[str], tuple[str, ...]]) -> None:
        """Reads the units and all that they include, so that `with_word` knows them."""
        read_count = len(self._texts)
        for unit in units:
            self.closure(unit, folders(unit))
        if len(self._texts) > read_count:
            self._by_word.clear()

    def closure(self, unit: str, folders: tuple[str, ...]) -> Mapping[str, IncludeOrigin]:
        """The unit and every file that it reaches by includes, in order; ``folders``: where compilers look for them."""
        key = (unit, folders)
        if key not in self._closures:
            found = {unit: IncludeOrigin(unit, unit)}
            waiting = [unit]
            while waiting:
                includer = waiting.pop()
                for directive in self.includes(includer):
                    reached = self._resolve(includer, directive, folders)
                    if reached is not None and reached.path not in found:
                        found[reached.path] = reached
                        waiting.append(reached.path)
            self._closures[key] = found
        return self._closures[key]

    def _resolve(self, includer: str, directive: IncludeDirective, folders: tuple[str, ...]) -> IncludeOrigin | None:
        folder = posixpath.dirname(includer)
        key = (folder, directive, folders)
        if key not in self._resolved:
            self._resolved[key] = self._found(includer, folder, directive, folders)
        found = self._resolved[key]
        return None if found is None else IncludeOrigin(found.path, includer, found.folder)

    def _found(self, includer: str, folder: str, directive: IncludeDirective, folders: tuple[str, ...]) -> IncludeOrigin | None:
        first = directive.name.partition("/")[0]
        for place in (folder, *folders) if directive.is_quoted else folders:
            candidate = posixpath.normpath(posixpath.join(place, directive.name))
            if candidate not in self._known and Path(candidate).is_file():
                candidate = real_within(candidate, self.root)
                if first in _LIBRARY_FOLDERS and not self.is_inside(candidate):
                    return None
            if (candidate in self._known or Path(candidate).is_file()) and self.text(candidate) is not None:
                return IncludeOrigin(candidate, includer)
        if not directive.is_quoted and first in _TOOLKIT_FOLDERS:
            return None
        for guesses in (self._above(folder, directive), self._anywhere(directive)):
            found = dict(guesses)
            if found:
                return next((IncludeOrigin(path, includer, place) for path, place in found.items()), None) if len(found) == 1 else None
        return None

    def _above(self, folder: str, directive: IncludeDirective) -> Iterator[tuple[str, str]]:
        """(file, folder to name with ``-I``) where build files usually point to: folders above, and ``include`` in each of them."""
        if directive.name.startswith(("/", ".")):
            return
        above = tuple(_folders_above(folder, self.root))
        places = (*(above if _is_own(directive) else ()), *(f"{place}/{_INCLUDE_FOLDER}" for place in above))
        for place in places:
            candidate = posixpath.normpath(f"{place}/{directive.name}")
            if candidate in self._known and self.text(candidate) is not None:
                yield candidate, place

    def _anywhere(self, directive: IncludeDirective) -> Iterator[tuple[str, str]]:
        """The same of files anywhere in the workspace whose path ends as it is written."""
        if _is_own(directive) and not directive.name.startswith(("/", ".")):
            for path in self._by_name.get(posixpath.basename(directive.name), ()):
                if path.endswith(f"/{directive.name}") and self.text(path) is not None:
                    yield path, path[: -len(directive.name) - 1]

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in self.listed:
            found.setdefault(posixpath.basename(path), []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}


def _is_own(directive: IncludeDirective) -> bool:
    """Whether it looks like a file of the project, unlike ``<string.h>``."""
    return directive.is_quoted or "/" in directive.name or directive.name.endswith(".cuh")


def _folders_above(folder: str, root: str) -> Iterator[str]:
    """The folder and those around it, up to the root; none for a folder elsewhere."""
    while folder == root or folder.startswith(root + os.sep):
        yield folder
        folder = posixpath.dirname(folder)


def _as_written(file: Path, root: str) -> Path | None:
    """The workspace as ``file`` has it, where links lead to it; None where none do, or the file is itself a link.

    Compilers see the names that are written, so that all files of a program have to be named by way of the same links.
    """
    resolved, written = os.path.realpath(file), str(file)
    if resolved == written or not resolved.startswith(root + os.sep) or not written.endswith(resolved[len(root) :]):
        return None
    return Path(written[: len(written) - len(resolved) + len(root)])
