"""What the names of a kernel stand for: macros, constants, locals set once, loop variables, and what may set the others.

Example::

    names = names_of(tree, kernel)
    names.definitions["TILE"], names.loops["k"].start, names.origins("sum")
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assistant.model.source import Kernel
from assistant.source.queries import Assignment, Declaration, assignments, declarations, unparenthesized
from assistant.source.syntax import Node, SyntaxTree

__all__ = ["COORDINATES", "MAX_DEPTH", "Definition", "LoopVariable", "Names", "names_of"]

MAX_DEPTH = 24
"""Longest chain of definitions that is followed; ends ``int i = i``."""
COORDINATES = frozenset(f"{base}.{axis}" for base in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz")
_COORDINATE_BASES = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
_HARMLESS_CALLS = frozenset({"min", "max", "abs", "__ldg", "__mul24", "__umul24", "__popc", "__clz", "__ffs"})
"""Functions of their arguments alone (CUDA math API, integer intrinsics)."""
_FIRST_WORD = re.compile(r"\W*([A-Za-z_]\w*)")
_FIXED = frozenset({"const", "constexpr"})
_MACRO_PREFIX = "long macro = "
_STEPS = {"++": 1, "--": -1, "+=": 1, "-=": -1}


@dataclass(frozen=True)
class Definition:
    """An expression that a name stands for."""

    tree: SyntaxTree
    node: Node


@dataclass(frozen=True)
class LoopVariable:
    """A variable that only the head of its ``for`` sets."""

    start: Definition
    sign: int
    """1 when it grows, -1 when it shrinks."""
    step: Definition | None
    """None for ``++`` and ``--``: by one."""


@dataclass(frozen=True)
class Names:
    """What the names of one kernel stand for; a name that is nowhere here is a quantity of its own."""

    tree: SyntaxTree
    definitions: Mapping[str, Definition]
    """Macros, constants, enumerators, and locals that are set once."""
    loops: Mapping[str, LoopVariable]
    sources: Mapping[str, tuple[Definition, ...]]
    """For every local and changed parameter: all expressions that may set it, calls that take its address included."""
    quantities: frozenset[str]
    """Parameters and variables of the text that have one value for all threads of a launch."""

    def is_quantity(self, name: str) -> bool:
        """Is it certain that nothing hidden (a macro, inline assembly) makes ``name`` differ between threads?"""
        is_own = name in self.definitions or name in self.loops
        return is_own or name in COORDINATES or name.split(".")[0] in self.quantities

    def is_explained(self, origins: frozenset[str]) -> bool:
        """Does the text tell where all of these names get their values?"""
        return all(self.is_quantity(n) or self.sources.get(n.split(".")[0]) or n in _COORDINATE_BASES for n in origins)

    def origins(self, name: str) -> frozenset[str]:
        """Every name that the value of ``name`` may come from, itself included."""
        found: set[str] = set()
        self._collect(name, found)
        return frozenset(found)

    def origins_of(self, expression: Definition) -> frozenset[str]:
        """Every name that the value of an expression may come from."""
        found: set[str] = set()
        self._collect_from(expression, found)
        return frozenset(found)

    def _collect(self, name: str, found: set[str]) -> None:
        if name in found:
            return
        found.add(name)
        definition = self.definitions.get(name)
        for source in (*((definition,) if definition else ()), *self.sources.get(name.split(".")[0], ())):
            self._collect_from(source, found)

    def _collect_from(self, expression: Definition, found: set[str]) -> None:
        for node in expression.tree.find("identifier", "field_expression", inside=expression.node):
            self._collect("".join(expression.tree.text(node).split()), found)


def names_of(tree: SyntaxTree, kernel: Kernel) -> Names:
    """Macros and constants of the text, and the kernel's own variables."""
    body = tree.node_at(kernel.body)
    constants = dict(_constants(tree))
    if body is None:
        return Names(tree, constants, {}, {}, frozenset())
    declared = declarations(tree, body)
    changes = assignments(tree, body)
    own = [declaration.name for declaration in declared]
    visible = {n: d for n, d in constants.items() if n not in own and all(p.name != n for p in kernel.parameters)}
    addressed = dict(_addressed(tree, body))
    loops = {n: v for n, v in _loops(tree, body, changes) if own.count(n) == 1 and n not in addressed}
    once = {n: d for n, d in _set_once(tree, declared, changes) if own.count(n) == 1 and n not in addressed}
    sources = _sources(tree, declared, changes, addressed)
    return Names(tree, visible | once, loops, sources, frozenset(_quantities(tree, kernel)) - sources.keys())


