"""Device code that reads addresses: integers made of pointers, comparisons of pointers, questions where memory lies.

Where memory lies is up to each machine, so what follows from it holds for one layout only. The guard of a vectorized path
(``(uintptr_t)p & 15``) asks for no more than what every allocation gives, and is reported as such. Example::

    address_doubts(tree)     # (Doubt("alignment", "k", "x", "(uintptr_t)x&15", 3),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.constants import integer_constant
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, unparenthesized
from assistant.cuda.variables import locals_of
from assistant.model.doubts import Doubt

__all__ = ["address_doubts"]

_ALLOCATION_BYTES = 256
"""Every allocation begins at a multiple of it (CUDA C++ Programming Guide 13.0, "Device Memory Accesses"); the emulator's do, too."""
_INTEGER = re.compile(r"(?:std::)?(?:u?intptr_t|size_t|ptrdiff_t|u?int\d+_t|(?:unsigned|signed|long|int|short|char)+)")
_OF_POINTERS = re.compile(r"(?:std::)?u?intptr_t")
_REINTERPRET = re.compile(r"reinterpret_cast\s*<\s*(?P<type>[\w:\s]+)\s*>")
_PLACE = re.compile(
    r"__is(?:Global|Shared|Constant|Local|GridConstant|ClusterShared)|__cvta_\w+|alloca"
    r"|__builtin_(?:frame_address|return_address|stack_address|dwarf_cfa|extract_return_addr|alloca\w*)"
)
_COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "-"})


def address_doubts(tree: SyntaxTree) -> tuple[Doubt, ...]:
    """Doubts about kernels and device functions, in source order."""
    found = (doubt for f in functions(tree) if f.is_kernel or f.is_device for doubt in _Reader(tree, f).doubts())
    return tuple(sorted(found, key=lambda doubt: doubt.line))


class _Reader:
    """One function."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._function = function
        self._parameters = frozenset(variable.name for variable in function.parameters if variable.is_pointer)
        declared = (variable for each in locals_of(tree, function.body).values() for variable in each)
        self._pointers = self._parameters | frozenset(variable.name for variable in declared if variable.is_pointer or variable.is_array)

    def doubts(self) -> Iterator[Doubt]:
        body = self._function.body
        for node in self._tree.find("cast_expression", inside=body):
            kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
            if kind is not None and value is not None:
                yield from self._cast(node, self._tree.text(kind), value, is_certain=False)
        for node in self._tree.find("call_expression", inside=body):
            yield from self._call(node)
        for node in self._tree.find("binary_expression", inside=body):
            yield from self._comparison(node)

    def _call(self, node: Node) -> Iterator[Doubt]:
        function, arguments = node.child_by_field_name("function"), given_arguments(node)
        name = callee_name(self._tree, node)
        if _PLACE.fullmatch(name):
            yield Doubt("place", self._function.name, name, self._code(node), self._tree.line(node))
        if function is None or len(arguments) != 1:
            return
        reinterpreted = _REINTERPRET.fullmatch(self._tree.text(function))
        if reinterpreted is not None:
            yield from self._cast(node, reinterpreted["type"], arguments[0], is_certain=True)
        elif _OF_POINTERS.fullmatch(name):
            yield from self._cast(node, name, arguments[0], is_certain=False)

    def _cast(self, node: Node, kind: str, value: Node, is_certain: bool) -> Iterator[Doubt]:
        kind = "".join(kind.replace("const", " ").split())
        pointer = self._pointer_in(value)
        if _INTEGER.fullmatch(kind) is None or not (pointer or is_certain or _OF_POINTERS.fullmatch(kind)):
            return
        whole = self._combined(node)
        guard = self._guard(whole) or self._guard_by_name(whole)
        code = self._code(whole if guard is None else guard)
        yield Doubt(
            "address" if guard is None else "alignment", self._function.name, pointer or self._code(value), code, self._tree.line(node)
        )

    def _pointer_in(self, value: Node) -> str | None:
        """The pointer that an expression is, or is an offset from."""
        value = unparenthesized(value)
        if value.type == "identifier":
            name = self._tree.text(value)
            return name if name in self._pointers else None
        if value.type == "pointer_expression" and self._tree.text(value).startswith("&"):
            return self._code(value)
        parts = binary_parts(value)
        if parts is None or parts[0] not in ("+", "-"):
            return None
        return self._pointer_in(parts[1]) or self._pointer_in(parts[2])

    def _combined(self, node: Node) -> Node:
        """With what an ``|`` or ``+`` joins it to."""
        parent = node.parent
        while parent is not None and (parent.type == "parenthesized_expression" or self._operator(parent) in ("|", "+")):
            node, parent = parent, parent.parent
        return node

    def _guard_by_name(self, node: Node) -> Node | None:
        """As ``_guard``, of the variable that it initializes, where nothing else is done with that."""
        parent = node.parent
        declared = None if parent is None or parent.type != "init_declarator" else parent.child_by_field_name("declarator")
        if declared is None:
            return None
        named = (
            one for one in self._tree.find("identifier", inside=self._function.body) if self._tree.text(one) == self._tree.text(declared)
        )
        guards = [self._guard(one) for one in named if one != declared]
        return guards[0] if guards and all(guards) else None

    def _guard(self, node: Node) -> Node | None:
        """The expression that takes only the lowest bits, which every allocation has alike; None where more is asked for."""
        parent = node.parent
        parts = None if parent is None else binary_parts(parent)
        if parent is None or parts is None or parts[0] not in ("&", "%") or parts[1] != node:
            return None
        limit = _ALLOCATION_BYTES + (parts[0] == "%")
        text = re.sub(r"\b(?:sizeof|alignof)\s*\([^()]*\)", "16", self._tree.text(parts[2]))
        value = integer_constant(self._tree, text)
        return parent if value is not None and 0 < value < limit else None

    def _comparison(self, node: Node) -> Iterator[Doubt]:
        parts = binary_parts(node)
        if parts is None or parts[0] not in _COMPARISONS:
            return
        names = [self._tree.text(unparenthesized(part)) for part in parts[1:]]
        if len(set(names)) == 2 and self._parameters.issuperset(names):
            yield Doubt(
                "comparison", self._function.name, " ".join((names[0], parts[0], names[1])), self._code(node), self._tree.line(node)
            )

    def _operator(self, node: Node) -> str | None:
        parts = binary_parts(node)
        return None if parts is None else parts[0]

    def _code(self, node: Node) -> str:
        return "".join(self._tree.text(node).split())
