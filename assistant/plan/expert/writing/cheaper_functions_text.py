"""Edits that call a cheaper routine: ``cospi(2.0 * u)`` for ``cos(2 * M_PI * u)``, ``sincos(a, &s, &c)`` for a sine and a cosine.

Example::

    tuple(form_edits(context, function, form))     # TextEdits, in no order
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.cuda.files import line_end
from assistant.cuda.functions import Function
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node, unparenthesized
from assistant.cuda.variables import Variable, declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.cheaper_functions import CheaperForm, ConstantBase
from assistant.plan.expert.analysis.sine_pairs import Sine, SinePair
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, without_line
from assistant.plan.expert.writing.style import style_of

__all__ = ["form_edits"]

_PRIMARY = ("identifier", "subscript_expression", "field_expression", "call_expression", "parenthesized_expression", "number_literal")


def form_edits(context: TransformationContext, function: Function, form: CheaperForm) -> Iterator[TextEdit]:
    """Each once, also those of a local that several calls share."""
    for sine in form.sines:
        yield _called(context, sine.call, sine.routine)
    for pair in form.pairs:
        yield from _of_pair(context, function, pair)
    if form.power is not None:
        yield from _of_power(context, function, form.power)
    of_pairs = [sine for pair in form.pairs for sine in pair.sines]
    yield from dict.fromkeys(edit for sine in form.sines for edit in _of_angle(sine))
    yield from dict.fromkeys(edit for sine in of_pairs for edit in _of_angle(sine) if not _is_in(edit.span, context, sine.argument))


def _of_angle(sine: Sine) -> tuple[TextEdit, ...]:
    return () if sine.taken is None else sine.taken.edits


def _is_in(span: Span, context: TransformationContext, node: Node) -> bool:
    return context.tree.span(node).contains(span)


def _called(context: TransformationContext, call: Node, routine: str) -> TextEdit:
    called = call.child_by_field_name("function")
    return TextEdit(context.tree.span(call if called is None else called), routine)


def _of_power(context: TransformationContext, function: Function, power: ConstantBase) -> Iterator[TextEdit]:
    tree = context.tree
    inner = unparenthesized(power.exponent)
    text = tree.text(inner)
    if power.kind is Kind.DOUBLE and ValueKinds(tree, function).of(inner) is Kind.FLOAT:
        text = f"(double){text}" if inner.type in _PRIMARY else f"(double)({text})"
    yield TextEdit(tree.span(power.call), f"{power.routine}({text})")


def _of_pair(context: TransformationContext, function: Function, pair: SinePair) -> Iterator[TextEdit]:
    tree, first = context.tree, pair.sines[0]
    angle = _edited(context, first.argument, _of_angle(first))
    type_name = "float" if first.kind is Kind.FLOAT else "double"
    declared = _declared(context, pair, type_name)
    names = dict(declared or _new_names(context, function, first))
    listed = f"{names[first.name]}, {names['cos' if first.name == 'sin' else 'sin']}"
    lines = (f"{type_name} {listed};", f"{pair.routine}({angle}, &{names['sin']}, &{names['cos']});")
    end = line_end(tree.source)
    start, last = pair.statements[0], pair.statements[-1]
    indent = _indent(context, start)
    if declared is not None:
        yield TextEdit(tree.span(start), f"{lines[0]}{end}{indent}{lines[1]}")
        if last != start:
            yield without_line(tree.source, tree.span(last))
        return
    yield from before_statement(tree, start, f"{lines[0]}{end}{indent}{lines[1]}")
    yield from (TextEdit(tree.span(sine.call), names[sine.name]) for sine in pair.sines)


def _declared(context: TransformationContext, pair: SinePair, type_name: str) -> tuple[tuple[str, str], ...] | None:
    """The author's names, where two declarations next to each other, or one, hold the sine and the cosine and nothing else."""
    tree = context.tree
    statements = tuple(dict.fromkeys(pair.statements))
    if len(pair.sines) != 2 or any(statement.type != "declaration" for statement in statements):
        return None
    variables = [variable for statement in statements for variable in declared_variables(tree, statement)]
    if len(variables) != 2 or (len(statements) == 2 and statements[0].next_named_sibling != statements[1]):
        return None
    if any(v.type not in (type_name, "auto") or _is_more(v) or tree.text(v.node).startswith("static") for v in variables):
        return None
    held = [(sine.name, v.name) for v in variables for sine in pair.sines if v.value is not None and unparenthesized(v.value) == sine.call]
    return tuple(held) if len(held) == 2 else None


def _is_more(variable: Variable) -> bool:
    return variable.is_pointer or variable.is_array or variable.is_reference or variable.is_volatile or variable.is_shared


def _new_names(context: TransformationContext, function: Function, sine: Sine) -> tuple[tuple[str, str], ...]:
    tree, style = context.tree, style_of(context)
    argument = unparenthesized(sine.argument)
    of = tree.text(argument) if argument.type == "identifier" else ""
    short = {name: style.name(name, of) if of else name[:1] for name in ("sin", "cos")}
    if all(free_name(tree, function.body, wanted) == wanted for wanted in short.values()):
        return tuple(short.items())
    return tuple((name, free_name(tree, function.body, style.name(name, "a"))) for name in short)


def _edited(context: TransformationContext, node: Node, edits: Iterable[TextEdit]) -> str:
    """The node's text with those of the edits that lie inside."""
    span, text = context.tree.span(node), context.tree.text(node)
    for edit in sorted((each for each in edits if span.contains(each.span)), reverse=True):
        text = text[: edit.span.start - span.start] + edit.new_text + text[edit.span.end - span.start :]
    return text


def _indent(context: TransformationContext, statement: Node) -> str:
    start = context.tree.span(statement).start
    line = context.text[context.text.rfind("\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip(" \t"))]
