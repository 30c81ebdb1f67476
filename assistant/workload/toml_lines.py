"""On which line each key of a TOML text stands; ``tomllib`` parses values but does not say where they were.

Only for text that ``tomllib`` has accepted: no error handling of its own.

Example::

    key_lines('[a]\\nb = { c = 1 }')    # {("a",): 1, ("a", "b"): 2, ("a", "b", "c"): 2}
"""

from __future__ import annotations

import re

__all__ = ["KeyPath", "key_lines"]

KeyPath = tuple[str | int, ...]
"""Keys and array indices from the root."""

_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.S)
_KEY_PART = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEY = re.compile(rf"\s*({_KEY_PART}(?:\s*\.\s*{_KEY_PART})*)\s*=")
_HEADER = re.compile(rf"[ \t]*(\[\[?)\s*({_KEY_PART}(?:\s*\.\s*{_KEY_PART})*)\s*\]\]?")
_SPACE = re.compile(r"(?:\s|#[^\n]*)*")


def key_lines(text: str) -> dict[KeyPath, int]:
    """1-based line of every table header, key and array element, by its path."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._lines: dict[KeyPath, int] = {}

    def scan(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        array_lengths: dict[KeyPath, int] = {}
        while self._skip_space() < len(self._text):
            header = _HEADER.match(self._text, self._position)
            if header is None:
                self._pair(table)
                continue
            table = _parts(header[2])
            self._note(table)
            self._position = header.end()
            if header[1] == "[[":
                index = array_lengths.get(table, 0)
                array_lengths[table] = index + 1
                table = (*table, index)
        return self._lines

    def _skip_space(self) -> int:
        match = _SPACE.match(self._text, self._position)
        self._position = match.end() if match else self._position
        return self._position

    def _note(self, path: KeyPath) -> None:
        line = self._text.count("\n", 0, self._position) + 1
        for length in range(1, len(path) + 1):
            self._lines.setdefault(path[:length], line)

    def _pair(self, table: KeyPath) -> None:
        match = _KEY.match(self._text, self._position)
        if match is None:
            self._position = len(self._text)
            return
        path = (*table, *_parts(match[1]))
        self._note(path)
        self._position = match.end()
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        self._skip_space()
        opening = self._text[self._position : self._position + 1]
        if opening == "{":
            self._items(path, "}")
        elif opening == "[":
            self._items(path, "]")
        elif string := _STRING.match(self._text, self._position):
            self._position = string.end()
        else:
            plain = re.compile(r"[^\s,\]}#]+(?: \d\d:[^\s,\]}#]+)?").match(self._text, self._position)
            self._position = plain.end() if plain else self._position + 1

    def _items(self, path: KeyPath, closing: str) -> None:
        """The inside of an array or inline table, the closing bracket included."""
        self._position += 1
        index = 0
        while self._skip_space() < len(self._text):
            character = self._text[self._position]
            if character == closing:
                self._position += 1
                return
            if character == ",":
                self._position += 1
                index += 1
            elif closing == "}":
                self._pair(path)
            else:
                self._note((*path, index))
                self._value((*path, index))


def _parts(key: str) -> KeyPath:
    """``a . "b.c"`` → ``("a", "b.c")``."""
    return tuple(part.strip("\"'") for part in re.findall(_KEY_PART, key))
