"""Keep float arithmetic in single precision: `0.5` becomes `0.5f`, `exp(x * 0.5)` becomes `expf(x * 0.5f)`.

Only expressions that are double because of literals or double math functions change; what a variable, a cast or a result makes
double stays double.

Example::

    y[i] = x[i] * 0.5 + 1.0;      // before
    y[i] = x[i] * 0.5f + 1.0f;    // after
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from assistant.cuda.builtins import FLOAT_NAMES
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function, functions
from assistant.cuda.literals import is_double_literal, numbers_in
from assistant.cuda.macros import macro_texts
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.cut_later import CutLater, cut_later
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.template_types import instance_types
from assistant.plan.expert.analysis.value_flow import COMPARISONS, Sink, largest_expression, operands, sink_of
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds, combine
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.double_constants import constant_edits, definition_of
from assistant.record import Record

__all__ = ["FloatLiterals"]

_LARGEST_FLOAT = 3.4028234663852886e38
"""FLT_MAX of IEEE 754 binary32."""
_SMALLEST_FLOAT = 1.1754943508222875e-38
"""FLT_MIN, the smallest normal number of IEEE 754 binary32."""


class _SingleExpression(Record):
    """An expression that can be computed in single precision."""

    sites: tuple[Node, ...]
    """Literals, constants and math functions that make it double."""
    type_parameter: str | None
    """The template parameter that is its type; None for float."""


class _DoubleExpression(Record):
    """An expression that stays double, and why."""

    line: int
    obstacle: Obstacle


class FloatLiterals:
    """Double literals and double math functions in float expressions → single precision."""

    technique = "float-literals"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        results = tuple(_results(context))
        converted = tuple(r for r in results if isinstance(r, _SingleExpression))
        kept = tuple(r for r in results if isinstance(r, _DoubleExpression))
        lines = {context.tree.line(site) for c in converted for site in c.sites}
        if context.line in lines or (converted and context.line == context.kernel.line):
            cut = cut_later(context)
            if cut is not None:
                return context.decline(self.technique, _whole_number(cut))
            return (_rewrite(context, converted, kept),)
        obstacles = [k.obstacle for k in kept if k.line == context.line] or [k.obstacle for k in kept]
        nothing = Obstacle(
            DeclineReason.NOTHING_TO_CHANGE, "no float expression of this line is double because of a literal or a math function"
        )
        return context.decline(self.technique, obstacles[0] if obstacles else nothing)


def _whole_number(cut: CutLater) -> Obstacle:
    words = f"`{cut.kernel}` makes integers of what the kernel leaves in `{cut.buffer}`, at line {cut.line}"
    return Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"{words}: another rounding could give another number")


def _results(context: TransformationContext) -> Iterator[_SingleExpression | _DoubleExpression]:
    reachable = {context.kernel.name, *context.kernel.device_functions}
    for function in functions(context.tree):
        if function.name in reachable:
            yield from _results_in(context.tree, function)


def _results_in(tree: SyntaxTree, function: Function) -> Iterator[_SingleExpression | _DoubleExpression]:
    kinds = ValueKinds(tree, function)
    tops: dict[int, Node] = {}
    for site in tree.find("number_literal", "identifier", "call_expression", inside=function.body):
        if _is_site(tree, kinds, site):
            top = _with_comparison(tree, largest_expression(tree, site))
            tops.setdefault(top.id, top)
    for top in tops.values():
        yield _judge(tree, function, kinds, top)
    texts = macro_texts(tree)
    for call in tree.find("call_expression", inside=function.body):
        name = callee_name(tree, call)
        if any(is_double_literal(number[0]) for text in texts.get(name, ()) for number in numbers_in(text)):
            yield _DoubleExpression(
                tree.line(call),
                Obstacle(
                    DeclineReason.HIDDEN_BY_MACRO, f"the macro `{name}` has double literals of its own, which its other uses may need"
                ),
            )


def _is_site(tree: SyntaxTree, kinds: ValueKinds, node: Node) -> bool:
    """A literal, constant or math function that turns its expression into double."""
    if node.type == "number_literal":
        return is_double_literal(tree.text(node))
    if node.type == "identifier":
        return tree.text(node) in kinds.double_constants and not _is_declared(node)
    is_math = node.type == "call_expression" and callee_name(tree, node).removeprefix("std::") in FLOAT_NAMES
    return is_math and kinds.of(node) in (Kind.WIDENED, Kind.WIDENED_INTEGER)


def _is_declared(name: Node) -> bool:
    """Whether it is the name in its own declaration."""
    return name.parent is not None and name.parent.type == "init_declarator" and name.parent.child_by_field_name("declarator") == name


def _with_comparison(tree: SyntaxTree, top: Node) -> Node:
    """The comparison that ``top`` is a side of, else ``top``."""
    return top.parent if top.parent is not None and _is_comparison(tree, top.parent) else top


def _is_comparison(tree: SyntaxTree, node: Node) -> bool:
    operator = node.child_by_field_name("operator")
    return node.type == "binary_expression" and operator is not None and tree.text(operator) in COMPARISONS


def _judge(tree: SyntaxTree, function: Function, kinds: ValueKinds, top: Node) -> _SingleExpression | _DoubleExpression:
    """Whether an expression with a double literal is converted."""
    is_comparison = _is_comparison(tree, top)
    sides = tuple(top.named_children) if is_comparison else (top,)
    sink = Sink(None, "a comparison") if is_comparison else sink_of(tree, kinds, function, top)
    kind = combine((*(kinds.of(side) for side in sides), *_compound_operand(tree, kinds, top)))
    if kind is Kind.LITERAL:
        return _DoubleExpression(
            tree.line(top),
            Obstacle(DeclineReason.NOTHING_TO_CHANGE, f"`{tree.text(top)}` is made of literals only: the compiler computes it"),
        )
    sites = tuple(site for side in sides for site in _sites(tree, kinds, side))
    too_wide = next((text for site in sites for text in _literals(tree, site) if not _fits_float(text)), None)
    reason = _reason_to_keep(tree.text(top), kind, sink) or (_inexact_equality(tree, top, sites) if is_comparison else None)
    if kind is Kind.WIDENED_GENERIC and reason is None:
        reason = _reason_to_keep_generic(tree, function, kinds, tree.text(top))
    if reason is None and too_wide is not None:
        reason = Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"`{too_wide}` does not fit a float")
    if reason is not None:
        return _DoubleExpression(tree.line(top), reason)
    return _SingleExpression(sites, next(iter(kinds.type_parameters)) if kind is Kind.WIDENED_GENERIC else None)


def _compound_operand(tree: SyntaxTree, kinds: ValueKinds, top: Node) -> tuple[Kind, ...]:
    """Kind of ``x`` in ``x *= top``: it takes part in the arithmetic."""
    parent = top.parent
    if parent is None or parent.type != "assignment_expression":
        return ()
    operator, left = parent.child_by_field_name("operator"), parent.child_by_field_name("left")
    is_compound = operator is not None and tree.text(operator) != "=" and left is not None and left != top
    return (kinds.of(left),) if is_compound and left is not None else ()


def _reason_to_keep(text: str, kind: Kind, sink: Sink) -> Obstacle | None:
    """Why the expression must stay double; None if float or its template type will do."""
    if sink.kind is Kind.DOUBLE:
        return Obstacle(DeclineReason.DOUBLE_ON_PURPOSE, f"`{text}` goes to {sink.words}, which is double")
    if kind is Kind.DOUBLE:
        return Obstacle(DeclineReason.DOUBLE_ON_PURPOSE, f"`{text}` has an operand that is double on purpose")
    if kind is Kind.UNKNOWN:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the type of `{text}` is not known from this file")
    if sink.kind is Kind.INTEGER:
        return Obstacle(
            DeclineReason.RESULT_WOULD_CHANGE, f"`{text}` goes to {sink.words}, an integer: another rounding could give another number"
        )
    if sink.kind is None and kind is Kind.WIDENED_INTEGER:
        return Obstacle(
            DeclineReason.RESULT_WOULD_CHANGE, f"`{text}` compares integers with a double; float could not distinguish large ones"
        )
    takes = Kind.GENERIC if kind is Kind.WIDENED_GENERIC else Kind.FLOAT
    if sink.kind not in (None, takes):
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"what takes `{text}` ({sink.words}) is not known to be float")
    return None


def _inexact_equality(tree: SyntaxTree, top: Node, sites: tuple[Node, ...]) -> Obstacle | None:
    """``x == 0.1`` never holds for a float ``x``, but ``x == 0.1f`` may."""
    operator = top.child_by_field_name("operator")
    if operator is None or tree.text(operator) not in ("==", "!="):
        return None
    inexact = (tree.text(s) for s in sites if not _is_exact_float(tree.text(s)))
    return next(
        (
            Obstacle(DeclineReason.RESULT_WOULD_CHANGE, f"`{text}` is not a float, so `{tree.text(top)}` means something else with `f`")
            for text in inexact
        ),
        None,
    )


def _is_exact_float(text: str) -> bool:
    if not is_double_literal(text):
        return False
    value = float(text.replace("'", ""))
    return struct.unpack("f", struct.pack("f", value))[0] == value if _fits_float(text) else False


def _reason_to_keep_generic(tree: SyntaxTree, function: Function, kinds: ValueKinds, text: str) -> Obstacle | None:
    if len(kinds.type_parameters) != 1:
        return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the type of `{text}` depends on several template parameters")
    name = next(iter(kinds.type_parameters))
    types = instance_types(tree, function, name)
    if types is None or not types <= {"float", "double"}:
        return Obstacle(
            DeclineReason.TYPE_UNKNOWN, f"`{name}` is not known to be float or double only, so `{text}` may need its double literals"
        )
    return None


def _sites(tree: SyntaxTree, kinds: ValueKinds, node: Node) -> Iterator[Node]:
    if _is_site(tree, kinds, node):
        yield node
    for operand in operands(tree, node):
        yield from _sites(tree, kinds, operand)


def _literals(tree: SyntaxTree, site: Node) -> tuple[str, ...]:
    """The double literals that it stands for: its own text, or those of the constant or macro that it names."""
    if site.type == "number_literal":
        return (tree.text(site),)
    if site.type != "identifier":
        return ()
    definition = definition_of(tree, tree.text(site))
    texts = macro_texts(tree).get(tree.text(site), ()) if definition is None else (tree.text(definition),)
    return tuple(number[0] for text in texts for number in numbers_in(text) if is_double_literal(number[0]))


def _fits_float(text: str) -> bool:
    if not is_double_literal(text):
        return True
    value = abs(float(text.replace("'", "")))
    return value == 0.0 or _SMALLEST_FLOAT <= value <= _LARGEST_FLOAT


def _rewrite(context: TransformationContext, converted: tuple[_SingleExpression, ...], kept: tuple[_DoubleExpression, ...]) -> Rewrite:
    tree = context.tree
    edits = {edit for expression in converted for edit in _edits(tree, expression)}
    named: dict[str, list[Node]] = {}
    for expression in converted:
        for site in expression.sites:
            if site.type == "identifier" and expression.type_parameter is None:
                named.setdefault(tree.text(site), []).append(site)
    edits |= set(constant_edits(tree, named))
    sites = sorted((site for c in converted for site in c.sites), key=lambda n: n.start_byte)
    spelled = ", ".join(dict.fromkeys(f"`{_spelled(tree, s)}`" for s in sites))
    return Rewrite(
        technique=FloatLiterals.technique,
        kernel=context.kernel.key,
        line=context.line if any(tree.line(site) == context.line for site in sites) else tree.line(sites[0]),
        edits=tuple(sorted(edits)),
        summary=f"Compute in single precision where only {spelled} made float arithmetic double.",
        labels=(Label.PRECISION,),
        predictions=() if any(k.line == context.line for k in kept) else _predictions(context),
    )


def _predictions(context: TransformationContext) -> tuple[MetricPrediction, ...]:
    gone = {"fp64_instructions": 0.0, "conversion_instructions": 0.0, "double_literals": 0.0}
    return predicted_values(context, gone)


def _spelled(tree: SyntaxTree, site: Node) -> str:
    return callee_name(tree, site) if site.type == "call_expression" else tree.text(site)


def _edits(tree: SyntaxTree, expression: _SingleExpression) -> Iterator[TextEdit]:
    """Edits of the literals and functions; named constants of float expressions are edited together."""
    for site in expression.sites:
        span = tree.span(site)
        function = site.child_by_field_name("function")
        if expression.type_parameter is not None:
            if site.type != "call_expression":
                yield TextEdit(span, f"{expression.type_parameter}({tree.text(site)})")
        elif site.type == "number_literal":
            yield TextEdit(Span(span.end, span.end), "f")
        elif function is not None and tree.text(function) in FLOAT_NAMES:
            yield TextEdit(tree.span(function), FLOAT_NAMES[tree.text(function)])
