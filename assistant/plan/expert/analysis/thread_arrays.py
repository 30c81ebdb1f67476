"""Short arrays that every thread has one of: which a loop changes, how long they are, and what they hold before it.

Example::

    changed_arrays(tree, function, loop)              # ('best', 'best_item')
    values_before(tree, {}, ("best",), statements)    # {('best', 0, ''): Tag('-1e30f'), …}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.builtins import is_pure
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function
from assistant.cuda.names import names_in
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.constant_indices import array_length
from assistant.plan.expert.analysis.followed_list import ListRun, NotFollowedError, Place, Tag, Value
from assistant.plan.expert.obstacle import Obstacle

__all__ = ["changed_arrays", "constant_length", "names_of", "own_arrays", "spelled_length", "values_before"]


def own_arrays(tree: SyntaxTree, region: Node) -> frozenset[str]:
    """Arrays declared in a region of a kernel that every thread has one of."""
    return frozenset(name for name, found in locals_of(tree, region).items() if any(v.is_array and not v.is_shared for v in found))


def changed_arrays(tree: SyntaxTree, function: Function, loop: Node) -> tuple[str, ...]:
    """Those that outlive the loop and that it changes, in the order of their declarations."""
    arrays = own_arrays(tree, function.body) - own_arrays(tree, loop)
    changed = (name for name in arrays if any(use.kind is not Use.READ for use in uses_of(tree, loop, name)))
    return tuple(sorted(changed, key=lambda name: locals_of(tree, function.body)[name][0].declarator.start_byte))


def constant_length(tree: SyntaxTree, function: Function, name: str) -> int | None:
    """Elements of the one plain array of that name; None where that is no constant, or the array may be more than a thread's own."""
    found = locals_of(tree, function.body)[name]
    is_plain = len(found) == 1 and not found[0].is_volatile and not tree.text(found[0].node).startswith("static")
    return array_length(tree, found[0]) if is_plain else None


def spelled_length(tree: SyntaxTree, variable: Variable) -> str:
    """What stands in the brackets of an array's declaration."""
    size = next(d.child_by_field_name("size") for d in tree.find("array_declarator", inside=variable.declarator))
    assert size is not None, "an array of a constant length"
    return tree.text(size)


def names_of(arrays: Sequence[str]) -> str:
    """For a message."""
    return " and ".join(f"`{name}`" for name in arrays)


def values_before(
    tree: SyntaxTree, members: Mapping[str, tuple[str, ...]], arrays: Sequence[str], statements: Sequence[Node]
) -> Mapping[Place, Value] | Obstacle:
    """What the statements leave in the arrays, of values that are no integers their text. ``members``: of arrays of structs."""
    run: ListRun

    def unknown(node: Node) -> Value:
        calls = tree.find("call_expression", inside=node)
        changes = next(tree.find("assignment_expression", "update_expression", inside=node), None)
        is_pure_call = all(is_pure(callee_name(tree, call)) or not given_arguments(call) for call in calls)
        if changes is not None or not is_pure_call or names_in(tree, node) & ({name for name, _, _ in run.values} | set(arrays)):
            raise NotFollowedError(node)
        return Tag(node_text(node))

    run = ListRun(tree, members, {}, unknown)
    try:
        run.run(one for one in statements if names_in(tree, one) & set(arrays))
    except NotFollowedError as error:
        words = f"line {tree.line(error.node)} would have to give all places of {names_of(arrays)} one value"
        return Obstacle(DeclineReason.ORDER_MATTERS, words)
    return run.values
