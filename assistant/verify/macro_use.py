"""Directives and macros of a text: where each macro is in force, and whether that place has code of the host.

Code without comments and spliced lines is expected. Example::

    macros_in("#define TILE 32\\n…")[0].body    # "32"
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from assistant.record import Record
from assistant.verify.text import uncommented, unspliced

__all__ = [
    "Directive",
    "Macro",
    "condition_at",
    "conditions_problem",
    "declared_names",
    "directives_in",
    "is_left_out",
    "macro_problem",
    "macros_in",
]

_DIRECTIVE = re.compile(r"^[ \t\f\v]*(?:#|%:|\?\?=)[ \t]*(?P<word>\w*)(?P<rest>[^\n]*)", re.MULTILINE)
_DEFINITION = re.compile(r"\s*(?P<name>\w+)(?:\((?P<parameters>[^()]*)\))?(?P<body>.*)")
_DECLARED = re.compile(
    r"(?:\b(?:struct|class|union|enum|using|auto|const|constexpr|bool|char|short|int|long|unsigned|float|double|half|size_t|u?int\d+_t|void)\b"
    r"|[A-Za-z_]\w*[>*&]*)\s+[*&]*(?P<name>[A-Za-z_]\w*)\s*(?=[=;{(\[,)])"
)
_CONSTANT_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_EFFECT = re.compile(
    r"[;{}\"#\\]|(?<![=!<>])=(?!=)|\+\+|--|(?<![\w)\]])\s*\[|<%|%>|\?\?|\basm\b|\bnew\b|\bdelete\b|\bthrow\b|\breturn\b|\bgoto\b"
)


class Directive(Record):
    """One line for the preprocessor."""

    word: str
    rest: str
    text: str
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
        return "##" in self.body or "%:" in self.body or "??=" in self.body


def directives_in(code: str) -> tuple[Directive, ...]:
    """All of them, in functions too, in order."""
    found = list[Directive]()
    branch = list[tuple[int, int]]()
    for number, match in enumerate(_DIRECTIVE.finditer(code)):
        word = match["word"]
        if word in ("elif", "else", "elifdef", "elifndef") and branch:
            branch[-1] = (branch[-1][0], branch[-1][1] + 1)
        elif word == "endif" and branch:
            branch.pop()
        found.append(Directive(word, match["rest"], " ".join(match[0].split()), match.start(), match.end(), tuple(branch)))
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


def macro_problem(macro: Macro, host_places: Iterable[tuple[int, int]], includes: Iterable[tuple[int, int]]) -> str | None:
    """Why a new macro may matter to code of the host; one that ends before any does not, and arithmetic under a new name in capitals."""
    if macro.is_pasting:
        return f"its macro {macro.name} puts words together, so that nobody sees what it names"
    mended = f"stays in force in host code; write `#undef {macro.name}` behind its last use"
    if _is_within(macro, includes):
        return f"its macro {macro.name} stays in force in headers; write `#undef {macro.name}` behind its last use"
    if not _is_within(macro, host_places):
        return None
    if _CONSTANT_NAME.fullmatch(macro.name) is None:
        return f"its macro {macro.name} {mended}"
    return f"its macro {macro.name} is more than arithmetic and {mended}" if _EFFECT.search(macro.body) else None


def condition_at(text: str, line: int) -> str | None:
    """The directive that decides whether a line is compiled, the innermost one; None for a line under no condition."""
    found = _condition(uncommented(unspliced(text)), line)
    return None if found is None else found[0]


def is_left_out(text: str, line: int, compiled: Container[int]) -> bool:
    """Whether a line stands in a branch of a condition of which nothing before it is compiled, nor it itself."""
    code = uncommented(unspliced(text))
    found = _condition(code, line)
    is_directive = _DIRECTIVE.match(code.split("\n")[line - 1]) is not None
    return found is not None and not is_directive and not any(number in compiled for number in range(found[1] + 1, line + 1))


def declared_names(code: str) -> Iterator[str]:
    """Names that a line looks to declare: variables, constants, types, functions; some that it only uses as well."""
    return (found["name"] for found in _DECLARED.finditer(code))


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


def _is_within(macro: Macro, places: Iterable[tuple[int, int]]) -> bool:
    """Whether it is in force in one of them."""
    return any(start < macro.end and end > macro.start for start, end in places)


def conditions_problem(code: str, old: str) -> str | None:
    """Why conditions of a function reach beyond it; None where they are those of its ``old`` text, or end in it."""
    words = [d.word for d in directives_in(code) if d.word in ("if", "ifdef", "ifndef", "elif", "else", "endif")]
    if words == [d.word for d in directives_in(old) if d.word in ("if", "ifdef", "ifndef", "elif", "else", "endif")]:
        return None
    depth = 0
    for word in words:
        if word in ("else", "elif", "endif") and depth == 0:
            return f"its `#{word}` has no `#if`"
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
    return "its `#if` has no `#endif`" if depth else None
