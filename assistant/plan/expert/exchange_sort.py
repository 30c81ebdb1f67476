"""Sort a thread's short array, or put one element into its place there, at places that are the same for all threads.

Unrolled, all indices are constants: the array needs no local memory. A sort exchanges neighbours, of which nvcc makes a minimum and a
maximum. The elements in front of the one that is inserted stand in order, in the sense that no two neighbours are to be exchanged (NaN
among them or not); so an exchange behind the place where the insertion stops finds nothing to do, and the result is the same to the bit.
A list of the nearest or best goes on from place to place as before, only that a flag remembers that the element is there.

Example::

    while (j >= 0 && w[j] > v) { w[j + 1] = w[j]; j--; }      // before, with `v = w[i]` and `w[j + 1] = v`
    // after
    #pragma unroll
    for (int j = i - 1; j >= 0; j--) {
        if (w[j] > w[j + 1]) {
            float v = w[j];
            w[j] = w[j + 1];
            w[j + 1] = v;
        }
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assistant.cuda.accesses import Use, uses_of
from assistant.cuda.files import line_end
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.cuda.variables import Variable, locals_of
from assistant.model.plan import Decline, DeclineReason, Rewrite
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.constant_indices import array_length, moving_index
from assistant.plan.expert.analysis.insertion_sort import InsertionSort, insertion_sorts
from assistant.plan.expert.analysis.list_insertion import ListInsertion, list_insertions
from assistant.plan.expert.analysis.predictions import predicted_values
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, indentation
from assistant.plan.expert.writing.list_insertion_text import list_insertion_edits
from assistant.plan.expert.writing.style import style_of

__all__ = ["ExchangeSort"]

_LONGEST = 32
"""Elements that are sorted. Our own limit: 32 make 496 exchanges, some 1,500 instructions."""
_PRAGMA = re.compile(r"#\s*pragma\s+(?:GCC\s+)?(?:no)?unroll\b|_Pragma\(\"(?:no)?unroll")
_NONE = Obstacle(
    DeclineReason.NOTHING_TO_CHANGE,
    "no array of a thread's own is sorted here by insertion: `while (j >= 0 && w[j] > v)`, from 1 on or from the end of a list",
)
_OF_THE_ARRAY = "KO117"


class ExchangeSort:
    """Insertion sort of a local array → exchanges of neighbours, unrolled."""

    technique = "exchange-sort"

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        sorts = [(function, sort) for function in _reachable(context) for sort in insertion_sorts(context.tree, function)]
        known = [sort.outer.node for _, sort in sorts]
        lists = [(function, one) for function in _reachable(context) for one in list_insertions(context.tree, function, known)]
        if not (sorts or lists):
            return context.decline(self.technique, _NONE) if context.finding.code == _OF_THE_ARRAY else ()
        known += [node for _, one in lists if isinstance(one, ListInsertion) for node in one.nodes]
        tried: list[InsertionSort | ListInsertion | Obstacle] = []
        for function, sort in sorts:
            tried.append(_obstacle(context.tree, function, sort, known) or sort)
        for function, one in lists:
            tried.append(one if isinstance(one, Obstacle) else _list_obstacle(context.tree, function, one, known) or one)
        changed = _apart(one for one in tried if not isinstance(one, Obstacle))
        if not changed:
            return context.decline(self.technique, next((each for each in tried if isinstance(each, Obstacle)), _NONE))
        return (
            Rewrite(
                self.technique,
                context.kernel.key,
                min(context.tree.line(one.outer.node if isinstance(one, InsertionSort) else one.loop) for one in changed),
                tuple(sorted(_all_edits(context, changed))),
                _summary(changed),
                (),
                predicted_values(context, {"stack_bytes": 0.0}),
            ),
        )


def _apart(found: Iterable[InsertionSort | ListInsertion]) -> list[InsertionSort | ListInsertion]:
    """Without a list whose text holds an earlier one's."""
    kept: list[InsertionSort | ListInsertion] = []
    end = 0
    for one in found:
        if isinstance(one, ListInsertion):
            if one.nodes[0].start_byte < end:
                continue
            end = one.nodes[-1].end_byte
        kept.append(one)
    return kept


def _all_edits(context: TransformationContext, changed: list[InsertionSort | ListInsertion]) -> Iterator[TextEdit]:
    lists = 0
    for one in changed:
        if isinstance(one, InsertionSort):
            yield from _edits(context, one)
        else:
            lists += 1
            yield from list_insertion_edits(context, one, lists)


def _summary(changed: list[InsertionSort | ListInsertion]) -> str:
    sorted_ones = _named(name for one in changed if isinstance(one, InsertionSort) for name in (one.array,))
    lists = _named(name for one in changed if isinstance(one, ListInsertion) for name in one.arrays)
    done = (
        f"sort {sorted_ones} by exchanging neighbours" if sorted_ones else "",
        f"look at each place of {lists} in turn" if lists else "",
    )
    words = " and ".join(each for each in done if each)
    return f"{words[0].upper()}{words[1:]}, unrolled, so that no index depends on the data."


def _named(names: Iterable[str]) -> str:
    return " and ".join(f"`{name}`" for name in dict.fromkeys(names))


