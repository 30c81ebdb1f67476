"""The text of a kernel whose threads compute several neighbouring elements, loaded and stored by one access each.

Example::

    vector_edits(context, VectorKernel(kernel, VectorTypes(count=4, …)))
"""

from __future__ import annotations

from assistant.cuda.files import line_end
from assistant.cuda.names import mentions, words_in
from assistant.cuda.syntax import Node
from assistant.cuda.variables import declared_variables
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.analysis.elementwise_kernel import ElementwiseKernel, StreamedPointer
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import comments_of, indentation
from assistant.plan.expert.writing.style import is_simple_term, style_of
from assistant.plan.expert.writing.sums_of_names import simplified
from assistant.plan.expert.writing.vector_types import VectorTypes
from assistant.record import Record

__all__ = ["VectorKernel", "vector_edits"]


class VectorKernel(Record):
    """All that the new text is made of."""

    kernel: ElementwiseKernel
    types: VectorTypes

    @property
    def count(self) -> int:
        """Elements of a thread."""
        return self.types.count


def vector_edits(context: TransformationContext, vector: VectorKernel) -> tuple[TextEdit, ...]:
    """One edit over the kernel's statements."""
    body = context.tree.span(vector.kernel.function.body)
    return (TextEdit(Span(body.start + 1, body.end - 1), _Writer(context, vector).kernel()),)


