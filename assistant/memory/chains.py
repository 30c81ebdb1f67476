"""Sequences of two techniques that paid as one: the first alone gained little or lost, both together won.

A chain is two attempts of one job, the second an edit of the very text that the first made. All chains are kept, whatever came of them, so
that a sequence is known by its failures, too. Imports have no attempts, and make no chains. Example::

    note(database, data, row)          # inside the transaction that adds an attempt
    composites(database)               # (Composite("shared-tile+register-tile", …), …)
"""

from __future__ import annotations

import json
import math
import statistics
from typing import Any, NamedTuple

from assistant.memory.database import Database
from assistant.memory.experience_rows import Known, rows_of_ids
from assistant.model.comparison import format_ratio
from assistant.model.experience import COMPOSED, MOST_COMPOSED, Experience
from assistant.record import Record

__all__ = ["Composite", "composites", "drop", "drop_forgotten", "note", "rows_of_composites", "take_back"]

_LITTLE = math.log(1.05)
"""Up to here the first alone gains little (chosen)."""
_GAIN = math.log(1.10)
"""From here both together won (chosen)."""
_MORE = math.log(1.05)
"""What both together must gain beyond the second alone."""
_LEAST_KERNELS = 2
"""On one kernel it may be chance."""
_MOST_COMPOSITES = 8
_MOST_CHAINS = 60
"""Newest chains of a sequence that count."""
_NEWEST = 1_000
"""Chains that are looked through for sequences that paid."""


class Composite(Record):
    """A sequence that paid as one."""

    techniques: tuple[str, ...]
    kernel_count: int
    """Different kernels that it was tried on."""
    paid_count: int
    """Of them those where the first alone gained little and both together won."""
    first_ratio: float
    """Median of time before / time after of the first alone, where both paid."""
    ratio: float
    """Median of both together, of all kernels on which both were timed."""
    rows: tuple[str, ...]
    """Ids of the attempts that it rests on, two for each chain, newest first."""
    is_dropped: bool = False
    """A person does not want it offered."""

    @property
    def name(self) -> str:
        return COMPOSED.join(self.techniques)

    @property
    def sentence(self) -> str:
        """For people."""
        first, *others = self.techniques
        return (
            f"{first} alone came to {format_ratio(self.first_ratio)}x, with {' and '.join(others)} after it to {format_ratio(self.ratio)}x"
            f" (median of {self.kernel_count} kernels, paid on {self.paid_count})"
        )


class _Chain(NamedTuple):
    id: str
    techniques: str
    first: str
    kernel_id: str
    is_right: int
    first_log_ratio: float
    log_ratio: float | None
    alone: float | None
    variance: float | None
    created_ms: int

    @property
    def has_paid(self) -> bool:
        together = self.log_ratio
        return together is not None and self.first_log_ratio <= _LITTLE and together >= max(_GAIN, (self.alone or 0.0) + _MORE)


_COLUMNS = ", ".join(_Chain._fields)


def note(database: Database, data: dict[str, Any], row: Experience) -> None:
    """The chain that ends with an attempt, where its first part is here; inside the transaction that adds the attempt."""
    result = row.result
    if not row.use.after or result.is_right is None:
        return
    before = row.use.after[-1]
    techniques = COMPOSED.join((before, row.use.name))
    if techniques.count(COMPOSED) >= MOST_COMPOSED:
        return
    first = database.row(
        "select e.id, e.log_ratio, e.variance, a.parent_blob from experience e join attempts a on a.id = e.id"
        " where e.job = ? and e.technique = ? and e.is_right = 1 and e.log_ratio is not null and a.text_blob = ? limit 1",
        (row.job, before, data["parent_text"]),
    )
    if first is None:
        return
    (alone,) = database.rows(
        "select max(e.log_ratio) from experience e join attempts a on a.id = e.id"
        " where e.job = ? and e.technique = ? and e.is_right = 1 and a.parent_blob = ?",
        (row.job, row.use.name, first[3]),
    )[0]
    together = None if not result.is_right or result.log_ratio is None else first[1] + result.log_ratio
    variance = None if together is None else first[2] + (result.variance or 0.0)
    chain = _Chain(
        f"{first[0]}{COMPOSED}{row.id}", techniques, first[0], row.kernel_id, int(result.is_right), first[1], together, alone, variance,
        row.created_ms,
    )  # fmt: skip
    database.execute(f"insert or replace into chains ({_COLUMNS}) values ({', '.join('?' for _ in chain)})", tuple(chain))  # noqa: S608  (ours)


