"""PyTorch tasks and candidates that are open: what is known of each, and the jobs that a person asks for.

Nothing runs in the background: a task is Python of the user's own, and one call of it may take long. What a job answered is kept in
memory, so that a server that starts later shows the same. Example::

    operators.put("file:///p/task.py", Path("/p/task.py"), text)
    job_id = await operators.ask("file:///p/task.py", Verb.PROFILE)
    operators.view("file:///p/task.py").breakdown
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from assistant.config import find_workspace
from assistant.editor.file_texts import text_on_disk
from assistant.editor.lanes import Work
from assistant.editor.operator_view import Answer, OperatorView, tasks_beside
from assistant.editor.parts import EditorParts
from assistant.editor.queues import Queues
from assistant.editor.tasks import OperatorTask, Task, Verb
from assistant.engine import JobRequest, event_from, event_json, new_id
from assistant.errors import KernelOptError, UsageError
from assistant.model.events import ComparisonMade, Event, JobEnded, OperatorsFound
from assistant.operators.outline import NOTHING, Outline, outline_of
from assistant.ports.store import AnalysisStore, StoredAnalysis
from assistant.serialize import DecodeError

__all__ = ["OpenOperators"]

_CPU = "cpu"
_KEPT = {Verb.PROFILE: "operator profile", Verb.CHECK: "operator check"}
"""Jobs whose answer is kept, and what memory calls it."""


class _OpenFile:
    """One open file: its text may be ahead of its outline while it is no Python."""

    def __init__(self, path: Path, text: str, outline: Outline) -> None:
        self.path = path
        self.text = text
        self.outline = outline
        self.tasks: tuple[Path, ...] = ()
        """What its candidate can be judged against."""
        self.chosen: Path | None = None
        """The one of several that a person named."""
        self.answers: dict[Verb, Answer] = {}


class OpenOperators:
    """Implements ``WorkListener`` for its own jobs."""

    def __init__(self, store: AnalysisStore, parts: EditorParts, queues: Queues) -> None:
        self._store = store
        self._parts = parts
        self._queues = queues
        self._files: dict[str, _OpenFile] = {}
        self._reported: dict[str, list[Event]] = {}
        """By job."""

    def put(self, key: str, path: Path, text: str, *, is_typed: bool = False) -> None:
        """A file was opened, typed in or saved; one that is neither task nor candidate is forgotten."""
        found, file = outline_of(path, text), self._files.get(key)
        if found is None:
            found = NOTHING if file is None else file.outline
        if found == NOTHING:
            self.remove(key)
            return
        if file is None or file.path != path:
            file = self._files[key] = _OpenFile(path, text, found)
            is_typed = False
        file.text, file.outline = text, found
        if not is_typed:
            self._look_beside(file)
            self._recall(file)

    def remove(self, key: str) -> None:
        """The file was closed: its jobs end."""
        if self._files.pop(key, None) is not None:
            self._queues.cancel_source(key)

    def is_open(self, key: str) -> bool:
        return key in self._files

    def view(self, key: str) -> OperatorView:
        """What to show of a file. Raises UsageError for one that is not open."""
        file = self._open(key)
        texts = {Verb.PROFILE: (file.text,), Verb.CHECK: (file.text, *self._texts_of(file))}
        return OperatorView(
            file.outline,
            file.path,
            file.answers.get(Verb.PROFILE),
            file.answers.get(Verb.CHECK),
            {verb: answer.texts_sha256 == _sha256(texts[verb]) for verb, answer in file.answers.items()},
            has_task=bool(file.tasks),
            waits_for_consent=self._queues.asks_about(key),
        )

    async def ask(self, key: str, verb: Verb) -> str:
        """Start a job that a person asked for; its id. Raises UsageError where it is not open, not trusted, or has no task."""
        file = self._open(key)
        self._parts.guard.demand_trust(file.path)
        about = await self._task_of(file) if verb is Verb.CHECK else file.path
        settings = self._parts.settings_of(about)
        request = JobRequest(
            about,
            about.parent,
            device=_CPU,
            target=settings.target,
            timeout_s=settings.run.timeout_s,
            texts=tuple((each.path, each.text) for each in self._files.values() if each.path in (about, file.path)),
        )
        task = Task(verb, request, operator=OperatorTask(file.path if verb is Verb.CHECK else None))
        known = next((work for work in self._queues.works if work.key == key and work.task.verb is verb), None)
        if known is not None:
            return known.id
        work = Work(new_id("J"), key, task, False, self)
        self._queues.submit(work)
        return work.id

    def look_again(self) -> None:
        """Trust changed: jobs that may no longer run are ended."""
        for key, file in self._files.items():
            if not self._parts.guard.is_trusted(file.path):
                self._queues.cancel_source(key, is_background_only=False)

    # --- what lanes report --------------------------------------------------------------------------------------------

    def waits_for_consent(self, work: Work) -> None:
        self._parts.listener.shown(work.key)

    def started(self, work: Work) -> None:
        self._reported[work.id] = []
        self._parts.listener.job_started(work)

    def reported(self, work: Work, event: Event) -> None:
        events = self._reported.setdefault(work.id, [])
        events.append(event)
        file = self._files.get(work.key)
        if isinstance(event, JobEnded) and file is not None and work.task.verb in _KEPT:
            self._take(file, work.task, events)
            self._parts.listener.shown(work.key)
        self._parts.listener.job_reported(work, event)

    def waits(self, work: Work, reason: str) -> None:
        self._parts.listener.job_waits(work, reason)

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        self._reported.pop(work.id, None)
        self._parts.listener.job_ended(work, refusal, is_cancelled)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _open(self, key: str) -> _OpenFile:
        file = self._files.get(key)
        if file is None:
            raise UsageError(f"{key} is no open PyTorch task", "docs/how-to/operators.md says what a task is")
        return file

    def _look_beside(self, file: _OpenFile) -> None:
        if file.outline.candidate is not None:
            file.tasks = (file.path,) if file.outline.reference is not None else tasks_beside(file.path)
            file.chosen = file.chosen if file.chosen in file.tasks else None

    async def _task_of(self, file: _OpenFile) -> Path:
        """The file with the reference; where several could be meant, the person is asked."""
        known = file.chosen or (file.tasks[0] if len(file.tasks) == 1 else None)
        if known is not None:
            return known
        names = {path.name: path for path in file.tasks}
        ask = self._parts.ask_program
        answer = None if ask is None or not names else await ask(f"Which task is {file.path.name} a candidate for?", tuple(names))
        if answer is None:
            raise UsageError(f"no task is known for {file.path.name}", "keep it in the folder of its task, or in the same file")
        file.chosen = names[answer]
        return file.chosen

    def _texts_of(self, file: _OpenFile) -> Iterable[str]:
        """The text of the task that its candidate is judged against, as it is now."""
        path = file.chosen or (file.tasks[0] if len(file.tasks) == 1 else None)
        if path is None or path == file.path:
            return ()
        known = next((each.text for each in self._files.values() if each.path == path), None)
        return (text_on_disk(path) if known is None else known,)

    def _take(self, file: _OpenFile, task: Task, events: Sequence[Event]) -> None:
        answer = _answer(task, _texts_sha256(task), events)
        if answer is None:
            return
        file.answers[task.verb] = answer
        kept = StoredAnalysis(_KEPT[task.verb], answer.texts_sha256, tuple(map(event_json, events)))
        self._store.keep_analysis(find_workspace(file.path), file.path, kept, time.time_ns() // 1_000_000)

    def _recall(self, file: _OpenFile) -> None:
        """Take over what memory has on the file, unless something is known already."""
        verbs = {name: verb for verb, name in _KEPT.items()}
        for analysis in self._store.analyses(file.path):
            verb = verbs.get(analysis.command)
            if verb is None or verb in file.answers:
                continue
            try:
                events = [event_from(json.loads(line)) for line in analysis.events]
            except (DecodeError, ValueError):
                continue  # written by another version: it is asked for again
            answer = _answer(Task(verb, JobRequest(file.path, file.path.parent)), analysis.text_sha256, events)
            if answer is not None:
                file.answers[verb] = answer


def _answer(task: Task, texts_sha256: str, events: Sequence[Event]) -> Answer | None:
    """None where the job had none: what is known from before stays."""
    kind = OperatorsFound if task.verb is Verb.PROFILE else ComparisonMade
    found = next((event for event in reversed(events) if isinstance(event, kind)), None)
    return None if found is None else Answer(found, texts_sha256)


def _texts_sha256(task: Task) -> str:
    """Of the file that was asked about, and of its task where that is another one."""
    candidate = None if task.operator is None else task.operator.candidate
    if candidate is None or candidate == task.request.file:
        return _sha256((task.text,))
    return _sha256((task.text_of(candidate), task.text))


def _sha256(texts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
