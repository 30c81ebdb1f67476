"""The last answer of each command on a file: a cache in addition to the history, replaced by the next answer.

Example::

    keep(database, StoredAnalysis("profile", sha256, ('{"event": …}',)), workspace, path, now_ms)
    read(database, path)     # one per command
"""

from __future__ import annotations

import zlib
from pathlib import Path

from assistant.memory.database import Database
from assistant.memory.records import path_key
from assistant.ports.store import StoredAnalysis

__all__ = ["keep", "read"]


def keep(database: Database, analysis: StoredAnalysis, workspace: Path, path: Path, now_ms: int) -> None:
    """Replace what is kept of this command on this file."""
    events = zlib.compress("\n".join(analysis.events).encode("utf-8", "surrogatepass"))
    with database.transaction():
        database.execute(
            "insert or replace into analyses (path, workspace, command, text_hash, ended_ms, events) values (?, ?, ?, ?, ?, ?)",
            (path_key(path), path_key(workspace), analysis.command, analysis.text_sha256, now_ms, events),
        )


def read(database: Database, path: Path) -> tuple[StoredAnalysis, ...]:
    """What is kept of a file, oldest first."""
    rows = database.rows("select command, text_hash, events from analyses where path = ? order by ended_ms, command", (path_key(path),))
    return tuple(StoredAnalysis(command, text_hash, _lines(events)) for command, text_hash, events in rows)


def _lines(events: bytes) -> tuple[str, ...]:
    return tuple(zlib.decompress(events).decode("utf-8", "surrogatepass").split("\n"))
