"""How many threads and warps a flat block has, in the words that its launches say its size with, where the kernel sees these words.

A number that has a name is meant to be changed; one that was worked out of it would stay behind.

Example::

    warp_count(context, 256)     # 'THREADS / 32' where `k<<<blocks, THREADS>>>` launches it, '8' where `k<<<blocks, 256>>>` does
"""

from __future__ import annotations

from assistant.cuda.constants import constants_of
from assistant.cuda.functions import enclosing_function
from assistant.cuda.integers import evaluate
from assistant.cuda.launch_shape import Launch
from assistant.cuda.names import words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, SyntaxTree, node_text, parsed_expression, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.plan.expert.analysis.kernel_launches import launches_of, template_environment
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term

__all__ = ["divided_by_warp", "thread_count", "warp_count"]

_LANES = 32
"""Threads of a warp (CUDA C++ Programming Guide, "SIMT Architecture")."""


def thread_count(context: TransformationContext, threads: int) -> str:
    """Of a flat block of ``threads``, as an expression of constants that the kernel sees."""
    words = _block_words(context, threads) or str(threads)
    return words if is_simple_term(words) else f"({words})"


def warp_count(context: TransformationContext, threads: int) -> str:
    """The same of its warps."""
    words = _block_words(context, threads)
    return str(threads // _LANES) if words is None else divided_by_warp(words)


def divided_by_warp(text: str) -> str:
    """The number of warps of as many threads as an expression says."""
    if text.isdigit():
        return str(int(text) // _LANES)
    return f"{text} / {_LANES}" if is_simple_term(text) else f"({text}) / {_LANES}"


def _block_words(context: TransformationContext, threads: int) -> str | None:
    """What all launches say for a block of ``threads`` along one axis; None where it is a number, or the kernel would not see it."""
    launches = launches_of(context)
    parameter = _template_parameter(context, launches, threads)
    if parameter is not None:
        return parameter
    written = {_written(launch) for launch in launches}
    text = written.pop() if len(written) == 1 else None
    node = None if text is None else parsed_expression(text)
    names = frozenset[str]() if text is None else words_in(text)
    if text is None or node is None or not names:
        return None
    is_size = evaluate(node, scope_of(context.tree, context.kernel).fixed(), {}) == threads
    return text if is_size and all(_is_seen(context, name) for name in names) else None


def _template_parameter(context: TransformationContext, launches: tuple[Launch, ...], threads: int) -> str | None:
    """The kernel's own name for it, where every launch gives it the size's words as a template argument."""
    values, names = template_environment(context), [parameter.name for parameter in context.kernel.template_parameters]
    shared = [
        {name for name, given in zip(names, launch.site.template_arguments, strict=False) if given in _spellings(launch)}
        for launch in launches
    ]
    found = [name for name in names if shared and all(name in each for each in shared) and values.get(name) == threads]
    return found[0] if len(found) == 1 else None


def _spellings(launch: Launch) -> tuple[str, ...]:
    """The block's size as the launch has it, and as the host constant that it names."""
    first = launch.block.components[0] if launch.block.components else None
    return () if first is None else (node_text(unparenthesized(first)), _written(launch) or "")


def _written(launch: Launch) -> str | None:
    """Behind the names of host constants."""
    first = unparenthesized(launch.block.components[0]) if launch.block.components else None
    while first is not None and first.type == "identifier" and (definition := launch.scope.definition(node_text(first))) is not None:
        first = unparenthesized(definition)
    return None if first is None else node_text(first)


def _is_seen(context: TransformationContext, name: str) -> bool:
    """A constant that stands before the kernel, or in a file that its own includes, and means nothing else in the kernel."""
    tree, function = context.tree, enclosing_function(context.tree, context.body)
    if function is None or name not in constants_of(tree) or name in locals_of(tree, function.body) or function.parameter(name) is not None:
        return False
    if tree.outer is not None and name in constants_of(tree.outer):
        return True
    return any(tree.span(node).end <= context.kernel.span.start for node in _definitions(tree, name))


def _definitions(tree: SyntaxTree, name: str) -> tuple[Node, ...]:
    """Outside functions and classes."""
    nodes = (n for n in tree.find("preproc_def", "init_declarator", "enumerator") if _defined_name(n) == name)
    return tuple(n for n in nodes if not any(a.type in ("function_definition", "field_declaration_list") for a in tree.ancestors(n)))


def _defined_name(node: Node) -> str | None:
    label = node.child_by_field_name("declarator" if node.type == "init_declarator" else "name")
    return None if label is None else node_text(label)
