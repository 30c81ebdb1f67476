"""What was learnt from a trial: a state, a technique used on it, the outcome; and what memory answers about techniques for a state.

Numbers here come from the judge alone. Example::

    State(signature, KernelTraits("row reduction", "float"), DeviceTraits("NVIDIA H200", "sm_90", is_measured=True))
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from assistant.model.profile import Signature
from assistant.record import Record

UNKNOWN = "unknown"
"""Family or element type of a kernel whose text does not show it."""

PERSON = "person"
"""`Attempt.planner` of a person's own edit that was compared."""
AGENT = "agent"
"""`Attempt.planner` of a coding agent's edit that was judged again to learn from it."""

COMPOSED = "+"
"""Between the techniques of a sequence that is one step (``shared-tile+register-tile``); no name of a technique has it."""

MOST_COMPOSED = 3
"""Techniques of such a sequence at most."""


class KernelTraits(Record):
    """What a kernel's text and launch say about it, apart from its counters."""

    family: str
    """``row reduction``, ``elementwise``, … (`assistant.cuda.family`), or `UNKNOWN`."""
    element: str
    """C++ name of the type that it computes with (``float``), or `UNKNOWN`."""
    scale: tuple[tuple[str, int], ...] = ()
    """(quantity, count) of its costliest launch: ``blocks``, ``threads per block``, ``threads``."""


class DeviceTraits(Record):
    """Where an outcome was seen."""

    name: str
    """A GPU by its name, or ``cpu, predicted for h200``."""
    architecture: str
    """``sm_90``: of the GPU, or of the target of a prediction; empty where an older record does not say."""
    is_measured: bool


class State(Record):
    """A kernel as memory compares it."""

    signature: Signature
    traits: KernelTraits
    device: DeviceTraits


class TechniqueUse(Record):
    """A technique as it was applied."""

    name: str
    """Any name in small letters with hyphens; the catalogue's where it has the technique."""
    parameters: tuple[tuple[str, int], ...] = ()
    """Numbers that were chosen for it (``TILE`` 32)."""
    after: tuple[str, ...] = ()
    """Techniques that the edited version had already, in order: a composite is these and this one."""


class SideEffect(Record):
    """What else changed, as the compiler or the counters say."""

    metric: str
    before: float
    after: float
    unit: str


class Result(Record):
    """How a use of a technique ended. None: the trial did not come that far."""

    is_right: bool | None
    """Built and verified; False where it did not build or answered wrongly."""
    log_ratio: float | None
    """log of time(before)/time(after) of what it was judged on; None where nothing was timed, or the times do not tell."""
    variance: float | None
    """Of ``log_ratio``, from its interval or from the model's error."""
    is_measured: bool
    side_effects: tuple[SideEffect, ...] = ()
    next_signature: Signature | None = None


class Origin(StrEnum):
    """Where a row comes from."""

    TRIAL = "trial"
    """A candidate of a search."""
    EDIT = "edit"
    """An edit of a person or a coding agent that was compared, in which a technique was recognised."""
    IMPORT = "import"
    """Another memory's export."""


class Experience(Record):
    """One row: what was tried on what, and how it ended."""

    id: str
    """The attempt's, or ``import/number``."""
    origin: Origin
    state: State
    use: TechniqueUse
    result: Result
    workspace: Path | None
    """None of an import, which does not say."""
    kernel: str
    """`Kernel.key`; empty of an import."""
    kernel_id: str
    """Tells kernels apart without naming them."""
    same: str
    """Equal for the same edit of the same text on the same device: a repetition, no new experience."""
    created_ms: int
    job: str = ""
    finding: str = ""
    method: str = ""
    decision: str = ""
    """`DecisionKind` of the last decision on a proposal with it; empty where there was none."""


class Choice(Record):
    """How the order of steps is chosen from what is known."""

    rule: str = "thompson"
    """``thompson``, ``greedy`` or ``none``."""
    seed: int = 0
    key: str = ""
    """What is chosen for: kernel and version, so that each is a draw of its own and the same search draws the same again."""


class RecallQuery(Record):
    """A kernel that is about to be planned for."""

    workspace: Path
    kernel: str
    state: State
    techniques: tuple[str, ...]
    """Those of the catalogue; what else was tried on kernels like it is found all the same."""
    now_ms: int
    may_cross_workspaces: bool = False
    """Whether reasons and sources of other workspaces may be shown; names of techniques and statistics always may."""
    job: str | None = None
    """The job that asks, whose own attempts are left out; None leaves nothing out."""
    choice: Choice = Choice()


class TechniqueEvidence(Record):
    """What memory knows of one technique for a state; the same for planners, people and prompts."""

    technique: str
    summary: str
    """The evidence in one sentence; empty where only people's decisions are known."""
    sentences: tuple[str, ...] = ()
    """For people: what happened, where and when."""
    precision: float = 0.0
    """Of the estimate of log(ratio), over all weighted trials: the sum of 1/variance."""
    log_ratio: float = 0.0
    """Weighted mean of log(ratio); 0 without a trial that was timed."""
    chance: float = 1.0
    """Expected chance that an edit builds and is right."""
    people: float = 0.0
    """log of the factor by which people's decisions move it."""
    gain_draw: float = 0.0
    """Standard normal that the choice drew for the gain; 0 where it chooses greedily."""
    chance_draw: float = 1.0
    """The chance that the choice drew; ``chance`` where it chooses greedily."""
    nearest: str = ""
    """Id of the attempt that ``diff`` is of; empty where there is none."""
    diff: str = ""
    """Edit of the nearest kernel of this workspace where it was right, as a unified diff; empty where there is none."""
    diff_of: str = ""
    """The kernel that ``diff`` is of, and when."""


def device_class(lab: str, device: str, target: str) -> str:
    """What a ratio stands for: a GPU by name, or the model of a target (``cpu, predicted for h200``)."""
    return f"{lab}, predicted for {target}" if lab == "cpu" else device
