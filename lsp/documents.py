"""Turns the documents and cells that a client has open into sources of the editor session."""

from __future__ import annotations

import re
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from assistant.cuda.embedded.magics import head_of
from assistant.editor.open_document import InnerText
from assistant.editor.staging import Trigger
from assistant.model.embedded import Container
from lsp.backend import Backend
from lsp.diagnostics import Diagnostics
from lsp.embedded import PythonText, read_cuda_cell, read_embedded
from lsp.late import LateReads
from lsp.operators import put_task, remove_task
from lsp.pending_edits import PendingEdits
from lsp.texts import open_document
from lsp.units import IgnoredText, Unit, Units, file_of, is_cuda, is_cuda_header, is_python, is_source, path_of

__all__ = ["Documents"]

_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")


class Documents:
    """The open documents of a client."""

    def __init__(
        self, server: LanguageServer, units: Units, backend: Backend, late: LateReads, pending: PendingEdits, diagnostics: Diagnostics
    ) -> None:
        self._server = server
        self._units = units
        self._backend = backend
        self._late = late
        self._pending = pending
        self._diagnostics = diagnostics

    def put(self, uri: str, trigger: Trigger) -> None:
        """A document or a cell was opened, typed in or saved, or closed; a slow one is read in a pause of typing."""
        document = open_document(self._server.workspace, uri)
        if document is None:
            self.close(uri)
        elif trigger is Trigger.TYPED:
            self._late.put_off(document.uri, lambda: self._put(document, trigger))
        else:
            self._late.read(document.uri, lambda: self._put(document, trigger))

    def _put(self, document: TextDocument, trigger: Trigger) -> None:
        uri = document.uri
        before, ignored_before = self._units.of(uri), self._units.ignored(uri)
        begun_s = time.thread_time()
        units, ignored = self._read(document, before, trigger)
        self._late.took(uri, time.thread_time() - begun_s)
        is_task_before = self._units.task(uri) is not None
        self._put_task(document, trigger)
        self._replace(uri, units, ignored)
        known = {unit.key: (unit.text, unit.writes) for unit in before}
        changed = [unit for unit in units if known.get(unit.key) != (unit.text, unit.writes)]
        for unit in units if trigger is not Trigger.TYPED else changed:
            self._backend.editor.put(unit.key, unit.path, unit.text, trigger, None if unit.key == uri else InnerText(unit.writes))
        is_unpublished = self._late.take_unpublished(uri)
        is_task = is_task_before or self._units.task(uri) is not None
        if not changed and (is_unpublished or is_task or before != units or ignored_before != ignored):
            self._diagnostics.publish(uri)  # the session reports nothing, but places have moved

    def close(self, uri: str) -> None:
        """A document was closed, deleted or renamed: its diagnostics go with it."""
        self._late.forget(uri)
        is_task = self._units.task(uri) is not None
        remove_task(self._units, self._backend, uri)
        if is_task or self._units.of(uri) or self._units.ignored(uri):
            self._replace(uri, ())
            self._diagnostics.clear(uri)

    def _put_task(self, document: TextDocument, trigger: Trigger) -> None:
        """A Python file may be a PyTorch task."""
        workspace, uri = self._server.workspace, document.uri
        if not is_python(uri, document.language_id) or not is_source(uri) or workspace.get_notebook_document(cell_uri=uri) is not None:
            return
        root = None if workspace.root_path is None else Path(workspace.root_path)
        encoding = types.PositionEncodingKind(workspace.position_encoding)
        text = _well_formed(document.source)
        put_task(self._units, self._backend, Unit(uri, uri, file_of(uri, root), text, text, encoding), trigger)

    def _replace(self, uri: str, units: tuple[Unit, ...], ignored: tuple[IgnoredText, ...] = ()) -> None:
        for key in self._units.replace(uri, units, ignored):
            self._backend.editor.remove(key)
        self._pending.seen(uri, {unit.key: unit.text for unit in units})

    def _read(self, document: TextDocument, before: tuple[Unit, ...], trigger: Trigger) -> tuple[tuple[Unit, ...], tuple[IgnoredText, ...]]:
        """The units of a document, and the CUDA texts in it that are ignored."""
        workspace = self._server.workspace
        uri, text = document.uri, _well_formed(document.source)
        root = None if workspace.root_path is None else Path(workspace.root_path)
        encoding = types.PositionEncodingKind(workspace.position_encoding)
        notebook = workspace.get_notebook_document(cell_uri=uri)
        if not is_source(uri if notebook is None else notebook.uri):
            return (), ()
        if notebook is None and (is_cuda(uri, document.language_id) or is_cuda_header(uri, text)):
            return (Unit(uri, uri, path_of(uri, root), text, text, encoding),), ()
        if notebook is None and not is_python(uri, document.language_id):
            return (), ()
        # a cell's URI does not say where its notebook lies
        container = Container.PYTHON_FILE if notebook is None else Container.NOTEBOOK_CELL
        opened = PythonText(uri, text, encoding, file_of(uri if notebook is None else notebook.uri, root), container)
        names = (before, self._units.paths() - {unit.path for unit in before}, trigger is not Trigger.TYPED)
        if is_cuda(uri, document.language_id) and head_of(text) is None:
            return read_cuda_cell(opened, *names), ()
        return read_embedded(opened, *names)


def _well_formed(text: str) -> str:
    """The text with U+FFFD for half of a surrogate pair, which JSON can carry and no file can: of the same width in every encoding."""
    return text if text.isascii() else _HALF_OF_A_PAIR.sub("\ufffd", text)
