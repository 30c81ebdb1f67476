"""One SQLite file: connection, transactions, migrations, and errors in words. The only module that imports sqlite3.

Knows nothing of attempts or decisions. Several processes may have the file open: write-ahead log, immediate write transactions,
a busy timeout. Example::

    database = open_database(path)
    with database.transaction():
        database.execute("insert into meta values (?, ?)", ("a", "b"))
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assistant.errors import MemoryFileError
from assistant.memory.migrations import NAMES, script
from assistant.record import Record

__all__ = ["Database", "Row", "expected_schema", "open_database"]

_APPLICATION_ID = 0x4B4F5054
""""KOPT": marks the file as ours (SQLite file format, section 1.3.17)."""
_BUSY_TIMEOUT_S = 10.0
"""Longest wait for another process; its write transactions take milliseconds."""
_RETRY_S = 0.02
_PRIMARY_CODE = 0xFF
"""Low byte of an extended result code (sqlite.org/rescode.html)."""

Row = tuple[Any, ...]
"""Columns as SQLite gives them; the author of the query knows their types."""


class ReadOnly(Record):
    """Why a file is open for reading alone, and what to try."""

    reason: str
    remedy: str


class Database:
    """An open memory file. May be used from several threads; one transaction at a time."""

    def __init__(self, path: Path, connection: sqlite3.Connection, read_only: ReadOnly | None) -> None:
        """``read_only``: why nothing can be written; None when it can."""
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._lock = threading.RLock()

    def rows(self, sql: str, parameters: tuple[object, ...] = ()) -> list[Row]:
        with self._lock, translated(self.path):
            return self._connection.execute(sql, _bound(sql, parameters)).fetchall()

    def row(self, sql: str, parameters: tuple[object, ...] = ()) -> Row | None:
        """The only row, or None; raises ValueError for several."""
        found = self.rows(sql, parameters)
        if len(found) > 1:
            raise ValueError(f"one row expected, {len(found)} found: {sql}")
        return found[0] if found else None

    def execute(self, sql: str, parameters: tuple[object, ...] = ()) -> int:
        """Run one statement; returns the number of rows it changed."""
        with self._lock, translated(self.path):
            return self._connection.execute(sql, _bound(sql, parameters)).rowcount

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        """All or nothing, alone among all processes; raises MemoryFileError where nothing can be written."""
        if self.read_only is not None:
            raise MemoryFileError(f"{self.path} is open for reading only: {self.read_only.reason}", self.read_only.remedy)
        with self._lock, translated(self.path):
            self._connection.execute("begin immediate")
            try:
                yield
                self._connection.execute("commit")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("rollback")
                raise

    def close(self) -> None:
        with self._lock, translated(self.path):
            self._connection.close()


def open_database(path: Path, busy_timeout_s: float = _BUSY_TIMEOUT_S) -> Database:
    """Open or create the file and bring its schema up to date; a newer schema is opened for reading only.

    Raises MemoryFileError, and leaves the file as it was, when it is damaged, not ours, locked or cannot be written at all.
    """
    with translated(path):
        _make_folder(path)
        read_only = None if _is_writable(path) else ReadOnly("the file or its folder is write-protected", _READ_ONLY_REMEDY)
        connection = _connect(path, read_only is not None, busy_timeout_s)
        try:
            version = _check_identity(connection, path)
            if version > len(NAMES):
                read_only = ReadOnly(f"a newer kernelopt wrote it (schema {version}, this one knows {len(NAMES)})", _NEWER_REMEDY)
                connection.close()
                connection = _connect(path, True, busy_timeout_s)
            if read_only is None:
                _prepare(connection, busy_timeout_s)
            elif version < len(NAMES):
                raise MemoryFileError(f"{path} needs a schema update, but {read_only.reason}", read_only.remedy)
        except BaseException:
            connection.close()
            raise
    return Database(path, connection, read_only)


def _bound(sql: str, parameters: tuple[object, ...]) -> tuple[object, ...] | dict[str, object]:
    """Values as sqlite3 wants them: from Python 3.14 on, a statement with ``?1`` refuses a sequence and takes the number for a name."""
    return {str(number): value for number, value in enumerate(parameters, start=1)} if "?1" in sql else parameters


def _statements(text: str) -> Iterator[str]:
    """The single statements of an SQL script (``executescript`` would commit the running transaction)."""
    pending = ""
    for line in text.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MemoryFileError(f"cannot create {path.parent}: {error.strerror}", _READ_ONLY_REMEDY) from error


def _is_writable(path: Path) -> bool:
    """A file that does not exist yet counts as writable; SQLite then says what is wrong."""
    return not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _connect(path: Path, is_read_only: bool, busy_timeout_s: float) -> sqlite3.Connection:
    mode = "ro" if is_read_only else "rwc"
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?mode={mode}",
        uri=True,
        timeout=busy_timeout_s,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma synchronous = normal")
    connection.execute("pragma secure_delete = on")
    return connection


def _check_identity(connection: sqlite3.Connection, path: Path) -> int:
    """Schema version of our file, 0 for an empty one; raises MemoryFileError for anybody else's.

    Read in one transaction: between two, another process may create what is in the file.
    """
    connection.execute("begin")
    try:
        (application,) = connection.execute("pragma application_id").fetchone()
        (version,) = connection.execute("pragma user_version").fetchone()
        (table_count,) = connection.execute("select count(*) from sqlite_master").fetchone()
    finally:
        connection.execute("rollback")
    if table_count and application != _APPLICATION_ID:
        raise MemoryFileError(f"{path} is an SQLite file of another program", "set memory.path to another file")
    return int(version)


def _prepare(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    _switch_to_wal(connection, busy_timeout_s)
    connection.execute("begin immediate")
    try:
        (version,) = connection.execute("pragma user_version").fetchone()
        if version < len(NAMES):
            _migrate(connection, version, len(NAMES))
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def _migrate(connection: sqlite3.Connection, version: int, goal: int) -> None:
    """Run the migrations that a file of ``version`` has not seen, up to ``goal``, inside the caller's transaction."""
    for name in NAMES[version:goal]:
        for statement in _statements(script(name)):
            connection.execute(statement)
    connection.execute(f"pragma application_id = {_APPLICATION_ID}")
    connection.execute(f"pragma user_version = {goal}")


