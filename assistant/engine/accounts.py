"""The meter of one job: calls kept and charged, caps enforced before money is spent, the state of both told as events.

Implements ``ports.Accounts``. Example::

    accounts = JobAccounts(job, store, caps, aside)
    accounts.refusal(served, input_token_count=900, max_output_tokens=8192)     # None: the call fits what is left
    accounts.record(call)                                                       # kept in memory, told, charged
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator
from dataclasses import replace

from assistant.engine.aside import Aside
from assistant.engine.job import Job
from assistant.engine.spending_words import cap_words, more_words, spent_words
from assistant.model import events
from assistant.model.completion import (
    Caps,
    Completion,
    CompletionFailure,
    FailureKind,
    ModelCall,
    ModelRole,
    ServedModel,
    Spending,
)
from assistant.model.profile import Severity
from assistant.plan.budget import added, broken_by, call_cost, reached
from assistant.ports import Store

__all__ = ["JobAccounts", "OnWriting"]

OnWriting = Callable[[ModelRole, str], None]
"""Is given each piece of an answer as it comes."""

_LASTING = frozenset(
    {FailureKind.NO_KEY, FailureKind.NO_CONSENT, FailureKind.NO_MODEL, FailureKind.FORBIDDEN, FailureKind.QUOTA, FailureKind.UNREACHABLE}
)
"""Failures that the next call of the same job would meet again; the provider has retried what may pass."""


class JobAccounts:
    """What one job may spend on models, time and rounds, and what it has spent."""

    def __init__(self, job: Job, store: Store, caps: Caps, aside: Aside, on_writing: OnWriting | None = None) -> None:
        self._job = job
        self._store = store
        self._caps = caps
        self._aside = aside
        self._on_writing = on_writing
        self._spent = Spending()
        self._ended_by: str | None = None
        self._lasting: dict[str, CompletionFailure] = {}
        """By endpoint: what its calls of this job end with."""

    @property
    def caps(self) -> Caps:
        return self._caps

    @property
    def spent(self) -> Spending:
        return self._spent

    @property
    def ended_by(self) -> str | None:
        """The cap that ended the search; None while none did."""
        return self._ended_by

    @property
    def may_ask_models(self) -> bool:
        """Whether a further call may be made: no cap has refused one, and no endpoint turned us away for good."""
        return self._ended_by not in ("money_usd", "token_count") and not self._lasting

    @property
    def is_out_of_time(self) -> bool:
        """Whether no further candidate may be tried."""
        return self._caps.gpu_s is not None and self._spent.gpu_s >= self._caps.gpu_s

    @staticmethod
    def now_ms() -> int:
        return time.time_ns() // 1_000_000

    def begin(self, caps: Caps, spent: Spending, estimate: Spending | None) -> None:
        """Start the meter; ``spent``: by the search that this job goes on with."""
        self._caps, self._spent = caps, spent
        self._aside.tell(events.BudgetSpent(self._job.id, spent, caps, estimate))

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        known = self._lasting.get(served.endpoint)
        if known is not None:
            return known
        cap = broken_by(self._spent, self._caps, served, input_token_count, max_output_tokens)
        if cap is None:
            waits = f"{served.model or served.provider} at {served.endpoint}: {served.role.value}, about {input_token_count:,} tokens"
            self._aside.tell(events.StageStarted(self._job.id, "model", waits))
            return None
        cost = call_cost(served.price, input_token_count, max_output_tokens)
        next_call = Spending(cost, input_token_count, max_output_tokens, 1)
        message = f"{cap_words(cap, self._caps)} leaves no room for the next call: {spent_words(self._spent)} spent"
        remedy = f"{more_words(cap, self._spent, next_call)}, and kernelopt optimize {self._job.request.file.name} goes on"
        failure = CompletionFailure(FailureKind.OVER_BUDGET, message, remedy)
        self._end(cap, message, remedy)
        return failure

    def record(self, call: ModelCall) -> None:
        self._store.add_model_call(call)
        self._spent = added(self._spent, call.spending)
        self._aside.tell(_called(self._job.id, call))
        if isinstance(call.answer, CompletionFailure):
            self._failed(call.served, call.answer)
        self._aside.tell(events.BudgetSpent(self._job.id, self._spent, self._caps))

    def writing(self, role: ModelRole, piece: str) -> None:
        if self._on_writing is not None:
            self._on_writing(role, piece)

    def may_begin_round(self) -> bool:
        """Whether the caps on time and rounds leave room for another round."""
        cap = reached(self._spent, self._caps)
        if cap is None:
            self._spent = replace(self._spent, round_count=self._spent.round_count + 1)
            return True
        remedy = f"{more_words(cap, self._spent, Spending())}, and kernelopt optimize {self._job.request.file.name} goes on"
        self._end(cap, f"{cap_words(cap, self._caps)} is reached: {spent_words(self._spent)} spent", remedy)
        return False

    @contextlib.contextmanager
    def holding_gpu(self) -> Generator[None]:
        """Charge the time that the block takes, where the lab is a GPU."""
        started_s = time.monotonic()
        try:
            yield
        finally:
            if self._job.device.kind == "gpu":
                held = self._spent.gpu_s + time.monotonic() - started_s
                self._spent = replace(self._spent, gpu_s=held)

    def _failed(self, served: ServedModel, failure: CompletionFailure) -> None:
        if failure.kind is FailureKind.CANCELLED:
            return
        if failure.kind in _LASTING and failure.partial_text is None:  # what broke off in the middle may do better next time
            self._lasting[served.endpoint] = failure
        text = f"{served.model or served.provider} did not answer ({failure.kind.value}): {failure.message}"
        self._aside.tell(self._job.message(Severity.WARNING, text, failure.remedy))

    def _end(self, cap: str, message: str, remedy: str) -> None:
        """Say once that, and by which cap, the search ends."""
        if self._ended_by is not None:
            return
        self._ended_by = cap
        self._aside.tell(self._job.message(Severity.WARNING, message, remedy))
        self._aside.tell(events.BudgetSpent(self._job.id, self._spent, self._caps, ended_by=cap))


def _called(job: str, call: ModelCall) -> events.ModelCalled:
    answer = call.answer
    return events.ModelCalled(
        job=job,
        call=call.request.id,
        role=call.request.role.value,
        prompt=call.request.prompt,
        provider=call.served.provider,
        model=answer.model if isinstance(answer, Completion) else call.served.model,
        outcome="answered" if isinstance(answer, Completion) else answer.kind.value,
        input_token_count=call.spending.input_token_count,
        output_token_count=call.spending.output_token_count,
        duration_ms=call.duration_ms,
    )
