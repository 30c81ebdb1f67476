"""Kernels whose names a macro makes, ``__global__ void KERNEL(sum)(float* x)``, spelled out: launches and stubs go by the name itself.

Example::

    with_names_spelled_out({path: "#define KERNEL(x) x##_k\\n__global__ void KERNEL(sum)(int n) {}"})    # `… void sum_k(int n) {}`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from assistant.cuda.macro_expansion import MacroTable, expanded, macro_table

__all__ = ["with_names_spelled_out"]

_NAMED = re.compile(r"__global__[^;{}()#]*?(?:__launch_bounds__\s*\([^()]*\)[^;{}()#]*?)?\b(\w+)\s*\([^(){};]*\)\s*\(")
"""A kernel's head whose name takes arguments."""


def with_names_spelled_out(texts: Mapping[Path, str]) -> Mapping[Path, str]:
    """The unit's files; a name that is longer than the macro's use moves what stands behind it on its line."""
    if not any("##" in text for text in texts.values()):
        return texts
    macros = macro_table(*texts.values())
    makers = {match[1] for text in texts.values() for match in _NAMED.finditer(text) if match[1] in macros}
    return {path: _spelled_out(text, makers, macros) for path, text in texts.items()} if makers else texts


def _spelled_out(text: str, makers: set[str], macros: MacroTable) -> str:
    use = re.compile(rf"^(?P<directive>[ \t]*#.*)$|\b(?:{'|'.join(map(re.escape, sorted(makers)))})\s*\([^(){{}};\n]*\)", re.MULTILINE)
    return use.sub(lambda match: _name(match, macros), text)


def _name(match: re.Match[str], macros: MacroTable) -> str:
    if match["directive"] is not None:
        return match[0]
    name = expanded(match[0], macros).strip()
    return name.ljust(len(match[0])) if name.isidentifier() else match[0]
