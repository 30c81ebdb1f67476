"""Inlay hints: resources at each kernel, the most important counter on hot lines. Short: the tooltip has every figure and its origin.

Lines at their ideal have none. Where the client shows heat, hot lines have none either, and of the kernels those that spill or leave an SM
half empty. A line that was edited since the text was saved has what is predicted of it instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.live_accesses import LIVE_ORIGIN
from assistant.editor.stalls import brief_stall_hint, hot_stalls, stall_hint, stall_origin
from assistant.editor.words import fitted, hot_lines, is_short_of_resources, line_hint, line_origin, resource_hint, resource_origin
from lsp.backend import Backend
from lsp.client import Client
from lsp.units import Unit, Units

__all__ = ["register"]


def register(server: LanguageServer, client: Client, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        hints = [hint for unit in units.of(params.text_document.uri) for hint in _hints(backend, unit, not client.supports("lines"))]
        return [hint for hint in hints if params.range.start.line <= hint.position.line <= params.range.end.line]


def _hints(backend: Backend, unit: Unit, are_lines_hinted: bool) -> Iterator[types.InlayHint]:
    """``are_lines_hinted``: not where the client draws the heat of lines itself, as a line has one mark."""
    backend.editor.look_at(unit.key)
    view = backend.editor.view(unit.key)
    for line, kernels in groupby(sorted(view.kernels, key=lambda kernel: kernel.line), key=lambda kernel: kernel.line):
        shown = [kernel for kernel in kernels if are_lines_hinted or is_short_of_resources(kernel)]
        hinted = [(kernel, text) for kernel in shown if (text := resource_hint(kernel)) is not None]
        for kernel, text in hinted:
            yield _hint(unit, line, text if len(hinted) == 1 else fitted([f"{kernel.name}: {text}"]), resource_origin(kernel))
    if not are_lines_hinted:
        return
    edited = {item.line: item.text for item in view.live}
    for line, text in edited.items():
        yield _hint(unit, line, text, LIVE_ORIGIN)
    counted = dict(hot_lines(view))
    stalled = hot_stalls(view, also=tuple(counted))
    for line in sorted({*counted, *stalled} - {*edited}):
        parts = [(line_hint(counted[line]), line_origin(counted[line]))] if line in counted else []
        if line in stalled:
            origin = f"{stall_hint(view, stalled[line])}: {stall_origin(stalled[line])}"
            parts.append((brief_stall_hint(view, stalled[line]), origin))
        yield _hint(unit, line, fitted([text for text, _ in parts], " · "), "\n\n".join(origin for _, origin in parts))


def _hint(unit: Unit, line: int, text: str, origin: str) -> types.InlayHint:
    return types.InlayHint(unit.line_end(line), unit.said(text), tooltip=unit.said(origin), padding_left=True)
