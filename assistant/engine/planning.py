"""Who plans a search: the expert, a language model, or both; who may start a model, what it may cost, what a person is told first.

A model is asked only in a job that the user started, and only where a person said yes: at the first use per workspace and endpoint, or by
naming ``--planner llm`` where nobody can be asked. Otherwise the expert plans, and the job says why. Example::

    choice = PlannerChoice(load_models, expert, job, options, loaded, store, earlier, ask)
    async for event in choice.made(kernel_count=2): ...
    choice.planner, choice.shape, choice.accounts
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from assistant.config import LoadedSettings, Settings, find_workspace, user_paths
from assistant.engine.accounts import JobAccounts, OnWriting
from assistant.engine.aside import Aside
from assistant.engine.job import Job
from assistant.engine.request import OptimizeOptions
from assistant.engine.resume import Earlier, spent_by
from assistant.engine.shape import SearchShape, shape_for_models, shape_for_rules
from assistant.engine.spending_words import caps_words, estimate_words
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.completion import Caps, ModelRole, ServedModel, Spending
from assistant.model.profile import Severity
from assistant.plan.budget import MANUAL, Extent, estimate, keepable
from assistant.ports import Accounts, Planner, Provider, Store

__all__ = ["AskModel", "ModelNotice", "Models", "PlannerChoice", "model_notice"]

_SENT = "the source of the kernel with its launches, counters, findings, compiler messages, and what was tried"
_OWN_ORIGINS = ("command line", "editor user")
"""Places of a setting that only the user writes."""


@dataclass(frozen=True)
class ModelNotice:
    """What a person is told before a model is asked."""

    workspace: Path
    file: Path
    served: tuple[ServedModel, ...]
    """Who answers, each once."""
    estimate: Spending
    caps: Caps
    is_named: bool
    """The user asked for a model by name (``--planner llm``)."""

    @property
    def endpoints(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(model.endpoint for model in self.served))

    @property
    def lines(self) -> tuple[str, ...]:
        """What is sent, where, and what it may cost."""
        models = ", ".join(dict.fromkeys(map(_named, self.served)))
        money = "; no money is spent by kernelopt" if all(model.provider == MANUAL for model in self.served) else ""
        return (
            f"{self.file.name} is to be optimized with a language model: {models}",
            f"it is sent {_SENT}; the exact text of every request is kept in memory",
            f"{estimate_words(self.estimate)}{money}; {caps_words(self.caps)}",
        )


AskModel = Callable[[ModelNotice], Awaitable[str | None]]
"""Puts the notice before a person; None is a yes, else the reason for not asking a model."""


class Models(Protocol):
    """What builds providers and the planners that ask them."""

    def provider(self, settings: Settings, workspace: Path, on_waiting: Callable[[Path, Path], None]) -> Provider:
        """Raises UsageError where the settings name nobody who is here."""
        ...

    def planner(self, is_alone: bool, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> Planner:
        """A model alone, or one beside the expert."""
        ...


@dataclass
class PlannerChoice:
    """Makes the choice for one job; holds the provider until ``close``."""

    load_models: Callable[[], Models] | None
    planner: Planner
    """The expert, until a model is chosen."""
    job: Job
    options: OptimizeOptions
    loaded: LoadedSettings
    store: Store
    earlier: Earlier
    ask: AskModel | None = None
    on_writing: OnWriting | None = None
    aside: Aside = field(default_factory=Aside)
    shape: SearchShape = field(init=False)
    accounts: JobAccounts = field(init=False)
    _provider: Provider | None = None
    _is_agreed: bool = False

    def __post_init__(self) -> None:
        self.shape = shape_for_rules(self.loaded.settings)
        caps = _caps(self.options, self.loaded.settings)
        planner = "" if self.options.planner is None else f" --planner {self.options.planner}"
        self.accounts = JobAccounts(self.job, self.store, caps, self.aside, self.on_writing, self._spent_earlier(), planner)

    async def made(self, kernel_count: int) -> AsyncIterator[events.Event]:
        """What a person is told of it. Raises UsageError where a model was asked for by name and none can be."""
        kind = self.options.planner or self.loaded.settings.planner
        settings = self.loaded.settings
        if self.load_models is None or kind == "expert" or (kind == "auto" and settings.provider.kind == "none"):
            return
        models = self.load_models()
        try:
            self._provider = models.provider(settings, find_workspace(self.job.request.file), self._waits)
        except UsageError as error:
            if kind == "llm":
                raise
            yield self._expert_plans(error.message, error.remedy)
            return
        served = tuple(map(self._provider.served, (ModelRole.PLANNER, ModelRole.CODER, ModelRole.SUMMARISER)))
        notice = model_notice(served, self.job.request.file, self.options, settings, kernel_count, self._is_named(kind))
        async for event in self._asked(notice):
            yield event
        if self._is_agreed:
            self.planner = models.planner(kind == "llm", self._provider, self.accounts, settings, self.job.id)
            self.shape = shape_for_models(settings)

    def _is_named(self, kind: str) -> bool:
        """Whether the user asked for a model: a setting that came with the workspace is nobody's word."""
        is_own = self.options.planner is not None or self.loaded.origins["planner"] in (*_OWN_ORIGINS, str(user_paths().config))
        return kind == "llm" and is_own

    async def close(self) -> None:
        if self._provider is not None:
            await self._provider.close()

    async def _asked(self, notice: ModelNotice) -> AsyncIterator[events.Event]:
        """Ask whoever can be asked; on a yes the meter begins."""
        if self.options.may_call_models is None and self.ask is not None:
            yield events.StageStarted(self.job.id, "consent", f"sends source text to {', '.join(notice.endpoints)}")
            reason = await self.ask(notice)
        elif self.options.may_call_models or (self.options.may_call_models is None and notice.is_named):
            reason = None
        else:
            reason = "nobody agreed to asking a language model"
        if reason is not None:
            yield self._expert_plans(reason, None if notice.is_named else "--planner llm asks for a model by name")
            return
        for line in () if self.ask is not None else notice.lines:
            yield self.job.message(Severity.INFORMATION, line)
        if notice.caps != self.accounts.caps:
            yield self.job.message(Severity.WARNING, _unkeepable(notice.caps), "kernelopt doctor --llm names the price table")
        self.accounts.begin(notice.caps, notice.estimate)
        for event in self.aside.taken():
            yield event
        self._is_agreed = True

    def _spent_earlier(self) -> Spending:
        """By the search that this one goes on with: the caps are the whole search's."""
        return spent_by(self.store, dict.fromkeys(event.job for event in self.earlier.log if event.job is not None))

    def _expert_plans(self, reason: str, remedy: str | None) -> events.Message:
        return self.job.message(Severity.INFORMATION, f"the expert planner plans: {reason}", remedy)

    def _waits(self, prompt: Path, answer: Path) -> None:
        """A person is the model: say which file waits for what."""
        self.aside.tell(self.job.message(Severity.INFORMATION, f"waits for an answer to {prompt}", f"paste the answer into {answer}"))


