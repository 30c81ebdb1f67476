"""What a piece of code says once its macros are expanded: function-like and object-like ones, ``##`` included.

Example::

    macros = macro_table("#define CAT_(a, b) a##b\\n#define CAT(a, b) CAT_(a, b)\\n#define PRE fast")
    expanded("CAT(PRE, _sum)", macros)      # 'fast_sum'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assistant.cuda.directives import Macro, macros_in
from assistant.cuda.reading import matching_close, split_arguments

__all__ = ["MacroTable", "expanded", "macro_table"]

MacroTable = Mapping[str, Macro]
_PART = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*|\s*##\s*|\s+|.', re.DOTALL)
_REST = "__VA_ARGS__"
_MOST_CHARACTERS = 1 << 16
"""Of an expansion; longer ones are cut off, as macros that double their argument a few times fill memory."""


def macro_table(*texts: str) -> MacroTable:
    """By name; of several with one name the last."""
    return {macro.name: macro for text in texts for macro in macros_in(text)}


def expanded(code: str, macros: MacroTable) -> str:
    """``code`` with each use replaced, and what that gives expanded again; a macro is not expanded inside itself."""
    made: list[str] = []
    length = end = 0
    for part in _PART.finditer(code):
        macro = macros.get(part[0])
        if part.start() < end or length > _MOST_CHARACTERS:
            continue
        text, end = part[0], part.end()
        if macro is not None:
            replaced = _used(code, part.end(), macro, macros)
            text, end = replaced or (text, end)
        made.append(text)
        length += len(text)
    return "".join(made)


def _used(code: str, at: int, macro: Macro, macros: MacroTable) -> tuple[str, int] | None:
    """(expansion, offset behind the use) of the macro whose name ends ``at``; None where it is no use."""
    others = {name: other for name, other in macros.items() if name != macro.name}
    if not macro.parameters:
        return expanded(_joined(macro.body), others), at
    opening = re.compile(r"\s*\(").match(code, at)
    close = None if opening is None else matching_close(code, opening.end() - 1)
    if opening is None or close is None:
        return None
    arguments = _by_parameter(macro.parameters, split_arguments(code[opening.end() : close]))
    return expanded(_substituted(macro, arguments, macros), others), close + 1


def _by_parameter(parameters: Sequence[str], arguments: Sequence[str]) -> Mapping[str, str]:
    values = dict(zip(parameters, arguments, strict=False))
    if parameters[-1].endswith("..."):
        values.pop(parameters[-1], None)
        values[parameters[-1].removesuffix("...") or _REST] = ", ".join(arguments[len(parameters) - 1 :])
    return values


def _substituted(macro: Macro, values: Mapping[str, str], macros: MacroTable) -> str:
    """The body with its parameters replaced: expanded, but for operands of ``##``."""
    parts = _PART.findall(_joined(macro.body))
    is_joined = [part.strip() == "##" for part in parts]
    made = (
        part
        if part not in values
        else values[part]
        if is_joined[max(i - 1, 0)] or is_joined[min(i + 1, len(parts) - 1)]
        else expanded(values[part], macros)
        for i, part in enumerate(parts)
    )
    return "".join(_without_joints(made))


def _without_joints(parts: Iterable[str]) -> Iterator[str]:
    return (part for part in parts if part.strip() != "##")


def _joined(body: str) -> str:
    """The body on one line."""
    return body.replace("\\\n", " ").replace("\\\r\n", " ").strip()
