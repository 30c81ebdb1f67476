"""Which kernels of two programs are compared one by one, and what is said of those that cannot be. Values only.

Example::

    paired_kernels(before, after)      # [(A's scale, B's scale)], those that the edit concerns
"""

from __future__ import annotations

from assistant.engine.evaluate import Evaluation
from assistant.engine.judge.changes import changed_kernels, edited_kernels
from assistant.model.problems import is_refused
from assistant.model.profile import Problem
from assistant.model.source import Kernel
from assistant.model.verification import Outcome, Verification, VerificationFinding

__all__ = ["launch_failed", "never_launched", "not_judged", "paired_kernels", "refused_kernels"]


def paired_kernels(before: Evaluation, after: Evaluation) -> list[tuple[Kernel, Kernel]]:
    """A's selected kernels with B's of the same name; the only kernels of both sides also pair."""
    old = before.launched_kernels
    new = {item.kernel.qualified_name: item.kernel for item in after.assessment.kernels}
    paired = [(kernel, new[kernel.qualified_name]) for kernel in old if kernel.qualified_name in new]
    if not paired and len(old) == 1 and len(new) == 1:
        return [(old[0], next(iter(new.values())))]
    changed = changed_kernels(before.version, after.version)
    return [pair for pair in paired if pair[0].key in changed] or paired


def refused_kernels(before: Evaluation, after: Evaluation) -> list[tuple[Kernel, Problem]]:
    """A's kernels of which B launches only what no GPU runs, each with the first refusal."""
    paired = {old.key for old, _ in paired_kernels(before, after)}
    refusals: dict[str, Problem] = {}
    for profile in after.counted.profiles:
        kernel = after.version.kernel_of(profile.kernel)
        if kernel is not None and is_refused(profile):
            refusals.setdefault(kernel.qualified_name, profile.problems[0])
    left = [kernel for kernel in before.launched_kernels if kernel.key not in paired and kernel.qualified_name in refusals]
    return [(kernel, refusals[kernel.qualified_name]) for kernel in left]


def launch_failed(kernel: Kernel, problem: Problem) -> Verification:
    finding = VerificationFinding(
        "launch_failed", Outcome.FAIL, f"every launch is refused: {problem.message}", kernel.key, problem.line or None
    )
    return Verification(Outcome.FAIL, (finding,), (), (), "none", (), ())


def never_launched(before: Evaluation, after: Evaluation) -> list[Kernel]:
    """Kernels in question whose code B changes and that A's workload does not launch."""
    launched = {kernel.key for kernel in before.launched_kernels}
    edited = edited_kernels(before.version, after.version)
    return [kernel for kernel in before.version.kernels if kernel.key in edited - launched]


def not_judged(kernel: Kernel) -> Verification:
    message = f"{kernel.key} is changed, but the workload never launches it, so nothing was compared"
    finding = VerificationFinding("not_judged", Outcome.NEEDS_DECISION, message, kernel.key, kernel.line)
    return Verification(Outcome.NEEDS_DECISION, (finding,), (), (), "none", (), ())
