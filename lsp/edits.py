"""Edits that the editor is asked to make: one at a time in a document, each of the text that the server knows. Example::

edits.ask(unit, after, "the workload block", "kernelopt: declare a workload")     # False: the text is `after` already
"""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from assistant.cuda.hunks import hunks
from assistant.errors import UsageError
from assistant.model.embedded import EmbeddingProblem
from assistant.model.source import Hunk, Span, TextEdit
from lsp.client import Client
from lsp.pending_edits import Edit, PendingEdits
from lsp.texts import open_document
from lsp.units import Unit

__all__ = ["DocumentEdits"]


class DocumentEdits:
    """Asks a client to edit its documents."""

    def __init__(self, server: LanguageServer, client: Client, pending: PendingEdits) -> None:
        self._server = server
        self._client = client
        self._pending = pending

    def check(self, unit: Unit) -> None:
        """Raises UsageError while another edit of the document is pending."""
        self._pending.check(unit.uri)

    def ask(self, unit: Unit, after: str, what: str, label: str) -> bool:
        """Ask the editor to change the text to ``after``, as one edit that can be undone; False if it is that already.

        ``what`` names the change in errors, ``label`` in the editor. Raises UsageError where the text around an embedded source cannot
        hold it, and while another edit of the document is pending.
        """
        edits = self._begin(unit, after, what)
        if edits:
            self._client.spawn(self._make(unit, edits, label))
        return bool(edits)

    async def make(self, unit: Unit, after: str, what: str, label: str) -> bool:
        """As ``ask``, and wait: whether the editor says that the text is ``after`` now."""
        edits = self._begin(unit, after, what)
        return not edits or await self._make(unit, edits, label)

    def _begin(self, unit: Unit, after: str, what: str) -> tuple[types.TextEdit, ...]:
        """The edits to ask for; none where the text is ``after`` already."""
        edits = _text_edits(unit, after, what)
        if edits:
            self._pending.begin(unit.uri, Edit(unit.key, unit.text, after, self._client.takes_versioned_edits))
        return edits

    async def _make(self, unit: Unit, edits: tuple[types.TextEdit, ...], label: str) -> bool:
        """Ask for the edit; whether it was made. A client that says that it did not make it is believed, and the person sees a warning.

        What the client typed before it was asked is read by now: the edit was made for the text before that, and is not asked for.
        """
        document = open_document(self._server.workspace, unit.uri)
        is_made = document is not None and document.source == unit.document and await self._apply(unit, edits, label, document.version)
        if not is_made:
            self._pending.refused(unit.uri)
            self._client.say(f"the editor did not apply the edit: {label}", types.MessageType.Warning)
        return is_made

    async def _apply(self, unit: Unit, edits: tuple[types.TextEdit, ...], label: str, version: int | None) -> bool:
        """Whether the editor says that it made the edits of this version of the document."""
        if self._client.takes_versioned_edits:
            versioned = types.OptionalVersionedTextDocumentIdentifier(unit.uri, version)
            edit = types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(versioned, list(edits))])
        else:
            edit = types.WorkspaceEdit(changes={unit.uri: edits})
        try:
            return (await self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))).applied
        except JsonRpcException as error:  # Emacs answers so where the text has moved on
            self._client.log(f"the editor answered with an error: {error}", types.MessageType.Warning)
            return False


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
