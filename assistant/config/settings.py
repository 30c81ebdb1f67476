"""The settings, once: names, types, bounds, defaults, meaning. Files, reference and JSON schema derive from here.

Example::

    Settings().target          # "h200"
    leaf_names()               # ("target", "device", …, "build.flags", …)
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.config.provider_settings import ProviderSettings
from assistant.config.section import LOWER_ONLY, USER_ONLY, Section
from assistant.model.verification import DeferredDecision

__all__ = ["DEFAULT_LAUNCH_BYTES", "Settings"]

_GIB = 1 << 30
_MIB = 1 << 20


class BuildSettings(Section):
    """How sources are compiled."""

    flags: tuple[str, ...] = Field(
        default=(), description="Compiler flags in nvcc's spelling, one per item; the same on both sides of a comparison."
    )


class RunSettings(Section):
    """How the user's own program is run."""

    timeout_s: float = Field(default=60.0, gt=0, description="Seconds one run of the program may take.")
    whole_s: float = Field(
        default=20.0,
        gt=0,
        description="Processor seconds that a program's launches may take together on the CPU emulator, at most a third of the time of "
        "a run; what takes longer is run, counted and judged in part.",
    )


_When = Literal["on_type", "on_save", "on_command", "off"]


class BackgroundSettings(Section):
    """What editors do unasked."""

    compile: _When = Field(default="on_type", description="When an open source is compiled: diagnostics, registers, occupancy.")
    verify: _When = Field(default="on_save", description="When an open source is run with race, bounds and initialisation checks.")
    profile: _When = Field(default="on_save", description="When the kernels of an open source are counted and diagnosed.")
    pause_s: float = Field(default=0.4, ge=0.05, le=60, description="Seconds without a keystroke before what runs `on_type` starts.")


class DiagnosticsSettings(Section):
    """What editors show as problems."""

    compiler: Literal["on", "off"] = Field(
        default="on", description="Whether compiler messages are shown; `off` for people who keep clangd for them."
    )


class VerificationSettings(Section):
    """How hard a candidate is tested."""

    seeds: int = Field(default=3, ge=3, le=100, description="Fresh value sets per comparison.")
    in_every_program: bool = Field(
        default=False,
        description="Judge an edit in every program that has the file in question, not only in the one that is meant, and let the worst "
        "verdict count: in `compare`, before an edit is offered, and where an editor judges one.",
    )


DEFAULT_LAUNCH_BYTES = 256 * _MIB
"""What is kept of a launch where the setting says nothing and no GPU records it."""


class LimitSettings(Section):
    """Bounds of a job."""

    memory_bytes: int = Field(default=8 * _GIB, ge=64 * _MIB, description="Memory a program under test may take.")
    output_bytes: int = Field(default=16 * _MIB, ge=1024, description="Output of a program that is kept; the rest is cut.")
    launch_bytes: int | None = Field(
        default=None, ge=1024, description="Buffers recorded per launch; absent: 256 MiB under the emulator, 2 GiB on a GPU."
    )
    recording_bytes: int | None = Field(
        default=None, ge=1024, description="Size of one recording; absent: 2 GiB under the emulator, 8 GiB on a GPU."
    )
    candidates: int = Field(default=24, ge=1, description="Candidates tried per kernel.")
    rounds: int = Field(default=4, ge=1, description="Techniques chained on one kernel.")


class MemorySettings(Section):
    """Where attempts and decisions are kept."""

    path: Path | None = Field(
        default=None,
        description="The memory file; absent: `memory.sqlite3` in the user data folder.",
        json_schema_extra=USER_ONLY,
    )
    recordings_bytes: int = Field(
        default=4 * _GIB,
        ge=0,
        description="Recordings kept for `kernelopt history replay`; above it the oldest are removed.",
        json_schema_extra=USER_ONLY,
    )


class RecallSettings(Section):
    """What memory tells planners, and how it orders what they try."""

    choice: Literal["thompson", "greedy", "none"] = Field(
        default="thompson",
        description="How planned steps are ordered by what memory knows. `thompson`: by a draw from what is known of each, so that what is "
        "not settled is tried again; `greedy`: by what is expected; `none`: memory is not asked.",
        json_schema_extra=USER_ONLY,
    )
    seed: int = Field(
        default=0,
        description="Of what `thompson` draws: the same seed, text and memory give the same order.",
        json_schema_extra=USER_ONLY,
    )

    policy: str = Field(
        default="off",
        min_length=1,
        description="Which trained policy orders steps that memory knows nothing of. `off`: none, the findings' promises do; `shipped`: "
        "the one that comes with kernelopt; else the path of a file that `kernelopt train policy` wrote.",
        json_schema_extra=USER_ONLY,
    )
    across_workspaces: bool = Field(
        default=False,
        description="Whether reasons given in other workspaces, and names of their kernels, may be shown; techniques and statistics "
        "always may.",
        json_schema_extra=USER_ONLY,
    )


class BudgetSettings(Section):
    """What one job may spend; whatever is reached first ends its search."""

    money_usd: float | None = Field(
        default=None,
        ge=0,
        description="Dollars for models, by your own price table; absent: no bound.",
        json_schema_extra=USER_ONLY,
    )
    tokens: int | None = Field(
        default=None, ge=0, description="Tokens sent to and written by models; absent: no bound.", json_schema_extra=USER_ONLY
    )
    gpu_s: float | None = Field(
        default=None, ge=0, description="Seconds that a GPU is held; absent: no bound.", json_schema_extra=LOWER_ONLY
    )
    wall_s: float | None = Field(
        default=None,
        ge=0,
        description="Seconds by the clock that edits are searched for, each kernel for its part of them; what was kept by then is "
        "confirmed after it; absent: no bound.",
        json_schema_extra=LOWER_ONLY,
    )
    rounds: int | None = Field(
        default=None, ge=1, description="Rounds of the search over all kernels; absent: no bound.", json_schema_extra=LOWER_ONLY
    )


