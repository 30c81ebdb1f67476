"""What kind of work a kernel's text does, in a word: memory recalls techniques by it.

Read from the text alone, by the first rule that holds; `UNKNOWN` where none does. Example::

    family_of(tree, kernel)       # "row reduction"
    element_of(kernel)            # "float"
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.loops import LOOPS
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, node_text
from assistant.model.experience import UNKNOWN, KernelTraits
from assistant.model.source import Kernel

__all__ = ["FAMILIES", "element_of", "family_of", "traits_of"]

FAMILIES = ("histogram", "matrix product", "row reduction", "reduction", "stencil", "transposition", "elementwise", UNKNOWN)
_STENCIL_READS = 3
"""Places of one array, relative to a thread, from which a kernel without sums is a stencil."""
_FLOATS = ("double", "float", "__half", "half", "__nv_bfloat16", "__nv_fp8_e4m3")
"""The element type is the first of these that a pointer has; else that of the first pointer."""
_GRID_WORDS = ("blockDim", "gridDim", "blockIdx")


def traits_of(text: str, kernel: Kernel, scale: tuple[tuple[str, int], ...] = ()) -> KernelTraits:
    """What the kernel's file says of it; ``scale``: of its launch."""
    family = family_of(SyntaxTree(text), kernel) if kernel.body.end <= len(text) else UNKNOWN
    return KernelTraits(family, element_of(kernel), scale)


def family_of(tree: SyntaxTree, kernel: Kernel) -> str:
    """One of `FAMILIES`."""
    body = tree.node_at(kernel.body)
    if body is None:
        return UNKNOWN
    pointers = frozenset(parameter.name for parameter in kernel.parameters if parameter.is_pointer)
    if _scatters(tree, body):
        return "histogram"
    sums = tuple(_sums(tree, body))
    has_rows = _has_rows(tree, body)
    if has_rows and any(_is_product(tree, value) for value in sums):
        return "matrix product"
    if sums or _has_atomic(tree, body):
        return "row reduction" if sums and has_rows else "reduction"
    reads = tuple(tree.find("subscript_expression", inside=body))
    if _is_stencil(reads, pointers):
        return "stencil"
    if _is_transposition(tree, body, pointers):
        return "transposition"
    return "elementwise" if any(_array(node) in pointers for node in reads) else UNKNOWN


def element_of(kernel: Kernel) -> str:
    """C++ name of the type that the kernel's arrays hold."""
    types = [p.element_type.removeprefix("std::") for p in kernel.parameters if p.is_pointer and p.element_type]
    return next((name for name in _FLOATS if name in types), types[0] if types else UNKNOWN)


def _scatters(tree: SyntaxTree, body: Node) -> bool:
    """Whether an atomic's place depends on data: on an array's element, or on a variable that was computed from one."""
    loaded: set[str] = set()
    for node in tree.find("init_declarator", inside=body):
        value = node.child_by_field_name("value")
        if value is not None and (any(_inside(value, "subscript_expression")) or loaded & _names(value)):
            loaded.add(_text(node.child_by_field_name("declarator")))
    for call in _atomics(tree, body):
        for place in tree.find("subscript_expression", inside=call):
            index = place.child_by_field_name("indices") or place.child_by_field_name("index")
            if index is not None and (any(_inside(index, "subscript_expression")) or loaded & _names(index)):
                return True
    return False


def _has_atomic(tree: SyntaxTree, body: Node) -> bool:
    return any(True for _ in _atomics(tree, body))


def _atomics(tree: SyntaxTree, body: Node) -> Iterable[Node]:
    return (call for call in tree.find("call_expression", inside=body) if callee_name(tree, call).startswith("atomic"))


def _sums(tree: SyntaxTree, body: Node) -> Iterable[Node]:
    """What loops add to one place, or take the greatest or least of."""
    for loop in tree.find(*LOOPS, inside=body):
        counted = {name for part in loop.children if part.type != "compound_statement" for name in _names(part) if _is_header(loop, part)}
        for node in tree.find("assignment_expression", inside=loop):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None or _is_header(loop, node):
                continue
            if left.type == "subscript_expression" and _names(left) & (counted | _changed(tree, loop)):
                continue
            operator = _text(node.child_by_field_name("operator"))
            is_own = operator == "=" and node_text(left) in node_text(right)
            if (operator == "+=" or is_own) and any(_inside(right, "subscript_expression", "pointer_expression")):
                yield right


