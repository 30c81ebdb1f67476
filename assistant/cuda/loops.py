"""Loop statements of a text: those around a piece of code, and all of them for comparing with machine code.

Example::

    source_loops(Source(path, "__global__ void k(int n) { for (int i = 0; i < n; i += 4) ; }"))[0].step   # 4
"""

from __future__ import annotations

import re

from assistant.cuda.functions import enclosing_definition
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.source import Source, SourceLoop

__all__ = ["LOOPS", "loops_around", "source_loops"]

LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
"""Node types of loop statements."""
_COUNTABLE = ("for_statement", "while_statement", "do_statement")
_JUMPS = ("break_statement", "continue_statement", "return_statement", "goto_statement")
_ADD = re.compile(r"^\s*(?:\+\+|--)\s*\w+\s*$|^\s*\w+\s*(?:\+\+|--)\s*$")
_ADD_CONSTANT = re.compile(r"^\s*\w+\s*[+-]=\s*(\d+)[uUlL]*\s*$")
_ASSIGN_CONSTANT = re.compile(r"^\s*(\w+)\s*=\s*\1\s*[+-]\s*(\d+)[uUlL]*\s*$")
_SCALE = re.compile(r"^\s*\w+\s*[*/]=\s*(\d+)[uUlL]*\s*$")
_SHIFT = re.compile(r"^\s*\w+\s*(?:<<|>>)=\s*(\d+)[uUlL]*\s*$")
_UNROLL = re.compile(r"#\s*pragma\s+(?:GCC\s+|clang\s+loop\s+)?unroll|_Pragma\s*\(\s*\"unroll")


def loops_around(tree: SyntaxTree, node: Node) -> tuple[Node, ...]:
    """Loops of the function that contain ``node`` in their body or header, innermost first; ``node`` itself is not one."""
    definition = enclosing_definition(tree, node)
    found: list[Node] = []
    for ancestor in tree.ancestors(node):
        if ancestor == definition:
            break
        if ancestor.type in LOOPS:
            found.append(ancestor)
    return tuple(found)


def source_loops(source: Source) -> tuple[SourceLoop, ...]:
    """Every loop of the text in source order; one whose head cannot be read has neither step nor shift."""
    tree = SyntaxTree(source.text)
    lines = source.text.splitlines()
    return tuple(_loop(str(source.path), tree, lines, node) for node in tree.find(*_COUNTABLE))


def _loop(file: str, tree: SyntaxTree, lines: list[str], node: Node) -> SourceLoop:
    update = node.child_by_field_name("update")
    condition = node.child_by_field_name("condition")
    step, shift = _step(tree.text(update)) if update is not None else (None, None)
    first = tree.line(node)
    return SourceLoop(
        file=file,
        first_line=first,
        last_line=node.end_point[0] + 1,
        condition_line=first if condition is None else tree.line(condition),
        step=step,
        shift=shift,
        is_unroll_requested=any(_UNROLL.search(line) for line in _directives_before(lines, first)),
        has_jump=next(tree.find(*_JUMPS, inside=node), None) is not None,
    )


def _step(update: str) -> tuple[int | None, int | None]:
    """(constant step, binary logarithm of a constant factor) of a loop's update expression."""
    if _ADD.match(update):
        return 1, None
    if match := _ADD_CONSTANT.match(update):
        return int(match[1]), None
    if match := _ASSIGN_CONSTANT.match(update):
        return int(match[2]), None
    if match := _SHIFT.match(update):
        return None, int(match[1])
    if match := _SCALE.match(update):
        factor = int(match[1])
        return None, factor.bit_length() - 1 if factor > 1 and factor & (factor - 1) == 0 else None
    return None, None


def _directives_before(lines: list[str], first_line: int) -> list[str]:
    """The loop's own line and the directive lines straight above it."""
    found = [lines[first_line - 1]] if first_line <= len(lines) else []
    index = first_line - 2
    while index >= 0 and (not lines[index].strip() or lines[index].lstrip().startswith("#")):
        found.append(lines[index])
        index -= 1
    return found
