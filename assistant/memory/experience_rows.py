"""The table of experience: rows in, rows like a kernel out.

What is read for one kernel is bounded, however many rows there are: of each technique the newest rows of kernels with the same bottleneck,
and fewer of others; of one technique, kernel and device only the newest count. Example::

    add(database, experience_of(data, traits))
    rows_like(database, query)        # what `recall` weighs
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from assistant.memory.database import Database
from assistant.memory.experience import detail_of
from assistant.memory.records import path_key
from assistant.model.experience import Experience, Origin, RecallQuery
from assistant.model.profile import Signature
from assistant.profile import DIMENSIONS

__all__ = [
    "Known",
    "add",
    "all_rows",
    "drop_forgotten",
    "known_of",
    "note_decision",
    "rows_like",
    "rows_of_ids",
    "rows_of_job",
    "vector_of",
]

_RECENT_COUNT = 5
"""Rows of one technique on one kernel and device that count: repeating one trial ten thousand times teaches no more than that."""
_ROWS = 1_000
"""Looked at in all, shared among techniques (chosen: what can be weighed in a twentieth of a second)."""
_MOST_ROWS = 120
"""Newest rows of one technique, of kernels with the same bottleneck; a third as many of others, and of imports, which never take the
place of what was tried here."""
_OWN, _IMPORTED = 1, 2
"""What a row counts as."""
_MOST_TECHNIQUES = 96
"""Techniques of this memory's own rows that are looked at beyond those that the query names, the latest first."""
_MOST_IMPORTED_TECHNIQUES = 16
"""Likewise of techniques that only imports have: a file with twenty thousand names takes no room from one's own."""
_VECTOR = struct.Struct(f"<{len(DIMENSIONS)}f")
_NAN = float("nan")
_DECODER = json.JSONDecoder()
_SCALE = '"scale": '
"""Inside of a name its quotes would be escaped."""
_COLUMNS = (
    "id, origin, technique, label, family, element, device, architecture, workspace, kernel, kernel_id, same, is_right, log_ratio,"
    " variance, is_measured, created_ms, job, decision, vector, detail"
)
_LIKE = f"select {_COLUMNS} from experience where technique = ? and counts_as = ?"  # noqa: S608  (ours)


class Known(NamedTuple):
    """A row as it is weighed. A plain tuple: thousands are read for one plan."""

    id: str
    origin: str
    technique: str
    label: str
    family: str
    element: str
    device: str
    architecture: str
    workspace: str | None
    """`records.path_key`."""
    kernel: str
    kernel_id: str
    same: str
    is_right: int | None
    log_ratio: float | None
    variance: float | None
    is_measured: int
    created_ms: int
    job: str
    decision: str
    vector: tuple[float, ...]
    """In the order of `DIMENSIONS`; NaN where one is not known."""
    detail: str
    """JSON (`experience.detail_of`)."""

    @property
    def scale(self) -> dict[str, int]:
        """Count by quantity of its launch (``threads``); the rest of the detail is not read."""
        return dict(_DECODER.raw_decode(self.detail, self.detail.index(_SCALE) + len(_SCALE))[0])


def vector_of(signature: Signature) -> tuple[float, ...]:
    """In the order of `DIMENSIONS`."""
    values = dict(signature.vector)
    return tuple(values.get(name, _NAN) for name in DIMENSIONS)


def known_of(row: Experience) -> Known:
    """The row as it is weighed."""
    state, result = row.state, row.result
    return Known(
        row.id,
        row.origin.value,
        row.use.name,
        state.signature.label,
        state.traits.family,
        state.traits.element,
        state.device.name,
        state.device.architecture,
        path_key(row.workspace),
        row.kernel,
        row.kernel_id,
        row.same,
        None if result.is_right is None else int(result.is_right),
        result.log_ratio,
        result.variance,
        int(result.is_measured),
        row.created_ms,
        row.job,
        row.decision,
        vector_of(state.signature),
        detail_of(row),
    )


def add(database: Database, row: Experience) -> None:
    """Inside a transaction; a row of that id gives way to this one."""
    known = known_of(row)
    values = (*known[:9], json.dumps(known.kernel), *known[10:19], _VECTOR.pack(*known.vector), known.detail)
    marks = ", ".join("?" for _ in values)
    counts_as = _IMPORTED if row.origin is Origin.IMPORT else _OWN
    database.execute(f"insert or replace into experience ({_COLUMNS}, counts_as) values ({marks}, ?)", (*values, counts_as))  # noqa: S608  (ours)
    database.execute(
        "update experience set counts_as = 0 where counts_as and technique = ?1 and kernel_id = ?2 and device = ?3 and id not in ("
        "select id from experience where technique = ?1 and kernel_id = ?2 and device = ?3 order by created_ms desc, rowid desc limit ?4)",
        (known.technique, known.kernel_id, known.device, _RECENT_COUNT),
    )


