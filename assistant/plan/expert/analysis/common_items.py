"""Loops in which all threads of a block read the same items at the same time: bodies, atoms, colours, the points of a set.

Example::

    for (int j = 0; j < n; j++) {             # the same `j` in every thread
        float dx = b[j].x - me.x;             # b[j].x and b[j].m are read by the whole block; x[i] is not
        …
    match item_loop(context):
        case ItemLoop() as found: [part.text for part in found.parts]     # ['b[j].x', 'b[j].m']
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses, canonical
from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.counted_loops import CountedHeader, counted_header
from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.functions import Function, enclosing_function
from assistant.cuda.loops import LOOPS
from assistant.cuda.macros import hidden_names
from assistant.cuda.names import names_in
from assistant.cuda.structs import struct_fields, struct_names
from assistant.cuda.syntax import Node, binary_parts, joined, unparenthesized, without_comments
from assistant.cuda.variables import locals_of
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.block_values import differs_in_block
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.loop_effects import leaves_or_synchronizes
from assistant.plan.expert.analysis.memory_uses import object_uses
from assistant.plan.expert.analysis.pointer_roots import Root, element_type, global_pointers, may_overlap, root_of
from assistant.plan.expert.analysis.stored_pointers import stored_pointers
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record
from assistant.workload.aliasing import ApartAsRecorded

__all__ = ["ItemLoop", "Part", "item_loop"]

_BUILT_IN = {f"{kind}{count}": "xyzw"[:count] for kind in ("float", "double", "int", "uint") for count in (2, 3, 4)}
"""Members of CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types")."""


class Part(Record):
    """A value that belongs to an item."""

    text: str
    """As it is first written, spaces left out: what is read in other words is another part."""
    base: str
    type: str
    """As the text spells it; of a member the member's."""
    loads: tuple[Node, ...]
    """Wherever the loop reads it."""


class ItemLoop(Record):
    """Such a loop."""

    function: Function
    node: Node
    header: CountedHeader
    counter_type: str
    parts: tuple[Part, ...]
    kept: tuple[Part, ...]
    """What each thread reads of its own in every iteration, and may keep in registers."""
    apart: tuple[ApartAsRecorded, ...]
    """What only recorded launches show to be apart."""


def item_loop(context: TransformationContext) -> ItemLoop | Obstacle | None:
    """The outermost such loop around the context's line, or what would have to hold; None where no loop there reads common items."""
    tree, skipped = context.tree, None
    for loop in tree.find("for_statement", inside=context.body):
        header, function = counted_header(tree, loop), enclosing_function(tree, loop)
        is_here = tree.line(loop) <= context.line <= loop.end_point[0] + 1
        if not is_here or header is None or function is None:
            continue
        accesses = _common_accesses(context, function, loop, header)
        own = frozenset(locals_of(tree, loop).keys() - {header.variable})
        parts = _collected(context, function, loop, header, accesses, own)
        if parts:
            return _obstacle(context, loop, header) or _undisturbed(context, function, loop, header, parts)
        skipped = skipped or next((a.node for a in accesses if not _is_always_read(context, loop, a.node, header)), None)
    if skipped is None:
        return None
    words = f"`{tree.text(skipped)}` of line {tree.line(skipped)} is read in some iterations; a tile would read it in all, there or not"
    return Obstacle(DeclineReason.CONDITIONAL, words)


def _common_accesses(context: TransformationContext, function: Function, loop: Node, header: CountedHeader) -> list[ArrayAccess]:
    """What all threads read at the same iteration; none where each of them also reads elements of its own that move with the loop."""
    tree, found = context.tree, list[ArrayAccess]()
    for access in array_accesses(tree, loop):
        is_read = access.kind is Use.READ or _is_named(context, access.node)
        if not is_read or header.variable not in names_in(tree, access.node):
            continue
        if access.base not in global_pointers(tree, function, access.node):
            continue
        if differs_in_block(context, function, access.node) is not None:
            return []
        found.append(access)
    return found


def _value(
    context: TransformationContext, function: Function, loop: Node, access: ArrayAccess, header: CountedHeader, own: frozenset[str]
) -> tuple[Node, str] | None:
    """(what is read, its type): the element, or the member of it that is asked for; None where a tile or a local could not hold it.

    ``own``: names of the loop, of which the index may hold none.
    """
    tree, node = context.tree, access.node
    is_plain = node.type == "subscript_expression" and len(access.indices) == 1 and not hidden_names(tree, node)
    is_of_item = is_plain and not own & names_in(tree, node) and not _reads(context, access.indices[0])
    if not is_of_item or not isinstance(root_of(tree, function, access.base), Root) or not _is_always_read(context, loop, node, header):
        return None
    kind = element_type(tree, function, access.base)
    parent = node.parent
    if kind is None or kind == "auto" or parent is None or parent.type == "pointer_expression":
        return None
    if parent.type != "field_expression":
        return (node, kind) if _is_plain_value(context, kind) else None
    member = parent.child_by_field_name("field")
    members = _members(context, kind)
    if member is None or tree.text(member) not in members or (parent.parent is not None and parent.parent.type == "field_expression"):
        return None
    return parent, members[tree.text(member)]


