"""Whether the language models that the settings name can be asked: one tiny call each, of a prompt that holds no source text."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from assistant.engine.doctor.doctor import Part
from assistant.engine.ids import new_id
from assistant.model.completion import (
    ChatMessage,
    Completion,
    CompletionFailure,
    CompletionRequest,
    ModelRole,
    Price,
    ReplySchema,
    ServedModel,
)
from assistant.plan.llm.code.library import load_prompts
from assistant.plan.providers.roles import is_local
from assistant.ports.provider import Provider

__all__ = ["examine_models"]

_MAX_OUTPUT_TOKENS = 2000
"""For ten characters: models that think before they answer count their thoughts."""
_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


async def examine_models(provider: Provider) -> tuple[Part, ...]:
    """One part for each model; roles that share one share the call."""
    return tuple([await _examined(provider, roles, served) for served, roles in _served(provider)])


def _served(provider: Provider) -> Iterator[tuple[ServedModel, tuple[ModelRole, ...]]]:
    by_model: dict[tuple[str, str], list[ServedModel]] = {}
    for served in map(provider.served, ModelRole):
        by_model.setdefault((served.endpoint, served.model), []).append(served)
    for same in by_model.values():
        yield same[0], tuple(served.role for served in same)


async def _examined(provider: Provider, roles: tuple[ModelRole, ...], served: ServedModel) -> Part:
    name = f"model ({', '.join(role.value for role in roles)})"
    if served.provider == "manual":
        return Part(name, True, True, "a person answers: prompts and answers are files below .kernelopt/prompts of the workspace", "")
    where = f"{served.model} at {served.endpoint}" if served.model else served.endpoint
    began_s = time.monotonic()
    answer = await provider.complete(_request(served.role), lambda _: None)
    duration_s = time.monotonic() - began_s
    match answer:
        case CompletionFailure(message=message, remedy=remedy):
            return Part(name, False, True, f"{served.model}: {message}" if served.model else message, remedy)
        case Completion():
            facts = (f"{where} answered in {duration_s:.1f} s", *_facts(answer, served.price))
            remedies = (*_remedies(answer), *_cautions(served))
            return Part(name, _is_right(answer), True, "; ".join(facts), "; ".join(remedies))


def _request(role: ModelRole) -> CompletionRequest:
    prompt = load_prompts().render("doctor", {})
    return CompletionRequest(
        id=new_id("M"),
        role=role,
        prompt=prompt.name,
        messages=(ChatMessage("user", prompt.text),),
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        reply=ReplySchema("doctor", json.dumps(_SCHEMA)),
    )


def _facts(answer: Completion, price: Price | None) -> Iterator[str]:
    if answer.model:
        yield f"it calls itself {answer.model}"
    if not _is_right(answer):
        yield "not with the JSON that it was asked for"
    if answer.input_token_count is None or answer.output_token_count is None:
        yield "it does not count tokens, so they are estimated"
    if price is None:
        yield "its price is not known, so budget.money_usd cannot bound it"
    else:
        yield f"${price.input_usd_per_million_tokens:g} in and ${price.output_usd_per_million_tokens:g} out per million tokens"


def _remedies(answer: Completion) -> Iterator[str]:
    if not _is_right(answer):
        yield "take a model that follows instructions: plans and code come as JSON, and are asked for again at most twice"


def _cautions(served: ServedModel) -> Iterator[str]:
    if urlsplit(served.endpoint).scheme == "http" and not is_local(served.endpoint):
        yield "use https: source text goes to this endpoint unencrypted"


def _is_right(answer: Completion) -> bool:
    try:
        answered: object = json.loads(answer.text)
    except ValueError:
        return False
    return isinstance(answered, Mapping) and set(answered) == {"ok"}  # pyright: ignore[reportUnknownArgumentType]  (any JSON object)
