"""The search of one kernel by a model that works with tools, in the place of rounds: it asks, the judge answers, until it submits.

Its edits meet the judge that all candidates meet, and are kept in memory like them. It ends when it submits or asks for nothing more, at
the job's caps, after ``search.agent_turns`` turns, or where it keeps asking for what it was answered. Example::

    result = await AgentRound(context, services, node, agent).run()
    result.kept      # all that were kept; the one that it submitted is marked
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from assistant.engine.ids import new_id
from assistant.engine.proposals import forbidden
from assistant.engine.report import findings_event
from assistant.engine.search.agent_tools import (
    INSPECT,
    PROFILE_LINES,
    RECALL,
    SUBMIT,
    TOOLS,
    inspected,
    judged,
    profiled_lines,
    recalled,
)
from assistant.engine.search.attempts import attempt_record
from assistant.engine.search.context import RoundResult, SearchContext, SearchServices
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.host_code import labelled
from assistant.engine.search.round_trials import candidate_tried, constrained
from assistant.engine.search.setbacks import summary_of_trial
from assistant.engine.search.together import gathered
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.completion import ToolCall
from assistant.model.plan import AttemptSummary, Step
from assistant.model.profile import Severity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.plan.shown import NAME_CHARACTERS, shown
from assistant.ports.agent import UNREADABLE, Agent, AgentEnded, Conversation, ToolAnswer, WrittenEdit
from assistant.ports.planner import PlanRequest

__all__ = ["AgentRound", "agent_search"]

_JUDGE = "judge"
_SAID_CHARACTERS = 200
_MOST_IN_VAIN = 3
"""Turns in a row that ask for nothing but what was asked for before."""


def agent_search(agent: Agent) -> Callable[[SearchContext, SearchServices, SearchNode, int], Awaitable[RoundResult]]:
    """What does the whole search from one version with ``agent``, which has one island (`SearchServices.run_round`)."""

    async def run(context: SearchContext, services: SearchServices, node: SearchNode, _island: int) -> RoundResult:
        return await AgentRound(context, services, node, agent).run()

    return run


class AgentRound:
    """One conversation, while it goes on."""

    def __init__(self, context: SearchContext, services: SearchServices, node: SearchNode, agent: Agent) -> None:
        self._context = context
        self._services = services
        self._node = node
        self._agent = agent
        self._trials: dict[str, Trial] = {}
        self._withheld: list[str] = []
        self._submitted: str | None = None
        self._asked: set[tuple[str, str]] = set()
        """Names and arguments of all calls so far."""
        self._in_vain = 0
        """Turns in a row that asked for nothing new."""

    async def run(self) -> RoundResult:
        items = self._context.planned(self._node)
        self._context.job.emit(*(findings_event(self._context.job, item) for item in items))
        if items:
            request = self._services.request(self._node, items)
            await self._converse(request, self._agent.begin(request, TOOLS))
        return RoundResult(self._kept(), self._node, True, tuple(self._withheld))

    async def _converse(self, request: PlanRequest, conversation: Conversation) -> None:
        answers: list[ToolAnswer] = []
        for _ in range(self._context.shape.agent_turns):
            turn = await conversation.turn(answers)
            if isinstance(turn, AgentEnded):
                self._say(f"the agent ends: {turn.reason}")
                return
            if not turn.calls:
                self._say("the agent asks for nothing more")
                return
            self._note(turn.calls)
            if self._in_vain == _MOST_IN_VAIN:
                self._say("the agent ends: it repeats calls that were answered")
                return
            answers = await self._all_answered(request, conversation, turn.calls)
            if self._submitted is not None:
                return
            if self._is_full:
                self._say(f"the agent ends: {self._services.accounts.why_out_of_time or 'no further candidate may be tried'}")
                return
        self._say(f"the agent ends after {self._context.shape.agent_turns} turns", "search.agent_turns allows more")

    def _note(self, calls: Sequence[ToolCall]) -> None:
        asked = {(call.name, call.arguments) for call in calls}
        self._in_vain = self._in_vain + 1 if asked <= self._asked else 0
        self._asked |= asked

    async def _all_answered(self, request: PlanRequest, conversation: Conversation, calls: Sequence[ToolCall]) -> list[ToolAnswer]:
        """The results of the calls of one turn, in their order; edits are judged at once, as far as labs and caps allow."""
        found: dict[int, str] = {}

        async def answer(place: int, call: ToolCall) -> None:
            found[place] = await self._answered(request, conversation, call)

        async with gathered() as works:
            for place, call in enumerate(calls):
                works.begin(answer(place, call))
        return [ToolAnswer(call, found[place]) for place, call in enumerate(calls)]

    async def _answered(self, request: PlanRequest, conversation: Conversation, call: ToolCall) -> str:
        """The result of a call, in words for the model; an error for a call that cannot be read."""
        arguments = _arguments(call)
        if arguments is None:
            return "the arguments are no JSON object"
        candidate = arguments.get("candidate") or None
        match call.name:
            case "judge":
                return await self._judged(conversation, call)
            case "inspect" | "profile_lines":
                return self._shown(call.name, candidate)
            case "recall":
                return recalled(request.recalled, arguments.get("technique"))
            case "submit":
                return self._submit(candidate)
            case other:
                return f"there is no tool {other[:40]!r}; there are {', '.join((_JUDGE, INSPECT, PROFILE_LINES, RECALL, SUBMIT))}"

    def _shown(self, name: str, candidate: str | None) -> str:
        if candidate is None:
            text, kernels = self._node.text, self._context.planned(self._node)
        elif candidate in self._trials:
            text, kernels = self._trials[candidate].text, self._trials[candidate].after
        else:
            return f"there is no candidate {candidate[:40]!r}"
        return inspected(text, kernels) if name == INSPECT else profiled_lines(kernels)

    def _submit(self, candidate: str | None) -> str:
        if self._submitted is not None:
            return f"{self._submitted} was submitted before"
        trial = None if candidate is None else self._trials.get(candidate)
        if trial is None or trial.node is None:
            return "that candidate was not kept; submit one whose outcome is kept"
        self._submitted = trial.id
        return "submitted"

    @property
    def _is_full(self) -> bool:
        return self._services.accounts.is_out_of_time or self._services.history.is_full

    async def _judged(self, conversation: Conversation, call: ToolCall) -> str:
        edit = conversation.edit(call)
        if isinstance(edit, str):
            self._report_no_edit(call, edit)
            return edit
        history = self._services.history
        if self._is_full or not await history.place():
            return "not tried: no further candidate may be tried; submit one that was kept"
        try:
            return await self._tried_or_not(edit)
        finally:
            history.give_back()

    async def _tried_or_not(self, edit: WrittenEdit) -> str:
        """The verdict on an edit for which a place is held, or why it is not tried."""
        refusal = await self._why_not(edit)
        if refusal is not None:
            outcome, reason = refusal
            self._report_unjudged(edit.step, edit.rewrite.summary, outcome, reason)
            return reason
        after = edited_texts(self._node, edit.rewrite)
        if not isinstance(after, EditedTexts):
            return judged(await self._tried(edit))
        self._services.history.begun(after.key)
        trial = await self._tried(edit)
        self._services.history.ended(self._node.key, after.key, trial)  # as it was written; tuning may have made other texts of it
        return judged(trial)

    async def _why_not(self, edit: WrittenEdit) -> tuple[TrialOutcome, str] | None:
        """Why an edit is not even tried."""
        context, history, step = self._context, self._services.history, edit.step
        rewrite = labelled(self._node.evaluation.version, edit.rewrite, self._services.host_code)
        rule = forbidden(context.options.rules, step.technique, rewrite.labels)
        if rule is not None:
            return TrialOutcome.CONSTRAINED, rule
        if (step.technique, step.line) in context.refused:
            return TrialOutcome.CONSTRAINED, "a person turned it down here"
        after = edited_texts(self._node, rewrite)
        if isinstance(after, EditedTexts) and not history.is_to_be_tuned(after.key, rewrite):
            known = history.known(self._node.key, after.key)
            same = history.same_code(after.key) if known is None else known.id
            if same is not None:
                return TrialOutcome.DUPLICATE, f"it is the same as {same}"
        if Label.HOST_CODE in rewrite.labels:
            name = f"{step.technique} of {context.kernel}"
            if not await self._services.host_code.asked(name):
                self._withheld.append(name)
                return TrialOutcome.NOT_ALLOWED, "it edits host code, which was not allowed: keep to the kernel and what it calls"
        return None

    async def _tried(self, edit: WrittenEdit) -> Trial:
        context, job = self._context, self._context.job
        rewrite = labelled(self._node.evaluation.version, edit.rewrite, self._services.host_code)
        job.emit(events.StageStarted(job.id, "candidate", f"{context.kernel}: judges {edit.step.technique} of the agent"))
        found = await self._services.trials.judge(self._node, edit.step, rewrite)
        trial = constrained(context, found)
        if trial.node is not None and trial.ratio is not None:
            trial = replace(trial, node=replace(trial.node, ratio=self._node.ratio * trial.ratio))
        known = context.earlier.tried(self._node.key, trial.key)
        if known is not None:
            return self._taken_up(trial, known)
        self._trials[trial.id] = trial
        now_ms = self._services.accounts.now_ms()
        self._services.store.add_attempt(attempt_record(job, context.workspace, self._node, context.assessed(self._node), found, now_ms))
        job.emit(candidate_tried(context, self._node, trial))
        await job.delivered()
        self._services.history.add(self._node.key, trial, summary_of_trial(trial, self._node.evaluation.version))
        return trial

    def _taken_up(self, trial: Trial, known: Attempt) -> Trial:
        """A candidate that the search which this one goes on with had tried: its agent knows it by its id of then."""
        node = None if trial.node is None else replace(trial.node, attempts=(*trial.node.attempts[:-1], known.id))
        trial = replace(trial, id=known.id, node=node)
        self._trials[trial.id] = trial
        self._services.history.add_again(self._node.key, trial)
        self._say(f"takes up {trial.step.technique} at line {trial.step.line}, which {self._context.earlier.job} had tried")
        return trial

    def _kept(self) -> tuple[SearchNode, ...]:
        """All that was kept: where what was submitted does not hold, another one may."""
        kept = ((trial.id, trial.node) for trial in self._trials.values())
        return tuple(replace(node, is_submitted=name == self._submitted) for name, node in kept if node is not None)

    def _report_unjudged(self, step: Step, summary: str, outcome: TrialOutcome, reason: str) -> None:
        self._services.history.add_unjudged(AttemptSummary(step.technique, step.line, summary, outcome, reason, None))
        job = self._context.job
        job.emit(events.CandidateTried(job.id, new_id("C"), step.technique, self._context.kernel, outcome, reason, None))

    def _report_no_edit(self, call: ToolCall, reason: str) -> None:
        """That a call of `judge` holds no edit that can be made."""
        technique = shown((_arguments(call) or {}).get("technique") or "rewrite", NAME_CHARACTERS)
        job = self._context.job
        job.emit(events.CandidateTried(job.id, new_id("C"), technique, self._context.kernel, TrialOutcome.UNWRITTEN, reason, None))

    def _say(self, text: str, remedy: str | None = None) -> None:
        self._context.job.say(Severity.INFORMATION, f"{self._context.kernel}: {text[:_SAID_CHARACTERS]}", remedy)


def _arguments(call: ToolCall) -> dict[str, str] | None:
    """Of a call, as far as they are texts; None where they are no JSON object."""
    try:
        found = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or UNREADABLE in found:
        return None
    return {str(name): value for name, value in found.items() if isinstance(value, str)}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # JSON
