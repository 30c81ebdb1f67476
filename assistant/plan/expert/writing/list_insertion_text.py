"""The text of an element's way to its place in a thread's short list, with all places looked at.

Example::

    bool placed = false;
    #pragma unroll
    for (int k = 7; k >= 0; k--) {
        if (placed) continue;
        if (k > 0 && best[k - 1] < s) {
            best[k] = best[k - 1];
        } else {
            best[k] = s;
            placed = true;
        }
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assistant.cuda.files import line_end
from assistant.cuda.names import free_name
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.list_insertion import ListInsertion
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, with_pragmas
from assistant.plan.expert.writing.style import style_of

__all__ = ["list_insertion_edits"]

_UNROLL = re.compile(r"#\s*pragma\s+(?:GCC\s+)?(?:no)?unroll\b")


def list_insertion_edits(context: TransformationContext, one: ListInsertion, number: int) -> Iterator[TextEdit]:
    """The insertion from the counter's declaration to what is stored at the place. ``number``: from 1 on, of those that are written."""
    tree, style = context.tree, style_of(context)
    placed = free_name(tree, tree.root, *(("placed", "is_placed") if number == 1 else (f"placed{number}",)))
    moves, stores = list(_lines(tree, one.moves)), [*_lines(tree, one.stores), f"{placed} = true;"]
    then, other = (stores, moves) if one.is_asked_to_stay else (moves, stores)
    inner = [
        f"if ({placed}) continue;",
        *style.opened(f"if ({one.asked})"),
        *(style.indent + line for line in then),
        *style.otherwise,
        *(style.indent + line for line in other),
        "}",
    ]
    lines = [
        *_lines(tree, [node for node in one.before if not _UNROLL.match(tree.text(node).strip())]),
        f"bool {placed} = false;",
        "#pragma unroll",
        *style.opened(f"for ({one.counter.type} {one.counter.name} = {one.start}; {one.bound}; {one.step})"),
        *(style.indent + line for line in inner),
        "}",
    ]
    first = with_pragmas(tree, one.loop) if one.is_declared_in_header else tree.span(one.counter.node)
    last = one.stores[-1] if one.stores else one.loop
    between = f"{line_end(context.text)}{indentation(context.text, first.start)}"
    end = tree.span(last).end
    is_before_line_end = context.text[end - 1 : end + 1] == "\r\n"  # as far as the grammar takes a comment
    yield TextEdit(Span(first.start, end - is_before_line_end), between.join(lines))


def _lines(tree: SyntaxTree, nodes: Sequence[Node]) -> Iterator[str]:
    """Statements line by line, without the indentation that they have; a comment stays behind the statement that it stands behind."""
    before, line = -1, ""
    for node in nodes:
        own = indentation(tree.source, tree.span(node).start)
        first, *more = tree.text(node).splitlines()
        if line and node.type == "comment" and node.start_point[0] == before:
            line = f"{line}  {first}"
        else:
            if line:
                yield line
            line = first
        for text in more:
            yield line
            line = text.removeprefix(own)
        before = node.end_point[0]
    if line:
        yield line
