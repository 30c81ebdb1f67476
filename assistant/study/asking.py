"""One draw: a frozen version is planned and written anew, with the signals, the plan and the models of an arm. Judges nothing.

Example::

    answer = await asker.answer(opened, arm, index=0)      # Answer, or NoSample where no model answered
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assistant.config import Settings
from assistant.engine.search import Models
from assistant.model.completion import CompletionFailure, CompletionRequest, ModelCall, ModelRole, ServedModel, Spending
from assistant.model.plan import Rewrite, Step, UnwrittenStep
from assistant.plan.budget import added
from assistant.plan.llm.code.library import load_prompts
from assistant.plan.llm.reading.answers import PLAN, BadReply
from assistant.ports.planner import Planner, PlanRequest
from assistant.ports.provider import Accounts, Provider
from assistant.record import Record
from assistant.study.arms import Arm, PlanShown, Signal, StudyDesign
from assistant.study.frozen_node import FrozenNode
from assistant.study.outcomes import Answer

__all__ = ["Asker", "NoSample", "arm_settings", "masked"]

_FREE = "free-choice"
"""Technique of a step that no plan names; the catalogue has none of that name."""
_FREE_TITLE = "One change of your choice"
_USUAL_PLAN_CHARACTERS = 600
"""Of a plan's step where none was recorded (chosen)."""
_NO_STEP = "the plan has no step"


class NoSample(Record):
    """No model answered: that says nothing about the arm."""

    reason: str
    remedy: str


@dataclass
class _DrawAccounts:
    """The job's accounts, which note what one draw spent and whether its last call was answered."""

    inner: Accounts
    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    refused: CompletionFailure | None = None

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        self.refused = self.inner.refusal(served, input_token_count, max_output_tokens)
        return self.refused

    def lasting(self, served: ServedModel) -> CompletionFailure | None:
        found = self.inner.lasting(served)
        self.refused = found or self.refused
        return found

    def answered(self, request: CompletionRequest) -> ModelCall | None:
        """Each draw is asked anew."""
        return None

    async def room(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> None:
        await self.inner.room(served, input_token_count, max_output_tokens)

    def sending(self, request: CompletionRequest, served: ServedModel, input_token_count: int) -> None:
        self.inner.sending(request, served, input_token_count)

    def record(self, call: ModelCall) -> None:
        self.calls.append(call)
        self.inner.record(call)

    def writing(self, role: ModelRole, piece: str) -> None:
        self.inner.writing(role, piece)

    @property
    def failure(self) -> CompletionFailure | None:
        """Why no model answered; None where the last call was."""
        if self.refused is not None:
            return self.refused
        last = self.calls[-1].answer if self.calls else None
        return last if isinstance(last, CompletionFailure) else None

    @property
    def spending(self) -> Spending:
        total = Spending()
        for call in self.calls:
            total = added(total, call.spending)
        return total


class Asker(Record):
    """Asks the models of a study about one frozen node."""

    design: StudyDesign
    settings: Settings
    models: Models
    provider_of: Callable[[Arm, int], Provider]
    """Given an arm and the number of a draw: who is asked."""
    accounts: Accounts
    job: str
    node: FrozenNode
    request: PlanRequest
    """With all signals."""
    other: PlanRequest | None = None
    """Of another node, whose signals are shown as random feedback."""

    async def answer(self, arm: Arm, index: int) -> Answer | NoSample:
        """The plan, where the arm has one, then the code of its first step."""
        accounts = _DrawAccounts(self.accounts)
        settings = arm_settings(self.settings, self.design, arm, index)
        planner = self.models.planner(True, self.provider_of(arm, index), accounts, settings, self.job)
        request = masked(self.request, self.design, arm, self.other)
        step = await self._step(planner, request, arm)
        written: Rewrite | UnwrittenStep | None = None
        if step is not None and accounts.failure is None:
            written = await anext(aiter(planner.rewrites(request, step)))
        if accounts.failure is not None:
            return NoSample(accounts.failure.message, accounts.failure.remedy)
        return Answer(
            node=self.node.id,
            arm=arm.key,
            index=index,
            step=step,
            rewrite=written if isinstance(written, Rewrite) else None,
            reason=written.reason if isinstance(written, UnwrittenStep) else "" if step is not None else _NO_STEP,
            calls=tuple(call.request.id for call in accounts.calls),
            spending=accounts.spending,
        )

    async def _step(self, planner: Planner, request: PlanRequest, arm: Arm) -> Step | None:
        match arm.plan:
            case PlanShown.OWN:
                return next(iter((await planner.plan(request)).steps), None)
            case PlanShown.NONE:
                return _free_step(planner.name, request, load_prompts().render("study-no-plan", {}).text)
            case PlanShown.DUMMY:
                count = {"character_count": _plan_characters(self.node)}
                return _free_step(planner.name, request, load_prompts().render("study-dummy-plan", count).text)


def arm_settings(settings: Settings, design: StudyDesign, arm: Arm, index: int) -> Settings:
    """What the arm's models are asked with: plan and code apart, one rewrite, the signals of the arm, the seed of the draw."""
    signals = {signal.name: _form(settings, signal, signal.name in arm.shown) for signal in design.signals if signal.name != "verdicts"}
    provider: dict[str, object] = {"plan_with_code": False, "temperature": design.temperature}
    provider["seed"] = None if design.model_seed is None else design.model_seed + index
    return settings.model_copy(
        update={
            "signals": settings.signals.model_copy(update=signals),
            "provider": settings.provider.model_copy(update=provider),
            "search": settings.search.model_copy(update={"variants": 1}),
        }
    )


def _form(settings: Settings, signal: Signal, is_shown: bool) -> str:
    return (signal.form or getattr(settings.signals, signal.name)) if is_shown else "off"


def masked(request: PlanRequest, design: StudyDesign, arm: Arm, other: PlanRequest | None) -> PlanRequest:
    """The request as the arm has it, as far as settings do not say: without what was tried, or with another node's signals."""
    if arm.is_feedback_random:
        assert other is not None, "random feedback needs a second node"
        request = _with_signals_of(request, other)
    varies = any(signal.name == "verdicts" for signal in design.signals)
    return replace(request, tried=()) if varies and "verdicts" not in arm.shown else request


def _with_signals_of(request: PlanRequest, other: PlanRequest) -> PlanRequest:
    """``request``'s code with all that was counted, compiled, recalled and tried of ``other``'s."""
    return replace(
        request,
        profiles=other.profiles,
        findings=other.findings,
        evidence=other.evidence,
        resources=other.resources,
        recalled=other.recalled,
        tried=other.tried,
        diagnostics=other.diagnostics,
        recorded=other.recorded,
        reaches=other.reaches,
    )


def _free_step(planner: str, request: PlanRequest, text: str) -> Step:
    """A step that says nothing of what to do but ``text``."""
    return Step(
        technique=_FREE,
        kernel=request.kernel.key,
        line=request.kernel.line,
        rationale=text.strip(),
        evidence=(),
        finding="",
        predictions=(),
        rank=0.0,
        planner=planner,
        title=_FREE_TITLE,
        is_opinion=True,
        design=text.strip(),
    )


def _plan_characters(node: FrozenNode) -> int:
    """Of the first step of the recorded plan, as it stood in the question for its code."""
    reply = PLAN.read(node.plan_answer) if node.plan_answer else None
    if reply is None or isinstance(reply, BadReply) or not reply.steps:
        return _USUAL_PLAN_CHARACTERS
    first = reply.steps[0]
    return len("\n\n".join(text for text in (first.rationale, first.design) if text)) or _USUAL_PLAN_CHARACTERS
