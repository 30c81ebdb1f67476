"""Gives what a job says of several files to the sources that it is about, and keeps the answers in memory.

Example::

    answers = AnswerSharing(store, documents, queues.cancel_waiting, listener.shown)
    answers.share(document, task, reported)     # other open sources of the program show it as well
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from assistant.config import find_workspace
from assistant.editor.open_document import OpenDocument
from assistant.editor.open_documents import OpenDocuments
from assistant.editor.shared_answers import of_file
from assistant.editor.tasks import Task, Verb
from assistant.editor.unopened import UnopenedFiles
from assistant.model.events import Event
from assistant.ports.store import AnalysisStore

__all__ = ["AnswerSharing"]


class AnswerSharing:
    """For the open sources of an editor session."""

    def __init__(
        self, store: AnalysisStore, documents: OpenDocuments, cancel_waiting: Callable[[str, Verb], None], shown: Callable[[str], None]
    ) -> None:
        """``cancel_waiting``: ends what waits on a source for an answer that it has by now; ``shown``: a source shows something else."""
        self.unopened = UnopenedFiles()
        self._store = store
        self._documents = documents
        self._cancel_waiting = cancel_waiting
        self._shown = shown

    def keep(self, document: OpenDocument, verb: Verb) -> None:
        """Store the answer that the source has, for front ends that start later."""
        now_ms = time.time_ns() // 1_000_000
        self._store.keep_analysis(find_workspace(document.path), document.path, document.stored(verb.value), now_ms)

    def share(self, document: OpenDocument, task: Task, reported: Sequence[Event]) -> None:
        """Show what a job on one file says of others of its program where those are open; what they wait for is not asked again."""
        for other in self._taken_by(document, task, reported):
            if other.has_answer(task.verb.value):
                self.keep(other, task.verb)
                self._cancel_waiting(other.key, task.verb)
            self._shown(other.key)
        if self.unopened.take(document.key, task, reported, lambda path: self._documents.key_of(path) is not None):
            self._shown(document.key)

    def _taken_by(self, document: OpenDocument, task: Task, reported: Sequence[Event]) -> Iterator[OpenDocument]:
        """Other sources of the same program whose text the job saw, as they take what it ``reported`` of them; none of a job on one
        kernel."""
        if not reported or task.request.kernel is not None:
            return
        for other in tuple(self._documents.values()):
            text = task.request.text_of(other.path)
            if other is document or text is None or not other.is_run_as(document):
                continue
            if other.take(task.verb.value, text, of_file(reported, other.path)):
                yield other
