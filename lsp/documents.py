"""From what an editor has open to sources on the desk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.workspace import TextDocument

from assistant.engine.staging import Trigger
from lsp.units import Unit, is_cuda, path_of

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["NOTEBOOK_SYNC", "close_document", "put_document"]

NOTEBOOK_SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            cells=[types.NotebookCellLanguage("python"), types.NotebookCellLanguage("cuda-cpp")],
        )
    ],
    save=True,
)


def put_document(server: KernelOptServer, document: TextDocument, trigger: Trigger) -> None:
    """A document was opened, typed in or saved."""
    units = _units(server, document)
    for key in server.units.replace(document.uri, units):
        server.desk.remove(key)
    for unit in units:
        server.desk.put(unit.key, unit.path, unit.text, trigger)


def close_document(server: KernelOptServer, uri: str) -> None:
    """A document was closed, deleted or renamed: its diagnostics go with it."""
    for key in server.units.replace(uri, ()):
        server.desk.remove(key)
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _units(server: KernelOptServer, document: TextDocument) -> tuple[Unit, ...]:
    if not is_cuda(document.uri, document.language_id):
        return ()
    return (Unit(document.uri, document.uri, path_of(document.uri, _root(server)), document.source, document.source, _encoding(server)),)


def _root(server: KernelOptServer) -> Path | None:
    root = server.workspace.root_path
    return None if root is None else Path(root)


def _encoding(server: KernelOptServer) -> types.PositionEncodingKind:
    return types.PositionEncodingKind(server.workspace.position_encoding)
