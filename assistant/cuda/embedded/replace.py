"""Edits of an embedded CUDA text, as edits of the text around it.

Every answer is checked by reading the edited container again; what does not come out as asked is declined, never half done.

Example::

    replace(embedded, (TextEdit(Span(4, 5), '"'),))   # (TextEdit(Span(20, 21), '\\\\"'),)  inside "…"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.cuda.edits import apply_edits, edits_between, lines_of
from assistant.cuda.embedded.cell_launch import launch_in, launch_items, relaunched, without_first_line
from assistant.cuda.embedded.find import find_embedded
from assistant.cuda.embedded.string_literals import written
from assistant.model.embedded import EmbeddedText, EmbeddingProblem, EmbeddingProblemCode, Literal
from assistant.model.source import Span, TextEdit

__all__ = ["replace"]


def replace(embedded: EmbeddedText, edits: Iterable[TextEdit]) -> tuple[TextEdit, ...] | EmbeddingProblem:
    """Edits of the container's text that make the CUDA text what ``edits`` make of it, and leave every other CUDA text as it is."""
    wanted = apply_edits(embedded.text, edits := tuple(edits))
    if not isinstance(wanted, str):
        return _declined(embedded, EmbeddingProblemCode.EDITS_OVERLAP, "the edits overlap or reach beyond the CUDA text")
    if wanted == embedded.text:
        return ()
    of_line = _line_edits(embedded, wanted)
    if isinstance(of_line, EmbeddingProblem):
        return of_line
    if embedded.text != (body := without_first_line(embedded.text)):
        start = len(embedded.text) - len(body)
        below = edits_between(body, without_first_line(wanted))
        edits = tuple(TextEdit(Span(start + edit.span.start, start + edit.span.end), edit.new_text) for edit in below)
    shares = [share for edit in edits for least in _least(embedded, edit) for share in _shares(embedded, least)]
    if _removes_a_join(embedded, edits):
        return _declined(
            embedded,
            EmbeddingProblemCode.LINE_END_REMOVED,
            "the edit removes the line end that PyTorch puts between two strings of the list",
        )
    small = (*of_line, *(_in_container(embedded, literal, edit) for literal, edit in shares))
    before = find_embedded(embedded.container_text, embedded.container)
    problem = _objection(embedded, before, small, wanted)
    if problem is None:
        return small
    whole = (*of_line, *_rewritten(embedded, shares))
    return whole if _objection(embedded, before, whole, wanted) is None else problem


def _line_edits(embedded: EmbeddedText, wanted: str) -> tuple[TextEdit, ...] | EmbeddingProblem:
    """The magic's line with the launch that the first line of ``wanted`` says."""
    if launch_items(embedded.text) is None or launch_in(wanted) == launch_in(embedded.text):
        return ()
    launch = launch_in(wanted)
    line = embedded.container_text[embedded.use.start : embedded.use.end]
    said = None if launch is None else relaunched(line, without_first_line(embedded.text), launch)
    if said is None:
        return _declined(embedded, EmbeddingProblemCode.LAUNCH, "the new launch cannot be written on the magic's line")
    return (TextEdit(embedded.use, said),)


def _least(embedded: EmbeddedText, edit: TextEdit) -> Iterator[TextEdit]:
    """The edit without the lines and characters that it leaves as they are, so that these keep their spelling."""
    start = edit.span.start
    for least in edits_between(embedded.text[start : edit.span.end], edit.new_text):
        yield TextEdit(Span(start + least.span.start, start + least.span.end), least.new_text)


def _shares(embedded: EmbeddedText, edit: TextEdit) -> Iterator[tuple[Literal, TextEdit]]:
    """The edit divided among the literals that it touches: each gets as many lines as it had, the last one the rest."""
    start, end = edit.span.start, edit.span.end
    touched = [x for x in embedded.literals if x.embedded.start < end and start < x.embedded.end] or [_home(embedded, start)]
    lines = lines_of(edit.new_text)
    for literal in touched:
        part = literal.embedded
        span = Span(min(max(start, part.start), part.end), max(min(end, part.end), part.start))
        line_count = len(lines) if literal is touched[-1] else embedded.text.count("\n", span.start, span.end)
        yield literal, TextEdit(span, "".join(lines[:line_count]))
        lines = lines[line_count:]


def _home(embedded: EmbeddedText, offset: int) -> Literal:
    """The literal in which an insertion at ``offset`` is made: that of the character after it, else that of the one before."""
    after = (x for x in embedded.literals if x.embedded.start <= offset < x.embedded.end)
    before = (x for x in reversed(embedded.literals) if x.embedded.start <= offset <= x.embedded.end)
    return next(after, None) or next(before, embedded.literals[-1])


