"""Filling and reading the table of experience for an open memory file: rows of new attempts, of those before the table was, of imports.

Example::

    learned = Learned(database, text)
    learned.add(json.loads(record))          # inside the transaction that adds the attempt
    learned.recall(query)
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.cuda.family import traits_of
from assistant.cuda.parse import parse
from assistant.errors import MemoryFileError, UsageError
from assistant.memory import aliases, chains, experience_rows, lessons
from assistant.memory.aliases import Alias
from assistant.memory.chains import Composite
from assistant.memory.database import Database, Row
from assistant.memory.exchange import Import, experience_of_import, learned_lines, read_import
from assistant.memory.experience import Judgement, experience_of, unknown_traits
from assistant.memory.knowledge import derive
from assistant.memory.lesson_questions import question_of
from assistant.memory.lessons import KeptLesson, Learnt
from assistant.memory.nearest_edit import shown_diff
from assistant.memory.playbooks import Lesson
from assistant.memory.recall import recall
from assistant.memory.writing import Edit, edit_of
from assistant.model.experience import UNKNOWN, KernelTraits, RecallQuery, TechniqueEvidence, device_class
from assistant.model.knowledge import Knowledge, KnownLesson, KnownSequence, WhatWasLearned
from assistant.model.lesson import LessonDraft, LessonQuestion
from assistant.model.profile import Signature
from assistant.model.proposal import DecisionKind
from assistant.model.source import Source
from assistant.serialize import decode

__all__ = ["Learned"]

_JUDGEMENTS = 500
"""Newest decided proposals looked at."""
_MOST_PARSED = 3_000
"""Different kernels of older attempts whose text is read for their traits; those before them have none."""
_STATEMENTS = 3
"""Of a lesson that go with the evidence."""
_WRITING_STATEMENTS = 2
"""Likewise, of a lesson on how its edits are written."""
_OPINIONS = 3
"""Sentences of a model's."""
_MOST_QUESTIONS = 16
"""Techniques that a model is asked about."""
_LEARNED = "learned from trials: "
_DIFFS = 2
"""Techniques, best first, whose nearest edit is shown."""
_FILLED, _CHAINED = "experience_filled", "chains_filled"


