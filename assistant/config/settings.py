"""The settings, once: names, types, bounds, defaults, meaning. Files, reference and JSON schema derive from here.

Example::

    Settings().target          # "h200"
    leaf_names()               # ("target", "device", …, "build.flags", …)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.fields import FieldInfo

__all__ = ["Settings", "is_user_only", "leaf_fields", "leaf_names"]

_GIB = 1 << 30
_MIB = 1 << 20
_USER_ONLY: dict[str, JsonValue] = {"user_only": True}
"""Marks a setting that only the user's own file, the editor's user settings or the command line may give."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


class BuildSettings(_Section):
    """How sources are compiled."""

    flags: tuple[str, ...] = Field(
        default=(), description="Compiler flags in nvcc's spelling, one per item; the same on both sides of a comparison."
    )


class RunSettings(_Section):
    """How the user's own program is run."""

    timeout_s: float = Field(default=60.0, gt=0, description="Seconds one run of the program may take.")


_When = Literal["on_type", "on_save", "on_command", "off"]


class BackgroundSettings(_Section):
    """What editors do unasked."""

    compile: _When = Field(default="on_type", description="When an open source is compiled: diagnostics, registers, occupancy.")
    verify: _When = Field(default="on_save", description="When an open source is run with race, bounds and initialisation checks.")
    profile: _When = Field(default="on_save", description="When the kernels of an open source are counted and diagnosed.")
    pause_s: float = Field(default=0.4, ge=0.05, le=60, description="Seconds without a keystroke before what runs `on_type` starts.")


class DiagnosticsSettings(_Section):
    """What editors show as problems."""

    compiler: Literal["on", "off"] = Field(
        default="on", description="Whether compiler messages are shown; `off` for people who keep clangd for them."
    )


class VerificationSettings(_Section):
    """How hard a candidate is tested."""

    seeds: int = Field(default=3, ge=3, le=100, description="Fresh value sets per comparison.")


class LimitSettings(_Section):
    """Bounds of one job."""

    memory_bytes: int = Field(default=8 * _GIB, ge=64 * _MIB, description="Memory a program under test may take.")
    output_bytes: int = Field(default=16 * _MIB, ge=1024, description="Output of a program that is kept; the rest is cut.")
    launch_bytes: int = Field(default=256 * _MIB, ge=1024, description="Buffers recorded per launch.")
    recording_bytes: int = Field(default=2 * _GIB, ge=1024, description="Size of one recording.")
    candidates: int = Field(default=24, ge=1, description="Candidates tried per kernel.")
    rounds: int = Field(default=4, ge=1, description="Techniques chained on one kernel.")


class MemorySettings(_Section):
    """Where attempts and decisions are kept."""

    path: Path | None = Field(
        default=None,
        description="The memory file; absent: `memory.sqlite3` in the user data folder.",
        json_schema_extra=_USER_ONLY,
    )
    recordings_bytes: int = Field(
        default=4 * _GIB,
        ge=0,
        description="Recordings of decided proposals kept for replay; above it the oldest go, and those become not replayable.",
        json_schema_extra=_USER_ONLY,
    )


class RecallSettings(_Section):
    """What memory tells the planner."""

    across_workspaces: bool = Field(
        default=False,
        description="Whether reasons given in other workspaces may be shown; techniques and statistics always may.",
        json_schema_extra=_USER_ONLY,
    )


class ProviderSettings(_Section):
    """The language model, if any."""

    kind: Literal["none", "openai", "editor", "manual"] = Field(
        default="none",
        description="`openai`: any endpoint that speaks its protocol; `editor`: the editor's own model; "
        "`manual`: prompts as files to copy; `none`: the expert planner only.",
        json_schema_extra=_USER_ONLY,
    )
    base_url: str | None = Field(default=None, description="Endpoint, e.g. `http://localhost:11434/v1`.", json_schema_extra=_USER_ONLY)
    model: str | None = Field(default=None, description="Model name, as the endpoint knows it.", json_schema_extra=_USER_ONLY)
    key_env: str = Field(
        default="OPENAI_API_KEY",
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="Name of the environment variable that holds the key; the key itself is never a setting.",
        json_schema_extra=_USER_ONLY,
    )
    max_output_tokens: int = Field(default=8192, ge=1, description="Tokens one answer may have.", json_schema_extra=_USER_ONLY)


class Settings(_Section):
    """All settings of one workspace, resolved."""

    target: str = Field(default="h200", min_length=1, description="GPU that speed is predicted for where none is present.")
    device: str = Field(
        default="auto", pattern=r"^(auto|cpu|gpu:\d+)$", description="Where kernels run: `auto`, `cpu` (the emulator) or `gpu:N`."
    )
    planner: Literal["auto", "expert", "llm"] = Field(
        default="auto", description="Who plans: the built-in expert, the language model, or the model where one is set."
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


def leaf_fields() -> Iterator[tuple[str, FieldInfo]]:
    """(dotted name, pydantic's description) of every setting, in the order of the schema."""
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, _Section):
            yield from ((f"{name}.{inner}", item) for inner, item in section.model_fields.items())
        else:
            yield name, field


def leaf_names() -> tuple[str, ...]:
    return tuple(name for name, _ in leaf_fields())


def is_user_only(field: FieldInfo) -> bool:
    """Whether a workspace file may not set it."""
    return field.json_schema_extra is _USER_ONLY


def setting(settings: Settings, name: str) -> object:
    """The value of a dotted name (``run.timeout_s``)."""
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value
