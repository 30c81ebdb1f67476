"""What host code asks of the device, and which of it is done again only where variables that the host keeps say so.

Followed are branches of ``if``, what stands behind ``if (…) return`` or ``continue``, functions and lambdas of the text that are called
under a guard, and locals and small functions that a condition names. Example::

    host_work(tree)   # of `if (last != key) { build<<<1, 32>>>(key); last = key; }` in a member function
    # (HostWork("launches", "build", "last != key", 7),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.branches import condition_of
from assistant.cuda.calls import callee_name, calls_of, given_arguments
from assistant.cuda.functions import Function, enclosing_function, functions
from assistant.cuda.launches import launch_sites
from assistant.cuda.loops import LOOPS
from assistant.cuda.settled import Atom, Change, changes, compact, settles
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, kept, node_text, unparenthesized, without_comments
from assistant.cuda.variables import Variable, locals_of
from assistant.model.host_work import HostWork
from assistant.record import Record

__all__ = ["host_work"]

_COPY = re.compile(r"cudaMemcpy(?!From)\w*")
_TO_DEVICE = re.compile(r"ToSymbol|HostToDevice|DeviceToDevice")
_CLEAR = re.compile(r"cudaMemset\w*")
_CAPTURE = "cudaStreamBeginCapture"
_CONDITIONAL = frozenset({"if_statement", "switch_statement", "conditional_expression", "lambda_expression"})
_LEAVES = ("return_statement", "continue_statement")
_MAX_DEPTH = 4
"""Longest chain of calls, and of locals and functions that a condition names, that is followed."""


class _Guard(Record):
    """A condition that a piece of code runs under."""

    statement: Node
    condition: Node
    region: Node
    """What runs under it, or holds that and what stands before it."""
    holds: bool
    """Whether the condition holds where the code runs; it does not in an ``else`` and behind ``if (…) return``."""


def host_work(tree: SyntaxTree) -> tuple[HostWork, ...]:
    """In source order."""
    found = (_work(tree, verb, name, node) for verb, name, node in _works(tree))
    return tuple(sorted(found, key=lambda work: work.line))


def _works(tree: SyntaxTree) -> Iterator[tuple[str, str, Node]]:
    for call in tree.find("call_expression"):
        launched = _launched(tree).get(call.id)
        name, arguments = callee_name(tree, call), given_arguments(call)
        function = enclosing_function(tree, call) if launched or _COPY.fullmatch(name) or _CLEAR.fullmatch(name) else None
        if function is None or function.is_kernel:
            continue
        if launched is not None:
            yield "captures" if _is_captured(tree, call, function) else "launches", launched, call
        elif arguments:
            is_copy = _COPY.fullmatch(name) is not None
            if not is_copy or _TO_DEVICE.search(tree.text(call)):
                yield "copies to" if is_copy else "clears", compact(tree, arguments[0]), call


@kept
def _launched(tree: SyntaxTree) -> dict[int, str]:
    """Kernel names by the id of the launching call."""
    names = {site.span: site.kernel_name.split("::")[-1] for site in launch_sites(tree)}
    return {call.id: names[tree.span(call)] for call in tree.find("call_expression") if tree.span(call) in names}


def _is_captured(tree: SyntaxTree, call: Node, function: Function) -> bool:
    return any(begin.end_byte <= call.start_byte and begin.start_byte >= function.body.start_byte for begin in calls_of(tree, _CAPTURE))


def _work(tree: SyntaxTree, verb: str, name: str, node: Node) -> HostWork:
    found = _keeping_guard(tree, node, 0)
    if found is None:
        return HostWork(verb, name, None, tree.line(node))
    asked = " ".join(tree.text(found.condition).split())
    return HostWork(verb, name, asked if found.holds else f"!({asked})", tree.line(found.statement))


def _keeping_guard(tree: SyntaxTree, node: Node, depth: int) -> _Guard | None:
    """The innermost condition around ``node``, or around every call of its function, that is false once ``node`` was done."""
    function = enclosing_function(tree, node)
    if function is None or depth > _MAX_DEPTH:
        return None
    for guard in _guards(tree, node, function):
        if not _has_other_work(tree, guard) and _is_kept(tree, guard, function):
            return guard
    callers = [call for name in _callable_names(tree, node, function) for call in calls_of(tree, name)]
    found = [_keeping_guard(tree, call, depth + 1) for call in callers]
    return found[0] if found and all(guard is not None for guard in found) else None


def _callable_names(tree: SyntaxTree, node: Node, function: Function) -> Iterator[str]:
    """The lambda around ``node`` by the variable that holds it, else the function."""
    for ancestor in tree.ancestors(node):
        if ancestor.type == "lambda_expression":
            holder = ancestor.parent
            name = holder.child_by_field_name("declarator") if holder is not None and holder.type == "init_declarator" else None
            if name is not None:
                yield tree.text(name)
            return
    if function.name != "main":
        yield function.name


def _guards(tree: SyntaxTree, node: Node, function: Function) -> Iterator[_Guard]:
    """Innermost first."""
    inner = node
    for ancestor in tree.ancestors(node):
        if ancestor.id == function.node.id:
            return
        if ancestor.type == "if_statement":
            condition = condition_of(ancestor)
            taken, other = (ancestor.child_by_field_name(field) for field in ("consequence", "alternative"))
            if condition is not None and inner in (taken, other):
                yield _Guard(ancestor, condition, inner, holds=inner == taken)
        elif ancestor.type == "compound_statement":
            for sibling in reversed([child for child in without_comments(ancestor) if child.end_byte <= inner.start_byte]):
                condition = condition_of(sibling) if sibling.type == "if_statement" else None
                if condition is not None and _leaves(sibling):
                    yield _Guard(sibling, condition, ancestor, holds=False)
        inner = ancestor


def _leaves(statement: Node) -> bool:
    """Whether ``if (…)`` ends in ``return`` or ``continue`` and has no ``else``."""
    last = statement.child_by_field_name("consequence")
    while last is not None and last.type == "compound_statement":
        last = next(reversed(without_comments(last)), None)
    return last is not None and last.type in _LEAVES and statement.child_by_field_name("alternative") is None


def _has_other_work(tree: SyntaxTree, guard: _Guard) -> bool:
    """Whether the device is given something to do on the other side as well."""
    taken, other = (guard.statement.child_by_field_name(field) for field in ("consequence", "alternative"))
    opposite = other if guard.region == taken else taken
    return opposite is not None and any(call.id in _launched(tree) for call in tree.find("call_expression", inside=opposite))


def _is_kept(tree: SyntaxTree, guard: _Guard, function: Function) -> bool:
    atoms = tuple(_atoms(tree, guard.condition, not guard.holds, function, 0))
    first = min((atom.node.start_byte for atom in atoms if not atom.is_of_callee), default=guard.statement.start_byte)
    for change in changes(tree, function.body):
        if change.node.start_byte < first or not _is_certain(tree, change.node, guard, function):
            continue
        if any(settles(tree, atom, change) for atom in atoms) and _outlives(tree, change, guard, function):
            return not _comes_from_the_device(tree, change, function)
    return False


def _atoms(tree: SyntaxTree, node: Node, is_negated: bool, function: Function, depth: int, is_of_callee: bool = False) -> Iterator[Atom]:
    """The parts of a condition, and those of the locals and functions that it names."""
    node = unparenthesized(node)
    parts = binary_parts(node)
    argument = node.child_by_field_name("argument")
    if parts is not None and parts[0] in ("&&", "||"):
        for part in parts[1:]:
            yield from _atoms(tree, part, is_negated, function, depth, is_of_callee)
        return
    if node.type == "unary_expression" and argument is not None and node_text(node).startswith("!"):
        yield from _atoms(tree, argument, not is_negated, function, depth, is_of_callee)
        return
    yield Atom(node, is_negated, is_of_callee)
    if depth >= _MAX_DEPTH:
        return
    if parts is not None:
        values = (_initial(tree, part, function) for part in parts[1:])
        yield from (Atom(value, is_negated, is_of_callee) for value in values if value is not None)
    value = _initial(tree, node, function)
    if value is not None:
        yield from _atoms(tree, value, is_negated, function, depth + 1, is_of_callee)
    if node.type == "call_expression":
        for called in (f for f in functions(tree) if f.name == re.split(r"\.|->|::", callee_name(tree, node))[-1]):
            for answer in tree.find("return_statement", inside=called.body):
                for inner in answer.named_children:
                    yield from _atoms(tree, inner, is_negated, called, depth + 1, is_of_callee=True)


def _initial(tree: SyntaxTree, node: Node, function: Function) -> Node | None:
    """The value that a local of the function is declared with, where it is computed."""
    declared = locals_of(tree, function.body).get(tree.text(node), ()) if node.type == "identifier" else ()
    value = declared[0].value if len(declared) == 1 else None
    return None if value is None or value.type in ("true", "false", "number_literal", "null") else value


def _is_certain(tree: SyntaxTree, node: Node, guard: _Guard, function: Function) -> bool:
    """Whether the change is made wherever the guarded code runs."""
    around = {ancestor.id for ancestor in tree.ancestors(guard.statement)}
    inner = node
    for ancestor in tree.ancestors(node):
        if ancestor.id == function.node.id:
            return True
        if ancestor.id == guard.statement.id:
            if inner != guard.region:
                return False
        elif ancestor.type in _CONDITIONAL and ancestor.id not in around:
            return False
        inner = ancestor
    return False


def _outlives(tree: SyntaxTree, change: Change, guard: _Guard, function: Function) -> bool:
    """Whether the next time that the condition is asked the variable still has the value."""
    declared = locals_of(tree, function.body).get(change.root, ())
    if declared and not any(_is_static(tree, variable) for variable in declared):
        around = list(tree.ancestors(guard.statement))
        loops = [each for each in around if each.type in LOOPS and each.start_byte >= function.body.start_byte]
        return any(variable.node.end_byte <= loop.start_byte for variable in declared for loop in loops)
    parameter = function.parameter(change.root)
    return declared != () or parameter is None or parameter.is_reference or parameter.is_pointer


def _is_static(tree: SyntaxTree, variable: Variable) -> bool:
    return re.match(r"(?:\w+\s+)*?(?:static|thread_local)\b", tree.text(variable.node)) is not None


def _comes_from_the_device(tree: SyntaxTree, change: Change, function: Function) -> bool:
    """Whether kernels or copies write the variable too: a flag that says whether there is more to do."""
    given = [compact(tree, a) for c in tree.find("call_expression", inside=function.body) if _gives(tree, c) for a in given_arguments(c)]
    if any(re.fullmatch(rf"(?:\([^()]*\))?&{re.escape(change.root)}(?:\W.*)?", argument) for argument in given):
        return True
    is_in_memory = change.target.startswith("*") or "[" in change.target
    return is_in_memory and change.root in given


def _gives(tree: SyntaxTree, call: Node) -> bool:
    is_copy = callee_name(tree, call).startswith("cudaMemcpy")
    return call.id in _launched(tree) or (is_copy and _TO_DEVICE.search(tree.text(call)) is None)
