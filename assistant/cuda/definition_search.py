"""Which files of a program may define a name that a text uses, found by patterns alone: taking all of them apart would cost seconds.

Errs on the side of naming a file. Example::

    files = ProgramFiles({"/p/k.cu": '#include "sizes.h"\\n…N…', "/p/sizes.h": "#define N 4", "/p/other.h": "#define M 8"}, ())
    files_with_definitions(files, "/p/k.cu", frozenset({"/p/k.cu"}))      # frozenset({'/p/k.cu', '/p/sizes.h'})
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import lru_cache

from assistant.cuda.includes import IncludeDirective, include_directives
from assistant.record import Record

__all__ = ["ProgramFiles", "defined_names", "files_with_definitions"]

_KEPT_FILES = 1024
_MACRO = re.compile(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(\w+)((?:[^\n\\]|\\[^\n]|\\\r?\n)*)", re.MULTILINE)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if[^\n]*", re.MULTILINE)
_CONSTANT = re.compile(r"\b(?:const|constexpr)\b([^;(){}=]*[={][^;]*);|\benum\b[^;{]*\{([^}]*)\}")
_GIVEN = re.compile(r"(\w+)\s*(?:=|\{)")
_WORD = re.compile(r"[A-Za-z_]\w*")


class ProgramFiles(Record):
    """A program's files, and where its compilers look for what they include."""

    texts: Mapping[str, str]
    """By absolute path."""
    folders: tuple[str, ...]

    def included(self, includer: str, directive: IncludeDirective) -> str | None:
        """The path of the file that an ``#include`` means; None for one that is none of the program's."""
        places = (posixpath.dirname(includer), *self.folders) if directive.is_quoted else self.folders
        paths = (posixpath.normpath(posixpath.join(place, directive.name)) for place in places)
        return next((path for path in paths if path in self.texts), None)

    def with_includers(self, paths: frozenset[str]) -> frozenset[str]:
        """Some files and all that include them, through others or not."""
        includes = {path: {self.included(path, each) for each in _summary(text).includes} for path, text in self.texts.items()}
        found = more = paths
        while more:
            more = frozenset(path for path, included in includes.items() if path not in found and not included.isdisjoint(more))
            found |= more
        return found


class _Summary(Record):
    """What a file may define."""

    definitions: Mapping[str, frozenset[str]]
    """Name → words of what it stands for."""
    asked: frozenset[str]
    """Words of its conditions."""
    includes: tuple[IncludeDirective, ...]


def files_with_definitions(files: ProgramFiles, path: str, kept: frozenset[str]) -> frozenset[str]:
    """``kept``, the files that may define what the one at ``path`` uses or what conditions in these ask, and those that include them."""
    summaries = {other: _summary(text) for other, text in files.texts.items()}
    wanted, found, count = frozenset(_WORD.findall(files.texts[path])), kept, 0
    while len(wanted) > count:
        count = len(wanted)
        found |= {other for other, summary in summaries.items() if not wanted.isdisjoint(summary.definitions)}
        words = (words for other in found for name, words in summaries[other].definitions.items() if name in wanted)
        wanted = wanted.union(*words, *(summaries[other].asked for other in found))
    return files.with_includers(found)


def defined_names(text: str) -> frozenset[str]:
    """Macros and constants that a text may define."""
    return frozenset(_summary(text).definitions)


@lru_cache(maxsize=_KEPT_FILES)
def _summary(text: str) -> _Summary:
    definitions = {macro[1]: frozenset(_WORD.findall(macro[2])) for macro in _MACRO.finditer(text)}
    for constant in _CONSTANT.finditer(text):
        words = frozenset(_WORD.findall(constant[0]))
        names = _GIVEN.findall(constant[1]) if constant[1] else words
        definitions.update(dict.fromkeys(names, words))
    asked = frozenset(word for line in _CONDITION.findall(text) for word in _WORD.findall(line))
    return _Summary(definitions, asked, include_directives(text))
