"""Jobs as other processes see them: who runs them, whether they live, are to end or have ended, and their events.

Example::

    start(database, job)
    beat(database, job.id, now_ms)     # True once another process asked the job to end
"""

from __future__ import annotations

import json
from pathlib import Path

from assistant.memory.database import Database, Row
from assistant.memory.records import path_key
from assistant.model.attempt import JobRow

__all__ = ["add_event", "beat", "end", "read", "read_events", "request_cancel", "start"]


def start(database: Database, job: JobRow) -> None:
    place = (path_key(job.path), path_key(job.workspace))
    row = (job.id, job.command, *place, job.owner, job.started_ms, job.heartbeat_ms, job.asked)
    with database.transaction():
        database.execute(
            "insert into jobs (id, command, path, workspace, owner, started_ms, heartbeat_ms, asked) values (?, ?, ?, ?, ?, ?, ?, ?)", row
        )


def beat(database: Database, job_id: str, now_ms: int) -> bool:
    """Note that the job lives; whether another process asked it to end."""
    with database.transaction():
        database.execute("update jobs set heartbeat_ms = max(heartbeat_ms, ?) where id = ?", (now_ms, job_id))
    row = database.row("select is_cancel_requested from jobs where id = ?", (job_id,))
    return row is not None and bool(row[0])


def request_cancel(database: Database, job_id: str) -> bool:
    """False when the job is unknown or has ended."""
    with database.transaction():
        changed = database.execute("update jobs set is_cancel_requested = 1 where id = ? and ended_ms is null", (job_id,))
    return changed > 0


def end(database: Database, job_id: str, now_ms: int, exit_code: int) -> None:
    """The first end stands."""
    with database.transaction():
        database.execute(
            "update jobs set ended_ms = ?1, heartbeat_ms = max(heartbeat_ms, ?1), exit_code = ?2 where id = ?3 and ended_ms is null",
            (now_ms, exit_code, job_id),
        )


def read(database: Database, workspace: Path | None) -> tuple[JobRow, ...]:
    """Newest first; None: of every workspace."""
    found = database.rows(
        "select id, command, path, workspace, owner, started_ms, heartbeat_ms, ended_ms, exit_code, is_cancel_requested, asked"
        " from jobs where ?1 is null or workspace = ?1 order by started_ms desc, id desc",
        (path_key(workspace),),
    )
    return tuple(_job(row) for row in found)


def add_event(database: Database, job_id: str, event: str) -> None:
    """Append behind the job's other events."""
    with database.transaction():
        database.execute(
            "insert into job_events (job, position, event) select ?1, coalesce(max(position) + 1, 0), ?2 from job_events where job = ?1",
            (job_id, event),
        )


def read_events(database: Database, job_id: str, start: int) -> tuple[str, ...]:
    """In order, from position ``start``."""
    found = database.rows("select event from job_events where job = ? and position >= ? order by position", (job_id, start))
    return tuple(event for (event,) in found)


def _job(row: Row) -> JobRow:
    job_id, command, path, workspace, owner, started_ms, heartbeat_ms, ended_ms, exit_code, is_cancel_requested, asked = row
    return JobRow(
        id=job_id,
        command=command,
        path=Path(json.loads(path)),
        workspace=Path(json.loads(workspace)),
        owner=owner,
        started_ms=started_ms,
        heartbeat_ms=heartbeat_ms,
        ended_ms=ended_ms,
        exit_code=exit_code,
        is_cancel_requested=bool(is_cancel_requested),
        asked=asked,
    )
