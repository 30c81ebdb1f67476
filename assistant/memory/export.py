"""The whole memory as JSON lines, for other programs and for keeping: a line per attempt, proposal, decision, model call,
pair session and turn.

Texts are included. Example::

    for line in export_lines(store):        # {"record": "attempt", "workspace": …, "text": …}
        stream.write(line + "\\n")
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assistant import serialize
from assistant.memory.records import canonical
from assistant.memory.store import MemoryStore

__all__ = ["export_lines"]


def export_lines(store: MemoryStore) -> Iterator[str]:
    """Oldest first within each kind; ASCII, keys sorted. What was forgotten is not there."""
    for attempt in reversed(store.attempts(limit=store.attempt_count())):
        yield _line("attempt", attempt)
    for proposal in reversed(store.proposals()):
        yield _line("proposal", proposal)
    for decision in store.decisions():
        yield _line("decision", decision)
    for call in store.model_calls():
        yield _line("call", call)
    for session in reversed(store.pair_sessions(is_open_only=False)):
        yield _line("pair", session)
        for turn in store.turns(session.id):
            yield _line("turn", turn)


def _line(kind: str, value: Any) -> str:
    return canonical({"record": kind} | serialize.encode(value))
