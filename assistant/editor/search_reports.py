"""What a search says while it goes on: how far it is, and before that the profile of the code as it was, which then needs no job.

Example::

    reports = SearchReports(answers, queues.cancel_waiting, listener.shown)
    reports.heard(document, work, event)      # each event of an ``optimize`` job
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.editor.lanes import Work
from assistant.editor.open_document import OpenDocument
from assistant.editor.sharing import AnswerSharing
from assistant.editor.tasks import Verb
from assistant.model.events import Event, JobEnded, StageEnded

__all__ = ["SearchReports"]


class SearchReports:
    """Of the searches of an editor session."""

    def __init__(self, answers: AnswerSharing, cancel_waiting: Callable[[str, Verb], None], shown: Callable[[str], None]) -> None:
        """``cancel_waiting``: ends what waits on a source for an answer that it has by now; ``shown``: a source shows something else."""
        self._answers = answers
        self._cancel_waiting = cancel_waiting
        self._shown = shown

    def heard(self, document: OpenDocument, work: Work, event: Event) -> None:
        if document.searched(work.id, work.task, event):
            self._shown(document.key)
        if document.has_answer(Verb.PROFILE.value):
            document.leave(work.id)
        elif document.follows(work.id):
            self._follow_profile(document, work, event)

    def _follow_profile(self, document: OpenDocument, work: Work, event: Event) -> None:
        """Take what comes before the end of the stage ``profile`` as a profile's answer."""
        task = replace(work.task, verb=Verb.PROFILE)
        if not (isinstance(event, StageEnded) and event.stage == Verb.PROFILE):
            document.collect(work.id, task, event)
            return
        reported = (*document.heard(work.id), JobEnded(work.id, 0, ""))
        document.take_profile(work.id, task)
        self._answers.keep(document, Verb.PROFILE)
        if document.has_answer(Verb.PROFILE.value):
            self._cancel_waiting(document.key, Verb.PROFILE)
        self._shown(document.key)
        self._answers.share(document, task, reported)