def _constants(tree: SyntaxTree) -> Iterator[tuple[str, Definition]]:
    for macro in tree.find("preproc_def"):
        name, value = macro.child_by_field_name("name"), macro.child_by_field_name("value")
        definition = None if value is None else _macro_value(tree.text(value))
        if name is not None and definition is not None:
            yield tree.text(name), definition
    for enumerator in tree.find("enumerator"):
        name, value = enumerator.child_by_field_name("name"), enumerator.child_by_field_name("value")
        if name is not None and value is not None:
            yield tree.text(name), Definition(tree, value)
    for declaration in declarations(tree, tree.root):
        value = _plain(declaration.value) if declaration.qualifiers & _FIXED and not declaration.dimensions else None
        if value is not None and _is_at_file_scope(tree, declaration):
            yield declaration.name, Definition(tree, value)


def _macro_value(text: str) -> Definition | None:
    """What a macro's text means as one operand; None for ``a + b``, which its surroundings would tear apart."""
    text = re.sub(r"//.*|/\*.*?\*/", " ", text).strip()
    tree = SyntaxTree(f"{_MACRO_PREFIX}{text};")
    declarator = next(tree.find("init_declarator"), None)
    value = None if declarator is None else declarator.child_by_field_name("value")
    if value is None or tree.root.has_error or value.type in ("binary_expression", "conditional_expression"):
        return None
    return Definition(tree, value)


def _quantities(tree: SyntaxTree, kernel: Kernel) -> Iterator[str]:
    yield "warpSize"
    yield from _HARMLESS_CALLS
    for parameter in (*kernel.parameters, *kernel.template_parameters):
        yield parameter.name
    for enumerator in tree.find("enumerator"):
        name = enumerator.child_by_field_name("name")
        if name is not None:
            yield tree.text(name)
    for declaration in declarations(tree, tree.root):
        if _is_at_file_scope(tree, declaration):
            yield declaration.name


def _is_at_file_scope(tree: SyntaxTree, declaration: Declaration) -> bool:
    return all(ancestor.type != "compound_statement" for ancestor in tree.ancestors(declaration.node))


def _set_once(tree: SyntaxTree, declared: tuple[Declaration, ...], changes: tuple[Assignment, ...]) -> Iterator[tuple[str, Definition]]:
    changed = {tree.text(unparenthesized(change.target)) for change in changes}
    for declaration in declared:
        value = _plain(declaration.value)
        is_variable = declaration.node.type == "declaration" and not declaration.dimensions
        if value is not None and is_variable and declaration.name not in changed:
            yield declaration.name, Definition(tree, value)


def _loops(tree: SyntaxTree, body: Node, changes: tuple[Assignment, ...]) -> Iterator[tuple[str, LoopVariable]]:
    targets = [tree.text(unparenthesized(change.target)) for change in changes]
    for loop in tree.find("for_statement", inside=body):
        head, update = loop.child_by_field_name("initializer"), loop.child_by_field_name("update")
        change = next((c for c in changes if update is not None and c.node == update), None)
        if head is None or change is None or change.operator not in _STEPS:
            continue
        name = tree.text(change.target)
        start = next((_plain(d.value) for d in declarations(tree, head) if d.name == name), None)
        if start is not None and targets.count(name) == 1:
            step = None if change.value is None else Definition(tree, change.value)
            yield name, LoopVariable(Definition(tree, start), _STEPS[change.operator], step)


def _addressed(tree: SyntaxTree, body: Node) -> Iterator[tuple[str, Node]]:
    """Variables whose address is taken, with the call or declaration that takes it."""
    for node in tree.find("pointer_expression", inside=body):
        argument = node.child_by_field_name("argument")
        if argument is None or not tree.text(node).startswith("&"):
            continue
        user = next((a for a in tree.ancestors(node) if a.type in ("call_expression", "declaration")), node)
        yield tree.text(unparenthesized(argument)), user


def _sources(
    tree: SyntaxTree,
    declared: tuple[Declaration, ...],
    changes: tuple[Assignment, ...],
    addressed: Mapping[str, Node],
) -> dict[str, tuple[Definition, ...]]:
    sources: dict[str, tuple[Definition, ...]] = {declaration.name: () for declaration in declared}
    values = [(declaration.name, declaration.value) for declaration in declared]
    values += [(tree.text(change.target), change.value) for change in changes]
    values += list(addressed.items())
    for target, value in values:
        name = _FIRST_WORD.match(target)
        if name is not None:
            new = () if value is None else (Definition(tree, value),)
            sources[name[1]] = (*sources.get(name[1], ()), *new)
    return sources


def _plain(value: Node | None) -> Node | None:
    """The one expression of ``= e``, ``(e)`` or ``{e}``."""
    if value is None or value.type not in ("argument_list", "initializer_list"):
        return value
    return value.named_children[0] if value.named_child_count == 1 else None