def _changed(tree: SyntaxTree, loop: Node) -> set[str]:
    """Names that a loop declares: a place that depends on one is another in each iteration."""
    return {_text(node.child_by_field_name("declarator")) for node in tree.find("init_declarator", inside=loop)}


def _names(node: Node) -> set[str]:
    return {node_text(name) for name in _inside(node, "identifier")}


def _is_header(loop: Node, node: Node) -> bool:
    body = loop.child_by_field_name("body")
    return body is not None and not (body.start_byte <= node.start_byte < body.end_byte)


def _is_product(tree: SyntaxTree, value: Node) -> bool:
    """Whether two different arrays are multiplied in it."""
    stack = [value]
    while stack:
        node = stack.pop()
        parts = binary_parts(node)
        if parts is not None and parts[0] == "*":
            arrays = [{_array(n) for n in _inside(part, "subscript_expression")} for part in parts[1:]]
            if all(arrays) and arrays[0] != arrays[1]:
                return True
        if node.type == "call_expression" and callee_name(tree, node).startswith(("fma", "__fma")):
            named = [{_array(n) for n in _inside(argument, "subscript_expression")} for argument in given_arguments(node)[:2]]
            if all(named) and named[0] != named[-1]:
                return True
        stack.extend(node.named_children)
    return False


def _has_rows(tree: SyntaxTree, body: Node) -> bool:
    """Whether places are computed as row times length, and not from the block's place alone."""
    for node in tree.find("binary_expression", inside=body):
        parts = binary_parts(node)
        if parts is None or parts[0] != "*" or any(word in node_text(node) for word in _GRID_WORDS[:2]):
            continue
        if any(ancestor.type in ("subscript_expression", "subscript_argument_list") for ancestor in tree.ancestors(node)):
            return True
        if any(a.type == "init_declarator" and "*" in _text(a.child_by_field_name("declarator")) for a in tree.ancestors(node)):
            return True
    return False


def _is_stencil(reads: tuple[Node, ...], pointers: frozenset[str]) -> bool:
    places: dict[str, set[str]] = {}
    for node in reads:
        array = _array(node)
        if array in pointers:
            places.setdefault(array, set()).add(_index(node))
    return any(
        len(found) >= _STENCIL_READS and sum(any(sign in index for sign in "+-") for index in found) > 1 for found in places.values()
    )


def _is_transposition(tree: SyntaxTree, body: Node, pointers: frozenset[str]) -> bool:
    """Whether an element is stored as it was read, at another place: directly, or by way of a tile in shared memory."""
    plain = list[tuple[Node, Node]]()
    for node in tree.find("assignment_expression", inside=body):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        is_copy = left is not None and right is not None and {left.type, right.type} == {"subscript_expression"}
        if is_copy and left is not None and right is not None:
            plain.append((left, right))
    stores = [(left, right) for left, right in plain if _array(left) in pointers]
    return any("*" in _index(left) and _index(left) != _index(right) for left, right in stores)


def _inside(node: Node, *kinds: str) -> Iterable[Node]:
    stack = [node]
    while stack:
        each = stack.pop()
        if each.type in kinds:
            yield each
        stack.extend(each.named_children)


def _array(node: Node) -> str:
    """Name of the array that an element is of, through further subscripts."""
    inner = node.child_by_field_name("argument")
    while inner is not None and inner.type == "subscript_expression":
        inner = inner.child_by_field_name("argument")
    return _text(inner)


def _index(node: Node) -> str:
    indices = node.child_by_field_name("indices") or node.child_by_field_name("index")
    return "".join(_text(indices).split()).strip("[]")


def _text(node: Node | None) -> str:
    return "" if node is None else node_text(node)
