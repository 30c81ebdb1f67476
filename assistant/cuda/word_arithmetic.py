"""Arithmetic on 64-bit integers of device code, whole or on their low halves alone, whose carry the high half then lacks.

A half is low where it is cast from a value that is shifted by 32 in the same function. Packed pairs of numbers look alike, so that only
a comparison with what another version does to the same value shows a lost carry. Example::

    word_arithmetic(tree)   # of `lo = (uint32_t)c.counter + n; hi = (uint32_t)(c.counter >> 32);`
    # (WordArithmetic("init", "counter", "+", True, "(uint32_t)c.counter + n", 3),)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.cuda.assignments import assignments
from assistant.cuda.casts import Cast, cast_of
from assistant.cuda.functions import Function, functions
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, kept, node_text, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.model.word_arithmetic import WordArithmetic

__all__ = ["word_arithmetic"]

_OPERATORS = ("+", "-", "*")
_HALF_BITS = re.compile(r"32[uUlL]*")
_NARROW = re.compile(r"(?:std::)?(?:u?int32_t|uint|(?:unsigned|signed)(?:int)?|int)")
_WIDE = re.compile(r"(?:std::)?(?:u?int64_t|size_t|ptrdiff_t|ssize_t|(?:unsigned|signed)?long(?:long)?(?:int)?|(?:long)+unsigned(?:int)?)")
_WIDE_LITERAL = re.compile(r"\w+[lL][uU]?")
_CARRIES = re.compile(r"\b(?:__(?:add|sub)c?_cc|__u?mul(?:64)?hi)\b|\b(?:addc?|subc?|madc?)\.(?:cc|u32|s32)\b|\bmul\.hi\b|\bmad\.hi\b")
"""Intrinsics and instructions that give the carry or the high half of a product."""
_COMPARISONS = ("<", ">", "<=", ">=")
_MAX_DEPTH = 8
"""Longest chain of locals that is followed."""


def word_arithmetic(tree: SyntaxTree) -> tuple[WordArithmetic, ...]:
    """The word arithmetic of kernels and device functions, in source order."""
    found = (one for f in functions(tree) if f.is_kernel or f.is_device for one in _Reader(tree, f).found())
    return tuple(sorted(found, key=lambda one: one.line))


class _Reader:
    """One function."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._function = function
        self._locals: Mapping[str, tuple[Variable, ...]] = locals_of(tree, function.body)
        self._wide_names = _wide_names(tree)
        self._split_words = frozenset(self._shifted())
        self._compared = frozenset(self._comparands())
        self._sees_carries = _CARRIES.search(tree.text(function.body)) is not None

    def found(self) -> Iterator[WordArithmetic]:
        for node in self._tree.find("binary_expression", inside=self._function.body):
            parts = binary_parts(node)
            if parts is not None and parts[0] in _OPERATORS:
                yield from self._operation(node, parts[0], parts[1], parts[2])
        for change in assignments(self._tree, self._function.body):
            if change.operator[0] in _OPERATORS:
                yield from self._operation(change.node, change.operator[0], change.target, change.value)

    def _operation(self, node: Node, operator: str, left: Node, right: Node | None) -> Iterator[WordArithmetic]:
        for operand, other in ((left, right), (right, left)):
            half = None if operand is None else self._low_half(operand)
            if operand is not None and half is None and self._is_wide(operand):
                yield self._arithmetic(node, operator, self._word(operand), is_of_low_half=False)
            elif operand is not None and half in self._split_words and not self._keeps_carry(node, operand, other):
                yield self._arithmetic(node, operator, half, is_of_low_half=True)

    def _arithmetic(self, node: Node, operator: str, word: str, is_of_low_half: bool) -> WordArithmetic:
        code = " ".join(self._tree.text(node).split())
        return WordArithmetic(self._function.name, word, operator, is_of_low_half, code, self._tree.line(node))

    def _low_half(self, node: Node, depth: int = 0) -> str | None:
        """The word whose low half an expression is: ``(uint32_t)word``, or a narrow local made of it."""
        node = unparenthesized(node)
        if node.type == "identifier" and depth < _MAX_DEPTH:
            variable = self._only(node)
            if variable is None or variable.value is None or _NARROW.fullmatch(variable.type.replace(" ", "")) is None:
                return None
            inner = self._low_half(variable.value, depth + 1)
            word = self._word(variable.value)
            return inner or (word if word in self._split_words else None)
        cast = cast_of(node)
        if cast is None or not _is_of(_NARROW, cast) or binary_parts(unparenthesized(cast.value)) is not None:
            return None
        return self._word(cast.value)

    def _word(self, node: Node, depth: int = 0) -> str:
        """The last name of a value, that of what a local is made of for a local."""
        node = unparenthesized(node)
        cast = cast_of(node)
        if cast is not None and _is_of(_WIDE, cast):
            return self._word(cast.value, depth)
        variable = self._only(node) if node.type == "identifier" and depth < _MAX_DEPTH else None
        if variable is not None and variable.value is not None and _is_name(variable.value):
            return self._word(variable.value, depth + 1)
        return _last_name(self._tree, node)

    def _only(self, node: Node) -> Variable | None:
        declared = self._locals.get(self._tree.text(node), ())
        return declared[0] if len(declared) == 1 else None

    def _is_wide(self, node: Node) -> bool:
        node = unparenthesized(node)
        cast = cast_of(node)
        if cast is not None:
            return _is_of(_WIDE, cast)
        if node.type == "number_literal":
            return _WIDE_LITERAL.fullmatch(self._tree.text(node)) is not None
        parts = binary_parts(node)
        if parts is not None:
            return self._is_wide(parts[1]) or self._is_wide(parts[2])
        return _is_name(node) and _last_name(self._tree, node) in self._wide_names

    def _keeps_carry(self, node: Node, operand: Node, other: Node | None) -> bool:
        """Whether the sum is one of 64 bits after all, or something asks whether it went beyond 32."""
        targets = set(self._targets(node))
        if self._sees_carries or targets & self._compared or self._text(node) in self._compared or self._text(operand) in self._compared:
            return True
        if other is None or not self._is_wide(other):
            return False
        return not targets or any(target.split("[")[0].split(".")[-1] in self._wide_names for target in targets)

    def _targets(self, node: Node) -> Iterator[str]:
        """What the result is stored in."""
        parent = node.parent
        while parent is not None and parent.type in ("parenthesized_expression", "binary_expression", "cast_expression"):
            node, parent = parent, parent.parent
        for each in (node, parent):
            field = {"assignment_expression": "left", "update_expression": "argument", "init_declarator": "declarator"}
            target = None if each is None else each.child_by_field_name(field.get(each.type, ""))
            if target is not None:
                yield self._text(target)

    def _shifted(self) -> Iterator[str]:
        for node in self._tree.find("binary_expression", inside=self._function.body):
            parts = binary_parts(node)
            if parts is not None and parts[0] == ">>" and _HALF_BITS.fullmatch(self._tree.text(parts[2])):
                yield self._word(parts[1])

    def _comparands(self) -> Iterator[str]:
        for node in self._tree.find("binary_expression", inside=self._function.body):
            parts = binary_parts(node)
            if parts is not None and parts[0] in _COMPARISONS:
                yield from (self._text(unparenthesized(part)) for part in parts[1:])

    def _text(self, node: Node) -> str:
        return "".join(self._tree.text(node).split())


