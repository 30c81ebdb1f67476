"""Whether tiles of a depth divide the length of a loop, so that no iteration of a tile needs a check.

Example::

    has_whole_tiles(context, header, 16)    # True for `k < 1024`, and for `k < n / TILE * TILE` with a TILE of 16 or 32
"""

from __future__ import annotations

from assistant.cuda.counted_loops import CountedHeader
from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import binary_parts, unparenthesized
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["has_whole_tiles"]


def has_whole_tiles(context: TransformationContext, header: CountedHeader, depth: int) -> bool:
    """The length is a constant multiple of the depth, or a product of which one factor is."""
    count = header.trip_count(context.tree)
    if count is not None:
        return count % depth == 0
    scope = scope_of(context.tree, context.kernel)
    named = scope.definition(header.bound)
    parts = binary_parts(unparenthesized(header.bound_node if named is None else named))
    factor = None if parts is None or parts[0] != "*" else evaluate(parts[2], scope, template_environment(context))
    return (header.first, header.comparison) == ("0", "<") and factor is not None and factor % depth == 0
