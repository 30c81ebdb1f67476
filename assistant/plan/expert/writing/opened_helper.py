"""A kernel with the loop of a helper function written where the kernel calls it, for rules that share a kernel's loops among threads.

Only a helper of the same file, called once in the kernel by a statement that always runs it, and left by nothing but a ``return`` at
its end.

Example::

    y[i] = row_dot(a + i * n, x, n);       // const float *row = a + i * n;
                                           // float sum = 0;
                                           // for (int j = 0; j < n; j++) sum += row[j] * x[j];
                                           // y[i] = sum;
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.cuda.assignments import assignments, changed_names
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.files import line_end
from assistant.cuda.functions import Function, enclosing_function, functions
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_effect, macro_text
from assistant.cuda.names import free_name, names_in
from assistant.cuda.syntax import Node, SyntaxTree, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.plan import DeclineReason
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.handed_places import is_changeable, is_steady, pointee, pointee_text, referred
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.helper_removal import helper_removal
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.style import style_of
from assistant.record import Record

__all__ = ["OpenedHelper", "opened_helper"]

_ALWAYS_RUN = (
    "assignment_expression",
    "init_declarator",
    "binary_expression",
    "parenthesized_expression",
    "argument_list",
    "call_expression",
    "unary_expression",
    "cast_expression",
)
"""What may stand between a statement and the call in it."""
_THREADS_MEET = re.compile(r"__noinline__|__shfl|sync|fence|\batomic")
"""A helper by which threads exchange something, or that is meant to stay by itself."""
_COUNTERS = ("j", "k", "m", "p", "q")
"""For a loop's counter whose name another variable has."""
_PLAIN = ("identifier", "number_literal", "call_expression", "subscript_expression", "parenthesized_expression")
_KINDS = {"float": (Kind.FLOAT,), "double": (Kind.DOUBLE, Kind.WIDENED, Kind.WIDENED_INTEGER, Kind.LITERAL)}
"""Of expressions that have the type already."""
_RESTRICT = re.compile(r"\s*\b__restrict(?:__)?\b")
_QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict)\b|\s")


class OpenedHelper(Record):
    """The helper's body in the place of its call."""

    name: str
    edits: tuple[TextEdit, ...]
    """Of the kernel."""
    lines: Mapping[int, int]
    """By a line of the helper's body: the line that it has come to."""
    removal: TextEdit | None
    """Takes the helper away where nothing else mentions it."""


class _Call(Record):
    kernel: Function
    helper: Function
    node: Node
    statement: Node
    result: Node | None
    """What the helper returns."""


def opened_helper(context: TransformationContext, leaves_others: bool = False) -> OpenedHelper | Obstacle | None:
    """Why the helper of the finding's line cannot be opened; None where the kernel calls no helper with a loop.

    ``leaves_others``: other helpers with loops may stay where they are.
    """
    call = _call(context, leaves_others)
    if call is None or isinstance(call, Obstacle):
        return call
    tree, statements = context.tree, _statements(call)
    names = _names(context, call)
    declared = list(_declared_parameters(context, call, names))
    indent, newline = _inner_indent(context, call.statement), line_end(context.text)
    body = Span(tree.span(statements[0]).start, tree.span(statements[-1]).end)
    moved = _moved(context.text, _renamed(context, call.helper.body, body, names), indentation(context.text, body.start), indent)
    removal, comments = helper_removal(context, call.helper)
    before = f"{newline}{indent}".join((*comments, *declared, moved))
    opening = _opening(context, call.statement)
    start = _head_end(tree, call.statement) if opening else tree.span(call.statement).start
    first = context.text.count("\n", 0, start) + 1 + opening.count("\n") + len(comments) + len(declared)
    lines = {line: first + line - tree.line(statements[0]) for line in range(tree.line(statements[0]), statements[-1].end_point[0] + 2)}
    return OpenedHelper(call.helper.name, _edits(context, call, names, before), lines, removal)


def _call(context: TransformationContext, leaves_others: bool) -> _Call | Obstacle | None:
    tree = context.tree
    kernel = enclosing_function(tree, context.body)
    if kernel is None or kernel.body != context.body:
        return None
    calls = [(helper, node) for node in tree.find("call_expression", inside=kernel.body) if (helper := _helper(tree, node)) is not None]
    asked = [(helper, node) for helper, node in calls if tree.line(helper.node) <= context.line <= helper.body.end_point[0] + 1]
    helper, node = (asked or calls)[0] if calls else (None, None)
    if helper is None or node is None:
        return None
    is_among_others = leaves_others and bool(asked) and sum(other.name == helper.name for other, _ in calls) == 1
    if len(calls) > 1 and not is_among_others:
        others = {other.name for other, _ in calls} - {helper.name}
        where = f"and `{min(others)}` another one" if others else "which would have to be called at one place of the kernel"
        return _obstacle(helper, where)
    return _readable(tree, kernel, helper, node)


