"""Macros that stand for one element of an array that they are given: ``#define AT(m, i, j) m[(i) * n + (j)]``.

Example::

    element = macro_element(tree, call)      # of `AT(a, row, k)`
    element.base, element.index              # the node of `a`, and `(row) * n + (k)` as an expression
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.cuda.macros import macro_text
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text, parsed_expression, without_comments
from assistant.record import Record

__all__ = ["MacroElement", "macro_element"]

_ELEMENT = re.compile(r"\(*\s*\(?\s*(?P<base>[A-Za-z_]\w*)\s*\)?\s*\[(?P<index>[^\[\]]*)\]\s*\)*")
_WORD = re.compile(r"[A-Za-z_]\w*")


class MacroElement(Record):
    """What one use of such a macro touches."""

    base: Node
    """The argument that is indexed, an identifier."""
    index: Node
    """The index with the arguments in it; not a node of the text's tree."""


def macro_element(tree: SyntaxTree, call: Node) -> MacroElement | None:
    """The element; None for any other call."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    parameters = None if function is None else _element_macros(tree).get(node_text(function))
    given = () if arguments is None else without_comments(arguments)
    if parameters is None or len(given) != len(parameters[0]):
        return None
    names, base, index = parameters
    texts = dict(zip(names, (node_text(argument) for argument in given), strict=True))
    array = given[names.index(base)]
    expression = parsed_expression(_WORD.sub(lambda word: texts.get(word[0], word[0]), index))
    return None if expression is None or array.type != "identifier" else MacroElement(array, expression)


@kept
def _element_macros(tree: SyntaxTree) -> Mapping[str, tuple[tuple[str, ...], str, str]]:
    """(parameters, the one that is indexed, the index) of each macro that is defined once and is such an element."""
    found: dict[str, tuple[tuple[str, ...], str, str] | None] = {}
    if tree.outer is not None:
        found.update(_element_macros(tree.outer))
    for node in tree.find("preproc_function_def"):
        name, parameters, value = (node.child_by_field_name(field) for field in ("name", "parameters", "value"))
        if name is None or parameters is None or value is None:
            continue
        names = tuple(node_text(parameter) for parameter in parameters.named_children)
        element = _ELEMENT.fullmatch(node_text(value).strip())
        is_one = element is not None and element["base"] in names and element["base"] not in _WORD.findall(element["index"])
        spelled = node_text(name)
        is_new = spelled not in found
        found[spelled] = (names, element["base"], element["index"]) if element is not None and is_one and is_new else None
    return {name: macro for name, macro in found.items() if macro is not None and macro_text(tree, name) is not None}
