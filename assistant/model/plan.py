"""Planned edits: techniques, steps, candidates."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from assistant.model.build import Diagnostic, KernelResources
from assistant.model.profile import Evidence, LaunchProfile, Problem
from assistant.model.source import Source, TextEdit
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CaseResult, Label, VerificationFinding
from assistant.record import Record

NO_MODEL = "language-model"
"""`Decline.technique` where a model was to plan and did not."""


class Technique(Record):
    """A named optimization from the catalogue (``prompts/techniques/<id>.md``)."""

    id: str
    """``shared-memory-padding``"""
    title: str
    findings: tuple[str, ...]
    """Codes of the findings that call for it."""
    labels: tuple[Label, ...]
    """Labels it always carries."""
    text: str
    """The Markdown body: applies when, why, how, risks."""
    shown_for: tuple[str, ...] = ()
    """Kernels that models are shown it with besides those of its findings (`plan.catalogue`)."""
    only_tunes: bool = False
    """It changes the size of a launch's blocks and nothing of what they do: a round tries it where nothing else makes a better version."""


class MetricPrediction(Record):
    """Written before anything runs; scored afterwards."""

    metric: str
    """Catalogue name of the metric the finding cites."""
    before: float
    after: float
    unit: str


class Step(Record):
    """One planned technique."""

    technique: str
    kernel: str
    line: int
    rationale: str
    """Numbers only as ``{E7}`` placeholders."""
    evidence: tuple[str, ...]
    finding: str
    """Code of the finding it answers; empty where a model's step answers none."""
    predictions: tuple[MetricPrediction, ...]
    rank: float
    """Higher is tried first: share of the time that the finding promises, corrected by what memory recalls."""
    recalled: tuple[str, ...] = ()
    """What memory holds, one sentence each, with when."""
    why: str = ""
    """Why it has its place in the plan: what was expected of it, by what evidence, and what was drawn."""
    planner: str = "expert"
    """``expert`` or ``llm:<model>``: who planned it."""
    title: str | None = None
    """Title of a technique that the catalogue does not have; None: the catalogue's."""
    labels: tuple[Label, ...] = ()
    """Risks that the plan states."""
    is_opinion: bool = False
    """Its rationale cites no evidence, and is shown as an opinion."""
    predicted_ratio: float | None = None
    """time(before)/time(after) that the plan expects, scored like the metrics; None: not said."""
    written: WrittenCode | None = None
    """Its code, where it came with the plan."""
    design: str = ""
    """What a model that plans tells the one that codes, whole and in its own words; it is shown to no one else."""


