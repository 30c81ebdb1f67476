"""The planner that asks a language model: a plan first, then code step by step, repaired with what building and judging it showed.

It never builds, runs or judges, and never believes a number of the model's. Example::

    planner = LlmPlanner(provider, accounts, catalogue, settings, Stamps(job, new_id, now_ms))
    plan = await planner.plan(request)
    async for rewrite in planner.rewrites(request, plan.steps[0]): ...
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from assistant.config import Settings
from assistant.model.completion import CompletionFailure, FailureKind, ModelRole
from assistant.model.plan import NO_MODEL, Decline, DeclineReason, Origin, Plan, Rewrite, Setback, Step, UnwrittenStep, WrittenCode
from assistant.plan.catalogue import Catalogue
from assistant.plan.llm.agent import LlmAgent
from assistant.plan.llm.code.library import Prompt, load_prompts
from assistant.plan.llm.code.parts import region_of
from assistant.plan.llm.code.region import edit_of
from assistant.plan.llm.code.unusable import UnusableAnswer
from assistant.plan.llm.explaining import explanation_of
from assistant.plan.llm.first_kernel import FirstKernelWriter
from assistant.plan.llm.inputs import Inputs
from assistant.plan.llm.planning import MOST_STEPS, MOST_STEPS_WITH_CODE, plan_of
from assistant.plan.llm.questions import question
from assistant.plan.llm.reading.answers import EXPLANATION, PLAN, PLAN_AND_CODE, Form, PlanAndCode, Value
from assistant.plan.llm.talk import Answer, NoAnswer, Stamps, Talk
from assistant.plan.llm.writing import Writer
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.planner import PlanRequest, Story
from assistant.ports.provider import Accounts, Provider

__all__ = ["LlmPlanner"]


class LlmPlanner:
    """Plans and writes by asking a `Provider`."""

    def __init__(
        self,
        provider: Provider,
        accounts: Accounts,
        catalogue: Catalogue,
        settings: Settings,
        stamps: Stamps,
        island: int = 0,
        in_flight: asyncio.Semaphore | None = None,
    ) -> None:
        """``island``: whose model it asks; ``in_flight``: as in `Talk`."""
        library = load_prompts()
        self._library = library
        self._settings = settings
        self._talk = Talk(provider, accounts, library, settings, stamps, island, in_flight)
        self._inputs = Inputs(self._talk, library, catalogue, settings)
        self._writer = Writer(self._talk, self._inputs)

    def agent(self) -> LlmAgent:
        """The same model with tools."""
        served = self._talk.served(ModelRole.CODER)
        return LlmAgent(self._talk, self._inputs, f"agent:{served.model or served.provider}")

    def first_kernels(self) -> FirstKernelWriter:
        """The same model, for PyTorch tasks that have no CUDA."""
        return FirstKernelWriter(self._talk, self._library)

    @property
    def name(self) -> str:
        """``llm:`` and the model that is asked to plan; where the endpoint or a person chooses it, the kind of provider."""
        served = self._talk.served(ModelRole.PLANNER)
        return f"llm:{served.model or served.provider}"

    async def plan(self, request: PlanRequest) -> Plan:
        """The model's steps, best first; without an answer no step, and a decline that says why."""
        unreachable = self._talk.lasting(ModelRole.CODER)
        if unreachable is not None:  # no model would carry the plan out
            return self._no_plan(request, unreachable)
        is_one_call = self._settings.provider.plan_with_code
        prompt = await self._inputs.plan(request, MOST_STEPS_WITH_CODE if is_one_call else MOST_STEPS, is_one_call)
        if isinstance(prompt, CompletionFailure):
            return self._no_plan(request, prompt)
        if is_one_call:
            both = await self._asked(request, prompt, PLAN_AND_CODE)
            if isinstance(both, NoAnswer):
                return self._no_plan(request, both.failure)
            origin = Origin(shown(both.model, NAME_CHARACTERS), both.calls)
            codes = {step: WrittenCode(code.model_dump_json(), origin) for step, code in both.value.codes.items()}
            plan = plan_of(request, both.value.plan, self.name, codes)
            return replace(plan, notes=(*plan.notes, *_asked_again(request, both.value)))
        answer = await self._asked(request, prompt, PLAN)
        if isinstance(answer, NoAnswer):
            return self._no_plan(request, answer.failure)
        return plan_of(request, answer.value, self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite | UnwrittenStep]:
        """As many as ``search.variants`` says, each shown what the ones before it were; ends early at a step that cannot be written."""
        written = list[Rewrite]()
        for _ in range(self._settings.search.variants):
            made = await self._writer.written(request, step, tuple(written))
            yield made
            if isinstance(made, UnwrittenStep):
                return
            written.append(made)

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep | None:
        """The candidate repaired with what the compiler, the judge or the counters reported."""
        return await self._writer.improved(request, step, rewrite, setback)

    async def explained(self, story: Story) -> str | None:
        """Markdown; None where the model does not answer: the explanation from evidence alone stands anyway."""
        prompt = self._inputs.explain(story)
        if isinstance(prompt, CompletionFailure):
            return None
        answer = await self._talk.ask(ModelRole.SUMMARISER, prompt, EXPLANATION, about=question(story.before, "explain", story.diff))
        return None if isinstance(answer, NoAnswer) else explanation_of(self._library, story, answer.value, answer.model)

    async def _asked(self, request: PlanRequest, prompt: Prompt, form: Form[Value]) -> Answer[Value] | NoAnswer:
        """For a plan; once more where no answer came in time, as without a plan the kernel's search ends."""
        answer = await self._talk.ask(ModelRole.PLANNER, prompt, form, about=question(request, "plan"))
        if isinstance(answer, NoAnswer) and answer.failure.kind is FailureKind.TIMED_OUT:
            return await self._talk.ask(ModelRole.PLANNER, prompt, form, about=question(request, "plan"))
        return answer

    def _no_plan(self, request: PlanRequest, failure: CompletionFailure) -> Plan:
        reason = f"{failure.message}; {failure.remedy}"
        decline = Decline(NO_MODEL, request.kernel.key, request.kernel.line, reason, DeclineReason.MODEL_UNAVAILABLE)
        return Plan((), (decline,), self.name)


def _asked_again(request: PlanRequest, both: PlanAndCode) -> tuple[str, ...]:
    """Which code came with the plan and cannot be taken."""
    edits = {number: edit_of(region_of(request), code) for number, code in both.codes.items()}
    refused = {number: edit.reason for number, edit in edits.items() if isinstance(edit, UnusableAnswer)}
    problems = sorted({**both.problems, **refused}.items())
    again = (f"the code of step {number} that came with the plan is asked for again: {problem}" for number, problem in problems)
    return (*again, *(f"code that came with the plan is left out: {problem}" for problem in both.left_out))
