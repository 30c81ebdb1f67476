"""The one event stream of a job: what ``--json`` prints and editors are sent.

Every event carries ``event`` (its name), ``schema`` and ``job``. Numbers are finite; absent values are null.
"""

from __future__ import annotations

from typing import Literal

from assistant.model.build import Diagnostic
from assistant.model.code_events import (
    CheckEnded,
    KernelDeclined,
    KernelFound,
    KernelWritten,
    LaunchFacts,
    MachineCode,
    OperatorsFound,
    OperatorTimed,
    Profile,
    ProfileSummary,
    TimelineFound,
)
from assistant.model.completion import CallOutcome, Caps, Spending
from assistant.model.event_parts import SCHEMA, Device, SpeedReport, VerificationReport
from assistant.model.figures import BeforeAfter
from assistant.model.plan import Decline, Step
from assistant.model.profile import Evidence, Finding, Severity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Outcome
from assistant.record import Record


class JobStarted(Record):
    job: str
    command: str
    file: str
    device: str
    rung: str
    other: str | None = None
    """B of a comparison."""
    event: Literal["job_started"] = "job_started"
    schema: int = SCHEMA


class StageStarted(Record):
    job: str
    stage: str
    """``parse``, ``build``, ``capture``, ``verify``, ``profile``, ``plan``, ``screen``, ``confirm``; ``consent`` while a person is asked,
    ``model`` while a language model is."""
    detail: str
    event: Literal["stage_started"] = "stage_started"
    schema: int = SCHEMA


class StageEnded(Record):
    job: str
    stage: str
    detail: str
    duration_ms: float
    event: Literal["stage_ended"] = "stage_ended"
    schema: int = SCHEMA


class Message(Record):
    """A sentence for people: a warning, a missing part, a remedy."""

    job: str
    severity: Severity
    message: str
    remedy: str | None = None
    file: str | None = None
    line: int | None = None
    event: Literal["message"] = "message"
    schema: int = SCHEMA


class Diagnostics(Record):
    job: str
    diagnostics: tuple[Diagnostic, ...]
    event: Literal["diagnostics"] = "diagnostics"
    schema: int = SCHEMA


class FindingsFound(Record):
    job: str
    kernel: str
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["findings"] = "findings"
    schema: int = SCHEMA


class PlanMade(Record):
    job: str
    planner: str
    steps: tuple[Step, ...]
    declines: tuple[Decline, ...]
    event: Literal["plan"] = "plan"
    schema: int = SCHEMA


class CandidateTried(Record):
    job: str
    candidate: str
    technique: str
    kernel: str
    outcome: TrialOutcome
    """``kept`` became a proposal or the next version to improve; every other value says why it did not."""
    reason: str
    ratio: float | None
    """time(version that it edits)/time(candidate), as it was screened; null where it did not come that far."""
    why: str = ""
    """Why it was tried when it was: its place in the plan, what was expected of it and by what evidence, what was drawn."""
    ratio_to_original: float | None = None
    """time(text that the search began with)/time(candidate): ``ratio`` times the ratios of the edits that it is built on."""
    method: str = ""
    """``timed`` or ``predicted``: how ``ratio`` came about; empty where there is none."""
    event: Literal["candidate"] = "candidate"
    schema: int = SCHEMA


class TuningPoint(Record):
    """One setting of an edit's numbers, and how it fared."""

    values: tuple[tuple[str, int], ...]
    """(name, value)"""
    outcome: TrialOutcome
    reason: str
    ratio: float | None
    """time(before)/time(with this setting); null where it did not come that far."""


class SettingTried(Record):
    """One setting of an edit's numbers was judged, while they are tuned: a search that goes on with this one does not judge it again."""

    job: str
    kernel: str
    technique: str
    point: TuningPoint
    candidate: str
    before_sha256: str
    """Of the version's texts that the edit changes."""
    after_sha256: str
    """Of the texts with this setting."""
    method: str
    """As of ``tuning``."""
    event: Literal["setting"] = "setting"
    schema: int = SCHEMA


class TuningEnded(Record):
    """The numbers of an edit were tuned without asking its author again."""

    job: str
    kernel: str
    technique: str
    points: tuple[TuningPoint, ...]
    """In the order in which they were tried; the first is the edit as it was written."""
    best: tuple[tuple[str, int], ...]
    """What the edit has now."""
    setting_count: int
    """Settings there are."""
    method: str
    """``timed`` or ``predicted``."""
    event: Literal["tuning"] = "tuning"
    schema: int = SCHEMA


