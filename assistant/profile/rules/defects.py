"""KO201 … KO211: defects that a run exposed. Always errors, except where a GPU may allow it."""

from __future__ import annotations

from assistant.model.problems import merge_problems
from assistant.model.profile import Method, Problem, Severity
from assistant.profile.context import FindContext
from assistant.profile.diagnosis import Diagnosis, Fact
from assistant.profile.rules.places import kernel_line
from assistant.profile.wording import plural

__all__ = ["CODE_BY_KIND", "defects"]

CODE_BY_KIND: dict[str, str] = {
    "out_of_bounds": "KO201",
    "wild_pointer": "KO201",
    "shared_race": "KO202",
    "global_race": "KO202",
    "possible_shared_race": "KO202",
    "possible_global_race": "KO202",
    "uninitialised_read": "KO203",
    "barrier_divergence": "KO204",
    "missing_wait": "KO204",
    "use_after_free": "KO205",
    "bad_launch": "KO206",
    "missing_syncwarp": "KO207",
    "lock_step": "KO207",
    "bad_warp_mask": "KO207",
    "inactive_lane_read": "KO207",
    "inactive_lane_value": "KO207",
    "convergence_assumed": "KO207",
    "misaligned": "KO207",
    "host_pointer": "KO207",
    "assertion": "KO207",
    "timeout": "KO207",
    "async_copy_not_awaited": "KO208",
    "async_source_overwritten": "KO208",
    "stale_read": "KO209",
    "missing_fence": "KO210",
    "possible_missing_fence": "KO210",
    "plain_poll": "KO210",
    "co_residency": "KO211",
    "block_order": "KO211",
}
"""``Problem.kind`` → finding; a kind that is not listed is KO207."""

_WARNING_KINDS = frozenset(
    {
        "host_pointer", "missing_syncwarp", "lock_step", "possible_shared_race", "possible_global_race", "possible_missing_fence",
        "inactive_lane_read", "convergence_assumed", "co_residency", "block_order", "missing_wait",
    }
)  # fmt: skip
"""Some systems let a kernel read host memory; lock-step code without ``__syncwarp`` worked before Volta; fences and atomics may order
what looks like a race; no thread may use the value of a lane that takes no part; blocks may all be resident, and start in order; nothing
may depend on a thread's last arrival at a barrier object."""


def defects(context: FindContext, problems: tuple[Problem, ...]) -> tuple[Diagnosis, ...]:
    """One diagnosis per kind, place and cause, over all launches."""
    return tuple(_diagnose(context, problem) for problem in merge_problems(problems))


def _diagnose(context: FindContext, first: Problem) -> Diagnosis:
    count = max(1, first.count)
    line = first.line or kernel_line(context, context.launches[0].profile)
    seen = f" ({plural(count, 'time')}{_where(first)})"
    return Diagnosis(
        code=CODE_BY_KIND.get(first.kind, "KO207"),
        line=line,
        message=first.message.rstrip(".") + seen,
        facts=(Fact("problem_count", float(count), line, Method.EMULATOR),),
        severity=Severity.WARNING if first.kind in _WARNING_KINDS else Severity.ERROR,
    )


def _where(problem: Problem) -> str:
    if problem.block is None or problem.thread is None:
        return ""
    return f", first in block {problem.block}, thread {problem.thread}"