def _removes_a_join(embedded: EmbeddedText, edits: Iterable[TextEdit]) -> bool:
    """True where an edit takes away a character that stands in no literal."""
    joins = [run for run in embedded.runs if run.container_start == run.container_end and run.embedded_start < run.embedded_end]
    return any(edit.span.start < run.embedded_end and run.embedded_start < edit.span.end for edit in edits for run in joins)


def _in_container(embedded: EmbeddedText, literal: Literal, edit: TextEdit) -> TextEdit:
    """The edit of the container for an edit inside one literal."""
    span = Span(_place(embedded, literal, edit.span.start), _place(embedded, literal, edit.span.end))
    if edit.span.start < edit.span.end == literal.embedded.end:
        span = Span(span.start, embedded.span_to_container(edit.span).end)
    around = (embedded.container_text[span.start - 1 : span.start], embedded.container_text[span.end : span.end + 1])
    return TextEdit(span, written(edit.new_text, literal, around, _line_end(embedded, literal)))


def _place(embedded: EmbeddedText, literal: Literal, offset: int) -> int:
    """Where the character at ``offset`` begins in the literal; after its last one, the end of that."""
    if offset < literal.embedded.end:
        return embedded.to_container(offset)
    if literal.embedded.start == literal.embedded.end:
        return literal.content.start
    return embedded.span_to_container(Span(offset - 1, offset)).end


def _rewritten(embedded: EmbeddedText, shares: Iterable[tuple[Literal, TextEdit]]) -> tuple[TextEdit, ...]:
    """Each touched literal written anew, where its old spelling does not go with the new text (``\\0`` before a new digit)."""
    by_literal: dict[Literal, list[TextEdit]] = {}
    for literal, edit in shares:
        shift = literal.embedded.start
        moved = TextEdit(Span(edit.span.start - shift, edit.span.end - shift), edit.new_text)
        by_literal.setdefault(literal, []).append(moved)
    found: list[TextEdit] = []
    for literal, edits in by_literal.items():
        text = apply_edits(embedded.text[literal.embedded.start : literal.embedded.end], edits)
        around = (embedded.container_text[literal.content.start - 1], embedded.container_text[literal.content.end :][:1])
        new_text = written(text, literal, around, _line_end(embedded, literal)) if isinstance(text, str) else ""
        found.append(TextEdit(literal.content, new_text))
    return tuple(found)


def _objection(
    embedded: EmbeddedText, before: tuple[EmbeddedText | EmbeddingProblem, ...], edits: tuple[TextEdit, ...], wanted: str
) -> EmbeddingProblem | None:
    """Why these edits of the container are wrong; None where they are right. ``before``: what the container holds without them."""
    edited = apply_edits(embedded.container_text, edits)
    if not isinstance(edited, str):
        return _declined(embedded, EmbeddingProblemCode.EDITS_OVERLAP, "the edits overlap in the text around the CUDA text")
    after = find_embedded(edited, embedded.container)
    if len(before) != len(after) or embedded not in before:
        return _unwritable(embedded)
    index = before.index(embedded)
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        expected = wanted if at == index else _content(old)
        if _content(new) == expected and new.kind is old.kind:
            continue
        if at == index:
            return _unwritable(embedded)
        return _declined(
            embedded, EmbeddingProblemCode.SHARED_STRING, "a part of this string belongs to another CUDA text too, which would change"
        )
    return None


def _unwritable(embedded: EmbeddedText) -> EmbeddingProblem:
    if all(literal.quote is None for literal in embedded.literals):
        return _declined(embedded, EmbeddingProblemCode.NO_BODY, "the cell has no line after its magic")
    if any(literal.is_raw for literal in embedded.literals):
        reason = "the new text cannot be written in this raw string (its quotes, a lone carriage return, or a backslash at its end)"
        return _declined(embedded, EmbeddingProblemCode.RAW_STRING, reason)
    reason = "the new text does not survive what the program does to the string (`strip`, `dedent`)"
    return _declined(embedded, EmbeddingProblemCode.TEXT_CHANGED_LATER, reason)


def _content(found: EmbeddedText | EmbeddingProblem) -> str | EmbeddingProblemCode:
    return found.text if isinstance(found, EmbeddedText) else found.code


def _line_end(embedded: EmbeddedText, literal: Literal) -> str:
    """The line end of the literal, else that of the container."""
    text = embedded.container_text
    at = text.find("\n", literal.content.start, literal.content.end)
    at = text.find("\n") if at < 0 else at
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _declined(embedded: EmbeddedText, code: EmbeddingProblemCode, reason: str) -> EmbeddingProblem:
    return EmbeddingProblem(code, embedded.kind, embedded.literals[0].content, reason)
