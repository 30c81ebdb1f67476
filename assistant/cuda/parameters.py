"""Parameters as the model knows them: name, spelled type, and the role a pointer plays.

Example::

    # of ``const float *__restrict__ a``: Parameter("a", "const float *", …, is_const=True, element_type="float")
"""

from __future__ import annotations

import re
from functools import lru_cache

from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Parameter, TemplateParameter
from assistant.record import Record

__all__ = ["declared_name", "function_parameters", "template_parameters", "tidy_type"]

_KEPT_TYPES = 1_000
"""A program spells few types, and a text that is typed in spells them again with each keystroke."""
_NAMES = frozenset({"identifier", "field_identifier"})
_NOT_IN_TYPE = re.compile(r"//[^\n]*|/\*.*?\*/|(?<!\w)(?:__restrict__|__restrict|restrict|__grid_constant__)(?!\w)", re.DOTALL)
_RESTRICT = re.compile(r"(?<!\w)(?:__restrict__|__restrict|restrict)(?!\w)")
_CV = re.compile(r"(?<!\w)(?:const|volatile)(?!\w)")
_CONST = re.compile(r"(?<!\w)const(?!\w)")
_ANGLED = re.compile(r"<[^<>]*>")
_UNNAMED_ARRAY = re.compile(r"([^(\[]*)((?:\[[^\]]*\]\s*)+)")
_POINTER_TO_ARRAY = re.compile(r"(.*?)\s*\(\*[^()*]*\)(\[.*)", re.DOTALL)


def function_parameters(tree: SyntaxTree, parameter_list: Node) -> tuple[Parameter, ...]:
    """The parameters in order; ``(void)`` has none, an unnamed one has an empty name."""
    declarations = [node for node in parameter_list.named_children if node.type.endswith("parameter_declaration")]
    found = tuple(_parameter(tree, node) for node in declarations)
    return () if [(p.type, p.name) for p in found] == [("void", "")] else found


def template_parameters(tree: SyntaxTree, parameter_list: Node) -> tuple[TemplateParameter, ...]:
    """The template parameters in order; a pack's kind ends in ``...``."""
    children = (node for node in parameter_list.named_children if node.type.endswith("declaration"))
    return tuple(_template_parameter(tree, node) for node in children)


def declared_name(declarator: Node | None) -> Node | None:
    """The identifier inside a declarator of any nesting; None for an abstract one."""
    while declarator is not None and declarator.type not in _NAMES:
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next((c for c in declarator.named_children if c.type.endswith("declarator") or c.type in _NAMES), None)
    return declarator


def tidy_type(text: str) -> str:
    """A type in one spelling: single spaces, one before the first ``*`` or ``&``, none after (``const float *``)."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s*([*&<\[])\s*", r"\1", text)
    text = re.sub(r"\s+([>)\]])|(\()\s+", r"\1\2", text)
    text = re.sub(r"\s*,\s*", ", ", text)
    return re.sub(r"(?<=[\w>\])])(?=[*&]|\([*&])", " ", text)


def _parameter(tree: SyntaxTree, node: Node) -> Parameter:
    name = declared_name(node.child_by_field_name("declarator"))
    spelled = _spelled_type(*_around_name(tree, node, name))
    return Parameter(
        name="" if name is None else tree.text(name),
        type=spelled.type,
        span=tree.span(node),
        is_pointer=spelled.element is not None,
        is_const=spelled.is_const,
        is_restrict=spelled.is_restrict,
        element_type=spelled.element,
    )


class _SpelledType(Record):
    type: str
    element: str | None
    is_const: bool
    is_restrict: bool


@lru_cache(_KEPT_TYPES)
def _spelled_type(before: str, after: str) -> _SpelledType:
    """What the text before and after a parameter's name says of its type."""
    spelled = _decayed(_NOT_IN_TYPE.sub(" ", before), _NOT_IN_TYPE.sub(" ", after).strip())
    outer = _without_template_arguments(spelled)
    return _SpelledType(spelled, _element_type(spelled, outer), _is_const(outer), _RESTRICT.search(before) is not None)


def _around_name(tree: SyntaxTree, node: Node, name: Node | None) -> tuple[str, str]:
    """The declaration's text before and after the name, without the default value."""
    span = tree.span(node)
    default = node.child_by_field_name("default_value")
    text = tree.source[span.start : span.end if default is None else tree.span(default).start].rstrip()
    if default is not None:
        text = text.removesuffix("=")
    if name is not None and name.end_byte > name.start_byte:
        at = tree.span(name)
        return text[: at.start - span.start], text[at.end - span.start :]
    array = _UNNAMED_ARRAY.fullmatch(text)
    return (text, "") if array is None else (array[1], array[2])


def _decayed(before: str, after: str) -> str:
    """The type as the function receives it: arrays and functions become pointers."""
    if after.startswith("["):
        rest = after[after.index("]") + 1 :].strip()
        return tidy_type(f"{before}(*){rest}" if rest else f"{before}*")
    if after.startswith("("):
        return tidy_type(f"{before}(*){after}")
    return tidy_type(before + after)


def _without_template_arguments(spelled: str) -> str:
    """The same length, with what stands in angle brackets replaced by underscores."""
    while (shorter := _ANGLED.sub(lambda match: "_" * len(match[0]), spelled)) != spelled:
        spelled = shorter
    return spelled


def _element_type(spelled: str, outer: str) -> str | None:
    """What a data pointer points to, without its cv-qualifiers; None for anything else."""
    if "(" in outer or "[" in outer:
        array = _POINTER_TO_ARRAY.fullmatch(spelled)
        return None if array is None else tidy_type(_CV.sub("", array[1]) + array[2])
    if "*" not in outer or "&" in outer:
        return None
    pointee = spelled[: outer.rindex("*")]
    inner_star = outer.rfind("*", 0, len(pointee)) + 1
    return tidy_type(pointee[:inner_star] + _CV.sub("", pointee[inner_star:]))


def _is_const(outer: str) -> bool:
    """Is the pointee const, or for a value the value itself?"""
    stars = [match.start() for match in re.finditer(r"\*", outer)]
    if not stars:
        return _CONST.search(outer) is not None
    level_start = stars[-2] + 1 if len(stars) > 1 else 0
    return _CONST.search(outer, level_start, stars[-1]) is not None


def _template_parameter(tree: SyntaxTree, node: Node) -> TemplateParameter:
    head, equals, default = _split_default(tree.text(node))
    pack = "..." if "..." in head else ""
    words = head.replace("...", " ")
    match = re.fullmatch(r"(.*[\s*&>])([A-Za-z_]\w*)", words.strip(), re.DOTALL)
    kind, name = (words, "") if match is None else (match[1], match[2])
    kind = "typename" if kind.strip() in ("class", "typename") else tidy_type(kind)
    return TemplateParameter(name, kind + pack, default.strip() if equals else None)


def _split_default(text: str) -> tuple[str, str, str]:
    """``text`` around the first ``=`` that is not inside angle brackets."""
    at = _without_template_arguments(text).find("=")
    return (text, "", "") if at < 0 else (text[:at], "=", text[at + 1 :])