def _collected(
    context: TransformationContext,
    function: Function,
    loop: Node,
    header: CountedHeader,
    accesses: Sequence[ArrayAccess],
    own: frozenset[str],
) -> tuple[Part, ...]:
    """The values that these accesses read, each once."""
    found = dict[str, Part]()
    for access in accesses:
        value = _value(context, function, loop, access, header, own)
        if value is not None:
            text = "".join(canonical(context.tree, value[0]).split())
            earlier = () if text not in found else found[text].loads
            found[text] = Part(text, access.base, value[1], (*earlier, value[0]))
    return _with_members(tuple(found.values()))


def _kept(
    context: TransformationContext, function: Function, loop: Node, header: CountedHeader, stored: Container[str]
) -> tuple[Part, ...]:
    """What a thread reads in every iteration though nothing there decides which element it is: ``x[i]`` in a loop over j."""
    tree = context.tree
    own = frozenset({*locals_of(tree, loop), *changed_names(tree, loop), header.variable})
    globals_ = global_pointers(tree, function, loop)
    read = [a for a in array_accesses(tree, loop) if a.kind is Use.READ and a.base in globals_ and a.base not in stored]
    return _collected(
        context, function, loop, header, [access for access in read if header.variable not in names_in(tree, access.node)], own
    )


def _is_named(context: TransformationContext, node: Node) -> bool:
    """``const Body& other = b[j];``"""
    declared, tree = node.parent, context.tree
    declarator = None if declared is None or declared.type != "init_declarator" else declared.child_by_field_name("declarator")
    if declared is None or declarator is None or declarator.type != "reference_declarator" or declared.parent is None:
        return False
    return any(child.type == "type_qualifier" and tree.text(child) == "const" for child in declared.parent.children)


