"""Directives and macros of a text: which there are, under which conditions each stands, and where each macro is in force.

Example::

    macros_in("#define TILE 32\n…")[0].body    # "32"
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache

from assistant.cuda.code_text import uncommented
from assistant.cuda.tokens import KEPT_TEXTS, SPLICE, lexed
from assistant.record import Record

__all__ = ["CONDITIONS", "Directive", "Macro", "condition_at", "directives_in", "is_left_out", "macros_in"]

CONDITIONS = frozenset({"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"})
"""Directives that decide which lines are compiled."""
_DIRECTIVE = re.compile(r"\s*#\s*(?P<word>\w*)(?P<rest>.*)", re.DOTALL)
_DEFINITION = re.compile(r"\s*(?P<name>\w+)(?:\((?P<parameters>[^()]*)\))?(?P<body>.*)", re.DOTALL)


class Directive(Record):
    """One line for the preprocessor."""

    word: str
    rest: str
    """What follows the word, on one line, without comments."""
    text: str
    """The whole, with one space where there are several."""
    start: int
    end: int
    branch: tuple[tuple[int, int], ...]
    """The conditions that it stands in, outermost first: (number of the condition, number of its branch)."""


class Macro(Record):
    """One ``#define``."""

    name: str
    parameters: tuple[str, ...]
    body: str
    text: str
    start: int
    end: int
    """Offset behind which it is not in force any more: of its ``#undef``, or of the text's end."""

    @property
    def is_pasting(self) -> bool:
        """Whether it makes new words of its arguments."""
        return "##" in self.body


@lru_cache(maxsize=KEPT_TEXTS)
def directives_in(code: str) -> tuple[Directive, ...]:
    """All of them, in functions too, in order; what looks like one in a comment or a string is none."""
    found = list[Directive]()
    branch = list[tuple[int, int]]()
    plain, cut = uncommented(code), lexed(code)
    for number, (first, last) in enumerate(cut.directives):
        start, end = cut.tokens[first].start, cut.tokens[last - 1].end
        line = SPLICE.sub("", plain[start:end]).rstrip("\n")
        match = _DIRECTIVE.match(line)
        assert match is not None
        word = match["word"]
        if word in ("elif", "else", "elifdef", "elifndef") and branch:
            branch[-1] = (branch[-1][0], branch[-1][1] + 1)
        elif word == "endif" and branch:
            branch.pop()
        found.append(Directive(word, match["rest"], " ".join(line.split()), start, end, tuple(branch)))
        if word in ("if", "ifdef", "ifndef"):
            branch.append((number, 0))
    return tuple(found)


def macros_in(code: str) -> tuple[Macro, ...]:
    """All macros that the code defines. One ends where an ``#undef`` of its name is reached whenever its definition is."""
    directives = directives_in(code)
    found = list[Macro]()
    for directive in directives:
        match = _DEFINITION.match(directive.rest)
        if directive.word != "define" or match is None:
            continue
        ends = (
            other.start
            for other in directives
            if other.word == "undef"
            and other.start > directive.start
            and other.rest.strip() == match["name"]
            and other.branch == directive.branch[: len(other.branch)]
        )
        end = next(ends, len(code))
        parameters = tuple(part.strip() for part in (match["parameters"] or "").split(",") if part.strip())
        found.append(Macro(match["name"], parameters, match["body"], directive.text, directive.start, end))
    return tuple(found)


def condition_at(text: str, line: int) -> str | None:
    """The directive that decides whether a line is compiled, the innermost one; None for a line under no condition."""
    found = _condition(text, line)
    return None if found is None else found[0]


def is_left_out(text: str, line: int, compiled: Container[int]) -> bool:
    """Whether a line stands in a branch of a condition of which nothing before it is compiled, nor it itself."""
    found = _condition(text, line)
    if found is None or any(text.count("\n", 0, directive.start) + 1 == line for directive in directives_in(text)):
        return False
    return not any(number in compiled for number in range(found[1] + 1, line + 1))


def _condition(code: str, line: int) -> tuple[str, int] | None:
    """(text, line) of the directive that opens the branch around a line."""
    opened = list[tuple[str, int]]()
    for directive in directives_in(code):
        number = code.count("\n", 0, directive.start) + 1
        if number >= line:
            break
        if directive.word in ("if", "ifdef", "ifndef"):
            opened.append((directive.text, number))
        elif directive.word == "endif" and opened:
            opened.pop()
        elif directive.word in ("elif", "elifdef", "elifndef") and opened:
            opened[-1] = (directive.text, number)
        elif directive.word == "else" and opened:
            opened[-1] = (f"#else of {opened[-1][0]}", number)
    return opened[-1] if opened else None
