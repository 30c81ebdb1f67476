"""A step as an edit: the model is asked for the region's new text, which is refused with one more chance, or taken.

Example::

    await Writer(talk, inputs).written(request, step, ())    # Rewrite(…, origin=Origin("small", ("M01…",))) or UnwrittenStep(…)
"""

from __future__ import annotations

import json

from assistant.model.completion import ChatMessage, CompletionFailure, ModelRole
from assistant.model.plan import Origin, Rewrite, Setback, Step, Tunable, UnwrittenStep, UnwrittenStepCode
from assistant.model.verification import Label
from assistant.plan.llm.claims import checked, condition
from assistant.plan.llm.code.library import Prompt
from assistant.plan.llm.code.parts import region_of
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.inputs import Inputs
from assistant.plan.llm.planning import risk_labels
from assistant.plan.llm.questions import question
from assistant.plan.llm.reading.answers import CODE, CODE_IN_JSON
from assistant.plan.llm.reading.schemas import CodeReply
from assistant.plan.llm.talk import NoAnswer, Talk
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["Writer", "rewrite_of"]

_MOST_REGION_REPAIRS = 1
"""Attempts to repair an edit that cannot be made (issue 6)."""


class _Conversation(Record):
    """What is asked next, and what was before that."""

    prompt: Prompt | CompletionFailure
    about: str
    """As `CompletionRequest.about`."""
    calls: tuple[str, ...] = ()
    """Ids of the calls that led here."""
    earlier: tuple[ChatMessage, ...] = ()
    """Messages that follow the prompt."""


class Writer:
    """Asks the coder."""

    def __init__(self, talk: Talk, inputs: Inputs) -> None:
        self._talk = talk
        self._inputs = inputs

    async def written(self, request: PlanRequest, step: Step, others: tuple[Rewrite, ...]) -> Rewrite | UnwrittenStep:
        """The step as it came with its plan, or written anew, unlike ``others``."""
        about = question(request, "code", step.technique, str(step.line), step.design, str(len(others)))
        if step.written is None or others:
            return await self._edited(request, step, _Conversation(await self._inputs.code(request, step, others), about))
        reply, origin = CodeReply.model_validate_json(step.written.answer), step.written.origin
        edit = edit_of(region_of(request), reply)
        if isinstance(edit, RegionEdit):
            return rewrite_of(request, step, reply, edit, origin)
        prompt = await self._inputs.code(request, step, others)
        if isinstance(prompt, CompletionFailure):
            return _unanswered(prompt, origin.calls)
        earlier = self._talk.opened(ModelRole.CODER, prompt, _as_answered(reply, self._talk.limits(ModelRole.CODER).has_fences))
        return await self._edited(request, step, _Conversation(self._inputs.refused(edit), about, origin.calls, earlier))

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep:
        """The candidate that ``rewrite`` made, repaired; an edit of the request's text again."""
        prompt = await self._inputs.improve(request, step, rewrite, setback)
        earlier = () if rewrite.origin is None else rewrite.origin.calls
        about = question(request, "improve", step.technique, str(step.line), setback.text, repr(rewrite.in_others), setback.kind)
        return await self._edited(request, step, _Conversation(prompt, about, earlier))

    async def _edited(self, request: PlanRequest, step: Step, asked: _Conversation) -> Rewrite | UnwrittenStep:
        prompt, calls, earlier, reason = asked.prompt, asked.calls, asked.earlier, ""
        if isinstance(prompt, CompletionFailure):
            return _unanswered(prompt, calls)
        form = CODE if self._talk.limits(ModelRole.CODER).has_fences else CODE_IN_JSON
        for _ in range(1 + _MOST_REGION_REPAIRS):
            answer = await self._talk.ask(ModelRole.CODER, prompt, form, earlier, asked.about)
            calls = (*calls, *answer.calls)
            if isinstance(answer, NoAnswer):
                return _unanswered(answer.failure, calls)
            if _is_given_up(answer.value):
                return UnwrittenStep(UnwrittenStepCode.GIVEN_UP, _why_given_up(answer.value, request.parsed.source.text), calls)
            edit = edit_of(region_of(request), answer.value)
            if isinstance(edit, RegionEdit):
                return rewrite_of(request, step, answer.value, edit, Origin(shown(answer.model, NAME_CHARACTERS), calls))
            reason, earlier = edit.reason, answer.messages
            prompt = self._inputs.refused(edit)
        return UnwrittenStep(UnwrittenStepCode.UNUSABLE_ANSWER, f"the model's edit cannot be made: {reason}", calls)


def _unanswered(failure: CompletionFailure, calls: tuple[str, ...]) -> UnwrittenStep:
    return UnwrittenStep(UnwrittenStepCode.NO_ANSWER, f"{failure.message}; {failure.remedy}", calls)


def _as_answered(reply: CodeReply, has_fences: bool) -> str:
    """An answer in the form in which code is asked for."""
    if not has_fences:
        return reply.model_dump_json(exclude={"step", "tuning_fault"})
    header = json.dumps(reply.model_dump(exclude={"parts", "step", "tuning_fault"}), ensure_ascii=False)
    return "\n\n".join((header, *(f"```cuda part={part.part}\n{part.code}\n```" for part in reply.parts)))


def _is_given_up(reply: CodeReply) -> bool:
    """An answer that changes nothing says that the step is not worth an edit."""
    return not (reply.parts or reply.launches or reply.includes)


def _why_given_up(reply: CodeReply, code: str) -> str:
    said = checked(reply.summary, (), code).text
    return f"the model gives the step up: {said}" if said else "the model gives the step up"


def rewrite_of(request: PlanRequest, step: Step, reply: CodeReply, edit: RegionEdit, origin: Origin) -> Rewrite:
    """The edit of a step as a candidate."""
    code = request.parsed.source.text
    summary = checked(reply.summary, (), code)
    assumptions = (*edit.assumptions, *(condition(text, code) for text in reply.assumptions if text))  # that there is one is always shown
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
        tunables=tuple(Tunable(one.name, tuple(one.values)) for one in reply.tune),
        constraints=tuple(reply.constraints),
        tuning_fault=reply.tuning_fault,
    )
