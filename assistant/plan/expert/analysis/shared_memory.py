"""Whether a kernel has any shared memory: without it, no block can put its threads' values together step by step.

Example::

    uses_shared_memory(context)     # False for a kernel whose threads only branch
"""

from __future__ import annotations

from assistant.cuda.functions import enclosing_function, functions
from assistant.cuda.macros import macro_texts
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["uses_shared_memory"]


def uses_shared_memory(context: TransformationContext) -> bool:
    """In its own text or that of the device functions it calls, outside of functions, or behind a macro."""
    tree = context.tree
    reachable = {context.kernel.name, *context.kernel.device_functions}
    own = (tree.text(function.body) for function in functions(tree) if function.name in reachable)
    outside = (tree.text(node) for node in tree.find("declaration", inside=tree.root) if enclosing_function(tree, node) is None)
    macros = (text for texts in macro_texts(tree).values() for text in texts)
    return any("__shared__" in text for text in (*own, *outside, *macros))
