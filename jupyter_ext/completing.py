"""Completion inside of CUDA cells, by IPython's matchers: the names of the cell itself and CUDA's, in whatever front end asks the kernel.

Example::

    names_at("%%kernelopt\\n__global__ void k(float *values) { val", 1, 38)     # ('val', ('values',))
"""

from __future__ import annotations

from typing import Any

from assistant.cuda.embedded.magics import head_of
from assistant.cuda.offered_names import offered_names

__all__ = ["IDENTIFIER", "matcher", "names_at"]

IDENTIFIER = "kernelopt.cuda_cells"
"""What IPython knows the matcher by."""


def names_at(cell: str, line: int, column: int) -> tuple[str, tuple[str, ...]] | None:
    """(what was typed of a name, the names that it may become) at a place of a CUDA cell, both from 0; None outside of its CUDA text."""
    lines = cell.split("\n")
    offset = sum(len(text) + 1 for text in lines[:line]) + column
    head = head_of(cell)
    if head is None or head.kind is None or offset <= head.span.end:
        return None
    return offered_names(cell[head.span.end + 1 : offset], cell[offset:])


def matcher() -> Any:
    """What IPython's completer asks (its matcher API, version 2). Raises ImportError where IPython is older than 8.6."""
    from IPython.core import completer

    def cuda_cells(context: completer.CompletionContext) -> Any:
        found = names_at(context.full_text, context.cursor_line, context.cursor_position)
        if found is None:
            return {"completions": [], "suppress": False}
        prefix, names = found
        return {"completions": [completer.SimpleCompletion(name) for name in names], "matched_fragment": prefix, "suppress": True}

    untyped: Any = completer  # its decorator carries no types
    return untyped.context_matcher(identifier=IDENTIFIER)(cuda_cells)