def composites(database: Database, names: dict[str, str] | None = None) -> tuple[Composite, ...]:
    """Sequences that paid on `_LEAST_KERNELS` kernels and on most of those that they were tried on, what gains most first."""
    return _known(database, _by_techniques(database, names or {}))


def rows_of_composites(database: Database, names: dict[str, str]) -> tuple[tuple[Known, ...], frozenset[str]]:
    """(a row for each chain of a sequence that is offered as one: the state before both, and what both came to; the sequences that a
    person dropped)."""
    by_techniques = _by_techniques(database, names)
    if not by_techniques:
        return (), frozenset()
    known = _known(database, by_techniques)
    chains = [chain for composite in known if not composite.is_dropped for chain in by_techniques[composite.name]]
    firsts = {row.id: row for row in rows_of_ids(database, {chain.first for chain in chains})} if chains else {}
    rows = tuple(_row(firsts[chain.first], chain, names) for chain in chains if chain.first in firsts)
    return rows, frozenset(composite.name for composite in known if composite.is_dropped)


def drop(database: Database, techniques: str, now_ms: int) -> bool:
    """Offer the sequence no more; False where none of that name is known."""
    if all(composite.name != techniques for composite in composites(database)):
        return False
    with database.transaction():
        database.execute("insert or replace into dropped_composites (techniques, made_ms) values (?, ?)", (techniques, now_ms))
    return True


def take_back(database: Database, techniques: str) -> bool:
    """Offer a dropped sequence again; False where it was not dropped."""
    with database.transaction():
        return database.execute("delete from dropped_composites where techniques = ?", (techniques,)) > 0


def drop_forgotten(database: Database) -> None:
    """Chains of attempts that were forgotten; inside a transaction."""
    database.execute(
        "delete from chains where substr(id, 1, instr(id, '+') - 1) not in (select id from experience)"
        " or substr(id, instr(id, '+') + 1) not in (select id from experience)"
    )


def _known(database: Database, by_techniques: dict[str, list[_Chain]]) -> tuple[Composite, ...]:
    dropped = {name for (name,) in database.rows("select techniques from dropped_composites")}
    found = (_composite(name, chains, name in dropped) for name, chains in by_techniques.items())
    known = sorted((composite for composite in found if composite is not None), key=lambda each: (-each.ratio, each.techniques))
    return tuple(known[:_MOST_COMPOSITES])


def _by_techniques(database: Database, names: dict[str, str]) -> dict[str, list[_Chain]]:
    """The newest chains by the names that their techniques go by."""
    found: dict[str, list[_Chain]] = {}
    for row in database.rows(f"select {_COLUMNS} from chains order by created_ms desc limit ?", (_NEWEST,)):  # noqa: S608  (ours)
        chain = _Chain(*row)
        some = found.setdefault(_renamed(chain.techniques, names), [])
        if len(some) < _MOST_CHAINS:
            some.append(chain)
    return found


def _composite(name: str, chains: list[_Chain], is_dropped: bool) -> Composite | None:
    by_kernel: dict[str, list[_Chain]] = {}
    for chain in chains:
        by_kernel.setdefault(chain.kernel_id, []).append(chain)
    paid = [some for some in by_kernel.values() if any(chain.has_paid for chain in some)]
    if len(paid) < _LEAST_KERNELS or 2 * len(paid) <= len(by_kernel):
        return None
    best = [max(values) for some in by_kernel.values() if (values := [chain.log_ratio for chain in some if chain.log_ratio is not None])]
    alone = [chain.first_log_ratio for some in paid for chain in some if chain.has_paid]
    return Composite(
        techniques=tuple(name.split(COMPOSED)),
        kernel_count=len(by_kernel),
        paid_count=len(paid),
        first_ratio=math.exp(statistics.median(alone)),
        ratio=math.exp(statistics.median(best)),
        rows=tuple(dict.fromkeys(part for chain in chains if chain.has_paid for part in chain.id.split(COMPOSED))),
        is_dropped=is_dropped,
    )


def _row(first: Known, chain: _Chain, names: dict[str, str]) -> Known:
    detail = json.loads(first.detail)
    return first._replace(
        id=chain.id,
        technique=_renamed(chain.techniques, names),
        same=chain.id,
        is_right=chain.is_right,
        log_ratio=chain.log_ratio,
        variance=chain.variance,
        created_ms=chain.created_ms,
        decision="",
        detail=json.dumps(detail | {"parameters": [], "side_effects": [], "next": None}),
    )


def _renamed(techniques: str, names: dict[str, str]) -> str:
    return COMPOSED.join(names.get(name, name) for name in techniques.split(COMPOSED))
