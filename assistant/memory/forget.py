"""Take contents out of memory for good, leaving tombstones: ids, hashes and the time, nothing else.

The only way memory shrinks. Texts that a remaining record still refers to stay. Example::

    forget(database, ForgetScope(workspace=folder), now_ms)
"""

from __future__ import annotations

import json
from pathlib import Path

from assistant.errors import UsageError
from assistant.memory import chains, lessons
from assistant.memory.database import Database
from assistant.memory.experience_rows import drop_forgotten
from assistant.memory.records import path_key
from assistant.record import Record

__all__ = ["ForgetScope", "ForgottenCounts", "forget"]


class ForgetScope(Record):
    """What to forget; all given conditions must hold, at least one must be given."""

    workspace: Path | None = None
    path: Path | None = None
    before_ms: int | None = None
    """Made before this time."""


class ForgottenCounts(Record):
    """What lost its contents."""

    attempt_count: int
    proposal_count: int
    decision_count: int
    text_count: int
    job_count: int
    is_wiped_from_disk: bool
    """False while another process still reads the write-ahead log; its next close, or forgetting again, wipes the rest."""
    pair_count: int = 0
    """Pair sessions, each with all its turns."""
    call_count: int = 0
    """Calls of language models, each with its prompt and its answer."""


_DAY_MS = 86_400_000
"""A job without a heartbeat for so long has died."""
_QUERIES = {
    "attempt": (
        "select id from attempts where record is not null and (?1 is null or workspace = json_extract(?1, '$'))"
        " and (?2 is null or path = json_extract(?2, '$')"
        " or json_extract(?2, '$') in (select files.path from attempt_files files where files.id = attempts.id))"
        " and (?3 is null or created_ms < ?3)"
    ),
    "decision": (
        "select cast(d.id as text) from decisions d join proposals p on p.id = d.proposal where d.record is not null"
        " and p.record is not null and (?1 is null or p.workspace = json_extract(?1, '$'))"
        " and (?2 is null or p.path = json_extract(?2, '$')"
        " or exists (select 1 from json_each(p.record, '$.files') where json_extract(value, '$.path') = json_extract(?2, '$')))"
        " and (?3 is null or p.created_ms < ?3)"
    ),
    "turn": (
        "select t.id from pair_turns t join pair_sessions s on s.id = t.session where t.record is not null"
        " and s.record is not null and (?1 is null or s.workspace = json_extract(?1, '$'))"
        " and (?2 is null or s.path = json_extract(?2, '$')) and (?3 is null or s.created_ms < ?3)"
    ),
    "pair": (
        "select id from pair_sessions where record is not null and (?1 is null or workspace = json_extract(?1, '$'))"
        " and (?2 is null or path = json_extract(?2, '$')) and (?3 is null or created_ms < ?3)"
    ),
    "call": (
        "select id from model_calls where record is not null and (?1 is null or workspace = json_extract(?1, '$'))"
        " and (?2 is null or path = json_extract(?2, '$')) and (?3 is null or started_ms < ?3)"
    ),
    "import": ("select id from imports where record is not null and ?1 is null and ?2 is null and (?3 is null or imported_ms < ?3)"),
    "proposal": (
        "select id from proposals where record is not null and (?1 is null or workspace = json_extract(?1, '$'))"
        " and (?2 is null or path = json_extract(?2, '$')"
        " or exists (select 1 from json_each(record, '$.files') where json_extract(value, '$.path') = json_extract(?2, '$')))"
        " and (?3 is null or created_ms < ?3)"
    ),
}
"""Ids of what a scope means: ?1 workspace, ?2 path, ?3 time."""
_PURGES = {
    "attempt": "update attempts set record = null where id in (select value from json_each(?))",
    "decision": "update decisions set record = null where cast(id as text) in (select value from json_each(?))",
    "turn": "update pair_turns set record = null where id in (select value from json_each(?))",
    "pair": "update pair_sessions set record = null where id in (select value from json_each(?))",
    "call": "update model_calls set record = null where id in (select value from json_each(?))",
    "import": "update imports set record = null where id in (select value from json_each(?))",
    "proposal": "update proposals set record = null where id in (select value from json_each(?))",
}


def forget(database: Database, scope: ForgetScope, now_ms: int) -> ForgottenCounts:
    """Purge what the scope means; raises UsageError for an empty scope."""
    if scope == ForgetScope():
        raise UsageError("forget needs a workspace, a file or a date", "see kernelopt memory forget --help")
    parameters = (path_key(scope.workspace), path_key(scope.path), scope.before_ms)
    with database.transaction():
        attempt_count = _bury(database, "attempt", parameters, now_ms)
        decision_count = _bury(database, "decision", parameters, now_ms)
        proposal_count = _bury(database, "proposal", parameters, now_ms)
        _bury(database, "turn", parameters, now_ms)
        pair_count = _bury(database, "pair", parameters, now_ms)
        call_count = _bury(database, "call", parameters, now_ms)
        _bury(database, "import", parameters, now_ms)
        drop_forgotten(database)
        chains.drop_forgotten(database)
        lessons.drop_forgotten(database)
        text_count = database.execute(
            "update blobs set content = null where content is not null and hash not in ("
            "select hash from attempt_texts union select hash from proposal_texts"
            " union select baseline_blob from pair_sessions where record is not null"
            " union select text_blob from pair_turns where record is not null and text_blob is not null"
            " union select hash from model_call_texts)"
        )
        database.execute(
            "delete from analyses where (?1 is null or workspace = ?1) and (?2 is null or path = ?2) and (?3 is null or ended_ms < ?3)",
            parameters,
        )
        job_count = database.execute(
            "delete from jobs where (?1 is null or workspace = ?1) and (?2 is null or path = ?2)"
            " and (?3 is null or started_ms < ?3) and (ended_ms is not null or heartbeat_ms < ?4)",
            (*parameters, now_ms - _DAY_MS),
        )
    return ForgottenCounts(attempt_count, proposal_count, decision_count, text_count, job_count, _wipe(database), pair_count, call_count)


def _bury(database: Database, kind: str, parameters: tuple[object, ...], now_ms: int) -> int:
    """Tombstones first: the triggers let only forgotten records go."""
    ids = json.dumps([subject for (subject,) in database.rows(_QUERIES[kind], parameters)])
    database.execute("insert into forgotten (kind, subject, forgotten_ms) select ?, value, ? from json_each(?)", (kind, now_ms, ids))
    return database.execute(_PURGES[kind], (ids,))


def _wipe(database: Database) -> bool:
    """Empty the write-ahead log, which still holds the old pages; the file's own were overwritten (``secure_delete``)."""
    is_busy, _, _ = database.rows("pragma wal_checkpoint(truncate)")[0]
    return not is_busy
