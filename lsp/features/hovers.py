"""Hover: what a kernel or a line costs, why, and what would fix it, in at most five lines; ``More`` has the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.hover_words import HOVER_LINES, kernel_hover, line_hover
from assistant.editor.markdown import line_by_line, unmarked
from assistant.editor.shown_notes import shown_notes
from assistant.editor.view import Note, View
from lsp.backend import Backend
from lsp.client import Client
from lsp.diagnostics import note_range
from lsp.operators import op_arguments, task_hover
from lsp.units import Unit, Units

__all__ = ["register", "under"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        for unit, line in units.at(params.text_document.uri, params.position):
            lines = list(_lines(client, backend, unit, line, params.position))
            if lines:
                return types.Hover(_content(client, lines), unit.line_range(line))
        return _of_task(params)

    def _of_task(params: types.HoverParams) -> types.Hover | None:
        found = task_hover(units, backend, params.text_document.uri, params.position)
        if found is None:
            return None
        unit, shown, lines = found
        more = [_link("More", "kernelopt.kernel.explain", dict(op_arguments(unit, shown)))] if client.is_ours else []
        return types.Hover(_content(client, [*lines, *more]), unit.line_range(shown.line))


def _content(client: Client, lines: list[str]) -> types.MarkupContent:
    """Markdown as the client shows it: each text on a line of its own."""
    if client.shows_markdown:
        return types.MarkupContent(types.MarkupKind.Markdown, line_by_line("\n".join(lines)))
    return types.MarkupContent(types.MarkupKind.PlainText, unmarked("\n".join(lines)))


def _lines(client: Client, backend: Backend, unit: Unit, line: int, position: types.Position) -> Iterator[str]:
    backend.editor.look_at(unit.key)
    whole = backend.editor.view(unit.key)
    view = under(unit, whole, line, position)
    kernel = next((kernel for kernel in view.kernels if kernel.line == line), None)
    is_noted = client.is_ours and _is_noted(unit, whole, line, position)
    found = line_hover(view, line, is_noted) if kernel is None else kernel_hover(kernel, view)
    yield from map(unit.said, found[: HOVER_LINES - 1] if client.is_ours else found)
    if found and client.is_ours:
        inside = next((k for k in view.kernels if k.line <= line <= k.last_line), None)
        arguments: dict[str, object] = {"uri": unit.uri} if inside is None else dict(unit.arguments(inside.key))
        yield _link("More", "kernelopt.kernel.explain", arguments if kernel is not None else {**arguments, "line": line})


def under(unit: Unit, view: View, line: int, position: types.Position) -> View:
    """The view with those findings of the line alone that are underlined at the position, where any is: each has its own advice."""
    here = [note for note in view.notes if note.line == line and _is_at(unit, note, position)]
    return replace(view, notes=tuple(note for note in view.notes if note.line != line or note in here)) if here else view


def _is_noted(unit: Unit, view: View, line: int, position: types.Position) -> bool:
    """Whether the position is underlined for a finding: there alone VS Code shows what the finding says in its own hover."""
    return any(shown.note.line == line and _is_at(unit, shown.note, position) for shown in shown_notes(view))


def _is_at(unit: Unit, note: Note, position: types.Position) -> bool:
    found = None if note.code is None else note_range(unit, note)
    return found is not None and found.start <= position <= found.end


def _link(title: str, command: str, argument: dict[str, object]) -> str:
    """A Markdown link that runs a command of ours: clients of our protocol allow these, and no others."""
    return f"[{title}](command:{command}?{quote(json.dumps([argument]))})"
