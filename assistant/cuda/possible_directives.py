"""What may be a line for a preprocessor, whoever reads the text: asked of lines as they are written, comments and strings included.

Tokens would not do: what a text hides in a literal or a comment, another compiler may see. Errs on the side of taking a line for a
directive. Example::

    line_directive("#define TILE 32 // threads")    # LineDirective(macro='TILE', is_hint=False)
    line_directive("x[i] += 2;")                     # None
"""

from __future__ import annotations

import re
from collections import Counter

from assistant.cuda.code_patterns import words_of
from assistant.cuda.code_text import unspliced
from assistant.record import Record

__all__ = ["LineDirective", "is_continued", "line_directive", "odd_directives", "plain_macro"]

_REMARK = re.compile(r"/\*(?:(?!\*/)[^\"'\\])*\*/|^([^\"']*?)//[^\\]*$")
"""A comment that ends on its line, in a line without anything that looks like a literal before it."""
_RISKY = re.compile(r"#|%:|\?\?|R\"|/\*|\*/|\\\s*$")
"""What may begin or end a directive, a comment, a raw string or a continued line."""
_UNROLL = re.compile(r"\s*#\s*pragma\s+(?:no)?unroll\b[\w\s()*+-]*")
_DEFINITION = re.compile(
    r"\s*#\s*(?:define\s+(?P<name>[A-Za-z]\w*)(?P<body>(?:\([\w\s,]*\))?(?:\s[^#\\]*)?)|undef\s+(?P<ended>[A-Za-z]\w*)\s*)"
)
_ODD = re.compile(
    r"(?:^|\*/)(?:\s|/\*(?:(?!\*/).)*\*/)*(?:(?P<digraph>%:|\?\?=)|#(?:[ \t]|/\*(?:(?!\*/).)*\*/)*(?P<line>line\b|\d))", re.MULTILINE
)


class LineDirective(Record):
    """A line that may be a directive."""

    macro: str = ""
    """The macro that it defines as plain code, or ends; empty where it does something else."""
    is_hint: bool = False
    """Whether it asks for a loop to be unrolled, or not to be."""


def line_directive(line: str) -> LineDirective | None:
    """None for a line that nobody takes for a directive, for a part of one or for the edge of a comment."""
    bare = _REMARK.sub(r"\1", line)
    if _RISKY.search(bare) is None:
        return None
    defined = _DEFINITION.fullmatch(bare)
    if defined is not None:
        return LineDirective(defined["name"] or defined["ended"])
    return LineDirective(is_hint=_UNROLL.fullmatch(bare) is not None)


def is_continued(line: str) -> bool:
    """Whether the next line may be a part of it."""
    return line.rstrip().endswith("\\")


def plain_macro(directive: str) -> tuple[str, frozenset[str]] | None:
    """(name, words of the body) of a macro that a directive defines as plain code; None for any other directive."""
    defined = _DEFINITION.fullmatch(directive)
    return None if defined is None or not defined["name"] else (defined["name"], frozenset(words_of(defined["body"])))


def odd_directives(text: str) -> Counter[str | None]:
    """How many may say which line of which file they are (``line``), or be written as digraphs (``digraph``)."""
    return Counter(found.lastgroup for found in _ODD.finditer(unspliced(text)))
