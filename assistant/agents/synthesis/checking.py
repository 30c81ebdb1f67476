"""Whether a drawn task is one: the judge takes its start, and finds the known solution of a kernel right.

It asks what ``task new`` asks: the start runs, repeats itself, and depends on its inputs. On a GPU a kernel runs at its real sizes.
Example::

    (await checked(session, drawn, file, on_progress, "cpu")).left_out      # None: it is kept
"""

from __future__ import annotations

from pathlib import Path

from assistant.agents.synthesis.drawn import Drawn, Kind
from assistant.agents.synthesis.making import LEAST_S, MOST_S, Check, Fault, LeftOut
from assistant.agents.tasks import Judgement, JudgeSettings, NewTask, ServerStart, TaskStore, make_task, reward_of
from assistant.agents.tasks.jobs import OnProgress
from assistant.agents.tasks.running import judged
from assistant.engine import Session, scratch_folder
from assistant.errors import KernelOptError
from assistant.model.comparison import SpeedOutcome

__all__ = ["check_of", "checked", "settings_of"]


async def checked(session: Session, drawn: Drawn, file: Path, on_progress: OnProgress, device: str) -> Check:
    """Makes a task of it in a scratch folder, which goes again."""
    await on_progress(f"checking {drawn.name}")
    with scratch_folder() as folder:
        new = NewTask(file, folder / "work", settings_of(drawn, device))
        try:
            kept = await make_task(session, TaskStore(folder / "tasks"), new, ServerStart("kernelopt", (), ()), on_progress)
        except KernelOptError as error:
            return Check(LeftOut(drawn.name, Fault.JUDGE, error.message))
        if drawn.solution is None:
            return Check(None)
        judgement, _ = await judged(session, kept, drawn.solution, on_progress)
    return check_of(drawn, judgement)


def settings_of(drawn: Drawn, device: str) -> JudgeSettings:
    """Operators run on the CPU; so do kernels at the small sizes of their files, and on a GPU at the real ones."""
    if drawn.kind is Kind.OPERATOR:
        return JudgeSettings(device="cpu")
    arguments = () if device == "cpu" else tuple(str(value) for _, value in drawn.real_sizes)
    return JudgeSettings(device=device, arguments=arguments, allowed=drawn.allowed)


def check_of(drawn: Drawn, judgement: Judgement) -> Check:
    """A task whose known solution is not right, or is measured slower, teaches nothing."""
    reward = reward_of(judgement, frozenset(drawn.allowed), is_isolated=True)
    times_s = [] if judgement.speed is None else [case.before_s for case in judgement.speed.cases if case.before_s is not None]
    start_s = sum(times_s) if times_s else None
    predicted = None if reward.predicted is None or reward.measured is not None else reward.predicted.ratio
    measured = None if reward.measured is None else reward.measured.ratio
    return Check(_fault(drawn, judgement, start_s), predicted, measured, start_s)


def _fault(drawn: Drawn, judgement: Judgement, start_s: float | None) -> LeftOut | None:
    reward = reward_of(judgement, frozenset(drawn.allowed), is_isolated=True)
    if reward.value is None or reward.value < 1:
        why = reward.reasons[0].message if reward.reasons else f"{reward.milestone.value}: {judgement.answer}"
        return LeftOut(drawn.name, Fault.SOLUTION, why)
    if reward.measured is not None and reward.measured.outcome is SpeedOutcome.SLOWER:
        return LeftOut(drawn.name, Fault.SOLUTION, judgement.answer)
    if start_s is not None and not LEAST_S <= start_s <= MOST_S:
        return LeftOut(drawn.name, Fault.TIME, f"{start_s * 1e3:.3g} ms were measured")
    return None
