"""The settings, once: names, types, bounds, defaults, meaning. Files, reference and JSON schema derive from here.

Example::

    Settings().target          # "h200"
    leaf_names()               # ("target", "device", …, "build.flags", …)
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from assistant.model.verification import DeferredDecision

__all__ = ["DEFAULT_LAUNCH_BYTES", "LOWER_ONLY", "USER_ONLY", "Section", "Settings"]

_GIB = 1 << 30
_MIB = 1 << 20
USER_ONLY: dict[str, JsonValue] = {"user_only": True}
"""Marks a setting that only the user's own file, the editor's user settings or the command line may give."""
LOWER_ONLY: dict[str, JsonValue] = {"lower_only": True}
"""Marks what costs the user money or time, or tells more to a model: a workspace may ask for less than the user's own settings say (a
smaller number, ``off``), never for more."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


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


_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
"""Name of an environment variable."""


_WORD = r"((context|output)=[0-9]+|reasoning|no-reasoning|fences|no-fences)"
_PROFILE = rf"^[^\s:]+(:[^\s:=]+)?: *{_WORD}( +{_WORD})*$"
"""A pattern of a model's name, and what holds for it."""


def _of_role(what: str, fallback: str, pattern: str | None = None) -> Any:
    """A setting of a role (pydantic's field), for those that another setting stands in for."""
    return Field(default=None, pattern=pattern, description=f"{what}; absent: `provider.{fallback}`.", json_schema_extra=USER_ONLY)


def _tokens_of_role(who: str) -> Any:
    """As `_of_role`, for the length of an answer."""
    description = f"Tokens one answer of {who} may have: more where it reasons at length; absent: `provider.max_output_tokens`."
    return Field(default=None, ge=1, description=description, json_schema_extra=USER_ONLY)


class ProviderSettings(Section):
    """The language model, if any."""

    kind: Literal["none", "openai", "editor", "manual"] = Field(
        default="none",
        description="`openai`: any endpoint that speaks its protocol; `editor`: the editor's own model; "
        "`manual`: prompts as files to copy; `none`: the expert planner only.",
        json_schema_extra=USER_ONLY,
    )
    base_url: str | None = Field(default=None, description="Endpoint, e.g. `http://localhost:11434/v1`.", json_schema_extra=USER_ONLY)
    model: str | None = Field(default=None, description="Model name, as the endpoint knows it.", json_schema_extra=USER_ONLY)
    key_env: str = Field(
        default="OPENAI_API_KEY",
        pattern=_VARIABLE,
        description="Name of the environment variable that holds the key; the key itself is never a setting.",
        json_schema_extra=USER_ONLY,
    )
    max_output_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens one answer may have, its reasoning included; absent: as the model's profile allows, at most 16,384, or 65,536 "
        "of a model that reasons.",
        json_schema_extra=USER_ONLY,
    )
    planner_max_output_tokens: int | None = _tokens_of_role("the model that plans")
    coder_max_output_tokens: int | None = _tokens_of_role("the model that writes code")
    summariser_max_output_tokens: int | None = _tokens_of_role("the model that summarises and explains")
    max_input_tokens: int | None = Field(
        default=None,
        ge=1000,
        description="Tokens one prompt may have, by estimate; what is least useful is cut first, and the prompt says so. Absent: what "
        "the model's context leaves next to its answer, at most 64,000; 24,000 of a model without a profile.",
        json_schema_extra=USER_ONLY,
    )
    profiles: tuple[Annotated[str, StringConstraints(pattern=_PROFILE)], ...] = Field(
        default=(),
        description="What models can do, by a pattern of their names, before what is built in: "
        "`my-coder*: context=65536 output=8192 reasoning no-fences`.",
        json_schema_extra=USER_ONLY,
    )
    planner_model: str | None = _of_role("Model that plans", "model")
    coder_model: str | None = _of_role("Model that writes code", "model")
    summariser_model: str | None = _of_role("Model that summarises and explains", "model")
    planner_base_url: str | None = _of_role("Endpoint of the model that plans", "base_url")
    coder_base_url: str | None = _of_role("Endpoint of the model that writes code", "base_url")
    summariser_base_url: str | None = _of_role("Endpoint of the model that summarises and explains", "base_url")
    planner_key_env: str | None = _of_role("Variable with the key of the planner's endpoint", "key_env", _VARIABLE)
    coder_key_env: str | None = _of_role("Variable with the key of the coder's endpoint", "key_env", _VARIABLE)
    summariser_key_env: str | None = _of_role("Variable with the key of the summariser's endpoint", "key_env", _VARIABLE)
    temperature: float | None = Field(
        default=None, ge=0, le=2, description="Sent with every request; absent: the endpoint's own.", json_schema_extra=USER_ONLY
    )
    seed: int | None = Field(
        default=None, description="Sent with every request, for endpoints that repeat their answers.", json_schema_extra=USER_ONLY
    )
    timeout_s: float = Field(
        default=300.0,
        gt=0,
        description="Seconds that an endpoint or editor may be silent before or within an answer; reasoning that it sends counts.",
        json_schema_extra=USER_ONLY,
    )
    longest_answer_s: float = Field(
        default=3600.0,
        gt=0,
        description="Seconds one answer may take in all, with its retries.",
        json_schema_extra=USER_ONLY,
    )
    plan_with_code: bool = Field(
        default=False,
        description="The model that plans writes the code of its first steps in the same answer: for models that do both well.",
        json_schema_extra=USER_ONLY,
    )
    calls_in_flight: int = Field(
        default=4,
        ge=1,
        le=64,
        description="Questions asked at once; answers are judged as they come. One at a time with `manual` and `editor`, whatever it says.",
        json_schema_extra=USER_ONLY,
    )
    requests_per_minute: float | None = Field(
        default=None, gt=0, description="Requests sent to one endpoint a minute at most; absent: no bound.", json_schema_extra=USER_ONLY
    )
    structured_outputs: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Whether the endpoint is asked to keep to a JSON schema; `auto`: until it refuses to. Answers are checked in any case.",
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
        description="Share of the speed of light from which a kernel is left as it is (0..1).",
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
        json_schema_extra={"enum": ["h200", "h100", "a100", "l40s", "rtx4090"]},  # of ``measure.targets``: editors offer them as a list
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
