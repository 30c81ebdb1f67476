"""The text of a stencil whose threads compute several rows, one after another, and keep in registers what the next row loads again.

Example::

    row_march_edits(context, rows, 4)
"""

from __future__ import annotations

import re
from itertools import pairwise

from assistant.cuda.accesses import ArrayAccess
from assistant.cuda.files import line_end
from assistant.cuda.names import words_in
from assistant.cuda.syntax import Node
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.row_march import Chain, MarchedRows
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import comments_of, indentation
from assistant.plan.expert.writing.style import style_of

__all__ = ["row_march_edits"]

_NAMES = {
    2: ("here", "below"),
    3: ("above", "here", "below"),
    4: ("above", "here", "below", "below_2"),
    5: ("above_2", "above", "here", "below", "below_2"),
}
"""By the length of a chain."""
_SIDES = {-2: "left_2", -1: "left", 1: "right", 2: "right_2"}


def row_march_edits(context: TransformationContext, rows: MarchedRows, count: int) -> tuple[TextEdit, ...]:
    """One edit over the kernel's statements; a thread has ``count`` rows."""
    body = context.tree.span(rows.function.body)
    return (TextEdit(Span(body.start + 1, body.end - 1), _Writer(context, rows, count).kernel()),)


class _Writer:
    def __init__(self, context: TransformationContext, rows: MarchedRows, count: int) -> None:
        self._tree, self._rows, self._count = context.tree, rows, count
        self._newline = line_end(context.text)
        self._outer = indentation(context.text, context.kernel.span.start)
        self._style = style_of(context)
        self._taken = set(words_in(context.text[context.kernel.span.start : context.kernel.span.end]))
        name = rows.row.name
        self._first, self._end = self._free(self._style.name("first", name)), self._free(self._style.name("end", name))
        self._registers = [self._chain_names(chain) for chain in rows.chains]

    def kernel(self) -> str:
        """Everything between the braces of the kernel."""
        rows, row, step = self._rows, self._rows.row, self._style.indent
        lines = [line for node in rows.before for line in self._declared(node)]
        lines += [
            f"const int {self._first} = {self._start()};",
            f"const int {self._end} = min({self._first} + {self._count}, {self._bound()});",
        ]
        begin = self._first
        if rows.lower:
            operator, bound = rows.lower[0]
            begin = f"max({self._first}, {bound if operator == '>=' else _and_one(bound)})"
        lines.append(f"int {row.name} = {begin};")
        inner = [*self._kept(), f"for (; {row.name} < {self._end}; ++{row.name}) {{", *(step + line for line in self._body()), "}"]
        if rows.is_around:
            lines += [f"if ({' && '.join([*rows.others, f'{row.name} < {self._end}'])}) {{", *(step + line for line in inner), "}"]
        else:
            lines += [f"if ({' || '.join([*rows.others, f'{row.name} >= {self._end}'])}) return;", *inner]
        one = self._outer + step
        return self._newline + self._newline.join(one + line for line in lines) + self._newline + self._outer

    def _declared(self, node: Node) -> list[str]:
        above, behind = comments_of(self._tree, node)
        return [*above, self._tree.text(node) + behind]

    def _start(self) -> str:
        value = self._rows.row.value
        assert value is not None, "the row is declared with its value"
        if self._rows.offset == 0:
            return f"({self._tree.text(value)}) * {self._count}"
        return f"(blockIdx.y * blockDim.y + threadIdx.y) * {self._count} + {self._rows.offset}"

    def _bound(self) -> str:
        operator, bound = self._rows.upper[0]
        return bound if operator == "<" else _and_one(bound)

    def _kept(self) -> list[str]:
        """All but the last load of each chain, for the thread's first row."""
        lines: list[str] = []
        for chain, names in zip(self._rows.chains, self._registers, strict=True):
            lines += [f"{chain.type} {name} = {text};" for text, name in zip(chain.texts[:-1], names, strict=False)]
        return lines

    def _body(self) -> list[str]:
        lines = [line for node in self._rows.derived for line in self._declared(node)]
        for chain, names in zip(self._rows.chains, self._registers, strict=True):
            lines.append(f"const {chain.type} {names[-1]} = {chain.texts[-1]};")
        for node in self._rows.statements:
            lines += self._replaced(node)
        for names in self._registers:
            lines += [f"{name} = {after};" for name, after in pairwise(names)]
        return lines

    def _replaced(self, node: Node) -> list[str]:
        span, text = self._tree.span(node), self._tree.text(node)
        uses: list[tuple[ArrayAccess, str]] = [
            (use, name)
            for chain, names in zip(self._rows.chains, self._registers, strict=True)
            for load, name in zip(chain.uses, names, strict=True)
            for use in load
            if node.start_byte <= use.node.start_byte < node.end_byte
        ]
        for use, name in sorted(uses, key=lambda each: each[0].node.start_byte, reverse=True):
            place = self._tree.span(use.node)
            text = text[: place.start - span.start] + name + text[place.end - span.start :]
        indent, (above, behind) = indentation(self._tree.source, span.start), comments_of(self._tree, node)
        lines = [line.removeprefix(indent).rstrip() for line in text.splitlines()]
        if uses:
            lines = [re.sub(r"(?<=\S) {2,}", " ", line) for line in lines]
        return [*above, *lines[:-1], lines[-1] + behind]

    def _chain_names(self, chain: Chain) -> list[str]:
        side = () if chain.column == 0 else (_SIDES.get(chain.column, "beside"),)
        several = len({c.base for c in self._rows.chains}) > 1
        base = (chain.base.rstrip("_"),) if several else ()
        return [self._free(self._style.name(*base, *name.split("_"), *side)) for name in _NAMES[len(chain.texts)]]

    def _free(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}{number}", number + 1
        self._taken.add(name)
        return name


def _and_one(bound: str) -> str:
    return str(int(bound) + 1) if bound.isdigit() else f"{bound} + 1"
