"""Candidates as memory keeps them, kept or not. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from assistant.cuda.family import traits_of
from assistant.engine.evaluate import Evaluation, KernelAssessment, costliest
from assistant.engine.job import Job
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model.attempt import Attempt, OtherFile
from assistant.model.build import KernelResources
from assistant.model.experience import KernelTraits, SideEffect, TechniqueUse

__all__ = ["attempt_record", "kernel_traits", "side_effects"]


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
        traits=kernel_traits(parent.evaluation, before),
        architecture=job.architecture.name,
        use=TechniqueUse(
            name=trial.step.technique,
            parameters=trial.settings,
            after=tuple(kept.step.technique for kept in parent.kept),
        ),
        side_effects=side_effects(before, trial.after),
        why=trial.step.why,
    )


def kernel_traits(evaluation: Evaluation, kernel: KernelAssessment) -> KernelTraits:
    """What memory compares kernels by, apart from the signature: of its text, and of its costliest launch."""
    texts = {source.path: source.text for source in evaluation.version.sources}
    return traits_of(texts.get(kernel.file, ""), kernel.kernel, _scale(kernel))


def side_effects(before: KernelAssessment, after: Sequence[KernelAssessment]) -> tuple[SideEffect, ...]:
    """What the compiler's numbers say besides the time: registers, shared memory, spills; those alone that changed."""
    old, new = before.resources, costliest(after).resources if after else None
    if old is None or new is None:
        return ()
    found = (
        SideEffect("registers_per_thread", old.registers_per_thread, new.registers_per_thread, "registers"),
        SideEffect("static_shared_bytes", old.static_shared_bytes, new.static_shared_bytes, "bytes"),
        SideEffect("spill_bytes", _spilled(old), _spilled(new), "bytes"),
    )
    return tuple(effect for effect in found if effect.before != effect.after)


def _spilled(resources: KernelResources) -> int:
    return resources.spill_load_bytes + resources.spill_store_bytes


def _scale(kernel: KernelAssessment) -> tuple[tuple[str, int], ...]:
    if not kernel.launches:
        return ()
    config = max(kernel.launches, key=lambda launch: launch.total_time_s).profile.config
    return (("blocks", config.grid.count), ("threads per block", config.block.count), ("threads", config.thread_count))


def _other_files(parent: SearchNode, trial: Trial) -> tuple[OtherFile, ...]:
    before = {source.path: source.text for source in parent.evaluation.version.sources}
    changed = {source.path for source in parent.others}
    return tuple(OtherFile(after.path, before[after.path], after.text, after.path in changed) for after in trial.others)
