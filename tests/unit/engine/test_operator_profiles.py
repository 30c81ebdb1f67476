"""What a PyTorch task consists of, and the first kernel that rules write for it, from what PyTorch's own process answers."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.engine import operator_jobs
from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending
from assistant.engine.operators import tracing
from assistant.engine.operators.tracing import graph_of
from assistant.engine.request import JobRequest, OperatorOptions, OptimizeOptions
from assistant.errors import UsageError
from assistant.measure.calibration import LAUNCH_S
from assistant.model import events
from assistant.model.code_events import OperatorFunction
from assistant.operators.graph import TensorUse
from assistant.ports.lab import LabFailure
from assistant.program.torch_place import TorchPlace
from tests.unit.engine.commands import Commands
from tests.unit.operators.test_texts import TASK

pytestmark = pytest.mark.usefixtures("home")

ROWS, COLUMNS = 1 << 16, 1 << 10
EDITED = "// a person went on with it\n"
SIZE, WEIGHT = 4 * ROWS * COLUMNS, 4 * COLUMNS


def use(memory: int, *shape: int) -> dict[str, Any]:
    """As PyTorch's process writes a tensor."""
    size = 4
    for length in shape:
        size *= length
    strides = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    where = {"strides": strides, "offset": 0, "memory_bytes": size}
    return {"memory": memory, "bytes": size, "dtype": "float32", "shape": list(shape), "is_whole": True, **where}


def call(name: str, line: int | None, kind: str, writes: dict[str, Any], *arguments: Any, **named: Any) -> dict[str, Any]:
    items = [item for each in (*arguments, *named.values()) for item in (each if isinstance(each, list) else [each])]
    reads = [item for item in items if isinstance(item, dict)]
    return {
        "name": name, "line": line, "kind": kind, "reads": reads, "writes": [writes], "operations": 7, "arguments": list(arguments),
        "named": named,
    }  # fmt: skip


def answer(*calls: dict[str, Any], rows: int = ROWS, columns: int = COLUMNS) -> dict[str, Any]:
    """Of a call with one input, memory 0, and one weight, memory 1."""
    given = {"inputs": [use(0, rows, columns)], "weights": [{"name": "weight", **use(1, columns)}]}
    return {"failure": None, **given, "calls": list(calls), "results": calls[-1]["writes"] if calls else [], "filled": []}


def scaled(rows: int = ROWS, columns: int = COLUMNS) -> dict[str, Any]:
    """Twice the same function at one line, and a cheaper one in between that only the last reads."""
    x, weight, y, z, w = (use(memory, rows, columns) if memory != 1 else use(1, columns) for memory in range(5))
    return answer(
        call("relu", 11, "pointwise", y, x),
        call("mul", 10, "pointwise", z, y, weight),
        call("mul", 10, "pointwise", w, z, weight),
        rows=rows,
        columns=columns,
    )


@dataclass
class Sides:
    """PyTorch's process: answers as given; keeps what it is asked."""

    answer: dict[str, Any] | LabFailure
    asked: list[tuple[str, dict[str, Any], Path, bool]] = field(default_factory=list[tuple[str, dict[str, Any], Path, bool]])
    is_closed: bool = False

    async def run(self, name: str, order: dict[str, Any], working_directory: Path, *, is_candidate: bool) -> dict[str, Any] | LabFailure:
        self.asked.append((name, order, working_directory, is_candidate))
        return self.answer

    async def close(self) -> None:
        self.is_closed = True


@dataclass
class Told(Commands):
    """Commands on a task whose process is given."""

    sides: Sides = field(default_factory=lambda: Sides(scaled()))
    search: OptimizeOptions | None = None
    place: TorchPlace | None = field(default_factory=lambda: TorchPlace("python3", Path("/torch"), "2.13.0", None, None))

    def task(self, text: str = TASK) -> JobRequest:
        return self.request(text, "task.py")

    async def profiled(self, class_name: str | None = None) -> events.JobEnded:
        await self.hear(self.session.profile_operator(self.task(), OperatorOptions(class_name)))
        return self.ending

    async def written(self) -> events.JobEnded:
        await self.hear(self.session.optimize_operator(self.task(), OperatorOptions(), self.search))
        return self.ending


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    made = Told(tmp_path)
    monkeypatch.setattr(tracing, "torch_place", lambda _: made.place)
    monkeypatch.setattr(tracing, "TorchSides", lambda *_: made.sides)
    return made


