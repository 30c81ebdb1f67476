"""Candidates as memory keeps them, kept or not. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.engine.evaluate import KernelAssessment, costliest
from assistant.engine.job import Job
from assistant.engine.search.trials import Trial
from assistant.model.attempt import Attempt
from assistant.model.source import Source

__all__ = ["attempt_record"]


def attempt_record(job: Job, workspace: Path, parent: Source, kernels: Iterable[KernelAssessment], trial: Trial, now_ms: int) -> Attempt:
    """One candidate as memory keeps it. ``kernels``: the kernel's instances in ``parent``, the text that was edited."""
    before = costliest(kernels)
    lab = job.lab.describe()
    return Attempt(
        id=trial.id,
        job=job.id,
        workspace=workspace,
        path=parent.path,
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
        also=tuple(source.path for source in trial.others),
    )
