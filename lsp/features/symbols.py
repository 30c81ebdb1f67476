"""Document symbols: kernels and device functions; for editors that have no other CUDA support."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lsp.backend import Backend
from lsp.units import Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, backend: Backend) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def document_symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        symbols: list[types.DocumentSymbol] = []
        for unit in units.of(params.text_document.uri):
            parsed = backend.editor.parsed(unit.key)
            for kernel in parsed.kernels:
                place, name = unit.span(kernel.span.start, kernel.span.end), unit.span(kernel.name_span.start, kernel.name_span.end)
                symbols.append(types.DocumentSymbol(kernel.qualified_name, types.SymbolKind.Function, place, name, detail="__global__"))
            for helper in parsed.device_functions:
                place = unit.span(helper.span.start, helper.span.end)
                symbols.append(
                    types.DocumentSymbol(helper.name, types.SymbolKind.Function, place, unit.line_range(helper.line), detail="__device__")
                )
        return symbols
