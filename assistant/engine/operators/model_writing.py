"""A model writes the first kernel of a PyTorch task where rules do not: each text is judged, and what is wrong with it goes back to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from assistant.engine.job import Ending, Job
from assistant.engine.operators.judged import JudgeOperator, reported_operator
from assistant.engine.operators.reading import OperatorPair, operator_candidate
from assistant.engine.operators.writing import FirstVersion, Unwritten, declined, kept_first
from assistant.engine.request import OperatorOptions
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.completion import CompletionFailure
from assistant.model.profile import Severity
from assistant.model.source import Source
from assistant.model.verification import Outcome, Verification
from assistant.operators.graph import FunctionCall, TensorUse
from assistant.ports.lab import LabFailure
from assistant.ports.operator_writer import OperatorQuestion, OperatorWriter
from assistant.record import Record

__all__ = ["ModelWriting", "OpenWriter"]

MOST_TEXTS = 4
"""Texts of one kernel that are judged: the first, and what became of it after each verdict."""
_MOST_PROBLEMS = 8
OpenWriter = Callable[[Job], AbstractAsyncContextManager[OperatorWriter | None]]
"""The model that may be asked, after a person agreed; None: none may."""


class _Wrong(Record):
    """What speaks against a text."""

    problems: tuple[str, ...]


class ModelWriting(Record):
    """Has a model write first kernels."""

    options: OperatorOptions
    judge: JudgeOperator
    open_writer: OpenWriter

    async def __call__(self, job: Job, unwritten: Unwritten) -> FirstVersion | Ending:
        """What the model wrote, if it is not wrong; else how the job ends."""
        async with self.open_writer(job) as writer:
            if writer is None:
                return declined(job, unwritten)
            job.say(Severity.INFORMATION, f"a model is asked, as rules write no kernel for {unwritten.task.name}: {unwritten.reason}")
            question, texts = _question(unwritten), 0
            while texts < MOST_TEXTS:
                answer = await writer.written(question)
                if isinstance(answer, CompletionFailure):
                    return declined(job, unwritten, f"; the model wrote none: {answer.message}")
                texts += 1
                found = await self._judged(job, unwritten, answer.text, answer.model, texts)
                if not isinstance(found, _Wrong):
                    return found
                job.say(Severity.INFORMATION, f"text {texts} of {answer.model} is wrong: {found.problems[0]}")
                question = replace(question, candidate=answer.text, problems=found.problems)
        return declined(job, unwritten, f"; none of the {MOST_TEXTS} texts that the model wrote is right")

    async def _judged(self, job: Job, unwritten: Unwritten, text: str, model: str, number: int) -> FirstVersion | Ending | _Wrong:
        task, scratch = unwritten.task, job.scratch / f"written_{number}"
        scratch.mkdir()
        source = Source(scratch / f"{task.path.stem}.cu", text)
        source.path.write_text(text, "utf-8")
        try:
            pair = OperatorPair(task, operator_candidate(source))
        except UsageError as error:
            return _Wrong((f"{error.message}; {error.remedy}" if error.remedy else error.message,))
        job.emit(events.StageStarted(job.id, "judge", f"text {number} of {model}"))
        found = await self.judge(replace(job, scratch=scratch), pair, self.options)
        if not isinstance(found, LabFailure) and isinstance(found.result, Verification) and found.result.outcome is Outcome.FAIL:
            return _Wrong(tuple(_problems(found.result))[:_MOST_PROBLEMS])
        ended = reported_operator(job, pair, self.options, found)
        if isinstance(found, LabFailure) or ended.exit_code:
            return ended
        reason = f"a first kernel of {task.name}, written by {model}: {ended.reason}"
        return await kept_first(job, task, text, replace(ended, reason=reason))


def _problems(result: Verification) -> Iterator[str]:
    for finding in result.findings:
        if finding.outcome is Outcome.FAIL:
            line = "" if finding.line is None else f", line {finding.line}"
            yield f"{finding.code}{line}: {finding.message}"


def _question(unwritten: Unwritten) -> OperatorQuestion:
    graph = unwritten.graph
    return OperatorQuestion(
        name=unwritten.task.name,
        task=unwritten.task.text,
        functions=tuple(map(_function, graph.calls)),
        weights=tuple(f"{name}: {_tensor(use)}" for name, use in graph.weights),
        reason=unwritten.reason,
    )


def _function(call: FunctionCall) -> str:
    place = "" if call.line is None else f" (line {call.line})"
    return f"{call.name}{place}: {', '.join(map(_tensor, call.reads))} -> {', '.join(map(_tensor, call.writes))}"


def _tensor(use: TensorUse) -> str:
    return f"{use.dtype}[{', '.join(map(str, use.shape))}]"