def _with_members(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Members of an item that is also read as a whole are read from the whole."""
    whole = {part.text for part in parts}
    return tuple(part for part in parts if part.text.rsplit(".", 1)[0] not in whole - {part.text})


def _reads(context: TransformationContext, index: Node) -> bool:
    tree = context.tree
    return (
        next(tree.find("subscript_expression", "pointer_expression", "call_expression", "update_expression", inside=index), None)
        is not None
    )


def _members(context: TransformationContext, kind: str) -> dict[str, str]:
    """Types by the name of a member; none of a type that the text does not show."""
    plain = plain_type(context.tree, kind)
    if plain in _BUILT_IN:
        return dict.fromkeys(_BUILT_IN[plain], plain[:-1])
    return dict(_structs(context).get(plain, ()))


def _structs(context: TransformationContext) -> dict[str, tuple[tuple[str, str], ...]]:
    return dict(struct_fields(context.tree.program.source))


def _is_plain_value(context: TransformationContext, kind: str) -> bool:
    """A number, or a struct without a constructor, which shared memory may hold."""
    tree, plain = context.tree.program, plain_type(context.tree, kind)
    structs = (node for node in tree.find("struct_specifier", "class_specifier") if plain in struct_names(node))
    is_built = any(re.search(rf"\b{re.escape(plain)}\s*\(", tree.text(node)) for node in structs)
    return element_size_bytes(tree, plain) is not None and not is_built


def _is_always_read(context: TransformationContext, loop: Node, node: Node, header: CountedHeader) -> bool:
    """Every iteration reads the item, but perhaps the one in which it meets itself: other threads read it then."""
    tree, child = context.tree, node
    for ancestor in tree.ancestors(node):
        if ancestor == loop:
            return True
        condition = condition_of(ancestor) if ancestor.type in ("if_statement", "conditional_expression") else None
        if ancestor.type in LOOPS or ancestor.type == "switch_statement" or not _is_reached(context, ancestor, child, header, node):
            return False
        if condition is not None and not _holds(condition, node) and not _lets_by(context, condition, header, node, "&&"):
            return False
        if ancestor.type == "compound_statement" and not _comes_by(context, ancestor, child, header, node):
            return False
        child = ancestor
    return True


def _is_reached(context: TransformationContext, operation: Node, side: Node, header: CountedHeader, node: Node) -> bool:
    """False for the right side of ``a && b`` and ``a || b``, but where the left one is about the item alone."""
    operator, left = operation.child_by_field_name("operator"), operation.child_by_field_name("left")
    sign = "" if operator is None else context.tree.text(operator)
    is_right = sign in ("&&", "||") and side == operation.child_by_field_name("right")
    return not is_right or (left is not None and _lets_by(context, left, header, node, sign))


def _lets_by(context: TransformationContext, condition: Node, header: CountedHeader, node: Node, sign: str) -> bool:
    """What holds or not of the item alone: that it is the thread's own, or what it says of itself (``!p[j].alive``).

    Who asks the item has read it, so that all of it is there to be read.
    """
    return all(_is_about_itself(context, each, header) or _asks_item(context, each, node) for each in joined(condition, sign))


def _asks_item(context: TransformationContext, condition: Node, node: Node) -> bool:
    """Nothing but the item ``node`` and constants decide it."""
    tree, item = context.tree, canonical(context.tree, node)
    if next(tree.find("call_expression", "assignment_expression", "update_expression", "pointer_expression", inside=condition), None):
        return False
    read = [canonical(tree, each) for each in tree.find("subscript_expression", inside=condition)]
    return bool(read) and set(read) == {item} and names_in(tree, condition) <= names_in(tree, node)


def _comes_by(context: TransformationContext, block: Node, child: Node, header: CountedHeader, node: Node) -> bool:
    """No statement before goes on to the next iteration, but where an item meets itself, or says itself that it does not count."""
    for statement in (n for n in without_comments(block) if n.end_byte <= child.start_byte):
        if next(context.tree.find("continue_statement", inside=statement), None) is None:
            continue
        branch, condition = statement.child_by_field_name("consequence"), condition_of(statement)
        only = None if branch is None else lone_statement(branch)
        is_plain = statement.type == "if_statement" and only is not None and only.type == "continue_statement"
        if not is_plain or condition is None or not _lets_by(context, condition, header, node, "||"):
            return False
    return True


def _holds(around: Node, node: Node) -> bool:
    return around.start_byte <= node.start_byte and node.end_byte <= around.end_byte


def _is_about_itself(context: TransformationContext, condition: Node, header: CountedHeader) -> bool:
    """``j == i`` or ``i != j``: true or false of one item alone."""
    parts = binary_parts(unparenthesized(condition))
    if parts is None or parts[0] not in ("==", "!=") or _reads(context, condition):
        return False
    return header.variable in {context.tree.text(unparenthesized(side)) for side in parts[1:]}


def _obstacle(context: TransformationContext, loop: Node, header: CountedHeader) -> Obstacle | None:
    """Why the threads of a block could not go through the loop together, piece by piece."""
    tree = context.tree
    if any("sync" in tree.text(n) for n in tree.find("call_expression", inside=context.body)):
        words = "the kernel synchronizes its threads already; another barrier could change what they wait for"
        return Obstacle(DeclineReason.SYNCHRONIZES, words)
    if header.step != "1" or header.comparison not in ("<", "<="):
        words = f"the loop over `{header.variable}` would have to go through the items one by one, upwards"
        return Obstacle(DeclineReason.LOOP_FORM, words)
    start = loop.child_by_field_name("initializer")
    if start is None or start.type != "declaration":
        return Obstacle(DeclineReason.LOOP_FORM, f"`{header.variable}` would have to be declared in the loop's head")
    leaving = next(tree.find("break_statement", "return_statement", "goto_statement", inside=loop), None)
    if leaving is not None:
        words = f"every thread would have to go through all items, for the barriers: line {tree.line(leaving)} may leave the loop"
        return Obstacle(DeclineReason.LEAVES_EARLY, words)
    around = next((n for n in tree.ancestors(loop) if n.type in LOOPS or n.type in ("switch_statement", "else_clause")), None)
    if around is not None and context.body.start_byte < around.start_byte:
        words = f"the loop stands in another statement, at line {tree.line(around)}, which not all threads of a block may go through alike"
        return Obstacle(DeclineReason.CONDITIONAL, words)
    return leaves_or_synchronizes(tree, loop)


def _undisturbed(
    context: TransformationContext, function: Function, loop: Node, header: CountedHeader, parts: tuple[Part, ...]
) -> ItemLoop | Obstacle:
    """The loop where no thread stores to what it reads later: what others store meanwhile it could not rely on before either."""
    tree, apart = context.tree, dict[ApartAsRecorded, None]()
    stored = stored_pointers(tree, function, function.body, loop.end_byte)
    uses = (use for each in object_uses(tree, function, function.body).values() for use in each)
    other = next((u for u in uses if u.kind in (Use.WRITE, Use.UPDATE) and u.node.start_byte < loop.end_byte), None)
    if other is not None:
        words = f"line {tree.line(other.node)} stores to `{tree.text(other.node)}` before the items are read, which may be one of them"
        return Obstacle(DeclineReason.MAY_OVERLAP, words)
    for base in dict.fromkeys(part.base for part in parts):
        if base in stored:
            words = f"items would have to stay as they are while the loop runs: a thread stores to `{base}` before it has read all of them"
            return Obstacle(DeclineReason.ELEMENT_CHANGES, words)
        for other in sorted(stored):
            found = may_overlap(tree, function, other, base, context.recorded)
            if isinstance(found, Obstacle):
                return found
            apart |= {} if found is None else {found: None}
    start = loop.child_by_field_name("initializer")
    kind = None if start is None else start.child_by_field_name("type")
    counter = "int" if kind is None else tree.text(kind)
    kept = () if stored else _kept(context, function, loop, header, stored)
    return ItemLoop(function, loop, header, counter, parts, kept, tuple(apart))