def _obstacle(helper: Function, words: str) -> Obstacle:
    return Obstacle(DeclineReason.LOOP_FORM, f"the loop is in `{helper.name}`, {words}")


def _helper(tree: SyntaxTree, call: Node) -> Function | None:
    """The helper of this file that is called, where it has a loop that threads run for themselves."""
    name = callee_name(tree, call).split("::")[-1]
    named = [each for each in functions(tree) if each.name == name]
    only = named[0] if len(named) == 1 else None
    is_plain = (
        only is not None and only.is_device and not only.is_kernel and not only.scopes and not _THREADS_MEET.search(tree.text(only.node))
    )
    return only if is_plain and only is not None and any(tree.find(*LOOPS, inside=only.body)) else None


def _readable(tree: SyntaxTree, kernel: Function, helper: Function, node: Node) -> _Call | Obstacle:
    """The call, where the helper's statements can stand in front of the statement that calls."""
    statement, statements = _statement_of(node), without_comments(helper.body)
    returns = tuple(tree.find("return_statement", inside=helper.body))
    values = without_comments(returns[0]) if returns else ()
    if helper.template is not None:
        return _obstacle(helper, "which would have to be no template")
    if any(not p.name for p in helper.parameters):
        return _obstacle(helper, "whose parameters would have to have names")
    if len(given_arguments(node)) != len(helper.parameters) or _is_odd(tree, helper):
        return _obstacle(helper, "of which a macro, assembly, shared memory or a call of itself hides what it does")
    if any(not is_steady(tree, kernel, helper, node, given) for given in referred(tree, helper, node)):
        return _obstacle(helper, "what it changes by reference would have to be a variable, or an element of one place")
    if any(each != statements[-1] for each in returns):
        return _obstacle(helper, "which would have to be left by nothing but a `return` at its end")
    call = None if statement is None else _Call(kernel, helper, node, statement, values[0] if values else None)
    is_used = call is not None and (bool(values) or node.parent == statement)
    if call is None or not is_used or not _statements(call) or not _changes_once(tree, call):
        return _obstacle(helper, "which would have to be called by a statement that always runs it, and changes one thing")
    if call.result is not None and not _keeps_its_type(tree, helper, call.result):
        return _obstacle(helper, "whose result would have to be of the type that it returns")
    return call


def _is_odd(tree: SyntaxTree, helper: Function) -> bool:
    odd = tree.find("goto_statement", "gnu_asm_expression", "lambda_expression", "preproc_if", "preproc_ifdef", inside=helper.body)
    if any(odd) or "__shared__" in tree.text(helper.body) or hidden_effect(tree, helper.body) is not None:
        return True
    return any(helper.name == callee_name(tree, call) for call in tree.find("call_expression", inside=helper.body))


def _keeps_its_type(tree: SyntaxTree, helper: Function, result: Node) -> bool:
    """Nothing is converted on the way out of the helper."""
    spelled, declarator = helper.node.child_by_field_name("type"), helper.node.child_by_field_name("declarator")
    if spelled is None or declarator is None or declarator.type != "function_declarator":
        return False
    name, kind = tree.text(result), ValueKinds(tree, helper).of(result)
    own = locals_of(tree, helper.body).get(name, ())
    variable = helper.parameter(name) or (own[0] if len(own) == 1 else None)
    if variable is not None and not variable.is_array:
        return (variable.type, variable.indirection) == (tree.text(spelled), 0)
    return kind in _KINDS.get(tree.text(spelled), ())


def _statement_of(node: Node) -> Node | None:
    """The statement of a block that runs the call whenever it runs, before all else that it does."""
    parent = node.parent
    while parent is not None and parent.type in _ALWAYS_RUN:
        operator = parent.child_by_field_name("operator")
        if operator is not None and operator.type in ("&&", "||"):
            return None
        parent = parent.parent
    owner = None if parent is None else parent.parent
    if parent is None or owner is None or parent.type not in ("expression_statement", "declaration"):
        return None
    is_branch = owner.type == "if_statement" and owner.child_by_field_name("alternative") is None
    is_body = owner.type == "for_statement" and owner.child_by_field_name("body") == parent
    return parent if owner.type == "compound_statement" or is_branch or is_body else None


