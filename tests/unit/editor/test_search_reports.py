"""A search's own profile of the code is shown; where that is known already, an edit on the way does not make less of it."""

from __future__ import annotations

from pathlib import Path

from assistant.editor.lanes import Work
from assistant.editor.open_document import OpenDocument
from assistant.editor.open_documents import OpenDocuments
from assistant.editor.search_reports import SearchReports
from assistant.editor.sharing import AnswerSharing
from assistant.editor.tasks import Task, Verb
from assistant.engine.request import JobRequest
from assistant.model.events import CandidateTried, Event, FindingsFound, JobEnded, JobStarted, ProfileSummary, StageEnded
from assistant.model.trial import TrialOutcome
from assistant.ports.store import StoredAnalysis

_FILE = Path("/w/k.cu")
_TEXT = "__global__ void k(float *x) { x[0] = 1.0f; }\n__global__ void other(float *x) { x[0] = 1.0f; }\n"
_SUMMARIES = tuple(ProfileSummary("J", key, key, (1, 1, 1), (32, 1, 1), 0, 1, "l2", 1e-6) for key in ("k(float *)", "other(float *)"))
_BEGUN = (JobStarted("J2", "optimize", str(_FILE), "emulator", "cpu"), FindingsFound("J2", "k(float *)", (), ()))
_TRIED = CandidateTried("J2", "C1", "t", "k(float *)", TrialOutcome.FAILED, "", None)


class _Kept:
    """Stands for memory."""

    def analyses(self, path: Path) -> tuple[StoredAnalysis, ...]:
        del path
        return ()

    def keep_analysis(self, workspace: Path, path: Path, analysis: StoredAnalysis, now_ms: int) -> None: ...


class _Unheard:
    def waits_for_consent(self, work: Work) -> None: ...

    def started(self, work: Work) -> None: ...

    def reported(self, work: Work, event: Event) -> None: ...

    def waits(self, work: Work, reason: str) -> None: ...

    def ended(self, work: Work, refusal: object, is_cancelled: bool) -> None: ...


class _Searching:
    """A search on ``k`` of an open source."""

    def __init__(self) -> None:
        self.document = OpenDocument("file:///w/k.cu", _FILE, _TEXT)
        documents = OpenDocuments()
        documents[self.document.key] = self.document
        answers = AnswerSharing(_Kept(), documents, lambda key, verb: None, lambda key: None)
        self._reports = SearchReports(answers, lambda key, verb: None, lambda key: None)
        request = JobRequest(_FILE, _FILE.parent, texts=((_FILE, _TEXT),), kernel="k(float *)")
        self._work = Work("J2", self.document.key, Task(Verb.OPTIMIZE, request), False, _Unheard())

    def profiled(self) -> None:
        whole = Task(Verb.PROFILE, JobRequest(_FILE, _FILE.parent, texts=((_FILE, _TEXT),)))
        for event in (*_SUMMARIES, JobEnded("J1", 0, "")):
            self.document.collect("J1", whole, event)

    def hears(self, *events: Event) -> None:
        for event in events:
            self._reports.heard(self.document, self._work, event)

    def typed(self, text: str) -> None:
        self.document.text = text
        self.document.reparse()

    def profiled_count(self) -> int:
        return sum(bool(kernel.launches) for kernel in self.document.view.kernels)


def test_an_edit_that_is_undone_while_a_search_goes_on_leaves_what_was_counted() -> None:
    searching = _Searching()
    searching.profiled()
    searching.document.begin("J2")
    searching.hears(*_BEGUN)
    searching.typed(_TEXT.replace("= 1.0f", "= ", 1))
    searching.hears(_TRIED, JobEnded("J2", 0, "no edit found: 1 edit tried, not faster"))
    searching.typed(_TEXT)
    assert searching.profiled_count() == 2 and searching.document.has_answer(Verb.PROFILE.value)


def test_the_profile_of_a_search_is_shown_where_there_was_none() -> None:
    searching = _Searching()
    searching.document.begin("J2")
    searching.hears(*_BEGUN, _SUMMARIES[0], StageEnded("J2", "profile", "", 1.0))
    assert searching.profiled_count() == 1
