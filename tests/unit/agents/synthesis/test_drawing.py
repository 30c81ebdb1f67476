"""What is drawn follows from seed and number, is new, is what it says, and stays away from benchmarks. Nothing is run."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from assistant.agents.admission import refused_edit
from assistant.agents.synthesis import Asked, Check, Drawn, Kind, Split, draw_tasks, write_tasks
from assistant.agents.synthesis.checking import check_of, settings_of
from assistant.agents.synthesis.drawn import split_of
from assistant.agents.synthesis.families import FAMILIES, Family, Variant
from assistant.agents.synthesis.functions import FUNCTIONS
from assistant.agents.synthesis.likeness import likeness
from assistant.agents.synthesis.making import Fault, LeftOut, read_benchmark
from assistant.agents.synthesis.program_text import program_text
from assistant.agents.tasks import Judgement
from assistant.cuda.parse import parse
from assistant.errors import UsageError
from assistant.model.comparison import CaseSpeed, SpeedOutcome
from assistant.model.event_parts import SpeedReport
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.operators.task import NoTask, find_task
from assistant.plan.catalogue import own_catalogue

EXP = "class Model:\n    def forward(self, a):\n        b = torch.exp(a)\n        return b * 2.0\n"


def drawn(kind: Kind, count: int, seed: int = 7) -> list[Drawn]:
    found = draw_tasks(kind, seed, count)
    return [next(found) for _ in range(count)]


@pytest.mark.parametrize("kind", Kind)
def test_a_seed_draws_the_same_again_and_each_structure_once(kind: Kind) -> None:
    first = drawn(kind, 60)
    assert drawn(kind, 60) == first and drawn(kind, 60, seed=8) != first
    assert len({each.structure for each in first}) == len({each.name for each in first}) == 60


def test_there_are_500_of_each_kind() -> None:
    for kind in Kind:
        assert len({each.structure for each in drawn(kind, 500)}) == 500


def test_drawn_operators_are_tasks_with_sizes_that_can_be_varied() -> None:
    tried = set[str]()
    for each in drawn(Kind.OPERATOR, 120):
        task = find_task(Path(f"{each.name}.py"), each.text, None)
        assert not isinstance(task, NoTask) and task.free_sizes, each.text
        assert {name for name, _ in each.sizes} == set(task.sizes)
        tried |= set(each.parts)
    assert tried == set(FUNCTIONS)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_each_technique_that_a_family_lacks_changes_its_kernel_and_no_host_code(family: Family) -> None:
    known = {technique.id for technique in own_catalogue()}
    sizes = tuple((name, small[0]) for name, small, _ in family.sizes)
    variant = Variant(family.dtypes[0], ("affine",) if family.has_expressions else (), sizes)
    good = Source(Path("a.cu"), program_text(family.write(variant, frozenset()), "t"))
    assert [kernel.name for kernel in parse(good).kernels]
    for technique in family.techniques:
        worse = Source(good.path, program_text(family.write(variant, frozenset({technique})), "t"))
        assert technique in known and worse.text != good.text
        assert refused_edit(worse, good, may_edit_host_code=False) is None


def test_kernels_of_two_structures_differ_in_more_than_sizes() -> None:
    texts = [re.sub(r"number \d+|: \d+;", "", each.text) for each in drawn(Kind.KERNEL, 400)]
    assert len(set(texts)) == len(texts)


def test_what_fewer_digits_need_is_allowed() -> None:
    for each in drawn(Kind.KERNEL, 100):
        assert (each.allowed == ("precision",)) is ("float-literals" in each.parts)


def test_names_of_values_make_no_other_operator_and_functions_do() -> None:
    assert likeness(EXP, EXP.replace("b", "value").replace("2.0", "3.5")) == 1.0
    assert likeness(EXP, EXP.replace("exp", "log")) < 1.0
    assert likeness(EXP, "def forward(self): return [i for i in range(9)]") < 0.6
    assert likeness("(", EXP) == 0.0


async def test_operators_near_to_a_benchmark_are_left_out_and_named(tmp_path: Path) -> None:
    first = next(each for each in drawn(Kind.OPERATOR, 40) if len(each.parts) > 2)
    (tmp_path / "bench/level1").mkdir(parents=True)
    (tmp_path / "bench/level1/7_Fused.py").write_text(first.text.replace(" x ", " data "))
    assert set(read_benchmark(tmp_path / "bench")) == {"7_Fused"}
    made = await write_tasks(Asked(tmp_path / "out", 40, 0, 7, benchmark=tmp_path / "bench"), None)
    named = [each for each in made.left_out if each.code is Fault.BENCHMARK]
    short = {each.name for each in made.left_out if each.code is Fault.TIME}
    assert first.name in short or any(each.name == first.name and "7_Fused" in each.reason for each in named)
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert (report["kept"], report["benchmark"]["tasks"], report["is_checked"]) == (40, 1, False)
    with pytest.raises(UsageError, match="forward"):
        read_benchmark(tmp_path / "out/solutions")


async def test_tasks_are_written_with_provenance_and_a_structure_is_in_one_split(tmp_path: Path) -> None:
    asked = list[str]()

    async def check(task: Drawn, file: Path) -> Check:
        asked.append(task.name)
        if len(asked) % 3 == 0:
            return Check(LeftOut(task.name, Fault.JUDGE, "not repeatable"))
        return Check(None, predicted_ratio=1.5)

    made = await write_tasks(Asked(tmp_path / "out", 5, 5, 3), check)
    lines = [json.loads(line) for line in (tmp_path / "out/tasks.jsonl").read_text().splitlines()]
    assert made.kept == len(lines) == 10
    assert sum(each.code is Fault.JUDGE for each in made.left_out) == len(asked) - 10
    for line in lines:
        text = (tmp_path / "out" / line["file"]).read_text()
        assert f"seed 3, number {line['number']}" in text and line["checked"]["predicted_ratio"] == 1.5
        assert line["split"] == split_of(line["structure"]).value and 0.05e-3 <= line["least_time_s"] <= 100e-3
        assert (line["solution"] is None) is (line["kind"] == "operator")
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    named = {line[key] for line in lines for key in ("file", "solution") if line[key] is not None}
    assert files == named | {"tasks.jsonl", "refused.jsonl", "report.json"}


async def test_an_interrupted_making_goes_on_and_keeps_the_same_however_many_run_at_once(tmp_path: Path) -> None:
    asked = Counter[str]()

    async def check(task: Drawn, file: Path) -> Check:
        asked[task.name] += 1
        if asked.total() == 7:
            raise OSError("cut off")
        return Check(LeftOut(task.name, Fault.SOLUTION, "slower") if task.number % 4 == 0 else None)

    with pytest.raises(OSError, match="cut off"):
        await write_tasks(Asked(tmp_path / "cut", 0, 12, 3), check)
    cut = await write_tasks(Asked(tmp_path / "cut", 0, 12, 3), check)
    assert cut.kept == 12 and sorted(asked.values())[-2:] == [1, 2]
    whole = await write_tasks(Asked(tmp_path / "whole", 0, 12, 3, jobs=5), check)
    assert whole == cut
    assert (tmp_path / "cut/tasks.jsonl").read_text() == (tmp_path / "whole/tasks.jsonl").read_text()
    assert (await write_tasks(Asked(tmp_path / "cut", 0, 12, 3), check)) == cut
    assert (await write_tasks(Asked(tmp_path / "cut", 1, 12, 3), check)).kept == 13


async def test_a_folder_of_something_else_or_another_seed_is_left_alone(tmp_path: Path) -> None:
    await write_tasks(Asked(tmp_path / "out", 0, 1, 3), None)
    with pytest.raises(UsageError, match="--seed 3 --target h200"):
        await write_tasks(Asked(tmp_path / "out", 0, 2, 4), None)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes.txt").touch()
    with pytest.raises(UsageError, match="not empty"):
        await write_tasks(Asked(tmp_path / "other", 1, 0), None)


def speed(outcome: SpeedOutcome, ratio: float, before_s: float | None) -> SpeedReport:
    case = CaseSpeed("", 1.0, ratio, None, None, outcome, before_s, before_s)
    return SpeedReport(outcome, ratio, None, None, None, "good", (case,), "paired", None, None, None)


@pytest.mark.parametrize(
    ("judgement", "code", "start_s"),
    [
        (Judgement(Outcome.PASS, "PASS", speed=speed(SpeedOutcome.PREDICTED, 1.5, None)), None, None),
        (Judgement(Outcome.PASS, "PASS", speed=speed(SpeedOutcome.PREDICTED, 0.9, None)), None, None),
        (Judgement(Outcome.PASS, "PASS", speed=speed(SpeedOutcome.FASTER, 1.5, 1e-3)), None, 1e-3),
        (Judgement(Outcome.PASS, "PASS", speed=speed(SpeedOutcome.SLOWER, 0.9, 1e-3)), Fault.SOLUTION, 1e-3),
        (Judgement(Outcome.PASS, "PASS", speed=speed(SpeedOutcome.FASTER, 1.5, 1e-5)), Fault.TIME, 1e-5),
        (Judgement(Outcome.FAIL, "FAIL"), Fault.SOLUTION, None),
        (Judgement(None, "no machine"), Fault.SOLUTION, None),
        (Judgement(Outcome.PASS, "PASS", is_unchanged=True), Fault.SOLUTION, None),
    ],
)
def test_a_solution_must_be_right_and_not_slower_and_its_start_take_some_time(
    judgement: Judgement, code: Fault | None, start_s: float | None
) -> None:
    found = check_of(drawn(Kind.KERNEL, 1)[0], judgement)
    assert (None if found.left_out is None else found.left_out.code, found.start_s) == (code, start_s)


def test_kernels_run_at_real_sizes_on_a_gpu_alone() -> None:
    kernel, operator = drawn(Kind.KERNEL, 1)[0], drawn(Kind.OPERATOR, 1)[0]
    assert settings_of(kernel, "cpu").arguments == ()
    assert settings_of(kernel, "gpu:1").arguments == tuple(str(size) for _, size in kernel.real_sizes)
    assert settings_of(operator, "gpu:1").device == "cpu"


def test_splits_have_the_shares_that_are_said() -> None:
    shares = [split_of(f"structure {number}") for number in range(2000)]
    assert 150 < shares.count(Split.TEST) < 250 and 150 < shares.count(Split.VALIDATION) < 250


def test_drawn_texts_are_python() -> None:
    for each in drawn(Kind.OPERATOR, 60):
        ast.parse(each.text)