def _changes_once(tree: SyntaxTree, call: _Call) -> bool:
    """The statement changes nothing but what it stores at its end, and declares one variable at most."""
    changes = assignments(tree, call.statement)
    declared = tuple(declared_variables(tree, call.statement)) if call.statement.type == "declaration" else ()
    return len(changes) + len(declared) <= 1 and all(change.node.parent == call.statement for change in changes)


def _statements(call: _Call) -> tuple[Node, ...]:
    """Those of the helper, without its ``return``."""
    return tuple(each for each in without_comments(call.helper.body) if each.type != "return_statement")


def _names(context: TransformationContext, call: _Call) -> dict[str, str]:
    """By a name of the helper what stands for it in the kernel: the argument, or a name that is free there; by ``*p`` what ``p`` is
    the address of."""
    tree, found = context.tree, dict[str, str]()
    changed, result = changed_names(tree, call.helper.body), _declared_result(context, call)
    moving = {name for given in _changed(context, call) for name in names_in(tree, given)}
    for parameter, given in zip(call.helper.parameters, given_arguments(call.node), strict=True):
        place = pointee(tree, call.kernel, call.helper, parameter, given)
        if place is not None:
            found |= {parameter.name: tree.text(given), f"*{parameter.name}": place}
            continue
        is_given = is_changeable(tree, parameter)
        is_copy = not parameter.is_reference and tree.text(given) in moving
        is_given = is_given or (parameter.name not in changed and not is_copy and _is_same(context, call.kernel, parameter, given))
        found[parameter.name] = tree.text(given) if is_given else _free(context, call, parameter.name, found)
    for name in locals_of(tree, call.helper.body):
        is_result = result is not None and call.result is not None and name == tree.text(call.result)
        found[name] = result if is_result and result is not None else _free(context, call, name, found)
    return found


def _changed(context: TransformationContext, call: _Call) -> Iterator[Node]:
    """The arguments whose places the helper may change under their names in the kernel."""
    tree = context.tree
    yield from referred(tree, call.helper, call.node)
    for parameter, given in zip(call.helper.parameters, given_arguments(call.node), strict=True):
        if pointee(tree, call.kernel, call.helper, parameter, given) is not None:
            yield given


def _free(context: TransformationContext, call: _Call, name: str, given: Mapping[str, str]) -> str:
    """The helper's name where the kernel has no such one."""
    tree = context.tree
    if name not in names_in(tree, call.kernel.body) | {parameter.name for parameter in call.kernel.parameters}:
        return name
    taken = {*names_in(tree, call.helper.node), *given.values()}
    counters = {
        v.name for v in locals_of(tree, call.helper.body).get(name, ()) if v.node.parent is not None and v.node.parent.type in LOOPS
    }
    others = [other for other in _COUNTERS if counters and other not in taken]
    return free_name(tree, call.kernel.node, *others, f"{call.helper.name.rstrip('_')}_{name.lstrip('_')}")


def _is_same(context: TransformationContext, kernel: Function, parameter: Variable, given: Node) -> bool:
    """The argument may stand wherever the parameter is used: a variable of its type, or an integer for an integer."""
    tree, text = context.tree, context.tree.text(given)
    if given.type == "number_literal":
        return parameter.type == "int" and parameter.indirection == 0 and text.isdigit()
    if given.type != "identifier":
        return False
    if (macro_text(tree, text) or "").strip().isdigit():
        return parameter.type == "int" and parameter.indirection == 0
    declared = locals_of(tree, kernel.body).get(text, ())
    variable = kernel.parameter(text) or (declared[0] if len(declared) == 1 else None)
    if variable is None or variable.is_array:
        return variable is not None and parameter.indirection == 1 and variable.type == parameter.type
    return (variable.type, variable.indirection) == (parameter.type, parameter.indirection)


def _declared_result(context: TransformationContext, call: _Call) -> str | None:
    """``s`` of ``float s = helper(…);`` where the helper returns a local of that type: the local can take the name."""
    tree = context.tree
    declared = tuple(declared_variables(tree, call.statement)) if call.statement.type == "declaration" else ()
    if len(declared) != 1 or declared[0].value != call.node or call.result is None or call.result.type != "identifier":
        return None
    own = locals_of(tree, call.helper.body).get(tree.text(call.result), ())
    is_plain = len(own) == 1 and own[0].indirection == 0 and not own[0].is_array and own[0].type == declared[0].type
    is_outermost = is_plain and own[0].node.parent == call.helper.body
    return declared[0].name if is_outermost and not tree.text(call.statement).startswith("const") else None


