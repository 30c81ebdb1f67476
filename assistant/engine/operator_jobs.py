"""Jobs on PyTorch tasks: judge a candidate, say what a task consists of, search from a first version of it in CUDA.

Example::

    OperatorJobs(runner).profile(JobRequest(Path("/p/task.py"), Path("/p")), OperatorOptions())     # events
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from assistant.config import find_workspace, load_settings
from assistant.engine.channel import streamed
from assistant.engine.job import Ending, Job
from assistant.engine.operators import (
    ModelWriting,
    OpenWriter,
    OperatorPair,
    first_version,
    judge_operator,
    judged_first,
    judged_operator,
    profile_operator,
    read_pair,
    read_task,
    run_folder,
    source_in,
    without_cuda,
)
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest, OperatorOptions
from assistant.engine.running import JobRunner, flags_of
from assistant.engine.search import OpenSearch, search_operator
from assistant.engine.source_version import SourceVersion
from assistant.errors import UsageError
from assistant.model import events
from assistant.operators.task import Task
from assistant.record import Record

__all__ = ["OperatorJobs"]


class OperatorJobs(Record):
    """Jobs on tasks, for one front end; each method raises UsageError where a file is not what it should be."""

    runner: JobRunner

    def judge(self, command: str, request: JobRequest, candidate: Path, options: OperatorOptions) -> AsyncIterator[events.Event]:
        """Is a candidate right in the place of the task ``request.file``? ``command``: ``check`` or ``compare``."""
        pair = read_pair(source_in(request, request.file), source_in(request, candidate), options.class_name)
        launcher = pair.candidate.launcher
        if options.is_backward and launcher is not None and launcher.backward is None:
            remedy = "add [operator.backward] to its table: docs/how-to/operators.md"
            raise UsageError(f"{candidate.name} declares no gradients, which --backward compares", remedy)
        asked = replace(request, other=candidate)

        async def body(job: Job, _: SourceVersion) -> Ending:
            return await judge_operator(job, pair, options)

        return streamed(lambda listener: self.runner.run(command, asked, body, listener, without_cuda))

    def profile(self, request: JobRequest, options: OperatorOptions, *, is_timed: bool) -> AsyncIterator[events.Event]:
        """What a task consists of."""
        return self._about_task("profile", request, options, partial(profile_operator, options=options, is_timed=is_timed))

    def optimize(
        self,
        request: JobRequest,
        options: OperatorOptions,
        searched: OpenSearch | None,
        open_writer: OpenWriter,
    ) -> AsyncIterator[events.Event]:
        """``searched``: the search on the file of a request, with who judges once more what it confirmed. ``open_writer``: who writes where
        rules do not."""
        own = None
        if request.other is not None:
            own = read_pair(source_in(request, request.file), source_in(request, request.other), options.class_name)

        async def judge(job: Job, pair: OperatorPair) -> Ending:
            return await judge_operator(job, pair, options)

        async def stage(job: Job, task: Task) -> Ending:
            if own is None:
                first = await first_version(job, task, options, judge, ModelWriting(options, judged_operator, open_writer))
            else:
                first = await judged_first(job, own, judge)
            if isinstance(first, Ending):
                return first
            if searched is None:
                return first.ending
            folder = run_folder(task.path, first.pair.candidate.source.path)
            return await search_operator(job, first, options, folder, _read, judged_operator, searched)

        return self._about_task("optimize", request, options, stage)

    def _about_task(
        self, command: str, request: JobRequest, options: OperatorOptions, stage: Callable[[Job, Task], Awaitable[Ending]]
    ) -> AsyncIterator[events.Event]:
        task = read_task(source_in(request, request.file), options.class_name)

        async def body(job: Job, _: SourceVersion) -> Ending:
            return await stage(job, task)

        return streamed(lambda listener: self.runner.run(command, request, body, listener, without_cuda))


def _read(request: JobRequest) -> SourceVersion:
    """A file that a job comes upon. Raises as `read_version`."""
    return read_version(request, flags_of(request, load_settings(find_workspace(request.file))))
