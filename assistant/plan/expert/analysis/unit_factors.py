"""Takes a constant factor out of an expression by edits: pi out of `2.0 * M_PI * u`, which leaves `2.0 * u`.

Locals that hold such a product are followed to their declaration. Example::

    factors = UnitFactors(tree, function, math.pi)
    factors.taken_out(node, is_float=False)     # Taken(edits=('2.0 * M_PI' → '2.0',), …) for `2.0 * M_PI * u`; None for `u + 1.0`
"""

from __future__ import annotations

from assistant.cuda.assignments import changed_names
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.constant_numbers import ConstantNumbers, Number
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["Taken", "UnitFactors"]

_STEPS = 4
"""Multiples of the unit that are written out: quarters, as of ``M_PI_4``."""
_LARGEST = 64
_DIGITS = {True: 2.0**-23, False: 2.0**-49}
"""How near a constant must be, by whether a float is computed with it: to its last digit, or to 15 digits of a double (DBL_DIG)."""
_MEANT = 1e-3
"""What is this near, as 3.1416 or 3.14, was meant to be it."""
_PRIMARY = ("identifier", "subscript_expression", "field_expression", "call_expression", "parenthesized_expression", "number_literal")
_INTEGERS = (Kind.INTEGER, Kind.INTEGER_CONSTANT)


class Taken(Record):
    """A factor that was found, and the edits that take it out."""

    edits: tuple[TextEdit, ...]
    constant: float | None
    """What is left of the node is this number; None where it is more."""
    uses: tuple[Node, ...] = ()
    """Mentions of locals that hold the factor, which are another value afterwards."""
    locals: tuple[Variable, ...] = ()
    """These locals."""
    obstacle: Obstacle | None = None
    """Why the factor may be another one."""

    def joined(self, other: Taken) -> Taken:
        obstacle = self.obstacle or other.obstacle
        return Taken((*self.edits, *other.edits), None, (*self.uses, *other.uses), (*self.locals, *other.locals), obstacle)


