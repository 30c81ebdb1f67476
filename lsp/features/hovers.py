"""Hover: what a kernel or a line costs, why, and what would fix it, in at most five lines; ``More`` has the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import quote

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.hover_words import kernel_hover, line_hover
from lsp.backend import Backend
from lsp.client import Client
from lsp.operators import op_arguments, task_hover
from lsp.units import Unit, Units

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        for unit, line in units.at(params.text_document.uri, params.position):
            lines = list(_lines(client, backend, unit, line))
            if lines:
                content = types.MarkupContent(types.MarkupKind.Markdown, "  \n".join(lines))
                return types.Hover(content, unit.line_range(line))
        return _of_task(params)

    def _of_task(params: types.HoverParams) -> types.Hover | None:
        found = task_hover(units, backend, params.text_document.uri, params.position)
        if found is None:
            return None
        unit, shown, lines = found
        more = [_link("More", "kernelopt.kernel.explain", dict(op_arguments(unit, shown)))] if client.is_ours else []
        content = types.MarkupContent(types.MarkupKind.Markdown, "  \n".join([*lines, *more]))
        return types.Hover(content, unit.line_range(shown.line))


def _lines(client: Client, backend: Backend, unit: Unit, line: int) -> Iterator[str]:
    backend.editor.look_at(unit.key)
    view = backend.editor.view(unit.key)
    kernel = next((kernel for kernel in view.kernels if kernel.line == line), None)
    found = line_hover(view, line, is_noted=client.is_ours) if kernel is None else kernel_hover(kernel, view)
    yield from map(unit.said, found)
    if found and client.is_ours:
        inside = next((k for k in view.kernels if k.line <= line <= k.last_line), None)
        arguments: dict[str, object] = {"uri": unit.uri} if inside is None else dict(unit.arguments(inside.key))
        yield _link("More", "kernelopt.kernel.explain", arguments if kernel is not None else {**arguments, "line": line})


def _link(title: str, command: str, argument: dict[str, object]) -> str:
    """A Markdown link that runs a command of ours: clients of our protocol allow these, and no others."""
    return f"[{title}](command:{command}?{quote(json.dumps([argument]))})"
