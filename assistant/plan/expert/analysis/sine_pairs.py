"""Sines and cosines of one angle, next to each other: one routine computes both with one reduction of the angle.

Example::

    (pair,) = sine_pairs(tree, function, sines)     # of `re += x * cos(a); im -= x * sin(a);`
    pair.routine                                     # 'sincos'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.not_repeatable import not_repeatable
from assistant.plan.expert.analysis.unit_factors import Taken
from assistant.plan.expert.analysis.value_kinds import Kind
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["Sine", "SinePair", "sine_pairs"]

_STATEMENTS = ("declaration", "expression_statement", "return_statement")
_PARTS = ("conditional_expression", "lambda_expression", "comma_expression")
_MEMORY = ("subscript_expression", "field_expression", "pointer_expression")


class Sine(Record):
    """A call of ``sin``, ``cos`` or ``sincos``, of either type."""

    call: Node
    name: str
    """``sin``, ``cos`` or ``sincos``."""
    argument: Node
    kind: Kind
    """``FLOAT``, ``DOUBLE`` or ``UNKNOWN``."""
    taken: Taken | None
    """What makes its angle one in units of pi; None where it is no multiple of pi."""

    @property
    def routine(self) -> str:
        """What is called of such an angle: ``cospif`` …"""
        return self.name + ("pi" if self.taken is not None else "") + ("f" if self.kind is Kind.FLOAT else "")

    @property
    def keys(self) -> frozenset[str]:
        """What it shares with calls that change with it."""
        named = () if self.taken is None else (variable.name for variable in self.taken.locals)
        return frozenset((f"={(self.argument.text or b'').decode()}", *named))


class SinePair(Record):
    """Sines and cosines of one angle in statements of one block."""

    sines: tuple[Sine, ...]
    """In source order, one of each kind at least."""
    statements: tuple[Node, ...]
    """Where each of them stands."""
    obstacle: Obstacle | None

    @property
    def routine(self) -> str:
        first = self.sines[0]
        return "sincos" + ("pi" if first.taken is not None else "") + ("f" if first.kind is Kind.FLOAT else "")

    def of(self, name: str) -> tuple[Sine, ...]:
        return tuple(sine for sine in self.sines if sine.name == name)


def sine_pairs(tree: SyntaxTree, function: Function, sines: Sequence[Sine]) -> tuple[SinePair, ...]:
    """By the angle's text and the block, in source order."""
    groups: dict[tuple[object, ...], list[tuple[Sine, Node]]] = {}
    for sine in sines:
        statement = _statement(tree, sine.call) if sine.name != "sincos" else None
        if statement is not None and statement.parent is not None:
            key = ("".join(tree.text(sine.argument).split()), sine.kind, statement.parent.id)
            groups.setdefault(key, []).append((sine, statement))
    return tuple(_pairs(tree, function, groups.values()))


def _pairs(tree: SyntaxTree, function: Function, groups: Iterable[Sequence[tuple[Sine, Node]]]) -> Iterator[SinePair]:
    for group in groups:
        if {sine.name for sine, _ in group} == {"sin", "cos"}:
            found, statements = tuple(sine for sine, _ in group), tuple(statement for _, statement in group)
            yield SinePair(found, statements, _obstacle(tree, function, found, statements))


def _statement(tree: SyntaxTree, call: Node) -> Node | None:
    """The statement of a block that a call stands in, where it is computed in any case."""
    for node in tree.ancestors(call):
        if node.type in _STATEMENTS:
            return node if node.parent is not None and node.parent.type == "compound_statement" else None
        operator = node.child_by_field_name("operator") if node.type == "binary_expression" else None
        if node.type in _PARTS or (operator is not None and tree.text(operator) in ("&&", "||")):
            return None
    return None


def _obstacle(tree: SyntaxTree, function: Function, sines: Sequence[Sine], statements: Sequence[Node]) -> Obstacle | None:
    """Why both may not be computed in front of the first statement."""
    angle = sines[0].argument
    text = tree.text(angle)
    repeated = not_repeatable(tree, function, angle)
    if repeated is not None:
        return repeated
    first, last = statements[0], statements[-1]
    between = [node for node in (first.parent.named_children if first.parent is not None else ()) if first.start_byte <= node.start_byte]
    between = [node for node in between if node.start_byte <= last.start_byte]
    names = names_in(tree, angle) | hidden_names(tree, angle)
    reads = next(tree.find(*_MEMORY, inside=angle), None) is not None
    for node in between:
        if names & (changed_names(tree, node) | hidden_names(tree, node)) or (reads and _may_store(tree, node, is_last=node == last)):
            return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"`{text}` may change between its sine and its cosine")
    return None


def _may_store(tree: SyntaxTree, node: Node, *, is_last: bool) -> bool:
    """Anything but a local may be changed; by the last statement, before its own result is stored."""
    result = node.named_children[0] if is_last and node.type == "expression_statement" and node.named_children else None
    if any(change.target.type != "identifier" and change.node != result for change in assignments(tree, node)):
        return True
    return not all(is_pure(callee_name(tree, call)) for call in tree.find("call_expression", inside=node))
