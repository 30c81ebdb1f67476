"""How a kernel uses its thread and block indices, and how many threads its blocks may have.

Example::

    all(is_global_index(field) for field in builtin_fields(context))    # only as `blockIdx.x * blockDim.x + threadIdx.x` and its stride
    largest_block(context)                                              # 1024, or what __launch_bounds__ says
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.integers import evaluate
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, joined, node_text, parsed_expression
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["builtin_fields", "is_global_index", "is_grid_stride", "largest_block", "plain_text"]

_CAST = re.compile(r"\((?:(?:unsigned|signed)?(?:int|long|longlong|longint|longlongint)?|(?:std::)?size_t|u?int(?:32|64)_t)\)|[()]")
_GRID_STRIDE = frozenset({"blockDim.{0}*gridDim.{0}", "gridDim.{0}*blockDim.{0}"})


def builtin_fields(context: TransformationContext) -> Iterator[Node]:
    """``threadIdx.x`` and the like, in source order."""
    for node in context.tree.find("field_expression", inside=context.body):
        owner = node.child_by_field_name("argument")
        if owner is not None and node_text(owner) in {"threadIdx", "blockIdx", "blockDim", "gridDim"}:
            yield node


def is_global_index(field: Node, names: frozenset[str] = frozenset()) -> bool:
    """True inside ``blockIdx.x * blockDim.x + threadIdx.x`` or ``gridDim.x * blockDim.x``, in any order and with casts.

    ``names``: of variables that stand for ``threadIdx.x``.
    """
    axis = "x" if node_text(field) in names else node_text(field)[-1]
    node: Node | None = field
    while node is not None and node.type in {
        "identifier",
        "field_expression",
        "binary_expression",
        "parenthesized_expression",
        "cast_expression",
    }:
        if node.type == "binary_expression":
            if plain_text(node) in {form.format(axis) for form in _GRID_STRIDE}:
                return True
            terms = [plain_text(t) for t in joined(node, "+")]
            products = {f"blockIdx.{axis}*blockDim.{axis}", f"blockDim.{axis}*blockIdx.{axis}"}
            threads = {f"threadIdx.{axis}", *(names if axis == "x" else ())}
            if threads & set(terms) and products & set(terms):
                return True
        node = node.parent
    return False


def is_grid_stride(node: Node) -> bool:
    """``blockDim.x * gridDim.x``: how many threads a grid along x has."""
    return plain_text(node) in {form.format("x") for form in _GRID_STRIDE}


def plain_text(node: Node) -> str:
    """The expression without blanks, casts and parentheses."""
    text = re.sub(r"\s+", "", node_text(node))
    return _CAST.sub("", text)


def largest_block(context: TransformationContext) -> int:
    """What ``__launch_bounds__`` and the architecture allow."""
    limit = context.architecture.max_threads_per_block
    if not context.kernel.launch_bounds:
        return limit
    bound = parsed_expression(context.kernel.launch_bounds[0])
    return min(limit, (0 if bound is None else evaluate(bound, scope_of(context.tree, context.kernel), {})) or 0)