def rows_like(database: Database, query: RecallQuery) -> tuple[Known, ...]:
    """Rows of every technique that may say something about the query's state, each under the name that its technique goes by."""
    label = query.state.signature.label
    found: list[Known] = []
    names = _names(database, query.techniques)
    share = min(_MOST_ROWS, _ROWS // max(1, len(names)) * 3 // 5)
    has_imports = bool(database.rows("select 1 from imports limit 1"))
    for name, technique in names:
        rows = database.rows(f"{_LIKE} and label = ? order by created_ms desc limit ?", (name, _OWN, label, share))
        rows += database.rows(f"{_LIKE} and label <> ? order by created_ms desc limit ?", (name, _OWN, label, share // 3))
        if has_imports:
            rows += database.rows(f"{_LIKE} order by created_ms desc limit ?", (name, _IMPORTED, share // 3))
        found += [_known(row, technique) for row in rows]
    return tuple(found)


def rows_of_job(database: Database, job: str) -> tuple[Known, ...]:
    """Those of a job's attempts."""
    found = database.rows(f"select {_COLUMNS} from experience where job = ?", (job,))  # noqa: S608  (ours)
    return tuple(_known(row, row[2]) for row in found)


def rows_of_ids(database: Database, ids: Iterable[str]) -> tuple[Known, ...]:
    """Those of these ids that are here."""
    found = database.rows(
        f"select {_COLUMNS} from experience where id in (select value from json_each(?))",  # noqa: S608  (ours)
        (json.dumps(sorted(ids)),),
    )
    return tuple(_known(row, row[2]) for row in found)


def all_rows(database: Database) -> Iterable[Known]:
    """Every row that counts, under the name that its technique goes by."""
    names = dict(database.rows("select name, technique from aliases"))
    found = database.rows(f"select {_COLUMNS} from experience where counts_as order by created_ms desc, rowid desc")  # noqa: S608
    return (_known(row, names.get(row[2], row[2])) for row in found)


def note_decision(database: Database, job: str, kernel: str, techniques: tuple[str, ...], kind: str) -> None:
    """What a person decided (empty: nothing that stands), in the rows of the proposal's attempts; inside a transaction."""
    database.execute(
        "update experience set decision = ?1 where job = ?2 and kernel = ?3 and is_right = 1"
        " and technique in (select value from json_each(?4))",
        (kind, job, json.dumps(kernel), json.dumps(techniques)),
    )


def drop_forgotten(database: Database) -> None:
    """Rows of attempts and imports that were forgotten; inside a transaction."""
    database.execute(
        "delete from experience where (origin <> 'import' and id not in (select id from attempts where record is not null))"
        " or (origin = 'import' and substr(id, 1, instr(id, '/') - 1) not in (select id from imports where record is not null))"
    )
    database.execute(
        "update experience set decision = '' where decision <> '' and job not in (select job from proposals where record is not null)"
    )


def _names(database: Database, wanted: tuple[str, ...]) -> list[tuple[str, str]]:
    """(name in the table, the technique that it means): those wanted, the latest others of one's own, and of imports."""
    stored = database.rows(
        "with recursive known (name) as (select min(technique) from experience union all"
        " select (select min(technique) from experience where technique > known.name) from known where known.name is not null)"
        " select name, (select max(created_ms) from experience where technique = known.name and counts_as = 1) as own,"
        " (select max(created_ms) from experience where technique = known.name and counts_as = 2) as imported"
        " from known where name is not null order by own desc, imported desc"
    )
    names = dict(database.rows("select name, technique from aliases"))
    pairs = [(name, names.get(name, name)) for name, _, _ in stored]
    is_own = {name: own is not None for name, own, _ in stored}
    others = [pair for pair in pairs if pair[1] not in wanted]
    own = [pair for pair in others if is_own[pair[0]]][:_MOST_TECHNIQUES]
    imported = [pair for pair in others if not is_own[pair[0]]][:_MOST_IMPORTED_TECHNIQUES]
    return [pair for pair in pairs if pair[1] in wanted] + own + imported


def _known(row: tuple[Any, ...], technique: str) -> Known:
    """``row``: columns as SQLite gives them."""
    return Known._make((*row[:2], technique, *row[3:9], _unquoted(row[9]), *row[10:19], _VECTOR.unpack(row[19]), row[20]))


def _unquoted(text: str) -> str:
    """What a JSON string stands for; most have nothing that is escaped."""
    return json.loads(text) if "\\" in text else text[1:-1]
