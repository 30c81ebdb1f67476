"""A kernel with the macros of its indices written out, as rules read them, and their uses put back where an edit left them as they were.

Only macros whose text is certain and that are arithmetic, an element of an array, or the thread's place in the grid.
Example::

    #define IDX(r, c) ((r) * N + (c))        //
    sum += a[IDX(row, k)];                   // sum += a[row * N + k];
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.macro_elements import macro_element
from assistant.cuda.macro_expansion import MacroTable, expanded, macro_table
from assistant.cuda.macros import conditional_macros, macro_text
from assistant.cuda.reading import matching_close
from assistant.cuda.syntax import Node, SyntaxTree, kept, node_text
from assistant.cuda.variables import declared_variables
from assistant.model.source import TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.record import Record

__all__ = ["WrittenMacros", "written_macros"]

_ARITHMETIC = re.compile(r"(?:[\w\s.+\-*/%(),]|<<|>>)+")
_PLACE = re.compile(r"\b(?:threadIdx|blockIdx)\b")
_TYPE = r"(?:int|long|short|char|bool|unsigned|signed|float|double|\w+_t)\b"
_NAMED_ELEMENT = re.compile(r"\(?\s*([A-Za-z_]\w*)\s*\[[^\[\]]*\]\s*\)?")
_NEEDLESS = re.compile(rf"(?<![\w)\]])\(\s*(?!{_TYPE})(\w+(?:\.\w+)*)\s*\)(?!\s*[\w(])")
"""Parentheses around a name or a number; neither a call's nor a cast's."""
_OPERATOR = r"[-+*/%(\[=,<>&|?:]"
"""What stands before a whole value in parentheses that belong to nothing else."""
_INTEGERS = re.compile(r"(?:const |unsigned |signed )*(?:int|long|short|unsigned|size_t|auto|u?int\d+_t)(?: int| long)*")


class WrittenMacros(Record):
    """What writes them out, and what puts them back."""

    edits: tuple[TextEdit, ...]
    uses: tuple[tuple[re.Pattern[str], str], ...]
    """(what they are written out as, with what stands before it as its group, and the author's words for it), the longest first."""

    def put_back(self, text: str) -> str:
        """``text`` with the author's words for what stands in it as it was written out."""
        for written, use in self.uses:
            text = written.sub(lambda match, words=use: f"{match[1]}{words}", text)
        return text


def written_macros(context: TransformationContext) -> WrittenMacros | None:
    """None where the kernel uses no such macro."""
    tree = context.tree
    macros = _macros(tree)
    edits: list[TextEdit] = []
    uses: dict[str, str] = {}
    for node in _used(tree, context.body, macros):
        span, use = tree.span(node), tree.text(node)
        if edits and span.start < edits[-1].span.end:
            continue
        text = _without_needless(expanded(use, macros))
        inner = _opened(text)
        before, after = _around(tree, node)
        edits.append(TextEdit(span, inner if before else text))
        if before:
            uses.setdefault(rf"({re.escape(before)}\s*){re.escape(inner)}(?=\s*{re.escape(after)})", use)
        if inner != text:
            uses.setdefault(rf"({_OPERATOR}\s*){re.escape(text)}", use)
        elif _is_element(tree, node, macros):
            uses.setdefault(rf"((?<![\w.>])){re.escape(text)}", use)
    patterns = sorted(uses.items(), key=lambda pair: -len(pair[0]))
    return WrittenMacros(tuple(edits), tuple((re.compile(pattern), use) for pattern, use in patterns)) if edits else None


@kept
def _macros(tree: SyntaxTree) -> MacroTable:
    """Those that may be written out, by name."""
    every = macro_table(tree.outer_text, tree.source)
    known = {name: macro for name, macro in every.items() if macro_text(tree, name) is not None and name not in conditional_macros(tree)}
    return {
        name: macro
        for name, macro in known.items()
        if "[" in macro.body or (_ARITHMETIC.fullmatch(macro.body) and (macro.parameters or _PLACE.search(macro.body)))
    }


def _used(tree: SyntaxTree, body: Node, macros: MacroTable) -> Iterator[Node]:
    """The outermost uses, in order."""
    for node in tree.find("call_expression", "identifier", inside=body):
        if node.type == "identifier":
            macro = macros.get(node_text(node))
            if macro is not None and not macro.parameters and "[" not in macro.body:
                yield node
            continue
        function = node.child_by_field_name("function")
        macro = None if function is None else macros.get(node_text(function))
        if macro is not None and macro.parameters and (_is_index(tree, node) if "[" not in macro.body else _is_element(tree, node, macros)):
            yield node


def _is_element(tree: SyntaxTree, node: Node, macros: MacroTable) -> bool:
    """Whether it is an element of an array that the macro is given, or that it names."""
    function = node.child_by_field_name("function")
    macro = None if function is None else macros.get(node_text(function))
    named = None if macro is None else _NAMED_ELEMENT.fullmatch(macro.body.strip())
    return macro_element(tree, node) is not None or (named is not None and macro is not None and named[1] not in (macro.parameters or ()))


def _is_index(tree: SyntaxTree, node: Node) -> bool:
    """Whether it is a part of an index, or what an integer begins with."""
    for parent in tree.ancestors(node):
        if parent.type == "subscript_argument_list":
            return True
        if parent.type == "declaration":
            declared = tuple(declared_variables(tree, parent))
            return len(declared) == 1 and not declared[0].is_pointer and _INTEGERS.fullmatch(declared[0].type) is not None
        if parent.type.endswith("statement"):
            return False
    return False


def _around(tree: SyntaxTree, node: Node) -> tuple[str, str]:
    """The signs around a use that is a whole index or a whole value; empty where it is a part of one."""
    parent = node.parent
    if parent is not None and parent.type == "subscript_argument_list" and parent.named_child_count == 1:
        return "[", "]"
    if parent is not None and parent.type == "init_declarator" and tree.source[tree.span(parent).end : tree.span(parent).end + 1] == ";":
        return "=", ";"
    return "", ""


def _without_needless(text: str) -> str:
    while (less := _NEEDLESS.sub(r"\1", text)) != text:
        text = less
    return text


def _opened(text: str) -> str:
    """Without the parentheses around the whole."""
    while text.startswith("(") and matching_close(text, 0) == len(text) - 1:
        text = text[1:-1].strip()
    return text
