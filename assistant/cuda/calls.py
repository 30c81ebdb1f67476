"""Calls as written: the name called, the arguments, and whether the call can change them.

Example::

    callee_name(tree, call)         # 'std::sqrt'
    takes_values_only(tree, call)   # True
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.builtins import is_pure
from assistant.cuda.functions import functions
from assistant.cuda.macros import changes_something, macro_text
from assistant.cuda.syntax import Node, SyntaxTree, kept, without_comments

__all__ = ["callee_name", "calls_of", "changeable_arguments", "given_arguments", "takes_values_only"]


def callee_name(tree: SyntaxTree, call: Node) -> str:
    """Name of the called function as written, without template arguments (``std::sqrt``)."""
    function = call.child_by_field_name("function")
    return "" if function is None else tree.text(function).split("<")[0].strip()


def given_arguments(call: Node) -> tuple[Node, ...]:
    """The arguments in order; none where they could not be read."""
    arguments = call.child_by_field_name("arguments")
    return () if arguments is None else without_comments(arguments)


def calls_of(tree: SyntaxTree, name: str) -> Iterator[Node]:
    """Every call and launch of the function ``name``, however it is qualified."""
    for call in tree.find("call_expression"):
        if callee_name(tree, call).split("::")[-1] == name:
            yield call


def changeable_arguments(tree: SyntaxTree, call: Node) -> tuple[Node, ...]:
    """The arguments that the call may change by reference: of a function of this text those that it takes so, else all or none."""
    if takes_values_only(tree, call):
        return ()
    name = callee_name(tree, call).split("::")[-1]
    known = [f.parameters for f in functions(tree) if f.name == name]
    given = given_arguments(call)
    return tuple(
        argument
        for place, argument in enumerate(given)
        if not known or any(place >= len(parameters) or parameters[place].is_reference for parameters in known)
    )


def takes_values_only(tree: SyntaxTree, call: Node) -> bool:
    """True if the call cannot change its arguments: a built-in, a cast, a harmless macro, or a function of this text."""
    name = callee_name(tree, call).split("::")[-1]
    known = [f for f in functions(tree) if f.name == name]
    if known:
        return not any(p.is_reference for f in known for p in f.parameters)
    macro = macro_text(tree, name)
    if macro is not None:
        return not changes_something(macro)
    return is_pure(name) or name in _type_parameters(tree)


@kept
def _type_parameters(tree: SyntaxTree) -> frozenset[str]:
    return frozenset(tree.text(n) for n in tree.find("type_identifier"))
