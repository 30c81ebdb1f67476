"""The language server: a thin edge over the editor session. What it shows and does comes from `assistant.engine`; here it gets LSP's form.

`initialize` is answered first (`lsp.offered`); what the answers to everything else need is loaded while the client takes that in. Example::

    server = build_server(open_memory, open_pairs)
    serve(server, port=None)                       # lsp.serving: stdio, until the client says exit
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter
from pygls.uris import to_fs_path

from assistant.errors import MemoryFileError, UsageError
from lsp.client import Client
from lsp.offered import NOTEBOOK_SYNC
from lsp.protocol import ServerProtocol
from lsp.texts import SYNC

if TYPE_CHECKING:
    from assistant.disk.temporary import OwnFolder
    from assistant.editor.guard import Guard
    from assistant.editor.session import EditorSession
    from assistant.engine.pair.book import PairBook
    from assistant.model.proposal import Decision
    from assistant.ports.store import Store
    from lsp.edits import ScratchEdits
    from lsp.late import LateReads
    from lsp.models import EditorModel
    from lsp.placing import Placing
    from lsp.settings import EditorConfiguration
    from lsp.under_way import UnderWay
    from lsp.units import Units

__all__ = ["KernelOptServer", "build_server"]

OpenStore = Callable[[], "Store"]
OpenPairs = Callable[["Store", str], "PairBook"]
"""(memory, front end and process) → its pair sessions; loads what only they need."""


class KernelOptServer(LanguageServer):
    """One client's server."""

    def __init__(self, open_store: OpenStore, open_pairs: OpenPairs) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "kernelopt",
            version("kernelopt"),
            text_document_sync_kind=SYNC,
            notebook_document_sync=NOTEBOOK_SYNC,
            protocol_cls=ServerProtocol,
            converter_factory=default_converter,
        )
        self._open_store = open_store
        self._open_pairs = open_pairs
        self._who = f"lsp {os.getpid()}"
        self._is_loaded = False
        self.client = Client(self)
        self.keeps_answers = True
        """Whether what its client answers is remembered for good; not that of whoever connects to a port."""
        self.watching: list[asyncio.Task[None]] = []
        """One for each folder that the client does not watch itself."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._editor: EditorSession | None = None
        self._store: Store | None = None
        self._scratch: OwnFolder | None = None
        self._pairs: PairBook | None = None
        self.units: Units  # these come with `load`
        self.configuration: EditorConfiguration
        self.edits: ScratchEdits
        self.late: LateReads
        self.under_way: UnderWay
        self.model: EditorModel
        self._placing: Placing | None = None
        self.guard: Guard

    def load(self) -> None:
        """Register every feature, with what it needs, if that has not been done: most of a start's time, nothing waits for it."""
        if self._is_loaded:
            return
        self._is_loaded = True
        gc.disable()  # what is loaded stays: looking through it costs a tenth of the start, and each keystroke afterwards
        from lsp.edits import ScratchEdits
        from lsp.features import register_features
        from lsp.late import LateReads
        from lsp.models import EditorModel
        from lsp.settings import EditorConfiguration
        from lsp.under_way import UnderWay
        from lsp.units import Units

        self.units = Units()
        self.configuration = EditorConfiguration(lambda problem: self.client.say(problem, types.MessageType.Warning))
        self.edits = ScratchEdits(self)
        self.late = LateReads()
        self.under_way = UnderWay()
        self.model = EditorModel(self)
        register_features(self)
        gc.freeze()
        gc.enable()

    def uri_of(self, path: Path) -> str:
        """The open document of a file; else the file itself."""
        key = self.editor.key_of(path)
        unit = None if key is None else self.units.find(key)
        return path.as_uri() if unit is None else unit.uri

    @property
    def store(self) -> Store:
        """Memory; opened with the session."""
        if self._store is None:
            try:
                self._store = self._open_store()
            except MemoryFileError as error:
                told = f"{error.message}; {error.remedy}, then restart the server: until then sources are only read, and nothing is kept"
                self.client.say_once(told)
                self.configuration.only_read()
                self._store = self._store_of_this_run()
        return self._store

    def _store_of_this_run(self) -> Store:
        """Where memory cannot be opened; the person has been told."""
        from assistant.disk.temporary import OwnFolder
        from assistant.memory.store import open_store

        self._scratch = OwnFolder()
        return open_store(self._scratch.path / "memory.sqlite3")

    @property
    def pairs(self) -> PairBook:
        """Pair sessions; most people have none."""
        if self._pairs is None:
            self._pairs = self._open_pairs(self.store, self._who)
        return self._pairs

    @property
    def editor(self) -> EditorSession:
        """The editor session, made when first needed: starting must not wait for it."""
        if self._editor is None:
            from assistant.config import TrustOfThisRun, TrustStore, user_paths
            from assistant.editor.guard import Guard
            from assistant.editor.jobs import JobHost
            from assistant.editor.lanes import Lane
            from assistant.editor.models import ModelConsents
            from assistant.editor.parts import EditorParts
            from assistant.editor.session import EditorSession
            from assistant.lab.gpu_users import NvmlGpuUsers
            from lsp.listener import EditorListener

            trust = (TrustStore if self.keeps_answers else TrustOfThisRun)(user_paths().trust)
            self.guard = Guard(trust, self.client.ask_consent, self.client.is_trusted)
            models = ModelConsents(trust, self.client.ask_model)
            listener = EditorListener(self)
            lanes = Lane(JobHost("lsp")), Lane(JobHost("lsp", self.model), NvmlGpuUsers())
            self._editor = EditorSession(
                self.store, EditorParts(*lanes, self.guard, listener, self.configuration.settings_of, self._who, models)
            )
        return self._editor

    @property
    def placing(self) -> Placing:
        """What kernels of notebooks ask for; most people have none open."""
        if self._placing is None:
            from lsp.placing import Placing

            self._placing = Placing(self)
        return self._placing

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a coroutine that no handler waits for; nothing may cancel one that awaits the client."""
        task = asyncio.get_running_loop().create_task(self._answered(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answered(self, work: Coroutine[Any, Any, object]) -> None:
        """``work``, whose requests some clients answer with an error."""
        try:
            await work
        except JsonRpcException as error:
            self.client.log(f"the editor answered with an error: {error}", types.MessageType.Warning)

    def show(self, uri: str) -> None:
        """Send the diagnostics of a document afresh."""
        from lsp.features.diagnostics import publish

        publish(self, uri)

    def apply_configuration(self) -> None:
        """The editor's settings changed."""
        if self._editor is not None:
            for uri in self.units.uris():
                self.show(uri)
            self._editor.look_again()

    def trust_changed(self, is_trusted: bool) -> None:
        """The editor's workspace was trusted, or no longer is."""
        self.client.is_trusted = is_trusted
        if self._editor is not None:
            self.guard.is_trusted_by_editor = is_trusted
            self.guard.forget_answers()
            self.editor.look_again()

    def files_changed(self, uris: tuple[str, ...]) -> None:
        """Files changed on disk: settings apply, and sources that include one of them are looked at again."""
        if self._editor is not None:
            self._editor.files_changed(tuple(Path(path) for uri in uris if (path := to_fs_path(uri))))

    def decided(self, key: str, decision: Decision) -> None:
        """The text of an open source shows a decision; a partial accept is judged before it earns a badge."""
        from assistant.model.proposal import DecisionKind

        self.tell_pairs(self.store.find_proposal(decision.proposal).path)
        if decision.kind is DecisionKind.PARTIALLY_ACCEPTED:
            try:
                self.editor.judge(key, self.store.find_proposal(decision.proposal).before_text)
            except UsageError as error:
                self.client.say(f"what you took of {decision.proposal} was not judged: {error.message}", types.MessageType.Warning)

    def tell_pairs(self, path: Path) -> None:
        """A proposal was decided on: in pair sessions on its file, that is a turn, which their lens shows."""
        sessions = self.store.pair_sessions(path)
        for session in sessions:
            self.pairs.state(session.id)
        if sessions:
            self.editor.offers_changed()

    async def close(self) -> None:
        """End every job."""
        for task in self.watching:
            task.cancel()
        await asyncio.gather(*self.watching, return_exceptions=True)
        self.watching = []
        if self._placing is not None:
            await self._placing.close()
        if self._editor is not None:
            await self._editor.close()
        if self._store is not None:
            self._store.close()
        if self._scratch is not None:
            self._scratch.remove()


def build_server(open_store: OpenStore, open_pairs: OpenPairs) -> KernelOptServer:
    """A server that can be spoken to, and loads the rest when it is."""
    return KernelOptServer(open_store, open_pairs)
