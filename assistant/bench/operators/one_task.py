"""One PyTorch task to its row: its answer judged, else a first kernel written by rules and judged. Works on a private copy of the tasks.

Example::

    row = await TaskRunner(folder, settings, out, open_session, on_event).run(trial)
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assistant.bench.boundary import listen, row_or_reason
from assistant.bench.heard import Heard
from assistant.bench.operators.answers import Trial
from assistant.bench.operators.row import ANSWER, RULES, OperatorOutcome, OperatorRow, OperatorSettings
from assistant.bench.operators.row_of_job import begun_row, row_of_job
from assistant.bench.private_copy import private_copy
from assistant.config import find_project
from assistant.engine import JobRequest, OperatorOptions, Session, read_source
from assistant.errors import CannotAnswerError
from assistant.model import events
from assistant.operators.task import NoTask, find_task
from assistant.record import Record

__all__ = ["KERNELS_NAME", "TaskRunner"]

KERNELS_NAME = "kernels"
"""Folder in the results for what rules wrote."""


class TaskRunner(Record):
    """Judges the tasks of a folder."""

    folder: Path
    settings: OperatorSettings
    out: Path
    open_session: Callable[[str], Session]
    """A session whose memory is for the task of that title alone."""
    on_event: Callable[[events.Event], None]
    """Hears every event of every job."""

    async def run(self, trial: Trial) -> OperatorRow:
        """The task's row. Whatever keeps it from a verdict is a failure of that row alone."""
        start_s, heard = time.monotonic(), Heard()
        row = await row_or_reason(lambda: self._carried_out(trial, heard), trial.title, self.settings.timeout_s, heard)
        if isinstance(row, str):
            row = replace(self._row(trial) if trial.answers else begun_row(trial), reason=row)
        return replace(row, wall_s=time.monotonic() - start_s)

    async def _carried_out(self, trial: Trial, heard: Heard) -> OperatorRow:
        """Raises KernelOptError for what cannot be judged."""
        path = self.folder / trial.problem.file
        task = find_task(path, read_source(path).text, None)
        if isinstance(task, NoTask):
            return replace(begun_row(trial), outcome=OperatorOutcome.NO_TASK, reason=task.message)
        if len(trial.answers) > 1:
            return replace(begun_row(trial), reason=f"it has several answers: {', '.join(map(self._relative, trial.answers))}")
        with private_copy(self.folder) as copy:
            await self._judge(trial, copy / trial.problem.file, heard)
            return self._with_kernel(row_of_job(self._row(trial), heard), heard)

    async def _judge(self, trial: Trial, file: Path, heard: Heard) -> None:
        request = JobRequest(
            file=file,
            working_directory=file.parent,
            device=self.settings.device,
            target=self.settings.target,
            torch_project=find_project(self.folder / trial.problem.file),
        )
        options = OperatorOptions(baselines=self.settings.baselines)
        session = self.open_session(trial.title)
        try:
            if trial.answers:
                stream = session.judge_operator("compare", request, trial.answers[0], options)
            else:
                stream = session.optimize_operator(request, options)
            await listen(stream, heard, self.on_event)
        finally:
            session.close()

    def _row(self, trial: Trial) -> OperatorRow:
        """What is to be judged, before it is."""
        if not trial.answers:
            return replace(begun_row(trial), origin=RULES)
        return replace(begun_row(trial), origin=ANSWER, candidate=self._relative(trial.answers[0]))

    def _relative(self, answer: Path) -> str:
        return answer.relative_to(self.settings.answers or answer.parent).as_posix()

    def _with_kernel(self, row: OperatorRow, heard: Heard) -> OperatorRow:
        """What rules wrote outlasts the private copy; what is wrong was not kept by them. Raises CannotAnswerError where it cannot be."""
        written = next((event for event in heard.events if isinstance(event, events.KernelWritten)), None)
        if written is None:
            return row
        kept = self.out / KERNELS_NAME / f"{row.title}.cu"
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(written.file, kept)
        except OSError as error:
            raise CannotAnswerError(f"{kept} cannot be written: {error.strerror}", "name another folder with --out") from error
        return replace(row, candidate=kept.relative_to(self.out).as_posix())
