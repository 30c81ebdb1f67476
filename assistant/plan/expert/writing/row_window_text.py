"""The text of a kernel whose threads compute several rows from a window of rows that they keep in registers.

The loops over the window become two nests: the first loads each element of the window once, under the conditions of the original and where
one of the thread's rows needs it; the second goes through the taps, loads each weight where one of the rows needs it, and adds up for all
rows, in the order of the original. Example::

    edits = row_window_edits(context, window, 4)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.cuda.files import line_end
from assistant.cuda.literals import is_literal_of
from assistant.cuda.names import free_name, mentions, words_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.nested_loops import WindowLoop
from assistant.plan.expert.analysis.row_window import RowWindow, WindowLoad
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation, with_pragmas
from assistant.plan.expert.writing.style import style_of

__all__ = ["row_window_edits", "window_count"]


def window_count(window: RowWindow, rows: int) -> int:
    """Elements of the window that a thread of so many rows keeps."""
    count = window.loops[0].count + (rows - 1) * window.stride
    for loop in window.loops[1:]:
        count *= loop.count
    return count * len(window.window)


def row_window_edits(context: TransformationContext, window: RowWindow, rows: int) -> tuple[TextEdit, ...]:
    """Edits of the kernel alone."""
    return tuple(sorted(_Text(context, window, rows).edits()))


class _Text:
    def __init__(self, context: TransformationContext, window: RowWindow, rows: int) -> None:
        self._context, self._tree, self._window, self._rows = context, context.tree, window, rows
        self._style = style_of(context)
        self._newline, self._indent = line_end(context.text), self._style.indent
        body = window.function.node
        self._first = free_name(self._tree, body, self._style.name("first", window.row.name))
        self._part = free_name(self._tree, body, "q", "part", "at")
        self._is_used = free_name(self._tree, body, self._style.name("is", "used"), self._style.name("any", "row"))
        self._is_inside = free_name(self._tree, body, self._style.name("is", "inside"), self._style.name("in", "bounds"))
        self._step = f" + {self._part}" if window.stride == 1 else f" + {self._part} * {window.stride}"
        """From an element of the window of a thread's first row to that of another one."""
        self._names: dict[str, str] = {}
        for kind, loads in (("window", window.window), ("value", window.weights)):
            for load in loads:
                taken = set(self._names.values())
                wanted = [self._style.name(load.base, kind, *extra) for extra in ((), ("b",), ("c",), ("d",))]
                self._names[load.text] = free_name(self._tree, body, *(w for w in wanted if w not in taken))

    def edits(self) -> list[TextEdit]:
        tree, window = self._tree, self._window
        assert window.row.value is not None, "a row is computed"
        place = Span(tree.span(window.row.declarator).start, tree.span(window.row.value).end)
        asked = window.guard.child_by_field_name("condition")
        assert asked is not None, "the bounds check asks"
        edits = [TextEdit(place, f"{self._first} = ({window.place}) * {self._rows}")]
        edits += [TextEdit(tree.span(n), self._first) for n in mentions(tree, asked, window.row.name)]
        edits += [self._declared(variable.node) for variable in window.sums]
        edits += [self._each(node) for node in window.before]
        edits.append(self._loops())
        if window.tail:
            edits.append(self._tail())
        return edits

    def _declared(self, node: Node) -> TextEdit:
        """``float sum = bias[k];`` → an array, and a loop that fills it."""
        tree, sums = self._tree, self._window.sums
        variable = next(v for v in sums if v.node == node)
        span, outer = tree.span(node), indentation(self._context.text, tree.span(node).start)
        if variable.is_array or variable.value is None or is_literal_of(tree.text(variable.value), 0):
            value = "" if variable.value is None else f" = {tree.text(variable.value)}" if variable.is_array else " = {}"
            bounds = tree.text(variable.declarator).partition("=")[0].strip().removeprefix(variable.name)
            return TextEdit(span, f"{variable.type} {variable.name}[{self._rows}]{bounds if variable.is_array else ''}{value};")
        fill = self._looped([f"{variable.name}[{self._part}] = {tree.text(variable.value)};"], with_row=False)
        return TextEdit(span, (self._newline + outer).join([f"{variable.type} {variable.name}[{self._rows}];", *fill]))

    def _each(self, node: Node) -> TextEdit:
        """A statement about a sum, for each row's."""
        span, parent = self._tree.span(node), node.parent
        lines = self._looped([self._of_sums(node)], with_row=False)
        outer = indentation(self._context.text, span.start)
        if parent is None or parent.type == "compound_statement":
            return TextEdit(span, (self._newline + outer).join(lines))
        head = node.prev_sibling
        assert head is not None, "a lone statement has a head"
        base = indentation(self._context.text, self._tree.span(parent).start)
        moved = "".join(f"{self._newline}{base}{self._indent}{line}" for line in lines)
        return TextEdit(Span(self._tree.span(head).end, span.end), f" {{{moved}{self._newline}{base}}}")

    def _loops(self) -> TextEdit:
        tree, loop = self._tree, self._window.loops[0].node
        lines, parent = [*self._loading(), *self._adding()], loop.parent
        if parent is not None and parent.type != "compound_statement":
            span, base = tree.span(loop), indentation(self._context.text, tree.span(parent).start)
            before = loop.prev_sibling
            assert before is not None, "a lone loop has a head before it"
            moved = "".join(f"{self._newline}{base}{self._indent}{line}" for line in lines)
            return TextEdit(Span(tree.span(before).end, span.end), f" {{{moved}{self._newline}{base}}}")
        span = with_pragmas(tree, loop)
        return TextEdit(span, (self._newline + indentation(self._context.text, span.start)).join(lines))

    def _loading(self) -> list[str]:
        """The window, and the loops that fill it."""
        window, style = self._window, self._style
        lines = [f"{load.type} {self._names[load.text]}{self._dimensions()};" for load in window.window]
        lines.append(f"bool {self._is_inside}{self._dimensions()};")
        inner = [self._with_first(self._plain(node)) for node in (*window.steady, *window.of_row)]
        asked = [*(self._with_first(text) for text in window.conditions), self._needed()]
        filled = [f"{self._names[load.text]}{self._element('')} = {self._with_first(load.text)};" for load in window.window]
        inner.append(f"{self._is_inside}{self._element('')} = {' && '.join(asked)};")
        inner += style.headed(f"if ({self._is_inside}{self._element('')})", filled)
        return [*lines, *self._nest(window.loops, inner, more=(self._rows - 1) * window.stride)]

    def _adding(self) -> list[str]:
        window = self._window
        inner = self._weights()
        added = [self._used(node) for node in window.of_loads]
        added += self._nest(window.parts, [self._used(node) for node in window.statements])
        made = {v.name for node in window.of_row for v in declared_variables(self._tree, node)} | {window.row.name}
        needs_row = any(words_in(line) & made for line in added)
        of_row = [self._plain(node) for node in window.of_row] if needs_row else []
        guarded = self._style.headed(f"if ({self._is_inside}{self._element(self._step)})", added)
        inner += self._looped([*of_row, *guarded], with_row=needs_row)
        return self._nest(window.loops, [*self._steady(inner), *inner])

    def _steady(self, lines: Sequence[str]) -> list[str]:
        """Of the declarations that are the same for all rows those that the lines use."""
        found: list[str] = []
        for node in reversed(self._window.steady):
            if {v.name for v in declared_variables(self._tree, node)} & {word for line in (*found, *lines) for word in words_in(line)}:
                found.insert(0, self._plain(node))
        return found

    def _weights(self) -> list[str]:
        """Each weight, loaded where one of the rows is to use it."""
        window = self._window
        if not window.conditions and not window.parts:
            return [f"const {load.type} {self._names[load.text]} = {load.text};" for load in window.weights]
        if not window.weights:
            return []
        lines = [f"{load.type} {self._names[load.text]}{self._part_dimensions()} = {{}};" for load in window.weights]
        if window.are_of_row:
            lines.append(f"bool {self._is_used} = false;")
            used = f"{self._is_used} |= {window.row.name} < {window.bound} && {self._is_inside}{self._element(self._step)};"
            lines += self._looped([used])
        loads = self._nest(window.parts, [f"{self._weight(load)} = {load.text};" for load in window.weights])
        asked = self._is_used if window.are_of_row else " && ".join(window.conditions)
        return [*lines, *(self._style.headed(f"if ({asked})", loads) if asked else loads)]

    def _tail(self) -> TextEdit:
        tree, window = self._tree, self._window
        first, last = window.tail[0], window.tail[-1]
        span = Span(tree.span(first).start, tree.span(last).end)
        outer = indentation(self._context.text, span.start)
        text = self._replaced(span, {(n.end_byte, n.end_byte): f"[{self._part}]" for v in window.sums for n in self._in(span, v.name)})
        lines = [line.removeprefix(outer) for line in text.splitlines()]
        inner = self._style.headed(f"if ({window.row.name} < {window.bound})", lines)
        return TextEdit(span, (self._newline + outer).join(self._looped(inner)))

    def _in(self, span: Span, name: str) -> list[Node]:
        return [n for n in mentions(self._tree, self._window.function.node, name) if span.start <= self._tree.span(n).start < span.end]

    def _looped(self, body: Sequence[str], with_row: bool = True) -> list[str]:
        """Lines for each row of the thread."""
        row = self._window.row
        own = [f"const {row.type} {row.name} = {self._style.sum(self._first, self._part)};"] if with_row else []
        head = f"for (int {self._part} = 0; {self._part} < {self._rows}; {self._part}++)"
        return ["#pragma unroll", *self._style.headed(head, [*own, *body])]

    def _nest(self, loops: Sequence[WindowLoop], body: Sequence[str], more: int = 0) -> list[str]:
        """Lines in loops; ``more``: iterations that the outermost gets besides."""
        lines = list(body)
        for place, loop in reversed(list(enumerate(loops))):
            lines = ["#pragma unroll", *self._style.headed(self._head(loop, more if place == 0 else 0), lines)]
        return lines

    def _head(self, loop: WindowLoop, more: int) -> str:
        body = loop.node.child_by_field_name("body")
        assert body is not None, "a loop has a body"
        start, end = self._tree.span(loop.node).start, self._tree.span(body).start
        bound = self._tree.span(loop.header.bound_node)
        text = self._context.text
        head = text[start : bound.start] + self._more(loop.header.bound, more) + text[bound.end : end]
        return " ".join(head.split()) if "//" not in head else head.split("//")[0].strip()

    def _more(self, text: str, more: int) -> str:
        if more == 0:
            return text
        return str(int(text) + more) if text.isdigit() else self._style.sum(text, str(more))

    def _dimensions(self) -> str:
        counts = [self._count(loop) for loop in self._window.loops]
        counts[0] = self._more(counts[0], (self._rows - 1) * self._window.stride)
        return "".join(f"[{count}]" for count in counts)

    def _part_dimensions(self) -> str:
        return "".join(f"[{self._count(loop)}]" for loop in self._window.parts)

    def _count(self, loop: WindowLoop) -> str:
        """Iterations, in the words of the loop's head."""
        header = loop.header
        first, bound = header.first.replace(" ", ""), header.bound
        if first.lstrip("-").isdigit() and bound.isdigit():
            return str(loop.count)
        if header.comparison == "<=" and first == f"-{bound}":
            return f"2 * {bound} + 1"
        own = bound if first == "0" else f"{bound} + {first[1:]}" if first.startswith("-") else f"{bound} - {first}"
        return own if header.comparison == "<" else f"{own} + 1"

    def _element(self, row: str) -> str:
        """Indices of an element of the window; ``row``: what is added to that of its row."""
        return "".join(f"[{self._index(loop)}{row if at == 0 else ''}]" for at, loop in enumerate(self._window.loops))

    def _index(self, loop: WindowLoop) -> str:
        name, first = loop.header.variable, loop.header.first.replace(" ", "")
        if first == "0":
            return name
        return f"{name} + {first[1:]}" if first.startswith("-") else f"{name} - {first}"

    def _needed(self) -> str:
        """Whether one of the thread's rows in the grid needs the element, of the first row that can need it."""
        window, loop = self._window, self._window.loops[0]
        counter, last = loop.header.variable, loop.last
        bound = window.bound if window.bound.isidentifier() or window.bound.isdigit() else f"({window.bound})"
        if not (loop.header.bound.isdigit() and loop.header.first.replace(" ", "").lstrip("-").isdigit()):
            words = loop.header.bound if loop.header.comparison == "<=" else f"{loop.header.bound} - 1"
            far = f"{bound} + {words}" if window.stride == 1 else f"({bound} - 1) * {window.stride} + {words} + 1"
        elif window.stride == 1:
            far = f"{bound} + {last}" if last > 0 else bound if last == 0 else f"{bound} - {-last}"
        else:
            rest = last + 1 - window.stride
            far = f"{bound} * {window.stride}" + (f" + {rest}" if rest > 0 else f" - {-rest}" if rest < 0 else "")
        near = self._first if window.stride == 1 else f"{self._first} * {window.stride}"
        return f"{near} + {counter} < {far}"

    def _weight(self, load: WindowLoad) -> str:
        return self._names[load.text] + "".join(f"[{self._index(loop)}]" for loop in self._window.parts)

    def _used(self, node: Node) -> str:
        """A statement with elements of the window, values of weights, and the row's sums."""
        window, part = self._window, self._part
        changes: dict[tuple[int, int], str] = {}
        for load in (*window.window, *window.weights):
            new = self._weight(load) if load in window.weights else f"{self._names[load.text]}{self._element(self._step)}"
            changes |= {(n.start_byte, n.end_byte): new for n in load.nodes if node.start_byte <= n.start_byte < node.end_byte}
        changes |= {(n.end_byte, n.end_byte): f"[{part}]" for v in window.sums for n in mentions(self._tree, node, v.name)}
        return " ".join(self._replaced(self._tree.span(node), changes).split())

    def _of_sums(self, node: Node) -> str:
        changes = {(n.end_byte, n.end_byte): f"[{self._part}]" for v in self._window.sums for n in mentions(self._tree, node, v.name)}
        return self._replaced(self._tree.span(node), changes)

    def _replaced(self, span: Span, changes: dict[tuple[int, int], str]) -> str:
        """``changes``: by bytes of the file."""
        data, (start, end) = self._context.text.encode(), (span.start, span.end)
        first, last = len(self._context.text[:start].encode()), len(self._context.text[:end].encode())
        piece = data[first:last]
        for (low, high), new in sorted(changes.items(), reverse=True):
            piece = piece[: low - first] + new.encode() + piece[high - first :]
        return piece.decode()

    def _plain(self, node: Node) -> str:
        return " ".join(self._tree.text(node).split())

    def _with_first(self, text: str) -> str:
        """The text with the thread's first row in the place of the row."""
        return _renamed(text, self._window.row.name, self._first)


def _renamed(text: str, name: str, new: str) -> str:
    return re.sub(rf"\b{re.escape(name)}\b", new, text)
