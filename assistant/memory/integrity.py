"""Whether a memory file is what its writers left: every hash derived again, the chain walked, the schema compared.

The chain shows a change, a removal and a cut anywhere in attempts, proposals, decisions, model calls and pair sessions; its head is
kept apart, so that a cut end shows too. It protects against accidents and casual edits, not against somebody who recomputes all
of it. Example::

    verify(database).damages        # () when all is well
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from assistant.errors import MemoryFileError
from assistant.memory import records
from assistant.memory.database import Database, expected_schema
from assistant.record import Record

__all__ = ["Damage", "IntegrityReport", "verify"]

_RECORD_QUERIES = {
    "attempt": "select id, record from attempts",
    "proposal": "select id, record from proposals",
    "decision": "select cast(id as text), record from decisions",
    "pair": "select id, record from pair_sessions",
    "turn": "select id, record from pair_turns",
    "call": "select id, record from model_calls",
    "import": "select id, record from imports",
}


class Damage(Record):
    """One thing that is not as it was written."""

    subject: str
    """``attempt C01…``, ``chain entry 7``, ``text sha256:…``, ``schema``, ``file``."""
    message: str


class IntegrityReport(Record):
    """What was looked at, and what is wrong."""

    record_count: int
    forgotten_count: int
    text_count: int
    damages: tuple[Damage, ...]


def verify(database: Database) -> IntegrityReport:
    """Read everything once; a file too damaged to be read is one damage, not an error."""
    try:
        damages = (*_file(database), *_schema(database), *_chain(database), *_texts(database))
        record_count, forgotten_count, text_count = database.rows(
            "select (select count(*) from chain), (select count(*) from forgotten), (select count(*) from blobs where content is not null)"
        )[0]
    except MemoryFileError as error:
        return IntegrityReport(0, 0, 0, (Damage("file", error.message),))
    return IntegrityReport(record_count, forgotten_count, text_count, damages)


def _file(database: Database) -> Iterator[Damage]:
    for (message,) in database.rows("pragma integrity_check"):
        if message != "ok":
            yield Damage("file", str(message))
    for table, row, *_ in database.rows("pragma foreign_key_check"):
        yield Damage(f"row {row} of {table}", "refers to something that is not there")


def _schema(database: Database) -> Iterator[Damage]:
    """Triggers keep the log append-only: a file without them may have been changed at will."""
    found = dict(database.rows("select name, sql from sqlite_master where sql is not null"))
    for name, sql in expected_schema().items():
        if found.get(name) != sql:
            yield Damage("schema", f"{name} is {'changed' if name in found else 'missing'}")


def _chain(database: Database) -> Iterator[Damage]:
    stored = {kind: dict(database.rows(query)) for kind, query in _RECORD_QUERIES.items()}
    forgotten = set(database.rows("select kind, subject from forgotten"))
    previous, last = records.CHAIN_START, 0
    for position, kind, subject, record_hash, entry in database.rows(
        "select position, kind, subject, record_hash, hash from chain order by position"
    ):
        if position != last + 1:
            yield Damage(f"chain entry {last + 1}", "is missing")
        if entry != records.chained(previous, kind, subject, record_hash):
            yield Damage(f"chain entry {position}", "does not follow from the one before")
        yield from _record(kind, subject, record_hash, stored, forgotten)
        previous, last = entry, position
    head = database.row("select value from meta where key = 'chain_head'")
    if (head is not None or last) and (head is None or head[0] != f"{last} {previous}"):
        yield Damage("chain", f"ends at entry {last}, not where it was last written")
    for kind, rows in stored.items():
        for subject in rows:
            yield Damage(f"{kind} {subject}", "was added outside the chain")


def _record(
    kind: str, subject: str, record_hash: str, stored: dict[str, dict[str, Any]], forgotten: set[tuple[Any, ...]]
) -> Iterator[Damage]:
    """Compare one record with its entry and take it out of ``stored``."""
    rows = stored.get(kind, {})
    if subject not in rows:
        yield Damage(f"{kind} {subject}", "is missing")
        return
    record = rows.pop(subject)
    if record is None:
        if (kind, subject) not in forgotten:
            yield Damage(f"{kind} {subject}", "lost its contents, but was not forgotten")
    elif records.hash_of(record.encode()) != record_hash:
        yield Damage(f"{kind} {subject}", "was changed")


def _texts(database: Database) -> Iterator[Damage]:
    for (digest,) in database.rows("select hash from blobs where content is not null"):
        row = database.row("select content from blobs where hash = ?", (digest,))
        try:
            data = zlib.decompress(row[0]) if row is not None else b""
        except zlib.error:
            yield Damage(f"text {digest}", "cannot be unpacked")
            continue
        if records.hash_of(data) != digest:
            yield Damage(f"text {digest}", "is not the text that was stored")
    lost = database.rows(
        "select id, blobs.hash from blobs join (select id, hash as used from attempt_texts union all select id, hash from proposal_texts"
        " union all select id, baseline_blob from pair_sessions union all select id, text_blob from pair_turns"
        " union all select id, hash from model_call_texts) as uses on used = blobs.hash where content is null"
    )
    for record_id, digest in lost:
        yield Damage(f"text {digest}", f"is missing, but {record_id} refers to it")
