"""Decides whether an editor's job may use a language model: asked once per workspace and endpoint, before the job is queued.

The editor's own model asks for itself, showing the request to the person, so it is not asked about here. Example::

    consents = ModelConsents(TrustStore(user_paths().trust), client.ask_model)
    options = await consents.agreed(OptimizeOptions(), settings, path, kernel_count=2)
    options.may_call_models        # True or False: the job itself never asks
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from assistant.config import ConsentAnswer, EndpointConsent, Settings, TrustStore, find_workspace, user_paths, workspace_folder
from assistant.engine import OptimizeOptions
from assistant.engine.search import ModelNotice, model_notice
from assistant.errors import UsageError
from assistant.model.completion import ModelRole, ServedModel

__all__ = ["AskModelConsent", "ModelConsents"]

AskModelConsent = Callable[[ModelNotice], Awaitable[ConsentAnswer | None]]
"""Shows the notice to a person; None: no answer, which counts as no."""


class ModelConsents:
    """Asks for one front end."""

    def __init__(self, trust: TrustStore, ask: AskModelConsent) -> None:
        self._trust = trust
        self._ask = ask

    async def agreed(self, options: OptimizeOptions, settings: Settings, path: Path, kernel_count: int) -> OptimizeOptions:
        """The options with the person's answer; the expert planner is used where no model is set, or the answer is no."""
        kind = options.planner or settings.planner
        if kind == "expert" or settings.provider.kind == "none":
            return options
        if settings.provider.kind == "editor":
            return replace(options, may_call_models=True)
        try:
            served = _served(settings, path, is_agent=kind == "agent")
        except UsageError:  # the job reports what is wrong with the settings
            return replace(options, may_call_models=True)
        notice = model_notice(served, path, options, settings, kernel_count, is_named=kind == "llm")
        return replace(options, may_call_models=await self._may_call(notice))

    async def _may_call(self, notice: ModelNotice) -> bool:
        consents = [EndpointConsent(notice.workspace, endpoint) for endpoint in notice.endpoints]
        known = [self._trust.consent(consent) for consent in consents]
        if ConsentAnswer.NEVER in known:
            return False
        if None not in known:
            return True
        answer = await self._ask(notice)
        if answer is not None:
            for consent in consents:
                self._trust.answer(consent, answer)
        return answer in (ConsentAnswer.ONCE, ConsentAnswer.ALWAYS)


def _served(settings: Settings, path: Path, is_agent: bool) -> tuple[ServedModel, ...]:
    """Who plans, writes and explains, as the job's provider reports them. Raises UsageError for settings that name no model."""
    from assistant.plan.providers import read_prices
    from assistant.plan.providers.roles import role_endpoints

    prices = read_prices(user_paths().prices)

    def of(role: ModelRole) -> list[ServedModel]:
        if settings.provider.kind == "manual":
            return [ServedModel(role, "manual", str(workspace_folder(find_workspace(path)) / "prompts"), "", prices.price("manual", ""))]
        named = [(each.base_url, each.model or "") for each in role_endpoints(settings.provider, role)]
        return [
            ServedModel(role, settings.provider.kind, url, model, prices.price(url, model))
            for url, model in named[: 1 if is_agent else None]
        ]

    return tuple(model for role in (ModelRole.PLANNER, ModelRole.CODER, ModelRole.SUMMARISER) for model in of(role))
