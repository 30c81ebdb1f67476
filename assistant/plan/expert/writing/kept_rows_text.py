"""The text of loops over rows that threads keep in arrays of their own, with neighbouring elements in each thread.

Rounds that do not fill vectors stay with the loop as it was written; where an address is not aligned or a bound cuts vectors off, the
elements are touched one by one.

Example::

    for (int k = 0; k < N; ++k) v[k] = row[lane + 32 * k];
    // becomes, for a constant N that four divide
    for (int k = 0; k < N; k += 4) {
        const int first = lane * 4 + 32 * k;
        if (aligned) { … } else { … }
    }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assistant.cuda.files import line_end
from assistant.cuda.names import mentions, words_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables, locals_of
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.dealt_elements import DealtElement
from assistant.plan.expert.analysis.kept_rows import KeptLoop, KeptRows
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, comments_of, indentation, with_pragmas
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.plan.expert.writing.vector_types import VectorTypes

__all__ = ["kept_row_edits"]

_UNROLLED = "#pragma unroll"


def kept_row_edits(context: TransformationContext, rows: KeptRows, types: VectorTypes) -> tuple[TextEdit, ...]:
    """What each of the loops becomes, and a check before the first of them."""
    return tuple(_Writer(context, rows, types).edits())


class _Writer:
    def __init__(self, context: TransformationContext, rows: KeptRows, types: VectorTypes) -> None:
        self._context, self._tree, self._rows, self._types = context, context.tree, rows, types
        self._style = style_of(context)
        self._taken = set(words_in(context.text[context.kernel.span.start : context.kernel.span.end]))
        self._first, self._lane = self._free("first", self._style.name("first", "element")), self._free("k", "e", "element")
        self._aligned = self._free("aligned", self._style.name("is", "aligned"))
        places = dict.fromkeys((e.base, e.offset) for each in rows.loops for e in each.dealt.elements)
        self._arrays = {place: self._free(f"{place[0].rstrip('_')}{types.count}") for place in places}
        self._is_whole = rows.count is not None and rows.count % types.count == 0

    def edits(self) -> Iterator[TextEdit]:
        changed = [each for each in self._rows.loops if each.dealt.elements or each.places]
        for number, each in enumerate(changed):
            check = [] if number else [self._check()]
            loop = each.dealt.loop
            newline = line_end(self._context.text) + indentation(self._context.text, self._tree.span(loop).start)
            if self._is_whole:
                span = with_pragmas(self._tree, loop)
                lead = "" if indentation(self._context.text, span.start) else newline.lstrip("\r\n")
                yield TextEdit(span, lead + newline.join([*check, *self._by_vectors(each)]))
                continue
            yield from before_statement(self._tree, loop, newline.join([*check, *self._by_vectors(each)]))
            start = loop.child_by_field_name("initializer")
            value = None if start is None else start.children_by_field_name("declarator")[0].child_by_field_name("value")
            assert value is not None, "a loop over rounds begins at 0"
            yield TextEdit(self._tree.span(value), self._end())

    def _end(self) -> str:
        """Rounds that fill vectors."""
        bound, count = self._rows.dealing.header.bound, self._types.count
        return bound if self._is_whole else f"{bound if is_simple_term(bound) else f'({bound})'} / {count} * {count}"

    def _check(self) -> str:
        elements = [e for each in self._rows.loops for e in each.dealt.elements]
        return f"const bool {self._aligned} = {self._types.alignment(dict.fromkeys((e.base, e.start) for e in elements))};"

    def _by_vectors(self, each: KeptLoop) -> list[str]:
        dealing, count = self._rows.dealing, self._types.count
        counter = each.dealt.counter
        lane = dealing.lane if is_simple_term(dealing.lane) else f"({dealing.lane})"
        head = f"for ({dealing.type} {counter} = 0; {counter} < {self._end()}; {counter} += {count})"
        lines = [f"const {dealing.type} {self._first} = {lane} * {count} + {each.step};"]
        if not each.dealt.elements:
            lines += self._unrolled(each, {})
        else:
            ends = dict.fromkeys(end for _, end in each.ends)
            conditions = [self._aligned, *(f"{self._first} + {count} <= {end}" for end in ends)]
            lines += self._style.opened(f"if ({' && '.join(conditions)})")
            lines += self._inner(self._moved(each))
            lines += [*self._style.otherwise, *self._inner(self._unrolled(each, {})), "}"]
        return [_UNROLLED, *self._style.opened(head), *self._inner(lines), "}"]

    def _moved(self, each: KeptLoop) -> list[str]:
        """All elements of the vectors at once."""
        lines: list[str] = []
        count, elements = self._types.count, each.dealt.elements
        for element in elements:
            array, vector = self._array(element), self._types.vector(element.base)
            lines.append(f"alignas({self._types.bytes(element.base)}) {element.type} {array}[{count}];")
            if element.is_read:
                source = f"reinterpret_cast<const {vector} *>({element.start} + {self._first})"
                lines.append(f"*reinterpret_cast<{vector} *>({array}) = {f'__ldg({source})' if element.is_cached else f'*{source}'};")
        lines += self._unrolled(each, {self._tree.span(n): f"{self._array(e)}[{self._lane}]" for e in elements for n in e.nodes})
        for element in elements:
            if element.is_written:
                target = f"*reinterpret_cast<{self._types.vector(element.base)} *>({element.start} + {self._first})"
                lines.append(f"{target} = *reinterpret_cast<{self._types.vector(element.base)} *>({self._array(element)});")
        return lines

    def _unrolled(self, each: KeptLoop, moved: Mapping[Span, str]) -> list[str]:
        """The author's statements for one element of the vectors; ``moved``: elements that were loaded or will be stored together."""
        head = f"for (int {self._lane} = 0; {self._lane} < {self._types.count}; ++{self._lane})"
        news = {**self._news(each), **moved, **(self._opened(each) if moved else {})}
        outer = {s: new for s, new in news.items() if not any(o != s and o.contains(s) for o in news)}
        kept = [n for n in each.dealt.statements if not (moved and self._is_place_alone(each, n, outer))]
        return [_UNROLLED, *self._style.headed(head, [line for n in kept for line in self._replaced(n, outer)])]

    def _news(self, each: KeptLoop) -> dict[Span, str]:
        """The thread's places and kept elements, one by one."""
        place, counter = f"{self._first} + {self._lane}", each.dealt.counter
        news = {self._tree.span(n): place for n in each.places}
        for node in each.rounds:
            indices = node.child_by_field_name("indices")
            assert indices is not None, "an element of a kept array has an index"
            news[self._tree.span(indices)] = f"[{counter} + {self._lane}]"
        for element in each.dealt.elements:
            for node in (n for n in element.nodes if not self._names_local(each, n)):
                new = f"{element.base}[{f'{element.offset} + ' if element.offset else ''}{place}]"
                news[self._tree.span(node)] = f"__ldg(&{new})" if node.type == "call_expression" else new
        return news

    def _names_local(self, each: KeptLoop, node: Node) -> bool:
        """The place is a local of the loop, which will be another one."""
        body = each.dealt.loop.child_by_field_name("body")
        return body is not None and any(mentions(self._tree, node, name) for name in locals_of(self._tree, body))

    def _opened(self, each: KeptLoop) -> dict[Span, str]:
        """Without the branches on bounds that whole vectors are within."""
        news: dict[Span, str] = {}
        for branch, _ in each.ends:
            inside = branch.child_by_field_name("consequence")
            if (inside is not None and branch.child_by_field_name("alternative") is None) or branch.type == "conditional_expression":
                assert inside is not None, "a choice has two sides"
                whole, part = self._tree.span(branch), self._tree.span(inside)
                news[Span(whole.start, part.start)] = ""
                news[Span(part.end, whole.end)] = ""
        return news

    def _is_place_alone(self, each: KeptLoop, node: Node, news: Mapping[Span, str]) -> bool:
        """A declaration of nothing but the place, which is not needed any more."""
        variables = tuple(declared_variables(self._tree, node)) if node.type == "declaration" else ()
        used = [self._tree.span(n) for v in variables for n in mentions(self._tree, each.dealt.loop, v.name)]
        used = [span for span in used if not self._tree.span(node).contains(span)]
        return bool(used) and all(any(new.contains(span) for new in news) for span in used)

    def _replaced(self, node: Node, news: Mapping[Span, str]) -> list[str]:
        span, text = self._tree.span(node), self._tree.text(node)
        for old in sorted((s for s in news if span.contains(s)), key=lambda s: (s.start, s.end), reverse=True):
            text = text[: old.start - span.start] + news[old] + text[old.end - span.start :]
        above, behind = comments_of(self._tree, node)
        indent = indentation(self._tree.source, span.start)
        lines = [line.removeprefix(indent).rstrip() for line in text.splitlines()]
        return [*above, *lines[:-1], lines[-1] + behind]

    def _inner(self, lines: list[str]) -> list[str]:
        return [self._style.indent + line for line in lines]

    def _array(self, element: DealtElement) -> str:
        return self._arrays[element.base, element.offset]

    def _free(self, *wanted: str) -> str:
        names = (*wanted, *(f"{wanted[-1]}_{number}" for number in range(2, 100)))
        name = next(each for each in names if each not in self._taken)
        self._taken.add(name)
        return name
