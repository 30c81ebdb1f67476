"""Write an expression again for another place of the block: the one with x and y exchanged.

Only what a thread can work out from its indices, the kernel's parameters and constants can be written again; what it loaded from
memory cannot.

Example::

    partner = partner_of(context, store, (guard,), hidden_from, MIRRORED)   # or the sentence that says why not
    partner.declarations                              # ('int x_out = blockIdx.x * 32 + threadIdx.y;', …)
    partner.text(guard)                               # 'x_out < w && y_out < h'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.cuda.integers import Scope
from assistant.cuda.names import words_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node, binary_parts, node_text, unparenthesized, without_comments
from assistant.model.plan import DeclineReason
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["MIRRORED", "Partner", "Place", "partner_of"]

_PLAIN = frozenset(
    {
        "identifier", "number_literal", "field_expression", "field_identifier", "binary_expression", "parenthesized_expression",
        "unary_expression", "cast_expression", "type_descriptor", "primitive_type", "type_identifier", "sized_type_specifier",
        "condition_clause", "argument_list", "call_expression", "comment", "pointer_expression", "subscript_expression",
        "subscript_argument_list", "conditional_expression", "true", "false", "type_qualifier", "abstract_pointer_declarator",
    }
)  # fmt: skip
_BUILTINS = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})


class Place(Record):
    """Where in the tile a thread works after the exchange."""

    x: str
    """What takes the place of ``threadIdx.x``."""
    y: str
    row_counter: str | None
    """Counter of a loop over the rows of a tile, part of ``x``; None without such a loop."""


MIRRORED = Place("threadIdx.y", "threadIdx.x", None)
"""In a square block."""


class Partner(Record):
    """The mirrored thread's view of some expressions."""

    names: Mapping[str, str]
    """Local that depends on the thread → its new name."""
    declarations: tuple[str, ...]
    """The new locals in order, each with its semicolon."""

    place: Place

    def text(self, node: Node) -> str:
        """The expression as the thread in the mirrored place would write it."""
        start, parts, position = node.start_byte, list[bytes](), 0
        whole = node.text or b""
        for part, replacement in self._replacements(node):
            parts += [whole[position : part.start_byte - start], replacement.encode("utf-8")]
            position = part.end_byte - start
        parts.append(whole[position:])
        return b"".join(parts).decode("utf-8", "surrogatepass")

    def _replacements(self, node: Node) -> Iterator[tuple[Node, str]]:
        replaced = self._replacement(node)
        if replaced is not None:
            yield node, replaced
            return
        for child in node.children:
            yield from self._replacements(child)

    def _replacement(self, node: Node) -> str | None:
        text = node_text(node)
        if node.type == "field_expression" and text == "threadIdx.y":
            return _as_term(self.place.y, node)
        if node.type == "field_expression" and text == "threadIdx.x":
            return _as_term(self.place.x, node)
        if node.type == "identifier" and text in self.names and not _is_called(node):
            return self.names[text]
        rest = self._without_counter(unparenthesized(node))
        return None if rest is None else self.text(rest)

    def _without_counter(self, node: Node) -> Node | None:
        """``y`` of a node that is ``y + j``, where j is the row counter."""
        parts = binary_parts(node)
        if parts is None or parts[0] != "+":
            return None
        _, left, right = parts
        if node_text(right) == self.place.row_counter:
            return left
        return right if node_text(left) == self.place.row_counter else None


def partner_of(
    context: TransformationContext, target: Node, conditions: tuple[Node, ...], hidden_from: int, place: Place
) -> Partner | Obstacle:
    """How to write the lvalue ``target`` and ``conditions`` again; a sentence where one depends on more than indices.

    Locals declared from byte ``hidden_from`` on are out of sight where the new text will stand, and are declared again.
    """
    scope = scope_of(context.tree, context.kernel)
    needed: dict[str, Node] = {}
    row_counter = place.row_counter
    parts = (*without_comments(target), *conditions)
    for expression in parts:
        reason = _collect(context, scope, expression, needed, row_counter)
        if reason is not None:
            return reason
    hidden = {name for name in needed if needed[name].start_byte >= hidden_from}
    dependent = {
        name for name in needed if _rests_on(needed[name], {"threadIdx", *hidden, *([] if row_counter is None else [row_counter])}, needed)
    } | hidden
    taken = set(words_in(context.text))
    names = {name: _fresh(context, name, taken) for name in sorted(dependent, key=lambda n: needed[n].start_byte)}
    partner = Partner(names, (), place)
    if row_counter is not None and any(
        row_counter in words_in(partner.text(e).replace(place.x, "")) for e in (*parts, *(needed[n] for n in names))
    ):
        return Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"{row_counter} is used for more than moving down the tile")
    return replace(partner, declarations=tuple(_declaration(partner, name, needed[name]) for name in names))


