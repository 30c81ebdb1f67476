"""Integer constants of a text: object-like macros, ``const`` and ``constexpr`` integers, enumerators.

Example::

    constants_of(tree)["TILE"]               # 32, from `#define TILE 32`
    integer_constant(tree, "TILE * 2 + 1")   # 65
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from assistant.cuda.integers import Scope, evaluate
from assistant.cuda.macros import is_guard, macro_texts
from assistant.cuda.parameters import declared_name
from assistant.cuda.spelling import canonical_type
from assistant.cuda.syntax import KEPT_ANSWERS, Node, SyntaxTree, kept, parsed_expression
from assistant.cuda.type_aliases import spelled_type, type_aliases
from assistant.cuda.variables import Variable, declared_variables

__all__ = ["constants_of", "file_constants", "integer_constant"]

_OPEN_SCOPES = frozenset(
    {"translation_unit", "declaration_list", "namespace_definition", "linkage_specification", "enumerator_list", "enum_specifier"}
)
"""What may stand around a constant that all of the text behind it sees, under that name or a longer one."""
_INTEGER_WORDS = frozenset({"int", "unsigned", "short", "long", "char", "auto"})


@kept
def constants_of(tree: SyntaxTree) -> Mapping[str, int]:
    """Every name that stands for one integer wherever the text uses it.

    A name that is also a parameter or another variable, or that is defined with two values, means too much to be one.
    """
    definitions = _definitions(tree)
    found: dict[str, int] = {}
    while True:
        scope = Scope(found, {}, {})
        news = {name: _value(nodes, scope) for name, nodes in definitions.items() if name not in found}
        known = {name: value for name, value in news.items() if value is not None}
        if not known:
            return found
        found = found | known


def integer_constant(tree: SyntaxTree, expression: str) -> int | None:
    """The value of an expression of integer literals and constants; None when it is not constant."""
    node = parsed_expression(expression)
    return None if node is None else evaluate(node, Scope(constants_of(tree), {}, {}), {})


@lru_cache(maxsize=KEPT_ANSWERS)
def file_constants(text: str) -> tuple[tuple[str, str], ...]:
    """(name, value as written) of the integer constants outside functions, classes and conditions; a header's guard is none."""
    tree = SyntaxTree(text)
    return tuple((name, tree.text(node)) for name, node in _declared(tree) if node is not None and _is_seen_by_all(tree, node))


def _is_seen_by_all(tree: SyntaxTree, value: Node) -> bool:
    around = (node for node in tree.ancestors(value) if node.type not in ("init_declarator", "enumerator", "declaration"))
    return all(node.type in _OPEN_SCOPES or is_guard(tree, node) for node in around)


def _value(nodes: list[Node], scope: Scope) -> int | None:
    """What all definitions come to; None where one is unknown or they differ."""
    values = {evaluate(node, scope, {}) for node in nodes}
    return values.pop() if len(values) == 1 else None


def _definitions(tree: SyntaxTree) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    other: set[str] = set()
    for name, node in _named(tree):
        if node is None:
            other.add(name)
        else:
            found.setdefault(name, []).append(node)
    return {name: nodes for name, nodes in found.items() if name not in other}


def _named(tree: SyntaxTree) -> Iterator[tuple[str, Node | None]]:
    """(name, value) of all that a name may mean; the value is None where it is no integer constant."""
    for name, texts in macro_texts(tree).items():
        yield from ((name, _macro_value(text)) for text in texts)
    if tree.outer is not None:
        yield from _declared(tree.outer)
    yield from _declared(tree)


def _declared(tree: SyntaxTree) -> Iterator[tuple[str, Node | None]]:
    """As ``_named``, without macros."""
    for enumerator in tree.find("enumerator"):
        name, value = enumerator.child_by_field_name("name"), enumerator.child_by_field_name("value")
        if name is not None and value is not None:
            yield tree.text(name), value
    for declaration in tree.find("declaration", "for_range_loop"):
        if "const" in tree.text(declaration):
            yield from ((variable.name, _constant_value(tree, variable)) for variable in declared_variables(tree, declaration))
        else:
            names = (declared_name(declarator) for declarator in declaration.children_by_field_name("declarator"))
            yield from ((tree.text(name), None) for name in names if name is not None)
    for parameter in tree.find("parameter_declaration", "optional_parameter_declaration"):
        declared = declared_name(parameter.child_by_field_name("declarator"))
        if declared is not None and not _is_in_declaration(parameter):
            yield tree.text(declared), None


def _is_in_declaration(parameter: Node) -> bool:
    """Whether it belongs to a prototype, which uses none of its names, or to ``dim3 b(X * Y)``, which the grammar reads as one."""
    node = parameter.parent if parameter.parent is None else parameter.parent.parent
    while node is not None and node.type.endswith("declarator"):
        node = node.parent
    return node is not None and node.type == "declaration"


def _macro_value(text: str) -> Node | None:
    """What a macro's text means as one operand; None for ``a + b``, which its surroundings would tear apart."""
    node = parsed_expression(text)
    inside = node if node is None or node.named_child_count != 1 else node.named_children[0]
    return None if inside is None or inside.type in ("binary_expression", "conditional_expression") else node


def _constant_value(tree: SyntaxTree, variable: Variable) -> Node | None:
    if not variable.is_const or variable.is_pointer or variable.is_array or not _is_integer(tree, variable.type):
        return None
    value = variable.value
    if value is not None and value.type in ("argument_list", "initializer_list"):
        return value.named_children[0] if value.named_child_count == 1 else None
    return value


def _is_integer(tree: SyntaxTree, spelled: str) -> bool:
    """Whatever the text calls it."""
    if set(canonical_type(spelled).split()) <= _INTEGER_WORDS:
        return True
    plain = spelled_type(spelled, type_aliases(tree.program.source))
    return plain != spelled and set(canonical_type(plain).split()) <= _INTEGER_WORDS