class Learned:
    """The table of experience of one memory file."""

    def __init__(self, database: Database, text: Callable[[str], str]) -> None:
        """``text``: a stored text by its hash."""
        self._database = database
        self._text = text

    def fill(self) -> None:
        """Rows of what was kept before there were these tables, once."""
        self._fill_rows()
        self._fill_chains()

    def _fill_chains(self) -> None:
        database = self._database
        if database.row("select value from meta where key = ?", (_CHAINED,)) is not None:
            return
        with database.transaction():
            for (record,) in database.rows("select record from attempts where record is not null order by created_ms, rowid"):
                data = json.loads(record)
                if data.get("use", {}).get("after"):
                    chains.note(database, data, experience_of(data, unknown_traits))
            database.execute("insert or replace into meta (key, value) values (?, '1')", (_CHAINED,))

    def _fill_rows(self) -> None:
        database = self._database
        if database.row("select value from meta where key = ?", (_FILLED,)) is not None:
            return
        with database.transaction():
            if database.row("select value from meta where key = ?", (_FILLED,)) is not None:
                return
            traits = _OlderTraits(self._text)
            for (record,) in database.rows("select record from attempts where record is not null order by created_ms desc, rowid desc"):
                experience_rows.add(database, experience_of(json.loads(record), traits))
            for judgement, job in self._judgements():
                experience_rows.note_decision(database, job, judgement.kernel, judgement.techniques, judgement.kind.value)
            database.execute("insert into meta (key, value) values (?, '1')", (_FILLED,))

    def add(self, data: dict[str, Any]) -> None:
        """The row of an attempt's record; inside the transaction that adds it."""
        aliases.note_new_name(self._database, data["technique"], data["created_ms"])
        row = experience_of(data, unknown_traits)
        experience_rows.add(self._database, row)
        chains.note(self._database, data, row)

    def recall(self, query: RecallQuery) -> tuple[TechniqueEvidence, ...]:
        """What is known, best first; the first techniques with the edit of the nearest kernel of this workspace."""
        names = {alias.name: alias.technique for alias in aliases.aliases(self._database)}
        judgements = (_named(judgement, names) for judgement, _ in self._judgements())
        together, dropped = chains.rows_of_composites(self._database, names)
        rows = (*experience_rows.rows_like(self._database, query), *together)
        found = tuple(evidence for evidence in recall(query, rows, judgements) if evidence.technique not in dropped)
        found = self._with_lessons(found)
        with_diff = [evidence.technique for evidence in found if evidence.nearest][:_DIFFS]
        return tuple(self._with_diff(evidence) if evidence.technique in with_diff else evidence for evidence in found)

    def knowledge(self) -> tuple[Knowledge, ...]:
        """What was learnt, by state and technique."""
        return derive(experience_rows.all_rows(self._database), (judgement for judgement, _ in self._judgements()))

    def everything(self) -> WhatWasLearned:
        """All that was learnt, for a page."""
        return WhatWasLearned(
            self.knowledge(),
            tuple(KnownSequence(each.name, each.sentence, each.rows, each.is_dropped) for each in self.composites()),
            tuple(
                KnownLesson(lessons.id_of(each), each.technique, (*each.statements, *each.opinions), each.rows)
                for each in lessons.kept_lessons(self._database)
            ),
        )

    def composites(self) -> tuple[Composite, ...]:
        """Sequences that paid as one, those that a person dropped included."""
        names = {alias.name: alias.technique for alias in aliases.aliases(self._database)}
        return chains.composites(self._database, names)

    def drop_composite(self, techniques: str, now_ms: int) -> bool:
        """Offer it no more; False where none of that name is known."""
        return chains.drop(self._database, techniques, now_ms)

    def take_back_composite(self, techniques: str) -> bool:
        return chains.take_back(self._database, techniques)

    def learn(self, now_ms: int, *, is_trial: bool = False, assumed: Iterable[Lesson] = ()) -> tuple[Learnt, ...]:
        """What the trials teach of each technique, and whether it is kept; ``assumed`` lessons have to be beaten as kept ones have."""
        rows = experience_rows.all_rows(self._database)
        return lessons.learn(self._database, rows, functools.cache(self._edit), now_ms, is_trial=is_trial, assumed=assumed)

    def questions(self) -> tuple[LessonQuestion, ...]:
        """What a model may be asked about, by technique: those with enough trials."""
        rows, edits, kept = (
            tuple(experience_rows.all_rows(self._database)),
            functools.cache(self._edit),
            lessons.kept_lessons(self._database),
        )
        found = (question_of(technique, rows, edits, kept) for technique in sorted({row.technique for row in rows}))
        return tuple(question for question in found if question is not None)[:_MOST_QUESTIONS]

    def consider(self, draft: LessonDraft, now_ms: int, *, is_trial: bool = False) -> Learnt | None:
        """What a model proposes, and whether it is kept; None where its condition is none."""
        rows = experience_rows.all_rows(self._database)
        return lessons.consider(self._database, rows, functools.cache(self._edit), draft, now_ms, is_trial=is_trial)

    def edit_to_go_by(self, lesson: Lesson) -> str:
        """The edit of a lesson's example as a short diff; empty where there is none, or its text is gone."""
        texts = self._texts(lesson.example)
        return "" if texts is None else shown_diff(*texts)

    def lessons(self) -> tuple[KeptLesson, ...]:
        """Newest first, reverted ones included."""
        return lessons.all_lessons(self._database)

    def revert_lesson(self, name: str) -> KeptLesson | None:
        """The newest of a technique, or the one of that id; None where there is none."""
        return lessons.revert(self._database, name)

    def lines(self) -> Iterable[str]:
        """Experience as JSON lines, without source, paths, kernels' names or reasons."""
        return learned_lines(experience_rows.all_rows(self._database))

    def import_lines(self, lines: Iterable[str], now_ms: int, chain: Callable[[str, str, str], None]) -> Import:
        """Keep what of an export can be taken; raises UsageError where nothing can, or where it is here already."""
        found = read_import(lines, now_ms)
        if not found.rows:
            raise UsageError("the file holds no experience", "kernelopt memory export --learned writes such a file")
        with self._database.transaction():
            if self._database.rows("select 1 from imports where id = ?", (found.id,)):
                raise UsageError(f"{found.id} was imported already", "kernelopt memory show lists what was learned")
            self._database.execute("insert into imports (id, record) values (?, ?)", (found.id, found.record))
            chain("import", found.id, found.record)
            for number, row in enumerate(found.rows, 1):
                experience_rows.add(self._database, experience_of_import(found.id, number, row))
        return found

    def aliases(self) -> tuple[Alias, ...]:
        return aliases.aliases(self._database)

    def like_names(self, now_ms: int) -> tuple[Alias, ...]:
        """Names whose edits are alike, and that are not merged."""
        return aliases.like_edits(self._database, self._text, now_ms)

    def merge(self, alias: Alias) -> None:
        aliases.add_alias(self._database, alias)

    def part(self, name: str) -> bool:
        return aliases.remove_alias(self._database, name)

    def note_decision(self, proposal: str, kind: DecisionKind) -> None:
        """In the rows of the attempts that led to the proposal; inside the transaction that adds the decision."""
        row = self._database.row("select record from proposals where id = ? and record is not null", (proposal,))
        if row is not None:
            data = json.loads(row[0])
            standing = "" if kind is DecisionKind.REOPENED else kind.value
            experience_rows.note_decision(self._database, data["job"], data["kernel"], tuple(data["techniques"]), standing)

    def _with_lessons(self, found: tuple[TechniqueEvidence, ...]) -> tuple[TechniqueEvidence, ...]:
        """With what was learnt of each technique behind its evidence."""
        said: dict[str, list[str]] = {}
        for lesson in lessons.kept_lessons(self._database):
            count = _WRITING_STATEMENTS if lesson.condition.is_of_edits else _STATEMENTS
            sentences = (*(f"{_LEARNED}{text}" for text in lesson.statements[:count]), *lesson.opinions[:_OPINIONS])
            said.setdefault(lesson.technique, []).extend(sentences)
        return tuple(replace(each, sentences=(*each.sentences, *said.get(each.technique, ()))) for each in found)

    def _with_diff(self, evidence: TechniqueEvidence) -> TechniqueEvidence:
        texts = self._texts(evidence.nearest)
        return evidence if texts is None else replace(evidence, diff=shown_diff(*texts))

    def _edit(self, attempt: str) -> Edit | None:
        texts = self._texts(attempt)
        return None if texts is None else edit_of(*texts)

    def _texts(self, attempt: str) -> tuple[str, str] | None:
        """(before, after) of its own file; None where they are not kept."""
        row = self._database.row("select parent_blob, text_blob from attempts where id = ? and record is not null", (attempt,))
        if row is None:
            return None
        try:
            return self._text(row[0]), self._text(row[1])
        except MemoryFileError:
            return None

    def _judgements(self) -> list[tuple[Judgement, str]]:
        """(the last decision on a proposal, the proposal's job), newest first; none of a rejection that was taken back."""
        found = self._database.rows(
            "select p.record, d.record, (select json_array(json_extract(a.record, '$.lab'), json_extract(a.record, '$.device'),"
            " json_extract(a.record, '$.target')) from attempts a where a.job = p.job limit 1)"
            " from decisions d join proposals p on p.id = d.proposal"
            " where d.record is not null and p.record is not null"
            " and d.id = (select max(id) from decisions where proposal = p.id) and json_extract(d.record, '$.kind') <> ?1"
            " order by d.id desc limit ?2",
            (DecisionKind.REOPENED.value, _JUDGEMENTS),
        )
        return [_judgement(row) for row in found]