@kept
def _wide_names(tree: SyntaxTree) -> frozenset[str]:
    """Variables, parameters and members that are declared with 64 bits anywhere in the text."""
    found: set[str] = set()
    for node in tree.find("declaration", "field_declaration", "parameter_declaration", "optional_parameter_declaration"):
        kind = node.child_by_field_name("type")
        if kind is not None and _WIDE.fullmatch("".join(tree.text(kind).split())):
            found |= {tree.text(name) for d in node.children_by_field_name("declarator") for name in _declared(tree, d)}
    return frozenset(found)


def _declared(tree: SyntaxTree, declarator: Node) -> Iterator[Node]:
    inner = declarator.child_by_field_name("declarator") or next((c for c in declarator.named_children if "declarator" in c.type), None)
    if declarator.type in ("identifier", "field_identifier"):
        yield declarator
    elif inner is not None:
        yield from _declared(tree, inner)
    else:
        yield from (child for child in declarator.named_children[:1] if child.type == "identifier")


def _is_of(types: re.Pattern[str], cast: Cast) -> bool:
    return types.fullmatch(cast.type.replace(" ", "")) is not None


def _is_name(node: Node) -> bool:
    return unparenthesized(node).type in ("identifier", "field_expression", "subscript_expression")


def _last_name(tree: SyntaxTree, node: Node) -> str:
    """``counter`` of ``c.counter`` and of ``counter[i]``; the text without spaces of anything else."""
    if node.type == "field_expression":
        field = node.child_by_field_name("field")
        return "" if field is None else node_text(field)
    if node.type == "subscript_expression":
        argument = node.child_by_field_name("argument")
        return "" if argument is None else _last_name(tree, argument)
    return "".join(tree.text(node).split())
