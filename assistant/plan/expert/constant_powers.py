"""Multiply instead of calling the general power routine: `powf(x, 2.0f)` becomes `(x * x)`.

Only exponents of 2 to 5, of floats 6, and -1, whose special cases are those of the plain operations, and only a base that may stand there
twice; from 4 on one that has a name, or gets one. The products' roundings, of up to 2 ulp and 2.5 for 6, are no less exact than the routine
(``pow``: up to 2 ulp, ``powf``: 4; CUDA Programming Guide, "Mathematical Functions"), unless a float's power was computed in double: that
is labelled.

Example::

    y[i] = powf(x[i], 2.0f) / n;      // before
    y[i] = (x[i] * x[i]) / n;         // after
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.functions import Function, functions
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.constant_powers import ConstantPower, constant_powers, product_of
from assistant.plan.expert.analysis.not_repeatable import not_repeatable
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.running_powers import running_powers
from assistant.plan.expert.analysis.value_flow import largest_expression, sink_of
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement

__all__ = ["ConstantPowers"]

_PRIMARY = ("identifier", "subscript_expression", "field_expression", "call_expression", "parenthesized_expression")
_NAMED = ("identifier", "subscript_expression", "field_expression")
_LONGEST_NAME = 24
_MOST_COPIES = 3.0
"""Of an expression that has no name of its own."""
_ALWAYS_COMPUTED = (
    "binary_expression",
    "parenthesized_expression",
    "unary_expression",
    "cast_expression",
    "argument_list",
    "call_expression",
    "init_declarator",
    "assignment_expression",
)
"""Expressions all of whose parts are computed, but for ``&&`` and ``||``."""
_STATEMENTS = ("expression_statement", "declaration", "return_statement")
_ENCLOSES = ("init_declarator", "assignment_expression", "return_statement", "argument_list", "parenthesized_expression")
"""What a product stands in without parentheses of its own."""


class ConstantPowers:
    """Powers of the finding's line → multiplications and reciprocals."""

    technique = "constant-powers"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        tree = context.tree
        edits: list[TextEdit] = []
        obstacles: list[Obstacle] = []
        names: list[str] = []
        named: set[str] = set()
        is_narrower = False
        for function, power in _powers(context):
            obstacle = _obstacle(tree, function, power)
            name = None if _may_stand_often(tree, power) else free_name(tree, function.node, "base")
            if obstacle is None and name is not None and name in named:
                obstacle = _named_twice(tree, power)
            if obstacle is not None:
                obstacles.append(obstacle)
            else:
                edits.append(TextEdit(tree.span(power.call), _written(tree, power, name)))
                if name is not None:
                    named.add(name)
                    edits += _declared(tree, power, name)
                names.append(f"`{tree.text(power.call)}`")
                is_narrower = is_narrower or (power.is_double and power.base_kind is Kind.FLOAT)
        if not edits and not obstacles and _is_running(context):
            return ()
        if not edits:
            nothing = Obstacle(DeclineReason.NOTHING_TO_CHANGE, "this line has no power with an exponent of 2 to 6 or -1")
            return context.decline(self.technique, obstacles[0] if obstacles else nothing)
        summary = f"Multiply or divide instead of computing {', '.join(dict.fromkeys(names))} as a general power."
        gone = {"constant_powers": float(len(obstacles))} | ({} if obstacles else {"conversion_instructions": 0.0})
        return (
            Rewrite(
                self.technique,
                context.kernel.key,
                context.line,
                tuple(sorted(edits)),
                summary,
                (Label.PRECISION,) if is_narrower else (),
                predicted_values(context, gone),
            ),
        )


def _is_running(context: TransformationContext) -> bool:
    """The line's powers count with a loop, which is a matter of another technique."""
    tree = context.tree
    return any(tree.line(power.call) == context.line for function in functions(tree) for power in running_powers(tree, function))


def _powers(context: TransformationContext) -> Iterator[tuple[Function, ConstantPower]]:
    """Those of the finding's line; one inside the base of another is left to a later round."""
    tree = context.tree
    reachable = {context.kernel.name, *context.kernel.device_functions}
    end = 0
    for function in functions(tree):
        found = constant_powers(tree, function) if function.name in reachable else ()
        for power in sorted(found, key=lambda p: p.call.start_byte):
            if tree.line(power.call) == context.line and power.call.start_byte >= end:
                end = power.call.end_byte
                yield function, power


def _obstacle(tree: SyntaxTree, function: Function, power: ConstantPower) -> Obstacle | None:
    call = tree.text(power.call)
    if power.exponent == 0.5:
        return Obstacle(
            DeclineReason.RESULT_WOULD_CHANGE, f"`{call}` is 0 for -0 and infinity for -infinity, where a square root is -0 and NaN"
        )
    if power.is_double and power.base_kind is Kind.FLOAT:
        sink = sink_of(tree, ValueKinds(tree, function), function, largest_expression(tree, power.call))
        if sink.kind is Kind.DOUBLE:
            return Obstacle(DeclineReason.DOUBLE_ON_PURPOSE, f"`{call}` goes to {sink.words}, which is double")
        if sink.kind is not Kind.FLOAT:
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"`{call}` is a double, and what takes it ({sink.words}) is not known to be float")
    if power.exponent == -1.0:
        return None
    if not _may_stand_often(tree, power) and _statement(power) is None:
        return Obstacle(DeclineReason.NOT_RECOMPUTABLE, f"{_copies(tree, power)}: it would have to be a variable")
    return not_repeatable(tree, function, power.base)


def _may_stand_often(tree: SyntaxTree, power: ConstantPower) -> bool:
    base = unparenthesized(power.base)
    return power.exponent <= _MOST_COPIES or (base.type in _NAMED and len(tree.text(base)) <= _LONGEST_NAME)


def _copies(tree: SyntaxTree, power: ConstantPower) -> str:
    base = tree.text(unparenthesized(power.base))
    return f"in the place of `{tree.text(power.call)}`, `{base}` would stand there {power.exponent:g} times"


def _named_twice(tree: SyntaxTree, power: ConstantPower) -> Obstacle:
    return Obstacle(DeclineReason.OTHER_TECHNIQUE_FIRST, f"{_copies(tree, power)}, and another power of this line gets its variable first")


def _statement(power: ConstantPower) -> Node | None:
    """The statement of a block, before which the base can be computed: whenever it runs, the base is computed once."""
    node: Node | None = power.call.parent
    while node is not None and node.type in _ALWAYS_COMPUTED:
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in ("&&", "||"):
            return None
        node = node.parent
    if node is None or node.type not in _STATEMENTS or node.parent is None or node.parent.type != "compound_statement":
        return None
    return node if len(node.children_by_field_name("declarator")) <= 1 else None


def _declared(tree: SyntaxTree, power: ConstantPower, name: str) -> tuple[TextEdit, ...]:
    statement = _statement(power)
    kind = "float" if power.base_kind is Kind.FLOAT else "double"
    line = f"const {kind} {name} = {tree.text(unparenthesized(power.base))};"
    return () if statement is None else before_statement(tree, statement, line)


def _written(tree: SyntaxTree, power: ConstantPower, name: str | None) -> str:
    inner = unparenthesized(power.base)
    base = name or (tree.text(inner) if inner.type in _PRIMARY else f"({tree.text(inner)})")
    one = "1.0f" if power.base_kind is Kind.FLOAT else "1.0"
    product = f"{one} / {base}" if power.exponent == -1.0 else product_of(base, round(power.exponent))
    parent = power.call.parent
    return product if parent is not None and parent.type in _ENCLOSES else f"({product})"
