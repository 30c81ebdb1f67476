"""What kind of number an expression of device code is, and why: float, double, or double only because of a literal.

Follows C++'s usual arithmetic conversions for spelled types; where a type is spelled neither in the text nor, as a member of a struct or
another name of a type, in the program's other files, the kind is unknown.

Example::

    kinds = ValueKinds(tree, function)
    kinds.of(node)      # Kind.WIDENED for `x * 0.5` with a float x
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import cached_property, reduce

from assistant.cuda.builtins import FLOAT_NAMES
from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.directives import Macro, macros_in
from assistant.cuda.functions import Function, functions
from assistant.cuda.literals import is_double_literal, is_made_of_numbers, numbers_in
from assistant.cuda.macros import macro_text, macro_texts
from assistant.cuda.names import words_in
from assistant.cuda.syntax import Node, SyntaxTree, binary_parts, kept, unparenthesized
from assistant.cuda.variables import Variable, locals_of
from assistant.plan.expert.analysis.member_types import member_type, other_aliases
from assistant.plan.expert.analysis.plain_doubles import plain_doubles

__all__ = ["Kind", "ValueKinds", "combine"]


class Kind(Enum):
    """How an arithmetic value came to its type."""

    INTEGER_CONSTANT = auto()
    INTEGER = auto()
    FLOAT = auto()
    LITERAL = auto()
    """A double made of literals alone."""
    WIDENED = auto()
    """Float operands, double only because of literals or double functions."""
    WIDENED_INTEGER = auto()
    """Integer operands, double only because of literals or double functions."""
    GENERIC = auto()
    """A value of a template parameter's type."""
    WIDENED_GENERIC = auto()
    DOUBLE = auto()
    """A variable, result or cast that is double on purpose."""
    UNKNOWN = auto()


_BY_LITERAL = {Kind.LITERAL, Kind.WIDENED, Kind.WIDENED_INTEGER, Kind.WIDENED_GENERIC}
_INTEGER_TYPE = re.compile(
    r"(?:(?:un)?signed|char|short|int|long|bool|size_t|ptrdiff_t|u?int(?:8|16|32|64)_t|uint|uchar|ushort)"
    r"(?: (?:char|short|int|long))*"
)
_FLOAT_VECTOR = re.compile(r"float[1-4]")
_BUILTIN_INDICES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_SAME_AS_ARGUMENTS = ("min", "max", "abs", "std::min", "std::max", "std::abs")
_FLOAT_RESULT = re.compile(r"__(?:f\w+_r[nzud]|\w+2float(?:_r\w)?|\w+_as_float|fdividef|\w+f|saturatef)")
_MATH_CONSTANTS = frozenset(
    "M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2".split()  # noqa: SIM905
)
"""Double constants of <math.h> (POSIX.1-2017)."""
_NUMBERS = re.compile(r"(?<![\w.])[\d.][\w.]*")
_ARITHMETIC = re.compile(r"[\w\s()+\-*/]+")
_INTEGER_EXPONENT = ("ldexp", "scalbn")


def combine(kinds: Iterable[Kind]) -> Kind:
    """The kind of a sum or product of values of these kinds."""
    return reduce(_combined, kinds, Kind.INTEGER_CONSTANT)


def _combined(a: Kind, b: Kind) -> Kind:
    both = {a, b}
    for winner in (Kind.UNKNOWN, Kind.DOUBLE):
        if winner in both:
            return winner
    is_widened, has_float = bool(both & _BY_LITERAL), bool(both & {Kind.FLOAT, Kind.WIDENED})
    if both & {Kind.GENERIC, Kind.WIDENED_GENERIC}:
        return Kind.UNKNOWN if has_float else (Kind.WIDENED_GENERIC if is_widened else Kind.GENERIC)
    has_integer = bool(both & {Kind.INTEGER, Kind.WIDENED_INTEGER})
    if is_widened:
        return Kind.WIDENED if has_float else (Kind.WIDENED_INTEGER if has_integer else Kind.LITERAL)
    return Kind.FLOAT if has_float else (Kind.INTEGER if has_integer else Kind.INTEGER_CONSTANT)


