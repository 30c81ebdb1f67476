"""Square roots that a function only divides by: one routine gives the reciprocal of a root at once.

nvcc makes a root and a division of them, each correctly rounded (13.0, sm_80 and sm_90), as no result may differ. Example::

    (root,) = divided_roots(tree, function)    # `1.0f / sqrtf(x)`, or `float r = sqrtf(x);` of which all uses are like `v / r`
    root.routine                                # 'rsqrtf'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.macros import macro_texts
from assistant.cuda.names import mentions
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.run_time_values import RunTimeValues
from assistant.plan.expert.analysis.value_flow import largest_expression, sink_of
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["DividedRoot", "Quotient", "divided_root_obstacle", "divided_roots", "is_one"]

_ROUTINES = {Kind.FLOAT: "rsqrtf", Kind.DOUBLE: "rsqrt"}
_DOUBLES = (Kind.DOUBLE, Kind.WIDENED, Kind.WIDENED_INTEGER, Kind.LITERAL)
_INTEGERS = (Kind.INTEGER, Kind.INTEGER_CONSTANT)
_ONE = re.compile(r"1(?:\.0*)?[fF]?")


class Quotient(Record):
    """One division by the root: ``a / r`` or ``a /= r``."""

    node: Node
    dividend: Node
    divisor: Node
    """With the parentheses around it."""

    @property
    def is_update(self) -> bool:
        return self.node.type == "assignment_expression"


class DividedRoot(Record):
    """A root of a value that only the run decides, and all divisions by it."""

    call: Node
    value: Node
    """What the root is taken of."""
    variable: Variable | None
    """The local that holds the root; None where the text divides by the call itself."""
    quotients: tuple[Quotient, ...]
    others: tuple[Node, ...]
    """Uses of the local that want the root itself."""
    kind: Kind
    """``FLOAT``, ``DOUBLE`` or ``UNKNOWN``."""

    @property
    def routine(self) -> str:
        return _ROUTINES.get(self.kind, "")


def divided_roots(tree: SyntaxTree, function: Function) -> tuple[DividedRoot, ...]:
    """Roots that are divided by, in source order, also those of which `divided_root_obstacle` says that they must stay."""
    return tuple(_found(tree, function)) if "sqrt" in tree.text(function.body) else ()


def is_one(tree: SyntaxTree, node: Node) -> bool:
    """Whether a dividend is a plain 1, so that the quotient is the reciprocal itself."""
    return _ONE.fullmatch(tree.text(unparenthesized(node))) is not None


def divided_root_obstacle(tree: SyntaxTree, function: Function, root: DividedRoot) -> Obstacle | None:
    """Why a product with the reciprocal must not take the place of the divisions."""
    call, name = tree.text(root.call), "" if root.variable is None else root.variable.name
    if root.kind is Kind.UNKNOWN:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"whether `{call}` is a float or a double does not follow from this file")
    if root.routine in _own_names(tree):
        return Obstacle(DeclineReason.HIDDEN_BY_MACRO, f"`{root.routine}` means something of the program's own here")
    kinds = ValueKinds(tree, function)
    if root.variable is not None and kinds.of_type(root.variable.type) is not root.kind and root.variable.type != "auto":
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{name}` is no {root.kind.name.lower()}, as `{call}` is")
    if root.others:
        words = f"`{name}` is also used at line {tree.line(root.others[0])}, where the root itself is needed"
        return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, words)
    return next((found for each in root.quotients if (found := _of_quotient(tree, function, root, each)) is not None), None)


def _of_quotient(tree: SyntaxTree, function: Function, root: DividedRoot, quotient: Quotient) -> Obstacle | None:
    kinds, text = ValueKinds(tree, function), tree.text(quotient.node)
    kind = kinds.of(quotient.dividend)
    if kind not in (Kind.FLOAT, *_DOUBLES, *_INTEGERS):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the type of `{tree.text(quotient.dividend)}` does not follow from this file")
    if root.kind is Kind.FLOAT and kind is Kind.DOUBLE:
        return Obstacle(DeclineReason.DOUBLE_ON_PURPOSE, f"`{text}` is a double, which a float's reciprocal is not exact enough for")
    if root.kind is Kind.FLOAT and kind in _DOUBLES and not _is_float_division(tree, function, kinds, quotient):
        words = f"a literal without `f` makes `{text}` a double: the literal first, then the root"
        return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, words)
    if quotient.is_update:
        is_cut = kind in _INTEGERS
    else:
        is_cut = sink_of(tree, kinds, function, largest_expression(tree, quotient.node)).kind in _INTEGERS
    words = f"`{text}` is cut to an integer, where a last bit may make a whole number of difference"
    return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, words) if is_cut else None


def _is_float_division(tree: SyntaxTree, function: Function, kinds: ValueKinds, quotient: Quotient) -> bool:
    """``float s = 1.0 / r;`` with a float ``r``: a double quotient of two floats, rounded to a float, is their float quotient.

    S. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30 (1995).
    """
    if quotient.is_update or not is_one(tree, quotient.dividend):
        return False
    top = largest_expression(tree, quotient.node)
    return unparenthesized(top) == quotient.node and sink_of(tree, kinds, function, top).kind is Kind.FLOAT


def _found(tree: SyntaxTree, function: Function) -> Iterator[DividedRoot]:
    own, kinds, run_time = _own_names(tree), ValueKinds(tree, function), RunTimeValues(tree, function)
    for call in tree.find("call_expression", inside=function.body):
        name, given = callee_name(tree, call), given_arguments(call)
        plain = name.removeprefix("std::").removeprefix("::")
        if plain not in ("sqrt", "sqrtf") or plain in own or len(given) != 1 or call.has_error or not run_time.decides(given[0]):
            continue
        kind = Kind.FLOAT if plain == "sqrtf" else kinds.of(call)
        kind = Kind.DOUBLE if kind in _DOUBLES else kind if kind is Kind.FLOAT else Kind.UNKNOWN
        quotient = _quotient(tree, call)
        if quotient is not None:
            yield DividedRoot(call, given[0], None, (quotient,), (), kind)
            continue
        variable = _holder(tree, function, call)
        uses = () if variable is None else _uses(tree, function, variable)
        quotients = [_quotient(tree, use) for use in uses]
        divided = tuple(each for each in quotients if each is not None)
        if divided:
            others = tuple(use for use, each in zip(uses, quotients, strict=True) if each is None)
            yield DividedRoot(call, given[0], variable, divided, others, kind)


def _own_names(tree: SyntaxTree) -> frozenset[str]:
    return frozenset(f.name for f in functions(tree)) | macro_texts(tree).keys()


def _quotient(tree: SyntaxTree, divisor: Node) -> Quotient | None:
    """The division whose divisor a node is, in parentheses or not."""
    while divisor.parent is not None and divisor.parent.type == "parenthesized_expression":
        divisor = divisor.parent
    parent = divisor.parent
    if parent is None or parent.type not in ("binary_expression", "assignment_expression"):
        return None
    left, right, operator = (parent.child_by_field_name(field) for field in ("left", "right", "operator"))
    sign = "/" if parent.type == "binary_expression" else "/="
    if left is None or right != divisor or operator is None or tree.text(operator) != sign:
        return None
    return Quotient(parent, left, divisor)


def _holder(tree: SyntaxTree, function: Function, call: Node) -> Variable | None:
    """The plain local that is declared with the call as its value, and declared once."""
    for name, found in locals_of(tree, function.body).items():
        only = found[0]
        if only.value is None or unparenthesized(only.value) != call:
            continue
        is_static = tree.text(only.node).startswith("static")
        is_plain = not (only.is_pointer or only.is_array or only.is_reference or only.is_volatile or only.is_shared or is_static)
        return only if len(found) == 1 and is_plain and function.parameter(name) is None else None
    return None


def _uses(tree: SyntaxTree, function: Function, variable: Variable) -> tuple[Node, ...]:
    declared = variable.declarator
    found = mentions(tree, function.body, variable.name)
    return tuple(node for node in found if not declared.start_byte <= node.start_byte < declared.end_byte)
