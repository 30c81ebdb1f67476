"""The provider that the settings mean, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assistant.config.provider_settings import ProviderSettings
from assistant.config.remedies import how_to_set_a_model
from assistant.config.settings import Settings
from assistant.errors import UsageError
from assistant.model.completion import CompletionFailure, FailureKind, ModelRole
from assistant.plan.profiles import profile_of
from assistant.plan.providers.editor import EditorProvider, ModelRelay
from assistant.plan.providers.manual import ManualProvider, OnWaiting
from assistant.plan.providers.patience import Patience
from assistant.plan.providers.prices import PriceTable
from assistant.plan.providers.roles import OPENAI_URL, RoleEndpoint, is_local, role_endpoints
from assistant.plan.providers.wire import Dialect
from assistant.ports.provider import Provider
from assistant.record import Record

if TYPE_CHECKING:
    from assistant.plan.providers.endpoint import Connection

__all__ = ["ProviderSetup", "open_provider", "patience_for"]

_SILENCE_S = 300.0
_REASONING_SILENCE_S = 1200.0
"""Of a model that reasons (chosen: endpoints that keep the reasoning to themselves send nothing meanwhile)."""


class ProviderSetup(Record):
    """What a provider needs of the place that it is opened in."""

    environment: Mapping[str, str]
    """Where keys come from."""
    folder: Path
    """For the prompt files of `manual`."""
    prices: PriceTable
    relay: ModelRelay | None = None
    """To the editor's model; None where no editor with one started the job."""
    on_waiting: OnWaiting | None = None


def open_provider(settings: Settings, around: ProviderSetup) -> Provider:
    """The provider that is asked for answers. Raises UsageError where the settings name none, or one that is not available."""
    provider = settings.provider
    match provider.kind:
        case "none":
            raise UsageError("no language model is set", how_to_set_a_model())
        case "manual":
            return ManualProvider(around.folder, around.prices, around.on_waiting)
        case "editor":
            if around.relay is None:
                raise UsageError(
                    "provider.kind is editor, but no editor with a model started this", "set provider.kind to openai or manual"
                )
            return EditorProvider(around.relay, patience_for(provider, ""), around.prices)
        case "openai":
            return _endpoint_provider(provider, around)


def _endpoint_provider(settings: ProviderSettings, around: ProviderSetup) -> Provider:
    from assistant.plan.providers.endpoint import EndpointProvider  # it takes half a second, and most commands ask no model

    connections = {role: [_connection(settings, role, each, around) for each in role_endpoints(settings, role)] for role in ModelRole}
    return EndpointProvider(connections, settings.requests_per_minute)


def _connection(settings: ProviderSettings, role: ModelRole, endpoint: RoleEndpoint, around: ProviderSetup) -> Connection:
    from assistant.plan.providers.endpoint import Connection

    if not endpoint.model:
        raise UsageError("no model is named", f"set provider.model or provider.{role.value}_model")
    key = around.environment.get(endpoint.key_variable, "").strip() if endpoint.key_variable else ""
    is_missing = not key and not is_local(endpoint.base_url)
    return Connection(
        base_url=endpoint.base_url,
        model=endpoint.model,
        key=key or None,
        patience=patience_for(settings, endpoint.model),
        dialect=_dialect(settings, endpoint.base_url),
        may_drop_schemas=settings.structured_outputs == "auto",
        price=around.prices.price(endpoint.base_url, endpoint.model),
        missing=_no_key(endpoint.base_url, endpoint.key_variable) if is_missing else None,
    )


def _dialect(settings: ProviderSettings, base_url: str) -> Dialect:
    is_openai = urlsplit(base_url).hostname == urlsplit(OPENAI_URL).hostname
    return Dialect("max_completion_tokens" if is_openai else "max_tokens", settings.structured_outputs != "off")


def _no_key(base_url: str, variable: str | None) -> CompletionFailure:
    if variable is None:
        message = f"no key was named for {base_url}"
        remedy = "set provider.key_env to the environment variable that holds its key"
    else:
        message = f"the environment variable {variable} with the key of {base_url} is not set"
        remedy = f"set {variable} in the environment that kernelopt starts in"
    return CompletionFailure(FailureKind.NO_KEY, message, remedy)


def patience_for(settings: ProviderSettings, model: str) -> Patience:
    """How long an answer of ``model`` is waited for."""
    profile = profile_of(model, settings.profiles)
    reasons = profile is not None and profile.reasons
    silence_s = settings.timeout_s or (_REASONING_SILENCE_S if reasons else _SILENCE_S)
    return Patience(silence_s, max(silence_s, settings.longest_answer_s))
