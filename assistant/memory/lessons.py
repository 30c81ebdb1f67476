"""Lessons on techniques in the memory file: learnt, kept, shown next to the text of before, reverted.

Example::

    learn(database, rows, edits, now_ms)       # (Learnt(lesson, is_kept), …)
    kept_lessons(database)                     # the newest on kernels and on edits of each technique
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace

from assistant import serialize
from assistant.memory.database import Database
from assistant.memory.experience_rows import Known
from assistant.memory.lesson_questions import condition_of
from assistant.memory.playbooks import Lesson, learnt
from assistant.memory.writing import Edit, learnt_writing
from assistant.model.lesson import LessonDraft
from assistant.record import Record

__all__ = ["KeptLesson", "Learnt", "all_lessons", "consider", "drop_forgotten", "id_of", "kept_lessons", "learn", "revert"]

_KEPT, _REVERTED = "kept", "reverted"
_MOST_TECHNIQUES = 64


class Learnt(Record):
    """What came of one technique."""

    lesson: Lesson
    before: Lesson | None
    """What was kept before."""
    is_kept: bool


class KeptLesson(Record):
    """A lesson as it lies in memory."""

    id: str
    lesson: Lesson
    is_reverted: bool
    created_ms: int


def learn(
    database: Database,
    rows: Iterable[Known],
    edits: Callable[[str], Edit | None],
    now_ms: int,
    *,
    is_trial: bool = False,
    assumed: Iterable[Lesson] = (),
) -> tuple[Learnt, ...]:
    """Learn from the rows, on which kernels each technique paid and how its edits were written; what predicts better on kernels held out
    is kept.

    Nothing is kept where it only is a trial, nor what a person reverted as it is. ``edits``: what the trial of an id added; ``assumed``:
    lessons to be beaten that are not kept yet.
    """
    by_technique: dict[str, list[Known]] = {}
    for row in rows:
        by_technique.setdefault(row.technique, []).append(row)
    kept = {(lesson.technique, lesson.condition.is_of_edits): lesson for lesson in (*kept_lessons(database), *assumed)}
    found: list[Learnt] = []
    for technique in sorted(by_technique)[:_MOST_TECHNIQUES]:
        before = kept.get((technique, False)), kept.get((technique, True))
        lessons = (
            learnt(technique, by_technique[technique], before[0]),
            learnt_writing(technique, by_technique[technique], edits, before[1]),
        )
        for lesson, old in zip(lessons, before, strict=True):
            if lesson is None or (old is not None and lesson.statements == old.statements):
                continue
            is_kept = lesson.score.is_better and not _is_known(database, lesson)
            if is_kept and not is_trial:
                _add(database, lesson, now_ms)
            found.append(Learnt(lesson, old, is_kept))
    return tuple(found)


def consider(
    database: Database,
    rows: Iterable[Known],
    edits: Callable[[str], Edit | None],
    draft: LessonDraft,
    now_ms: int,
    *,
    is_trial: bool = False,
) -> Learnt | None:
    """Hold a model's condition against the trials as rules' are; None where it is none, or has too few trials on a side."""
    condition = condition_of(draft)
    if condition is None:
        return None
    own = [row for row in rows if row.technique == draft.technique]
    is_of_edits = condition.is_of_edits
    before = next(
        (one for one in kept_lessons(database) if (one.technique, one.condition.is_of_edits) == (draft.technique, is_of_edits)), None
    )
    lesson = (
        learnt_writing(draft.technique, own, edits, before, condition) if is_of_edits else learnt(draft.technique, own, before, condition)
    )
    if lesson is None:
        return None
    lesson = replace(lesson, prose=draft.prose, model=draft.model)
    is_kept = lesson.score.is_better and not _is_known(database, lesson)
    if is_kept and not is_trial:
        _add(database, lesson, now_ms)
    return Learnt(lesson, before, is_kept)


def kept_lessons(database: Database) -> tuple[Lesson, ...]:
    """The newest of each technique on kernels, and on edits, that was not reverted; by technique."""
    newest = {
        (each.lesson.technique, each.lesson.condition.is_of_edits): each.lesson
        for each in reversed(all_lessons(database))
        if not each.is_reverted
    }
    return tuple(lesson for _, lesson in sorted(newest.items(), key=lambda item: item[0]))


def all_lessons(database: Database) -> tuple[KeptLesson, ...]:
    """Newest first."""
    found = database.rows("select id, record, state, created_ms from lessons order by created_ms desc, rowid desc")
    return tuple(KeptLesson(row[0], serialize.loads(Lesson, row[1]), row[2] == _REVERTED, row[3]) for row in found)


def revert(database: Database, name: str) -> KeptLesson | None:
    """Take back the newest lesson of a technique, or the one of that id; the one before it counts again. None where there is none."""
    found = next((each for each in all_lessons(database) if name in (each.id, each.lesson.technique) and not each.is_reverted), None)
    if found is not None:
        with database.transaction():
            database.execute("update lessons set state = ? where id = ?", (_REVERTED, found.id))
    return found


def drop_forgotten(database: Database) -> None:
    """Lessons of which a row was forgotten; inside a transaction."""
    ids = {row_id for (row_id,) in database.rows("select id from experience")}
    for each in all_lessons(database):
        if not ids.issuperset((*each.lesson.rows, *each.lesson.held_out)):
            database.execute("delete from lessons where id = ?", (each.id,))


def _is_known(database: Database, lesson: Lesson) -> bool:
    return bool(database.rows("select 1 from lessons where id = ?", (id_of(lesson),)))


def _add(database: Database, lesson: Lesson, now_ms: int) -> None:
    with database.transaction():
        database.execute(
            "insert into lessons (id, technique, record, state, created_ms) values (?, ?, ?, ?, ?)",
            (id_of(lesson), lesson.technique, serialize.dumps(lesson), _KEPT, now_ms),
        )


def id_of(lesson: Lesson) -> str:
    """Of what it says and what it rests on."""
    text = "\0".join((lesson.technique, *lesson.statements, *lesson.prose, *lesson.rows))
    return f"L{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:10].upper()}"