async def test_functions_are_told_with_their_shares_and_what_one_kernel_could_do(told: Told) -> None:
    ended = await told.profiled()
    assert (ended.exit_code, ended.reason) == (DONE, "3 function calls of PyTorch; 1 group that one kernel could do")
    found = told.only(events.OperatorsFound)
    mul, relu = found.functions
    assert (mul.name, mul.line, mul.call_count, mul.operation_count) == ("mul", 10, 2, 14)
    assert (relu.name, relu.line, relu.call_count, relu.operation_count) == ("relu", 11, 1, 7)
    assert (mul.moved_bytes, relu.moved_bytes) == (4 * SIZE + 2 * WEIGHT, 2 * SIZE)
    assert found.separate_time_s == mul.least_time_s + relu.least_time_s > found.least_time_s
    assert mul.share_ratio == mul.least_time_s / found.separate_time_s and mul.share_ratio + relu.share_ratio == pytest.approx(1)
    (group,) = found.groups
    assert (group.names, group.lines) == (("relu", "mul", "mul"), (10, 11))
    assert (group.moved_bytes, group.separate_bytes) == (2 * SIZE + WEIGHT, 6 * SIZE + 2 * WEIGHT)
    assert group.separate_time_s == pytest.approx(found.separate_time_s) and group.least_time_s == pytest.approx(found.least_time_s)
    assert (found.name, found.target, found.moved_bytes) == ("Model", "h200", 2 * SIZE + WEIGHT)
    assert "no measurement" in found.method and told.said == []


async def test_the_model_is_called_once_in_the_folder_of_its_task(told: Told) -> None:
    await told.profiled()
    path = told.folder / "task.py"
    order = {"role": "operators", "path": str(path), "class": "Model", "folder": str(told.folder), "sizes": {}, "seed": 11}
    assert told.sides.asked == [("operators_cpu", order, told.folder, False)] and told.sides.is_closed
    begun, ended = told.all(events.StageStarted), told.all(events.StageEnded)
    assert [(each.stage, each.detail) for each in begun] == [("operators", "Model of task.py in PyTorch 2.13.0")]
    assert [(each.stage, each.detail) for each in ended] == [("operators", "Model of task.py in PyTorch 2.13.0")]


@pytest.mark.parametrize(("rows", "columns", "is_told"), [(8, 16, True), (ROWS, COLUMNS, False)])
async def test_small_sizes_are_told_where_launches_cost_more(told: Told, rows: int, columns: int, is_told: bool) -> None:
    told.sides.answer = scaled(rows, columns)
    await told.profiled()
    assert (told.only(events.OperatorsFound).separate_time_s < 3 * LAUNCH_S) is is_told
    messages = [(each.message, each.remedy) for each in told.all(events.Message)]
    said = "at these sizes launches cost more: about 940 ns for each function (model)"
    assert messages == ([(said, "profile it at the sizes that you run")] if is_told else [])


async def test_functions_that_share_nothing_are_no_group(told: Told) -> None:
    told.sides.answer = answer(call("relu", None, "pointwise", use(2, ROWS, COLUMNS), use(0, ROWS, COLUMNS)))
    assert (await told.profiled()).reason == "1 function call of PyTorch"
    (only,) = told.only(events.OperatorsFound).functions
    assert only == OperatorFunction("relu", None, 1, 2 * SIZE, 7, only.least_time_s, 1.0)


