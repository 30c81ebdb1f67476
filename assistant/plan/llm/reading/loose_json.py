"""JSON as models write it, made strict: comments, trailing commas, other quotes and marks, bare keys, Python's constants. Pure.

What could mean two things is left as it is, so that it cannot be read. Example::

    strict("{'summary': 'Don't pad.', n: None,}")      # StrictText('{"summary": "Don\\'t pad.", "n": null}', …)
    strict(text).before(38)                            # where that character stands in what the model wrote
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right

from assistant.record import Record

__all__ = ["StrictText", "strict"]

_ENDS_VALUE = r"(?=\s*[,:}\]，：｝］])"
"""What stands behind a string. A quotation mark with anything else behind it is an apostrophe."""
_TOKEN = re.compile(
    r'(?P<long>"""[^\\]*?"""|\'\'\'[^\\]*?\'\'\')'
    r'|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<comment>//[^\n]*|#[^\n]*|/\*.*?\*/)"
    rf"|(?P<single>'(?:[^'\\\n]|\\.|'(?!\s*[,:}}\]]))*'{_ENDS_VALUE})"
    rf"|(?P<curly>[“”][^“”\n]*[“”]{_ENDS_VALUE})"
    rf"|(?P<ticks>`[^`\\]*`{_ENDS_VALUE})"
    r"|(?P<wide>[｛｝［］，：])"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<mark>[{}\[\],:])",
    re.DOTALL,
)
_WIDE = dict(zip("｛｝［］，：", "{}[],:", strict=True))
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_ESCAPED_APOSTROPHE = re.compile(r"\\(['\\])|\"")


class StrictText(Record):
    """The text with what is not JSON written as JSON."""

    text: str
    places: tuple[tuple[int, int], ...]
    """(place here, place in the model's text) of each piece, in order."""

    def before(self, place: int) -> int:
        """Where a place of ``text`` is in the model's text; inside of what was rewritten, near it."""
        here, there = self.places[max(0, bisect_right(self.places, (place, len(self.text) * 2 + place)) - 1)]
        return there + place - here


def strict(text: str) -> StrictText:
    """``text``, which begins with an object; what follows that is written anew as well."""
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    length, position = 0, 0
    last, comma = "", -1

    def add(piece: str, start: int) -> None:
        nonlocal length
        places.append((length, start))
        pieces.append(piece)
        length += len(piece)

    for token in _TOKEN.finditer(text):
        if token.start() > position:
            between = text[position : token.start()]
            add(between, position)
            last = "" if between.strip() else last
        position = token.end()
        if token["comment"]:
            add(re.sub(r"[^\n]", " ", token[0]), token.start())
            continue
        mark = _WIDE.get(token[0], token[0])
        if mark in ("}", "]") and last == ",":
            pieces[comma] = " "
        add(_strict_token(token, text, last), token.start())
        last, comma = mark, len(pieces) - 1
    add(text[position:], position)
    return StrictText("".join(pieces), tuple(places))


def _strict_token(token: re.Match[str], text: str, last: str) -> str:
    """``last``: the token before."""
    if token["single"] is not None:
        return _quoted(token[0][1:-1])
    if token["long"] is not None:
        return json.dumps(token[0][3:-3], ensure_ascii=False)  # without backslashes, which Python would read
    if token["wide"] is not None:
        return _WIDE[token[0]]
    if token["ticks"] is not None:
        return json.dumps(token[0][1:-1], ensure_ascii=False)
    if token["curly"] is not None:
        return json.dumps(token[0][1:-1], ensure_ascii=False)
    if token["word"] is None:
        return token[0]
    is_key = last in ("{", ",") and re.match(r"\s*[:：]", text[token.end() : token.end() + 80]) is not None
    return f'"{token[0]}"' if is_key else _PYTHON.get(token[0], token[0])


def _quoted(inside: str) -> str:
    """The inside of a string in single quotation marks as a string of JSON, with the escapes that it has."""
    return '"' + _ESCAPED_APOSTROPHE.sub(lambda found: '\\"' if found[0] == '"' else "'" if found[1] == "'" else found[0], inside) + '"'
