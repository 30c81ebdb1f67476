"""One Python string literal: what it says, where each character of that stands, and how other text is written in it.

Rules: Python language reference, "String and Bytes literals". Line ends inside a literal are ``\\n`` to Python however they are stored.

Example::

    value_of(r'"a\\n"', 0).text   # 'a' and a line end
"""

from __future__ import annotations

import re
import unicodedata

from assistant.cuda.embedded.text_map import MappedText
from assistant.model.embedded import EmbeddingProblemCode, Literal, Run
from assistant.model.source import Span
from assistant.record import Record

__all__ = ["UnreadableLiteral", "value_of", "written"]

_HEAD = re.compile(r"""([A-Za-z]{0,2})('{3}|"{3}|'|")""")
_LINE_END = re.compile(r"\r\n?")
_SPECIAL = re.compile(
    r"\\(?:\r\n?|\n|[\\'\"abfnrtv]|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}\r\n]*\}|[xuUN])|\r\n?"
)
_ONE_LETTER = {"\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_WRITTEN = {"\\": "\\\\", "\0": "\\x00", "\r": "\\r", "\n": "\\n"}
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnreadableLiteral(Record):
    """Why a literal has no text."""

    code: EmbeddingProblemCode
    reason: str


def value_of(token: str, start: int) -> MappedText | UnreadableLiteral:
    """The text of the finished literal ``token``, which stands at ``start`` of the container."""
    head = _HEAD.match(token)
    if head is None:
        return UnreadableLiteral(EmbeddingProblemCode.NOT_A_STRING, "this is not a string")
    prefix, quote = head[1].lower(), head[2]
    if "f" in prefix or "t" in prefix:
        return UnreadableLiteral(EmbeddingProblemCode.F_STRING, "this is an f-string: its text is known only when the program runs")
    if "b" in prefix:
        return UnreadableLiteral(EmbeddingProblemCode.BYTES, "this is a bytes literal, not a string")
    content = Span(start + head.end(), start + len(token) - len(quote))
    found = _decoded(token[head.end() : len(token) - len(quote)], content.start, "r" in prefix)
    if isinstance(found, UnreadableLiteral):
        return found
    text, runs = found
    return MappedText(text, (Literal(content, Span(0, len(text)), quote, "r" in prefix, ""),), runs)


def written(text: str, literal: Literal, neighbours: tuple[str, str], line_end: str) -> str:
    """How ``text`` is spelled inside ``literal``, between the two neighbouring characters; a raw literal may not be able to.

    ``line_end`` is the container's own.
    """
    text = _with_margin(text, literal.margin, neighbours[1])
    quote = literal.quote
    if quote is None:
        return text
    if literal.is_raw:
        return text.replace("\n", line_end)
    is_long = len(quote) == 3
    parts: list[str] = []
    for index, character in enumerate(text):
        if character == "\n" and is_long:
            parts.append(line_end)
        elif character == quote[0]:
            before = text[index - 1] if index else neighbours[0]
            after = text[index + 1] if index + 1 < len(text) else neighbours[1]
            is_plain = is_long and character not in (before, after)
            parts.append(character if is_plain else "\\" + character)
        else:
            parts.append(_WRITTEN.get(character, character))
    return "".join(parts)


def _with_margin(text: str, margin: str, following: str) -> str:
    """The margin after every line end, but before a blank line."""
    if not margin:
        return text
    lines = text.split("\n")
    last = margin + lines[-1] if lines[-1] or following not in "\r\n" else ""
    return "\n".join([lines[0], *(margin + line if line else "" for line in lines[1:-1]), last]) if len(lines) > 1 else text


def _decoded(content: str, start: int, is_raw: bool) -> tuple[str, tuple[Run, ...]] | UnreadableLiteral:
    """The text and its runs; ``content`` stands at ``start`` of the container."""
    parts: list[str] = []
    runs: list[Run] = []
    position = length = 0
    for match in (_LINE_END if is_raw else _SPECIAL).finditer(content):
        value = _meaning(match[0])
        if value is None:
            return UnreadableLiteral(EmbeddingProblemCode.UNKNOWN_ESCAPE, f"Python does not know the escape {match[0]}")
        if match.start() > position:
            parts.append(content[position : match.start()])
            runs.append(Run(length, length + match.start() - position, start + position, start + match.start()))
            length = runs[-1].embedded_end
        parts.append(value)
        runs.append(Run(length, length + len(value), start + match.start(), start + match.end()))
        length, position = length + len(value), match.end()
    if position < len(content) or not runs:
        parts.append(content[position:])
        runs.append(Run(length, length + len(content) - position, start + position, start + len(content)))
    text = "".join(parts)
    if _SURROGATE.search(text):
        return UnreadableLiteral(EmbeddingProblemCode.SURROGATE, "it holds half of a surrogate pair, which is not a character")
    return text, tuple(runs)


def _meaning(escape: str) -> str | None:
    """The character that an escape or a line end stands for; None where Python refuses it."""
    if escape[0] == "\r":
        return "\n"
    code = escape[1:]
    if code[0] in "\r\n":
        return ""
    if code in _ONE_LETTER:
        return _ONE_LETTER[code]
    if code[0] in "01234567":
        return chr(int(code, 8))
    if len(code) == 1:
        return None
    return _named(code[2:-1]) if code[0] == "N" else _numbered(int(code[1:], 16))


def _numbered(code_point: int) -> str | None:
    return chr(code_point) if code_point <= 0x10FFFF else None


def _named(name: str) -> str | None:
    try:
        found = unicodedata.lookup(name)
    except KeyError:
        return None
    return found if len(found) == 1 else None