class ValueKinds:
    """Kinds of a function's expressions."""

    def __init__(self, tree: SyntaxTree, function: Function) -> None:
        self._tree = tree
        self._function = function

    def of(self, node: Node) -> Kind:
        node = unparenthesized(node)
        match node.type:
            case "number_literal":
                return self._of_literal(self._tree.text(node))
            case "identifier":
                return self.of_name(self._tree.text(node))
            case "binary_expression":
                return self._of_binary(node)
            case "unary_expression" | "update_expression":
                argument = node.child_by_field_name("argument")
                is_not = self._tree.text(node).startswith("!")
                return Kind.UNKNOWN if argument is None else (Kind.INTEGER if is_not else self.of(argument))
            case "conditional_expression":
                sides = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
                return combine(self.of(side) for side in sides if side is not None)
            case "cast_expression":
                type_node = node.child_by_field_name("type")
                return Kind.UNKNOWN if type_node is None else self.of_type(self._tree.text(type_node))
            case "call_expression":
                return self._of_call(node)
            case "subscript_expression" | "pointer_expression":
                return self._of_element(node)
            case "field_expression":
                return self._of_field(node)
            case "true" | "false":
                return Kind.INTEGER_CONSTANT
            case _:
                return Kind.UNKNOWN

    def of_type(self, name: str) -> Kind:
        """Kind of a value of the spelled type."""
        name = " ".join(re.sub(r"\b(?:const|volatile)\b", " ", name).split())
        name = self._aliases.get(name) or (name if name in self.type_parameters else other_aliases(self._tree).get(name, name))
        if name in ("float", "double"):
            return Kind.FLOAT if name == "float" else Kind.DOUBLE
        if _INTEGER_TYPE.fullmatch(name):
            return Kind.INTEGER
        return Kind.GENERIC if name in self.type_parameters else Kind.UNKNOWN

    def of_name(self, name: str) -> Kind:
        """Kind of a variable, constant or object-like macro."""
        if name in self.double_constants:
            return Kind.LITERAL
        variable = self._variable(name)
        if variable is not None:
            return self._of_variable(variable)
        body = macro_text(self._tree, name)
        if body is not None:
            return combine(self._of_literal(n[0]) for n in numbers_in(body)) if is_made_of_numbers(body) else Kind.UNKNOWN
        shared = self._file_variables.get(name, ())
        return self._of_variable(shared[0]) if len(shared) == 1 else Kind.UNKNOWN

    @cached_property
    def double_constants(self) -> frozenset[str]:
        """Names of macros and constant double variables, the function's own too, whose value is made of literals."""
        named = {n for n, texts in macro_texts(self._tree).items() if len(texts) == 1 and _is_literal_expression(texts[0])}
        for name, variables in self._file_variables.items():
            only = variables[0]
            is_constant = only.is_const and only.type == "double" and only.value is not None and not only.is_pointer
            if len(variables) == 1 and is_constant and _is_literal_expression(self._tree.text(only.value or only.node)):
                named.add(name)
        outside = {n for n in named | _MATH_CONSTANTS if self._variable(n) is None}
        return frozenset(outside | self.own_constants)

    @cached_property
    def own_constants(self) -> frozenset[str]:
        """Those of them that the function declares."""
        return frozenset(self._own_constants())

    def _own_constants(self) -> Iterator[str]:
        """``c`` of ``const double c = sqrt(2.0 / M_PI);`` in the function, and of ``double c = 0.5;`` that is one but for the word."""
        yield from plain_doubles(self._tree, self._function)
        parameters = {parameter.name for parameter in self._function.parameters}
        for name, variables in self._locals.items():
            only = variables[0]
            is_plain = only.is_const and only.type == "double" and not (only.is_pointer or only.is_array or only.is_reference)
            if len(variables) == 1 and is_plain and name not in parameters and only.value is not None and self._is_of_literals(only.value):
                yield name

    def _is_of_literals(self, node: Node) -> bool:
        """Whether the compiler knows the value: numbers, constants of <math.h>, and arithmetic and math functions of those."""
        node = unparenthesized(node)
        match node.type:
            case "number_literal":
                return True
            case "identifier":
                name = self._tree.text(node)
                return name in _MATH_CONSTANTS and self._variable(name) is None
            case "unary_expression" | "binary_expression":
                return all(self._is_of_literals(child) for child in node.named_children)
            case "call_expression":
                is_math = callee_name(self._tree, node).removeprefix("std::") in FLOAT_NAMES
                return is_math and all(self._is_of_literals(argument) for argument in given_arguments(node))
            case _:
                return False

    @cached_property
    def type_parameters(self) -> frozenset[str]:
        """Names of the template's type parameters."""
        parent = self._function.node.parent
        if parent is None or parent.type != "template_declaration":
            return frozenset()
        declared = self._tree.find("type_parameter_declaration", "optional_type_parameter_declaration", inside=parent)
        return frozenset(self._tree.text(n) for d in declared for n in d.named_children if n.type == "type_identifier")

    def return_kind(self) -> Kind:
        type_node = self._function.node.child_by_field_name("type")
        return Kind.UNKNOWN if type_node is None else self.of_type(self._tree.text(type_node))

    def _of_literal(self, text: str) -> Kind:
        if is_double_literal(text):
            return Kind.LITERAL
        if re.fullmatch(r"[-+]?(?:0[xX][0-9a-fA-F]+|[\d']+)[uUlL]*", text):
            return Kind.INTEGER_CONSTANT
        return Kind.FLOAT if text[-1:] in "fF" and not text.lower().startswith("0x") else Kind.UNKNOWN

    def _of_binary(self, node: Node) -> Kind:
        parts = binary_parts(node)
        if parts is None:
            return Kind.UNKNOWN
        operator, left, right = parts
        return combine((self.of(left), self.of(right))) if operator in ("+", "-", "*", "/") else Kind.INTEGER

    def _of_call(self, node: Node) -> Kind:
        function, given = node.child_by_field_name("function"), given_arguments(node)
        if function is None:
            return Kind.UNKNOWN
        name = callee_name(self._tree, node)
        as_type = self._tree.text(function).partition("<")[2].removesuffix(">") if name.endswith("_cast") else name
        if self.of_type(as_type) is not Kind.UNKNOWN:
            return self.of_type(as_type)
        plain = name.removeprefix("std::")
        if plain in FLOAT_NAMES:
            return self._of_math(plain, given)
        if name in _SAME_AS_ARGUMENTS:
            return combine(self.of(a) for a in given)
        if plain in FLOAT_NAMES.values() or _FLOAT_RESULT.fullmatch(name):
            return Kind.FLOAT
        macro = _arithmetic_macros(self._tree).get(name)
        if macro is not None and len(macro.parameters) == len(given):
            numbers = (self._of_literal(number[0]) for number in numbers_in(macro.body))
            return combine((*(self.of(argument) for argument in given), *numbers))
        if name == "__ldg" and given:
            return self._of_element(given[0])
        if name.startswith("__shfl") and len(given) > 1:
            return self.of(given[1])
        known = [f for f in functions(self._tree) if f.name == name.split("::")[-1]]
        return ValueKinds(self._tree, known[0]).return_kind() if len(known) == 1 else Kind.UNKNOWN

    def _of_math(self, name: str, arguments: tuple[Node, ...]) -> Kind:
        """Overloads: all float gives float; an integer among the arguments makes it double."""
        kinds = [self.of(a) for a in (arguments[:1] if name in _INTEGER_EXPONENT else arguments)]
        kind = combine(kinds)
        has_integer = bool({Kind.INTEGER, Kind.INTEGER_CONSTANT} & set(kinds))
        return _combined(kind, Kind.LITERAL) if has_integer and kind is not Kind.GENERIC else kind

    def _of_element(self, node: Node) -> Kind:
        base = next(self._tree.find("identifier", inside=node), None)
        variable = None if base is None else self._variable(self._tree.text(base))
        if variable is None and base is not None:
            shared = self._file_variables.get(self._tree.text(base), ())
            variable = shared[0] if len(shared) == 1 else None
        if variable is None or any(self._tree.find("call_expression", "cast_expression", inside=_base_of(node))):
            return Kind.UNKNOWN
        if variable.type == "auto" and variable.value is not None:
            return self._of_element(variable.value)
        return self.of_type(variable.type)

    def _of_field(self, node: Node) -> Kind:
        argument, field = node.child_by_field_name("argument"), node.child_by_field_name("field")
        base = None if argument is None else next(self._tree.find("identifier", inside=argument), None)
        if base is None or field is None:
            return Kind.UNKNOWN
        name = self._tree.text(base)
        if name in _BUILTIN_INDICES:
            return Kind.INTEGER
        variable = self._variable(name)
        if variable is not None and _FLOAT_VECTOR.fullmatch(variable.type):
            return Kind.FLOAT
        member = self._tree.text(field)
        kinds = {self.of_type(t) for t in self._field_types.get(member, ())}
        if not kinds and variable is not None and argument is not None and not any(self._tree.find("field_expression", inside=argument)):
            elsewhere = member_type(self._tree, variable.type, member)
            return Kind.UNKNOWN if elsewhere is None else self.of_type(elsewhere)
        return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN

    def _of_variable(self, variable: Variable) -> Kind:
        if variable.is_pointer or variable.is_array:
            return Kind.UNKNOWN
        if variable.type == "auto":
            kind = Kind.UNKNOWN if variable.value is None else self.of(variable.value)
            return Kind.DOUBLE if kind in _BY_LITERAL else kind
        return self.of_type(variable.type)

    def _variable(self, name: str) -> Variable | None:
        declared = (*self._locals.get(name, ()), *(p for p in self._function.parameters if p.name == name))
        same_type = len({v.type for v in declared}) == 1
        return declared[0] if same_type else None

    @cached_property
    def _locals(self) -> Mapping[str, tuple[Variable, ...]]:
        return locals_of(self._tree, self._function.body)

    @property
    def _file_variables(self) -> Mapping[str, tuple[Variable, ...]]:
        return _file_variables(self._tree)

    @property
    def _aliases(self) -> Mapping[str, str]:
        return _aliases(self._tree)

    @property
    def _field_types(self) -> Mapping[str, tuple[str, ...]]:
        return _field_types(self._tree)


