"""Gives what a job says of several files to the open sources that it is about.

Example::

    for other in taken_by(documents, document, task, reported): ...     # sources that show something else now
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assistant.editor.open_document import OpenDocument
from assistant.editor.shared_answers import of_file
from assistant.editor.tasks import Task
from assistant.model.events import Event

__all__ = ["taken_by"]


def taken_by(documents: Iterable[OpenDocument], document: OpenDocument, task: Task, reported: Sequence[Event]) -> Iterator[OpenDocument]:
    """Other sources of the same program whose text the job saw, as they take what it ``reported`` of them; none of a job on one kernel."""
    if not reported or task.request.kernel is not None:
        return
    for other in tuple(documents):
        text = task.request.text_of(other.path)
        if other is document or text is None or not other.is_run_as(document):
            continue
        if other.take(task.verb.value, text, of_file(reported, other.path)):
            yield other