class _Writer:
    def __init__(self, context: TransformationContext, vector: VectorKernel) -> None:
        self._tree, self._vector, self._kernel = context.tree, vector, vector.kernel
        self._newline = line_end(context.text)
        self._outer = indentation(context.text, context.kernel.span.start)
        self._style = style = style_of(context)
        self._step = style.indent
        self._taken = set(words_in(context.text[context.kernel.span.start : context.kernel.span.end]))
        self._first, self._lane = self._free("first", style.name("first", "element")), self._free("k", "lane")
        self._aligned = self._free("aligned", style.name("is", "aligned"))
        self._arrays = {pointer: self._array(pointer) for pointer in self._kernel.pointers}
        self._mirrored = [s for s in self._kernel.statements if self._is_mirror_alone(s)]

    def kernel(self) -> str:
        """Everything between the braces of the kernel."""
        kernel, count = self._kernel, self._vector.count
        lines = self._heading()
        lines.append(f"const bool {self._aligned} = {self._alignment()};")
        start = f"({self._tree.text(kernel.start)}) * {count}"
        if kernel.loop is None:
            lines += [f"const {kernel.index_type} {self._first} = {start};", *self._choice()]
        else:
            stride = kernel.stride if kernel.stride.isidentifier() else f"({kernel.stride})"
            head = (
                f"for ({kernel.index_type} {self._first} = {start}; {self._first} < {kernel.bound}; {self._first} += {stride} * {count}) {{"
            )
            lines += [head, *self._inner(self._choice()), "}"]
        one = self._outer + self._step
        return self._newline + self._newline.join(one + line for line in lines) + self._newline + self._outer

    def _heading(self) -> list[str]:
        """Declarations that all threads share, and comments on lines of their own."""
        kernel, tree = self._kernel, self._tree
        last = kernel.statements[0].start_byte if kernel.loop is None else kernel.loop.start_byte
        above = [n for n in kernel.function.body.named_children if n.end_byte <= last]
        rows = {n.end_point[0] for n in above if n.type != "comment"}
        alone = [n for n in above if n.type == "comment" and n.start_point[0] not in rows and n != kernel.statements[0].prev_named_sibling]
        kept = sorted((*kernel.shared, *alone), key=lambda node: node.start_byte)
        return [tree.text(n) + (comments_of(tree, n)[1] if n.type != "comment" else "") for n in kept]

    def _choice(self) -> list[str]:
        """Vectors where all elements are there, one after another otherwise."""
        kernel, first, count = self._kernel, self._first, self._vector.count
        index, bound = kernel.index, kernel.bound
        rest = f"for ({kernel.index_type} {index} = {first}; {index} < {bound} && {index} < {first} + {count}; ++{index})"
        return [
            f"if ({self._aligned} && {first} + {count} <= {bound}) {{",
            *self._inner(self._by_vectors()),
            "} else {",
            *self._inner(self._loop(rest, self._plain())),
            "}",
        ]

    def _loop(self, head: str, body: list[str]) -> list[str]:
        """With braces around more than one line."""
        return [head, *self._inner(body)] if len(body) == 1 else [f"{head} {{", *self._inner(body), "}"]

    def _inner(self, lines: list[str]) -> list[str]:
        return [self._step + line for line in lines]

    def _by_vectors(self) -> list[str]:
        kernel, count = self._kernel, self._vector.count
        lines: list[str] = []
        for pointer in kernel.pointers:
            array, vector = self._arrays[pointer], self._type(pointer)
            lines.append(f"alignas({self._bytes(pointer)}) {pointer.type} {array}[{count}];")
            if pointer.is_read:
                source = f"reinterpret_cast<const {vector} *>({self._address(pointer)})"
                lines.append(f"*reinterpret_cast<{vector} *>({array}) = *{source};")
        body = [f"const {kernel.index_type} {kernel.index} = {self._first} + {self._lane};"] if self._needs_index() else []
        body += [line for node in kernel.statements if node not in self._mirrored for line in self._replaced(node)]
        lines += ["#pragma unroll", *self._loop(f"for (int {self._lane} = 0; {self._lane} < {count}; ++{self._lane})", body)]
        for pointer in kernel.pointers:
            if pointer.is_written:
                array, vector = self._arrays[pointer], self._type(pointer)
                target = f"reinterpret_cast<{vector} *>({self._address(pointer)})"
                lines.append(f"*{target} = *reinterpret_cast<{vector} *>({array});")
        return lines

    def _type(self, pointer: StreamedPointer) -> str:
        """The type of a vector access."""
        return self._vector.types.vector(pointer.name)

    def _bytes(self, pointer: StreamedPointer) -> int:
        return self._vector.types.bytes(pointer.name)

    def _alignment(self) -> str:
        """Whether every pointer is aligned to its vectors."""
        checks = [self._vector.types.alignment((pointer.name, pointer.name) for pointer in self._kernel.pointers)]
        mirrors = [p.mirror for p in self._kernel.pointers if p.mirror is not None]
        for whole in dict.fromkeys(simplified((*mirror.texts, ("+", "1"))) for mirror in mirrors):
            checks.append(f"{whole if is_simple_term(whole) else f'({whole})'} % {self._vector.count} == 0")
        return " && ".join(checks)

    def _array(self, pointer: StreamedPointer) -> str:
        """Name of a thread's elements."""
        name, count = pointer.name.rstrip("_"), self._vector.count
        if pointer.mirror is not None:
            return self._free(self._style.name(f"{name}{count}", "mirrored"))
        return self._free(f"{name}{count}", f"{name}_{count}")

    def _address(self, pointer: StreamedPointer) -> str:
        """Where a thread's elements begin; from the other end that is where the last of them lies."""
        if pointer.mirror is None:
            return f"{pointer.name} + {self._first}"
        place = simplified((*pointer.mirror.texts, ("-", self._first), ("-", str(self._vector.count - 1))))
        return f"{pointer.name} + ({place})"

    def _is_mirror_alone(self, node: Node) -> bool:
        """A declaration of nothing but a place from the other end, which the vectors make needless."""
        variables = tuple(declared_variables(self._tree, node)) if node.type == "declaration" else ()
        elements = [e for p in self._kernel.pointers if p.mirror is not None for e in p.elements]
        body = self._kernel.function.body
        used = [n for v in variables for n in mentions(self._tree, body, v.name) if not node.start_byte <= n.start_byte < node.end_byte]
        return bool(used) and all(any(e.start_byte <= n.start_byte < e.end_byte for e in elements) for n in used)

    def _elements(self, node: Node) -> dict[Span, str]:
        """Each element of the node, as that of the thread's array."""
        found: dict[Span, str] = {}
        for pointer in self._kernel.pointers:
            place = self._lane if pointer.mirror is None else f"{self._vector.count - 1} - {self._lane}"
            for element in pointer.elements:
                if node.start_byte <= element.start_byte < node.end_byte:
                    found[self._tree.span(element)] = f"{self._arrays[pointer]}[{place}]"
        return found

    def _needs_index(self) -> bool:
        kernel, tree = self._kernel, self._tree
        for node in (n for n in kernel.statements if n not in self._mirrored):
            inside = self._elements(node)
            names = (tree.span(n) for n in mentions(tree, node, kernel.index))
            if any(not any(e.start <= n.start < e.end for e in inside) for n in names):
                return True
        return False

    def _replaced(self, node: Node) -> list[str]:
        span, text = self._tree.span(node), self._tree.text(node)
        for element, new in sorted(self._elements(node).items(), key=lambda each: each[0].start, reverse=True):
            text = text[: element.start - span.start] + new + text[element.end - span.start :]
        above, behind = comments_of(self._tree, node)
        lines = self._lines(node, text)
        return [*above, *lines[:-1], lines[-1] + behind]

    def _plain(self) -> list[str]:
        return [line for node in self._kernel.statements for line in self._lines(node, self._tree.text(node))]

    def _lines(self, node: Node, text: str) -> list[str]:
        """The node's lines, without the indentation that its first line has in the source."""
        indent = indentation(self._tree.source, self._tree.span(node).start)
        return [line.removeprefix(indent).rstrip() for line in text.splitlines()]

    def _free(self, *wanted: str) -> str:
        name = next((w for w in wanted if w not in self._taken), None)
        number = 2
        while name is None:
            candidate = f"{wanted[-1]}{number}"
            name = candidate if candidate not in self._taken else None
            number += 1
        self._taken.add(name)
        return name
