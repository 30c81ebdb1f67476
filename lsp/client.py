"""The client: what it supports, and the messages and requests to it. Requests are only awaited in tasks that nothing cancels."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer

from assistant.model.short_ids import with_short_ids
from lsp.questions import Questions

if TYPE_CHECKING:
    from assistant.config import ConsentAnswer, ProgramConsent
    from assistant.engine.search import ModelNotice

__all__ = ["PROTOCOL", "Client", "as_object", "plain", "without_links"]

PROTOCOL = 1
"""Version of the ``kernelopt/…`` methods."""
_SHOWN_CHARACTERS = 800
"""Longest command shown in a question: VS Code cuts a message at 1,000, and a person must see all of what they agree to."""
_PROGRAMS_SHOWN = 8
"""Answers of a question: more do not fit into a message."""
_VERSION_KEEPERS = frozenset({"Neovim"})
"""Refuse an edit of an older text and do not advertise ``documentChanges``: Neovim from 0.7 to 0.10 (``vim.lsp.util``)."""


class Client:
    """The client of this server; facts come with ``initialize``."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._options: dict[str, Any] = {}
        self._name: str | None = None
        self._said: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.questions = Questions()
        """What it cannot ask a person by a message."""
        self.keeps_answers = True
        """Whether what it answers to questions of trust is remembered for good; not where it connected to a port."""
        self.short_id: Callable[[str], str] = str
        """What people call a proposal, by its long id; as memory says once that is open."""
        self.is_introduced = False
        """Whether it has sent ``initialize``."""
        self.is_trusted: bool | None = None
        """Whether it trusts its workspace; None: it does not say."""

    def introduce(self, params: types.InitializeParams) -> None:
        """Take over ``initializationOptions.kernelopt``; a client that does not know our protocol has none."""
        self.is_introduced = True
        options = as_object(plain(params.initialization_options))
        ours = as_object(options.get("kernelopt"))
        self._name = None if params.client_info is None else params.client_info.name
        trusted = ours.get("trusted")
        self.is_trusted = trusted if isinstance(trusted, bool) else None
        self._options = ours if ours.get("protocol") == PROTOCOL else {}

    @property
    def is_ours(self) -> bool:
        """Whether it understands the ``kernelopt/…`` methods."""
        return bool(self._options)

    def supports(self, part: str) -> bool:
        """Whether it announced ``diff``, ``input``, ``model``, ``event`` or ``lines``."""
        supported = self._options.get("supports")
        return isinstance(supported, list) and part in supported

    @property
    def _capabilities(self) -> types.ClientCapabilities:
        return self._server.client_capabilities

    @property
    def shows_documents(self) -> bool:
        window = self._capabilities.window
        return bool(window and window.show_document and window.show_document.support)

    @property
    def reads_content(self) -> bool:
        """Whether it opens our read-only ``kernelopt:`` documents."""
        workspace = self._capabilities.workspace
        return bool(workspace and workspace.text_document_content)

    @property
    def takes_versioned_edits(self) -> bool:
        workspace = self._capabilities.workspace
        is_advertised = bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)
        return is_advertised or self._name in _VERSION_KEEPERS

    @property
    def tags_what_models_wrote(self) -> bool:
        """Whether it marks code actions that carry LSP 3.18's ``LLMGenerated``."""
        document = self._capabilities.text_document
        tags = document.code_action.tag_support if document and document.code_action else None
        return tags is not None and types.CodeActionTag.LlmGenerated in tags.value_set

    @property
    def shows_markdown(self) -> bool:
        """Whether its hovers render Markdown; one that names no format takes either."""
        document = self._capabilities.text_document
        formats = document.hover.content_format if document and document.hover else None
        return not formats or types.MarkupKind.Markdown in formats

    @property
    def shows_lenses(self) -> bool:
        document = self._capabilities.text_document
        return bool(document and document.code_lens)

    @property
    def shows_progress(self) -> bool:
        window = self._capabilities.window
        return bool(window and window.work_done_progress)

    @property
    def takes_configuration(self) -> bool:
        workspace = self._capabilities.workspace
        return bool(workspace and workspace.configuration)

    @property
    def wants_settings_registration(self) -> bool:
        """Whether it sends changed settings only to a server that has registered for them, as VS Code does."""
        workspace = self._capabilities.workspace
        changed = workspace.did_change_configuration if workspace else None
        return bool(changed and changed.dynamic_registration)

    @property
    def watches_files(self) -> bool:
        workspace = self._capabilities.workspace
        watched = workspace.did_change_watched_files if workspace else None
        return bool(watched and watched.dynamic_registration)

    @property
    def refreshes_lenses(self) -> bool:
        workspace = self._capabilities.workspace
        return bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support)

    @property
    def refreshes_hints(self) -> bool:
        workspace = self._capabilities.workspace
        return bool(workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support)

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
            self.log(f"the editor answered with an error: {error}", types.MessageType.Warning)

    def show_document(self, uri: str, line: int | None = None) -> None:
        """Have the client open a document, at a 1-based line."""
        place = None if line is None else types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))
        self.spawn(self._server.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True, selection=place)))

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """A message that people see."""
        self._server.window_show_message(types.ShowMessageParams(kind, self._for_people(message)))

    def _for_people(self, message: str) -> str:
        return without_links(with_short_ids(message, self.short_id))

    def say_once(self, message: str) -> None:
        """A warning that people see once, however often it comes up."""
        if message not in self._said:
            self._said.add(message)
            self.say(message, types.MessageType.Warning)

    def log(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        self._server.window_log_message(types.LogMessageParams(kind, message))

    def trace(self, message: str, detail: Callable[[], str]) -> None:
        """To the client's trace, as far as ``$/setTrace`` asks for it; ``detail`` only when it is verbose."""
        level = self._server.protocol.trace
        if level != types.TraceValue.Off:
            self._server.log_trace(types.LogTraceParams(message, detail() if level == types.TraceValue.Verbose else None))

    async def choose(self, message: str, answers: tuple[str, ...], kind: types.MessageType = types.MessageType.Info) -> str | None:
        """The answer that a person chose, by a code action where the client has no messages with answers; None for none. Some clients
        never answer."""
        items = [types.MessageActionItem(answer) for answer in answers]
        try:
            chosen = await self._server.window_show_message_request_async(
                types.ShowMessageRequestParams(kind, self._for_people(message), items)
            )
        except JsonRpcMethodNotFound:
            self.say_once("kernelopt has a question: the note at the first kernel has it, and a code action there answers")
            return await self.questions.put(self._for_people(message), answers)
        except JsonRpcException as error:
            self.log(f"the editor answered a question with an error: {error}", types.MessageType.Warning)
            return None
        return None if chosen is None else chosen.title

    @property
    def ask_consent_now(self) -> Callable[[ProgramConsent], Awaitable[ConsentAnswer | None]] | None:
        """Asks a person who has just started work; None for clients whose question cannot be missed in any case."""
        return self._ask_consent_now if self.supports("consent") else None

    async def _ask_consent_now(self, run: ProgramConsent) -> ConsentAnswer | None:
        return await self._consent_of_ours(run, is_asked_for=True)

    async def _consent_of_ours(self, run: ProgramConsent, is_asked_for: bool) -> ConsentAnswer | None:
        """By our own request: the client shows it until it is answered, over everything else only to a person who asked for the run."""
        from assistant.config import ConsentAnswer

        asked = {
            "id": run.digest,
            "program": Path(run.command[0]).name if run.command else "the program",
            "command": "\n".join(run.words) or _command(run),
            "folder": str(run.runs_in or run.folder),
            "purpose": run.purpose.value,
            "is_asked_for": is_asked_for,
        }
        try:
            answer = as_object(plain(await self._server.protocol.send_request_async("kernelopt/consent", asked))).get("answer")
        except JsonRpcException as error:
            self.log(f"the editor answered a question with an error: {error}", types.MessageType.Warning)
            return None
        return None if answer is None else ConsentAnswer(answer)

    async def ask_consent(self, run: ProgramConsent) -> ConsentAnswer | None:
        """Whether the user's own program may be run, by its exact command."""
        if self.supports("consent"):
            return await self._consent_of_ours(run, is_asked_for=False)
        command = _command(run)
        if len(command) > _SHOWN_CHARACTERS:
            self.log(f"what kernelopt wants to build and run: {command}", types.MessageType.Warning)
            what = f"{command[:_SHOWN_CHARACTERS]}… ({len(command) - _SHOWN_CHARACTERS:,} more characters: the log has the whole command)"
            return await self._ask_consent(_consent_question(run, what), ("Once", "Never"))  # the person has not seen all of it
        return await self._ask_consent(_consent_question(run, command, f" {_HOLDS}"))

    async def ask_program(self, question: str, names: tuple[str, ...]) -> str | None:
        """Which program runs the kernels of a file, where several could: its name."""
        shown = names[:_PROGRAMS_SHOWN]
        left_out = f" (of {len(names)}; the others: kernelopt program FILE --use NAME)" if len(names) > len(shown) else ""
        chosen = await self.choose(f"{question}{left_out}", shown)
        return chosen if chosen in names else None

    async def ask_model(self, notice: ModelNotice) -> ConsentAnswer | None:
        """Whether a language model may be used; the question says what is sent, where to, and what it may cost."""
        return await self._ask_consent("\n".join((*notice.lines, "Ask it?")))

    async def _ask_consent(self, question: str, offered: tuple[str, ...] = ("Once", "Always here", "Never")) -> ConsentAnswer | None:
        from assistant.config import ConsentAnswer  # `initialize` is answered before settings are loaded

        answers = {"Once": ConsentAnswer.ONCE, "Always here": ConsentAnswer.ALWAYS, "Never": ConsentAnswer.NEVER}
        chosen = await self.choose(question, offered)
        return None if chosen is None else answers.get(chosen)


def _command(run: ProgramConsent) -> str:
    return shlex.join(run.command) + (f" with {shlex.join(run.flags)}" if run.flags else "")


_HOLDS = "Once holds until the server ends, for edited text too; Always here is for this program alone."


def _consent_question(run: ProgramConsent, what: str, holds: str = "") -> str:
    from assistant.config import RunPurpose

    match run.purpose:
        case RunPurpose.JUDGING:
            said = f" {' '.join(run.words)}" if run.words else ""
            return f"kernelopt wants to build and run {what}, to verify and profile its kernels.{said}{holds} Run it?"
        case RunPurpose.RECORDING:
            return f"kernelopt wants to run {what} once, in a private copy of {run.folder}, to see what it compiles and links. Run it?"
        case RunPurpose.CONFIGURING:
            return f"kernelopt wants to run {what}, to see what the project builds. Nothing is written outside of .kernelopt. Run it?"


def without_links(message: str) -> str:
    """``[text](command:…)`` with a space inside: VS Code turns that into a link in every message, whatever its origin."""
    return message.replace("](", "] (")


def as_object(value: Any) -> dict[str, Any]:
    """The JSON object that ``value`` is; an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def plain(value: Any) -> Any:
    """The value as plain JSON: pygls passes unknown objects as named tuples."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("list[Any]", value)]
    return value
