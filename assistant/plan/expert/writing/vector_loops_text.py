"""The text of loops that deal elements out to threads, with several neighbouring elements in each thread by one access each.

What does not fill vectors, or is not aligned, stays with the loop as it was written, which begins behind the vectors.

Example::

    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
    // becomes
    const bool aligned = reinterpret_cast<size_t>(x) % 16 == 0;
    const int vector_end = aligned ? n - n % 4 : 0;
    for (int first = threadIdx.x * 4; first < vector_end; first += blockDim.x * 4) { … }
    for (int i = vector_end + threadIdx.x; i < n; i += blockDim.x) sum += x[i];
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.cuda.names import mentions, words_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.dealt_elements import DealtElement
from assistant.plan.expert.analysis.dealt_loops import DealtLoop, DealtLoops
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import before_statement, comments_of, indentation
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.plan.expert.writing.vector_types import VectorTypes

__all__ = ["vector_loop_edits"]


def vector_loop_edits(context: TransformationContext, dealt: DealtLoops, types: VectorTypes) -> tuple[TextEdit, ...]:
    """What each of the loops becomes, and a check before the first of them."""
    return tuple(_Writer(context, dealt, types).edits())


class _Writer:
    def __init__(self, context: TransformationContext, dealt: DealtLoops, types: VectorTypes) -> None:
        self._context, self._tree, self._dealt, self._types = context, context.tree, dealt, types
        self._style = style_of(context)
        self._taken = set(words_in(context.text[context.kernel.span.start : context.kernel.span.end]))
        self._first, self._lane = self._free("first", self._style.name("first", "element")), self._free("k", "element")
        self._aligned = self._free("aligned", self._style.name("is", "aligned"))
        self._end = self._free(self._style.name("vector", "end"))
        self._arrays = {place: self._free(f"{place[0].rstrip('_')}{types.count}") for place in _places(dealt)}

    def edits(self) -> Iterator[TextEdit]:
        for number, loop in enumerate(self._dealt.loops):
            yield from self._before(loop.loop, [*([] if number else self._check()), *self._by_vectors(loop)])
            yield self._rest(loop.loop)

    def _before(self, loop: Node, lines: list[str]) -> tuple[TextEdit, ...]:
        text, start, end = self._context.text, self._tree.span(loop).start, line_end(self._context.text)
        newline = end + indentation(text, start)
        before = text[text.rfind("\n", 0, start) + 1 : start].rstrip()
        if not before or loop.parent is None:
            return before_statement(self._tree, loop, newline.join(lines))
        if loop.parent.start_point[0] == loop.start_point[0]:
            newline += self._style.indent
        at = len(text[:start].rstrip(" \t"))
        return (TextEdit(Span(at, start), "".join(newline + line for line in (*lines, ""))),)

    def _check(self) -> list[str]:
        """Whether vectors may be loaded, and where they end."""
        dealing, count = self._dealt.dealing, self._types.count
        low = dealing.low
        places = dict.fromkeys((e.base, " + ".join(filter(None, (e.start, low)))) for each in self._dealt.loops for e in each.elements)
        bound = _term(dealing.end)
        end = f"{low} + ({bound} - {_term(low)}) / {count} * {count}" if low else f"{dealing.end} - {bound} % {count}"
        return [
            f"const bool {self._aligned} = {self._types.alignment(places)};",
            f"const {dealing.type} {self._end} = {self._aligned} ? {end} : {low or 0};",
        ]

    def _by_vectors(self, each: DealtLoop) -> list[str]:
        dealing, count, first = self._dealt.dealing, self._types.count, self._first
        lane = _times(dealing.lane, count)
        start = f"{dealing.low} + {lane}" if dealing.low else lane
        head = f"for ({dealing.type} {first} = {start}; {first} < {self._end}; {first} += {_times(dealing.stride, count)})"
        lines: list[str] = []
        for element in each.elements:
            array, vector = self._array(element), self._types.vector(element.base)
            lines.append(f"alignas({self._types.bytes(element.base)}) {element.type} {array}[{count}];")
            if element.is_read:
                source = f"reinterpret_cast<const {vector} *>({element.start} + {first})"
                lines.append(f"*reinterpret_cast<{vector} *>({array}) = {f'__ldg({source})' if element.is_cached else f'*{source}'};")
        lines += ["#pragma unroll", *self._unrolled(each)]
        for element in each.elements:
            if element.is_written:
                vector = self._types.vector(element.base)
                target = f"*reinterpret_cast<{vector} *>({element.start} + {first})"
                lines.append(f"{target} = *reinterpret_cast<{vector} *>({self._array(element)});")
        return [*self._style.opened(head), *self._inner(lines), "}"]

    def _unrolled(self, each: DealtLoop) -> list[str]:
        """The author's statements for one element of the vectors."""
        kind, count = self._dealt.dealing.type, self._types.count
        head = f"for (int {self._lane} = 0; {self._lane} < {count}; ++{self._lane})"
        body = [f"const {kind} {each.counter} = {self._first} + {self._lane};"] if self._needs_counter(each) else []
        body += [line for node in each.statements if not self._is_place_alone(each, node) for line in self._replaced(each, node)]
        return [head, *self._inner(body)] if len(body) == 1 else [*self._style.opened(head), *self._inner(body), "}"]

    def _inner(self, lines: list[str]) -> list[str]:
        return [self._style.indent + line for line in lines]

    def _elements(self, each: DealtLoop, node: Node) -> dict[Span, str]:
        """Each element of the node, as that of the thread's array."""
        return {
            self._tree.span(place): f"{self._array(element)}[{self._lane}]"
            for element in each.elements
            for place in element.nodes
            if node.start_byte <= place.start_byte < node.end_byte
        }

    def _is_place_alone(self, each: DealtLoop, node: Node) -> bool:
        """A declaration of nothing but the index of elements, which the vectors make needless."""
        variables = tuple(declared_variables(self._tree, node)) if node.type == "declaration" else ()
        used = [
            n for v in variables for n in mentions(self._tree, each.loop, v.name) if not node.start_byte <= n.start_byte < node.end_byte
        ]
        places = [place for element in each.elements for place in element.nodes]
        return bool(used) and all(any(p.start_byte <= n.start_byte < p.end_byte for p in places) for n in used)

    def _needs_counter(self, each: DealtLoop) -> bool:
        for node in (n for n in each.statements if not self._is_place_alone(each, n)):
            inside = self._elements(each, node)
            named = (self._tree.span(n) for n in mentions(self._tree, node, each.counter))
            if any(not any(e.start <= n.start < e.end for e in inside) for n in named):
                return True
        return False

    def _replaced(self, each: DealtLoop, node: Node) -> list[str]:
        span, text = self._tree.span(node), self._tree.text(node)
        for element, new in sorted(self._elements(each, node).items(), key=lambda place: place[0].start, reverse=True):
            text = text[: element.start - span.start] + new + text[element.end - span.start :]
        above, behind = comments_of(self._tree, node)
        indent = indentation(self._tree.source, span.start)
        lines = [line.removeprefix(indent).rstrip() for line in text.splitlines()]
        return [*above, *lines[:-1], lines[-1] + behind]

    def _rest(self, loop: Node) -> TextEdit:
        """The loop as it was, from the end of the vectors."""
        start = loop.child_by_field_name("initializer")
        value = None if start is None else start.children_by_field_name("declarator")[0].child_by_field_name("value")
        assert value is not None, "a loop that deals elements out begins somewhere"
        return TextEdit(self._tree.span(value), self._style.sum(self._end, self._dealt.dealing.lane))

    def _array(self, element: DealtElement) -> str:
        return self._arrays[element.base, element.offset]

    def _free(self, *wanted: str) -> str:
        names = (*wanted, *(f"{wanted[-1]}_{number}" for number in range(2, 100)))
        name = next(each for each in names if each not in self._taken)
        self._taken.add(name)
        return name


def _places(dealt: DealtLoops) -> dict[tuple[str, str], None]:
    return dict.fromkeys((e.base, e.offset) for each in dealt.loops for e in each.elements)


def _term(text: str) -> str:
    return text if is_simple_term(text) else f"({text})"


def _times(text: str, count: int) -> str:
    return str(int(text) * count) if text.isdigit() else f"{_term(text)} * {count}"
