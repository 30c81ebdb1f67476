"""Jobs on PyTorch tasks go on behind a notebook as those of kernels do: what their runs say, and what ends them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.editor.lanes import Work
from assistant.editor.queues import Queues
from assistant.editor.tasks import Task, Verb
from assistant.errors import CannotAnswerError
from assistant.lab.cache import FIRST_BUILD
from assistant.model.events import StageStarted
from jupyter_ext.operator_jobs import OperatorJobs
from jupyter_ext.operator_page import failure_words
from jupyter_ext.operator_runs import Asked, OperatorRun
from jupyter_ext.runs import Phase
from tests.unit.editor.test_operators import verdict
from tests.unit.jupyter_ext.test_operator_cells import NOTEBOOK, ended


@dataclass
class Lane:
    """In the place of queues: does with a job what the test says."""

    then: Callable[[Work], None]
    submitted: list[str] = field(default_factory=list[str])
    cancelled: list[str] = field(default_factory=list[str])

    def submit(self, work: Work) -> None:
        self.submitted.append(work.id)
        self.then(work)

    def cancel(self, job_id: str) -> bool:
        self.cancelled.append(job_id)
        return True


def asking(*verbs: Verb) -> OperatorRun:
    request = cast("Any", type("Request", (), {"file": NOTEBOOK}))()
    asked = tuple(Asked(Task(verb, request), lambda event: event) for verb in verbs)
    return OperatorRun(1, "lab.ipynb.Model", NOTEBOOK, None, asked)


async def answered(lane: Lane, run: OperatorRun, cache: Path) -> None:
    await OperatorJobs(cast(Queues, lane), cache).answer(run)


def done(work: Work) -> None:
    work.listener.started(work)
    work.listener.reported(work, StageStarted("J", "candidate", "13 cases"))
    work.listener.reported(work, verdict("J"))
    work.listener.reported(work, ended())
    work.listener.ended(work, None, is_cancelled=False)


async def test_a_job_is_heard_to_its_end(tmp_path: Path) -> None:
    run, said = asking(Verb.CHECK), list[str]()
    run.on_change.append(lambda run: said.append(run.state.headline))
    await answered(Lane(done), run, tmp_path)
    assert "check: 13 cases" in said and run.state.phase == Phase.DONE and failure_words(run) is None


async def test_what_waits_for_the_emulator_says_so(tmp_path: Path) -> None:
    run, said = asking(Verb.CHECK), list[str]()
    run.on_change.append(lambda run: said.append(run.state.headline))
    await answered(Lane(done), run, tmp_path)
    assert f"check: {FIRST_BUILD}" in said
    (tmp_path / "emulator" / "prelude-1").mkdir(parents=True)
    run, said = asking(Verb.CHECK), list[str]()
    run.on_change.append(lambda run: said.append(run.state.headline))
    await answered(Lane(done), run, tmp_path)
    assert said and f"check: {FIRST_BUILD}" not in said


def refused(work: Work) -> None:
    work.listener.ended(work, CannotAnswerError("no memory", ""), is_cancelled=False)


def cancelled(work: Work) -> None:
    work.listener.ended(work, None, is_cancelled=True)


@pytest.mark.parametrize(
    ("then", "phase", "said"), [(refused, Phase.FAILED, "answered: no memory"), (cancelled, Phase.CANCELLED, "check: cancelled")]
)
async def test_a_job_that_gives_no_answer_says_why(then: Callable[[Work], None], phase: str, said: str, tmp_path: Path) -> None:
    run = asking(Verb.CHECK, Verb.OPTIMIZE)
    lane = Lane(then)
    await answered(lane, run, tmp_path)
    assert run.state.phase == phase and said in (failure_words(run) or "")
    assert len(lane.submitted) == 1, "nothing is asked after it"
    assert run.state.is_over and run.wait(0)


async def test_who_stops_waiting_ends_the_job(tmp_path: Path) -> None:
    lane, run = Lane(lambda _: None), asking(Verb.PROFILE)
    waiting = asyncio.create_task(answered(lane, run, tmp_path))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert lane.cancelled == lane.submitted and run.state.is_over