def _named(served: ServedModel) -> str:
    """Who answers, and where."""
    if served.provider == MANUAL:
        return f"whichever you paste the prompts of {served.endpoint} into"
    return f"{served.model} at {served.endpoint}" if served.model else served.endpoint


def model_notice(
    served: tuple[ServedModel, ...], file: Path, options: OptimizeOptions, settings: Settings, kernel_count: int, is_named: bool
) -> ModelNotice:
    """``served``: planner, coder and summariser."""
    return ModelNotice(
        workspace=find_workspace(file),
        file=file,
        served=tuple({(model.endpoint, model.model): model for model in served}.values()),
        estimate=estimate(_extent(options, settings, kernel_count), *served),
        caps=keepable(_caps(options, settings), served),
        is_named=is_named,
    )


def _caps(options: OptimizeOptions, settings: Settings) -> Caps:
    """Of the command line, else of the settings."""
    given, budget = options.caps, settings.budget
    return Caps(
        money_usd=budget.money_usd if given.money_usd is None else given.money_usd,
        token_count=budget.tokens if given.token_count is None else given.token_count,
        gpu_s=budget.gpu_s if given.gpu_s is None else given.gpu_s,
        round_count=budget.rounds if given.round_count is None else given.round_count,
    )


def _extent(options: OptimizeOptions, settings: Settings, kernel_count: int) -> Extent:
    rounds = options.max_rounds * settings.search.beam
    return Extent(
        plan_count=kernel_count * rounds,
        code_count=kernel_count * options.max_candidates,
        explanation_count=kernel_count,
        input_token_count=settings.provider.max_input_tokens,
        max_output_tokens=settings.provider.max_output_tokens,
    )


def _unkeepable(caps: Caps) -> str:
    instead = "" if caps.token_count is None else f"; {caps_words(caps)} instead"
    return f"the price of a model is unknown, so that no money cap can be promised{instead}"
