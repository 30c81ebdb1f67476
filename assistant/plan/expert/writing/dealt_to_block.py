"""A branch of a block's first thread without the branch: its loops dealt out to all threads, the rest still behind the condition.

Example::

    if (tid == 0)                              for (int k = tid; k < 64; k += blockDim.x)
        for (int k = 0; k < 64; k++)       →       taps[k] = filter[k];
            taps[k] = filter[k];
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.assignments import changed_names
from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.names import names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.syntax import Node
from assistant.cuda.variables import locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.first_thread_loops import DealtLoops, FirstThreadLoops
from assistant.plan.expert.analysis.independent_loop import IndependentLoop
from assistant.plan.expert.analysis.kernel_launches import template_environment
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation
from assistant.plan.expert.writing.style import style_of

__all__ = ["dealt_edits"]


def dealt_edits(context: TransformationContext, work: FirstThreadLoops) -> tuple[TextEdit, ...]:
    """The edits of the branch."""
    headers = [edit for loops in work.loops for edit in _header_edits(context, work, loops)]
    return (*headers, *_opened(context, work))


def _header_edits(context: TransformationContext, work: FirstThreadLoops, loops: DealtLoops) -> Iterator[TextEdit]:
    block = work.block.block
    flat = _flat_thread(context, work)
    outer, *inner = loops.dealt
    if loops.flat:
        yield from _flattened(context, work, loops, flat or "threadIdx.x")
    elif inner:
        yield from _dealt(context, outer, "threadIdx.y", "blockDim.y")
        yield from _dealt(context, inner[0], "threadIdx.x", "blockDim.x")
    elif block.y > 1:
        yield from _dealt(context, outer, flat or "threadIdx.y * blockDim.x + threadIdx.x", "blockDim.x * blockDim.y")
    else:
        yield from _dealt(context, outer, flat or "threadIdx.x", "blockDim.x")


def _flattened(context: TransformationContext, work: FirstThreadLoops, loops: DealtLoops, thread: str) -> Iterator[TextEdit]:
    """One loop in the place of two."""
    tree, text = context.tree, context.text
    outer, inner = loops.dealt
    bound, last = tree.span(outer.header.bound_node), inner.node.child_by_field_name("body")
    assert last is not None, "a counted loop has a body"
    yield from _dealt(context, outer, thread, "blockDim.x")
    yield TextEdit(Span(bound.end, bound.end), f" * {inner.header.bound}")
    span, indent = tree.span(last), indentation(text, tree.span(work.branch).start)
    old = indentation(text, tree.span(inner.node).start)
    lines = _with_counter(context, span, loops).split("\n")
    moved = [lines[0], *(f"{indent}{line.removeprefix(old)}" if line.startswith(old) else line for line in lines[1:])]
    opening = _before_body(text, span, indent, "" if last.type == "compound_statement" else style_of(context).indent)
    yield TextEdit(_behind_head(context, loops), opening + "\n".join(moved))


def _before_body(text: str, body: Span, indent: str, step: str) -> str:
    """What stands between a loop's head and its body: a blank, or a new line."""
    is_below = not text[text.rfind("\n", 0, body.start) + 1 : body.start].strip()
    return f"{line_end(text)}{indent}{step}" if is_below else " "


def _with_counter(context: TransformationContext, span: Span, loops: DealtLoops) -> str:
    """The statement with the one counter in the place of each index."""
    text, parts, position = context.text, list[str](), span.start
    for node in sorted(loops.flat, key=lambda n: n.start_byte):
        at = context.tree.span(node)
        parts += [text[position : at.start], loops.dealt[0].header.variable]
        position = at.end
    return "".join((*parts, text[position : span.end]))


def _flat_thread(context: TransformationContext, work: FirstThreadLoops) -> str | None:
    """The author's local with the thread's index in its block: in one dimension one that the condition asks for."""
    tree, block = context.tree, work.block.block
    scope = scope_of(tree, context.kernel)
    sizes = {**template_environment(context), "blockDim.x": block.x, "blockDim.y": block.y, "threadIdx.z": 0}
    places = tuple({**sizes, "threadIdx.x": x, "threadIdx.y": y} for y in range(block.y) for x in range(block.x))
    asked = names_in(tree, work.condition)
    for name, variables in locals_of(tree, context.body).items():
        is_seen = name in asked or (block.y > 1 and variables[0].node.end_byte <= work.branch.start_byte)
        value = variables[0].value if len(variables) == 1 and is_seen and name not in changed_names(tree, context.body) else None
        if value is not None and all(evaluate(value, scope, p) == p["threadIdx.y"] * block.x + p["threadIdx.x"] for p in places):
            return name
    return None


