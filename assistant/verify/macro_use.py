"""What a text's macros and conditions may mean to code of the host, and which names its lines declare.

Example::

    macro_problem(macros_in("#define run(x) x")[0], [(0, 100)], ())    # "its macro run stays in force in host code; …"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assistant.cuda.directives import Macro, directives_in

__all__ = ["conditions_problem", "declared_names", "macro_problem"]

_DECLARED = re.compile(
    r"(?:\b(?:struct|class|union|enum|using|auto|const|constexpr|bool|char|short|int|long|unsigned|float|double|half|size_t|u?int\d+_t|void)\b"
    r"|[A-Za-z_]\w*[>*&]*)\s+[*&]*(?P<name>[A-Za-z_]\w*)\s*(?=[=;{(\[,)])"
)
_CONSTANT_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_EFFECT = re.compile(
    r"[;{}\"#\\]|(?<![=!<>])=(?!=)|\+\+|--|(?<![\w)\]])\s*\[|<%|%>|\?\?|\basm\b|\bnew\b|\bdelete\b|\bthrow\b|\breturn\b|\bgoto\b"
)


def macro_problem(macro: Macro, host_places: Iterable[tuple[int, int]], includes: Iterable[tuple[int, int]]) -> str | None:
    """Why a new macro may matter to code of the host; one that ends before any does not, and arithmetic under a new name in capitals."""
    if macro.is_pasting:
        return f"its macro {macro.name} pastes words together, which hides what it names"
    advice = f"stays in force in host code; write `#undef {macro.name}` behind its last use"
    if _is_within(macro, includes):
        return f"its macro {macro.name} stays in force in headers; write `#undef {macro.name}` behind its last use"
    if not _is_within(macro, host_places):
        return None
    if _CONSTANT_NAME.fullmatch(macro.name) is None:
        return f"its macro {macro.name} {advice}"
    return f"its macro {macro.name} is more than arithmetic and {advice}" if _EFFECT.search(macro.body) else None


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


def declared_names(code: str) -> Iterator[str]:
    """Names that a line looks to declare: variables, constants, types, functions; some that it only uses as well."""
    return (found["name"] for found in _DECLARED.finditer(code))


def _is_within(macro: Macro, places: Iterable[tuple[int, int]]) -> bool:
    """Whether it is in force in one of them."""
    return any(start < macro.end and end > macro.start for start, end in places)
