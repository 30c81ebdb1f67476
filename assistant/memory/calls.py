"""Calls of language models in the memory file: the exact request, the raw answer, what it cost. Appended, chained, never changed.

Prompts and answers lie among the texts, equal ones once: the calls of one search share most of theirs. Example::

    add_call(writer, call)
    read_calls(database, "J01", text)        # in the order they began
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assistant import serialize
from assistant.errors import UsageError
from assistant.memory import records
from assistant.memory.database import Database
from assistant.memory.pair import Writer
from assistant.model.completion import ModelCall, SentCall, Spending

__all__ = ["add_call", "add_sent", "read_calls", "read_unanswered"]

_ANSWER_FIELDS = ("text", "partial_text")
"""Fields of a `Completion` and of a `CompletionFailure` that hold an answer."""


def add_call(writer: Writer, call: ModelCall) -> None:
    """Append; adding the very same call again does nothing. Raises UsageError for one of a job that was never started."""
    with writer.database.transaction():
        job = writer.database.row("select workspace, path from jobs where id = ?", (call.job,))
        if job is None:
            raise UsageError(f"no job {call.job} is known, whose model call is to be kept", "start the job first")
        workspace, path = (json.loads(name) for name in job)
        record, texts = _record(call, workspace, path)
        stored = writer.database.row("select record from model_calls where id = ?", (call.request.id,))
        if stored is not None:
            if stored[0] != record:
                raise ValueError(f"{call.request.id} is stored already, with other contents")
            return
        writer.keep_texts(texts)
        writer.database.execute("insert into model_calls (id, record) values (?, ?)", (call.request.id, record))
        writer.chain("call", call.request.id, record)


def read_calls(database: Database, job: str | None, text: Callable[[str], str]) -> tuple[ModelCall, ...]:
    """Oldest first; None means every job."""
    rows = database.rows(
        "select record from model_calls where record is not null and (?1 is null or job = ?1) order by started_ms, rowid", (job,)
    )
    return tuple(_call(record, text) for (record,) in rows)


def add_sent(database: Database, sent: SentCall) -> None:
    """Note a call before it is sent."""
    with database.transaction():
        at_most = serialize.dumps(sent.at_most)
        database.execute(
            "insert into sent_calls (id, job, started_ms, at_most) values (?, ?, ?, ?)", (sent.id, sent.job, sent.started_ms, at_most)
        )


def read_unanswered(database: Database, job: str) -> tuple[SentCall, ...]:
    """Calls that were sent and whose end was never kept; oldest first."""
    rows = database.rows(
        "select id, job, started_ms, at_most from sent_calls where job = ? and id not in (select id from model_calls)"
        " order by started_ms, id",
        (job,),
    )
    return tuple(SentCall(name, of, started_ms, serialize.loads(Spending, at_most)) for name, of, started_ms, at_most in rows)


def _record(call: ModelCall, workspace: str, path: str) -> tuple[str, dict[str, str]]:
    data: dict[str, Any] = serialize.encode(call)
    texts: dict[str, str] = {}

    def kept(text: str) -> str:
        digest = records.hash_of(records.text_bytes(text))
        texts[digest] = text
        return digest

    for message in data["request"]["messages"]:
        message["text"] = kept(message["text"])
    for name in _ANSWER_FIELDS:
        if data["answer"].get(name) is not None:
            data["answer"][name] = kept(data["answer"][name])
    place = {"workspace": workspace, "path": path, "texts": sorted(texts)}
    return records.canonical(data | place), texts


def _call(record: str, text: Callable[[str], str]) -> ModelCall:
    data: dict[str, Any] = json.loads(record)
    for name in ("workspace", "path", "texts"):
        del data[name]
    for message in data["request"]["messages"]:
        message["text"] = text(message["text"])
    for name in _ANSWER_FIELDS:
        if data["answer"].get(name) is not None:
            data["answer"][name] = text(data["answer"][name])
    return serialize.decode(ModelCall, data)
