"""Pair sessions and their turns in the memory file: appended, chained, never changed.

The state of a session is whatever its turns say; nothing else is stored. Example::

    opened = open_session(writer, session, first_turn)      # or the one that is open already
    add_turn(writer, turn)                                  # False: somebody else took that number
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from assistant.errors import UsageError
from assistant.memory import records
from assistant.memory.database import Database
from assistant.model.pair import PairSession, Turn, TurnKind

__all__ = ["Writer", "add_turn", "find", "open_session", "read_sessions", "read_turns"]

_REMEDY = "kernelopt pair FILE --kernel K starts one"


class Writer(Protocol):
    """What the store lends: its file, its texts, its chain. Both writers need a transaction around them."""

    @property
    def database(self) -> Database: ...

    def keep_texts(self, texts: dict[str, str]) -> None: ...

    def chain(self, kind: str, subject: str, record: str) -> None: ...


def open_session(writer: Writer, session: PairSession, first: Turn) -> str:
    """The id of the session that is open on this kernel now: ``session``, stored with its first turn, or an earlier one."""
    record, texts = records.pair_session_record(session)
    with writer.database.transaction():
        row = writer.database.row(
            "select s.id from pair_sessions s where s.record is not null and s.path = json_extract(?, '$') and s.kernel = ?"
            " and not exists (select 1 from pair_turns t where t.session = s.id and t.kind = 'stop')",
            (records.path_key(session.path), session.kernel),
        )
        if row is not None:
            return str(row[0])
        writer.keep_texts(texts)
        writer.database.execute("insert into pair_sessions (id, record) values (?, ?)", (session.id, record))
        writer.chain("pair", session.id, record)
        _insert(writer, first)
    return session.id


def add_turn(writer: Writer, turn: Turn) -> bool:
    """Append; False, and nothing written, where the session has a turn of that number already, or has ended."""
    with writer.database.transaction():
        taken = writer.database.row(
            "select count(*) from pair_turns where session = ? and (number >= ? or kind = ?)",
            (turn.session, turn.number, TurnKind.STOP.value),
        )
        if taken is None or taken[0]:
            return False
        _insert(writer, turn)
    return True


def read_sessions(database: Database, path: Path | None, is_open_only: bool, text: Callable[[str], str]) -> tuple[PairSession, ...]:
    """Newest first; of a file, or of all."""
    rows = database.rows(
        "select s.record from pair_sessions s where s.record is not null and (?1 is null or s.path = json_extract(?1, '$'))"
        " and (not ?2 or not exists (select 1 from pair_turns t where t.session = s.id and t.kind = 'stop'))"
        " order by s.created_ms desc, s.rowid desc",
        (records.path_key(path), is_open_only),
    )
    return tuple(records.pair_session_of(record, text) for (record,) in rows)


def find(database: Database, id_prefix: str, text: Callable[[str], str]) -> PairSession:
    """The one session whose id starts so; raises UsageError for none or several."""
    prefix = id_prefix.strip().upper()
    rows = database.rows("select record from pair_sessions where record is not null and substr(id, 1, length(?1)) = ?1", (prefix,))
    if not prefix or len(rows) != 1:
        raise UsageError(f"{len(rows) if prefix else 'no'} pair sessions start with {id_prefix!r}", _REMEDY)
    return records.pair_session_of(rows[0][0], text)


def read_turns(database: Database, session: str, text: Callable[[str], str]) -> tuple[Turn, ...]:
    """In order."""
    rows = database.rows("select record from pair_turns where session = ? and record is not null order by number", (session,))
    return tuple(records.turn_of(record, text) for (record,) in rows)


def _insert(writer: Writer, turn: Turn) -> None:
    record, texts = records.turn_record(turn)
    turn_id = f"{turn.session}/{turn.number}"
    writer.keep_texts(texts)
    writer.database.execute(
        "insert into pair_turns (id, session, number, record) values (?, ?, ?, ?)", (turn_id, turn.session, turn.number, record)
    )
    writer.chain("turn", turn_id, record)