def _reachable(context: TransformationContext) -> Iterator[Function]:
    reachable = {context.kernel.name, *context.kernel.device_functions}
    yield from (function for function in functions(context.tree) if function.name in reachable)


def _obstacle(tree: SyntaxTree, function: Function, sort: InsertionSort, known: list[Node]) -> Obstacle | None:
    """Why the array would stay in memory, or the sort be too long."""
    header, count = sort.outer.header, sort.outer.header.trip_count(tree)
    if count is None:
        asked = f"{header.variable} {header.comparison} {header.bound}"
        words = f"how many elements are sorted would have to be a constant: the loop runs while `{asked}`"
        return Obstacle(DeclineReason.BOUND_UNKNOWN, words)
    array = _array(tree, function, sort.array, count + 1)
    if isinstance(array, Obstacle):
        return array
    if sort.held.type not in (array.type, "auto"):
        other = f"{sort.held.type} may hold other values than {array.type}"
        words = f"`{sort.held.name}` would have to be of the type of `{sort.array}`: {other}"
        return Obstacle(DeclineReason.TYPE_UNKNOWN, words)
    return _memory_obstacle(tree, function, sort.array, known)


def _list_obstacle(tree: SyntaxTree, function: Function, one: ListInsertion, known: list[Node]) -> Obstacle | None:
    """Why one of the list's arrays would stay in memory, or the list is too long."""
    for name in one.arrays:
        array = _array(tree, function, name, one.count)
        obstacle = array if isinstance(array, Obstacle) else _memory_obstacle(tree, function, name, known)
        if obstacle is not None:
            return obstacle
    return None


def _array(tree: SyntaxTree, function: Function, name: str, count: int) -> Variable | Obstacle:
    """The one local array of that name, which registers can hold."""
    found = locals_of(tree, function.body).get(name, ())
    length = array_length(tree, found[0]) if len(found) == 1 and found[0].is_array else None
    if length is None or found[0].is_shared or found[0].is_volatile or tree.text(found[0].node).startswith("static"):
        return Obstacle(DeclineReason.SIZE_UNKNOWN, f"`{name}` would have to be one local array of a constant size")
    if max(length, count) > _LONGEST:
        return Obstacle(
            DeclineReason.LIMIT_EXCEEDED, f"`{name}` has {length} elements, more than {_LONGEST}, for which registers are too few"
        )
    return found[0]


def _memory_obstacle(tree: SyntaxTree, function: Function, name: str, known: list[Node]) -> Obstacle | None:
    """What keeps the array in memory, though no sort does."""
    escape = next((use for use in uses_of(tree, function.body, name) if use.kind is Use.ESCAPE), None)
    if escape is not None:
        return Obstacle(
            DeclineReason.POINTER_CHANGES, f"line {tree.line(escape.node)} takes `{name}` as a pointer, so that it stays in memory"
        )
    moving = moving_index(tree, function, name, known)
    if moving is not None:
        words = f"`{tree.text(moving)}` at line {tree.line(moving)} has an index that only the run knows, so that `{name}` stays in memory"
        return Obstacle(DeclineReason.ADDRESS_UNKNOWN, words)
    return None


def _edits(context: TransformationContext, sort: InsertionSort) -> Iterator[TextEdit]:
    tree, style, newline = context.tree, style_of(context), line_end(context.text)
    before = tree.source[: tree.span(sort.outer.node).start].rstrip().rsplit("\n", 1)[-1].strip()
    if not _PRAGMA.match(before):
        yield from before_statement(tree, sort.outer.node, "#pragma unroll")
    exchange = [f"{sort.held_text(tree)} = {sort.low};", f"{sort.low} = {sort.high};", f"{sort.high} = {sort.held.name};"]
    asked = [*style.opened(f"if ({sort.asked})"), *(style.indent + line for line in exchange), "}"]
    head = style.opened(f"for ({sort.counter.type} {sort.counter.name} = {sort.start}; {sort.bound}; {sort.step})")
    lines = [*_comments(tree, sort), "#pragma unroll", *head, *(style.indent + line for line in asked), "}"]
    first, last = tree.span(sort.outer.statements[0]), tree.span(sort.outer.statements[-1])
    body = sort.outer.node.child_by_field_name("body")
    if body is not None and body.type == "compound_statement":
        indent = indentation(context.text, first.start)
        yield TextEdit(Span(first.start, last.end), f"{newline}{indent}".join(lines))
        return
    outer, at = indentation(context.text, tree.span(sort.outer.node).start), _head_end(tree, sort.outer.node)
    opening = f"{newline}{outer}{{" if style.opens_below else " {"
    inner = "".join(f"{newline}{outer}{style.indent}{line}" for line in lines)
    yield TextEdit(Span(at, last.end), f"{opening}{inner}{newline}{outer}}}")


def _head_end(tree: SyntaxTree, loop: Node) -> int:
    body = loop.child_by_field_name("body")
    before = None if body is None else body.prev_sibling
    return tree.span(loop).start if before is None else tree.span(before).end


def _comments(tree: SyntaxTree, sort: InsertionSort) -> list[str]:
    """Those that stand among the statements, which stay above what takes their place."""
    first, last = sort.outer.statements[0].start_byte, sort.outer.statements[-1].end_byte
    return [tree.text(node) for node in tree.find("comment", inside=sort.outer.node) if first <= node.start_byte < last]
