"""Host code that sets a kernel's results to zero before a launch that adds to them.

Example::

    cleared(context, (Cleared("result", "float", "1"),))    # CHECK(cudaMemset(d_result, 0, sizeof(float))); before each launch
"""

from __future__ import annotations

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.files import line_end
from assistant.cuda.launch_shape import Launch
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.kernel_launches import launches_of, of_program
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, indentation
from assistant.plan.expert.writing.style import is_simple_term
from assistant.record import Record

__all__ = ["Cleared", "cleared"]

_CHECKED = ("cudaMalloc", "cudaMemset", "cudaMemcpy")
"""Calls by which the program shows how it checks what CUDA returns."""


class Cleared(Record):
    """The first elements of one of the kernel's parameters."""

    parameter: str
    type: str
    count: str
    """A number, a constant, or the kernel's parameter that has it."""


def cleared(context: TransformationContext, results: tuple[Cleared, ...]) -> tuple[TextEdit, ...] | Obstacle:
    """A ``cudaMemset`` for each of ``results`` before every launch, checked as the program checks its other calls."""
    program = of_program(context)
    edits: list[TextEdit] = []
    for launch in launches_of(program):
        statement = _statement(program, launch)
        if statement is None or launch.function is None:
            where = program.tree.place(launch.site.span)
            return Obstacle(
                DeclineReason.LAUNCH_FORM, f"the launch on {where} is no statement of a host function, before which a result is cleared"
            )
        edits += _put_before(program.tree, statement, [_call(program, launch, result) for result in results])
    return tuple(edits)


def _statement(program: TransformationContext, launch: Launch) -> Node | None:
    """The launch as a statement of a function that the host runs."""
    node = program.tree.node_at(launch.site.span)
    statement = node if node is None or node.type == "expression_statement" else node.parent
    function = None if launch.function is None else launch.function.parent
    if statement is None or statement.type != "expression_statement" or function is None:
        return None
    heading = program.text[program.tree.span(function).start : program.tree.span(launch.function or function).start]
    return None if "__global__" in heading or "__device__" in heading else statement


def _put_before(tree: SyntaxTree, statement: Node, calls: list[str]) -> list[TextEdit]:
    """The calls on lines of their own; a launch that was a lone branch becomes a block with them."""
    if not calls:
        return []
    newline, start = line_end(tree.source), tree.span(statement).start
    edits = [*before_statement(tree, statement, f"{newline}{indentation(tree.source, start)}".join(calls))]
    if statement.parent is not None and statement.parent.type not in ("compound_statement", "case_statement"):
        outer, end = indentation(tree.source, tree.span(statement.parent).start), tree.span(statement).end
        edits.append(TextEdit(Span(end, end), f"{newline}{outer}}}"))
    return edits


def _call(program: TransformationContext, launch: Launch, result: Cleared) -> str:
    place = [parameter.name for parameter in program.kernel.parameters].index(result.parameter)
    pointer, stream = launch.site.arguments[place].text, launch.site.stream
    size = f"sizeof({result.type})" if result.count == "1" else f"{_count(program, launch, result)} * sizeof({result.type})"
    what = "cudaMemset" if stream is None else "cudaMemsetAsync"
    call = f"{what}({pointer}, 0, {size})" if stream is None else f"{what}({pointer}, 0, {size}, {stream.text})"
    return f"{_checked(program.tree, launch.function, call, what)};"


def _count(program: TransformationContext, launch: Launch, result: Cleared) -> str:
    """The number of elements as the launching function knows it."""
    names = [parameter.name for parameter in program.kernel.parameters]
    if result.count not in names:
        return result.count
    given = launch.site.arguments[names.index(result.count)].text.strip()
    return given if is_simple_term(given) else f"({given})"


def _checked(tree: SyntaxTree, function: Node | None, call: str, what: str) -> str:
    """``CHECK(call)``, or ``check(call, "what")``, as the function around the launch does with others."""
    for other in tree.find("call_expression", inside=function):
        given = given_arguments(other)
        inner = unparenthesized(given[0]) if given else other
        if inner.type == "call_expression" and callee_name(tree, inner) in _CHECKED:
            words = [f'"{what}"' for one in given[1:] if one.type == "string_literal"]
            if len(words) == len(given) - 1:
                return f"{callee_name(tree, other)}({', '.join((call, *words))})"
    return call
