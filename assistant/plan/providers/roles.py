"""Which endpoint, model and key each role is served by, from the settings.

A key goes only to the endpoint that it was named for: ``OPENAI_API_KEY``, the default name, only to OpenAI's own host, and the key of
``provider.base_url`` never to another endpoint that one role was given. An endpoint on this machine needs no key.
"""

from __future__ import annotations

import ipaddress
from dataclasses import replace
from urllib.parse import urlsplit

from assistant.config.provider_settings import ProviderSettings
from assistant.errors import UsageError
from assistant.model.completion import ModelRole
from assistant.record import Record

__all__ = ["OPENAI_URL", "RoleEndpoint", "is_local", "role_endpoints"]

OPENAI_URL = "https://api.openai.com/v1"
"""Where requests go if `provider.base_url` is absent."""


class RoleEndpoint(Record):
    """Who serves one role."""

    base_url: str
    """Without a slash at its end."""
    model: str | None
    key_variable: str | None
    """Environment variable with the key; None: no key was named for this endpoint."""


def role_endpoints(settings: ProviderSettings, role: ModelRole) -> tuple[RoleEndpoint, ...]:
    """Of the first island of a search and of the further ones, in turn; explanations are one model's.

    Raises UsageError for a base URL that is none, or that holds a password.
    """
    own_url, own_model, own_key = _own(settings, role)
    shared_url = _checked_url(settings.base_url or OPENAI_URL)
    base_url = shared_url if own_url is None else _checked_url(own_url)
    first = RoleEndpoint(base_url, own_model or settings.model, own_key or _shared_key(settings, base_url, shared_url))
    others = () if role is ModelRole.SUMMARISER else settings.island_models
    return (first, *(replace(first, model=model) for model in others))


def is_local(base_url: str) -> bool:
    """Whether the endpoint is on this machine, by its name alone."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _own(settings: ProviderSettings, role: ModelRole) -> tuple[str | None, str | None, str | None]:
    """(base URL, model, key variable) that only this role has."""
    match role:
        case ModelRole.PLANNER:
            return settings.planner_base_url, settings.planner_model, settings.planner_key_env
        case ModelRole.CODER:
            return settings.coder_base_url, settings.coder_model, settings.coder_key_env
        case ModelRole.SUMMARISER:
            return settings.summariser_base_url, settings.summariser_model, settings.summariser_key_env


def _shared_key(settings: ProviderSettings, base_url: str, shared_url: str) -> str | None:
    """``provider.key_env``, if it was named for this endpoint."""
    if base_url != shared_url:
        return None
    is_named = "key_env" in settings.model_fields_set
    return settings.key_env if is_named or urlsplit(base_url).hostname == urlsplit(OPENAI_URL).hostname else None


def _checked_url(text: str) -> str:
    remedy = "write it like http://localhost:11434/v1; keys come from the environment"
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise UsageError(f"provider.base_url is no URL: {error}", remedy) from error
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError("provider.base_url holds more than scheme, host, port and path", remedy)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"provider.base_url is not an http or https URL: {text!r}", remedy)
    return text.rstrip("/")
