"""A step as an edit: the model is asked for the region's new text, which is refused with one more chance, or taken.

Example::

    await Writer(talk, inputs).written(request, step, ())    # Rewrite(…, origin=Origin("small", ("M01…",))) or UnwrittenStep(…)
"""

from __future__ import annotations

from assistant.model.completion import ChatMessage, CompletionFailure, ModelRole
from assistant.model.plan import Origin, Rewrite, Setback, Step, UnwrittenStep, UnwrittenStepCode
from assistant.model.verification import Label
from assistant.plan.llm.answers import CODE
from assistant.plan.llm.claims import checked, condition
from assistant.plan.llm.inputs import Inputs
from assistant.plan.llm.library import Prompt
from assistant.plan.llm.parts import region_of
from assistant.plan.llm.planning import risk_labels
from assistant.plan.llm.region import RegionEdit, edit_of
from assistant.plan.llm.schemas import CodeReply
from assistant.plan.llm.talk import NoAnswer, Talk
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.planner import PlanRequest

__all__ = ["Writer"]

_MOST_REGION_REPAIRS = 1
"""Attempts to repair an edit that cannot be made (issue 6)."""


class Writer:
    """Asks the coder."""

    def __init__(self, talk: Talk, inputs: Inputs) -> None:
        self._talk = talk
        self._inputs = inputs

    async def written(self, request: PlanRequest, step: Step, others: tuple[Rewrite, ...]) -> Rewrite | UnwrittenStep:
        """The step as it came with its plan, or written anew, unlike ``others``."""
        if step.written is not None and not others:
            reply = CodeReply.model_validate_json(step.written.answer)
            edit = edit_of(region_of(request), reply)
            if isinstance(edit, RegionEdit):
                return _rewrite(request, step, reply, edit, step.written.origin)
        prompt = await self._inputs.code(request, step, others)
        return await self._edited(request, step, prompt)

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep:
        """The candidate that ``rewrite`` made, repaired; an edit of the request's text again."""
        prompt = await self._inputs.improve(request, step, rewrite, setback)
        earlier = () if rewrite.origin is None else rewrite.origin.calls
        return await self._edited(request, step, prompt, earlier)

    async def _edited(
        self, request: PlanRequest, step: Step, prompt: Prompt | CompletionFailure, calls: tuple[str, ...] = ()
    ) -> Rewrite | UnwrittenStep:
        if isinstance(prompt, CompletionFailure):
            return UnwrittenStep(UnwrittenStepCode.NO_ANSWER, f"{prompt.message}; {prompt.remedy}", calls)
        earlier: tuple[ChatMessage, ...] = ()
        reason = ""
        for _ in range(1 + _MOST_REGION_REPAIRS):
            answer = await self._talk.ask(ModelRole.CODER, prompt, CODE, earlier)
            calls = (*calls, *answer.calls)
            if isinstance(answer, NoAnswer):
                return UnwrittenStep(UnwrittenStepCode.NO_ANSWER, f"{answer.failure.message}; {answer.failure.remedy}", calls)
            if _is_given_up(answer.value):
                return UnwrittenStep(UnwrittenStepCode.GIVEN_UP, _why_given_up(answer.value, request.parsed.source.text), calls)
            edit = edit_of(region_of(request), answer.value)
            if isinstance(edit, RegionEdit):
                return _rewrite(request, step, answer.value, edit, Origin(shown(answer.model, NAME_CHARACTERS), calls))
            reason, earlier = edit.reason, answer.messages
            prompt = self._inputs.refused(edit)
        return UnwrittenStep(UnwrittenStepCode.UNUSABLE_ANSWER, f"the model's edit cannot be made: {reason}", calls)


def _is_given_up(reply: CodeReply) -> bool:
    """An answer that changes nothing says that the step is not worth an edit."""
    return not (reply.parts or reply.launches or reply.includes)


def _why_given_up(reply: CodeReply, code: str) -> str:
    said = checked(reply.summary, (), code).text
    return f"the model gives the step up: {said}" if said else "the model gives the step up"


def _rewrite(request: PlanRequest, step: Step, reply: CodeReply, edit: RegionEdit, origin: Origin) -> Rewrite:
    code = request.parsed.source.text
    summary = checked(reply.summary, (), code)
    assumptions = (*edit.assumptions, *(condition(text, code) for text in reply.assumptions if text))  # that there is one is always said
    assumed = (Label.ASSUMPTION,) if assumptions else ()
    return Rewrite(
        technique=step.technique,
        kernel=request.kernel.key,
        line=step.line,
        edits=edit.edits,
        in_others=edit.in_others,
        summary=summary.text or f"Rewrite the kernel: {step.title or step.technique}.",
        labels=tuple(dict.fromkeys((*edit.labels, *assumed, *step.labels, *risk_labels(reply.risks)))),
        predictions=step.predictions,
        assumptions=assumptions,
        origin=origin,
    )
