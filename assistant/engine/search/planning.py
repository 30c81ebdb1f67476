"""Who plans a search: the expert, a language model, or both; who may start a model, what it may cost, what a person is shown first.

A model is asked only in a job that the user started, and only where a person agreed: at the first use per workspace and endpoint, or by
naming ``--planner llm`` where no person can be asked. Otherwise the expert plans, and the job says why. Example::

    choice = PlannerChoice(load_models, expert, job, options, loaded, store, earlier, ask)
    async with choice.made(kernel_count=2) as chosen:
        chosen.planner, chosen.shape, chosen.accounts
"""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from assistant.config import LoadedSettings, Settings, find_workspace, user_paths
from assistant.engine.job import Job
from assistant.engine.request import OptimizeOptions
from assistant.engine.search.accounts import JobAccounts, OnWriting
from assistant.engine.search.host_code import AskHostCode
from assistant.engine.search.resume import EarlierSearch, spent_by
from assistant.engine.search.shape import SearchShape, shape_for_agents, shape_for_models, shape_for_rules
from assistant.engine.search.spending_words import caps_words, estimate_words
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.completion import Caps, ModelRole, ServedModel, Spending
from assistant.model.profile import Severity
from assistant.plan.budget import MANUAL, Extent, call_cost, estimate, keepable
from assistant.plan.profiles import call_limits
from assistant.ports.agent import Agent
from assistant.ports.operator_writer import OperatorWriter
from assistant.ports.planner import Planner
from assistant.ports.provider import Accounts, Provider
from assistant.ports.store import SearchStore
from assistant.record import Record

__all__ = [
    "NO_CALLBACKS",
    "AskModel",
    "ChosenPlanner",
    "ModelNotice",
    "Models",
    "PlannerChoice",
    "SearchCallbacks",
    "asked_once",
    "model_notice",
]

LLM, AGENT = "llm", "agent"
"""Planners that a user asks for by name: a model that plans, and one that works with tools."""
_SENT = "the source of the kernel with its launches, counters, findings, compiler messages, and what was tried"
_TASK = ".py"
_OWN_ORIGINS = ("command line", "editor user")
"""Places of a setting that only the user writes."""


class ModelNotice(Record):
    """What a person is shown before a model is asked."""

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
        task = "the text of the task, and " if self.file.suffix == _TASK else ""
        return (
            f"{self.file.name} is to be optimized with a language model: {models}",
            f"it is sent {task}{_SENT}; the exact text of every request is kept in memory",
            f"{estimate_words(self.estimate)}{money}; {caps_words(self.caps)}",
        )


AskModel = Callable[[ModelNotice], Awaitable[str | None]]
"""Puts the notice before a person; None is a yes, else the reason for not asking a model."""


