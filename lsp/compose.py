"""Makes every part of the server and gives each what it needs; the only place that knows all of them.

Loaded once `initialize` has been answered: importing what is here takes most of a start's time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.parts import EditorListener
from assistant.ports.store import Store
from assistant.record import Record
from lsp.backend import Backend, Openers
from lsp.client import Client
from lsp.diagnostics import Diagnostics
from lsp.documents import Documents
from lsp.edits import DocumentEdits
from lsp.features import (
    actions,
    completing,
    configuration,
    hints,
    hovers,
    jobs,
    kernels,
    lenses,
    lifecycle,
    lists,
    notebooks,
    pair,
    previews,
    programs,
    progress,
    proposals,
    status,
    symbols,
    sync,
)
from lsp.late import LateReads
from lsp.models import EditorModel
from lsp.pending_edits import PendingEdits
from lsp.placing import CellEdits
from lsp.proposals import Proposals
from lsp.scratch import ScratchCopies
from lsp.settings import EditorConfiguration
from lsp.settings_sync import SettingsSync
from lsp.units import Units
from lsp.watching import FolderWatch

if TYPE_CHECKING:
    from assistant.engine.pair import PairSessions

__all__ = ["Parts", "compose"]


class Parts(Record):
    """What one client's server is made of."""

    configuration: EditorConfiguration
    units: Units
    late: LateReads
    model: EditorModel
    backend: Backend
    diagnostics: Diagnostics
    documents: Documents
    edits: DocumentEdits
    proposals: Proposals
    scratch: ScratchCopies
    placing: CellEdits
    watch: FolderWatch
    settings: SettingsSync

    async def close(self) -> None:
        """End every job and stop watching."""
        await self.watch.close()
        await self.placing.close()
        await self.backend.close()


def compose(
    server: LanguageServer, client: Client, open_store: Callable[[], Store], open_pairs: Callable[[Store, str], PairSessions]
) -> Parts:
    """Make the parts and register every feature with ``server``."""

    def listener() -> EditorListener:
        from lsp.listener import SessionListener  # only an editor session needs it

        return SessionListener(server, client, units, diagnostics, scratch, backend)

    configured = EditorConfiguration(lambda problem: client.say(problem, types.MessageType.Warning))
    units, late, pending = Units(), LateReads(), PendingEdits()
    model = EditorModel(server, client)
    backend = Backend(Openers(open_store, open_pairs, listener), client, configured, model)
    diagnostics = Diagnostics(server, units, backend, late, configured, client.questions)
    edits = DocumentEdits(server, client, pending)
    offers = Proposals(client, units, backend, edits)
    scratch = ScratchCopies(client, backend, offers.accept_edited)
    parts = Parts(
        configured,
        units,
        late,
        model,
        backend,
        diagnostics,
        Documents(server, units, backend, late, pending, diagnostics),
        edits,
        offers,
        scratch,
        CellEdits(client, units, backend, edits),
        FolderWatch(client, backend.files_changed),
        SettingsSync(server, client, backend, diagnostics, configured),
    )
    _register(server, client, parts)
    return parts


def _register(server: LanguageServer, client: Client, parts: Parts) -> None:
    """Register every feature; the reference lists commands in this order."""
    units, backend = parts.units, parts.backend
    lifecycle.register(server, client, parts.settings, parts.watch, parts.close)
    sync.register(server, units, backend, parts.documents, parts.scratch)
    notebooks.register(server, units, backend, parts.documents, parts.placing)
    configuration.register(server, client, parts.settings, backend)
    jobs.register(server, client, units, backend, parts.configuration)
    kernels.register(server, client, units, backend, parts.edits)
    programs.register(server, client, units, backend)
    proposals.register(server, parts.proposals, parts.scratch)
    pair.register(server, client, units, backend, parts.edits)
    progress.register(server, backend, parts.model)
    status.register(server, client, units, backend, parts.configuration)
    lists.register(server, units, backend, parts.proposals)
    lenses.register(server, units, backend)
    hints.register(server, client, units, backend)
    hovers.register(server, client, units, backend)
    completing.register(server, units, parts.configuration)
    symbols.register(server, units, backend)
    actions.register(server, client, units, backend)
    previews.register(server, parts.proposals)
