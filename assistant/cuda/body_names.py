"""What a kernel's body calls its thread indices and how it sets its variables.

A word is a name as the body means it: ``threadIdx_x`` of ``threadIdx.x`` and of a local that only ever holds it, ``global_x`` of
``blockIdx.x * blockDim.x + threadIdx.x``. Every statement of the body counts, whether it is reached or not.

Example::

    names = BodyNames(tree, body)     # of `int i = blockIdx.x * 32 + threadIdx.x; for (int k = 0; k < n; ++k) …`
    names.settings["i"]               # (the node of the sum,)
    names.word(names.settings["i"][0]), names.growing, names.block_strides    # 'global_x', {'k'}, {'x': (the node of 32,)}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from assistant.cuda.assignments import assignments
from assistant.cuda.casts import without_integer_casts
from assistant.cuda.parameters import declared_name
from assistant.cuda.sums import Term, is_sum, terms_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, without_comments

__all__ = ["BodyNames"]

_BUILT_IN = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_SHRINKING = frozenset({"-=", "/=", ">>=", "--", "&=", "%="})


class BodyNames:
    """The variables of a body; a name that several scopes declare counts once."""

    def __init__(self, tree: SyntaxTree, body: Node) -> None:
        self.tree = tree
        self.body = body
        changes = assignments(tree, body)
        targets = [(tree.text(each.target), each) for each in changes if each.target.type == "identifier"]
        settings: dict[str, tuple[Node, ...]] = {}
        set_values = [*_initial_values(tree, body), *((n, each.value) for n, each in targets if each.operator == "=" and each.value)]
        for name, value in sorted(set_values, key=lambda pair: pair[1].start_byte):
            settings[name] = (*settings.get(name, ()), value)
        self.settings = settings
        """What each variable is set to, in source order."""
        self.steps = tuple((name, each.operator) for name, each in targets if each.operator != "=")
        """(variable, operator) of every other change: ``+=``, ``--``, …"""
        self.growing = frozenset(name for name, operator in self.steps if operator not in _SHRINKING)
        """Variables that also change in ways that may make them larger."""
        sums = [terms_of(n) for n in tree.find("binary_expression", inside=body) if is_sum(n) and not is_sum(n.parent)]
        found = [one for terms in sums for one in self._global_indices(terms)]
        self.block_strides: dict[str, tuple[Node, ...]] = {}
        """By axis: what ``blockIdx`` is multiplied by where a thread index is added to the product."""
        for axis, _, _, factor in found:
            self.block_strides[axis] = (*self.block_strides.get(axis, ()), factor)
        fields = (self._coordinate(node) for node in tree.find("field_expression", inside=body))
        self.words = frozenset({*(word for word in fields if word), *(f"global_{axis}" for axis in self.block_strides)})
        """The thread indices that the body uses."""

    def word(self, node: Node) -> str | None:
        """The name that ``node`` is; None for any other expression."""
        node = without_integer_casts(node)
        if node.type == "identifier":
            return self._held(node_text(node)) or node_text(node)
        if is_sum(node):
            terms = self.terms(node)
            return terms[0].word if len(terms) == 1 and not terms[0].is_subtracted else None
        return self._coordinate(node)

    def terms(self, node: Node) -> tuple[Term, ...]:
        """The parts of a sum, a global thread index as one of them."""
        return self.named(terms_of(node))

    def named(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """``terms`` with their words; two that make a global thread index become one."""
        indices = {product: (axis, thread) for axis, product, thread, _ in self._global_indices(terms)}
        left_out = {thread for _, thread in indices.values()}
        return tuple(
            replace(term, word=f"global_{indices[term][0]}" if term in indices else self.word(term.node))
            for term in terms
            if term not in left_out
        )

    def _global_indices(self, terms: tuple[Term, ...]) -> Iterator[tuple[str, Term, Term, Node]]:
        """(axis, ``blockIdx.x * blockDim.x``, ``threadIdx.x``, ``blockDim.x``) of those that stand side by side."""
        for one, other in pairwise(terms):
            for product, thread in ((one, other), (other, one)):
                word = self.word(thread.node) if product.is_subtracted == thread.is_subtracted else None
                axis = word.removeprefix("threadIdx_") if word is not None and word.startswith("threadIdx_") else ""
                factor = self._block_factor(product.node, axis)
                if factor is not None:
                    yield axis, product, thread, factor

    def _block_factor(self, node: Node, axis: str) -> Node | None:
        """What ``blockIdx`` of the axis is multiplied by: a number, a name or the block's own size."""
        parts = binary_parts(node)
        if parts is None or parts[0] != "*":
            return None
        for block, factor in ((parts[1], parts[2]), (parts[2], parts[1])):
            factor = without_integer_casts(factor)
            is_plain = factor.type in ("number_literal", "identifier") or self._coordinate(factor) == f"blockDim_{axis}"
            if is_plain and self.word(block) == f"blockIdx_{axis}":
                return factor
        return None

    def _held(self, name: str) -> str | None:
        """The thread index that a local holds from its only setting on."""
        values = self.settings.get(name, ())
        is_fixed = len(values) == 1 and all(stepped != name for stepped, _ in self.steps)
        return self._coordinate(without_integer_casts(values[0])) if is_fixed else None

    def _coordinate(self, node: Node) -> str | None:
        owner, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if node.type != "field_expression" or owner is None or field is None or node_text(owner) not in _BUILT_IN:
            return None
        return f"{node_text(owner)}_{node_text(field)}"


def _initial_values(tree: SyntaxTree, body: Node) -> Iterator[tuple[str, Node]]:
    for declarator in tree.find("init_declarator", inside=body):
        name, value = declared_name(declarator.child_by_field_name("declarator")), declarator.child_by_field_name("value")
        if name is None or value is None:
            continue
        if value.type in ("argument_list", "initializer_list"):
            values = without_comments(value)
            value = values[0] if len(values) == 1 else value
        yield tree.text(name), value
