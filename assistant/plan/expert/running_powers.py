"""Multiply from power to power instead of calling the general routine for each: `pow(x, k)` in a loop over k.

Example::

    for (int k = 0; k < n; k++) sum += c[k] * pow(x, k);      // before

    double power = 1.0;                                       // after
    for (int k = 0; k < n; k++) {
        sum += c[k] * power;
        power *= x;
    }
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.cuda.functions import Function, functions
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized, without_comments
from assistant.model.plan import Decline, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.model.verification import Label
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.analysis.running_powers import RunningPower, running_power_obstacle, running_powers
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import after_statement, before_statement, indentation
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["RunningPowers"]

_PRIMARY = ("identifier", "subscript_expression", "field_expression", "call_expression", "number_literal")


class _Variable(Record):
    """The local that holds one base's power in one loop."""

    name: str
    type: str
    is_declared: bool
    """False where a loop before it in the same block has declared it."""
    powers: tuple[RunningPower, ...]


class RunningPowers:
    """Powers of the loop's counter → a product that grows with it, in all loops of the function with the finding."""

    technique = "running-powers"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        function, found = _found(context)
        if function is None:
            return ()
        obstacles = {p.call.id: running_power_obstacle(context.tree, function, p, context.recorded) for p in found}
        here = next(p for p in found if context.tree.line(p.call) == context.line)
        if (obstacle := obstacles[here.call.id]) is not None:
            return context.decline(self.technique, obstacle)
        powers = tuple(p for p in found if obstacles[p.call.id] is None)
        variables = tuple(_variables(context, function, powers))
        names = ", ".join(dict.fromkeys(f"`{context.tree.text(power.call)}`" for power in powers))
        return (
            Rewrite(
                self.technique,
                context.kernel.key,
                context.tree.line(powers[0].call),
                _edits(context, variables),
                f"Multiply each power by the base to get the next one, in place of {names}.",
                (Label.PRECISION,),
                predicted_values(context, {"constant_powers": 0.0}),
            ),
        )


def _found(context: TransformationContext) -> tuple[Function | None, tuple[RunningPower, ...]]:
    """The function with a running power on the finding's line, and all of its running powers."""
    reachable = {context.kernel.name, *context.kernel.device_functions}
    for function in functions(context.tree):
        found = running_powers(context.tree, function) if function.name in reachable else ()
        if any(context.tree.line(power.call) == context.line for power in found):
            return function, found
    return None, ()


def _variables(context: TransformationContext, function: Function, powers: tuple[RunningPower, ...]) -> Iterator[_Variable]:
    """One for each base, type and first exponent of each loop."""
    tree, groups = context.tree, dict[tuple[int, str, bool, int], list[RunningPower]]()
    for power in powers:
        groups.setdefault((power.loop.id, tree.text(power.base), power.is_double, power.first), []).append(power)
    loops = [loop for loop, *_ in groups]
    base, style = free_name(tree, function.body, "power", "running_power"), style_of(context)
    declared: set[tuple[int, str, str]] = set()
    for number, (key, found) in enumerate(groups.items()):
        is_lone = loops.count(key[0]) == 1
        name = base if is_lone else style.name(base, str(number + 1))
        parent = found[0].loop.parent
        place = (0 if parent is None else parent.id, name, "double" if key[2] else "float")
        yield _Variable(name, place[2], place not in declared, tuple(found))
        declared.add(place)


def _edits(context: TransformationContext, variables: tuple[_Variable, ...]) -> tuple[TextEdit, ...]:
    tree, edits = context.tree, list[TextEdit]()
    loops = {v.powers[0].loop.id: v.powers[0] for v in variables}
    for loop, power in loops.items():
        own = [v for v in variables if v.powers[0].loop.id == loop]
        starts = [f"{v.type + ' ' if v.is_declared else ''}{v.name} = {_first(tree, v)};" for v in own]
        steps = [f"{v.name} *= {tree.text(unparenthesized(v.powers[0].base))};" for v in own]
        edits += before_statement(tree, power.loop, _lines(tree, power.loop, starts))
        edits += _at_the_end(tree, power.body, steps)
        edits += _closed(tree, power.loop)
    edits += [TextEdit(tree.span(p.call), v.name) for v in variables for p in v.powers]
    return _joined(edits)


def _lines(tree: SyntaxTree, statement: Node, texts: list[str]) -> str:
    """Each on a line of its own, indented like the statement."""
    return f"{line_end(tree.source)}{indentation(tree.source, tree.span(statement).start)}".join(texts)


def _at_the_end(tree: SyntaxTree, body: Node, steps: list[str]) -> tuple[TextEdit, ...]:
    statements = without_comments(body) if body.type == "compound_statement" else ()
    if statements:
        return after_statement(tree, statements[-1], _lines(tree, statements[-1], steps))
    opening = before_statement(tree, body, "")[:1]
    return (*opening, *after_statement(tree, body, _lines(tree, body, steps)))


def _closed(tree: SyntaxTree, loop: Node) -> tuple[TextEdit, ...]:
    """The end of the block that a lone loop now stands in."""
    (end,) = after_statement(tree, loop, "")
    newline = line_end(tree.source)
    return (TextEdit(end.span, newline + end.new_text.rpartition(newline)[2]),) if end.new_text.endswith("}") else ()


def _joined(edits: list[TextEdit]) -> tuple[TextEdit, ...]:
    """What goes to the same place as one edit, inner blocks first."""
    texts = dict[Span, str]()
    for edit in edits:
        texts[edit.span] = texts.get(edit.span, "") + edit.new_text
    return tuple(sorted(TextEdit(span, text) for span, text in texts.items()))


def _first(tree: SyntaxTree, variable: _Variable) -> str:
    one = "1.0" if variable.type == "double" else "1.0f"
    power = variable.powers[0]
    if power.first == 1:
        return tree.text(unparenthesized(power.base))
    return " * ".join([_factor(tree, power.base)] * power.first) or one


def _factor(tree: SyntaxTree, base: Node) -> str:
    inner = unparenthesized(base)
    return tree.text(inner) if inner.type in (*_PRIMARY, "cast_expression") else f"({tree.text(inner)})"