class UnitFactors:
    """Products of one constant in a function's expressions."""

    def __init__(self, tree: SyntaxTree, function: Function, unit: float) -> None:
        self._tree = tree
        self._function = function
        self._unit = unit
        self._kinds = ValueKinds(tree, function)
        self._numbers = ConstantNumbers(tree, function)
        self._locals = locals_of(tree, function.body)
        self._digits = _DIGITS[False]

    def taken_out(self, node: Node, *, is_float: bool) -> Taken | None:
        """What divides the expression's value by the unit, for a float or a double; None where it is no product of it."""
        if self._numbers.of(node) is not None:
            return None
        self._digits = _DIGITS[is_float]
        return self._taken(node, is_local=False)

    def _taken(self, node: Node, *, is_local: bool) -> Taken | None:
        number = self._numbers.of(node)
        found = None if number is None else self._of_constant(node, number)
        if found is not None:
            return found
        if node.type == "identifier":
            return self._of_doubted(node) or (None if is_local else self._of_local(node))
        if node.type == "parenthesized_expression" and node.named_child_count == 1:
            return self._taken(node.named_children[0], is_local=is_local)
        if node.type == "unary_expression" and self._tree.text(node).startswith("-"):
            argument = node.child_by_field_name("argument")
            return None if argument is None else self._taken(argument, is_local=is_local)
        parts = binary_parts(node)
        if parts is None:
            return None
        operator, left, right = parts
        if operator == "*":
            first = self._taken(left, is_local=is_local)
            if first is not None:
                return self._in_product(first, right, node)
            second = self._taken(right, is_local=is_local)
            return None if second is None else self._in_product(second, left, node)
        first = self._taken(left, is_local=is_local)
        if operator == "/" and first is not None:
            return Taken(first.edits, None, first.uses, first.locals, first.obstacle)
        second = self._taken(right, is_local=is_local) if operator in "+-" and first is not None else None
        return None if first is None or second is None else first.joined(second)

    def _of_constant(self, node: Node, number: Number) -> Taken | None:
        """``2.0 * M_PI`` → ``2.0``."""
        ratio = number.value / self._unit
        multiple = round(ratio * _STEPS) / _STEPS
        if number.is_integer or multiple == 0.0 or abs(multiple) > _LARGEST or abs(ratio / multiple - 1.0) > _MEANT:
            return None
        words = f"`{self._tree.text(node)}` is only near a multiple of pi, so that results would change by more than rounding"
        rough = Obstacle(DeclineReason.RESULT_WOULD_CHANGE, words) if abs(ratio / multiple - 1.0) > self._digits else None
        text = f"{multiple!r}f" if number.is_float else f"{multiple!r}"
        return Taken((TextEdit(self._tree.span(node), text),), multiple, obstacle=rough)

    def _of_doubted(self, use: Node) -> Taken | None:
        """A macro that is the unit in one of its definitions."""
        name = self._tree.text(use)
        if not any(abs(abs(value) / self._unit - 1.0) <= _MEANT for value in self._numbers.meanings(name)):
            return None
        words = f"`{name}` is defined as different numbers: every source with this code would have to define it alike"
        return Taken((), None, obstacle=Obstacle(DeclineReason.HIDDEN_BY_MACRO, words))

    def _of_local(self, use: Node) -> Taken | None:
        """A local that is set once, to a product of the unit."""
        found = self._locals.get(self._tree.text(use), ())
        only = found[0] if len(found) == 1 else None
        if only is None or only.value is None or self._function.parameter(only.name) is not None:
            return None
        is_plain = not (only.is_pointer or only.is_array or only.is_reference or only.is_volatile or only.is_shared)
        is_floating = only.type == "auto" or self._kinds.of_type(only.type) in (Kind.FLOAT, Kind.DOUBLE)
        body = self._function.body
        if not is_plain or not is_floating or only.name in changed_names(self._tree, body) | hidden_names(self._tree, body):
            return None
        if only.type == "auto" and self._kinds.of(only.value) is Kind.UNKNOWN:
            return None
        inside = self._taken(only.value, is_local=True)
        return None if inside is None else Taken(inside.edits, None, (use,), (only,), inside.obstacle)

    def _in_product(self, found: Taken, other: Node, product: Node) -> Taken:
        """Of a factor that was the unit itself nothing is left, but for its sign and its type."""
        edits = found.edits
        if found.constant is not None and abs(found.constant) == 1.0:
            sign = "-" if found.constant < 0.0 else ""
            is_float = edits[0].new_text.endswith("f")
            cast = "" if self._is_converted(product) else self._cast(self._kinds.of(other), self._kinds.of(product), is_float=is_float)
            span, kept = self._tree.span(product), self._tree.span(other)
            opening, closing = ("(", ")") if cast and other.type not in _PRIMARY else ("", "")
            before = TextEdit(Span(span.start, kept.start), f"{sign}{cast}{opening}")
            edits = tuple(
                each for each in (before, TextEdit(Span(kept.end, span.end), closing)) if each.new_text or each.span.start < each.span.end
            )
        return Taken(edits, None, found.uses, found.locals, found.obstacle)

    def _is_converted(self, product: Node) -> bool:
        """To a type that is spelled: that of a local, or of the argument of ``cosf``."""
        parent = product.parent
        above = None if parent is None else parent.parent
        if parent is not None and parent.type == "init_declarator":
            found = [v for each in self._locals.values() for v in each if v.declarator == parent]
            return bool(found) and self._kinds.of_type(found[0].type) in (Kind.FLOAT, Kind.DOUBLE)
        return above is not None and above.type == "call_expression" and callee_name(self._tree, above).endswith("f")

    @staticmethod
    def _cast(kind: Kind, needed: Kind, *, is_float: bool) -> str:
        """What keeps the type of a product whose constant goes."""
        if kind in _INTEGERS:
            return "(float)" if is_float else "(double)"
        return "(double)" if kind is Kind.FLOAT and needed is not Kind.FLOAT else ""