def _declared_parameters(context: TransformationContext, call: _Call, names: dict[str, str]) -> Iterator[str]:
    """Declarations of the parameters that stand for more than a variable."""
    tree = context.tree
    for parameter, given in zip(call.helper.parameters, given_arguments(call.node), strict=True):
        if names[parameter.name] != tree.text(given):
            written = _RESTRICT.sub("", tree.text(parameter.node))
            name = re.compile(rf"\b{re.escape(parameter.name)}\b(?:\s*\[\s*\])?$")
            pointer = "*" if written.rstrip().endswith("]") else ""
            yield f"{name.sub(f'{pointer}{names[parameter.name]}', written)} = {tree.text(given)};"


def _renamed(context: TransformationContext, inside: Node, span: Span, names: Mapping[str, str]) -> str:
    """The text of a part of the helper with the kernel's names."""
    tree, text = context.tree, context.text
    parts, position = list[str](), span.start
    for node in tree.find("identifier", inside=inside):
        name = tree.text(node)
        if name not in names:
            continue
        place = names.get(f"*{name}")
        at, new = (tree.span(node), names[name]) if place is None else pointee_text(tree, node, place)
        if span.start <= at.start and at.end <= span.end:
            parts += [text[position : at.start], new]
            position = at.end
    return "".join((*parts, text[position : span.end]))


def _moved(text: str, body: str, old: str, new: str) -> str:
    lines = body.split("\n")
    return "\n".join(
        [lines[0], *(f"{new}{line.removeprefix(old)}" if line.strip() and line.startswith(old) else line for line in lines[1:])]
    )


def _edits(context: TransformationContext, call: _Call, names: dict[str, str], before: str) -> tuple[TextEdit, ...]:
    """The helper's statements, and its result in the place of the call; nothing is left of a statement that would do no more."""
    tree, text, span = context.tree, context.text, context.tree.span(call.statement)
    opening, closing, newline = _opening(context, call.statement), "", line_end(context.text)
    start = span.start if not opening else _head_end(tree, call.statement)
    if opening and call.statement.parent is not None:
        closing = f"{newline}{indentation(text, tree.span(call.statement.parent).start)}}}"
    if call.result is None or call.node.parent == call.statement or _declared_result(context, call) is not None:
        return (TextEdit(Span(start, span.end), f"{opening}{before}{closing}"),)
    value, parent = _renamed(context, call.helper.body, tree.span(call.result), names), call.node.parent
    is_whole = parent is not None and parent.type in ("init_declarator", "argument_list", "assignment_expression")
    result = value if is_whole or call.result.type in _PLAIN else f"({value})"
    added = (TextEdit(Span(span.end, span.end), closing),) if closing else ()
    first = TextEdit(Span(start, span.start), f"{opening}{before}{newline}{_inner_indent(context, call.statement)}")
    return (first, TextEdit(tree.span(call.node), result), *added)


def _opening(context: TransformationContext, statement: Node) -> str:
    """What makes a block of a lone branch or of a loop's lone statement, up to where its first statement stands; empty in a block."""
    parent = statement.parent
    if parent is None or parent.type == "compound_statement":
        return ""
    newline, outer = line_end(context.text), indentation(context.text, context.tree.span(parent).start)
    brace = f"{newline}{outer}{{" if style_of(context).opens_below else " {"
    return f"{brace}{newline}{_inner_indent(context, statement)}"


def _inner_indent(context: TransformationContext, statement: Node) -> str:
    text, start, parent = context.text, context.tree.span(statement).start, statement.parent
    is_on_its_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    outer = indentation(text, start if is_on_its_line or parent is None else context.tree.span(parent).start)
    return outer if is_on_its_line else f"{outer}{style_of(context).indent}"


def _head_end(tree: SyntaxTree, statement: Node) -> int:
    """Where ``if (…)`` or ``for (…)`` before a lone statement ends."""
    previous = statement.prev_sibling
    while previous is not None and previous.type == "comment":
        previous = previous.prev_sibling
    return tree.span(statement).start if previous is None else tree.span(previous).end
