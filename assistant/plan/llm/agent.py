"""A model that works with tools, as the engine sees it: one conversation for each kernel, within the job's budget.

The engine runs what is asked for; this module renders the first prompt, sends each turn and reads edits. Example::

    conversation = LlmAgent(talk, inputs, name).begin(request, tools)
    turn = await conversation.turn(())
    conversation.edit(turn.calls[0])     # WrittenEdit(Step(…), Rewrite(…)) or "parts: …"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import ValidationError

from assistant.model.completion import ChatMessage, Completion, CompletionFailure, FailureKind, ModelRole, ToolCall, ToolSpec
from assistant.model.plan import Origin
from assistant.plan.llm.code.library import Prompt
from assistant.plan.llm.code.parts import region_of
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.dialogue import Dialogue
from assistant.plan.llm.inputs import Inputs
from assistant.plan.llm.planning import plan_of
from assistant.plan.llm.questions import question
from assistant.plan.llm.reading.answers import faults
from assistant.plan.llm.reading.schemas import CodeReply, PlannedStep, PlanReply, reply_schema
from assistant.plan.llm.reading.tool_calls import arguments_of, plain_call
from assistant.plan.llm.talk import Talk
from assistant.plan.llm.writing import rewrite_of
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.agent import AgentEnded, AgentTurn, ToolAnswer, WrittenEdit
from assistant.ports.planner import PlanRequest

__all__ = ["JUDGE", "LlmAgent"]

JUDGE = "judge"
_MOST_CUT = 2
"""Turns that end at the limit of their length without asking for anything, one after another, before the conversation ends."""
_MOST_BROKEN = 1
"""Answers of one turn that may break off or come too late: the turn is asked for again, as nothing else can be done meanwhile."""
_BROKEN = frozenset({FailureKind.TIMED_OUT, FailureKind.UNREACHABLE, FailureKind.BAD_REPLY})


class JudgedEdit(CodeReply):
    """An edit with the step that it carries out."""

    technique: str = "rewrite"
    title: str = ""
    line: int = 1
    finding: str | None = None
    rationale: str = ""


class LlmAgent:
    """Implements `ports.agent.Agent`."""

    def __init__(self, talk: Talk, inputs: Inputs, name: str) -> None:
        self._talk = talk
        self._inputs = inputs
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def begin(self, request: PlanRequest, tools: Sequence[ToolSpec]) -> LlmConversation:
        return LlmConversation(self._talk, self._inputs, request, self._name, tools)


class LlmConversation:
    """Implements `ports.agent.Conversation`."""

    def __init__(self, talk: Talk, inputs: Inputs, request: PlanRequest, name: str, tools: Sequence[ToolSpec]) -> None:
        self._talk = talk
        self._inputs = inputs
        self._request = request
        self._name = name
        judge = ToolSpec(JUDGE, "Compile, check and compare an edit of the present code.", reply_schema(JudgedEdit).json_schema)
        self._tools = (judge, *tools)
        self._dialogue: Dialogue | None = None
        self._prompt = ""
        self._is_reminded = False
        """A call was made, or the model was told to make one: it knows how to go on."""
        self._calls: tuple[str, ...] = ()
        self._model = ""

    async def turn(self, answers: Sequence[ToolAnswer]) -> AgentTurn | AgentEnded:
        dialogue = self._dialogue or await self._begun()
        if isinstance(dialogue, CompletionFailure):
            return AgentEnded(f"{dialogue.message}; {dialogue.remedy}")
        self._dialogue = dialogue
        dialogue.answer(answers)
        for _ in range(1 + _MOST_CUT):
            answer = await self._whole(dialogue)
            if isinstance(answer, CompletionFailure):
                return AgentEnded(f"{answer.message}; {answer.remedy}")
            reminder = None if answer.calls else self._reminder(answer.is_cut)
            self._is_reminded = self._is_reminded or not answer.is_cut
            if reminder is None:
                return AgentTurn(answer.calls, answer.text, self._calls)
            dialogue.add(ChatMessage("user", reminder.text))
        return AgentEnded("its answers stop at the limit of their length; provider.coder_max_output_tokens allows more")

    def _reminder(self, is_cut: bool) -> Prompt | None:
        """What is said to a turn that asks for nothing; None where it is taken to mean that nothing gains more."""
        if is_cut:
            return self._inputs.cut()
        return None if self._is_reminded else self._inputs.uncalled()

    async def _begun(self) -> Dialogue | CompletionFailure:
        prompt = await self._inputs.agent(self._request, self._tools)
        if isinstance(prompt, CompletionFailure):
            return prompt
        self._prompt = prompt.name
        return Dialogue(self._talk.system(ModelRole.CODER, has_tools=True), ChatMessage("user", prompt.text))

    async def _whole(self, dialogue: Dialogue) -> Completion | CompletionFailure:
        """The model's next message; one that breaks off is asked for once more."""
        for _ in range(_MOST_BROKEN):
            answer = await self._answered(dialogue)
            if isinstance(answer, Completion) or answer.kind not in _BROKEN or answer.partial_text is None:
                return answer
        return await self._answered(dialogue)

    async def _answered(self, dialogue: Dialogue) -> Completion | CompletionFailure:
        """The model's next message, which the dialogue holds then."""
        about = question(self._request, "agent", str(len(self._calls)))
        token_count = self._talk.limits(ModelRole.CODER).input_tokens
        messages = dialogue.within(token_count, self._tools)
        if messages is None:
            message = f"the conversation does not fit into the {token_count:,} tokens that the model can read"
            return CompletionFailure(FailureKind.TOO_LARGE, message, "raise provider.max_input_tokens, if it can read more")
        call, answer = await self._talk.turn(ModelRole.CODER, self._prompt, messages, self._tools, about)
        if isinstance(answer, Completion):
            self._calls = (*self._calls, call)
            self._model = shown(answer.model, NAME_CHARACTERS)
            answer = replace(answer, calls=tuple(map(plain_call, answer.calls)))
            dialogue.add(ChatMessage("assistant", answer.text, answer.calls))
        return answer

    def edit(self, call: ToolCall) -> WrittenEdit | str:
        try:
            given = arguments_of(call)
            if given is None:
                return "the arguments are no JSON object"
            judged = JudgedEdit.model_validate(given)
            line = min(max(1, judged.line), self._request.parsed.source.text.count("\n") + 1)
            planned = PlannedStep(
                technique=judged.technique or "rewrite",
                title=judged.title,
                line=line,
                finding=judged.finding or None,
                rationale=judged.rationale,
                differs=judged.summary or "another edit",
                risks=judged.risks,
            )
        except ValidationError as error:
            return faults(error)
        (step,) = plan_of(self._request, PlanReply(steps=[planned]), self._name).steps
        made = edit_of(region_of(self._request), judged)
        if not isinstance(made, RegionEdit):
            return f"this edit cannot be made: {made.reason}"
        rewrite = rewrite_of(self._request, step, judged, made, Origin(self._model, self._calls))
        return WrittenEdit(step, replace(rewrite, predictions=()))