_Signal = Literal["off", "raw", "summarised"]


class SignalSettings(Section):
    """What a language model is shown: nothing, all of it, or a summary."""

    compile: _Signal = Field(default="raw", description="Compiler messages, registers and spills.", json_schema_extra=LOWER_ONLY)
    verify: _Signal = Field(
        default="raw", description="Wrong answers: the failing case, index, expected and actual value.", json_schema_extra=LOWER_ONLY
    )
    sanitizer: _Signal = Field(
        default="raw", description="Races, accesses out of bounds and uninitialised reads.", json_schema_extra=LOWER_ONLY
    )
    static: _Signal = Field(default="raw", description="Loops, arrays and launches as the source shows them.", json_schema_extra=LOWER_ONLY)
    profile: _Signal = Field(
        default="raw", description="Counters per launch and line, findings and predicted times.", json_schema_extra=LOWER_ONLY
    )
    hardware: _Signal = Field(default="raw", description="The data sheet of the GPU that is optimized for.", json_schema_extra=LOWER_ONLY)
    memory: _Signal = Field(default="raw", description="What memory recalls of kernels like this one.", json_schema_extra=USER_ONLY)


class SearchSettings(Section):
    """How far a search looks."""

    variants: int = Field(default=2, ge=1, le=16, description="Rewrites that a model is asked for per step.", json_schema_extra=LOWER_ONLY)
    beam: int = Field(
        default=2,
        ge=1,
        le=16,
        description="Versions that a search carries on with if a model plans; the expert: 1.",
        json_schema_extra=LOWER_ONLY,
    )
    tuning_trials: int = Field(
        default=16,
        ge=0,
        le=256,
        description="Settings tried of an edit that has numbers to be tuned (0: none).",
        json_schema_extra=LOWER_ONLY,
    )
    agent_turns: int = Field(
        default=24,
        ge=1,
        le=200,
        description="Turns of a model that works with tools, per kernel.",
        json_schema_extra=LOWER_ONLY,
    )
    repairs: int = Field(default=2, ge=0, le=5, description="Times a model may fix one rewrite that failed.", json_schema_extra=LOWER_ONLY)
    patience_rounds: int = Field(
        default=2, ge=1, description="Rounds without a gain after which a search ends.", json_schema_extra=LOWER_ONLY
    )
    near_limit_ratio: float = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Share of peak bandwidth, or of peak arithmetic, from which a kernel is left as it is (0..1).",
        json_schema_extra=LOWER_ONLY,
    )
    allow: tuple[DeferredDecision, ...] = Field(
        default=(),
        description="Decisions of a person that a search puts off: it goes on from edits that ask for these alone, and what it offers "
        "at its end lists them. Empty: an edit that needs a decision is offered alone, and nothing is built on it.",
        json_schema_extra=USER_ONLY,
    )
    trials_per_gpu: int = Field(
        default=4,
        ge=1,
        le=8,
        description="Candidates that are tried on one GPU at a time, at most one for every four cores: while one is counted or "
        "checked without the GPU, another may use it. Only one is ever timed.",
        json_schema_extra=LOWER_ONLY,
    )
    parallel_builds: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Candidates that are compiled at a time: the one that is judged, and others (1: none).",
        json_schema_extra=LOWER_ONLY,
    )


class Settings(Section):
    """All settings of a workspace, resolved."""

    target: str = Field(
        default="h200",
        min_length=1,
        description="GPU that speed is predicted for where none is present.",
        json_schema_extra={"enum": ["h200", "h100", "a100", "l40s", "rtx4090", "b200"]},  # of ``measure.targets``: editors list them
    )
    device: str = Field(
        default="auto", pattern=r"^(auto|cpu|gpu:\d+)$", description="Where kernels run: `auto`, `cpu` (the emulator) or `gpu:N`."
    )
    region: str | None = Field(
        default=None,
        min_length=1,
        description="What the speed of an edit is of: `main`, all that the program does on the GPU, or a function of the host, its calls; "
        "absent: what the edit changes.",
    )
    planner: Literal["auto", "expert", "llm", "agent"] = Field(
        default="auto",
        description="Who plans: the built-in expert, the language model, the model with tools of ours, or the model where one is set.",
    )
    completion: Literal["notebooks", "on", "off"] = Field(
        default="notebooks",
        description="Where names are completed in CUDA: `notebooks`: in cells and strings of Python; `on`: in files, too.",
    )
    build: BuildSettings = BuildSettings()
    run: RunSettings = RunSettings()
    background: BackgroundSettings = BackgroundSettings()
    diagnostics: DiagnosticsSettings = DiagnosticsSettings()
    verification: VerificationSettings = VerificationSettings()
    limits: LimitSettings = LimitSettings()
    memory: MemorySettings = MemorySettings()
    recall: RecallSettings = RecallSettings()
    provider: ProviderSettings = ProviderSettings()
    budget: BudgetSettings = BudgetSettings()
    signals: SignalSettings = SignalSettings()
    search: SearchSettings = SearchSettings()
