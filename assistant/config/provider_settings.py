"""The settings of language models: who is asked, for what, with which limits.

Example::

    Settings().provider.island_model_count     # 1
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from assistant.config.section import USER_ONLY, Section

__all__ = ["ProviderSettings"]

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
    island_models: tuple[str, ...] = Field(
        default=(),
        description="Models that plan and write in the second and further islands of a search (`search.beam`), in turn, at the "
        "endpoints of planner and coder; absent: the same in all.",
        json_schema_extra=USER_ONLY,
    )
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
    timeout_s: float | None = Field(
        default=None,
        gt=0,
        description="Seconds that an endpoint or editor may be silent before or within an answer; reasoning that it sends counts. "
        "Absent: 300, or 1,200 of a model whose profile says that it reasons.",
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

    @property
    def island_model_count(self) -> int:
        """Models that plan and write in the islands of a search; where no endpoint is asked by a model's name, there is one."""
        return 1 + len(self.island_models) if self.kind == "openai" else 1
