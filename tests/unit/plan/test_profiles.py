"""What is asked of a model, by its name."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from assistant.config.provider_settings import ProviderSettings
from assistant.model.completion import ModelRole
from assistant.plan.profiles import CallLimits, call_limits, profile_of


def limits(model: str, **changes: object) -> CallLimits:
    return call_limits(ProviderSettings.model_validate(changes), model, ModelRole.CODER)


@pytest.mark.parametrize(
    ("model", "input_tokens", "output_tokens", "reasons"),
    [
        ("gpt-5-mini", 64_000, 65_536, True),
        ("openai/gpt-oss-120b", 64_000, 65_536, True),
        ("gpt-4o", 64_000, 16_384, False),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", 64_000, 16_384, False),
        ("qwen2.5-coder:7b", 24_576, 8_192, False),
        ("qwen3:8b", 20_480, 20_480, True),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", 64_000, 16_384, False),
        ("qwen3:30b-a3b-thinking-2507-q4_K_M", 64_000, 65_536, True),
        ("gemini-3-pro-preview", 64_000, 65_536, True),
        ("moonshotai/Kimi-K2-Instruct-0905", 64_000, 16_384, False),
        ("moonshotai/Kimi-K2-Thinking", 64_000, 65_536, True),
        ("zai-org/GLM-4.6-FP8", 64_000, 65_536, True),
        ("magistral-small-2509", 64_000, 40_960, True),
        ("something-new", 24_000, 16_384, False),
        ("", 24_000, 16_384, False),
    ],
)
def test_a_prompt_and_an_answer_fit_the_models_context(model: str, input_tokens: int, output_tokens: int, reasons: bool) -> None:
    found = limits(model)
    assert (found.input_tokens, found.output_tokens, found.reasons, found.has_fences) == (input_tokens, output_tokens, reasons, True)
    profile = profile_of(model)
    assert profile is None or found.input_tokens + found.output_tokens <= profile.context_tokens


def test_numbers_of_the_settings_come_first() -> None:
    assert limits("gpt-4o", max_input_tokens=5_000, max_output_tokens=900) == CallLimits(5_000, 900, False, True)


def test_a_role_may_have_an_answer_of_its_own_length() -> None:
    settings = ProviderSettings(max_output_tokens=900, planner_max_output_tokens=5_000)
    lengths = [call_limits(settings, "gpt-4o", role).output_tokens for role in (ModelRole.PLANNER, ModelRole.CODER, ModelRole.SUMMARISER)]
    assert lengths == [5_000, 900, 900]


def test_the_users_own_profiles_come_before_what_is_published() -> None:
    own = ("qwen3-coder*: context=32768", "my-*:latest: context=20000 output=4000 reasoning no-fences")
    assert limits("qwen3-coder:30b", profiles=own) == CallLimits(16_384, 16_384, False, True)
    assert limits("my-coder:latest", profiles=own) == CallLimits(16_000, 4_000, True, False)
    assert limits("gpt-4o", profiles=own) == limits("gpt-4o")


@pytest.mark.parametrize("line", ["context=3", "my-*: contextt=3", "my-*:", "my-*: context=many"])
def test_a_line_that_is_no_profile_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        ProviderSettings.model_validate({"profiles": [line]})
