"""Whether something in a region may change the element that a loop loads again in each iteration.

Example::

    kept_apart(context, function, load, loop)       # (), or what only recorded launches show to be apart, or an Obstacle:
                                                    # '`out` and `coef` may be the same memory: …'
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.accesses import Use
from assistant.cuda.assignments import assignments
from assistant.cuda.calls import callee_name
from assistant.cuda.functions import Function
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.memory_uses import memory_uses
from assistant.plan.expert.analysis.pointer_roots import Private, Root, global_pointers, may_overlap, root_of, unclear_access
from assistant.plan.expert.analysis.read_only import passed_on
from assistant.plan.expert.analysis.unchanging_loads import UnchangingLoad, elements
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.workload.aliasing import ApartAsRecorded, NoCallers, Overlap, overlap

__all__ = ["kept_apart"]

_LOADS = ("subscript_expression", "pointer_expression", "call_expression")


def kept_apart(
    context: TransformationContext, function: Function, load: UnchangingLoad, region: Node
) -> tuple[ApartAsRecorded, ...] | Obstacle:
    """What only recorded launches show to be apart of what the region stores; why the element may be among that."""
    tree = context.tree
    pointers = sorted({each.pointer for each in elements(tree, function, load.node)})
    parameters = [parameter for name in pointers if (parameter := function.parameter(name)) is not None]
    if any(parameter.is_volatile for parameter in parameters):
        return Obstacle(DeclineReason.VOLATILE, f"`{load.pointer}` is volatile: each access must reach memory")
    unclear = _unclear_store(tree, function, region)
    if unclear is not None and not (parameters and all(parameter.is_restrict for parameter in parameters)):
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{unclear}` points is not clear: it may be memory of `{load.pointer}`")
    passed = _passed_on(tree, function, region)
    own = {_root_name(tree, function, pointer) for pointer in pointers}
    kept = next((name for name in passed if _root_name(tree, function, name) in own), None)
    if kept is not None:
        words = f"the loop passes `{kept}` on, and what takes it may change `{tree.text(load.node)}`"
        return Obstacle(DeclineReason.LOOP_HAS_EFFECTS, words)
    written = (*_written(tree, function, region), *passed)
    found = [_overlap(context, function, name, other) for name in written for other in pointers]
    obstacle = next((each for each in found if isinstance(each, Obstacle)), None)
    return obstacle or tuple(dict.fromkeys(each for each in found if isinstance(each, ApartAsRecorded)))


def _passed_on(tree: SyntaxTree, function: Function, region: Node) -> tuple[str, ...]:
    """Pointers of the function that the region hands to something that may store through them, lambdas that it calls included."""
    local = locals_of(tree, function.body)
    called = {callee_name(tree, call) for call in tree.find("call_expression", inside=region)}
    lambdas = [v.value for name in called & local.keys() for v in local[name] if v.value is not None]
    uses = [pair for each in lambdas for pair in memory_uses(tree, function, each).items()]
    stored = (name for name, each in uses if any(use.kind is not Use.READ for use in each))
    names = sorted(global_pointers(tree, function, function.body))
    return (*(name for name in names if passed_on(tree, function, region, name)), *stored)


def _root_name(tree: SyntaxTree, function: Function, name: str) -> str:
    """The parameter that a pointer comes from; its own name where that is not clear."""
    found = root_of(tree, function, name)
    return found.parameter.name if isinstance(found, Root) else name


def _unclear_store(tree: SyntaxTree, function: Function, region: Node) -> str | None:
    """What the region stores through that is neither a pointer of the function nor the thread's own."""
    unclear = unclear_access(tree, function, region)
    is_atomic = any(callee_name(tree, call).startswith("atomic") for call in tree.find("call_expression", inside=region))
    if unclear is None or is_atomic:
        return unclear
    known = {element.node for element in elements(tree, function, region)}
    targets = (unparenthesized(change.target) for change in assignments(tree, region))
    stored = (target for target in targets if any(tree.find(*_LOADS, inside=target)))
    return next((tree.text(target) for target in stored if target not in known and not _is_own(tree, function, target)), None)


def _is_own(tree: SyntaxTree, function: Function, target: Node) -> bool:
    """A variable or an array of the thread's or the block's own."""
    root = next(iter(tree.find("identifier", inside=target)), None)
    return root is not None and isinstance(root_of(tree, function, tree.text(root)), Private)


def _overlap(context: TransformationContext, function: Function, written: str, other: str) -> Obstacle | ApartAsRecorded | None:
    """As of `may_overlap`, with pointers in structures among them."""
    tree = context.tree
    if "." not in written and "." not in other:
        return may_overlap(tree, function, written, other, context.recorded)
    root = written if function.parameter(written.partition(".")[0]) is not None else None
    if "." not in written:
        found = root_of(tree, function, written)
        root = found.parameter.name if isinstance(found, Root) else None
    if root is None:
        return Obstacle(DeclineReason.POINTER_UNCLEAR, f"where `{written}` points is not clear")
    match overlap(tree, function, root, other, context.recorded):
        case Overlap(reason):
            return Obstacle(DeclineReason.MAY_OVERLAP, f"`{written}` and `{other}` may be the same memory: {reason}")
        case NoCallers(caller):
            why = f"`{written}` and `{other}` may be the same memory: nothing in this {tree.extent} calls `{caller}`"
            return Obstacle(DeclineReason.CALLERS_UNKNOWN, why)
        case found:
            return found


def _written(tree: SyntaxTree, function: Function, region: Node) -> Iterator[str]:
    for name, uses in memory_uses(tree, function, region).items():
        if any(use.kind in (Use.WRITE, Use.UPDATE, Use.ATOMIC) for use in uses):
            yield name
