"""What is read out of single texts, kept between searches: large sources take a tenth of a second each.

It depends on the text alone, which names it by its digest, and on the code that reads it; so that nothing kept can be out of date.
Example::

    facts = KeptFacts(Path("/cache"))
    facts.linkage(text) == linkage_of(text)     # True; read from /cache/facts the second time
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from pathlib import Path
from typing import Protocol

from assistant.cuda import condensed, cpp_words, declarations, linkage, live_code, tokens
from assistant.cuda.linkage import Linkage, linkage_of
from assistant.disk.cached import keep, note_use
from assistant.serialize import DecodeError, dumps, loads

__all__ = ["MOST_CHARACTERS", "Facts", "KeptFacts", "ReadFacts", "TooMuchToReadError"]

MOST_CHARACTERS = 8_000_000
"""Read anew for one search (chosen: a quarter of a minute on a slow core)."""
_FOLDER = "facts"
_LEAST_CHARACTERS = 4000
"""Shorter texts are read about as quickly as a file is opened."""
_WORD = re.compile(r"[^\W\d]\w*")
_READERS = (condensed, cpp_words, declarations, linkage, live_code, tokens)


class TooMuchToReadError(Exception):
    """One search has read as many texts anew as it may; a next one goes on from there, as what was read is kept."""


class Facts(Protocol):
    """Reads the texts of one search."""

    def linkage(self, text: str) -> Linkage:
        """The names of a text. Raises TooMuchToReadError."""
        ...

    def words(self, text: str) -> frozenset[str]:
        """All words of a text, those of comments and literals too."""
        ...


class ReadFacts:
    """Reads each text anew."""

    def linkage(self, text: str) -> Linkage:
        return linkage_of(text)

    def words(self, text: str) -> frozenset[str]:
        return _words_of(text)


class KeptFacts:
    """Keeps what it read in a folder below ``cache``, which need not be writable.

    ``most_characters``: after these no further text is read that is not kept yet, shorter ones than are kept apart.
    """

    def __init__(self, cache: Path, most_characters: int = MOST_CHARACTERS) -> None:
        self._folder = cache / _FOLDER
        self._characters_left = most_characters

    def linkage(self, text: str) -> Linkage:
        if len(text) < _LEAST_CHARACTERS:
            return linkage_of(text)
        path = self._folder / f"{_digest(text)}.json"
        known = _loaded(path)
        if known is None:
            if self._characters_left < 0:
                raise TooMuchToReadError
            self._characters_left -= len(text)
            known = linkage_of(text)
            keep(path, dumps(known))
        return known

    def words(self, text: str) -> frozenset[str]:
        if len(text) < _LEAST_CHARACTERS:
            return _words_of(text)
        path = self._folder / f"{_digest(text)}.words"
        with contextlib.suppress(OSError, ValueError):
            *words, rest = path.read_text("utf-8").split("\n")
            if words and not rest:
                note_use(path)
                return frozenset(words)
        found = _words_of(text)
        keep(path, "".join(f"{word}\n" for word in sorted(found)))
        return found


def _words_of(text: str) -> frozenset[str]:
    """Lines that a backslash continues are joined, as that may be inside a word."""
    return frozenset(_WORD.findall(tokens.SPLICE.sub("", text)))


def _loaded(path: Path) -> Linkage | None:
    """None where it is not there, or damaged."""
    try:
        kept = loads(Linkage, path.read_bytes())
    except (OSError, DecodeError):
        return None
    note_use(path)
    return kept


def _digest(text: str) -> str:
    return hashlib.sha256(_version() + text.encode("utf-8", "surrogateescape")).hexdigest()[:40]


@functools.cache
def _version() -> bytes:
    """Version of the code that reads texts."""
    files = (Path(module.__file__) for module in _READERS if module.__file__ is not None)
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).digest()