class _OlderTraits:
    """Of records without them, from their texts; each kernel of each text is read once."""

    def __init__(self, text: Callable[[str], str]) -> None:
        self._text = text
        self._known: dict[tuple[str, str], KernelTraits] = {}

    def __call__(self, data: dict[str, Any]) -> KernelTraits:
        key = (data["parent_text"], data["kernel"])
        if key not in self._known:
            self._known[key] = self._read(data) if len(self._known) < _MOST_PARSED else KernelTraits(UNKNOWN, UNKNOWN)
        return self._known[key]

    def _read(self, data: dict[str, Any]) -> KernelTraits:
        try:
            parsed = parse(Source(Path(data["path"]), self._text(data["parent_text"])))
        except MemoryFileError:
            return KernelTraits(UNKNOWN, UNKNOWN)
        kernel = next((kernel for kernel in parsed.kernels if kernel.key == data["kernel"]), None)
        return KernelTraits(UNKNOWN, UNKNOWN) if kernel is None else traits_of(parsed.source.text, kernel)


def _named(judgement: Judgement, names: dict[str, str]) -> Judgement:
    """With the names that techniques go by."""
    return replace(judgement, techniques=tuple(dict.fromkeys(names.get(name, name) for name in judgement.techniques)))


def _judgement(row: Row) -> tuple[Judgement, str]:
    proposal, decision = json.loads(row[0]), json.loads(row[1])
    judgement = Judgement(
        techniques=tuple(proposal["techniques"]),
        workspace=Path(proposal["workspace"]),
        kernel=proposal["kernel"],
        signature=decode(Signature, proposal["signature"]),
        kind=DecisionKind(decision["kind"]),
        reason_code=decision["reason_code"],
        reason=decision["reason"],
        device_class=None if row[2] is None else device_class(*json.loads(row[2])),
        decided_ms=decision["decided_ms"],
    )
    return judgement, proposal["job"]
