"""Which files a source includes, by name.

Example::

    include_directives('#include "a.cuh"\\n// #include "b.cuh"')     # (IncludeDirective("a.cuh", is_quoted=True),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.live_code import LiveDirective, live_code
from assistant.cuda.tokens import SPLICE, TokenKind
from assistant.record import Record

__all__ = ["IncludeDirective", "include_directives", "include_line", "included_files", "included_names"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_WRITTEN = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)
_DOUBT = re.compile(r'^[ \t]*#[ \t]*(?:(?:el)?if[ \t]+(?:0|1|false|true)\b|include[ \t]*(?:\\|/\*))|R"', re.MULTILINE)
"""Where a line that looks like an include may be none, or one that does not is."""
_BLOCK_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_NO_CODE = re.compile(
    r"""(?P<kept>\#[ \t]*include(?:[ \t]|/\*.*?\*/)*(?:"[^"\n]*"|<[^>\n]*>))
    |//[^\n]*
    |/\*.*?(?:\*/|\Z)
    |\bR"(?P<mark>[^\s()\\"]{0,16})\(.*?\)(?P=mark)"
    |"(?:[^"\\\n]|\\[^\n])*"
    |(?<!\w)'(?:[^'\\\n]|\\[^\n])+'""",
    re.VERBOSE | re.DOTALL,
)
"""Includes, and what is neither code nor a directive."""
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)


class IncludeDirective(Record):
    """One ``#include`` that is in force."""

    name: str
    """As it is written."""
    is_quoted: bool


def include_directives(text: str) -> tuple[IncludeDirective, ...]:
    """What the text includes directly, in order, each once; not what stands in comments, strings and ``#if 0``."""
    if "include" not in text:
        return ()
    written = tuple(_WRITTEN.finditer(text))
    if _DOUBT.search(text) is None and not (written and _may_be_comment(text, written)):
        found = (IncludeDirective(match[1] or match[2], match[1] is None) for match in written)
    else:
        lines = _directive_lines(text)
        found = (one for line in live_code(lines).directives if line.word == "include" for one in _of_line(lines, line))
    return tuple(dict.fromkeys(found))


def _may_be_comment(text: str, written: tuple[re.Match[str], ...]) -> bool:
    """Whether an include may stand in a block comment; the tokens tell, this only says that they must be asked."""
    comments = [match.span() for match in _BLOCK_COMMENT.finditer(text, 0, written[-1].end())]
    return any(start < match.start() < end for start, end in comments for match in written)


def _directive_lines(text: str) -> str:
    """The lines for the preprocessor alone: of large texts they are a hundredth, and quickly taken apart."""
    plain = _NO_CODE.sub(lambda match: match["kept"] or " ", SPLICE.sub("", text))
    return "\n".join(match[0] for match in _DIRECTIVE.finditer(plain))


def _of_line(text: str, line: LiveDirective) -> Iterator[IncludeDirective]:
    if line.rest and line.rest[0].kind is TokenKind.STRING:
        yield IncludeDirective(line.rest[0].text.strip('"'), is_quoted=True)
    elif line.rest and line.rest[0].text == "<":
        written = text[line.rest[0].end : line.rest[-1].end]
        yield IncludeDirective(written.partition(">")[0].strip(), is_quoted=False)


def included_names(text: str) -> frozenset[str]:
    """File names, without folders, of what the text includes directly; the compiler alone knows which file each one is."""
    return frozenset(match[1].rsplit("/", 1)[-1] for match in _INCLUDE.finditer(text))


def included_files(text: str) -> tuple[str, ...]:
    """What the text includes directly, as it is written there, in order, each once."""
    return tuple(dict.fromkeys(match[1] for match in _INCLUDE.finditer(text)))


def include_line(text: str, file: str) -> int | None:
    """1-based line of the directive that includes a file of that name; None where the text does not include it itself."""
    name = file.rsplit("/", 1)[-1]
    found = (match for match in _INCLUDE.finditer(text) if match[1].rsplit("/", 1)[-1] == name)
    return next((text.count("\n", 0, match.start(1)) + 1 for match in found), None)