def expected_schema() -> dict[str, str]:
    """Name → SQL of every table, index and trigger of an up-to-date file."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        _migrate(connection, 0, len(NAMES))
        return dict(connection.execute("select name, sql from sqlite_master where sql is not null").fetchall())


def _switch_to_wal(connection: sqlite3.Connection, busy_timeout_s: float) -> None:
    """The busy timeout does not cover a change of the journal mode (sqlite.org/c3ref/busy_handler.html): ask again until then."""
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & _PRIMARY_CODE != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)


_LEAST_FREE_BYTES = 256 << 10
"""In addition to the file SQLite writes a journal and an index of it in steps of 32 KiB (sqlite.org/walformat.html)."""
_READ_ONLY_REMEDY = "make the file and its folder writable, or set memory.path in the user configuration to another place"
_NEWER_REMEDY = "update kernelopt, or set memory.path in the user configuration to another place"
_WORDS = {
    sqlite3.SQLITE_BUSY: ("is locked by another process", "wait for the other kernelopt to finish, or end it, and try again"),
    sqlite3.SQLITE_LOCKED: ("is locked by another process", "wait for the other kernelopt to finish, or end it, and try again"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "move it away to start a new one; sqlite3's .recover may save its rows"),
    sqlite3.SQLITE_NOTADB: ("is not a memory file, or damaged", "move it away to start a new one, or set memory.path"),
    sqlite3.SQLITE_READONLY: ("cannot be written", _READ_ONLY_REMEDY),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _READ_ONLY_REMEDY),
    sqlite3.SQLITE_PERM: ("cannot be opened", _READ_ONLY_REMEDY),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space and try again; what was stored before is safe"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written: disk error", "check the disk's space and health; what was stored is safe"),
}
"""What happened and what to try, by SQLite's primary result code."""


@contextlib.contextmanager
def translated(path: Path) -> Generator[None]:
    """SQLite's errors about the file as MemoryFileError; errors of ours (SQL, constraints) pass as they are."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        words = None if code is None else _WORDS.get(code & _PRIMARY_CODE)
        if words is None:
            raise
        if words in (_WORDS[sqlite3.SQLITE_FULL], _WORDS[sqlite3.SQLITE_IOERR]) and shutil.disk_usage(path.parent).free < _LEAST_FREE_BYTES:
            words = f"cannot grow: the disk is full, no space left in {path.parent}", _WORDS[sqlite3.SQLITE_FULL][1]
        raise MemoryFileError(f"{path} {words[0]} ({error})", words[1]) from error
