"""What the source shows of itself, in lines for a prompt: loops, arrays and how they are used.

Example::

    array_notes(parsed, kernel)    # ("out: written at line 10", …)
"""

from __future__ import annotations

import re

from assistant.cuda.accesses import ArrayAccess, Use, array_accesses
from assistant.cuda.code_text import blanked
from assistant.cuda.counted_loops import counted_header
from assistant.cuda.loops import LOOPS, loops_around
from assistant.cuda.shared_arrays import SharedArray, shared_arrays
from assistant.cuda.syntax import Node, SyntaxTree, node_text
from assistant.model.source import Kernel, Parameter, ParsedSource, Span
from assistant.profile.wording import lines_of

__all__ = ["array_notes", "loop_notes"]

_UNUSED = "never used through its subscripts"


def loop_notes(parsed: ParsedSource, kernel: Kernel) -> tuple[str, ...]:
    """One line for each loop of the kernel and of the device functions that it calls, in source order."""
    tree = SyntaxTree(parsed.source.text)
    found = (loop for body in _bodies(tree, parsed, kernel) for loop in tree.find(*LOOPS, inside=body))
    return tuple(_loop(tree, loop) for loop in found)


def array_notes(parsed: ParsedSource, kernel: Kernel) -> tuple[str, ...]:
    """One line for each pointer parameter and each shared array of the kernel."""
    tree = SyntaxTree(parsed.source.text)
    bodies = _bodies(tree, parsed, kernel)
    if not bodies:
        return ()
    accesses = array_accesses(tree, bodies[0])
    pointers = tuple(_pointer(tree, p, accesses, bodies[0]) for p in kernel.parameters if p.is_pointer)
    return (*pointers, *(_shared(tree, array, accesses) for array in shared_arrays(tree, bodies[0])))


def _bodies(tree: SyntaxTree, parsed: ParsedSource, kernel: Kernel) -> tuple[Node, ...]:
    """The kernel's own body first."""
    spans = [kernel.body, *(f.body for f in parsed.device_functions if f.name in kernel.device_functions)]
    return tuple(node for span in spans if (node := _block(tree, span)) is not None)


def _block(tree: SyntaxTree, span: Span) -> Node | None:
    node = tree.node_at(span)
    while node is not None and node.type != "compound_statement":
        node = next((c for c in node.children if tree.span(c).start <= span.start < tree.span(c).end), None)
    return node


def _loop(tree: SyntaxTree, loop: Node) -> str:
    header = counted_header(tree, loop)
    count = None if header is None else header.trip_count(tree)
    depth = len(loops_around(tree, loop))
    return "; ".join(
        [
            f"line {tree.line(loop)}: "
            + ("counts in a way that the text does not show" if header is None else f"counts {header.variable} by {header.step}"),
            *([] if header is None else [f"{count} iterations" if count is not None else "iterations known at run time only"]),
            *([f"inside {depth} other {'loop' if depth == 1 else 'loops'}"] if depth else []),
        ]
    )


def _pointer(tree: SyntaxTree, parameter: Parameter, accesses: tuple[ArrayAccess, ...], body: Node) -> str:
    own = _uses(tree, parameter.name, accesses)
    through = [f"through `{name}`: {uses}" for name in _set_from(parameter.name, body) if (uses := _uses(tree, name, accesses))]
    return f"{parameter.name}: {'; '.join([*([own] if own else []), *through]) or _UNUSED}"


def _set_from(name: str, body: Node) -> tuple[str, ...]:
    """Other variables that are set to a place in the array: ``const float *x = in + row * n;``."""
    set_from = re.compile(rf"\b(\w+)\s*=\s*(?:reinterpret_cast\s*<[^<>]*>\s*\(|\([^()]*\*\s*\))?\s*\(?\s*&?\s*{re.escape(name)}\s*[+\[;)]")
    return tuple(dict.fromkeys(found for found in set_from.findall(blanked(node_text(body))) if found != name))


def _shared(tree: SyntaxTree, array: SharedArray, accesses: tuple[ArrayAccess, ...]) -> str:
    return f"{array.name}: __shared__, {_uses(tree, array.name, accesses) or _UNUSED}"


def _uses(tree: SyntaxTree, name: str, accesses: tuple[ArrayAccess, ...]) -> str:
    """``read at line 9, written at lines 10 and 12``; empty where nothing is."""
    words = {Use.READ: "read", Use.WRITE: "written", Use.UPDATE: "updated in place", Use.ATOMIC: "updated atomically"}
    found: dict[str, list[int]] = {}
    for access in accesses:
        if access.base == name and access.kind in words:
            found.setdefault(words[access.kind], []).append(tree.line(access.node))
    return ", ".join(f"{word} at {lines_of(lines)}" for word, lines in found.items())
