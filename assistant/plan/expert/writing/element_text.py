"""The parts of a kernel's text that stay the author's where a block computes a tile of elements: declarations, bounds, names.

Example::

    class _Writer(ElementText): ...      # `register_tile_text.py`, `tensor_tile_text.py`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assistant.cuda.files import line_end
from assistant.cuda.macros import conditional_macros
from assistant.cuda.names import names_in, words_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable
from assistant.model.source import Span
from assistant.plan.expert.analysis.element_kernel import ElementKernel
from assistant.plan.expert.analysis.staged_loads import StagedLoad
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.style import style_of

__all__ = ["ElementText", "contains"]


class ElementText:
    """What a writer of such a kernel starts from; holds the names that it chose."""

    def __init__(
        self, context: TransformationContext, kernel: ElementKernel, loads: tuple[StagedLoad, ...], extents: Mapping[str, int]
    ) -> None:
        """``extents``: elements of a block along x and y."""
        self._context, self._tree, self._kernel, self._loads, self._extents = context, context.tree, kernel, loads, extents
        self._newline = line_end(context.text)
        self._outer = indentation(context.text, context.kernel.span.start)
        self._style = style_of(context)
        self._step = self._style.indent
        self._taken = set(words_in(context.text[context.kernel.span.start : context.kernel.span.end])) | set(
            conditional_macros(context.tree)
        )
        self._busy = self._free(self._style.name("has", "elements"), "is_busy")

    def extent(self, axis: str) -> int:
        """Elements of a block along an axis."""
        return self._extents[axis]

    def _heading(self) -> list[Node]:
        """What stays above the tiles: declarations that all threads share, and comments on lines of their own."""
        body, loop = self._kernel.function.body, self._kernel.loop
        code_lines = {n.end_point[0] for n in self._tree.find("declaration", "if_statement", inside=body) if n.start_byte < loop.start_byte}
        comments = [n for n in self._tree.find("comment", inside=body) if n.start_byte < loop.start_byte]
        alone = [n for n in comments if n.start_point[0] not in code_lines]
        return sorted((*self._kernel.locals.shared, *alone), key=lambda node: node.start_byte)

    def _whole_blocks_left_out(self) -> list[str]:
        """Of a triangle: blocks without an element leave together, before the first barrier; where others have something to store, too,
        only those with an element go round the loop."""
        sides: list[tuple[str, str, str]] = []
        for triangle in self._kernel.triangles:
            low, high = self.extent(triangle.low), self.extent(triangle.high)
            sides.append((f"blockIdx.{triangle.low} * {low}", triangle.operator, f"blockIdx.{triangle.high} * {high} + {high - 1}"))
        if sides and self._has_others:
            return [f"const bool {self._busy} = {' && '.join(' '.join(each) for each in sides)};"]
        return [f"if ({first} {'>=' if operator == '<' else '>'} {last}) return;" for first, operator, last in sides]

    @property
    def _has_others(self) -> bool:
        """Something is stored for more elements than those of the loop."""
        return bool(self._kernel.guard.stores) and self._kernel.guard.early is not None

    def _remark(self, value: Variable) -> str:
        """The comment behind a declaration."""
        behind = value.node.next_named_sibling
        is_behind = behind is not None and behind.type == "comment" and behind.start_point[0] == value.node.end_point[0]
        return f"  {self._tree.text(behind)}" if behind is not None and is_behind else ""

    def _reads_memory(self, value: Node) -> bool:
        return any(self._tree.find("subscript_expression", "pointer_expression", "call_expression", inside=value))

    def _starts_at_zero(self, value: Variable) -> bool:
        return value.value is not None and self._tree.text(value.value).rstrip("fF.0") == "" and "0" in self._tree.text(value.value)

    def _body(self) -> Node:
        body = self._kernel.loop.child_by_field_name("body")
        assert body is not None, "a counted loop has a body"
        return body

    def _statements(self) -> list[Node]:
        body = self._body()
        return body.named_children if body.type == "compound_statement" else [body]

    def _needed(self, nodes: Iterable[Node]) -> frozenset[str]:
        """Names that ``nodes`` use outside of loads that were staged, those of derived locals followed."""
        names = {name for node in nodes for name in self._names_beside_loads(node)}
        for variable in reversed(self._kernel.locals.derived):
            if variable.name in names and variable.value is not None:
                names |= names_in(self._tree, variable.value)
        return frozenset(names)

    def _names_beside_loads(self, node: Node) -> frozenset[str]:
        skipped = [load.node for load in self._loads] if self._is_in_loop(node) else []
        names = (n for n in self._tree.find("identifier", inside=node) if not any(contains(load, n) for load in skipped))
        return frozenset(self._tree.text(n) for n in names)

    def _is_in_loop(self, node: Node) -> bool:
        return contains(self._kernel.loop, node)

    def _guard_names(self) -> frozenset[str]:
        return self._needed([node for node, _ in self._kernel.guard.conditions])

    def _derived(self, nodes: list[Node]) -> list[str]:
        """Declarations of the derived locals that ``nodes`` use, in order; of loads, those inside the loads."""
        staged = {load.node.id for load in self._loads}
        names = {n for node in nodes for n in (names_in(self._tree, node) if node.id in staged else self._names_beside_loads(node))}
        return self._declarations(names)

    def _declarations(self, names: set[str]) -> list[str]:
        """Of the derived locals among ``names``, and of those that they are made of."""
        for variable in reversed(self._kernel.locals.derived):
            if variable.name in names and variable.value is not None:
                names |= names_in(self._tree, variable.value)
        return [_declaration(self._tree, v) for v in self._kernel.locals.derived if v.name in names]

    def _counter_type(self) -> str:
        start = self._kernel.loop.child_by_field_name("initializer")
        kind = None if start is None else start.child_by_field_name("type")
        return "int" if kind is None else self._tree.text(kind)

    def _free(self, *wanted: str) -> str:
        """The first of ``wanted`` that the kernel does not use yet, else the last with a number."""
        name = next((w for w in wanted if w not in self._taken), None)
        number = 2
        while name is None:
            candidate = f"{wanted[-1]}{number}"
            name = candidate if candidate not in self._taken else None
            number += 1
        self._taken.add(name)
        return name

    def _with_values(self, node: Node, edits: Mapping[Span, str], element: Mapping[str, str]) -> str:
        """The text with ``edits``, and each value that belongs to one element as ``element`` has it, on one line."""
        made = dict(edits)
        for name in self._tree.find("identifier", inside=node):
            if self._tree.text(name) in element:
                made.setdefault(self._tree.span(name), element[self._tree.text(name)])
        offset, text = self._tree.span(node).start, self._tree.text(node)
        for span, new in sorted(made.items(), key=lambda edit: edit[0].start, reverse=True):
            text = text[: span.start - offset] + new + text[span.end - offset :]
        return " ".join(line.strip() for line in text.splitlines()) if "//" not in text else text


def contains(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def _declaration(tree: SyntaxTree, variable: Variable) -> str:
    """A variable as the author wrote it where it stands alone."""
    declarators = variable.node.children_by_field_name("declarator")
    if len(declarators) == 1:
        return tree.text(variable.node)
    head = tree.source[tree.span(variable.node).start : tree.span(declarators[0]).start]
    return f"{head.strip()} {tree.text(variable.declarator)};"
