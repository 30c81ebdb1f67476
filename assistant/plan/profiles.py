"""What a model can read and write, by its name: for how much a prompt may hold, how long an answer may be, and the form of the answer.

What vendors publish of their models is listed here; the user's own ``provider.profiles`` come first, and ``provider.max_input_tokens``
and ``max_output_tokens`` before both. Example::

    call_limits(settings.provider, "qwen3-coder:30b", ModelRole.CODER)    # CallLimits(input_tokens=64000, output_tokens=16384, …)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from assistant.config.provider_settings import ProviderSettings
from assistant.model.completion import ModelRole
from assistant.record import Record

__all__ = ["CallLimits", "ModelProfile", "call_limits", "profile_of"]

_K = 1024
_UNKNOWN_INPUT_TOKENS = 24_000
"""Of a model that nothing is known of (chosen: most local servers are started with 32 K of context)."""
_MOST_INPUT_TOKENS = 64_000
"""Chosen: a prompt holds at most one file and what was seen of a kernel."""
_ANSWER_TOKENS = 16_384
"""Longest answer that is asked for (chosen: several kernels with their plan)."""
_REASONED_ANSWER_TOKENS = 65_536
"""The same of models whose reasoning counts as a part of the answer."""
_LEAST_INPUT_TOKENS = 1_000


class ModelProfile(Record):
    """One model, or a family of them."""

    context_tokens: int
    """Prompt and answer together."""
    output_tokens: int
    """Of one answer, its reasoning included."""
    reasons: bool = False
    """It thinks before it answers, without being asked to."""
    has_fences: bool = True
    """It writes code in Markdown fences behind a header; else as strings of one JSON object."""


class CallLimits(Record):
    """How a model is asked."""

    input_tokens: int
    output_tokens: int
    reasons: bool
    has_fences: bool


_KNOWN: tuple[tuple[str, ModelProfile], ...] = (
    ("gpt-5*", ModelProfile(400_000, 128_000, reasons=True)),
    ("gpt-4.1*", ModelProfile(1_047_576, 32_768)),
    ("gpt-4o*", ModelProfile(128_000, 16_384)),
    ("gpt-oss*", ModelProfile(128 * _K, 64 * _K, reasons=True)),
    ("o[134]*", ModelProfile(200_000, 100_000, reasons=True)),
    ("claude-3-5-*", ModelProfile(200_000, 8_192)),
    ("claude-*", ModelProfile(200_000, 32_000, reasons=True)),
    ("gemini-2.5*", ModelProfile(1_048_576, 65_536, reasons=True)),
    ("gemini-3*", ModelProfile(1_048_576, 65_536, reasons=True)),
    ("deepseek-reasoner*", ModelProfile(128_000, 64_000, reasons=True)),
    ("deepseek-r1*", ModelProfile(128_000, 32_768, reasons=True)),
    ("deepseek-*", ModelProfile(128_000, 8_192)),
    ("qwq*", ModelProfile(128 * _K, 32 * _K, reasons=True)),
    ("qwen3-coder*", ModelProfile(256 * _K, 64 * _K)),
    ("qwen3*thinking-2507*", ModelProfile(256 * _K, 80 * _K, reasons=True)),
    ("qwen3*-2507*", ModelProfile(256 * _K, 16 * _K)),
    ("qwen3*", ModelProfile(40 * _K, 32 * _K, reasons=True)),
    ("qwen2.5-coder*", ModelProfile(32 * _K, 8 * _K)),
    ("kimi-k2-thinking*", ModelProfile(256 * _K, 64 * _K, reasons=True)),
    ("kimi-k2-instruct-0905*", ModelProfile(256 * _K, 16 * _K)),
    ("kimi-k2-instruct*", ModelProfile(128 * _K, 16 * _K)),
    ("glm-4.6", ModelProfile(200_000, 128_000, reasons=True)),
    ("glm-4.6[-:]*", ModelProfile(200_000, 128_000, reasons=True)),
    ("magistral*", ModelProfile(128 * _K, 40 * _K, reasons=True)),
    ("codestral*", ModelProfile(256_000, 16_384)),
    ("llama-3*", ModelProfile(128 * _K, 8 * _K)),
    ("llama3*", ModelProfile(128 * _K, 8 * _K)),
)
"""From the vendors' pages on their models (OpenAI, Anthropic, Google, DeepSeek, Mistral) and the model cards of gpt-oss, Qwen, Llama,
Kimi K2, GLM-4.6 and Magistral; the first that fits. The cards of Kimi K2 name no longest answer: theirs is chosen. A server may be
started with a smaller context than its model has: then ``provider.profiles`` says so."""
_OWN = re.compile(r"(?P<pattern>[^:]+|[^:]+:[^: ]+): *(?P<words>.+)")
_FLAGS = {
    "reasoning": ("reasons", True),
    "no-reasoning": ("reasons", False),
    "fences": ("has_fences", True),
    "no-fences": ("has_fences", False),
}


def profile_of(model: str, own: Iterable[str] = ()) -> ModelProfile | None:
    """The profile of a model: the user's own where one fits, else what is published; None for a model that neither knows.

    ``own``: lines such as ``my-coder*: context=65536 output=8192 reasoning``.
    """
    name = model.rpartition("/")[2].lower()
    published = next((profile for pattern, profile in _KNOWN if fnmatchcase(name, pattern)), None)
    for line in own:
        found = _OWN.fullmatch(line)
        if found is not None and any(fnmatchcase(each, found["pattern"].strip().lower()) for each in (name, model.lower())):
            return _changed(published, found["words"])
    return published


def call_limits(settings: ProviderSettings, model: str, role: ModelRole) -> CallLimits:
    """What is asked of the role's model: the settings' numbers where they are set, else as its profile allows.

    An answer takes at most half of the context: a prompt needs as much.
    """
    profile = profile_of(model, settings.profiles)
    reasons = profile is not None and profile.reasons
    wanted = _REASONED_ANSWER_TOKENS if reasons else _ANSWER_TOKENS
    published = wanted if profile is None else min(wanted, profile.output_tokens, profile.context_tokens // 2)
    output = _answer_tokens_of(role, settings) or settings.max_output_tokens or published
    left = _UNKNOWN_INPUT_TOKENS if profile is None else min(_MOST_INPUT_TOKENS, profile.context_tokens - output)
    return CallLimits(
        input_tokens=settings.max_input_tokens or max(_LEAST_INPUT_TOKENS, left),
        output_tokens=output,
        reasons=reasons,
        has_fences=profile is None or profile.has_fences,
    )


def _answer_tokens_of(role: ModelRole, settings: ProviderSettings) -> int | None:
    """The setting of a role alone."""
    match role:
        case ModelRole.PLANNER:
            return settings.planner_max_output_tokens
        case ModelRole.CODER:
            return settings.coder_max_output_tokens
        case ModelRole.SUMMARISER:
            return settings.summariser_max_output_tokens


def _changed(published: ModelProfile | None, words: str) -> ModelProfile:
    base = published or ModelProfile(_UNKNOWN_INPUT_TOKENS + _ANSWER_TOKENS, _ANSWER_TOKENS)
    numbers = {name: int(value) for name, value in re.findall(r"(context|output)=(\d+)", words)}
    flags = dict(_FLAGS[word] for word in words.split() if word in _FLAGS)
    return ModelProfile(
        context_tokens=numbers.get("context", base.context_tokens),
        output_tokens=numbers.get("output", base.output_tokens),
        reasons=flags.get("reasons", base.reasons),
        has_fences=flags.get("has_fences", base.has_fences),
    )
