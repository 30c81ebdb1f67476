"""How CTest runs a build's executables, as CMake wrote it into the ``CTestTestfile.cmake`` of the build's folders.

Example::

    ctest_runs(Path("/p/build"))["/p/build/bench"]     # (CTestRun("bench_small", ("--n", "100"), Path("/p/data")),)
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assistant.disk.texts import read_bytes
from assistant.record import Record

__all__ = ["CTestRun", "ctest_runs"]

_NAME = "CTestTestfile.cmake"
_MOST_FILES = 2000
_MOST_BYTES = 4 << 20
_COMMAND = re.compile(r"^[ \t]*(add_test|set_tests_properties|subdirs)\((.*?)\)[ \t]*$", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_ARGUMENT = re.compile(r'\[(=*)\[(.*?)\]\1\]|"((?:[^"\\]|\\.)*)"|([^\s"]+)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class CTestRun(Record):
    """One test's command."""

    name: str
    arguments: tuple[str, ...]
    working_directory: Path
    """Absolute; it need not be there."""


def ctest_runs(folder: Path) -> Mapping[str, tuple[CTestRun, ...]]:
    """By the absolute path of each word of a test's command that may be a program of the build; in the order of the files."""
    found: dict[str, list[CTestRun]] = {}
    for place, text in _files(folder):
        properties = {words[0]: words for name, words in _commands(text) if name == "set_tests_properties" and words}
        for name, words in _commands(text):
            if name == "add_test" and len(words) > 1:
                where = place / _property(properties.get(words[0], ()), "WORKING_DIRECTORY")
                for index, word in enumerate(words[1:], start=1):
                    if word.startswith("/"):
                        found.setdefault(os.path.realpath(word), []).append(CTestRun(words[0], tuple(words[index + 1 :]), where))
    return {path: tuple(runs) for path, runs in found.items()}


def _files(folder: Path) -> Iterator[tuple[Path, str]]:
    """(folder, text) of the build's file and of those that it names."""
    waiting = [folder]
    for seen, place in enumerate(waiting):
        if seen >= _MOST_FILES:
            return
        try:
            text = read_bytes(place / _NAME, _MOST_BYTES).decode("utf-8", "surrogateescape")
        except (OSError, ValueError):
            continue
        yield place, text
        inner = (place / word for name, words in _commands(text) if name == "subdirs" for word in words)
        waiting.extend(path for path in inner if path not in waiting)


def _commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Those of all configurations: the program's path tells which of them a test is for."""
    for match in _COMMAND.finditer(text):
        yield match[1].lower(), [_argument(each) for each in _ARGUMENT.finditer(match[2])]


def _argument(match: re.Match[str]) -> str:
    bracketed, quoted, plain = match[2], match[3], match[4]
    if bracketed is not None:
        return bracketed
    return _ESCAPED.sub(lambda escaped: _ESCAPES.get(escaped[1], escaped[1]), plain if quoted is None else quoted)


def _property(words: Sequence[str], name: str) -> str:
    return next((value for key, value in itertools.pairwise(words) if key == name), "")
