"""Which arrays a kernel stores, adds to or takes indices from, and the largest index of their accesses.

Example::

    highest_index(reaches(names, "in", 4), ranges)    # 'h*w - 1' of `const float *row = in + y * w; s = row[x];`
"""

from __future__ import annotations

from assistant.cuda.accesses import PointerUse, Use, uses_of
from assistant.cuda.body_names import BodyNames
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.casts import without_integer_casts
from assistant.cuda.macros import macro_texts
from assistant.cuda.names import names_in
from assistant.cuda.parameters import declared_name
from assistant.cuda.reaches import Reach
from assistant.cuda.recovery import located, recover
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts
from assistant.cuda.tokens import words_in_code
from assistant.model.source import Kernel
from assistant.workload.polynomial import ONE, ZERO, Polynomial
from assistant.workload.ranges import Ranges, probe

__all__ = ["highest_index", "is_accumulated", "is_only_stored", "is_used_as_index", "is_written", "loaded", "maybe_written", "only_stored"]

_MOST_COPIES = 4
"""A pointer that is copied from pointer to pointer is followed so far."""


def highest_index(accesses: tuple[Reach, ...], ranges: Ranges) -> Polynomial | None:
    """The largest index of all accesses; None where one is not known, or where there are none."""
    highs: list[Polynomial] = []
    for parts in accesses:
        total = ZERO
        for part in parts:
            high = ranges.highest_sum(part.terms)
            if high is None:
                return None
            total += Polynomial.of(part.scale) * high
        highs.append(total + Polynomial.of(parts[-1].scale) - ONE)
    return max(highs, key=probe, default=None)


def only_stored(text: str, kernel: Kernel) -> frozenset[str]:
    """The parameters of ``kernel``, which is in ``text``, whose elements it stores and never loads."""
    names = BodyNames(*located(recover(text).trees, kernel.body))
    return frozenset(parameter.name for parameter in kernel.parameters if parameter.is_pointer and is_only_stored(parameter.name, names))


def loaded(text: str, kernel: Kernel) -> frozenset[str]:
    """The parameters of ``kernel``, which is in ``text``, that it loads from for more than to add there; none of a macro's kernel."""
    if kernel.macro:
        return frozenset()
    names = BodyNames(*located(recover(text).trees, kernel.body))
    pointers = (parameter.name for parameter in kernel.parameters if parameter.is_pointer and not is_only_stored(parameter.name, names))
    return frozenset(name for name in pointers if not is_accumulated(name, names))


def maybe_written(text: str, kernel: Kernel) -> frozenset[str]:
    """The parameters of ``kernel``, which is in ``text``, whose elements it may store to: not those that it plainly reads alone."""
    pointers = [parameter.name for parameter in kernel.parameters if parameter.is_pointer and not parameter.is_const]
    if kernel.macro:
        return frozenset(pointers)
    names = BodyNames(*located(recover(text).trees, kernel.body))
    in_macros = {word for texts in macro_texts(names.tree).values() for text in texts for word in words_in_code(text)}
    return frozenset(name for name in pointers if name in in_macros or is_written(name, names))


def is_only_stored(name: str, names: BodyNames, most_copies: int = _MOST_COPIES) -> bool:
    """Every use is a plain store to an element: by name, or through a local pointer that it is copied to."""
    uses = uses_of(names.tree, names.body, name)
    return bool(uses) and all(use.kind is Use.WRITE or _is_copied_to_store(use, names, most_copies) for use in uses)


def _is_copied_to_store(use: PointerUse, names: BodyNames, most_copies: int) -> bool:
    """Whether a local pointer begins as this one, or at an offset from it, and is itself only stored through."""
    if use.kind is not Use.ESCAPE or not most_copies:
        return False
    value = use.node
    while value.parent is not None and value.parent.type in ("binary_expression", "parenthesized_expression"):
        parts = binary_parts(value.parent)
        if parts is not None and (parts[0] != "+" or parts[1] != value):
            return False
        value = value.parent
    parent = value.parent
    declarator = None if parent is None or parent.type != "init_declarator" else parent.child_by_field_name("declarator")
    if declarator is None or declarator.type != "pointer_declarator":
        return False
    copy = declared_name(declarator)
    return copy is not None and is_only_stored(names.tree.text(copy), names, most_copies - 1)


def is_written(name: str, names: BodyNames) -> bool:
    """An element may be stored to: by name, or through what the pointer is copied or passed to."""
    return any(use.kind is not Use.READ for use in uses_of(names.tree, names.body, name))


def is_accumulated(name: str, names: BodyNames) -> bool:
    """An ``atomicAdd`` goes to it."""
    calls = names.tree.find("call_expression", inside=names.body)
    targets = (given_arguments(call)[:1] for call in calls if callee_name(names.tree, call).startswith("atomicAdd"))
    return any(_is_into(names, target, name) for (target,) in filter(None, targets))


def is_used_as_index(name: str, names: BodyNames) -> bool:
    """An element of it stands inside another array's brackets, itself or by a variable that it was read into."""
    tree = names.tree
    holders = {holder for holder, values in names.settings.items() if any(_is_element(tree, value, name) for value in values)}
    indices = list(tree.find("subscript_argument_list", inside=names.body))
    return any(
        holders & names_in(tree, index) or any(_is_element(tree, inner, name) for inner in tree.find("subscript_expression", inside=index))
        for index in indices
    )


def _is_element(tree: SyntaxTree, node: Node, name: str) -> bool:
    """Whether ``node`` is an element of the array, or begins with one: ``keys[i] & 255``."""
    node = without_integer_casts(node)
    while (parts := binary_parts(node)) is not None:
        node = without_integer_casts(parts[1])
    array = node.child_by_field_name("argument") if node.type == "subscript_expression" else None
    return array is not None and tree.text(array) == name


def _is_into(names: BodyNames, target: Node, name: str) -> bool:
    """Whether the first name of ``&out[bins[i]]`` or of ``out + i`` is ``name``."""
    first = next(names.tree.find("identifier", inside=target), None)
    return first is not None and names.tree.text(first) == name
