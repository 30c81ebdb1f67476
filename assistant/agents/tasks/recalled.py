"""What memory knows for the file as it stands: techniques that were tried on kernels like it, and techniques that its findings call for.

Sources, names and reasons of other workspaces are never shown, only techniques and what came of them. Example::

    found = await recalled(session, kept, text, "", on_progress)
    found.techniques[0].technique       # "shared-tile"
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.agents.tasks.jobs import OnProgress, listened, request_of
from assistant.agents.tasks.running import in_program
from assistant.agents.tasks.store import KeptTask
from assistant.agents.tasks.task import TaskKind
from assistant.engine import DONE, Ending, Job, OptimizeOptions, Session, SourceVersion
from assistant.engine.evaluate import Evaluation, KernelAssessment, costliest, evaluate
from assistant.engine.search import NOTHING_EARLIER, PlanRequests, SearchNode
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.experience import TechniqueEvidence
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["KnownTechnique", "Recalled", "recalled"]

_MOST_TECHNIQUES = 12


class KnownTechnique(Record):
    """One technique."""

    technique: str
    title: str
    known: str
    """What came of it on kernels like this one; empty where it was not tried."""
    answers: tuple[str, ...]
    """Findings of the file as it stands that it answers (``KO101 line 12``)."""


class Recalled(Record):
    """The answer."""

    answer: str
    techniques: tuple[KnownTechnique, ...] = ()
    page: str = ""
    """Text of the technique that was asked about."""


async def recalled(session: Session, kept: KeptTask, text: str, topic: str, on_progress: OnProgress) -> Recalled:
    """Of the kernel that costs most. Raises UsageError for a topic that is no technique."""
    catalogue = session.catalogue
    page = _page(catalogue, topic)
    if kept.task.kind is TaskKind.OPERATOR:
        return _pages(catalogue, topic, page)
    found: list[Recalled] = []

    async def body(job: Job, before: SourceVersion, after: SourceVersion) -> Ending:
        evaluation = await evaluate(job, after)
        if isinstance(evaluation, LabFailure):
            return job.failed(evaluation)
        found.append(_known(session, kept, job, evaluation))
        return Ending(DONE, "memory was asked")

    log = await listened(in_program(session, kept, text, "profile", body, lambda _: None), on_progress)
    if not found:
        ended = next((event for event in log if isinstance(event, events.JobEnded)), None)
        return Recalled("the file could not be run" if ended is None else ended.reason, page=page)
    answer = found[0]
    if not topic:
        return answer
    wanted = tuple(known for known in answer.techniques if known.technique == topic)
    sentence = wanted[0].known if wanted and wanted[0].known else f"nothing was tried of {topic} on kernels like this one"
    return Recalled(sentence, wanted, page)


def _pages(catalogue: Catalogue, topic: str, page: str) -> Recalled:
    """Of a PyTorch task: memory compares kernels, and its reference has none."""
    if topic:
        return Recalled(f"the page of {topic}; memory compares kernels, and the reference has none", page=page)
    known = tuple(KnownTechnique(each.id, each.title, "", ()) for each in catalogue)
    return Recalled("memory compares kernels, and the reference has none; these techniques have a page: ask with a name", known)


def _page(catalogue: Catalogue, topic: str) -> str:
    if not topic:
        return ""
    technique = catalogue.get(topic)
    if technique is None:
        raise UsageError(f"there is no technique {topic!r}", "ask without one: the answer names them")
    return f"# {technique.title}\n\n{technique.text}"


def _known(session: Session, kept: KeptTask, job: Job, evaluation: Evaluation) -> Recalled:
    kernels = evaluation.assessment.kernels
    if not kernels:
        return Recalled("no kernel was launched, so that memory has nothing to compare")
    main = costliest(kernels)
    workspace = request_of(kept).file.parent
    requests = PlanRequests(job, OptimizeOptions(), session.store, session.catalogue, workspace, NOTHING_EARLIER)
    evidence = session.store.recall(requests.query(SearchNode(evaluation), main))
    techniques = _techniques(session.catalogue, evidence, _codes(kernels))
    tried = sum(bool(known.known) for known in techniques)
    about = f"{main.kernel.qualified_name}, which costs most"
    return Recalled(f"{tried} techniques were tried on kernels like {about}; {len(techniques)} are worth a look", techniques)


def _codes(kernels: Iterable[KernelAssessment]) -> dict[str, list[str]]:
    """Findings by code, with their lines."""
    found: dict[str, list[str]] = {}
    for item in kernels:
        for finding in item.findings:
            found.setdefault(finding.code, []).append(f"{finding.code} line {finding.line}")
    return found


def _techniques(catalogue: Catalogue, evidence: Iterable[TechniqueEvidence], codes: dict[str, list[str]]) -> tuple[KnownTechnique, ...]:
    """What memory ranks, in its order; then what the findings call for."""
    ranked = {known.technique: known for known in evidence}
    called = [each.id for each in catalogue.techniques if codes.keys() & set(each.findings)]
    tried = [name for name, each in ranked.items() if each.summary]
    names = [*tried, *(name for name in called if name not in tried)]
    result: list[KnownTechnique] = []
    for name in names[:_MOST_TECHNIQUES]:
        technique = catalogue.get(name)
        answers = () if technique is None else tuple(dict.fromkeys(w for code in technique.findings for w in codes.get(code, ())))
        known = ranked.get(name)
        result.append(KnownTechnique(name, name if technique is None else technique.title, "" if known is None else known.summary, answers))
    return tuple(result)