class ModelCalled(Record):
    """One call of a language model came to an end."""

    job: str
    call: str
    role: str
    """``planner``, ``coder`` or ``summariser``."""
    prompt: str
    """``code@3``: template and version."""
    provider: str
    model: str
    outcome: CallOutcome
    """``answered``, or why not (docs/reference/models.md)."""
    input_token_count: int
    output_token_count: int
    duration_ms: int
    event: Literal["model_call"] = "model_call"
    schema: int = SCHEMA


class BudgetSpent(Record):
    """The meter: what the job has spent of what it may; the first one, before anything is spent, carries the estimate."""

    job: str
    spent: Spending
    caps: Caps
    estimate: Spending | None = None
    """Estimate for the whole job if every answer can be used as it comes (no bound: the caps are); null after the first."""
    ended_by: str | None = None
    """The cap that ended the search (``money_usd``, ``token_count``, ``gpu_s``, ``round_count``, ``wall_s``); null while none did."""
    ended_kernel: str | None = None
    """Qualified name of the kernel whose part of the time was used up, so that the search goes on with the next one; null otherwise."""
    event: Literal["budget"] = "budget"
    schema: int = SCHEMA


class ComparisonMade(Record):
    """One per kernel pair, and an overall one last (``kernel`` null) if several."""

    job: str
    kernel: str | None
    oracle: str
    confirmed: bool
    a: str
    """sha256 of A's text."""
    b: str
    verification: VerificationReport
    speed: SpeedReport | None
    evidence: tuple[Evidence, ...]
    device: Device
    figures: BeforeAfter | None = None
    """The costliest launch of both versions; null of several kernels together, and where a side launched nothing."""
    event: Literal["comparison"] = "comparison"
    schema: int = SCHEMA


class AlternativeReport(Record):
    """Another version of an offered edit, which asks for other decisions."""

    id: str
    """``P01M7…~1``: names it wherever a proposal is named."""
    techniques: tuple[str, ...]
    summary: str
    labels: tuple[str, ...]
    assumptions: tuple[str, ...]
    verification: VerificationReport
    speed: SpeedReport


class ProposalMade(Record):
    job: str
    id: str
    kernel: str
    file: str
    techniques: tuple[str, ...]
    summary: str
    diff: str
    hunk_ids: tuple[str, ...]
    labels: tuple[str, ...]
    assumptions: tuple[str, ...]
    verification: VerificationReport
    speed: SpeedReport
    evidence: tuple[Evidence, ...]
    explanation: str
    state: str
    model: str | None = None
    """The language model that wrote it, or a part of it; null where none did."""
    files: tuple[str, ...] = ()
    """Every file that it changes; ``file`` is the one that holds the kernel."""
    alternatives: tuple[AlternativeReport, ...] = ()
    """Of the same edit, with other decisions."""
    event: Literal["proposal"] = "proposal"
    schema: int = SCHEMA


class DecisionMade(Record):
    job: str | None
    proposal: str
    kind: str
    hunk_ids: tuple[str, ...]
    reason_code: str | None
    reason: str | None
    decided_by: str
    alternative: int = 0
    """Which of the proposal's alternatives it is on; 0: on what was offered first."""
    event: Literal["decision"] = "decision"
    schema: int = SCHEMA


class PairTurn(Record):
    """One turn of a pair session: what it says in one line, and the Markdown behind it."""

    job: str | None
    session: str
    number: int
    kind: str
    """``start``, ``edit``, ``suggest``, ``constrain``, ``why``, ``back``, ``decision`` or ``stop``."""
    kernel: str
    said: str
    answer: str
    outcome: Outcome | None
    """Outcome of the verification against the baseline; null where nothing was judged."""
    ratio: float | None
    """time(baseline) / time(version); null where no speed was predicted or measured."""
    breaks: tuple[str, ...]
    """Constraints of the session that the text does not keep to."""
    proposal: str | None
    detail: str
    event: Literal["pair_turn"] = "pair_turn"
    schema: int = SCHEMA


class JobEnded(Record):
    job: str
    exit_code: int
    """As docs/reference/cli.md: 0 done, 1 the answer is no, 2 misuse, 3 cannot answer, 4 internal."""
    reason: str
    event: Literal["job_ended"] = "job_ended"
    schema: int = SCHEMA


Event = (
    JobStarted
    | StageStarted
    | StageEnded
    | Message
    | Diagnostics
    | KernelFound
    | MachineCode
    | Profile
    | ProfileSummary
    | TimelineFound
    | LaunchFacts
    | OperatorsFound
    | OperatorTimed
    | KernelDeclined
    | KernelWritten
    | CheckEnded
    | FindingsFound
    | PlanMade
    | CandidateTried
    | SettingTried
    | TuningEnded
    | ModelCalled
    | BudgetSpent
    | ComparisonMade
    | ProposalMade
    | DecisionMade
    | PairTurn
    | JobEnded
)
