"""What a text's macros and conditions may mean to code of the host, and which names its lines declare.

Example::

    macro_problem(macros_in("#define run(x) x")[0], False, [(0, 100)])    # "its macro run stays in force in headers; …"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assistant.cuda.code_text import blanked
from assistant.cuda.directives import Macro, directives_in

__all__ = ["conditions_problem", "declared_names", "macro_problem"]

_DECLARED = re.compile(
    r"(?:\b(?:struct|class|union|enum|using|auto|const|constexpr|bool|char|short|int|long|unsigned|float|double|half|size_t|u?int\d+_t|void)\b"
    r"|[A-Za-z_]\w*[>*&]*)\s+[*&]*(?P<name>[A-Za-z_]\w*)\s*(?=[=;{(\[,)])"
)
_EFFECT = re.compile(
    r"[;{}\"#\\]|(?<![=!<>])=(?!=)|\+\+|--|(?<![\w)\]])\s*\[|<%|%>|\?\?|\basm\b|\bnew\b|\bdelete\b|\bthrow\b|\breturn\b|\bgoto\b"
)

_CONDITIONS = frozenset({"if", "ifdef", "ifndef", "elif", "else", "endif"})


def macro_problem(macro: Macro, is_named_by_host: bool, includes: Iterable[tuple[int, int]]) -> str | None:
    """Why a new macro, whose name the text did not say before, may matter to code of the host all the same."""
    if macro.is_pasting or "#" in blanked(macro.body):
        return f"its macro {macro.name} makes words or text of what it is given, which hides what it names"
    if _is_within(macro, includes):
        return f"its macro {macro.name} stays in force in headers; write `#undef {macro.name}` behind its last use"
    if is_named_by_host and _EFFECT.search(macro.body):
        return f"its macro {macro.name} is more than arithmetic, and host code names it"
    return None


def conditions_problem(code: str, old: str) -> str | None:
    """Why conditions of a function reach beyond it; None where they are those of its ``old`` text, or end in it."""
    words, old_words = ([d.word for d in directives_in(text) if d.word in _CONDITIONS] for text in (code, old))
    if words == old_words:
        return None
    depth = 0
    for word in words:
        if word in ("else", "elif", "endif") and depth == 0:
            return f"its `#{word}` has no `#if`"
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
    return "its `#if` has no `#endif`" if depth else None


def declared_names(code: str) -> Iterator[str]:
    """Names that a line looks to declare: variables, constants, types, functions; some that it only uses as well."""
    return (found["name"] for found in _DECLARED.finditer(code))


def _is_within(macro: Macro, places: Iterable[tuple[int, int]]) -> bool:
    """Whether it is in force in one of them."""
    return any(start < macro.end and end > macro.start for start, end in places)
