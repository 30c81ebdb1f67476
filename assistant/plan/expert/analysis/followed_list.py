"""Runs the statements that keep a thread's short list, to see what becomes of the list.

Values are not numbers: of what a list is ordered by, only the order among its elements is known (``Rank``), of anything else only which
one it is (``Tag``). So statements that work anything out from a value, but compare two ranks, are not followed, and what a run shows
holds for all numbers in that order.

Example::

    run = ListRun(tree, {}, {("best", 0, ""): Rank(4), ("best", 1, ""): Rank(2), ("s", None, ""): Rank(3)})
    run.run(statements)                 # `if (s > best[1]) { … }`; NotFollowedError, or
    run.values["best", 1, ""]           # Rank(3)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from assistant.cuda.branches import condition_of
from assistant.cuda.constants import constants_of
from assistant.cuda.literals import integer_value, is_literal_of
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text, unparenthesized, without_comments
from assistant.cuda.variables import Variable, declared_variables

__all__ = ["ListRun", "NotFollowedError", "Place", "Rank", "Tag", "Value"]

_MOST_STEPS = 20_000
"""Statements of a run. Our own limit: a list of 32 takes some hundreds."""
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_LOOPS = ("for_statement", "while_statement")
_NOTHING = ("comment", "preproc_call", ";")


class Rank(NamedTuple):
    """A value of which only the order is known; one that is not a number compares like NaN."""

    height: float


class Tag(NamedTuple):
    """A value of which only the name is known."""

    text: str


Value = int | Rank | Tag
Place = tuple[str, int | None, str]
"""(variable, element, member): ``("best", 2, "score")``; None for what is no array, "" for what is no struct."""


class NotFollowedError(Exception):
    """A statement or an expression that does more than compare and move."""

    def __init__(self, node: Node) -> None:
        super().__init__(node_text(node))
        self.node = node


def _refused(node: Node) -> Value:
    raise NotFollowedError(node)


class ListRun:
    """One run of some statements; ``values`` is what variables and elements hold."""

    def __init__(
        self,
        tree: SyntaxTree,
        members: Mapping[str, tuple[str, ...]],
        values: Mapping[Place, Value],
        unknown: Callable[[Node], Value] = _refused,
    ) -> None:
        """``members``: of variables that are structs, or arrays of them. ``unknown``: the value of an expression that is not followed."""
        self._tree, self._members, self._unknown = tree, members, unknown
        self._steps = 0
        self.values = dict(values)

    def run(self, statements: Iterable[Node]) -> str:
        """Follows the statements; how they end: ``break``, ``continue`` or nothing. Raises NotFollowedError."""
        for statement in statements:
            end = self._statement(statement)
            if end:
                return end
        return ""

    def _statement(self, node: Node) -> str:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise NotFollowedError(node)
        if node.type in ("compound_statement", "else_clause"):
            return self.run(node.named_children)
        if node.type == "if_statement":
            return self._branch(node)
        if node.type in _LOOPS:
            return self._loop(node)
        if node.type in ("break_statement", "continue_statement"):
            return node.type.removesuffix("_statement")
        if node.type == "declaration":
            for variable in declared_variables(self._tree, node):
                self._declare(variable)
        elif node.type == "expression_statement":
            for expression in node.named_children:
                self._value(expression)
        elif node.type not in _NOTHING:
            raise NotFollowedError(node)
        return ""

    def _branch(self, node: Node) -> str:
        condition, then, otherwise = condition_of(node), node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if condition is None or then is None:
            raise NotFollowedError(node)
        taken = then if self._number(condition) else otherwise
        return "" if taken is None else self._statement(taken)

    def _loop(self, node: Node) -> str:
        condition, body = condition_of(node), node.child_by_field_name("body")
        start, update = node.child_by_field_name("initializer"), node.child_by_field_name("update")
        if condition is None or body is None:
            raise NotFollowedError(node)
        if start is not None and start.type == "declaration":
            self._statement(start)
        elif start is not None:
            self._value(start)
        while self._number(condition):
            if self._statement(body) == "break":
                break
            if update is not None:
                self._value(update)
        return ""

    def _declare(self, variable: Variable) -> None:
        if variable.is_pointer:
            raise NotFollowedError(variable.node)
        if variable.value is None:
            return
        if variable.value.type == "initializer_list":
            self._fill(variable, variable.value)
        else:
            self._store((variable.name, None, ""), variable.value)

    def _fill(self, variable: Variable, given: Node) -> None:
        """The values of ``{…}``; those of an array that are left out are zero."""
        listed = without_comments(given)
        if not variable.is_array:
            self._fill_element((variable.name, None, ""), listed)
            return
        for index, node in enumerate(listed):
            inner = without_comments(node) if node.type == "initializer_list" else (node,)
            self._fill_element((variable.name, index, ""), inner)
        if len(listed) == 1 and not self._members.get(variable.name) and is_literal_of(node_text(listed[0]), 0):
            self.values |= {(variable.name, index, ""): 0 for index in range(1, self._length(variable))}

    def _fill_element(self, place: Place, listed: Sequence[Node]) -> None:
        members = self._members.get(place[0]) or ("",)
        for member, node in zip(members, listed, strict=False):
            self._store((*place[:2], member), node)

    def _length(self, variable: Variable) -> int:
        sizes = [d.child_by_field_name("size") for d in self._tree.find("array_declarator", inside=variable.declarator)]
        return self._number(sizes[0]) if len(sizes) == 1 and sizes[0] is not None else 0

    def _store(self, target: Place, value: Node) -> Value:
        """An assignment to one place, or to each member of it."""
        name, index, member = target
        members = self._members.get(name, ())
        if members and not member:
            if value.type == "compound_literal_expression":
                value = value.child_by_field_name("value") or value
            if value.type == "initializer_list":
                self._fill_element(target, without_comments(value))
                return 0
            source = self._place(value)
            if source is None or source[2] or self._members.get(source[0]) != members:
                raise NotFollowedError(value)
            for each in members:
                self.values[name, index, each] = self._loaded((*source[:2], each), value)
            return 0
        self.values[target] = self._value(value)
        return self.values[target]

    def _loaded(self, place: Place, node: Node) -> Value:
        if place not in self.values:
            raise NotFollowedError(node)
        return self.values[place]

    def _place(self, node: Node) -> Place | None:
        """Where an expression stands; None where it is no variable, element or member of one."""
        node = unparenthesized(node)
        if node.type == "identifier":
            return node_text(node), None, ""
        argument = node.child_by_field_name("argument")
        inner = None if argument is None or node.type not in ("subscript_expression", "field_expression") else self._place(argument)
        if inner is None or inner[2]:
            return None
        if node.type == "field_expression":
            member = node.child_by_field_name("field")
            return None if member is None or "->" in node_text(node) else (*inner[:2], node_text(member))
        indices = node.child_by_field_name("indices")
        if inner[1] is not None or indices is None or indices.named_child_count != 1:
            return None
        return inner[0], self._number(indices.named_children[0]), ""

    def _number(self, node: Node) -> int:
        value = self._value(node)
        if not isinstance(value, int):
            raise NotFollowedError(node)
        return value

    def _value(self, node: Node) -> Value:
        node = unparenthesized(node)
        match node.type:
            case "number_literal" | "true" | "false":
                return self._literal(node)
            case "identifier" | "subscript_expression" | "field_expression":
                return self._at_place(node)
            case "binary_expression":
                return self._binary(node)
            case "unary_expression":
                return self._unary(node)
            case "conditional_expression":
                return self._choice(node)
            case "assignment_expression":
                return self._assigned(node)
            case "update_expression":
                return self._stepped(node)
            case _:
                return self._unknown(node)

    def _literal(self, node: Node) -> Value:
        text = node_text(node)
        number = {"true": 1, "false": 0}.get(text, 0 if is_literal_of(text, 0) else integer_value(text))
        return self._unknown(node) if number is None else number

    def _at_place(self, node: Node) -> Value:
        place = self._place(node)
        if place in self.values:
            return self.values[place]
        constant = constants_of(self._tree).get(node_text(node))
        return self._unknown(node) if constant is None else constant

    def _binary(self, node: Node) -> Value:
        parts = binary_parts(node)
        if parts is None:
            raise NotFollowedError(node)
        sign, left, right = parts
        if sign in ("&&", "||"):
            first = bool(self._number(left))
            return int(first if first == (sign == "||") else bool(self._number(right)))
        a, b = self._value(left), self._value(right)
        if isinstance(a, Rank) and isinstance(b, Rank) and sign in _COMPARISONS:
            return int(_COMPARISONS[sign](a.height, b.height))
        if isinstance(a, int) and isinstance(b, int) and (sign in _COMPARISONS or sign in _ARITHMETIC):
            return int((_COMPARISONS.get(sign) or _ARITHMETIC[sign])(a, b))
        return self._unknown(node)

    def _unary(self, node: Node) -> Value:
        argument, sign = node.child_by_field_name("argument"), node_text(node)[0]
        if argument is None or sign not in "-!":
            return self._unknown(node)
        value = self._value(argument)
        if not isinstance(value, int):
            return self._unknown(node)
        return -value if sign == "-" else int(not value)

    def _choice(self, node: Node) -> Value:
        condition, first, second = (node.child_by_field_name(part) for part in ("condition", "consequence", "alternative"))
        if condition is None or first is None or second is None:
            raise NotFollowedError(node)
        return self._value(first if self._number(condition) else second)

    def _assigned(self, node: Node) -> Value:
        left, right, sign = (node.child_by_field_name(part) for part in ("left", "right", "operator"))
        place = None if left is None else self._place(left)
        if left is None or right is None or sign is None or place is None:
            raise NotFollowedError(node)
        if node_text(sign) == "=":
            return self._store(place, right)
        step = _ARITHMETIC.get(node_text(sign).removesuffix("="))
        if step is None:
            raise NotFollowedError(node)
        self.values[place] = step(self._number(left), self._number(right))
        return self.values[place]

    def _stepped(self, node: Node) -> Value:
        argument = node.child_by_field_name("argument")
        place = None if argument is None else self._place(argument)
        if argument is None or place is None:
            raise NotFollowedError(node)
        before, text = self._number(argument), node_text(node)
        self.values[place] = before + (1 if "++" in text else -1)
        return before if text.endswith(("++", "--")) else self.values[place]