@pytest.mark.parametrize(
    ("given", "exit_code", "said"),
    [
        (answer(), CANNOT_ANSWER, "Model calls no function of PyTorch that computes"),
        ({"failure": {"kind": "raised", "message": "no such layer"}}, CANNOT_ANSWER, "no such layer"),
        (LabFailure("internal", "the lab lost its worker", "try again"), CANNOT_ANSWER, "the lab lost its worker"),
    ],
)
async def test_a_task_that_does_not_run_has_no_profile(told: Told, given: Any, exit_code: int, said: str) -> None:
    told.sides.answer = given
    for ended in (await told.profiled(), await told.written()):
        assert ended.exit_code == exit_code
        assert said in (ended.reason, *told.said) or "0 function calls" in ended.reason
        assert not told.all(events.OperatorsFound) and told.sides.is_closed


async def test_without_pytorch_it_says_how_to_install_it(told: Told) -> None:
    told.place = None
    assert (await told.profiled()).exit_code == CANNOT_ANSWER
    assert told.only(events.Message).remedy == "pip install 'kernelopt[torch]'" and not told.sides.asked


def test_a_class_that_is_not_there_is_refused_before_anything_runs(told: Told) -> None:
    with pytest.raises(UsageError, match="has no class Net"):
        told.session.profile_operator(told.task(), OperatorOptions("Net"))


async def test_who_looks_for_kernels_in_a_task_is_told_what_a_task_is_for(told: Told) -> None:
    with pytest.raises(UsageError, match="is a PyTorch task") as raised:
        await told.hear(told.session.inspect(told.task()))
    assert raised.value.remedy is not None and "kernelopt profile task.py" in raised.value.remedy


async def test_sizes_are_the_tasks_own_by_name(told: Told) -> None:
    await told.hear(told.session.profile_operator(told.task(), OperatorOptions(sizes=(("rows", 3),))))
    ((_, order, _, _),) = told.sides.asked
    assert order["sizes"] == {"rows": 3}
    await told.hear(told.session.profile_operator(told.task(), OperatorOptions(sizes=(("lines", 3),))))
    assert told.all(events.JobEnded)[-1].exit_code == 2


def test_arguments_are_numbers_texts_tensors_and_lists_of_them() -> None:
    x, y = use(0, 2, 3), use(2, 2, 3)
    found = graph_of(answer(call("cat", 3, "pointwise", y, [x, 1.5, None], "sum", True, out=x, dims=[0, 1]), rows=2, columns=3))
    given, left = TensorUse(0, 24, "float32", (2, 3), True, (3, 1), 0, 24), TensorUse(2, 24, "float32", (2, 3), True, (3, 1), 0, 24)
    (only,) = found.calls
    assert only.arguments == ((given, 1.5, None), "sum", True) and only.named == (("out", given), ("dims", (0, 1)))
    assert (only.name, only.line, only.kind, only.operations) == ("cat", 3, "pointwise", 7)
    assert (only.reads, only.writes, found.results) == ((given, given), (left,), (left,))
    assert (found.inputs, found.weights) == ((given,), (("weight", TensorUse(1, 12, "float32", (3,), True, (1,), 0, 12)),))


@dataclass
class Judged:
    """How candidates are judged in the place of the task."""

    ending: Ending
    texts: list[str] = field(default_factory=list[str])
    pairs: list[Any] = field(default_factory=list[Any])

    async def __call__(self, job: Any, pair: Any, options: Any) -> Ending:
        self.pairs.append(pair)
        self.texts.append(pair.candidate.source.path.read_text())
        assert pair.candidate.source.text == self.texts[-1] and pair.task.name == "Model"
        return self.ending


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Judged:
    made = Judged(Ending(DONE, "PASS"))
    monkeypatch.setattr(operator_jobs, "judge_operator", made)
    return made


def text_of(path: Path) -> str:
    return path.read_text()


def went_on_with(path: Path) -> None:
    path.write_text(EDITED)