class DeclineReason(StrEnum):
    """Why a technique is not applied; `Decline.reason` says the same about one kernel, in words."""

    NOTHING_TO_CHANGE = "nothing_to_change"
    """The line or the kernel holds nothing that the technique changes."""
    ALREADY_DONE = "already_done"
    """The text has the change already."""
    ALREADY_TRIED = "already_tried"
    """An earlier candidate made this change to the same text."""
    NO_GAIN = "no_gain"
    """The change would cost as much as it saves."""
    OTHER_TECHNIQUE_FIRST = "other_technique_first"
    """Another technique answers the finding better, or must be applied before this one."""
    LIMIT_EXCEEDED = "limit_exceeded"
    """The result would exceed a limit of the device, of the kernel or of the planner."""
    BOUND_UNKNOWN = "bound_unknown"
    """How often a loop runs is known only at run time."""
    SIZE_UNKNOWN = "size_unknown"
    """The size of a block, an array or a type is not a constant of this file."""
    ADDRESS_UNKNOWN = "address_unknown"
    """Which elements are accessed is known only at run time."""
    TYPE_UNKNOWN = "type_unknown"
    """The type of an expression does not follow from this file."""
    LOOP_FORM = "loop_form"
    """The loop does not have the form that the technique understands."""
    STORE_FORM = "store_form"
    """The store does not have the form that the technique understands."""
    STORE_NOT_LAST = "store_not_last"
    """Other statements follow the store."""
    GUARD_FORM = "guard_form"
    """Which threads take part is not decided by a plain bounds check."""
    NO_BOUNDS_CHECK = "no_bounds_check"
    """The kernel does not compare its index with a bound."""
    CONDITIONAL = "conditional"
    """The access happens only under a condition; without it, other memory could be touched."""
    LEAVES_EARLY = "leaves_early"
    """A loop or a thread may leave before the end."""
    LOOP_HAS_EFFECTS = "loop_has_effects"
    """Something in the loop may read or change memory that the technique moves."""
    ELEMENT_CHANGES = "element_changes"
    """Each iteration updates another element."""
    ORDER_MATTERS = "order_matters"
    """Another order of the elements could give another result."""
    RESULT_WOULD_CHANGE = "result_would_change"
    """The edit could change the result by more than rounding."""
    DOUBLE_ON_PURPOSE = "double_on_purpose"
    """The expression is double because a variable or a cast says so."""
    ROW_LENGTH_MATTERS = "row_length_matters"
    """The kernel depends on how long the rows of a shared array are."""
    NOT_RECOMPUTABLE = "not_recomputable"
    """The value could not be computed a second time, or by another thread."""
    ATOMIC = "atomic"
    """Other threads update the element atomically."""
    VOLATILE = "volatile"
    """Each access must reach memory."""
    SYNCHRONIZES = "synchronizes"
    """The kernel synchronizes its threads where the technique would have to."""
    WARP_MATTERS = "warp_matters"
    """The result depends on which threads form a warp or a cluster."""
    INDEX_OUT_OF_SIGHT = "index_out_of_sight"
    """A helper or a macro uses a thread or block index."""
    HIDDEN_BY_MACRO = "hidden_by_macro"
    """A macro holds what would have to be seen or changed."""
    POINTER_UNCLEAR = "pointer_unclear"
    """Where a pointer points does not follow from the text."""
    POINTER_CHANGES = "pointer_changes"
    """A pointer is assigned or passed on."""
    MAY_OVERLAP = "may_overlap"
    """Two pointers may name the same memory."""
    CALLERS_UNKNOWN = "callers_unknown"
    """Nothing in this file calls the function, so its arguments are unknown."""
    BLOCK_SHAPE = "block_shape"
    """The technique needs a block of another shape."""
    BLOCK_SIZE_MATTERS = "block_size_matters"
    """The kernel computes with the size of its block."""
    GRID_FORM = "grid_form"
    """The grid does not follow from the size of the block."""
    LAUNCH_UNKNOWN = "launch_unknown"
    """The kernel's launches cannot all be found in this file."""
    LAUNCH_GUESSED = "launch_guessed"
    """The declared launch was guessed, and the real one is not in this file."""
    LAUNCH_FORM = "launch_form"
    """The launch is not written in a way that can be changed."""
    USED_ELSEWHERE = "used_elsewhere"
    """A constant or an element that would have to change is used by other code."""
    MODEL_DECLINED = "model_declined"
    """A language model declined the technique, in its own words."""
    MODEL_UNAVAILABLE = "model_unavailable"
    """No language model could be asked, or none answered."""


class Decline(Record):
    """A technique that does not apply here, and why."""

    technique: str
    kernel: str
    line: int
    reason: str
    code: DeclineReason | None = None
    """None: kept in memory before declines had codes."""


class Plan(Record):
    """Ordered steps, and what was considered and declined."""

    steps: tuple[Step, ...]
    declines: tuple[Decline, ...]
    planner: str
    """``expert`` or ``llm:<model>``."""
    notes: tuple[str, ...] = ()
    """What of a model's answer was not taken, and why: one sentence each, for people."""


class Tunable(Record):
    """A number of an edit that is worth trying. A model's text defines it once, as a plain constant.

    A rule writes an edit for each value.
    """

    name: str
    values: tuple[int, ...]


