"""Whether a drawn task is one: the judge takes its start, and finds the known solution of a kernel right.

It asks what ``task new`` asks: the start runs, repeats itself, and depends on its inputs. Example::

    (await checked(session, drawn, file, on_progress)).reason       # None: it is kept
"""

from __future__ import annotations

from pathlib import Path

from assistant.agents.synthesis.drawn import Drawn
from assistant.agents.synthesis.making import Check, Fault, LeftOut
from assistant.agents.tasks import JudgeSettings, NewTask, Reward, ServerStart, TaskStore, make_task, reward_of
from assistant.agents.tasks.jobs import OnProgress
from assistant.agents.tasks.running import judged
from assistant.engine import Session, scratch_folder
from assistant.errors import KernelOptError
from assistant.model.comparison import SpeedOutcome

__all__ = ["checked"]


async def checked(session: Session, drawn: Drawn, file: Path, on_progress: OnProgress, device: str | None = None) -> Check:
    """Makes a task of it in a scratch folder, which goes again."""
    await on_progress(f"checking {drawn.name}")
    with scratch_folder() as folder:
        new = NewTask(file, folder / "work", JudgeSettings(device=device, allowed=drawn.allowed))
        try:
            kept = await make_task(session, TaskStore(folder / "tasks"), new, ServerStart("kernelopt", (), ()), on_progress)
        except KernelOptError as error:
            return Check(LeftOut(drawn.name, Fault.JUDGE, error.message))
        if drawn.solution is None:
            return Check(None)
        judgement, _ = await judged(session, kept, drawn.solution, on_progress)
    return _of_solution(drawn.name, reward_of(judgement, frozenset(drawn.allowed), is_isolated=True), judgement.answer)


def _of_solution(name: str, reward: Reward, answer: str) -> Check:
    """A task whose known solution is not right, or is measured slower, teaches nothing."""
    predicted = None if reward.predicted is None or reward.measured is not None else reward.predicted.ratio
    measured = None if reward.measured is None else reward.measured.ratio
    if reward.value is None or reward.value < 1:
        why = reward.reasons[0].message if reward.reasons else answer
        return Check(LeftOut(name, Fault.SOLUTION, why), predicted, measured)
    if reward.measured is not None and reward.measured.outcome is SpeedOutcome.SLOWER:
        return Check(LeftOut(name, Fault.SOLUTION, answer), predicted, measured)
    return Check(None, predicted, measured)
