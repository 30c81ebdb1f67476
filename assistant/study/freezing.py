"""Recorded searches as frozen nodes: each version that a model wrote code for, with what was known when it was first asked.

Example::

    frozen_nodes(store, "J01ABC", ProgramOptions())     # raises UsageError for a run that no model planned
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from assistant.engine.search import summary_of_attempt
from assistant.errors import UsageError
from assistant.model.attempt import Attempt, JobRow
from assistant.model.completion import Completion, ModelCall
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.ports.store import AttemptStore, CallStore, Store
from assistant.record import Record
from assistant.study.frozen_node import CallCost, FrozenNode, ProgramOptions

__all__ = ["RecordedRuns", "frozen_nodes", "memory_before"]

_ATTEMPTS_READ = 1_000_000
"""All of a workspace's."""
_LEAST_JUDGE_MS = 100


class RecordedRuns(AttemptStore, CallStore, Protocol):
    """What memory keeps of searches."""

    def jobs(self, workspace: Path | None = None) -> tuple[JobRow, ...]: ...


def frozen_nodes(store: RecordedRuns, run: str, program: ProgramOptions) -> tuple[FrozenNode, ...]:
    """Of the one search whose id starts with ``run``. Raises UsageError for none or several, and where no model wrote code in it."""
    row = _row(store, run)
    attempts = [a for a in reversed(store.attempts(row.workspace, limit=_ATTEMPTS_READ)) if a.job == row.id]
    calls = {call.request.id: call for call in store.model_calls(row.id)}
    first: dict[tuple[str, str], tuple[Attempt, ModelCall]] = {}
    for attempt in attempts:
        call = next((calls[id_] for id_ in attempt.calls if id_ in calls and isinstance(calls[id_].answer, Completion)), None)
        if attempt.model is not None and call is not None:
            first.setdefault((attempt.kernel, attempt.parent_key), (attempt, call))
    if not first:
        raise UsageError(f"no model wrote an edit in {row.id}", "freeze a search that was planned by a model: kernelopt history lists them")
    judge_ms = _judge_ms(row, calls.values(), len(attempts))
    run_facts = _Run(row, tuple(attempts), tuple(calls.values()), judge_ms, program)
    return tuple(run_facts.node(attempt, call) for attempt, call in first.values())


def memory_before(store: AttemptStore, node: FrozenNode, open_store: Callable[[Path], Store], folder: Path) -> Store:
    """A memory in ``folder`` with what was tried before the search asked; nothing of the search itself, nothing that came later."""
    memory = open_store(folder / "memory.sqlite3")
    for attempt in reversed(store.attempts(None, limit=_ATTEMPTS_READ)):
        if attempt.created_ms <= node.known_until_ms and attempt.job != node.job:
            memory.add_attempt(attempt)
    return memory


class _Run(Record):
    """A recorded search."""

    row: JobRow
    attempts: tuple[Attempt, ...]
    calls: tuple[ModelCall, ...]
    judge_ms: int
    program: ProgramOptions

    def node(self, attempt: Attempt, call: ModelCall) -> FrozenNode:
        """The version that ``attempt`` edits; ``call`` wrote the edit."""
        plan = self._plan_behind(attempt, call)
        asked_ms = call.started_ms if plan is None else plan.started_ms
        before = [a for a in self.attempts if a.kernel == attempt.kernel and a.created_ms <= asked_ms]
        answer = None if plan is None else plan.answer
        return FrozenNode(
            job=self.row.id,
            workspace=attempt.workspace,
            path=attempt.path,
            kernel=attempt.kernel,
            generation=_generation(attempt, self.attempts),
            texts=(
                Source(attempt.path, attempt.parent_text),
                *(Source(file.path, file.before_text) for file in attempt.also if file.is_changed_before),
            ),
            tried=tuple(summary_of_attempt(a) for a in before),
            known_until_ms=asked_ms,
            code_prompt=call.request.messages,
            code_cost=_cost(call),
            plan_prompt=() if plan is None else plan.request.messages,
            plan_answer=answer.text if isinstance(answer, Completion) else "",
            plan_cost=None if plan is None else _cost(plan),
            judge_ms=self.judge_ms,
            model=attempt.model or "",
            program=self.program,
        )

    def _plan_behind(self, attempt: Attempt, call: ModelCall) -> ModelCall | None:
        """The last answered question for a plan before ``call`` that names the attempt's technique; None where there is none."""
        plans = [
            one
            for one in self.calls
            if one.request.prompt.startswith("plan@")
            and isinstance(one.answer, Completion)
            and one.started_ms <= call.started_ms
            and one.request.id != call.request.id
            and attempt.technique in one.answer.text
        ]
        return plans[-1] if plans else None


def _row(store: RecordedRuns, run: str) -> JobRow:
    rows = [row for row in store.jobs() if row.command == "optimize" and row.id.startswith(run)]
    if len(rows) != 1:
        problem = "no recorded search has" if not rows else "several recorded searches have"
        raise UsageError(f"{problem} an id that starts with {run}", "kernelopt history --json names the job of each candidate")
    return rows[0]


def _generation(attempt: Attempt, attempts: Sequence[Attempt]) -> int:
    """Kept edits from the text that the search began with."""
    made: Mapping[tuple[str, str], Attempt] = {(a.kernel, a.key): a for a in attempts if a.outcome is TrialOutcome.KEPT}
    count, seen, key = 0, set[str](), attempt.parent_key
    while (parent := made.get((attempt.kernel, key))) is not None and key not in seen:
        seen.add(key)
        key = parent.parent_key
        count += 1
    return count


def _cost(call: ModelCall) -> CallCost:
    return CallCost(call.spending.input_token_count, call.spending.output_token_count, call.duration_ms)


def _judge_ms(row: JobRow, calls: Iterable[ModelCall], candidate_count: int) -> int:
    """What was no waiting for a model, over the candidates."""
    if row.ended_ms is None:
        return _LEAST_JUDGE_MS
    waited_ms = sum(call.duration_ms for call in calls)
    return max(_LEAST_JUDGE_MS, (row.ended_ms - row.started_ms - waited_ms) // max(1, candidate_count))
