"""The meter of one job: calls kept and charged, caps enforced before money is spent, the state of both reported as events.

Implements ``ports.Accounts``. Example::

    accounts = JobAccounts(job, store, caps)
    accounts.refusal(served, input_token_count=900, max_output_tokens=8192)     # None: the call fits what is left
    accounts.sending(request, served, input_token_count=900)                    # in memory before it leaves
    accounts.record(call)                                                       # kept in memory, reported, charged
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from functools import reduce

from assistant.engine.job import Job
from assistant.engine.search.earlier_answers import EarlierAnswers
from assistant.engine.search.spending_words import cap_words, more_words, number_words, spent_words
from assistant.model import events
from assistant.model.completion import (
    CallOutcome,
    Caps,
    Completion,
    CompletionFailure,
    CompletionRequest,
    FailureKind,
    ModelCall,
    ModelRole,
    SentCall,
    ServedModel,
    Spending,
)
from assistant.model.profile import Severity
from assistant.plan.budget import added, broken_by, call_cost, reached
from assistant.ports.store import CallStore

__all__ = ["JobAccounts", "OnWriting"]

OnWriting = Callable[[ModelRole, str], None]
"""Is given each piece of an answer as it comes."""

_LASTING = frozenset(
    {FailureKind.NO_KEY, FailureKind.NO_CONSENT, FailureKind.NO_MODEL, FailureKind.FORBIDDEN, FailureKind.QUOTA, FailureKind.UNREACHABLE}
)
"""Failures that the next call of the same job would meet again; the provider has retried what may pass."""
_OF_ENDPOINT = frozenset({FailureKind.NO_CONSENT, FailureKind.UNREACHABLE})
"""Those that every model of the endpoint would end with; the others are one model's (and its key's) own."""


@dataclass
class _Holding:
    """How many hold a lab, and from when on their time is not charged yet."""

    count: int = 0
    since_s: float = 0.0


class JobAccounts:
    """What one job may spend on models, time and rounds, and what it has spent."""

    def __init__(
        self,
        job: Job,
        store: CallStore,
        caps: Caps,
        on_writing: OnWriting | None = None,
        spent: Spending | None = None,
        resume_options: str = "",
        answers: Iterable[ModelCall] = (),
    ) -> None:
        """``spent``, ``answers``: of the search that this job goes on with; ``resume_options``: that must be given again to go on."""
        self._job = job
        self._store = store
        self._caps = caps
        self._on_writing = on_writing
        self._spent = spent or Spending()
        self._resume_options = resume_options
        self._begun_s = self._now_s()
        self._kernel: str | None = None
        self._kernel_caps = Caps()
        """The part of the time that the search on one kernel may use."""
        self._ended_by: str | None = None
        self._repeated_round_count = self._spent.round_count
        """Rounds of the earlier search that are still to be gone through again; they are paid for."""
        self._lasting: dict[tuple[str, str], CompletionFailure] = {}
        """By endpoint and model (empty: all of them): what their calls of this job end with."""
        self._coders: dict[tuple[str, str], ServedModel] = {}
        """By endpoint and model: those that may be asked for code; islands of the search may have several."""
        self._refused_by: dict[tuple[str, str], str] = {}
        """By endpoint and model: the cap that leaves no room for a call of it."""
        self._estimated: dict[str, int] = {}
        """By call that is on its way: upper estimate of its prompt's tokens."""
        self._scale: dict[tuple[str, str], float] = {}
        """By endpoint and model: how many times our estimate it counted a prompt, where that was more."""
        self._doubted: set[str] = set()
        """Endpoints whose counts were reported as wrong."""
        self._held: dict[str, Spending] = {}
        """By call that is on its way: what its longest answer may cost."""
        self._holding: dict[int, _Holding] = {}
        """By lab."""
        self._returned = asyncio.Event()
        """Set when a call ends; waited for by those that have no room next to it."""
        self._answers = EarlierAnswers(answers)

    @property
    def caps(self) -> Caps:
        return self._caps

    @property
    def spent(self) -> Spending:
        if self._caps.wall_s is None:
            return self._spent
        return replace(self._spent, wall_s=self._spent.wall_s + self._now_s() - self._begun_s)

    def _now_s(self) -> float:
        """Stands still while the lab waits for a GPU that others measure on."""
        return time.monotonic() - self._job.lab.waited_s

    @property
    def ended_by(self) -> str | None:
        """The cap that ended the search; None while none did."""
        return self._ended_by

    @property
    def why_no_code(self) -> str | None:
        """Why no model would write code any more: a cap refused a call, or the coders' endpoints turned us away. None while one may."""
        reasons = [self._why_not(coder) for coder in self._coders.values()]
        return None if None in reasons else next(iter(reasons), None)

    @property
    def is_out_of_time(self) -> bool:
        """Whether no further candidate may be tried on this kernel."""
        return self.why_out_of_time is not None

    @property
    def why_out_of_time(self) -> str | None:
        """The cap on time that is reached, or the kernel's part of it, in words; None while none is."""
        cap = self._cap_on_time()
        if cap is not None:
            return f"{cap_words(cap, self._caps)} is reached"
        part = reached(self.spent, self._kernel_caps)
        return None if part is None else f"its part of {cap_words(part, self._caps)} is used up"

    @staticmethod
    def now_ms() -> int:
        return time.time_ns() // 1_000_000

    def begin(self, caps: Caps, estimate: Spending | None, coders: Iterable[ServedModel] = ()) -> None:
        """Start the meter; ``coders``: the models that may be asked for code."""
        self._caps = caps
        for coder in coders:
            self._note_coder(coder)
        self._job.emit(events.BudgetSpent(self._job.id, self._spent, caps, estimate))

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        self._note_coder(served)
        known = self.lasting(served)
        if known is not None:
            return known
        input_token_count = self._scaled(served, input_token_count)
        cap = broken_by(self._spent, self._caps, served, input_token_count, max_output_tokens)
        if cap is None:
            waits = f"{served.model or served.provider} at {served.endpoint}: {served.role.value}, up to {input_token_count:,} tokens"
            self._job.emit(events.StageStarted(self._job.id, "model", waits))
            return None
        next_call = self._at_most(served, input_token_count, max_output_tokens)
        message = f"{cap_words(cap, self._caps)} leaves no room for the next call: {spent_words(self._spent)} spent"
        remedy = self._way_on(cap, next_call)
        failure = CompletionFailure(FailureKind.OVER_BUDGET, message, remedy)
        self._refused_by[_place(served)] = cap
        self._end(cap, message, remedy)
        return failure

    def lasting(self, served: ServedModel) -> CompletionFailure | None:
        of_model = self._lasting.get(_place(served))
        return of_model or self._lasting.get((served.endpoint, ""))

    def answered(self, request: CompletionRequest) -> ModelCall | None:
        """Each answer of the earlier search once, in the order in which they came."""
        known = self._answers.taken(request.about)
        if known is not None:
            text = f"takes up the answer to {known.request.prompt} that {known.job} was given ({known.request.id})"
            self._job.say(Severity.INFORMATION, text)
        return known

    async def room(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> None:
        """Wait while calls that are under way hold what this one may need; what it may never have is for ``refusal`` to say."""
        while self._held:
            spent = reduce(added, self._held.values(), self._spent)
            counted = self._scaled(served, input_token_count)
            if broken_by(spent, self._caps, served, counted, max_output_tokens) is None:
                return
            if broken_by(self._spent, self._caps, served, counted, max_output_tokens) is not None:
                return
            self._returned.clear()
            await self._returned.wait()

    def sending(self, request: CompletionRequest, served: ServedModel, input_token_count: int) -> None:
        self._estimated[request.id] = input_token_count
        at_most = self._at_most(served, input_token_count, request.max_output_tokens)
        self._held[request.id] = at_most
        self._store.add_sent_call(SentCall(request.id, self._job.id, self.now_ms(), at_most))

    def record(self, call: ModelCall) -> None:
        self._store.add_model_call(call)
        self._held.pop(call.request.id, None)
        self._returned.set()
        self._spent = added(self._spent, call.spending)
        self._note_coder(call.served)
        self._job.emit(_called(self._job.id, call))
        self._weigh_counts(call)
        if isinstance(call.answer, CompletionFailure):
            self._failed(call.served, call.answer)
        self._report_spent()

    def writing(self, role: ModelRole, piece: str) -> None:
        if self._on_writing is not None:
            self._on_writing(role, piece)

    def leave_out(self, round_count: int) -> None:
        """Rounds of the earlier search that are not repeated: those on kernels whose search came to its end."""
        self._repeated_round_count = max(0, self._repeated_round_count - round_count)

    def begin_kernel(self, name: str, part: float, finish_s: float = 0.0) -> None:
        """The search on a kernel begins; of the time that is left it may use this part (0 to 1).

        ``finish_s``: what confirming is likely to take. That comes out of the kernel's part, up to a half of it, as the kernels behind it
        would lack it else.
        """
        spent, caps = self.spent, self._caps
        self._kernel = name
        self._kernel_caps = Caps(gpu_s=_used_at(spent.gpu_s, caps.gpu_s, part), wall_s=_used_at(spent.wall_s, caps.wall_s, part, finish_s))

    def may_begin_round(self) -> bool:
        """Whether the caps on time and rounds, and the kernel's part of the time, leave room for another round."""
        if self._repeated_round_count > 0:
            self._repeated_round_count -= 1
            return True
        if not self.may_go_on():
            return False
        cap = reached(self.spent, self._caps)
        if cap is None:
            self._spent = replace(self._spent, round_count=self._spent.round_count + 1)
            if self._caps.round_count is not None:  # in the log before the round is tried, for a search that goes on with it
                self._report_spent()
            return True
        self._end_by(cap)
        return False

    def may_go_on(self) -> bool:
        """Whether time is left for another candidate on this kernel; that none is, is said once."""
        is_left = self.may_search_on()
        if is_left and reached(self.spent, self._kernel_caps) is not None:
            self._end_kernel()
            return False
        return is_left

    def may_search_on(self) -> bool:
        """Whether the caps on time leave room for the search on another kernel; that they do not is said."""
        cap = self._cap_on_time()
        if cap is not None:
            self._end_by(cap)
        return cap is None

    def _cap_on_time(self) -> str | None:
        """The one that is reached."""
        return reached(self.spent, replace(self._caps, round_count=None))

    @contextlib.contextmanager
    def holding_gpu(self, lab: object) -> Generator[None]:
        """Charge the time that the block takes, where the lab is a GPU; of blocks on one lab at the same time, that in which any lasts."""
        held = self._holding.setdefault(id(lab), _Holding())
        now_s = time.monotonic()
        held.since_s = held.since_s if held.count else now_s
        held.count += 1
        try:
            yield
        finally:
            held.count -= 1
            now_s = time.monotonic()
            since_s, held.since_s = held.since_s, now_s
            if self._job.device.kind == "gpu":
                self._spent = replace(self._spent, gpu_s=self._spent.gpu_s + now_s - since_s)
                if self._caps.gpu_s is not None:
                    self._report_spent()

    def _scaled(self, served: ServedModel, token_count: int) -> int:
        """As the model is likely to count."""
        return math.ceil(token_count * self._scale.get(_place(served), 1.0))

    def _report_spent(self) -> None:
        self._job.emit(events.BudgetSpent(self._job.id, self.spent, self._caps))

    @staticmethod
    def _at_most(served: ServedModel, input_token_count: int, max_output_tokens: int) -> Spending:
        return Spending(call_cost(served.price, input_token_count, max_output_tokens), input_token_count, max_output_tokens, 1)

    def _note_coder(self, served: ServedModel) -> None:
        if served.role is ModelRole.CODER:
            self._coders[_place(served)] = served

    def _why_not(self, coder: ServedModel) -> str | None:
        cap, failure = self._refused_by.get(_place(coder)), self.lasting(coder)
        if cap is not None:
            return f"{cap_words(cap, self._caps)} leaves no room for a call"
        return None if failure is None else failure.message

    def _way_on(self, cap: str, next_call: Spending) -> str:
        """What going on takes, as a command."""
        command = f"kernelopt optimize {self._job.request.file.name}{self._resume_options} --resume"
        return more_words(cap, self.spent, next_call, command)

    def _weigh_counts(self, call: ModelCall) -> None:
        """Learn how much more than we an endpoint counts; say where its counts cannot be."""
        estimated = self._estimated.pop(call.request.id, 0)
        if not isinstance(call.answer, Completion):
            return
        place, charged = _place(call.served), call.spending
        if estimated:
            self._scale[place] = max(self._scale.get(place, 1.0), charged.input_token_count / estimated)
        reported = (call.answer.input_token_count, call.answer.output_token_count)
        taken = (charged.input_token_count, charged.output_token_count)
        if call.served.endpoint not in self._doubted and any(a is not None and a != b for a, b in zip(reported, taken, strict=True)):
            self._doubted.add(call.served.endpoint)
            counted = " + ".join("nothing" if count is None else number_words(count) for count in reported)
            text = f"{call.served.endpoint} counts {counted} tokens for {call.request.prompt}, which cannot be"
            self._job.say(Severity.WARNING, f"{text}: {taken[0]:,} + {taken[1]:,} are charged, by our own estimate")

    def _failed(self, served: ServedModel, failure: CompletionFailure) -> None:
        if failure.kind is FailureKind.CANCELLED:
            return
        if failure.kind in _LASTING and failure.partial_text is None:  # what broke off in the middle may do better next time
            self._lasting[served.endpoint, "" if failure.kind in _OF_ENDPOINT else served.model] = failure
        text = f"{served.model or served.provider} did not answer ({failure.kind.value}): {failure.message}"
        self._job.say(Severity.WARNING, text, failure.remedy)

    def _end_by(self, cap: str) -> None:
        self._end(cap, f"{cap_words(cap, self._caps)} is reached: {spent_words(self.spent)} spent", self._way_on(cap, Spending()))

    def _end(self, cap: str, message: str, remedy: str) -> None:
        """Say once that, and by which cap, the search ends."""
        if self._ended_by is not None:
            return
        self._ended_by = cap
        self._job.say(Severity.WARNING, message, remedy)
        self._job.emit(events.BudgetSpent(self._job.id, self.spent, self._caps, ended_by=cap))

    def _end_kernel(self) -> None:
        """Say once that the kernel's part of the time is used up."""
        if self._kernel is None:
            return
        self._job.say(Severity.INFORMATION, f"{self._kernel}: {self.why_out_of_time}, so that its search ends")
        self._job.emit(events.BudgetSpent(self._job.id, self.spent, self._caps, ended_kernel=self._kernel))
        self._kernel = None


def _used_at(spent_s: float, cap_s: float | None, part: float, kept_back_s: float = 0.0) -> float | None:
    """What may be spent of a cap before ``part`` of what is left is used up but for ``kept_back_s``, or a half of it."""
    if cap_s is None:
        return None
    part_s = max(0.0, cap_s - spent_s) * part
    return spent_s + max(part_s - kept_back_s, part_s / 2)


def _place(served: ServedModel) -> tuple[str, str]:
    """Endpoint and model."""
    return served.endpoint, served.model


def _called(job: str, call: ModelCall) -> events.ModelCalled:
    answer = call.answer
    return events.ModelCalled(
        job=job,
        call=call.request.id,
        role=call.request.role.value,
        prompt=call.request.prompt,
        provider=call.served.provider,
        model=answer.model if isinstance(answer, Completion) else call.served.model,
        outcome=CallOutcome.ANSWERED if isinstance(answer, Completion) else CallOutcome(answer.kind),
        input_token_count=call.spending.input_token_count,
        output_token_count=call.spending.output_token_count,
        duration_ms=call.duration_ms,
    )
