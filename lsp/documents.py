"""From what an editor has open to sources of the editor session."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.workspace import TextDocument

from assistant.cuda.embedded.magics import head_of
from assistant.editor.staging import Trigger
from assistant.model.embedded import Container
from lsp.embedded import Opened, read_cuda_cell, read_embedded
from lsp.units import PassedOver, Unit, file_of, is_cuda, is_python, is_source, path_of

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["close_document", "put_document"]

_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")


def put_document(server: KernelOptServer, document: TextDocument, trigger: Trigger) -> None:
    """A document or a cell was opened, typed in or saved. What takes long to read is read in a pause of typing."""
    if trigger is Trigger.TYPED:
        server.late.put_off(document.uri, lambda: _put(server, document, trigger))
    else:
        server.late.read(document.uri, lambda: _put(server, document, trigger))


def _put(server: KernelOptServer, document: TextDocument, trigger: Trigger) -> None:
    before, passed_before = server.units.of(document.uri), server.units.passed_over(document.uri)
    begun_s = time.thread_time()
    units, passed = _read(server, document, before, trigger)
    server.late.took(document.uri, time.thread_time() - begun_s)
    for key in server.units.replace(document.uri, units, passed):
        server.editor.remove(key)
    server.under_way.seen(document.uri, {unit.key: unit.text for unit in units})
    texts = {unit.key: unit.text for unit in before}
    changed = [unit for unit in units if texts.get(unit.key) != unit.text]
    for unit in units if trigger is not Trigger.TYPED else changed:
        server.editor.put(unit.key, unit.path, unit.text, trigger)
    is_owed = server.late.was_owed(document.uri)
    if not changed and (is_owed or before != units or passed_before != passed):
        server.show(document.uri)  # the session has nothing to tell, but places have moved


def close_document(server: KernelOptServer, uri: str) -> None:
    """A document was closed, deleted or renamed: its diagnostics go with it."""
    server.late.forget(uri)
    if not server.units.of(uri) and not server.units.passed_over(uri):
        return
    for key in server.units.replace(uri, ()):
        server.editor.remove(key)
    server.under_way.seen(uri, {})
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _read(
    server: KernelOptServer, document: TextDocument, before: tuple[Unit, ...], trigger: Trigger
) -> tuple[tuple[Unit, ...], tuple[PassedOver, ...]]:
    """The units of a document, and what is passed over."""
    uri, text, root, encoding = document.uri, _well_formed(document.source), _root(server), _encoding(server)
    notebook = server.workspace.get_notebook_document(cell_uri=uri)
    if not is_source(uri if notebook is None else notebook.uri):
        return (), ()
    if notebook is None and is_cuda(uri, document.language_id):
        return (Unit(uri, uri, path_of(uri, root), text, text, encoding),), ()
    if notebook is None and not is_python(uri, document.language_id):
        return (), ()
    # a cell's URI says nothing of where its notebook lies
    container = Container.PYTHON_FILE if notebook is None else Container.NOTEBOOK_CELL
    opened = Opened(uri, text, encoding, file_of(uri if notebook is None else notebook.uri, root), container)
    names = (before, server.units.paths() - {unit.path for unit in before}, trigger is not Trigger.TYPED)
    if is_cuda(uri, document.language_id) and head_of(text) is None:
        return read_cuda_cell(opened, *names), ()
    return read_embedded(opened, *names)


def _well_formed(text: str) -> str:
    """The text with U+FFFD for half of a surrogate pair, which JSON can carry and no file can: of the same width in every encoding."""
    return text if text.isascii() else _HALF_OF_A_PAIR.sub("\ufffd", text)


def _root(server: KernelOptServer) -> Path | None:
    root = server.workspace.root_path
    return None if root is None else Path(root)


def _encoding(server: KernelOptServer) -> types.PositionEncodingKind:
    return types.PositionEncodingKind(server.workspace.position_encoding)