async def test_a_first_kernel_that_passes_is_kept_beside_those_of_before(told: Told, judged: Judged) -> None:
    ended = await told.written()
    assert (ended.exit_code, ended.reason) == (DONE, "a first kernel of Model: PASS")
    (written,) = told.all(events.KernelWritten)
    path = Path(written.file)
    assert path.name == f"{told.folder.name}_task.cu" and path.parent.name == "operators" and written.name == "Model"
    assert text_of(path) == judged.texts[0] and "__global__" in judged.texts[0] and judged.pairs[0].is_for_any_model
    await told.written()
    assert [each.file for each in told.all(events.KernelWritten)] == [written.file], "the same again is no other kernel"
    went_on_with(path)
    await told.written()
    (other,) = told.all(events.KernelWritten)
    assert other.file.endswith(f"{told.folder.name}_task_2.cu") and text_of(path) == EDITED


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending(CANNOT_ANSWER, "cannot judge the candidate"), (CANNOT_ANSWER, "cannot judge the candidate")),
        (Ending(NO, "FAIL"), (NO, "the kernel that rules wrote is not what Model computes, and is not kept")),
    ],
)
async def test_a_first_kernel_that_does_not_pass_is_not_kept(told: Told, judged: Judged, ending: Ending, expected: tuple[int, str]) -> None:
    judged.ending = ending
    ended = await told.written()
    assert (ended.exit_code, ended.reason) == expected and len(judged.texts) == 1
    assert not told.all(events.KernelWritten) and not list(told.folder.rglob("operators"))


async def test_what_rules_do_not_write_is_said(told: Told, judged: Judged) -> None:
    told.sides.answer = answer(call("mm", 3, "product", use(2, ROWS, ROWS), use(0, ROWS, COLUMNS), use(1, COLUMNS)))
    ended = await told.written()
    assert ended.exit_code == CANNOT_ANSWER and ended.reason.startswith("rules write no kernel for Model: ") and not judged.texts
    declined = told.only(events.KernelDeclined)
    assert declined.name == "Model" and declined.reason in ended.reason


async def test_both_files_of_a_comparison_are_named_to_the_judge(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, Path | None, str, OperatorOptions]] = []

    async def judge(job: Any, pair: Any, options: OperatorOptions) -> Ending:
        asked.append((job.request.device, job.request.other, pair.candidate.source.path.name, options))
        return Ending(NO, "FAIL")

    monkeypatch.setattr(operator_jobs, "judge_operator", judge)
    candidate = told.request(TASK.replace("class Model(", "class ModelNew("), "new.py").file
    options = OperatorOptions(is_strict=True)
    listening: AsyncIterator[events.Event] = told.session.judge_operator("check", told.task(), candidate, options)
    await told.hear(listening)
    assert asked == [(None, candidate, "new.py", options)] and (told.ending.exit_code, told.ending.reason) == (NO, "FAIL")
    (begun,) = told.all(events.JobStarted)
    assert begun.command == "check"


async def test_only_who_shows_times_has_a_task_timed(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    from assistant.engine.operators import profiling

    timed: list[str] = []

    async def time(_: Any, task: Any, *__: object) -> None:
        timed.append(task.name)

    monkeypatch.setattr(profiling, "_time", time)
    await told.hear(told.session.profile_operator(told.task(), OperatorOptions()))
    assert timed == []
    await told.hear(told.session.profile_operator(told.task(), OperatorOptions(), is_timed=True))
    assert timed == ["Model"]


async def test_a_search_goes_on_from_the_kept_kernel_and_ends_the_job(told: Told, judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Path] = []

    async def search(job: Any, first: Any, *_: object) -> Ending:
        begun.append(first.pair.candidate.source.path)
        return Ending(DONE, f"{first.ending.reason}; 1 proposal")

    monkeypatch.setattr(operator_jobs, "search_operator", search)
    told.search = OptimizeOptions()
    ended = await told.written()
    (written,) = told.all(events.KernelWritten)
    assert begun == [Path(written.file)] and ended.reason == "a first kernel of Model: PASS; 1 proposal"
    judged.ending = Ending(NO, "FAIL")
    await told.written()
    assert len(begun) == 1, "nothing is searched from a wrong kernel"


def test_a_search_on_a_task_is_not_resumed(told: Told) -> None:
    with pytest.raises(UsageError, match="cannot be resumed"):
        told.session.optimize_operator(told.task(), OperatorOptions(), OptimizeOptions(is_resumed=True))
