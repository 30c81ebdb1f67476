"""Memory, the editor session and pair sessions of one client, each made when it is first needed.

Starting the server must not wait for any of them, and most people never have a pair session. Example::

    backend = Backend(Openers(open_store, open_pairs, make_listener), client, configuration, model)
    backend.editor.view(key)     # opens memory and makes the editor session
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pygls.uris import to_fs_path

from assistant.config import TrustOfThisRun, TrustStore, user_paths
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane
from assistant.editor.models import ModelConsents
from assistant.editor.parts import EditorListener, EditorParts
from assistant.errors import MemoryFileError
from assistant.lab.gpu_users import NvmlGpuUsers
from assistant.ports.store import Store
from assistant.record import Record
from lsp.client import Client
from lsp.models import EditorModel
from lsp.settings import EditorConfiguration

if TYPE_CHECKING:
    from assistant.disk.temporary import OwnFolder
    from assistant.editor.operators import OpenOperators
    from assistant.editor.session import EditorSession
    from assistant.engine.pair import PairSessions

__all__ = ["Backend", "Openers"]


class Openers(Record):
    """What makes the parts that are not made in here."""

    store: Callable[[], Store]
    """Opens memory. Raises MemoryFileError where that cannot be done."""
    pairs: Callable[[Store, str], PairSessions]
    """(memory, front end and process) → its pair sessions; loads what only they need."""
    listener: Callable[[], EditorListener]
    """What the editor session reports to."""


class Backend:
    """Makes what a client's requests need, and closes it."""

    def __init__(self, openers: Openers, client: Client, configuration: EditorConfiguration, model: EditorModel) -> None:
        self._openers = openers
        self._client = client
        self._configuration = configuration
        self._model = model
        self._who = f"lsp {os.getpid()}"
        self._store: Store | None = None
        self._temporary: OwnFolder | None = None
        """Holds the memory of this run where the user's own cannot be opened."""
        self._pairs: PairSessions | None = None
        self._editor: EditorSession | None = None
        self._editor_parts: EditorParts | None = None
        """What the editor session was made of."""
        self._operators: OpenOperators | None = None
        self._guard: Guard | None = None

    @property
    def store(self) -> Store:
        """Memory; where it cannot be opened, the person is warned and this run has an empty one."""
        if self._store is None:
            try:
                self._store = self._openers.store()
            except MemoryFileError as error:
                self._client.say_once(
                    f"{error.message}; {error.remedy}, then restart the server: until then kernelopt only reads sources and saves nothing"
                )
                self._configuration.only_read()
                self._store = self._store_of_this_run()
            self._client.short_id = self._store.short_id
        return self._store

    @property
    def pairs(self) -> PairSessions:
        """Pair sessions."""
        if self._pairs is None:
            self._pairs = self._openers.pairs(self.store, self._who)
        return self._pairs

    @property
    def editor(self) -> EditorSession:
        """The editor session; the first use makes it."""
        if self._editor is None:
            self._editor = self._new_editor()
        return self._editor

    @property
    def operators(self) -> OpenOperators:
        """The PyTorch tasks that are open; their jobs run in the editor session's lanes."""
        if self._operators is None:
            from assistant.editor.operators import OpenOperators

            editor = self.editor
            assert self._editor_parts is not None, "an editor session was made of them"
            self._operators = OpenOperators(self.store, self._editor_parts, editor.queues)
        return self._operators

    @property
    def opened(self) -> EditorSession | None:
        """The editor session, if anything has needed it yet."""
        return self._editor

    def _new_editor(self) -> EditorSession:
        from assistant.editor.session import EditorSession  # loads the analyses, which nothing needs before the first CUDA source

        trust = (TrustStore if self._client.keeps_answers else TrustOfThisRun)(user_paths().trust)
        self._guard = Guard(trust, self._client.ask_consent, self._client.is_trusted, self._client.ask_consent_now)
        models = ModelConsents(trust, self._client.ask_model)
        quick, heavy = Lane(JobHost("lsp")), Lane(JobHost("lsp", self._model), NvmlGpuUsers())
        listener = self._openers.listener()
        self._editor_parts = EditorParts(
            quick, heavy, self._guard, listener, self._configuration.settings_of, self._who, models, self._client.ask_program
        )
        return EditorSession(self.store, self._editor_parts)

    def _store_of_this_run(self) -> Store:
        from assistant.disk.temporary import OwnFolder
        from assistant.memory.store import open_store

        self._temporary = OwnFolder()
        return open_store(self._temporary.path / "memory.sqlite3")

    def trust_changed(self, is_trusted: bool) -> None:
        """The editor's workspace was trusted, or no longer is."""
        self._client.is_trusted = is_trusted
        if self._editor is not None and self._guard is not None:
            self._guard.is_trusted_by_editor = is_trusted
            self._guard.forget_answers()
            self._editor.look_again()
        if self._operators is not None:
            self._operators.look_again()

    def missing_trust(self, path: Path) -> str | None:
        """How a person allows that the file is compiled and run; None where that is allowed, or where lenses and questions say it."""
        if self._guard is None or self._client.shows_lenses or self._client.is_trusted is not None:
            return None
        return None if self._guard.is_trusted(path) else f"kernelopt trust {shlex.quote(str(path.parent))}"

    def files_changed(self, uris: tuple[str, ...]) -> None:
        """Files changed on disk: settings apply, and sources that include one of them are looked at again."""
        if self._editor is not None:
            self._editor.files_changed(tuple(Path(path) for uri in uris if (path := to_fs_path(uri))))

    def proposal_decided(self, path: Path) -> None:
        """A proposal for the file was decided on: in pair sessions on it that is a turn, which their lens shows."""
        sessions = self.store.pair_sessions(path)
        for session in sessions:
            self.pairs.state(session.id)
        if sessions:
            self.editor.offers_changed()

    async def close(self) -> None:
        """End every job."""
        if self._editor is not None:
            await self._editor.close()
        if self._store is not None:
            self._store.close()
        if self._temporary is not None:
            self._temporary.remove()