@kept
def _file_variables(tree: SyntaxTree) -> Mapping[str, tuple[Variable, ...]]:
    """Variables outside functions, by name."""
    found: dict[str, tuple[Variable, ...]] = {}
    scopes = ("translation_unit", "declaration_list")
    for name, variables in locals_of(tree, tree.root).items():
        outside = tuple(v for v in variables if v.node.parent is not None and v.node.parent.type in scopes)
        if outside:
            found[name] = outside
    return found


@kept
def _arithmetic_macros(tree: SyntaxTree) -> Mapping[str, Macro]:
    """Function-like macros that are arithmetic of their parameters and of no double literal: ``SQUARE(v)`` of ``((v) * (v))``."""
    return {
        macro.name: macro
        for macro in (*macros_in(tree.outer_text), *macros_in(tree.source))
        if macro.parameters and macro_text(tree, macro.name) is not None and _is_arithmetic_of(macro)
    }


def _is_arithmetic_of(macro: Macro) -> bool:
    without_numbers = _NUMBERS.sub("", macro.body)
    is_double = any(is_double_literal(number[0]) for number in numbers_in(macro.body))
    return not is_double and words_in(without_numbers) <= {*macro.parameters} and _ARITHMETIC.fullmatch(without_numbers) is not None


@kept
def _aliases(tree: SyntaxTree) -> Mapping[str, str]:
    """Name of each type alias → what it stands for."""
    found: dict[str, str] = {}
    for node in tree.find("type_definition", "alias_declaration"):
        name = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        target = node.child_by_field_name("type")
        if name is not None and target is not None:
            found[tree.text(name)] = tree.text(target)
    return found


@kept
def _field_types(tree: SyntaxTree) -> Mapping[str, tuple[str, ...]]:
    """Name of each field → types of the fields of that name."""
    found: dict[str, tuple[str, ...]] = {}
    for node in tree.find("field_declaration"):
        type_node = node.child_by_field_name("type")
        for declarator in node.children_by_field_name("declarator"):
            name = next(tree.find("field_identifier", inside=declarator), None)
            if name is not None and type_node is not None:
                key = tree.text(name)
                found[key] = (*found.get(key, ()), tree.text(type_node))
    return found


def _is_literal_expression(text: str) -> bool:
    """Only numbers, arithmetic and parentheses, and at least one double literal."""
    return is_made_of_numbers(text) and any(is_double_literal(number[0]) for number in numbers_in(text))


def _base_of(node: Node) -> Node:
    """The innermost expression that is indexed or dereferenced."""
    argument = node.child_by_field_name("argument")
    while argument is not None and argument.type in ("subscript_expression", "pointer_expression"):
        node, argument = argument, argument.child_by_field_name("argument")
    return node if argument is None else argument
