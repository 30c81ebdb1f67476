"""An editor without a screen: a real client over stdio that keeps its own documents, makes the edits it is asked for, and can undo.

What a test sees is what a person would: diagnostics, lenses, hints, messages, questions. Example::

    editor = await start(cli)
    note = editor.open(path)
    await editor.until(lambda: editor.codes(note))
    await editor.run("kernelopt.proposal.accept", proposal_id="P01…")
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

from lsprotocol import types
from pytest_lsp import LanguageClient
from pytest_lsp.client import make_test_lsp_client

from tests.deadlines import HANG_S
from tests.e2e.cli.harness import Cli
from tests.e2e.lsp.capabilities import vscode
from tests.e2e.lsp.positions import edited, line_count, offsets_of, position_of, smallest_change
from tests.e2e.lsp.server import Server

__all__ = ["DEADLINE_S", "NO_ANSWER", "Document", "Editor", "failure", "start"]

DEADLINE_S = HANG_S
"""Of one wait."""
NO_ANSWER = "\0never"
"""An answer that some editors give to ``showMessageRequest``: none, ever."""
_POLL_S = 0.02

Send = Callable[[types.VersionedTextDocumentIdentifier, types.TextDocumentContentChangePartial], None]
Answer = Callable[[types.ShowMessageRequestParams], str | None]


@dataclass
class Document:
    """A text that the editor has open."""

    uri: str
    text: str
    version: int = 1
    past: list[str] = field(default_factory=list[str])
    undone: list[str] = field(default_factory=list[str])
    send: Send | None = None
    """How its changes are told, where that is not ``textDocument/didChange``."""

    @property
    def path(self) -> Path:
        return Path(self.uri.removeprefix("file://"))

    def line_of(self, piece: str) -> int:
        """The 0-based line that ``piece`` begins on."""
        assert piece in self.text, piece
        return line_count(self.text[: self.text.index(piece)])


class Editor(Server):
    """One client and the server that it started."""

    def __init__(self, client: LanguageClient, capabilities: types.ClientCapabilities) -> None:
        super().__init__(client)
        self.capabilities = capabilities
        self.documents: dict[str, Document] = {}
        self.asked: list[types.ShowMessageRequestParams] = []
        self.answer: Answer = lambda question: question.actions[0].title if question.actions else None
        self.applied: list[types.ApplyWorkspaceEditParams] = []
        self.is_editable = True
        """Whether it makes the edits that it is asked for."""
        self.published: list[types.PublishDiagnosticsParams] = []
        self.events: list[dict[str, Any]] = []
        self.changed: list[dict[str, Any]] = []
        self.encoding = "utf-16"
        self.closers: list[Callable[[], None]] = []
        """Close what is open besides single documents."""
        self.registered: list[str] = []
        self._refreshed = 0
        self.result: types.InitializeResult

    # --- documents --------------------------------------------------------------------------------------------------

    def open(self, where: Path | str, text: str | None = None, language: str = "cuda-cpp") -> Document:
        """Open a file, or an unsaved document of any URI."""
        uri = where.as_uri() if isinstance(where, Path) else where
        if text is None:
            assert isinstance(where, Path)
            text = where.read_bytes().decode("utf-8")
        document = self.documents[uri] = Document(uri, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text)))
        return document

    def type(self, document: Document, text: str) -> None:
        """Make the text another one, by the smallest single replacement."""
        document.past.append(document.text)
        document.undone.clear()
        self._send(document, text)

    def replace(self, document: Document, old: str, new: str) -> None:
        assert old in document.text, old
        self.type(document, document.text.replace(old, new, 1))

    def undo(self, document: Document) -> None:
        document.undone.append(document.text)
        self._send(document, document.past.pop())

    def redo(self, document: Document) -> None:
        document.past.append(document.text)
        self._send(document, document.undone.pop())

    def save(self, document: Document) -> None:
        document.path.write_bytes(document.text.encode())
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(document.uri)))

    def close(self, document: Document) -> None:
        del self.documents[document.uri]
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(document.uri)))

    async def clear(self) -> None:
        """Close everything, let what runs end, and forget what was seen: as a fresh editor, on the server that is warm."""
        for close in tuple(self.closers):
            close()
        for document in tuple(self.documents.values()):
            self.close(document)
        for job in await self.jobs():
            await self.run("kernelopt.job.cancel", job_id=job["job_id"])
        await self.until(self.is_idle)
        for seen in (self.asked, self.applied, self.published, self.events, self.changed):
            seen.clear()
        self.client.messages.clear()
        self.client.log_messages.clear()
        self.client.diagnostics.clear()
        self.client.progress_reports.clear()

    async def is_idle(self) -> bool:
        """Whether nothing runs or waits."""
        return not await self.jobs()

    # --- what a person sees -----------------------------------------------------------------------------------------

    def diagnostics(self, document: Document) -> list[types.Diagnostic]:
        """What was pushed last."""
        return list(self.client.diagnostics.get(document.uri, []))

    def codes(self, document: Document) -> set[str]:
        return {str(item.code) for item in self.diagnostics(document) if item.code}

    def of_code(self, document: Document, code: str) -> list[types.Diagnostic]:
        return [item for item in self.diagnostics(document) if item.code == code]

    def errors(self, document: Document) -> list[types.Diagnostic]:
        return [item for item in self.diagnostics(document) if item.severity is types.DiagnosticSeverity.Error]

    @property
    def said(self) -> list[str]:
        """Messages in front of a person."""
        return [message.message for message in self.client.messages]

    @property
    def logged(self) -> list[str]:
        return [message.message for message in self.client.log_messages]

    async def lenses(self, document: Document) -> list[types.CodeLens]:
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(_id(document)))
        return list(found or [])

    async def titles(self, document: Document) -> list[str]:
        return [lens.command.title for lens in await self.lenses(document) if lens.command]

    async def hints(self, document: Document) -> dict[int, str]:
        """0-based line → text."""
        everywhere = types.Range(types.Position(0, 0), types.Position(len(document.text), 0))
        found = await self.client.text_document_inlay_hint_async(types.InlayHintParams(_id(document), everywhere))
        return {hint.position.line: str(hint.label) for hint in found or []}

    async def origins(self, document: Document) -> dict[int, str]:
        """Line → what the tooltip of its hint says."""
        everywhere = types.Range(types.Position(0, 0), types.Position(len(document.text), 0))
        found = await self.client.text_document_inlay_hint_async(types.InlayHintParams(_id(document), everywhere))
        return {hint.position.line: str(hint.tooltip) for hint in found or []}

    async def hover(self, document: Document, line: int, character: int = 4) -> str:
        found = await self.client.text_document_hover_async(types.HoverParams(_id(document), types.Position(line, character)))
        return "" if found is None else found.contents.value  # pyright: ignore[reportAttributeAccessIssue]

    async def symbols(self, document: Document) -> list[types.DocumentSymbol]:
        found = await self.client.text_document_document_symbol_async(types.DocumentSymbolParams(_id(document)))
        return [item for item in found or [] if isinstance(item, types.DocumentSymbol)]

    async def actions(self, document: Document, line: int, *only: str) -> list[types.CodeAction]:
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        context = types.CodeActionContext([], list(only) or None)
        found = await self.client.text_document_code_action_async(types.CodeActionParams(_id(document), place, context))
        return [item for item in found or [] if isinstance(item, types.CodeAction)]

    async def run(self, command: str, /, **arguments: Any) -> dict[str, Any]:
        """Run a server command, as a client does that knows nothing of it."""
        answer = await self.client.workspace_execute_command_async(types.ExecuteCommandParams(command, [arguments]))
        return _plain(answer)

    async def ask(self, method: str, **parameters: Any) -> Any:
        """One of the ``kernelopt/…`` requests."""
        return _plain(await self.client.protocol.send_request_async(method, parameters))

    async def jobs(self) -> list[dict[str, Any]]:
        return (await self.ask("kernelopt/status"))["jobs"]

    # --- waiting ----------------------------------------------------------------------------------------------------

    async def until(self, what: Callable[[], Any], deadline_s: float = DEADLINE_S) -> Any:
        """The first truthy answer of ``what`` (which may be a coroutine function)."""
        end = time.monotonic() + deadline_s
        while True:
            found = what()
            found = await found if inspect.isawaitable(found) else found
            if found:
                return found
            if time.monotonic() > end:
                raise AssertionError(f"not within {deadline_s:.0f} s; {self.state()}")
            await asyncio.sleep(_POLL_S)

    async def stays(self, what: Callable[[], Any], seconds: float = 1.0) -> None:
        """``what`` holds all the time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = what()
            assert await found if inspect.isawaitable(found) else found, self.state()
            await asyncio.sleep(_POLL_S)

    async def quiet(self) -> None:
        """No job runs or waits, and none is about to start."""
        calm = 0
        while calm < 5:
            calm = 0 if await self.jobs() else calm + 1
            await asyncio.sleep(0.1)

    def state(self) -> str:
        """Everything seen so far, for a failing test."""
        notes = {
            uri.rsplit("/", 1)[-1]: [(item.code, item.range.start.line, item.message[:70]) for item in items]
            for uri, items in self.client.diagnostics.items()
        }
        asked = [question.message for question in self.asked]
        errors = "".join(self.stderr)[-3000:]
        return f"notes {notes}\nsaid {self.said}\nlogged {self.logged}\nasked {asked}\nstderr {errors}"

    # --- inside -----------------------------------------------------------------------------------------------------

    async def begin(self, cli: Cli, parameters: types.InitializeParams) -> None:
        await self.start_server(cli)
        self._listen()
        self.result = await self.client.initialize_session(parameters)
        encoding = self.result.capabilities.position_encoding
        self.encoding = "utf-16" if encoding is None else str(getattr(encoding, "value", encoding))

    def _listen(self) -> None:
        client = self.client

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(parameters: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.applied.append(parameters)
            return types.ApplyWorkspaceEditResult(self.is_editable and self._apply(parameters.edit))

        @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
        async def ask(parameters: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            """The answer that the test chose; none at all where it chose to keep the question open."""
            self.asked.append(parameters)
            answer = self.answer(parameters)
            if answer == NO_ANSWER:
                await asyncio.Event().wait()
            return None if answer is None else types.MessageActionItem(str(answer))

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(parameters: types.RegistrationParams) -> None:
            self.registered.extend(item.method for item in parameters.registrations)

        @client.feature("kernelopt/event")
        def event(parameters: Any) -> None:
            self.events.append(_plain(parameters))

        @client.feature("kernelopt/changed")
        def changed(parameters: Any) -> None:
            self.changed.append(_plain(parameters))

        for method in (types.WORKSPACE_CODE_LENS_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH):

            @client.feature(method)
            def refresh(_: Any) -> None:
                self._refreshed += 1

    def _apply(self, edit: types.WorkspaceEdit) -> bool:
        """Make an edit in the open documents; one for another version is refused, as the specification says."""
        changes: list[tuple[Document, list[types.TextEdit]]] = []
        for change in edit.document_changes or []:
            assert isinstance(change, types.TextDocumentEdit)
            document = self._edited_document(change.text_document.uri)
            if change.text_document.version not in (None, document.version):
                return False
            changes.append((document, [item for item in change.edits if isinstance(item, types.TextEdit)]))
        for uri, edits in (edit.changes or {}).items():
            changes.append((self.documents[uri], list(edits)))
        for document, edits in changes:
            self.type(document, edited(document.text, edits, self.encoding))
        return True

    def _edited_document(self, uri: str) -> Document:
        """The open document; editors open those that an edit changes."""
        return self.documents[uri] if uri in self.documents else self.open(Path(uri.removeprefix("file://")))

    def _send(self, document: Document, text: str) -> None:
        start, end, new = smallest_change(document.text, text)
        place = types.Range(self.position(document.text, start), self.position(document.text, end))
        document.text, document.version = text, document.version + 1
        identifier = types.VersionedTextDocumentIdentifier(document.version, document.uri)
        change = types.TextDocumentContentChangePartial(place, new)
        if document.send is not None:
            document.send(identifier, change)
        else:
            self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def position(self, text: str, offset: int) -> types.Position:
        """The position of a character offset, in the encoding that was agreed on."""
        return position_of(text, offset, self.encoding)

    def part(self, document: Document, place: types.Range) -> str:
        """What stands at a range."""
        return document.text[slice(*offsets_of(document.text, place, self.encoding))]


async def start(
    cli: Cli,
    capabilities: types.ClientCapabilities | None = None,
    options: dict[str, Any] | None = None,
    folders: tuple[Path, ...] = (),
    settings: dict[str, Any] | None = None,
    answer: Answer | None = None,
) -> Editor:
    """An editor with a server of its own, initialized; trusted unless ``options`` (of ``kernelopt``) say otherwise."""
    client = make_test_lsp_client()
    _tell_actions_from_commands(client)
    editor = Editor(client, capabilities or vscode())
    if answer is not None:
        editor.answer = answer
    client.set_configuration(settings or {}, section="kernelopt")
    ours = {"protocol": 1, "trusted": True, "supports": ["event"]} if options is None else options
    roots = folders or (cli.folder,)
    parameters = types.InitializeParams(
        capabilities=editor.capabilities,
        root_uri=roots[0].as_uri(),
        workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name) for root in roots],
        initialization_options={"kernelopt": ours} if ours else None,
    )
    await editor.begin(cli, parameters)
    return editor


async def failure(editor: Editor, command: str, /, **arguments: Any) -> str:
    """The error that a command answers with."""
    try:
        answer = await editor.run(command, **arguments)
    except Exception as error:  # noqa: BLE001 - the client's exception types are its own
        return str(error)
    raise AssertionError(f"no error: {answer}")


def _tell_actions_from_commands(client: LanguageClient) -> None:
    """lsprotocol's converter takes a code action that carries a command for a command."""

    def structure(value: Any, _: Any) -> types.CodeAction:
        return converter.structure(value, types.CodeAction)

    converter = client.protocol._converter  # pyright: ignore[reportPrivateUsage]
    converter.register_structure_hook(types.Command | types.CodeAction, structure)
    converter.register_structure_hook(Union[types.Command, types.CodeAction], structure)  # noqa: UP007 - another key to the converter


def _id(document: Document) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(document.uri)


def _plain(value: Any) -> Any:
    """pygls hands over unknown objects as named tuples."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