class Models(Protocol):
    """What builds providers and the planners that ask them."""

    def provider(self, settings: Settings, workspace: Path, on_waiting: Callable[[Path, Path], None]) -> Provider:
        """Raises UsageError where the settings name a provider that is not here."""
        ...

    def planner(self, is_alone: bool, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> Planner:
        """A model alone, or one together with the expert."""
        ...

    def agent(self, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> tuple[Agent, Planner]:
        """A model that works with tools, and the planner that explains what it found."""
        ...

    def writer(self, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> OperatorWriter:
        """A model that writes first kernels of PyTorch tasks."""
        ...


class ChosenPlanner(Record):
    """Who plans one job, how its search goes, and its meter."""

    planner: Planner
    shape: SearchShape
    accounts: JobAccounts
    agent: Agent | None = None
    """Takes the place of rounds, where one was chosen."""


class PlannerChoice(Record):
    """Makes the choice for one job."""

    load_models: Callable[[], Models] | None
    expert: Planner
    """Plans where no model is chosen."""
    job: Job
    options: OptimizeOptions
    loaded: LoadedSettings
    store: SearchStore
    earlier: EarlierSearch
    ask: AskModel | None = None
    on_writing: OnWriting | None = None

    @asynccontextmanager
    async def made(self, kernel_count: int) -> AsyncGenerator[ChosenPlanner]:
        """The choice, for as long as the block lasts; what a person should know of it is reported.

        Raises UsageError where a model was asked for by name and none can be.
        """
        accounts = self._accounts()
        async with self._asked(accounts, kernel_count) as asked:
            yield (
                ChosenPlanner(self.expert, shape_for_rules(self.loaded.settings), accounts)
                if asked is None
                else self._by_model(asked, accounts)
            )

    @asynccontextmanager
    async def writer(self) -> AsyncGenerator[OperatorWriter | None]:
        """Who writes the first kernel of a PyTorch task, while the block lasts; None where no model may be asked. Raises as `made`."""
        accounts = self._accounts()
        async with self._asked(accounts, 1) as asked:
            yield None if asked is None else asked[0].writer(asked[1], accounts, self.loaded.settings, self.job.id)

    def _accounts(self) -> JobAccounts:
        return JobAccounts(
            self.job,
            self.store,
            _caps(self.options, self.loaded.settings),
            self.on_writing,
            self._spent_earlier(),
            "" if self.options.planner is None else f" --planner {self.options.planner}",
            [call for job in self._earlier_jobs() for call in self.store.model_calls(job)],
        )

    @property
    def _kind(self) -> str:
        return self.options.planner or self.loaded.settings.planner

    @asynccontextmanager
    async def _asked(self, accounts: JobAccounts, kernel_count: int) -> AsyncGenerator[tuple[Models, Provider] | None]:
        """The models that may be asked; None where none may."""
        settings, kind = self.loaded.settings, self._kind
        models, provider = self._provider(kind)
        if models is None or provider is None:
            yield None
            return
        try:
            islands = range(1 if kind == AGENT else settings.provider.island_model_count)
            served = (
                *(provider.served(role, island) for role in (ModelRole.PLANNER, ModelRole.CODER) for island in islands),
                provider.served(ModelRole.SUMMARISER),
            )
            notice = model_notice(served, self.job.request.file, self.options, settings, kernel_count, self._is_named(kind))
            coders = [model for model in served if model.role is ModelRole.CODER]
            yield (models, provider) if await self._agreed(notice, accounts, coders) else None
        finally:
            await provider.close()

    def _by_model(self, asked: tuple[Models, Provider], accounts: JobAccounts) -> ChosenPlanner:
        (models, provider), settings, kind = asked, self.loaded.settings, self._kind
        if kind == AGENT:
            agent, explaining = models.agent(provider, accounts, settings, self.job.id)
            return ChosenPlanner(explaining, shape_for_agents(settings), accounts, agent)
        planner = models.planner(kind == LLM, provider, accounts, settings, self.job.id)
        return ChosenPlanner(planner, shape_for_models(settings), accounts)

    @property
    def _is_without_models(self) -> bool:
        """Whether no model is wanted, or none is known."""
        return self._kind == "expert" or (self._kind == "auto" and self.loaded.settings.provider.kind == "none")

    def _provider(self, kind: str) -> tuple[Models | None, Provider | None]:
        """The provider that may be asked; None where there is none. Raises UsageError where one was asked for by name."""
        settings = self.loaded.settings
        if self.load_models is None or self._is_without_models:
            return None, None
        models = self.load_models()
        try:
            return models, models.provider(settings, find_workspace(self.job.request.file), self._waits)
        except UsageError as error:
            if kind in (LLM, AGENT):
                raise
            self._say_expert_plans(error.message, error.remedy)
            return models, None

    def _is_named(self, kind: str) -> bool:
        """Whether the user asked for a model: a setting that came with the workspace does not count."""
        is_own = self.options.planner is not None or self.loaded.origins["planner"] in (*_OWN_ORIGINS, str(user_paths().config))
        return kind in (LLM, AGENT) and is_own

    async def _agreed(self, notice: ModelNotice, accounts: JobAccounts, coders: Sequence[ServedModel]) -> bool:
        """Whether the person who can be asked says yes; then the meter begins."""
        if self.options.may_call_models is None and self.ask is not None:
            self.job.emit(events.StageStarted(self.job.id, "consent", f"sends source text to {', '.join(notice.endpoints)}"))
            await self.job.delivered()
            reason = await self.ask(notice)
        elif self.options.may_call_models or (self.options.may_call_models is None and notice.is_named):
            reason = None
        else:
            reason = "no person agreed to asking a language model"
        if reason is not None:
            self._say_expert_plans(reason, None if notice.is_named else "--planner llm asks for a model by name")
            return False
        for line in () if self.ask is not None else notice.lines:
            self.job.say(Severity.INFORMATION, line)
        if notice.caps != accounts.caps:
            self.job.say(Severity.WARNING, _unkeepable(notice.caps), "kernelopt doctor --llm names the price table")
        accounts.begin(notice.caps, notice.estimate, coders)
        return True

    def _spent_earlier(self) -> Spending:
        """By the search that this one goes on with, and earlier in this job: the caps are the whole search's."""
        in_this_one = () if self._is_without_models else (self.job.id,)
        return spent_by(self.store, dict.fromkeys((*self._earlier_jobs(), *in_this_one)))

    def _earlier_jobs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(event.job for event in self.earlier.log if event.job is not None))

    def _say_expert_plans(self, reason: str, remedy: str | None) -> None:
        self.job.say(Severity.INFORMATION, f"the expert planner plans: {reason}", remedy)

    def _waits(self, prompt: Path, answer: Path) -> None:
        """A person is the model: say which file waits for what."""
        self.job.say(Severity.INFORMATION, f"waits for an answer to {prompt}", f"paste the answer into {answer}")


def _named(served: ServedModel) -> str:
    """Who answers, and where."""
    if served.provider == MANUAL:
        return f"whichever you paste the prompts of {served.endpoint} into"
    return f"{served.model} at {served.endpoint}" if served.model else served.endpoint


def model_notice(
    served: tuple[ServedModel, ...], file: Path, options: OptimizeOptions, settings: Settings, kernel_count: int, is_named: bool
) -> ModelNotice:
    """``served``: who plans, writes and explains; of several for one thing the dearest is what the estimate goes by."""
    extent = _extent(options, settings, kernel_count, served)
    return ModelNotice(
        workspace=find_workspace(file),
        file=file,
        served=tuple({(model.endpoint, model.model): model for model in served}.values()),
        estimate=estimate(extent, *(_dearest(served, role, extent) for role in (ModelRole.PLANNER, ModelRole.CODER, ModelRole.SUMMARISER))),
        caps=keepable(_caps(options, settings), served),
        is_named=is_named,
    )


def _dearest(served: Iterable[ServedModel], role: ModelRole, extent: Extent) -> ServedModel:
    """One whose price is unknown before all others."""

    def cost(model: ServedModel) -> float:
        found = call_cost(model.price, extent.input_token_count, extent.max_output_tokens)
        return math.inf if found is None else found

    return max((model for model in served if model.role is role), key=cost)


def _caps(options: OptimizeOptions, settings: Settings) -> Caps:
    """Caps given on the command line, else in the settings."""
    given, budget = options.caps, settings.budget
    return Caps(
        money_usd=budget.money_usd if given.money_usd is None else given.money_usd,
        token_count=budget.tokens if given.token_count is None else given.token_count,
        gpu_s=budget.gpu_s if given.gpu_s is None else given.gpu_s,
        round_count=budget.rounds if given.round_count is None else given.round_count,
        wall_s=budget.wall_s if given.wall_s is None else given.wall_s,
    )


def _extent(options: OptimizeOptions, settings: Settings, kernel_count: int, served: Sequence[ServedModel]) -> Extent:
    limits = [call_limits(settings.provider, model.model, model.role) for model in served]
    rounds = options.max_rounds * settings.search.beam
    return Extent(
        plan_count=kernel_count * rounds,
        code_count=kernel_count * options.max_candidates,
        explanation_count=kernel_count,
        input_token_count=max(one.input_tokens for one in limits),
        max_output_tokens=max(one.output_tokens for one in limits),
    )


def _unkeepable(caps: Caps) -> str:
    instead = "" if caps.token_count is None else f"; {caps_words(caps)} instead"
    return f"the price of a model is unknown, so that no money cap can be promised{instead}"


class SearchCallbacks(Record):
    """Who answers what comes up in a search, and who watches."""

    host_code: AskHostCode | None = None
    """Whether candidates may edit host code, where the options do not allow it; None counts as no."""
    model: AskModel | None = None
    """Whether a language model may be asked; None: only where it was asked for by name, or agreed to in the options."""
    on_writing: OnWriting | None = None
    """Is given the pieces of a model's answer."""


def asked_once(ask: AskModel | None) -> AskModel | None:
    """The same person, whose first answer holds for the rest of the job."""
    if ask is None:
        return None
    answers: list[str | None] = []

    async def answered(notice: ModelNotice) -> str | None:
        if not answers:
            answers.append(await ask(notice))
        return answers[0]

    return answered


NO_CALLBACKS = SearchCallbacks()
"""No person is asked, none watches."""
