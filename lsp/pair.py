"""Commands of a pair session; the answer to each save is shown as a lens and in the log.

Sessions live in memory, and ``PairSessions`` reads them: a terminal or another editor goes on with the same one.
"""

from __future__ import annotations

from typing import Any

from assistant.editor.markdown import tamed
from assistant.engine.pair import report, version_name
from assistant.model.pair import PairSession, Turn
from assistant.model.source import Source
from lsp.arguments import PairArguments
from lsp.backend import Backend
from lsp.client import Client
from lsp.edits import DocumentEdits, NewText
from lsp.units import Unit

__all__ = ["PairCommands"]


class PairCommands:
    """What ``kernelopt.pair.*`` answers."""

    def __init__(self, client: Client, backend: Backend, edits: DocumentEdits) -> None:
        self._client = client
        self._editor = backend.editor
        self._pairs = backend.pairs
        self._edits = edits

    def answer(self, verb: str, unit: Unit, arguments: PairArguments) -> dict[str, Any]:
        """Do what a command asks for. Raises UsageError where no session is open on the kernel."""
        if verb == "start":
            return self._start(unit, arguments)
        session = self._pairs.find(unit.path, self._editor.text(unit.key), arguments.kernel)
        match verb:
            case "suggest":
                return {"session_id": session.id, "job_id": self._editor.suggest(unit.key, session.id, arguments.hint)}
            case "constrain":
                turn = self._pairs.constrain(session.id, arguments.words)
                self._client.log(turn.answer)
                return self._changed(turn)
            case "back":
                return self._back(unit, session, arguments.version)
            case "stop":
                return self._detailed(self._pairs.stop(session.id))
            case _:
                return self._detailed(self._pairs.why(session.id))

    def _start(self, unit: Unit, arguments: PairArguments) -> dict[str, Any]:
        """Begin on a kernel, or go on with the session that is open on it; if its text has changed since, that is answered."""
        self._editor.ask_speed_of(unit.key, arguments.region)
        file = Source(unit.path, self._editor.text(unit.key))
        opened = self._pairs.start(file, arguments.kernel, arguments.goal, self._editor.other_files(unit.key))
        self._editor.offers_changed()
        self._editor.answer_save(unit.key)
        session = opened.state.session
        if not self._client.is_ours:
            self._client.say(opened.answer)
        return {
            "session_id": session.id,
            "kernel": session.kernel,
            "is_resumed": opened.is_resumed,
            "answer": opened.answer,
            "markdown": tamed(report(opened.state)),
        }

    def _back(self, unit: Unit, session: PairSession, version: int | None) -> dict[str, Any]:
        """Have the editor put a version's text back, as one edit that it can undo; the turn is made when it is saved."""
        wanted, changed = self._pairs.back(session.id, version, self._editor.text(unit.key))
        name = version_name(wanted.number)
        is_edited = self._edits.ask((NewText(unit, changed),), name, f"kernelopt: {session.kernel} back at {name}")
        return {"session_id": session.id, "version": wanted.number, "outcome": "applying" if is_edited else "unchanged"}

    def _detailed(self, turn: Turn) -> dict[str, Any]:
        """The whole answer; clients that show no Markdown of a command's result get it as a message."""
        text = turn.detail or turn.answer
        if not self._client.is_ours:
            self._client.say(text)
        return self._changed(turn) | {"markdown": tamed(text)}  # a model may have written part of it

    def _changed(self, turn: Turn) -> dict[str, Any]:
        self._editor.offers_changed()
        return {"session_id": turn.session, "number": turn.number, "answer": turn.answer}