class Rewrite(Record):
    """Edits that carry out one technique on one kernel (and its launch sites or workload block)."""

    technique: str
    kernel: str
    """``Kernel.key`` before the edit."""
    line: int
    """Line of the main change in the old text."""
    edits: tuple[TextEdit, ...]
    summary: str
    """One sentence in the imperative: what the edit does."""
    labels: tuple[Label, ...]
    predictions: tuple[MetricPrediction, ...] = ()
    assumptions: tuple[str, ...] = ()
    """What must hold, and how it is guarded or who guarantees it."""
    origin: Origin | None = None
    """Which model wrote it; None: a rule of ours."""
    in_others: tuple[FileEdits, ...] = ()
    """Edits of other files of the program that belong to it: of a launch, say."""
    tunables: tuple[Tunable, ...] = ()
    constraints: tuple[str, ...] = ()
    """Integer comparisons that the tunables' values must meet (``TILE * ROWS <= 1024``)."""
    tuning_fault: str = ""
    """What of its tunables could not be read at all."""
    numbers: tuple[tuple[str, int], ...] = ()
    """Of a rule's edit: its values of the numbers in which it differs from its `alternatives`."""
    alternatives: tuple[Rewrite, ...] = ()
    """A rule's same edit with other values of its tunables, which a model's text has as constants to be set."""


class FileEdits(Record, order=True):
    """Edits of a file."""

    path: Path
    edits: tuple[TextEdit, ...]


class Origin(Record):
    """The model that wrote an edit."""

    model: str
    """As the endpoint names what served it."""
    calls: tuple[str, ...]
    """Ids of the `ModelCall` that led to it, the last one wrote the text."""


class WrittenCode(Record):
    """Code that a model gave together with its plan."""

    answer: str
    """The answer as JSON, for the planner that asked for it."""
    origin: Origin


class UnwrittenStepCode(StrEnum):
    """Why a step has no edit; `UnwrittenStep.reason` says the same in words."""

    NO_ANSWER = "no_answer"
    """No model could be asked, or none answered."""
    GIVEN_UP = "given_up"
    """The model says that the step is not worth an edit."""
    UNUSABLE_ANSWER = "unusable_answer"
    """The model's answer cannot be made into an edit."""


class UnwrittenStep(Record):
    """A step that its planner could not turn into an edit, and why."""

    code: UnwrittenStepCode
    reason: str
    calls: tuple[str, ...] = ()
    """Ids of the model calls that were spent on it."""


class SetbackKind(StrEnum):
    """How a candidate fell short; each has a prompt of its own."""

    BUILD = "build"
    WRONG_ANSWER = "wrong_answer"
    NOT_FASTER = "not_faster"
    ONLY_HERE = "only_here"
    """It is right on the program's own values and sizes, and wrong on others."""
    UNTUNED = "untuned"
    """It was judged as it was written; what its writer says of numbers to be tuned cannot be used."""


class Setback(Record):
    """Why a candidate was not kept: what its planner needs to do better."""

    kind: SetbackKind
    reason: str
    """The candidate's own one sentence."""
    text: str
    """The source as the candidate had it."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """The compiler's diagnostics on ``text``."""
    findings: tuple[VerificationFinding, ...] = ()
    """Failing cases: shape, buffer, index, expected, actual, line. Never seeds."""
    cases: tuple[CaseResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Races, bounds, uninitialised reads that the candidate brought."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence about the candidate, where it ran: what it changed and what it did not."""
    ratio: float | None = None
    """time(before)/time(candidate) where it came that far."""
    profiles: tuple[LaunchProfile, ...] = ()
    """The candidate's counted launches, most costly first, where it ran."""
    resources: KernelResources | None = None
    others: tuple[Source, ...] = ()
    """Other files of the program that the candidate changed."""


class AttemptSummary(Record):
    """An earlier candidate on this kernel, as planners see it."""

    technique: str
    line: int
    summary: str
    outcome: TrialOutcome
    reason: str
    ratio: float | None
    code: str = ""
    """What it wrote, where it was judged: the new text of the parts that it changed."""
