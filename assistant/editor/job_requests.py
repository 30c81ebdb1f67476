"""What is filled in on a job's way to its lane: the program of its source, a person's answer on models, the text as it stands then.

Example::

    requests = JobRequests(documents, programs, parts)
    work = await requests.settled(work)      # in its program
    work = await requests.renewed(work)      # None: its source was closed meanwhile
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assistant.editor.lanes import Work
from assistant.editor.open_document import OpenDocument
from assistant.editor.open_programs import OpenPrograms
from assistant.editor.parts import EditorParts
from assistant.editor.tasks import Task, Verb
from assistant.engine import JobRequest
from assistant.model.program import FoundProgram

__all__ = ["SEARCHES", "JobRequests", "is_asked_by_person"]

SEARCHES = frozenset({Verb.OPTIMIZE, Verb.PAIR_SUGGEST})
"""Jobs that a language model may plan."""


class JobRequests:
    """The requests of an editor session."""

    def __init__(self, documents: Mapping[str, OpenDocument], programs: OpenPrograms, parts: EditorParts) -> None:
        self._documents = documents
        self._programs = programs
        self._parts = parts

    async def settled(self, work: Work) -> Work:
        """The work in the program of its source. Raises CannotAnswerError where a person who asked for it does not say which."""
        document = self._documents.get(work.key)
        if document is None:
            return work
        settle = self._programs.request if work.is_background else self._programs.settled_request
        return replace(work, task=replace(work.task, request=await settle(document, work.task.request)))

    async def renewed(self, work: Work) -> Work | None:
        """The work as it is to run: searches with the answer on models, background work on the current text."""
        if work.task.operator is not None:
            return work
        document = self._documents.get(work.key)
        if document is None:
            return None
        task = work.task
        if task.verb in SEARCHES:
            return replace(work, task=await self._with_models(document, task))
        if not work.is_background:
            return work
        request = replace(self._programs.alone(document), needs_kernels=task.request.needs_kernels)
        self.set_up(document)
        return replace(work, task=replace(task, request=self._programs.within(document, request, _program_of(task.request))))

    def set_up(self, document: OpenDocument) -> None:
        """Tell a source under which settings jobs work on it from now on."""
        request = self._programs.alone(document)
        document.set_up((request.target, request.device, request.cflags))

    async def _with_models(self, document: OpenDocument, task: Task) -> Task:
        """The task with the person's answer on using a language model."""
        options = replace(task.options, may_call_models=False)
        if self._parts.models is not None:
            settings = self._parts.settings_of(document.path)
            kernel_count = 1 if task.request.kernel else len(document.parsed.kernels)
            options = await self._parts.models.agreed(options, settings, document.path, kernel_count)
        return replace(task, options=options)


def is_asked_by_person(work: Work, key: str, task: Task) -> bool:
    """Whether a person asked for the same on that source before, whatever both get on their way to a lane."""
    return not work.is_background and work.key == key and _as_asked(work.task) == _as_asked(task)


def _as_asked(task: Task) -> Task:
    request = task.request
    own = tuple(given for given in request.texts if given[0] in (request.file, *request.edited))
    asked = replace(request, job_id=None, programs=None, working_directory=request.file.parent, texts=own)
    return replace(task, request=asked, options=replace(task.options, may_call_models=None))


def _program_of(request: JobRequest) -> FoundProgram | None:
    """That the job was admitted for."""
    return next(iter(request.programs.found), None) if request.programs is not None else None
