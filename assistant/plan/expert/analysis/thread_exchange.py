"""Reasons why a kernel's threads must not change places: warp-level code, hidden built-ins, launches out of sight.

Example::

    warp_dependence(context)    # None, or '__shfl_down_sync on line 9 depends on which threads form a warp'
    block_dependence(context)   # None, or 'volatile on line 9 may depend on which warps form a block'
    unseen_launch(context)      # None, or 'k is used other than by a plain launch on line 3 of run.cu'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.functions import enclosing_function
from assistant.cuda.macros import macro_texts
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.cuda.variables import declared_variables, parameters_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Span
from assistant.plan.expert.analysis.kernel_launches import extent_of, of_program
from assistant.plan.expert.analysis.workload_block import declared_shapes
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["block_dependence", "hidden_builtin", "unseen_launch", "warp_dependence"]

_WARP_WORDS = re.compile(
    r"\b(__shfl\w*|__ballot\w*|__any\w*|__all\w*|__syncwarp|__activemask|__match_\w+|__reduce_\w+|warpSize|wmma|asm|__asm__|volatile"
    r"|cooperative_groups|cg|tiled_partition|coalesced_threads)\b"
)
_BLOCK_WORDS = re.compile(
    r"\b(__shared__|__syncthreads\w*|__threadfence\w*|asm|__asm__|volatile|cooperative_groups|cg|tiled_partition|coalesced_threads)\b"
)
"""What may look past a warp; all else of `_WARP_WORDS` is between threads of the same warp."""
_BUILTIN = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\b")


def warp_dependence(context: TransformationContext) -> Obstacle | None:
    """Why it matters to the kernel or its helpers which threads form a warp or a cluster; None when it does not."""
    head = context.text[context.kernel.span.start : context.kernel.body.start]
    if "__cluster_dims__" in head:
        return Obstacle(DeclineReason.WARP_MATTERS, "__cluster_dims__ fixes how the kernel's blocks lie together")
    found = _found(context, _WARP_WORDS)
    return Obstacle(DeclineReason.WARP_MATTERS, f"{found} depends on which threads form a warp") if found else None


def block_dependence(context: TransformationContext) -> Obstacle | None:
    """Why it may matter to the kernel or its helpers which warps form a block; None where each works for itself."""
    if "__cluster_dims__" in context.text[context.kernel.span.start : context.kernel.body.start]:
        return Obstacle(DeclineReason.WARP_MATTERS, "__cluster_dims__ fixes how the kernel's blocks lie together")
    found = _found(context, _BLOCK_WORDS)
    return Obstacle(DeclineReason.BLOCK_SIZE_MATTERS, f"{found} may depend on which warps form a block") if found else None


def _found(context: TransformationContext, words: re.Pattern[str]) -> str:
    """``__shfl_sync on line 9``; empty where the code has none of the words."""
    for span in _code_spans(context):
        for found in words.finditer(context.text, span.start, span.end):
            if not _is_comment(context, found.start()):
                return f"{found[0]} on line {context.parsed.source.line_of(found.start())}"
    return ""


def hidden_builtin(context: TransformationContext) -> Obstacle | None:
    """Why an edit of the kernel's body would miss a thread index; None when all are in plain sight."""
    for node in context.tree.find("identifier", inside=context.body):
        if _BUILTIN.fullmatch(node_text(node)) and (node.parent is None or node.parent.type != "field_expression"):
            return Obstacle(
                DeclineReason.INDEX_OUT_OF_SIGHT, f"{node_text(node)} is passed on as a whole on line {context.tree.line(node)}"
            )
    for function in context.parsed.device_functions:
        if function.name in context.kernel.device_functions:
            found = _BUILTIN.search(context.text, function.body.start, function.body.end)
            if found is not None:
                return Obstacle(DeclineReason.INDEX_OUT_OF_SIGHT, f"the helper {function.name} uses {found[0]} itself")
    used = {node_text(n) for n in context.tree.find("identifier", inside=context.body)}
    for name in sorted(used & macro_texts(context.tree).keys()):
        if any(_BUILTIN.search(text) for text in macro_texts(context.tree)[name]):
            return Obstacle(DeclineReason.INDEX_OUT_OF_SIGHT, f"the macro {name} hides a thread or block index")
    return None


def unseen_launch(context: TransformationContext) -> Obstacle | None:
    """Why not every launch of the kernel is known; None when all stand in files of the program."""
    program, name = of_program(context), context.kernel.name
    if sum(kernel.name == name for kernel in program.parsed.kernels) > 1:
        return Obstacle(DeclineReason.LAUNCH_UNKNOWN, f"several kernels of this file are named {name}, and a launch may mean any of them")
    sites = [site.span for site in program.parsed.launch_sites_of(context.kernel)]
    if not sites and not declared_shapes(context):
        where = f"{name} is not launched in this {extent_of(context)}"
        return Obstacle(DeclineReason.LAUNCH_UNKNOWN, f"{where}, and its launch would have to change with it")
    is_own = all(program.tree.file_at(site)[0] is None for site in sites)
    tree = context.tree if is_own else program.tree  # files without a launch may call something else by its name
    for node in tree.find("identifier"):
        span = tree.span(node)
        if node_text(node) != name or span == context.kernel.name_span or _is_declarator(node):
            continue
        if not any(site.contains(span) for site in sites) and not _means_a_variable(tree, node, name):
            return Obstacle(DeclineReason.LAUNCH_UNKNOWN, f"{name} is used other than by a plain launch on {tree.place(span)}")
    return None


def _is_declarator(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "function_declarator"


def _means_a_variable(tree: SyntaxTree, node: Node, name: str) -> bool:
    """A parameter or a local is called like the kernel, and is meant here: ``norms(const float *x, float *norms)``."""
    for around in tree.ancestors(node):
        if around.type == "parameter_declaration":
            declarator = around.child_by_field_name("declarator")
            if declarator is not None and declarator.start_byte <= node.start_byte < declarator.end_byte:
                return True
        if around.type in ("compound_statement", "for_statement"):
            declared = (d for d in around.named_children if d.type == "declaration" and d.start_byte < node.start_byte)
            if any(variable.name == name for one in declared for variable in declared_variables(tree, one)):
                return True
    function = enclosing_function(tree, node)
    return function is not None and any(parameter.name == name for parameter in parameters_of(tree, function.declarator))


def _code_spans(context: TransformationContext) -> Iterator[Span]:
    yield context.kernel.body
    for function in context.parsed.device_functions:
        if function.name in context.kernel.device_functions:
            yield function.body


def _is_comment(context: TransformationContext, offset: int) -> bool:
    node = context.tree.node_at(Span(offset, offset + 1))
    return node is not None and node.type == "comment"
