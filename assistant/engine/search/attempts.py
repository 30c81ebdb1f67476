"""Candidates as memory keeps them, kept or not. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.engine.evaluate import KernelAssessment, costliest
from assistant.engine.job import Job
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model.attempt import Attempt, OtherFile

__all__ = ["attempt_record"]


def attempt_record(
    job: Job, workspace: Path, parent: SearchNode, kernels: Iterable[KernelAssessment], trial: Trial, now_ms: int
) -> Attempt:
    """One candidate as memory keeps it. ``kernels``: the kernel's instances in ``parent``, the version that was edited."""
    before = costliest(kernels)
    lab = job.lab.describe()
    return Attempt(
        id=trial.id,
        job=job.id,
        workspace=workspace,
        path=parent.evaluation.version.source.path,
        kernel=before.kernel.key,
        technique=trial.step.technique,
        finding=trial.step.finding,
        line=trial.step.line,
        planner=trial.step.planner,
        parent_text=parent.text,
        text=trial.text,
        outcome=trial.outcome,
        reason=trial.reason,
        verification=None if trial.verification is None else trial.verification.outcome,
        comparison=trial.comparison,
        predictions=trial.predictions,
        before=before.signature,
        after=trial.after[0].signature if trial.after else None,
        lab=lab.name,
        device=lab.device,
        target=job.target.name,
        created_ms=now_ms,
        model=None if trial.rewrite.origin is None else trial.rewrite.origin.model,
        calls=() if trial.rewrite.origin is None else trial.rewrite.origin.calls,
        summary=trial.rewrite.summary,
        labels=trial.rewrite.labels,
        assumptions=trial.rewrite.assumptions,
        also=_other_files(parent, trial),
    )


def _other_files(parent: SearchNode, trial: Trial) -> tuple[OtherFile, ...]:
    before = {source.path: source.text for source in parent.evaluation.version.sources}
    changed = {source.path for source in parent.others}
    return tuple(OtherFile(after.path, before[after.path], after.text, after.path in changed) for after in trial.others)