def _as_term(text: str, node: Node) -> str:
    """``text`` in the place of ``node``, in parentheses unless it is one word or a term of a sum."""
    parent = node.parent
    is_term = parent is not None and (parent.type == "init_declarator" or node_text(parent.children[1]) == "+")
    return text if is_term or " " not in text else f"({text})"


def _collect(
    context: TransformationContext, scope: Scope, expression: Node, needed: dict[str, Node], row_counter: str | None
) -> Obstacle | None:
    """Adds the definitions that ``expression`` rests on to ``needed``; says why it cannot be written again."""
    line = context.tree.line(expression)
    for node in _named_nodes(expression):
        if node.type not in _PLAIN:
            return Obstacle(
                DeclineReason.NOT_RECOMPUTABLE, f"line {line} depends on more than thread indices, so no other thread can work it out"
            )
        if node.type in {"subscript_expression", "pointer_expression"}:
            return Obstacle(
                DeclineReason.NOT_RECOMPUTABLE, f"line {line} depends on a value from memory, so no other thread can work it out"
            )
        if node.type == "call_expression":
            name = node_text(node.child_by_field_name("function") or node)
            if name not in scope.formulas and name not in {"min", "max", "int", "size_t", "unsigned"}:
                return Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"line {line} calls {name}, which another thread would have to call again")
        if node.type == "identifier" and not _is_called(node):
            reason = _collect_name(context, scope, node, needed, row_counter)
            if reason is not None:
                return reason
    return None


def _collect_name(
    context: TransformationContext, scope: Scope, node: Node, needed: dict[str, Node], row_counter: str | None
) -> Obstacle | None:
    name = node_text(node)
    if name in needed or name in _BUILTINS or name == row_counter:
        return None
    definition = scope.definition(name)
    if definition is not None:
        reason = _collect(context, scope, definition, needed, row_counter)
        needed[name] = definition
        return reason
    if name in scope.writes:
        return Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"{name} changes its value, so no other thread can work it out")
    known = {p.name for p in context.kernel.parameters} | {p.name for p in context.kernel.template_parameters}
    if name in known or name in scope.constants:
        return None
    is_local = any(node_text(d) == name for d in _declarators(context))
    return (
        Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"{name} is not a parameter or constant, so no other thread can work it out")
        if is_local
        else None
    )


def _declarators(context: TransformationContext) -> Iterator[Node]:
    for declaration in context.tree.find("declaration", inside=context.body):
        yield from declaration.children_by_field_name("declarator")


def _named_nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _named_nodes(child)


def _is_called(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _rests_on(definition: Node, roots: set[str], needed: Mapping[str, Node]) -> bool:
    """True when a definition mentions one of ``roots``, directly or through other definitions."""
    for node in _named_nodes(definition):
        if node.type != "identifier":
            continue
        name = node_text(node)
        if name in roots or (name in needed and _rests_on(needed[name], roots, needed)):
            return True
    return False


def _fresh(context: TransformationContext, name: str, taken: set[str]) -> str:
    wanted = style_of(context).name(name, "out")
    while wanted in taken:
        wanted += "_"
    taken.add(wanted)
    return wanted


def _declaration(partner: Partner, name: str, definition: Node) -> str:
    """The definition's own declaration, one name, for the other thread."""
    declarator = definition.parent
    while declarator is not None and declarator.type != "init_declarator":
        declarator = declarator.parent
    declaration = None if declarator is None else declarator.parent
    target = None if declarator is None else declarator.child_by_field_name("declarator")
    if declaration is None or target is None:
        return f"int {partner.names[name]} = {partner.text(definition)};"
    head = [node_text(c) for c in declaration.children if c.end_byte <= declaration.children_by_field_name("declarator")[0].start_byte]
    spelled = re.sub(rf"\b{re.escape(name)}\b", partner.names[name], node_text(target))
    return f"{' '.join(head)} {spelled} = {partner.text(definition)};"
