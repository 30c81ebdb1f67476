"""``__launch_bounds__`` of a kernel whose threads need many registers.

Example::

    launch_bounds(context, Dim3(32, 32))    # __global__ void __launch_bounds__(1024) product(…)
"""

from __future__ import annotations

import re

from assistant.model.launch import Dim3
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["launch_bounds"]


def launch_bounds(context: TransformationContext, block: Dim3) -> tuple[TextEdit, ...]:
    """Tells the compiler how large blocks are; none where threads may have as many registers as there can be, or where it knows.

    Without them a thread may get so many registers that a large block cannot be launched (CUDA C++ Programming Guide, "Launch Bounds").
    """
    limits, start = context.architecture, context.kernel.span.start
    head = context.text[start : context.tree.span(context.body).start]
    name = re.search(rf"\b{context.kernel.name}\s*\(", head)
    if block.count * limits.max_registers_per_thread <= limits.registers_per_sm or "__launch_bounds__" in head or name is None:
        return ()
    place = start + name.start()
    return (TextEdit(Span(place, place), f"__launch_bounds__({block.count}) "),)
