"""A kernel with all that it reaches in its text: helpers, constants, types and macros.

Example::

    computes_in_float(code_of(parsed, kernel))     # True: `float` is named in it, or in what it calls
"""

from __future__ import annotations

from assistant.cuda.code_text import blanked, uncommented
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.number_types import is_single
from assistant.model.source import Kernel, ParsedSource
from assistant.verify.reach import only, reach

__all__ = ["code_of", "computes_in_float", "items_of", "kernel_pairs"]


def items_of(parsed: ParsedSource, kernel: Kernel) -> tuple[Item, ...] | None:
    """None where the text cannot be cut."""
    found = items(uncommented(parsed.source.text))
    if found is None:
        return None
    names = {name for item in found if item.start <= kernel.body.start < item.end for name in item.names}
    return reach(found, names, frozenset({ItemKind.HOST, ItemKind.SCOPE}))


def code_of(parsed: ParsedSource, kernel: Kernel) -> str:
    """Comments and literals blanked; the whole text where it cannot be cut."""
    found, code = items_of(parsed, kernel), blanked(parsed.source.text)
    return code if found is None else only(code, found)


def kernel_pairs(before: ParsedSource, after: ParsedSource) -> list[tuple[Kernel, Kernel]]:
    """Each of B's kernels with A's of its name, of overloads the one with its parameters; lone kernels of any name are a pair."""
    if len(before.kernels) == len(after.kernels) == 1:
        return [(before.kernels[0], after.kernels[0])]
    pairs = list[tuple[Kernel, Kernel]]()
    for kernel in after.kernels:
        named = [k for k in before.kernels if k.qualified_name == kernel.qualified_name]
        pairs.extend([(next((k for k in named if k.key == kernel.key), named[0]), kernel)] if named else [])
    return pairs


def computes_in_float(code: str) -> bool:
    """Whether floats of 32 bits or less are named in it: what is stored as double may follow from them."""
    return is_single(code)
