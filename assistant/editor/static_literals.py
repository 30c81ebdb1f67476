"""Double literals that make float code compute in double precision, found in the text alone (KO106). Pure.

Only where every compiler must keep the double: the literal has no float of the same value, the other operand is a float that only the
run knows, and the result becomes a float again. ``x * 0.5f`` and ``x * 0.5`` are the same machine code, ``x * 0.1f`` and ``x * 0.1`` are
not (nvcc 13.0, sm_90: the latter converts, multiplies in double and converts back). Example::

    x = x * 0.1;     // KO106
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from assistant.cuda.assignments import assignments
from assistant.cuda.builtins import FLOAT_NAMES
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function
from assistant.cuda.literals import is_double_literal
from assistant.cuda.macros import macro_text, macro_texts
from assistant.cuda.names import words_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, kept, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.editor.view import Note
from assistant.model.profile import Severity
from assistant.plan.expert.analysis.run_time_values import RunTimeValues
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds

__all__ = ["literal_notes"]

_CODE = "KO106"
_ARITHMETIC = frozenset({"+", "-", "*", "/"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_IN_PLACE = frozenset({"+=", "-=", "*=", "/="})
_TAKES_FLOAT = frozenset({*FLOAT_NAMES.values(), "float"})
_SMALLEST_FLOAT = 1.1754943508222875e-38
"""2⁻¹²⁶, the smallest normal number of IEEE 754 binary32."""
_LARGEST_FLOAT = 3.4028234663852886e38
"""(2 − 2⁻²³) · 2¹²⁷, IEEE 754 binary32."""


def literal_notes(tree: SyntaxTree, function: Function) -> Iterator[Note]:
    """One note per line of a device function that can be read."""
    if _wide_macros(tree) & words_in(tree.text(function.body)) or any(map(_is_beyond_float, _numbers(tree, function))):
        yield from _Literals(tree, function).notes()


@kept
def _wide_macros(tree: SyntaxTree) -> frozenset[str]:
    """Macros that stand for a double with no equal float."""
    return frozenset(name for name, texts in macro_texts(tree).items() if len(texts) == 1 and _is_beyond_float(texts[0].strip("() ")))


class _Literals:
    """The literals of a function."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._function = function
        self._kinds = ValueKinds(tree, function)
        self._locals = locals_of(tree, function.body)
        self._assigned = assignments(tree, function.body)
        self._run_time = RunTimeValues(tree, function)

    def notes(self) -> Iterator[Note]:
        by_line: dict[int, list[Node]] = {}
        for literal in (*self._operands(), *self._in_place()):
            by_line.setdefault(self._tree.line(literal), []).append(literal)
        for line, literals in sorted(by_line.items()):
            literals.sort(key=lambda node: node.start_byte)
            yield Note("static", line, self._column(literals[0]), Severity.INFORMATION, self._message(literals), "kernelopt", _CODE)

    def _operands(self) -> Iterator[Node]:
        """Literals with a float operand in arithmetic that ends in a float, or in a comparison with one."""
        for node in self._tree.find("binary_expression", inside=self._function.body):
            parts = binary_parts(node)
            if parts is None or parts[0] not in _ARITHMETIC | _COMPARISONS:
                continue
            for literal, other in ((parts[1], parts[2]), (parts[2], parts[1])):
                if not self._is_beyond_float(literal) or self._kinds.of(other) is not Kind.FLOAT:
                    continue
                if (parts[0] in _COMPARISONS or self._ends_as_float(node)) and self._run_time.decides(other):
                    yield unparenthesized(literal)

    def _in_place(self) -> Iterator[Node]:
        """``x *= 0.1`` with a float ``x``."""
        for change in self._assigned:
            is_float = change.operator in _IN_PLACE and self._kinds.of(change.target) is Kind.FLOAT
            if is_float and change.value is not None and self._is_beyond_float(change.value) and self._run_time.decides(change.target):
                yield unparenthesized(change.value)

    def _is_beyond_float(self, node: Node) -> bool:
        """A double literal, or a macro that is one, whose value no float has."""
        node = unparenthesized(node)
        text = self._tree.text(node)
        if node.type == "identifier" and self._kinds.of_name(text) is Kind.LITERAL:
            text = (macro_text(self._tree, text) or "").strip("() ")
        return _is_beyond_float(text)

    def _ends_as_float(self, node: Node) -> bool:
        """Is the whole expression double only because of literals, and does it become a float?"""
        top, parent = node, node.parent
        while parent is not None and _is_arithmetic(parent):
            top, parent = parent, parent.parent
        if parent is None or self._kinds.of(top) is not Kind.WIDENED:
            return False
        match parent.type:
            case "init_declarator":
                return self._is_float_variable(parent)
            case "assignment_expression":
                target = parent.child_by_field_name("left")
                return target is not None and target != top and self._kinds.of(target) is Kind.FLOAT
            case "return_statement":
                return self._kinds.return_kind() is Kind.FLOAT and self._is_own(parent)
            case "cast_expression":
                spelled = parent.child_by_field_name("type")
                return spelled is not None and self._tree.text(spelled) == "float"
            case "argument_list":
                call = parent.parent
                return call is not None and call.type == "call_expression" and callee_name(self._tree, call) in _TAKES_FLOAT
            case "binary_expression":
                return (binary_parts(parent) or ("",))[0] in _COMPARISONS
            case _:
                return False

    def _is_float_variable(self, declarator: Node) -> bool:
        named = declarator.child_by_field_name("declarator")
        declared = self._locals.get("" if named is None else self._tree.text(named), ())
        found = next((v for v in declared if v.declarator == declarator), None)
        return found is not None and not found.is_pointer and self._kinds.of_type(found.type) is Kind.FLOAT

    def _is_own(self, statement: Node) -> bool:
        """Not of a lambda inside the function."""
        around = (a.type for a in self._tree.ancestors(statement))
        return next(kind for kind in around if kind in ("lambda_expression", "function_definition")) == "function_definition"

    def _column(self, node: Node) -> int:
        start = self._tree.span(node).start
        return start - (self._tree.source.rfind("\n", 0, start) + 1) + 1

    def _message(self, literals: list[Node]) -> str:
        names = list(dict.fromkeys(self._tree.text(node) for node in literals))
        what, them = ("is a double with no equal float", "it") if len(names) == 1 else ("are doubles with no equal float", "them")
        advice = ", ".join(f"{name}f" for name in names) if all(map(is_double_literal, names)) else "a float constant"
        return (
            f"{', '.join(names)} {what}: the float next to {them} is converted and this line computes in double precision; "
            f"write {advice} if float precision is enough"
        )


def _numbers(tree: SyntaxTree, function: Function) -> Iterator[str]:
    return (tree.text(node) for node in tree.find("number_literal", inside=function.body))


def _is_beyond_float(text: str) -> bool:
    """A double literal that lies between two normal floats."""
    if not is_double_literal(text):
        return False
    value = float(text.replace("'", ""))
    return _SMALLEST_FLOAT <= abs(value) <= _LARGEST_FLOAT and struct.unpack("f", struct.pack("f", value))[0] != value


def _is_arithmetic(node: Node) -> bool:
    if node.type in ("parenthesized_expression", "unary_expression"):
        return True
    return node.type == "binary_expression" and (binary_parts(node) or ("",))[0] in _ARITHMETIC
