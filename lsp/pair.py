"""Pair sessions in an editor: begun, asked and ended by commands; the answer to each save is a lens and a line in the log.

Sessions live in memory, and ``PairSessions`` reads them: a terminal or another editor goes on with the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.editor.markdown import tamed
from assistant.engine.pair.state import version_name
from assistant.engine.pair.words import report
from assistant.model.pair import PairSession, Turn
from lsp.proposals import edit_source
from lsp.units import Unit

if TYPE_CHECKING:
    from lsp.features.pair import PairArguments
    from lsp.server import KernelOptServer

__all__ = ["answer"]


def answer(server: KernelOptServer, verb: str, unit: Unit, arguments: PairArguments) -> dict[str, Any]:
    """Do what a command asks for. Raises UsageError where no session is open on the kernel."""
    if verb == "start":
        return _start(server, unit, arguments)
    session = server.pairs.find(unit.path, server.editor.text(unit.key), arguments.kernel)
    match verb:
        case "suggest":
            return {"session_id": session.id, "job_id": server.editor.suggest(unit.key, session.id, arguments.hint)}
        case "constrain":
            turn = server.pairs.constrain(session.id, arguments.words)
            server.client.log(turn.answer)
            return _changed(server, turn)
        case "back":
            return _back(server, unit, session, arguments.version)
        case "stop":
            return _detailed(server, server.pairs.stop(session.id))
        case _:
            return _detailed(server, server.pairs.why(session.id))


def _start(server: KernelOptServer, unit: Unit, arguments: PairArguments) -> dict[str, Any]:
    """Begin on a kernel, or go on with the session that is open on it; its text is answered if it is another one by now."""
    opened = server.pairs.start(unit.path, server.editor.text(unit.key), arguments.kernel, arguments.goal)
    server.editor.offers_changed()
    server.editor.answer_save(unit.key)
    session = opened.state.session
    if not server.client.is_ours:
        server.client.say(opened.answer)
    return {
        "session_id": session.id,
        "kernel": session.kernel,
        "is_resumed": opened.is_resumed,
        "answer": opened.answer,
        "markdown": tamed(report(opened.state)),
    }


def _back(server: KernelOptServer, unit: Unit, session: PairSession, version: int | None) -> dict[str, Any]:
    """Have the editor put a version's text back, as one edit that it can undo; the turn is made when it is saved."""
    wanted, changed = server.pairs.back(session.id, version, server.editor.text(unit.key))
    name = version_name(wanted.number)
    is_edited = edit_source(server, unit, changed, name, f"kernelopt: {session.kernel} back at {name}")
    return {"session_id": session.id, "version": wanted.number, "outcome": "applying" if is_edited else "unchanged"}


def _detailed(server: KernelOptServer, turn: Turn) -> dict[str, Any]:
    """The whole answer; clients that show no Markdown of a command's result get it as a message."""
    text = turn.detail or turn.answer
    if not server.client.is_ours:
        server.client.say(text)
    return _changed(server, turn) | {"markdown": tamed(text)}  # a model may have written of it


def _changed(server: KernelOptServer, turn: Turn) -> dict[str, Any]:
    server.editor.offers_changed()
    return {"session_id": turn.session, "number": turn.number, "answer": turn.answer}
