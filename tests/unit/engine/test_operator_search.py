"""What a search on a PyTorch task asks of the judge of operators, and what goes back to a model that writes first kernels."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.job import CANNOT_ANSWER, Ending, Job
from assistant.engine.operators.judged import JudgedOperator
from assistant.engine.operators.model_writing import MOST_TEXTS, ModelWriting
from assistant.engine.operators.writing import Unwritten
from assistant.engine.request import JobRequest, OperatorOptions
from assistant.engine.search.elsewhere import NotOffered
from assistant.engine.search.operator_search import judged_as_operator
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.completion import CompletionFailure, FailureKind
from assistant.model.source import Source
from assistant.model.verification import Outcome, Verification, VerificationFinding
from assistant.operators.graph import Graph
from assistant.operators.task import Task
from assistant.plan.llm.first_kernel import WHOLE_FILE
from assistant.plan.llm.reading.answers import BadReply
from assistant.ports.lab import LabFailure, RunLimits
from assistant.ports.operator_writer import OperatorQuestion, WrittenOperator
from tests.contracts.fake_lab import FakeLab
from tests.unit.engine.heard import Heard

TASK = Task(Path("/p/task.py"), "class Model: ...", "Model", 1, (), (), ("x",))
KERNEL = """/* kernelopt
[operator]
launcher = "f"
inputs   = { x = ["n"] }
outputs  = { y = ["n"] }
args     = ["y", "x", "n"]
*/
void f(float* y, const float* x, int n) {
}
"""
WRONG = VerificationFinding("wrong_value", Outcome.FAIL, "y is 3 where it should be 4")
OPEN = VerificationFinding("nan_behaviour", Outcome.NEEDS_DECISION, "NaN is lost")


@dataclass
class Bed:
    """A job whose judge and model answer as given."""

    folder: Path
    result: JudgedOperator | LabFailure
    answers: list[WrittenOperator | CompletionFailure] = field(default_factory=list[WrittenOperator | CompletionFailure])
    asked: list[OperatorQuestion] = field(default_factory=list[OperatorQuestion])
    judged: list[str] = field(default_factory=list[str])
    heard: Heard = field(default_factory=Heard)

    @property
    def job(self) -> Job:
        request = JobRequest(TASK.path, self.folder)
        return Job("J1", request, FakeLab(self.folder, {}), target("h200"), cast("Any", None), self.folder, (1, 2), RunLimits(), self.heard)

    async def judge(self, job: Job, pair: Any, options: OperatorOptions) -> JudgedOperator | LabFailure:
        assert job.scratch.parent == self.folder and job.scratch.is_dir(), "each candidate has a folder of its own"
        self.judged.append(pair.candidate.source.text)
        return self.result

    async def written(self, question: OperatorQuestion) -> WrittenOperator | CompletionFailure:
        self.asked.append(question)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]

    async def writes(self, *, is_agreed: bool = True) -> Any:
        @asynccontextmanager
        async def open_writer(_: Job) -> AsyncGenerator[Bed | None]:
            yield self if is_agreed else None

        return await ModelWriting(OperatorOptions(), self.judge, open_writer)(self.job, Unwritten(TASK, Graph((), (), (), ()), "no rule"))

    async def elsewhere(self, text: str = KERNEL) -> Any:
        version = cast("Any", SimpleNamespace(source=Source(Path("/p/k.cu"), text)))
        return await judged_as_operator(TASK, OperatorOptions(), self.judge)(self.job, version, version)


def verdict(*findings: VerificationFinding) -> JudgedOperator:
    outcome = max((finding.outcome for finding in findings), key=lambda each: each.severity, default=Outcome.PASS)
    return JudgedOperator(Verification(outcome, findings, (), (), "operator", (), ()), None, "no time")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (verdict(), ()),
        (verdict(OPEN), (OPEN,)),
        (verdict(WRONG, OPEN), NotOffered("it is not what Model computes: y is 3 where it should be 4")),
        (LabFailure("timed_out", "too slow", ""), NotOffered("it could not be judged against Model: too slow")),
    ],
)
async def test_an_edit_is_offered_only_where_it_computes_what_the_task_does(tmp_path: Path, result: Any, expected: Any) -> None:
    bed = Bed(tmp_path, result)
    assert await bed.elsewhere() == expected and bed.judged == [KERNEL]


async def test_an_edit_that_takes_the_launcher_away_is_not_offered(tmp_path: Path) -> None:
    bed = Bed(tmp_path, verdict())
    assert "defines no function f" in (await bed.elsewhere(KERNEL.replace("void f(", "void g("))).reason and bed.judged == []


async def test_what_is_wrong_goes_back_to_the_model_a_bounded_number_of_times(tmp_path: Path) -> None:
    bed = Bed(tmp_path, verdict(OPEN, WRONG), [WrittenOperator(KERNEL, "small")])
    ended: Ending = await bed.writes()
    assert ended.exit_code == CANNOT_ANSWER and "none of the 4 texts" in ended.reason and len(bed.asked) == MOST_TEXTS == len(bed.judged)
    first, second, *_ = bed.asked
    assert (first.candidate, first.problems, first.reason) == ("", (), "no rule")
    assert (second.candidate, second.problems) == (KERNEL, ("wrong_value: y is 3 where it should be 4",))
    assert [event.reason for event in bed.heard.events if isinstance(event, events.KernelDeclined)] == ["no rule"]


async def test_without_consent_or_an_answer_nothing_is_judged(tmp_path: Path) -> None:
    bed = Bed(tmp_path, verdict(), [CompletionFailure(FailureKind.OVER_BUDGET, "the budget is spent", "raise it")])
    assert (await bed.writes(is_agreed=False)).exit_code == CANNOT_ANSWER and bed.asked == []
    assert "the budget is spent" in (await bed.writes()).reason and len(bed.asked) == 1 and bed.judged == []


def test_the_last_whole_file_of_an_answer_counts() -> None:
    fenced = f"```cuda\n{KERNEL}```"
    assert WHOLE_FILE.read(f"A draft:\n```cuda\nint a;\n```\n{fenced}\nDone.") == KERNEL
    for text in ("sorry", f"```cuda\n{KERNEL}", "```cuda\nint a;\n```"):
        assert isinstance(WHOLE_FILE.read(text), BadReply)
