"""Several names for one technique: who or which rule found that they mean the same, and why.

A planner may name a technique as it likes. A new name with the words of a known one goes by that one at once; names whose edits add much
the same code are listed, and merged by a person. Example::

    like_edits(database, text)       # (Alias("lane-reduce", "warp-reduction", "its edits add 78 % of the same code", …), …)
"""

from __future__ import annotations

from collections.abc import Callable

from assistant.cuda.edit_likeness import added, likeness
from assistant.errors import UsageError
from assistant.memory.database import Database
from assistant.record import Record

__all__ = ["BY_PERSON", "BY_RULE", "Alias", "add_alias", "aliases", "like_edits", "note_new_name", "remove_alias"]

BY_PERSON, BY_RULE = "person", "rule"
_LIKE = 0.6
"""Likeness of edits from which two names are listed as one technique (chosen; two techniques of the catalogue are at most half alike)."""
_MOST_EDITS = 3
_MOST_NAMES = 60
_FILLERS = frozenset(
    ("a", "an", "and", "the", "of", "to", "in", "on", "with", "via", "by", "using", "use", "add", "apply", "kernel", "one", "per")
)
"""Words of a technique's name that do not tell it from another."""


class Alias(Record):
    """A name and the technique that it means."""

    name: str
    technique: str
    reason: str
    made_by: str
    """`BY_PERSON` or `BY_RULE`."""
    made_ms: int


def aliases(database: Database) -> tuple[Alias, ...]:
    """In the order of their names."""
    return tuple(Alias(*row) for row in database.rows("select name, technique, reason, made_by, made_ms from aliases order by name"))


def add_alias(database: Database, alias: Alias) -> None:
    """From now on, and for all that is stored, ``name`` goes by the technique. Raises UsageError for a circle."""
    known = dict(database.rows("select name, technique from aliases"))
    technique = known.get(alias.technique, alias.technique)
    if technique == alias.name:
        raise UsageError(f"{alias.technique} goes by {alias.name} already", "kernelopt memory aliases lists all names")
    with database.transaction():
        database.execute("update aliases set technique = ? where technique = ?", (technique, alias.name))
        _insert(database, alias.name, technique, alias.reason, alias.made_by, alias.made_ms)


def remove_alias(database: Database, name: str) -> bool:
    """The name stands for itself again; False where it was no alias."""
    with database.transaction():
        return database.execute("delete from aliases where name = ?", (name,)) > 0


def note_new_name(database: Database, name: str, now_ms: int) -> None:
    """Of a technique's name that no row has yet: that it has the words of a known one. Inside a transaction."""
    if database.rows("select 1 from experience where technique = ? limit 1", (name,)):
        return
    if database.rows("select 1 from aliases where name = ?", (name,)):
        return
    words = _words(name)
    for (known,) in database.rows("select distinct technique from experience order by technique limit 500"):
        if words and _words(known) == words and known != name:
            found = database.row("select technique from aliases where name = ?", (known,))
            technique = known if found is None else found[0]
            _insert(database, name, technique, f"it has the words of {known}", BY_RULE, now_ms)
            return


def like_edits(database: Database, text: Callable[[str], str], now_ms: int) -> tuple[Alias, ...]:
    """Names whose edits add much the same code as those of a name that is in use longer; none of them is merged yet."""
    known = dict(database.rows("select name, technique from aliases"))
    names = database.rows(
        "select technique, min(created_ms) as first from experience where origin <> 'import' group by technique order by first limit ?",
        (_MOST_NAMES,),
    )
    edits = {name: _edits(database, name, text) for name, _ in names}
    found: list[Alias] = []
    merged: set[str] = set(known)
    order = [name for name, _ in names if name not in known]
    for index, name in enumerate(order):
        for later in order[index + 1 :]:
            if later in merged or name in merged:
                continue
            alike = max((likeness(a, b) for a in edits[name] for b in edits[later]), default=0.0)
            if alike >= _LIKE:
                merged.add(later)
                found.append(Alias(later, name, f"its edits add {alike:.0%} of the same code", BY_RULE, now_ms))
    return tuple(found)


def _edits(database: Database, name: str, text: Callable[[str], str]) -> list[frozenset[tuple[str, ...]]]:
    rows = database.rows(
        "select parent_blob, text_blob from attempts where technique = ? and record is not null and id in"
        " (select id from experience where technique = ? and is_right = 1) order by created_ms desc limit ?",
        (name, name, _MOST_EDITS),
    )
    return [added(text(before), text(after)) for before, after in rows]


def _insert(database: Database, name: str, technique: str, reason: str, made_by: str, now_ms: int) -> None:
    database.execute(
        "insert or replace into aliases (name, technique, reason, made_by, made_ms) values (?, ?, ?, ?, ?)",
        (name, technique, reason, made_by, now_ms),
    )


def _words(name: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in name.split("-") if word not in _FILLERS)
