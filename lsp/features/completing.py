"""Completion in CUDA: in cells and strings, where nothing else completes it; in files where a setting says so, as clangd does that."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.cuda.offered_names import offered_names
from lsp.settings import EditorConfiguration
from lsp.units import Unit, Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, configuration: EditorConfiguration) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        for unit in units.of(params.text_document.uri):
            offset = unit.offset(params.position)
            if offset is not None and _is_completed(unit, configuration.settings_of(unit.path).completion):
                _, names = offered_names(unit.text[:offset], unit.text[offset:])
                return [types.CompletionItem(name, kind=types.CompletionItemKind.Text) for name in names]
        return []


def _is_completed(unit: Unit, wanted: str) -> bool:
    return wanted == "on" or (wanted == "notebooks" and unit.embedded is not None)
