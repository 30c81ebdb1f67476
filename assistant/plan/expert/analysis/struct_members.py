"""Members of the program's structs, as a kernel's text can spell them: templates included.

Example::

    number_in(tree, "Cluster<D>", "sum")     # Number(type='float', bound='D') of `template <int N> struct Cluster { float sum[N]; };`
    bytes_of(tree, "Cluster<D>", {"D": 8})   # 32
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.reading import split_arguments
from assistant.cuda.struct_layouts import layout_named
from assistant.cuda.structs import struct_names
from assistant.cuda.syntax import Node, SyntaxTree, kept
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.row_reductions import member_type
from assistant.record import Record

__all__ = ["Number", "bytes_of", "is_plain_struct", "number_in", "plain_members"]

_STRUCTS = ("struct_specifier", "class_specifier")
_WORD = re.compile(r"[A-Za-z_]\w*")


class Number(Record):
    """A member that is a number, or an array of numbers."""

    type: str
    bound: str | None
    """Elements of the array; None where it is none."""


def number_in(tree: SyntaxTree, spelled: str, path: str) -> Number | None:
    """What is at ``path`` (``sum``, ``force.x``) in the struct that the text calls ``spelled``; None where that is not known."""
    member, _, component = path.partition(".")
    known = _struct(tree.program, plain_type(tree, spelled))
    if known is None:
        return None
    body, arguments = known
    for field in body.named_children:
        kind = field.child_by_field_name("type")
        for declarator in () if kind is None or field.type != "field_declaration" else field.children_by_field_name("declarator"):
            is_array = declarator.type == "array_declarator"
            name = declarator.child_by_field_name("declarator") if is_array else declarator
            if name is None or name.type != "field_identifier" or tree.program.text(name) != member or kind is None:
                continue
            bound = declarator.child_by_field_name("size") if is_array else None
            of_member = plain_type(tree, _with(arguments, tree.program.text(kind)))
            number = member_type(tree, of_member, f".{component}") if component else of_member
            is_known = (bound is not None) == is_array and not (is_array and component) and (number != of_member or not component)
            return Number(number, None if bound is None else _with(arguments, tree.program.text(bound))) if is_known else None
    return None


def plain_members(tree: SyntaxTree, spelled: str) -> Iterator[tuple[str, str]]:
    """(name, type) of each member that is neither a pointer nor an array; none where the struct is not known."""
    known = _struct(tree.program, plain_type(tree, spelled))
    for field in () if known is None else known[0].named_children:
        kind = field.child_by_field_name("type")
        for declarator in () if kind is None or field.type != "field_declaration" else field.children_by_field_name("declarator"):
            if declarator.type == "field_identifier" and kind is not None and known is not None:
                yield tree.program.text(declarator), plain_type(tree, _with(known[1], tree.program.text(kind)))


def bytes_of(tree: SyntaxTree, spelled: str, values: Mapping[str, int]) -> int | None:
    """Bytes of the type, names of template parameters and constants taken from ``values``."""
    plain = plain_type(tree, spelled)
    size = element_size_bytes(tree.program, plain)
    if size is not None:
        return size
    layout = layout_named(tree.program.source, _WORD.sub(lambda word: str(values.get(word[0], word[0])), plain))
    return None if layout is None else layout.size_bytes


def is_plain_struct(tree: SyntaxTree, spelled: str) -> bool:
    """It can be declared in shared memory and cleared by ``= {}``: no member function of its own name, no values for members."""
    known = _struct(tree.program, plain_type(tree, spelled))
    if known is None:
        return False
    body, _ = known
    tag = re.escape(spelled.partition("<")[0].split("::")[-1].strip())
    is_made = re.search(rf"\b{tag}\s*\(", tree.program.text(body)) is not None
    return not is_made and not any(field.child_by_field_name("default_value") for field in body.named_children)


@kept
def _struct(program: SyntaxTree, spelled: str) -> tuple[Node, Mapping[str, str]] | None:
    """(the body of the only struct of that name, its template's parameters as the type spells them)."""
    head, _, inside = spelled.partition("<")
    tag = head.split("::")[-1].strip()
    found = [node for node in program.find(*_STRUCTS) if node.child_by_field_name("body") is not None and _is_named(program, node, tag)]
    body = found[0].child_by_field_name("body") if len(found) == 1 else None
    arguments = split_arguments(inside.rstrip()[:-1]) if inside else ()
    parameters = tuple(_parameters(program, found[0])) if body is not None else ()
    if body is None or len(arguments) != len(parameters):
        return None
    return body, dict(zip(parameters, (each.strip() for each in arguments), strict=True))


def _is_named(program: SyntaxTree, node: Node, tag: str) -> bool:
    name = node.child_by_field_name("name")
    own = "" if name is None else program.text(name).partition("<")[0].strip()
    return tag in (own, *struct_names(node))


def _parameters(program: SyntaxTree, struct: Node) -> Iterator[str]:
    template = struct.parent
    parameters = None if template is None or template.type != "template_declaration" else template.child_by_field_name("parameters")
    for parameter in () if parameters is None else parameters.named_children:
        yield program.text(parameter).partition("=")[0].split()[-1]


def _with(arguments: Mapping[str, str], text: str) -> str:
    return _WORD.sub(lambda word: arguments.get(word[0], word[0]), " ".join(text.split()))
