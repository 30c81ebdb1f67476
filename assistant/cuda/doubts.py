"""Everything in device code that the text alone does not settle. Example::

doubts("__global__ void k(float *x) { float v; x[0] = v; }")     # (Doubt("unset", "k", "v", "v", 1),)
"""

from __future__ import annotations

from assistant.cuda.addresses import address_doubts
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.unset import unset_reads
from assistant.model.doubts import Doubt

__all__ = ["doubts"]


def doubts(text: str) -> tuple[Doubt, ...]:
    """In source order, those about values first."""
    tree = SyntaxTree(text)
    unset = (Doubt("unset", read.function, read.name, read.name, read.line) for read in unset_reads(tree))
    return (*unset, *address_doubts(tree))
