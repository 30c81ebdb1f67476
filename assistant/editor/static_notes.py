"""Notes on the text alone, shown while typing: no compiler, no run. Pure.

Only what cannot be a false alarm and what no compiler reports; a function that is being typed has none until it can be parsed. Once a run
or machine code shows the same thing, that is shown instead (`assistant.editor.picture`). Example::

    parsed, trees = parse_with_trees(source)
    [note.code for note in static_notes(parsed, trees)]   # ['KO206']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
from assistant.model.source import ParsedSource, Span

__all__ = ["StaticNotes", "moved_notes", "static_notes"]


class StaticNotes:
    """Notes on a text that is typed in: those on a function that stays as it is, where it is, are worked out once."""

    def __init__(self) -> None:
        self._around = ""
        self._found: dict[tuple[str, int], tuple[Note, ...]] = {}
        """By the function's text and its first line."""

    def of(self, parsed: ParsedSource, trees: Sequence[SyntaxTree]) -> tuple[Note, ...]:
        """Notes of stage ``static``; ``trees`` are those that ``parsed`` was read from."""
        launches = launches_in(parsed, trees)
        read = [(tree, function) for tree in trees for function in functions(tree) if _is_read(function)]
        around = _around_bodies(parsed.source.text, (tree.span(function.body) for tree, function in read))
        known = self._found if around == self._around else {}
        found: dict[tuple[str, int], tuple[Note, ...]] = {}
        for tree, function in read:
            key = (tree.source[function.span.start : function.span.end], function.line)
            found[key] = known[key] if key in known else tuple(_notes_on(parsed, tree, function, launches))
        self._around, self._found = around, found
        notes = [*launch_notes(parsed, launches), *(note for each in found.values() for note in each)]
        return tuple(sorted(notes, key=lambda note: (note.line, note.column)))


def static_notes(parsed: ParsedSource, trees: Sequence[SyntaxTree]) -> tuple[Note, ...]:
    """Of a text that is read once."""
    return StaticNotes().of(parsed, trees)


def moved_notes(notes: Sequence[Note], before: str, after: str) -> tuple[Note, ...]:
    """Notes on the text ``before`` at the lines where ``after`` has them unchanged: while brackets do not match, earlier notes stay."""
    lines = LineMap(before, after)
    return tuple(replace(note, line=line) for note in notes if (line := lines.line(note.line)) is not None)


def _is_read(function: Function) -> bool:
    return (function.is_kernel or function.is_device) and not function.node.has_error


def _notes_on(parsed: ParsedSource, tree: SyntaxTree, function: Function, launches: tuple[TextLaunch, ...]) -> Iterator[Note]:
    yield from literal_notes(tree, function)
    yield from power_notes(tree, function)
    barriers = guarded_barriers(tree, function) if "__syncthreads" in tree.text(function.body) else ()
    if barriers:
        scope, threads = _seen_inside(parsed, tree, function, launches)
        yield from barrier_notes(tree, function, barriers, scope, threads)


def _around_bodies(text: str, bodies: Iterable[Span]) -> str:
    """All of a text but the bodies of functions: what they see of each other."""
    parts: list[str] = []
    position = 0
    for body in sorted(bodies):
        if body.start >= position:
            parts.append(text[position : body.start])
            position = body.end
    return "".join((*parts, text[position:]))


def _seen_inside(parsed: ParsedSource, tree: SyntaxTree, function: Function, launches: tuple[TextLaunch, ...]) -> tuple[Scope, Threads]:
    """What is known of names and blocks in a function; a device function runs in any block."""
    kernel = next((k for k in parsed.kernels if k.name_span == function.name_span), None)
    if kernel is None:
        own = {p.name for p in function.parameters}
        scope = scope_inside(tree, function.body)
        constants = {name: value for name, value in scope.constants.items() if name not in own}
        return Scope(constants, scope.formulas, scope.writes), Threads(None)
    return scope_of(tree, kernel), Threads(blocks_of(kernel, launches))
