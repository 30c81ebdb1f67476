"""The language server: a thin edge over the desk. What it shows and does comes from ``assistant.engine``; here it gets LSP's form.

Example::

    serve(open_memory, open_pairs, port=None)      # stdio, until the client says exit
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Generator
from importlib.metadata import version
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdinAsyncReader, run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.uris import to_fs_path

from assistant.config import TrustStore, user_paths
from assistant.desk.desk import Desk, DeskParts
from assistant.desk.guard import Guard
from assistant.desk.jobs import JobHost
from assistant.desk.lanes import Lane
from assistant.errors import UsageError
from assistant.model.proposal import Decision, DecisionKind
from assistant.ports import Store
from lsp.client import Client
from lsp.documents import NOTEBOOK_SYNC
from lsp.edits import ScratchEdits
from lsp.features import register_features
from lsp.features.diagnostics import publish
from lsp.listener import EditorListener
from lsp.settings import EditorConfiguration
from lsp.texts import ExactWorkspace
from lsp.units import Units
from lsp.wire import ClientWriter

if TYPE_CHECKING:
    from assistant.engine.pair_book import PairBook

__all__ = ["KernelOptServer", "build_server", "serve"]

SCHEME = "kernelopt"
"""Of the read-only documents that previews are."""
_LOOPBACK = "127.0.0.1"
_ANSWERS = frozenset({types.LSPErrorCodes.RequestFailed.value, types.ErrorCodes.InvalidParams.value})
"""Errors that a handler answers with on purpose."""

OpenStore = Callable[[], Store]
OpenPairs = Callable[[Store, str], "PairBook"]
"""(memory, front end and process) → its pair sessions; loads what only they need."""


class _Protocol(LanguageServerProtocol):
    """Adds the capability that pygls does not build, and documents that are the client's to the character."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        plain = self.workspace
        folders = list(plain.folders.values())
        self._workspace = ExactWorkspace(plain.root_uri, types.TextDocumentSyncKind.Incremental, folders, plain.position_encoding)
        workspace = result.capabilities.workspace or types.WorkspaceOptions()
        workspace.text_document_content = types.TextDocumentContentOptions(schemes=[SCHEME])
        result.capabilities.workspace = workspace
        return result


class KernelOptServer(LanguageServer):
    """One client's server."""

    def __init__(self, open_store: OpenStore, open_pairs: OpenPairs) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "kernelopt",
            version("kernelopt"),
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=NOTEBOOK_SYNC,
            protocol_cls=_Protocol,
            converter_factory=default_converter,
        )
        self._open_store = open_store
        self._open_pairs = open_pairs
        self._who = f"lsp {os.getpid()}"
        self.units = Units()
        self.client = Client(self)
        self.configuration = EditorConfiguration(lambda problem: self.client.say(problem, types.MessageType.Warning))
        self.edits = ScratchEdits(self)
        self.watching: list[asyncio.Task[None]] = []
        """One for each folder that the client does not watch itself."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._desk: Desk | None = None
        self._store: Store | None = None
        self._pairs: PairBook | None = None

    def uri_of(self, path: Path) -> str:
        """The open document of a file; else the file itself."""
        key = self.desk.key_of(path)
        unit = None if key is None else self.units.find(key)
        return path.as_uri() if unit is None else unit.uri

    @property
    def store(self) -> Store:
        """Memory; opened with the desk."""
        if self._store is None:
            self._store = self._open_store()
        return self._store

    @property
    def pairs(self) -> PairBook:
        """Pair sessions; most people have none."""
        if self._pairs is None:
            self._pairs = self._open_pairs(self.store, self._who)
        return self._pairs

    @property
    def desk(self) -> Desk:
        """The desk, made when first needed: starting must not wait for it."""
        if self._desk is None:
            self.guard = Guard(TrustStore(user_paths().trust), self.client.ask_consent, self.client.is_trusted)
            listener = EditorListener(self)
            lanes = Lane(JobHost("lsp")), Lane(JobHost("lsp"))
            self._desk = Desk(self.store, DeskParts(*lanes, self.guard, listener, self.configuration.settings_of, self._who))
        return self._desk

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
        publish(self, uri)

    def apply_configuration(self) -> None:
        """The editor's settings changed."""
        if self._desk is not None:
            for uri in self.units.uris():
                self.show(uri)
            self._desk.look_again()

    def trust_changed(self, is_trusted: bool) -> None:
        """The editor's workspace was trusted, or no longer is."""
        self.client.is_trusted = is_trusted
        if self._desk is not None:
            self.guard.is_trusted_by_editor = is_trusted
            self.guard.forget_answers()
            self.desk.look_again()

    def files_changed(self, uris: tuple[str, ...]) -> None:
        """Files changed on disk: settings apply, and sources that include one of them are looked at again."""
        if self._desk is not None:
            self._desk.files_changed(tuple(Path(path) for uri in uris if (path := to_fs_path(uri))))

    def decided(self, key: str, decision: Decision) -> None:
        """The text of an open source shows a decision; a partial accept is judged before it earns a badge."""
        if decision.kind is DecisionKind.PARTIALLY_ACCEPTED:
            try:
                self.desk.judge(key, self.store.find_proposal(decision.proposal).before_text)
            except UsageError as error:
                self.client.say(f"what you took of {decision.proposal} was not judged: {error.message}", types.MessageType.Warning)

    async def close(self) -> None:
        """End every job."""
        for task in self.watching:
            task.cancel()
        await asyncio.gather(*self.watching, return_exceptions=True)
        self.watching = []
        if self._desk is not None:
            await self._desk.close()
        if self._store is not None:
            self._store.close()


def build_server(open_store: OpenStore, open_pairs: OpenPairs) -> KernelOptServer:
    """A server with every feature registered."""
    server = KernelOptServer(open_store, open_pairs)
    register_features(server)
    return server


def serve(open_store: OpenStore, open_pairs: OpenPairs, port: int | None) -> int:
    """Serve one client on stdio, or on a TCP port of the loopback interface (0: any; it is printed); the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_defect)
    server = build_server(open_store, open_pairs)
    try:
        asyncio.run(_serve_stdio(server) if port is None else _serve_one(server, port))
    except (KeyboardInterrupt, BrokenPipeError, ConnectionError):
        return 1
    return 0


def _is_defect(record: logging.LogRecord) -> bool:
    """Whether a logged failure is ours: a request that is answered with what is wrong with it is none."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, JsonRpcException) and error.code in _ANSWERS)


async def _serve_stdio(server: KernelOptServer) -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not reach the protocol
    await _speak(server, StdinAsyncReader(sys.stdin.buffer, server.thread_pool), ClientWriter(out))


async def _serve_one(server: KernelOptServer, port: int) -> None:
    """One connection; another one is refused, as one protocol object cannot serve two."""
    is_taken = False
    ended = asyncio.Event()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal is_taken
        if is_taken:
            writer.close()
            return
        is_taken = True
        try:
            await _speak(server, reader, writer)
        finally:
            ended.set()

    listening = await asyncio.start_server(connected, _LOOPBACK, port)
    sys.stderr.write(f"listening on {_LOOPBACK}:{listening.sockets[0].getsockname()[1]}\n")
    sys.stderr.flush()
    async with listening:
        await ended.wait()


async def _speak(server: KernelOptServer, reader: Any, writer: Any) -> None:
    """Until the client leaves; every job ends with it."""
    server.protocol.set_writer(writer)
    try:
        await run_async(stop_event=Event(), reader=reader, protocol=server.protocol, error_handler=server.report_server_error)
    finally:
        await server.close()
