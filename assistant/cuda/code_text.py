"""CUDA text without comments, or without comments and strings, for searches by pattern. Offsets, lines and length are the original's.

No pattern has to know how code may be written: words that a continued line tears apart are whole again, directives have a backslash at the
end of each line that the next one continues and nowhere else, digraphs are what they stand for.

Example::

    blanked('f("a;b"); // g()')       # 'f("   ");       '
    uncommented("sys\\\\\\ntem(x)")      # 'system  \\n(x)'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from assistant.cuda.tokens import KEPT_TEXTS, SPLICE, Token, TokenizedText, TokenKind, lexed

__all__ = ["blanked", "emptied", "has_blank_splice", "has_torn_directive", "kept", "uncommented", "unspliced", "without"]

_CONTINUED = re.compile(r"(?m)^(?:[^\n]*\\[ \t\f\v]*\r?\n)+[^\n]*")
_BLANK_SPLICE = re.compile(r"\\[ \t\f\v]+\r?\n")
_NOT_NEWLINE = re.compile(r"[^\n]")
_LITERALS = (TokenKind.STRING, TokenKind.CHARACTER)


@lru_cache(maxsize=KEPT_TEXTS)
def blanked(text: str) -> str:
    """``text`` with comments and the insides of strings as spaces; line breaks stay."""
    return _written(text, is_bare=True)


@lru_cache(maxsize=KEPT_TEXTS)
def uncommented(text: str) -> str:
    """``text`` with comments as spaces; strings stay, they are part of what the code does."""
    return _written(text, is_bare=False)


def emptied(text: str) -> str:
    """``text`` without comments, with ``""`` for each string and ``'0'`` for each character; other offsets, the same lines."""
    parts: list[str] = []
    position = 0
    code = uncommented(text)
    for token in lexed(code).tokens:
        if token.kind in _LITERALS:
            parts.append(code[position : token.start])
            parts.append(('""' if token.kind is TokenKind.STRING else "'0'") + "\n" * code.count("\n", token.start, token.end))
            position = token.end
    return "".join((*parts, code[position:]))


def unspliced(text: str) -> str:
    """``text`` with lines that a backslash continues as one; as many empty lines follow, so that later ones keep their number."""

    def joined(match: re.Match[str]) -> str:
        return SPLICE.sub("", match[0]) + "\n" * len(SPLICE.findall(match[0]))

    return _CONTINUED.sub(joined, text)


def has_blank_splice(text: str) -> bool:
    """Whether a line ends with a backslash and blanks: g++ joins the next line to it, other compilers do not."""
    return _BLANK_SPLICE.search(text) is not None


def has_torn_directive(text: str) -> bool:
    """Whether a raw string in a directive goes on over lines."""
    found = lexed(text)
    inside = (token for first, last in found.directives for token in found.tokens[first:last])
    return any(token.kind is TokenKind.STRING and "\n" in token.text for token in inside)


def without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """``text`` with the given character ranges as spaces; line breaks stay."""
    characters = list(text)
    for start, end in ranges:
        characters[start:end] = [c if c == "\n" else " " for c in characters[start:end]]
    return "".join(characters)


def kept(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """``text`` with all but the given character ranges as spaces; line breaks stay."""
    position, gaps = 0, list[tuple[int, int]]()
    for start, end in sorted(ranges):
        gaps.append((position, max(position, start)))
        position = max(position, end)
    return without(text, [*gaps, (position, len(text))])


def _written(text: str, is_bare: bool) -> str:
    found = lexed(text)
    characters = list(text)
    for splice in SPLICE.finditer(text):
        characters[splice.start()] = " "
    for token in found.tokens:
        if token.kind is TokenKind.COMMENT:
            characters[token.start : token.end] = _NOT_NEWLINE.sub(" ", text[token.start : token.end])
        elif (is_bare and token.kind in _LITERALS) or token.end - token.start != len(token.text) or "\\" in token.text:
            characters[token.start : token.end] = _shown(text, token, is_bare)
    for first, last in found.directives:
        _join(text, characters, found, first, last)
    return "".join(characters)


def _shown(text: str, token: Token, is_bare: bool) -> str:
    """The token in as many characters as it is written in; the line breaks of a torn one behind it."""
    shown = token.text
    if is_bare and token.kind in _LITERALS:
        opening = shown.index(shown[-1])
        shown = shown[: opening + 1] + _NOT_NEWLINE.sub(" ", shown[opening + 1 : -1]) + shown[-1]
    break_count = text.count("\n", token.start, token.end) - shown.count("\n")
    return shown.ljust(token.end - token.start - break_count) + "\n" * break_count


def _join(text: str, characters: list[str], found: TokenizedText, first: int, last: int) -> None:
    """Ends each line of a directive but its last one with a backslash; where a comment or a raw string makes the lines, which has no room
    for that, the directive becomes one line and the line breaks follow it."""
    start, end = found.tokens[first].start, found.tokens[last - 1].end
    inside = characters[start:end]
    if "\n" not in inside:
        return
    if any("\n" in token.text for token in found.tokens[first:last]):
        characters[start:end] = [*(character for character in inside if character != "\n"), *("\n" * inside.count("\n"))]
        return
    for splice in SPLICE.finditer(text, start, end):
        characters[splice.end() - 2] = "\\" if characters[splice.end() - 1] == "\n" else characters[splice.end() - 2]
    _mark_torn(text, characters, found.tokens[first:last])


def _mark_torn(text: str, characters: list[str], inside: Iterable[Token]) -> None:
    """The same for words that continued lines tear apart."""
    for token in inside:
        break_count = text.count("\n", token.start, token.end)
        if break_count:
            rest = token.end - token.start - 2 * break_count
            characters[token.start : token.end] = [*characters[token.start : token.start + rest], *("\\\n" * break_count)]
