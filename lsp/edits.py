"""Edits that the editor is asked to make: one at a time in a document, each of the text that the server knows. Example::

edits.ask((NewText(unit, after),), "the workload block", "kernelopt: declare a workload")     # False: the text is `after` already
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from assistant.cuda.hunks import hunks
from assistant.disk.texts import source_text
from assistant.errors import UsageError
from assistant.model.embedded import EmbeddingProblem
from assistant.model.source import Hunk, Span, TextEdit
from assistant.record import Record
from lsp.client import Client
from lsp.pending_edits import Edit, PendingEdits
from lsp.texts import open_document
from lsp.units import Unit

__all__ = ["DocumentEdits", "NewText"]


class NewText(Record):
    """What a source's text is to become."""

    unit: Unit
    text: str


class _Change(Record):
    unit: Unit
    edits: tuple[types.TextEdit, ...]
    """Edits of the unit's document."""


class DocumentEdits:
    """Asks a client to edit its documents."""

    def __init__(self, server: LanguageServer, client: Client, pending: PendingEdits) -> None:
        self._server = server
        self._client = client
        self._pending = pending

    def check(self, unit: Unit) -> None:
        """Raises UsageError while another edit of the document is pending."""
        self._pending.check(unit.uri)

    def ask(self, texts: Sequence[NewText], what: str, label: str, made: Callable[[], None] = lambda: None) -> bool:
        """Ask the editor to change texts, as one edit that can be undone; False if all are that already.

        ``what`` names the change in errors, ``label`` in the editor; ``made`` is called when the editor says that it made it. Raises
        UsageError where the text around an embedded source cannot hold it, and while another edit of one of the documents is pending.
        """
        changes = self._begin(texts, what)
        if changes:
            self._client.spawn(self._make(changes, label, made))
        return bool(changes)

    async def make(self, text: NewText, what: str, label: str) -> bool:
        """As ``ask``, and wait: whether the editor says that the text is the new one now."""
        changes = self._begin((text,), what)
        return not changes or await self._make(changes, label, lambda: None)

    def _begin(self, texts: Sequence[NewText], what: str) -> tuple[_Change, ...]:
        """The edits to ask for; none of texts that are as they are to be."""
        every = (_Change(new.unit, _text_edits(new.unit, new.text, what)) for new in texts)
        changes = tuple(change for change in every if change.edits)
        for change in changes:
            self._pending.check(change.unit.uri)
        after = {new.unit.uri: new.text for new in texts}
        for unit in (change.unit for change in changes):
            self._pending.begin(unit.uri, Edit(unit.key, unit.text, after[unit.uri], self._client.takes_versioned_edits))
        return changes

    async def _make(self, changes: Sequence[_Change], label: str, made: Callable[[], None]) -> bool:
        """Ask for the edit; whether it was made. A client that says that it did not make it is believed, and the person sees a warning.

        What the client typed before it was asked is read by now: the edit was made for the texts before that, and is not asked for.
        """
        is_made = all(self._is_as_known(change.unit) for change in changes) and await self._apply(changes, label)
        for unit in (change.unit for change in changes):
            if not is_made or open_document(self._server.workspace, unit.uri) is None:  # a closed one's text never comes back
                self._pending.refused(unit.uri)
        if is_made:
            made()
        else:
            self._client.say(f"the editor did not apply the edit: {label}", types.MessageType.Warning)
        return is_made

    def _is_as_known(self, unit: Unit) -> bool:
        """Whether the document has the text that the edit was made for; one that is not open is its file."""
        document = open_document(self._server.workspace, unit.uri)
        return (source_text(unit.path) if document is None else document.source) == unit.document

    async def _apply(self, changes: Sequence[_Change], label: str) -> bool:
        """Whether the editor says that it made the edits, each of its document as it is open now."""
        if self._client.takes_versioned_edits:
            edit = types.WorkspaceEdit(document_changes=[self._versioned(change) for change in changes])
        else:
            edit = types.WorkspaceEdit(changes={change.unit.uri: change.edits for change in changes})
        try:
            return (await self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))).applied
        except JsonRpcException as error:  # Emacs answers so where the text has moved on
            self._client.log(f"the editor answered with an error: {error}", types.MessageType.Warning)
            return False

    def _versioned(self, change: _Change) -> types.TextDocumentEdit:
        document = open_document(self._server.workspace, change.unit.uri)
        versioned = types.OptionalVersionedTextDocumentIdentifier(change.unit.uri, None if document is None else document.version)
        return types.TextDocumentEdit(versioned, list(change.edits))


def _text_edits(unit: Unit, after: str, what: str) -> tuple[types.TextEdit, ...]:
    """The change as edits of the document: whole lines of CUDA text."""
    edits = unit.edits([_line_edit(unit, hunk) for hunk in hunks(unit.text, after)])
    if isinstance(edits, EmbeddingProblem):
        raise UsageError(f"{what} cannot be written into {unit.path.stem}: {edits.reason}", "change the text by hand, or change its quotes")
    return edits


def _line_edit(unit: Unit, hunk: Hunk) -> TextEdit:
    """One hunk as a replacement of whole lines; at the end of a text without a last line end, of what is there."""
    start = unit.start_of_line(hunk.before_line)
    return TextEdit(Span(start, start + sum(len(line) for line in hunk.before)), "".join(hunk.after))
