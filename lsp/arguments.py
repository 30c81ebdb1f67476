"""The arguments of commands, one object each, and the open source that they name."""

from __future__ import annotations

from assistant.errors import UsageError
from assistant.model.workload import CaseKey
from assistant.record import Record
from lsp.backend import Backend
from lsp.units import Unit, Units

__all__ = [
    "BuildArguments",
    "JobArguments",
    "OptimizeArguments",
    "PairArguments",
    "ProgramArguments",
    "ProposalArguments",
    "QuestionArguments",
    "SourceArguments",
    "VerifyArguments",
    "find_unit",
]


class SourceArguments(Record):
    """A document, and a kernel in it."""

    uri: str
    kernel: str | None = None
    finding: str | None = None
    """Only edits that answer this finding."""
    line: int | None = None
    source: str | None = None
    """Which CUDA text of the document, as lenses and actions name it; None: the one that holds the kernel."""
    region: str | None = None
    """What speeds are of: ``main``, or a function of the host, its calls; None: as the setting ``region`` says."""
    op: str | None = None
    """The class of a PyTorch task or candidate, in place of a kernel."""


class OptimizeArguments(Record):
    """What is searched on: a kernel of a document, all of them, or those that changed."""

    uri: str
    kernel: str | None = None
    """None: all kernels."""
    before: str | None = None
    """An earlier text of the whole document: a job for each kernel that changed since, in place of ``kernel``."""
    finding: str | None = None
    """Only edits that answer this finding."""
    line: int | None = None
    source: str | None = None
    """Which CUDA text of the document, as lenses and actions name it; None: the one that holds the kernel."""
    region: str | None = None
    """What speeds are of: ``main``, or a function of the host, its calls; None: as the setting ``region`` says."""
    op: str | None = None
    """The class of a PyTorch task or candidate, in place of a kernel."""


class QuestionArguments(Record):
    """An answer to a question that a client could not ask by a message."""

    question: str
    answer: str


class VerifyArguments(Record):
    """What is verified: the document's text against an earlier one of it, or a proposal once more."""

    uri: str
    kernel: str | None = None
    source: str | None = None
    before: str | None = None
    """The earlier text of the whole document."""
    proposal_id: str | None = None
    seeds: tuple[int, ...] = ()
    """Seeds of the verification that ``cases`` come from, in its order; empty: fresh ones."""
    cases: tuple[CaseKey, ...] = ()
    """Empty: all."""
    region: str | None = None
    """What speeds are of: ``main``, or a function of the host, its calls; None: as the setting ``region`` says."""


class ProgramArguments(Record):
    """A document, and which of its programs is meant."""

    uri: str
    program: str | None = None
    """By its name; None: the person is asked."""
    kernel: str | None = None
    source: str | None = None


class BuildArguments(Record):
    """A document, and how its project is built."""

    uri: str
    command: str | None = None
    """To be recorded, as it is typed in a shell; None: the one that the project shows."""
    options: tuple[str, ...] = ()
    """Options for CMake, where it configures the project."""
    kernel: str | None = None
    source: str | None = None


class JobArguments(Record):
    job_id: str


class ProposalArguments(Record):
    proposal_id: str
    hunk_ids: tuple[str, ...] = ()
    reason_code: str | None = None
    reason: str | None = None


class PairArguments(Record):
    """A document and a kernel in it; the rest is for the commands that take it."""

    uri: str
    kernel: str | None = None
    """May be left out where the document has one kernel, or one open session."""
    source: str | None = None
    """Which CUDA text of the document, as lenses name it."""
    goal: str | None = None
    """For ``start``."""
    hint: str = ""
    """For ``suggest``: a finding, a technique, or words for a model planner."""
    words: str = ""
    """For ``constrain``."""
    version: int | None = None
    """For ``back``; None: the one before."""
    region: str | None = None
    """For ``start``, for the session as long as the document is open; as for other commands."""


_Arguments = SourceArguments | OptimizeArguments | VerifyArguments | PairArguments | ProgramArguments | BuildArguments


def find_unit(units: Units, backend: Backend, arguments: _Arguments) -> Unit:
    """The source that is meant: the document's only one, or the one with the kernel. Raises UsageError where there is none."""
    found = [unit for unit in units.of(arguments.uri) if arguments.source in (None, unit.key)]
    for unit in found:
        keys = {kernel.key for kernel in backend.editor.view(unit.key).kernels} if len(found) > 1 else set[str]()
        if arguments.kernel is None or len(found) == 1 or arguments.kernel in keys:
            return unit
    raise UsageError(f"no CUDA source is open in {arguments.uri}")