def _dealt(context: TransformationContext, loop: IndependentLoop, thread: str, threads: str) -> Iterator[TextEdit]:
    tree, header = context.tree, loop.header
    start, update = (loop.node.child_by_field_name(field) for field in ("initializer", "update"))
    assert start is not None and update is not None, "a counted loop has both"
    first = start.children_by_field_name("declarator")[0].child_by_field_name("value")
    assert first is not None, "a counted loop starts somewhere"
    yield TextEdit(tree.span(first), thread if header.first == "0" else f"{header.first} + {thread}")
    yield TextEdit(tree.span(update), f"{header.variable} += {threads}")


def _opened(context: TransformationContext, work: FirstThreadLoops) -> Iterator[TextEdit]:
    """Takes the condition, its braces and one level of indentation from the loops."""
    tree, text = context.tree, context.text
    body = work.branch.child_by_field_name("consequence")
    assert body is not None, "an if has a consequence"
    branch, is_block = tree.span(work.branch), body.type == "compound_statement"
    inner = Span(tree.span(body).start + 1, tree.span(body).end - 1) if is_block else tree.span(body)
    outer = indentation(text, branch.start)
    written = [_behind_head(context, loops) for loops in work.loops if loops.flat]
    if not work.others:
        yield TextEdit(Span(branch.start, _first_word(text, inner)), "")
        yield from _moved_left(text, Span(_first_word(text, inner), inner.end), outer, written)
        if is_block:
            yield TextEdit(Span(_last_word(text, inner), branch.end), "")
        return
    newline, closing = line_end(text), f"{line_end(text)}{outer}}}"
    first, last = work.loops[0].node, work.loops[-1].node
    if work.others[0].start_byte < first.start_byte:
        end = _line_stop(text, _end_of(context, work.others[-1]))
        yield TextEdit(Span(end, end), closing)
        yield from _moved_left(text, Span(end, inner.end), outer, written)
        yield TextEdit(Span(_last_word(text, inner), branch.end), "")
        return
    end = _line_stop(text, tree.span(last).end)
    head = text[branch.start : inner.start]
    yield TextEdit(Span(branch.start, _first_word(text, inner)), "")
    yield from _moved_left(text, Span(_first_word(text, inner), end), outer, written)
    yield TextEdit(Span(end, end), f"{newline}{outer}{head}")


def _end_of(context: TransformationContext, statement: Node) -> int:
    return context.tree.span(statement).end


def _line_stop(text: str, offset: int) -> int:
    """The end of the line, without what ends it."""
    stop = text.find("\n", offset)
    stop = len(text) if stop < 0 else stop
    return stop - 1 if text[:stop].endswith("\r") else stop


def _first_word(text: str, inner: Span) -> int:
    return inner.start + len(text[inner.start : inner.end]) - len(text[inner.start : inner.end].lstrip())


def _last_word(text: str, inner: Span) -> int:
    return inner.start + len(text[inner.start : inner.end].rstrip())


def _behind_head(context: TransformationContext, loops: DealtLoops) -> Span:
    """What is behind the head of the outer loop."""
    update = loops.node.child_by_field_name("update")
    assert update is not None, "a counted loop counts"
    return Span(context.tree.span(update).end + 1, context.tree.span(loops.node).end)


def _moved_left(text: str, span: Span, outer: str, written: Sequence[Span]) -> Iterator[TextEdit]:
    """The lines of the span, but its first and what is written anew, one level less deep."""
    start = text.find("\n", span.start, span.end) + 1
    deeper = _one_level(text, span, outer)
    while start > 0 and start < span.end and deeper:
        is_new = any(new.start <= start < new.end for new in written)
        if text.startswith(outer + deeper, start) and not is_new:
            yield TextEdit(Span(start + len(outer), start + len(outer) + len(deeper)), "")
        start = text.find("\n", start, span.end) + 1


def _one_level(text: str, span: Span, outer: str) -> str:
    """What the line of the span's start is indented by, beyond ``outer``."""
    own = indentation(text, span.start)
    if text[text.rfind("\n", 0, span.start) + 1 : span.start].strip():
        following = text.find("\n", span.start, span.end) + 1
        rest = text[following : span.end] if following else ""
        own = rest[: len(rest) - len(rest.lstrip())]
    return own.removeprefix(outer) if own.startswith(outer) else ""
