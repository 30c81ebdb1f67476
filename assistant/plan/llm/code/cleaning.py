"""Code as a model meant it: without fence, line numbers and remarks that it copied along, in the characters that code is made of.

Example::

    cleaned("```cuda\\n 9 | int x = 0;   // {E…} E1 global_sectors: 4 sectors\\n```")    # "int x = 0;"
    cleaned("if (a &lt; b &amp;&amp; c) f（a）；")                                       # "if (a < b && c) f(a);"
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from assistant.cuda.code_text import blanked
from assistant.plan.llm.annotate import MARGIN

__all__ = ["cleaned"]

_FENCE = re.compile(r"\A\s*```[^\n]*\n(?P<code>.*?)\n```\s*\Z", re.DOTALL)
_NUMBERED = re.compile(r"^[ \t]*\d+ \| ?", re.MULTILINE)
_COUNTED = re.compile(r"[ \t]*(?P<number>\d+)(?:[ \t]*[:|│] ?|\t|[ \t]*\Z|  ?)")
"""A line with its number as other tools write it."""
_FEWEST_COUNTED = 3
"""Lines whose numbers go up by one are numbered; two may be a list of numbers."""
_REMARK = re.compile(re.escape(MARGIN.rstrip()) + r"[^\n]*")
_ESCAPED = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#39|#34|#x27);")
_BARE = re.compile(r"[<>]|&(?!(?:lt|gt|amp|quot|apos|nbsp|#39|#34|#x27);)")
_ZERO_WIDTH = re.compile("[\\u200b\\u2060\\ufeff]")
"""Shown by nothing, and left out by nothing that reads code."""
_OTHER_CHARACTERS = re.compile("[\\u00a0\\u2007\\u202f\\u3000（）｛｝［］；，：＜＞＝＋－＊／％＆｜！＾～．？]")
_HALF_WIDTH = {0x00A0: " ", 0x2007: " ", 0x202F: " ", 0x3000: " "} | {0xFF00 + code - 0x20: chr(code) for code in range(0x21, 0x7F)}


def cleaned(code: str) -> str:
    """``code`` with unix line ends, without blank lines around it and without what the prompt added to the source."""
    unix = _ZERO_WIDTH.sub("", code.replace("\r\n", "\n"))
    fenced = _FENCE.match(unix)
    unix = unix if fenced is None else fenced["code"]
    unix = _REMARK.sub("", _without_marks(unix)).strip("\n").rstrip()
    return _in_plain_characters(_unescaped(unix))


def _without_marks(code: str) -> str:
    """Without what stands in front of every line: its number, or the ``+`` of a patch."""
    lines = code.split("\n")
    written = [line for line in lines if line.strip()]
    if written and all(_NUMBERED.match(line) for line in written):
        return _NUMBERED.sub("", code)
    if _is_counted(written):
        return "\n".join(line if (number := _COUNTED.match(line)) is None else line[number.end() :] for line in lines)
    if len(written) > 1 and all(line.startswith("+") and not line.startswith("++") for line in written):
        return "\n".join(line[1:] for line in lines)
    return code


def _is_counted(lines: Sequence[str]) -> bool:
    found = [_COUNTED.match(line) for line in lines]
    numbers = [int(match["number"]) for match in found if match is not None]
    is_counted = len(lines) >= _FEWEST_COUNTED and len(numbers) == len(lines)
    return is_counted and numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _unescaped(code: str) -> str:
    """Without the escapes of HTML, where all that HTML escapes is escaped."""
    return html.unescape(code).replace("\xa0", " ") if _ESCAPED.search(blanked(code)) and not _BARE.search(code) else code


def _in_plain_characters(code: str) -> str:
    """With the punctuation and the blanks of C++ in place of others, which it has in comments and strings alone."""
    if _OTHER_CHARACTERS.search(code) is None:
        return code
    bare = blanked(code)
    if len(bare) != len(code):
        return code
    pairs = zip(code, bare, strict=True)
    return "".join(_HALF_WIDTH.get(ord(each), each) if _OTHER_CHARACTERS.match(seen) else each for each, seen in pairs)
