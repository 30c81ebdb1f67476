"""Inlay hints: resources at the kernel, the telling counter on hot lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from assistant.engine.words import hot_lines, line_hint, resource_hint
from lsp.units import Unit

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT, types.InlayHintOptions(resolve_provider=False))
    def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        hints = [hint for unit in server.units.of(params.text_document.uri) for hint in _hints(server, unit)]
        return [hint for hint in hints if params.range.start.line <= hint.position.line <= params.range.end.line]


def _hints(server: KernelOptServer, unit: Unit) -> Iterator[types.InlayHint]:
    view = server.desk.view(unit.key)
    for kernel in view.kernels:
        text = resource_hint(kernel)
        if text is not None:
            yield _hint(unit, kernel.line, text)
    for line, counters in hot_lines(view):
        yield _hint(unit, line, ", ".join(line_hint(item) for item in counters))


def _hint(unit: Unit, line: int, text: str) -> types.InlayHint:
    return types.InlayHint(unit.line_end(line), text, padding_left=True)
