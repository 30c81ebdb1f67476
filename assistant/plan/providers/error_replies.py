"""What an endpoint's error means, as a `CompletionFailure`. Pure; decides by status and by the error's code, never by its text."""

from __future__ import annotations

from assistant.model.completion import CompletionFailure, FailureKind
from assistant.plan.shown import shown
from assistant.record import Record

__all__ = ["SAID_LENGTH", "ErrorReply", "failure_of", "may_pass", "plain"]

_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_LENGTH_CODES = frozenset({"context_length_exceeded", "string_above_max_length"})
_FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})
"""Codes as OpenAI's guide "Error codes" and Azure's "Content filtering" give them."""
_PASSING = frozenset({408, 409, 425, 429})
_SERVER_ERRORS = 500
SAID_LENGTH = 300
"""Characters of an endpoint's own words that are shown."""
_REMEDIES = {
    FailureKind.FORBIDDEN: "check the key in the environment variable that provider.key_env names",
    FailureKind.QUOTA: "check what the account at this endpoint has left",
    FailureKind.NO_MODEL: "check provider.model and provider.base_url; kernelopt doctor --llm tries them",
    FailureKind.TOO_LARGE: "lower provider.max_input_tokens or provider.max_output_tokens, or take a model with a longer context",
    FailureKind.BLOCKED: "ask another model, or go on with --planner expert",
    FailureKind.RATE_LIMITED: "wait, or set provider.requests_per_minute to what the endpoint allows",
    FailureKind.UNREACHABLE: "try again later; kernelopt doctor --llm tries the endpoint",
    FailureKind.REFUSED: "check provider.temperature, provider.seed and provider.structured_outputs against what the endpoint takes",
}


class ErrorReply(Record):
    """A status that is no success."""

    endpoint: str
    status: int
    code: str | None
    """Machine-readable, where the endpoint sent one."""
    said: str
    """Its own words, without keys; untrusted."""


def failure_of(refusal: ErrorReply) -> CompletionFailure:
    kind = _kind(refusal)
    said = shown(refusal.said, SAID_LENGTH)
    message = f"{refusal.endpoint} answered {refusal.status}" + (f": {said}" if said else "")
    return CompletionFailure(kind, message, _REMEDIES[kind])


def may_pass(refusal: ErrorReply) -> bool:
    """Whether the same request may succeed later."""
    return _kind(refusal) is not FailureKind.QUOTA and (refusal.status in _PASSING or refusal.status >= _SERVER_ERRORS)


def plain(said: str) -> str:
    """An endpoint's words on one line, without what a terminal would obey."""
    return "".join(character for character in " ".join(said.split()) if character.isprintable())


def _kind(refusal: ErrorReply) -> FailureKind:
    if refusal.code in _QUOTA_CODES or refusal.status == 402:
        return FailureKind.QUOTA
    if refusal.code in _LENGTH_CODES or refusal.status == 413:
        return FailureKind.TOO_LARGE
    if refusal.code in _FILTER_CODES:
        return FailureKind.BLOCKED
    match refusal.status:
        case 401 | 403:
            return FailureKind.FORBIDDEN
        case 404 | 405 | 410:
            return FailureKind.NO_MODEL
        case 429:
            return FailureKind.RATE_LIMITED
        case status if 400 <= status < _SERVER_ERRORS and status not in _PASSING:
            return FailureKind.REFUSED
        case _:
            return FailureKind.UNREACHABLE
