"""Where new statements go so that the text keeps its author's layout: indentation, line ends, braces.

Example::

    edits = [*before_statement(tree, loop, "float acc = 0.0f;"), *after_statement(tree, loop, "out[i] = acc;")]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.cuda.files import line_end
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.element_types import plain_type

__all__ = [
    "after_statement",
    "before_statement",
    "body_lines",
    "comments_of",
    "indentation",
    "moved_right",
    "with_pragmas",
    "without_line",
    "zero_of",
]

_BLOCKS = ("compound_statement", "translation_unit", "case_statement", "preproc_if", "preproc_ifdef", "preproc_else")
_ZEROS = {"float": "0.0f", "double": "0.0", "int": "0", "unsigned int": "0", "unsigned": "0", "long long": "0", "size_t": "0"}


def zero_of(tree: SyntaxTree, type_name: str) -> str:
    """A zero of the type, as people write it; of an alias of a number plainly ``0``."""
    other = "0" if plain_type(tree, type_name) in _ZEROS else f"{type_name}{{}}"
    return _ZEROS.get(type_name, other)


def comments_of(tree: SyntaxTree, statement: Node) -> tuple[tuple[str, ...], str]:
    """Comments on lines of their own right above a statement, and what follows it on its last line, two blanks included."""
    above: list[str] = []
    before, after = statement.prev_named_sibling, statement.next_named_sibling
    while before is not None and before.type == "comment":
        previous = before.prev_named_sibling
        if previous is not None and previous.end_point[0] == before.start_point[0]:
            break
        above.insert(0, tree.text(before))
        before = previous
    is_behind = after is not None and after.type == "comment" and after.start_point[0] == statement.end_point[0]
    return tuple(above), f"  {tree.text(after)}" if after is not None and is_behind else ""


def indentation(text: str, offset: int) -> str:
    """Leading white space of the line that holds ``offset``."""
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def before_statement(tree: SyntaxTree, statement: Node, new: str) -> tuple[TextEdit, ...]:
    """Puts ``new`` before ``statement`` and the pragmas right before it; a lone branch becomes a block."""
    text = tree.source
    first = _first_pragma(tree, statement)
    opening = () if _is_in_block(statement) else (_insert(_branch_head_end(tree, first), " {"),)
    start = tree.span(first).start
    line_start = text.rfind("\n", 0, start) + 1
    if text[line_start:start].strip():
        return (*opening, _insert(start, f"{new} "))
    indent = indentation(text, tree.span(statement).start)
    return (*opening, _insert(line_start, f"{indent}{new}{line_end(text)}"))


def after_statement(tree: SyntaxTree, statement: Node, new: str) -> tuple[TextEdit, ...]:
    """Puts ``new`` after ``statement`` and the comment at the end of its line; closes the block of a former lone branch."""
    text = tree.source
    span = tree.span(statement)
    indent = indentation(text, span.start)
    parent = statement.parent
    outer = indent if parent is None else indentation(text, tree.span(parent).start)
    closing = "" if _is_in_block(statement) else f"{line_end(text)}{outer}}}"
    stop = text.find("\n", span.end)
    stop = len(text) if stop < 0 else stop
    rest = text[span.end : stop].strip()
    if rest and not rest.startswith("//"):
        return (_insert(span.end, f" {new}{' }' if closing else ''}"),)
    at = stop - 1 if text[:stop].endswith("\r") else stop
    return (_insert(at, f"{line_end(text)}{indent}{new}{closing}"),)


def moved_right(text: str, span: Span, edits: Sequence[TextEdit], step: str) -> Iterator[TextEdit]:
    """``step`` more of indentation for the lines of a region; lines that an edit takes away stay as they are."""
    at = text.rfind("\n", 0, span.start) + 1
    while 0 < at < span.end:
        stop = text.find("\n", at)
        line = text[at:stop]
        is_gone = any(e.span.start <= at < e.span.end for e in edits)
        if line.strip() and not line.lstrip().startswith("#if") and not is_gone:
            first = at + len(line) - len(line.lstrip())
            yield TextEdit(Span(first, first), step)
        at = stop + 1


def without_line(text: str, span: Span) -> TextEdit:
    """Takes a statement away, with its line where it stands there alone."""
    start, stop = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end) + 1
    is_alone = not text[start : span.start].strip() and not text[span.end : stop].strip()
    return TextEdit(Span(start, stop) if is_alone else span, "")


def body_lines(tree: SyntaxTree, body: Node, edits: Sequence[TextEdit]) -> list[str]:
    """The lines of a loop's body after edits of it, without its braces and as far to the left as they go."""
    span = tree.span(body)
    piece = tree.source[span.start : span.end]
    for edit in sorted(edits, reverse=True):
        piece = piece[: edit.span.start - span.start] + edit.new_text + piece[edit.span.end - span.start :]
    is_opened = body.type == "compound_statement"
    return dedented(piece[1:-1] if is_opened else piece, is_opened)


def dedented(piece: str, is_opened: bool) -> list[str]:
    """Lines of statements as far to the left as they go; ``is_opened``: the first line is indented, too."""
    lines = [line.rstrip() for line in piece.splitlines() if line.strip()]
    counted = lines if is_opened else lines[1:]
    margin = min((len(line) - len(line.lstrip()) for line in counted), default=0)
    return [line[margin:] if line[:margin].isspace() else line for line in lines]


def with_pragmas(tree: SyntaxTree, statement: Node) -> Span:
    """The statement and the pragmas right before it."""
    return Span(tree.span(_first_pragma(tree, statement)).start, tree.span(statement).end)


def _insert(offset: int, text: str) -> TextEdit:
    return TextEdit(Span(offset, offset), text)


def _branch_head_end(tree: SyntaxTree, statement: Node) -> int:
    """Where ``if (…)``, ``else`` or ``for (…)`` before a lone statement ends."""
    previous = statement.prev_sibling
    while previous is not None and previous.type == "comment":
        previous = previous.prev_sibling
    return tree.span(statement).start if previous is None else tree.span(previous).end


def _is_in_block(statement: Node) -> bool:
    return statement.parent is not None and statement.parent.type in _BLOCKS


def _first_pragma(tree: SyntaxTree, statement: Node) -> Node:
    first = statement
    while (previous := first.prev_named_sibling) is not None and _is_pragma(tree, previous):
        first = previous
    return first


def _is_pragma(tree: SyntaxTree, node: Node) -> bool:
    return node.type == "preproc_call" and tree.text(node).lstrip().startswith("#pragma")
