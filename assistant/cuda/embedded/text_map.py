"""A text that a Python expression yields, with the place of every character: joined, cut, stripped, dedented.

Knows nothing of tokens or calls.

Example::

    stripped(value).text == value.text.strip()
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.model.embedded import Literal, Run
from assistant.model.source import Span
from assistant.record import Record

__all__ = ["MappedText", "dedented", "joined", "kept", "share_a_literal", "stripped"]

_BLANK_LINE = re.compile(r"^[ \t]+$", re.MULTILINE)
_INDENTATION = re.compile(r"^([ \t]*)[^ \t\n]", re.MULTILINE)


class MappedText(Record):
    """The value of a string expression."""

    text: str
    literals: tuple[Literal, ...]
    runs: tuple[Run, ...]


def joined(parts: Sequence[MappedText], separator: str = "") -> MappedText:
    """The parts, at least one, with ``separator`` between them, which stands nowhere in the container."""
    literals: list[Literal] = []
    runs: list[Run] = []
    length = 0
    for part in parts:
        if literals and separator:
            place = literals[-1].content.end
            runs.append(Run(length, length + len(separator), place, place))
            length += len(separator)
        literals += (replace(literal, embedded=_shifted(literal.embedded, length)) for literal in part.literals)
        runs += (Run(r.embedded_start + length, r.embedded_end + length, r.container_start, r.container_end) for r in part.runs)
        length += len(part.text)
    return MappedText(separator.join(part.text for part in parts), tuple(literals), tuple(runs))


def share_a_literal(parts: Sequence[MappedText]) -> bool:
    contents = [literal.content for part in parts for literal in part.literals]
    return len(set(contents)) < len(contents)


def stripped(value: MappedText, method: str) -> MappedText:
    """``method``: ``strip``, ``lstrip`` or ``rstrip``."""
    text = value.text
    start = len(text) - len(text.lstrip()) if method != "rstrip" else 0
    end = len(text.rstrip()) if method != "lstrip" else len(text)
    return kept(value, (Span(start, max(start, end)),))


def dedented(value: MappedText) -> MappedText | None:
    """As ``textwrap.dedent``; None where this Python's ``dedent`` removes something else than indentation (3.14: a lone form feed)."""
    text = value.text
    removed = [Span(*match.span()) for match in _BLANK_LINE.finditer(text)]
    lines = list(_INDENTATION.finditer(text))
    margin = _common_start([match[1] for match in lines])
    if margin:
        removed += [Span(match.start(), match.start() + len(margin)) for match in lines]
    result = kept(value, tuple(_complement(sorted(removed), len(text))))
    if result.text != textwrap.dedent(text):
        return None
    return replace(result, literals=tuple(replace(x, margin=x.margin + margin) for x in result.literals))


def kept(value: MappedText, spans: Sequence[Span]) -> MappedText:
    """Only the characters inside ``spans``, which are sorted and apart; the others stay in the map, without width."""
    starts = [span.start for span in spans]
    lengths = [0]
    for span in spans:
        lengths.append(lengths[-1] + span.end - span.start)

    def moved(offset: int) -> int:
        index = bisect_right(starts, offset) - 1
        return 0 if index < 0 else lengths[index] + min(offset, spans[index].end) - starts[index]

    cuts = sorted({*starts, *(span.end for span in spans)})
    runs = [piece for run in value.runs for piece in _cut(run, cuts)]
    return MappedText(
        "".join(value.text[span.start : span.end] for span in spans),
        tuple(replace(x, embedded=Span(moved(x.embedded.start), moved(x.embedded.end))) for x in value.literals),
        tuple(Run(moved(r.embedded_start), moved(r.embedded_end), r.container_start, r.container_end) for r in runs),
    )


def _cut(run: Run, cuts: Sequence[int]) -> Iterator[Run]:
    """The run in pieces that no cut divides; only one-to-one runs are wide enough to be cut."""
    start = run.embedded_start
    shift = run.container_start - start
    for cut in cuts[bisect_right(cuts, start) :]:
        if cut >= run.embedded_end:
            break
        yield Run(start, cut, start + shift, cut + shift)
        start = cut
    yield run if start == run.embedded_start else Run(start, run.embedded_end, start + shift, run.container_end)


def _complement(removed: Sequence[Span], length: int) -> Iterator[Span]:
    position = 0
    for span in removed:
        if span.start > position:
            yield Span(position, span.start)
        position = max(position, span.end)
    if position < length:
        yield Span(position, length)


def _common_start(texts: Sequence[str]) -> str:
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    return first[: next((at for at, (x, y) in enumerate(zip(first, last, strict=False)) if x != y), len(first))]


def _shifted(span: Span, shift: int) -> Span:
    return Span(span.start + shift, span.end + shift)
