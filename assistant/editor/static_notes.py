"""Notes on the text alone, shown while typing: no compiler, no run. Pure.

Only what cannot be a false alarm and what no compiler reports; a function that is being typed has none until it can be parsed. Once a run
or machine code shows the same thing, that is shown instead (`assistant.editor.picture`). Example::

    parsed, trees = parse_with_trees(source)
    [note.code for note in static_notes(parsed, trees)]   # ['KO206']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant.cuda.functions import Function, functions
from assistant.cuda.integers import Scope
from assistant.cuda.linemap import LineMap
from assistant.cuda.scopes import scope_inside, scope_of
from assistant.cuda.syntax import SyntaxTree
from assistant.editor.static_barriers import Threads, barrier_notes, guarded_barriers
from assistant.editor.static_launches import TextLaunch, blocks_of, launch_notes, launches_in
from assistant.editor.static_literals import literal_notes
from assistant.editor.static_powers import power_notes
from assistant.editor.view import Note
from assistant.model.source import ParsedSource

__all__ = ["moved_notes", "static_notes"]


def static_notes(parsed: ParsedSource, trees: Sequence[SyntaxTree]) -> tuple[Note, ...]:
    """Notes of stage ``static``; ``trees`` are those that ``parsed`` was read from."""
    launches = launches_in(parsed, trees)
    notes = [*launch_notes(parsed, launches)]
    for tree in trees:
        notes += literal_notes(tree)
        notes += power_notes(tree)
        notes += _barrier_notes(parsed, tree, launches)
    return tuple(sorted(notes, key=lambda note: (note.line, note.column)))


def moved_notes(notes: Sequence[Note], before: str, after: str) -> tuple[Note, ...]:
    """Notes on the text ``before`` at the lines where ``after`` has them unchanged: while brackets do not match, earlier notes stay."""
    lines = LineMap(before, after)
    return tuple(replace(note, line=line) for note in notes if (line := lines.line(note.line)) is not None)


def _barrier_notes(parsed: ParsedSource, tree: SyntaxTree, launches: tuple[TextLaunch, ...]) -> Iterator[Note]:
    for function in functions(tree):
        is_read = (function.is_kernel or function.is_device) and not function.node.has_error
        barriers = guarded_barriers(tree, function) if is_read and "__syncthreads" in tree.text(function.body) else ()
        if barriers:
            scope, threads = _seen_inside(parsed, tree, function, launches)
            yield from barrier_notes(tree, function, barriers, scope, threads)


def _seen_inside(parsed: ParsedSource, tree: SyntaxTree, function: Function, launches: tuple[TextLaunch, ...]) -> tuple[Scope, Threads]:
    """What is known of names and blocks in a function; a device function runs in any block."""
    kernel = next((k for k in parsed.kernels if k.name_span == function.name_span), None)
    if kernel is None:
        own = {p.name for p in function.parameters}
        scope = scope_inside(tree, function.body)
        constants = {name: value for name, value in scope.constants.items() if name not in own}
        return Scope(constants, scope.formulas, scope.writes), Threads(None)
    return scope_of(tree, kernel), Threads(blocks_of(kernel, launches))
