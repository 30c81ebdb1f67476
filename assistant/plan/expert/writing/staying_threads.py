"""A kernel in which threads beyond the last element stay for the block's sum, where they left before the barriers.

What an element of shared memory holds that no thread stored is anything, so that these threads may bring what changes nothing: a zero of
a sum. Example::

    if (i >= n) return;                  //
    buf[t] = x[i];                       // buf[t] = i < n ? x[i] : 0.0f;
    __syncthreads();                     // __syncthreads();
    …                                    // …
    if (t == 0) out[b] = buf[0];         // if (t == 0 && i < n) out[b] = buf[0];
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.assignments import changed_names
from assistant.cuda.branches import condition_of, lone_statement
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.files import line_end
from assistant.cuda.functions import enclosing_function
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import free_name, mentions, names_in
from assistant.cuda.syntax import Node, binary_parts, without_comments
from assistant.cuda.variables import Variable, declared_variables, locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.launch_block import seen_block
from assistant.plan.expert.analysis.launch_cover import has_idle_blocks
from assistant.plan.expert.analysis.leaving import leaving_alone
from assistant.plan.expert.analysis.row_reductions import Combination
from assistant.plan.expert.analysis.shared_totals import SharedPart, SharedTotal, totals_of_who_stays
from assistant.plan.expert.analysis.thread_index import is_place_in_grid
from assistant.plan.expert.analysis.thread_stores import choice_of, is_for_first_thread
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.neutral_values import neutral_value
from assistant.plan.expert.writing.opened_guard import inside_of, touches_memory
from assistant.plan.expert.writing.style import style_of
from assistant.plan.expert.writing.thread_values import REDUCED_WORDS
from assistant.record import Record

__all__ = ["staying_threads"]

_BARRIERS = re.compile(r"\b(?:__sync\w+|__shfl\w*|__ballot\w*|(?:arrive_and_)?wait|sync)\s*\(")
_ROUNDED = ("float", "double")


class _Early(Record):
    """A kernel that some threads leave before its only reduction."""

    guard: Node
    inside: str
    """What holds for threads that stay."""
    total: SharedTotal
    between: tuple[Node, ...]
    """Statements from the check to the first store."""
    after: tuple[Node, ...]
    """Branches of the first thread."""


def staying_threads(context: TransformationContext) -> tuple[TextEdit, ...]:
    """Edits of the kernel; none where its threads cannot stay, or do so already."""
    early = _early(context)
    brought = None if early is None else _brought(context, early)
    if early is None or brought is None:
        return ()
    asked = (each for branch in early.after for each in _asked(context, early, branch))
    return tuple(sorted((_without_guard(context, early.guard), *brought, *asked)))


def _early(context: TransformationContext) -> _Early | None:
    seen = seen_block(context)
    found = None if isinstance(seen, Obstacle) else totals_of_who_stays(context, seen.block)
    if isinstance(seen, Obstacle) or not isinstance(found, tuple) or len(found) != 1 or found[0].is_repeated:
        return None
    total, body = found[0], list(without_comments(context.body))
    leaving = leaving_alone(context, context.body, total.loop.start_byte)
    guard = None if leaving is None else next((a for a in context.tree.ancestors(leaving) if a.parent == context.body), None)
    stop, first = total.loop if total.alone is None else total.alone, total.parts[0].first
    if guard is None or leaving is None or guard not in body or first not in body or stop not in body:
        return None
    inside, between = _inside(context, guard, leaving), tuple(body[body.index(guard) + 1 : body.index(first)])
    others = [n for each in body[body.index(guard) + 1 :] for n in context.tree.find("return_statement", "goto_statement", inside=each)]
    after = [n for n in body[body.index(stop) + (total.alone is None) :] if context.tree.text(n).replace(" ", "") != "__syncthreads();"]
    is_first = all(_is_branch(n) and is_for_first_thread(context, condition_of(n), seen.block) for n in after)
    is_quiet = not any(_BARRIERS.search(context.tree.text(n)) for n in between) and guard.start_byte < first.start_byte
    return _Early(guard, inside, total, between, tuple(after)) if inside and is_quiet and is_first and not others else None


def _is_branch(statement: Node) -> bool:
    return statement.type == "if_statement" and statement.child_by_field_name("alternative") is None


def _inside(context: TransformationContext, guard: Node, leaving: Node) -> str | None:
    """What the check lets through, where it is a plain comparison of values that stay as they are."""
    tree, condition = context.tree, condition_of(guard)
    branch = guard.child_by_field_name("consequence") if _is_branch(guard) else None
    if condition is None or branch is None or lone_statement(branch) != leaving or touches_memory(context, condition):
        return None
    names, declared = names_in(tree, condition), locals_of(tree, context.body)
    variables = [v for name in names for v in (*declared.get(name, ()), *_parameters(context, name))]
    is_fixed = not names & changed_names(tree, context.body) and all(len(declared.get(name, ())) <= 1 for name in names)
    is_ordered = not any(plain_type(tree, v.type) in _ROUNDED for v in variables)  # of a NaN neither `<` nor `>=` holds
    return inside_of(context, guard) if is_fixed and is_ordered else None


def _parameters(context: TransformationContext, name: str) -> tuple[Variable, ...]:
    function = enclosing_function(context.tree, context.body)
    return () if function is None else tuple(each for each in function.parameters if each.name == name)


def _brought(context: TransformationContext, early: _Early) -> tuple[TextEdit, ...] | None:
    """Edits by which threads outside bring what changes nothing; None where that is not known."""
    parts = early.total.parts
    if any(part.value is None or part.before is not None for part in parts):
        return None
    neutral = {part.array.name: neutral_value(context, part.array.element_type, part.combination) for part in parts}
    known = {name: text for name, text in neutral.items() if text is not None}
    if len(known) < len(neutral):
        return None
    reading = [n for n in early.between if n.type != "declaration" or touches_memory(context, n) or _may_divide_by_zero(context, n)]
    held = {part.array.name: _held(context, early, part, reading) for part in parts}
    declarations = [variable.node for variable in held.values() if variable is not None]
    if all(n in declarations for n in reading):
        return tuple(_chosen(context, early, part, held[part.array.name], known[part.array.name]) for part in parts)
    return _branched(context, early, reading[0], known)


def _may_divide_by_zero(context: TransformationContext, statement: Node) -> bool:
    """A thread beyond the last element may come to a zero where the others never do."""
    parts = (binary_parts(node) for node in context.tree.find("binary_expression", inside=statement))
    return any(each is not None and each[0] in "/%" and each[2].type != "number_literal" for each in parts)


def _held(context: TransformationContext, early: _Early, part: SharedPart, reading: list[Node]) -> Variable | None:
    """The local that a statement reads from memory for the store and nothing else; None where there is none."""
    tree, name = context.tree, "" if part.value is None else context.tree.text(part.value)
    for statement in reading:
        variables = tuple(declared_variables(tree, statement)) if statement.type == "declaration" else ()
        if len(variables) != 1 or variables[0].name != name or variables[0].value is None:
            continue
        variable = variables[0]
        is_plain = not (variable.is_pointer or variable.is_reference or variable.is_array) and variable.type == part.array.element_type
        stores = tuple(each.store for each in early.total.parts)
        goes_on = part.local is not None or not [n for n in mentions(tree, context.body, name) if n.start_byte >= stores[-1].end_byte]
        between = [n for n in mentions(tree, context.body, name) if variable.node.end_byte <= n.start_byte < stores[0].start_byte]
        return variable if is_plain and goes_on and not between else None
    return None


def _chosen(context: TransformationContext, early: _Early, part: SharedPart, held: Variable | None, neutral: str) -> TextEdit:
    """``i < n ? x[i] : 0`` where the local is declared, or where the value is stored."""
    value = part.value if held is None else held.value
    assert value is not None, "asked before"
    tree, choice, condition = context.tree, choice_of(value), f"({early.inside})" if "||" in early.inside else early.inside
    if choice is not None and "||" not in tree.text(choice.condition):
        otherwise = tree.text(choice.otherwise)
        if otherwise == neutral or (part.combination is Combination.SUM and is_literal_of(otherwise, 0)):
            text = f"{condition} && {tree.text(choice.condition)} ? {tree.text(choice.then)} : {otherwise}"
            return TextEdit(tree.span(value), text)
    text = tree.text(value) if choice is None and value.type != "assignment_expression" else f"({tree.text(value)})"
    return TextEdit(tree.span(value), f"{condition} ? {text} : {neutral}")


def _branched(context: TransformationContext, early: _Early, begin: Node, neutral: dict[str, str]) -> tuple[TextEdit, ...] | None:
    """The statements that read elements go behind a condition, which gives a new local its value."""
    tree, parts, style = context.tree, early.total.parts, style_of(context)
    start, stop = tree.span(begin).start, tree.span(parts[0].store).start
    moved = [n for n in early.between if n.start_byte >= begin.start_byte]
    own = {v.name for n in moved if n.type == "declaration" for v in declared_variables(tree, n)}
    later = [n for name in own for n in mentions(tree, context.body, name) if n.start_byte >= parts[-1].store.end_byte]
    if later or any(part.local is not None for part in parts):
        return None
    taken: dict[str, str] = {}
    for part in parts:
        names = (style.name("thread", part.array.name), style.name("own", part.array.name))
        first = () if len(parts) > 1 else (REDUCED_WORDS[part.combination],)
        taken[part.array.name] = free_name(tree, context.body, *first, *names)
    newline = f"{line_end(context.text)}{indentation(context.text, start)}"
    begun = [f"{part.array.element_type} {taken[part.array.name]} = {neutral[part.array.name]};" for part in parts]
    inner = [line.rstrip() for line in context.text[start:stop].rstrip().split("\n")]
    outer = indentation(context.text, start)
    inner = [line.removeprefix(outer) if place else line for place, line in enumerate(inner)]
    inner += [f"{taken[p.array.name]} = {'' if p.value is None else tree.text(p.value)};" for p in parts]
    lines = [*begun, *style.opened(f"if ({early.inside})"), *(style.indent + line if line else line for line in inner), "}"]
    text = newline.join(lines).replace(f"{newline}{line_end(context.text)}", line_end(context.text) * 2)
    stores = [TextEdit(tree.span(part.value), taken[part.array.name]) for part in parts if part.value is not None]
    return TextEdit(Span(start, stop), text + newline), *stores


def _asked(context: TransformationContext, early: _Early, branch: Node) -> Iterator[TextEdit]:
    """The first thread looks at the total only where it is inside, as before; left out where that makes no difference."""
    condition = condition_of(branch)
    if condition is None or _has_threads_inside(context, early.guard) or _only_adds(context, early, branch):
        return
    text = context.tree.text(condition)
    first = f"({text})" if "||" in text else text
    yield TextEdit(context.tree.span(condition), f"{first} && {early.inside}")


def _has_threads_inside(context: TransformationContext, guard: Node) -> bool:
    """``i >= n`` of an index in the grid, which is launched with no block beyond ``n``: the first thread of each block is inside."""
    condition = condition_of(guard)
    parts = None if condition is None else binary_parts(condition)
    if parts is None or parts[0] != ">=":
        return False
    found = locals_of(context.tree, context.body).get(context.tree.text(parts[1]), ())
    return len(found) == 1 and is_place_in_grid(context, found[0]) and not has_idle_blocks(context, parts[2])


def _only_adds(context: TransformationContext, early: _Early, branch: Node) -> bool:
    """All that the branch does is to add totals to elements that all blocks add to: that of a block beyond the end is zero."""
    tree, then = context.tree, branch.child_by_field_name("consequence")
    firsts = {f"{part.array.name}[0]" for part in early.total.parts if part.combination is Combination.SUM}
    for statement in () if then is None else without_comments(then) if then.type == "compound_statement" else (then,):
        call = next(iter(without_comments(statement)), None)
        given = list(given_arguments(call)) if call is not None and callee_name(tree, call) == "atomicAdd" else []
        if len(given) != 2 or tree.text(given[1]) not in firsts:
            return False
        if names_in(tree, given[0]) & {"blockIdx", "threadIdx", *locals_of(tree, context.body)}:
            return False
    return early.total.alone is None


def _without_guard(context: TransformationContext, guard: Node) -> TextEdit:
    """The check's lines, with the comment behind it, and a blank line where it stood between two."""
    text, span = context.text, context.tree.span(guard)
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    behind = text[span.end : end].strip()
    if text[start : span.start].strip() or (behind and not behind.startswith("//")):
        return TextEdit(span, "")
    is_between = not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()
    following = text.find("\n", end) + 1
    return TextEdit(Span(start, following if is_between and not text[end:following].strip() else end), "")
