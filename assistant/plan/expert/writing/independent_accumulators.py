"""A reduction loop with one accumulator, split over several that do not wait for each other.

Example::

    for (int k = 0; k < 8; ++k) sum += a[k];
    // becomes, with two accumulators
    float sum_1 = 0.0f;
    for (int k = 0; k < 8; k += 2) {
        sum += a[k];
        sum_1 += a[k + 1];
    }
    sum += sum_1;
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.cuda.assignments import modified_names
from assistant.cuda.calls import takes_values_only
from assistant.cuda.counted_loops import CountedHeader
from assistant.cuda.files import line_end
from assistant.cuda.functions import Function
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import fresh_name, names_in
from assistant.cuda.syntax import Node, SyntaxTree, without_comments
from assistant.cuda.variables import locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.writing.layout import after_statement, indentation, zero_of
from assistant.record import Record

__all__ = ["ACCUMULATOR_COUNT", "Reduction", "reduction_of", "split_edits"]

ACCUMULATOR_COUNT = 4
"""Independent sums: as many as the cycles that one addition takes to finish (CUDA C++ Programming Guide, "Multiprocessor
Level": 4 cycles for most arithmetic instructions)."""
_SCALARS = ("float", "double", "int", "unsigned", "unsigned int", "long long")


class Reduction(Record):
    """``accumulator += term;`` as the whole body of a counted loop."""

    accumulator: str
    type: str
    statement: Node
    term: Node

    @property
    def is_exact(self) -> bool:
        """Integer sums are the same in any order."""
        return self.type not in ("float", "double")


def reduction_of(tree: SyntaxTree, loop: Node, header: CountedHeader, function: Function) -> Reduction | None:
    """The sum that the loop computes; None where its body does anything else or its count does not split evenly."""
    count = header.trip_count(tree)
    body = loop.child_by_field_name("body")
    statement = None if body is None else _only_statement(body)
    sum_ = None if statement is None else statement.named_children[0]
    if count is None or count % ACCUMULATOR_COUNT or header.step != "1" or statement is None or sum_ is None:
        return None
    left, right, operator = (sum_.child_by_field_name(f) for f in ("left", "right", "operator"))
    is_sum = sum_.type == "assignment_expression" and operator is not None and tree.text(operator) == "+="
    if not is_sum or left is None or right is None or left.type != "identifier":
        return None
    declared = locals_of(tree, function.body).get(tree.text(left), ())
    is_plain = len(declared) == 1 and declared[0].type in _SCALARS and not declared[0].is_pointer
    calls = tree.find("call_expression", inside=right)
    changes = modified_names(tree, right) or any(not takes_values_only(tree, call) for call in calls)
    is_hidden = bool({header.variable, tree.text(left)} & hidden_names(tree, right))
    if not is_plain or changes or is_hidden or tree.text(left) in names_in(tree, right):
        return None
    return Reduction(tree.text(left), declared[0].type, statement, right)


def split_edits(tree: SyntaxTree, loop: Node, header: CountedHeader, reduction: Reduction, count: int) -> tuple[TextEdit, ...]:
    """Edits that declare accumulators until there are ``count``, give each its share, and add them up after the loop."""
    names = [fresh_name(tree, f"{reduction.accumulator.rstrip('_')}_{index}") for index in range(1, count)]
    newline, indent = line_end(tree.source), indentation(tree.source, tree.span(loop).start)
    zero = zero_of(tree, reduction.type)
    declaration = f"{reduction.type} {', '.join(f'{name} = {zero}' for name in names)};"
    start = tree.span(loop).start
    return (
        TextEdit(Span(start, start), f"{declaration}{newline}{indent}#pragma unroll{newline}{indent}"),
        _step_edit(tree, loop, header, count),
        _body_edit(tree, loop, header, reduction, names),
        *after_statement(tree, loop, f"{reduction.accumulator} += {' + '.join(names)};"),
    )


def _only_statement(body: Node) -> Node | None:
    if body.type == "compound_statement":
        inner = without_comments(body)
        body = inner[0] if len(inner) == 1 and len(body.named_children) == 1 else body
    return body if body.type == "expression_statement" and body.named_children else None


def _step_edit(tree: SyntaxTree, loop: Node, header: CountedHeader, count: int) -> TextEdit:
    update = loop.child_by_field_name("update")
    assert update is not None, "a counted header has an update"
    return TextEdit(tree.span(update), f"{header.variable} += {count}")


def _body_edit(tree: SyntaxTree, loop: Node, header: CountedHeader, reduction: Reduction, names: Sequence[str]) -> TextEdit:
    body = loop.child_by_field_name("body")
    assert body is not None, "a counted header has a body"
    newline, indent = line_end(tree.source), indentation(tree.source, tree.span(loop).start)
    inner = indentation(tree.source, tree.span(reduction.statement).start)
    if len(inner) <= len(indent):
        inner = indent + ("\t" if "\t" in indent else "    ")
    lines = [tree.text(reduction.statement)]
    lines += [f"{n} += {_shifted(tree, header.variable, reduction.term, i + 1)};" for i, n in enumerate(names)]
    block = newline.join(f"{inner}{line}" for line in lines)
    span = tree.span(body)
    head_end = tree.source.rfind(")", 0, span.start) + 1
    start = span.start if body.type == "compound_statement" else head_end
    opening = "{" if body.type == "compound_statement" else " {"
    return TextEdit(Span(start, span.end), f"{opening}{newline}{block}{newline}{indent}}}")


def _shifted(tree: SyntaxTree, variable: str, term: Node, offset: int) -> str:
    """The term's text with ``variable`` replaced by ``variable + offset``."""
    base = tree.span(term).start
    text = tree.text(term)
    for node in reversed([n for n in tree.find("identifier", inside=term) if tree.text(n) == variable]):
        span = tree.span(node)
        text = text[: span.start - base] + _sum(tree, node, offset) + text[span.end - base :]
    return text


def _sum(tree: SyntaxTree, node: Node, offset: int) -> str:
    """``k + 1``, in parentheses unless it is alone in brackets or a plain term of a sum."""
    name, parent = tree.text(node), node.parent
    operator = None if parent is None else parent.child_by_field_name("operator")
    is_term = parent is not None and operator is not None and tree.text(operator) == "+"
    is_alone = parent is not None and parent.type in ("subscript_argument_list", "argument_list")
    return f"{name} + {offset}" if is_alone or is_term else f"({name} + {offset})"
