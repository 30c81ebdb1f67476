"""``%%kernelopt --op``: what a cell is taken for, which texts its job is given, and what is shown of the answer."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.editor.tasks import Task, Verb
from assistant.engine import OperatorOptions
from assistant.errors import UsageError
from assistant.model.events import Event, JobEnded, KernelWritten, Message, StageStarted
from assistant.model.profile import Severity
from assistant.model.verification import Outcome, VerificationFinding
from jupyter_ext.operator_cells import OperatorCell, OperatorCells
from jupyter_ext.operator_page import failure_words, shown_bundle
from jupyter_ext.operator_runs import Asked, OperatorRun, kernel_cell
from jupyter_ext.page import course_text
from tests.unit.editor.test_operators import breakdown, verdict
from tests.unit.operators.test_texts import LAUNCHER

NOTEBOOK = Path("/w/lab.ipynb")
TASK = """\
rows = 8


class Model(Module):
    def forward(self, x):
        return x * rows


def get_inputs():
    return [rows]
"""
CANDIDATE = "class ModelNew(Module):\n    def forward(self, x):\n        return x\n"
CUDA = LAUNCHER + "__global__ void kernel() {}\n"


class Module:
    """In the place of PyTorch's."""


@dataclass
class Notebook:
    """A notebook whose jobs are answered by hand; implements ``OperatorFront``."""

    namespace: dict[str, object] = field(default_factory=lambda: {"Module": Module, "__name__": "__main__"})
    answers: dict[Verb, Sequence[Event]] = field(default_factory=dict[Verb, Sequence[Event]])
    asked: list[Task] = field(default_factory=list[Task])
    ran: list[str] = field(default_factory=list[str])
    runs: list[OperatorRun] = field(default_factory=list[OperatorRun])
    courses: list[str] = field(default_factory=list[str])
    can_run: bool = True

    def run_python(self, code: str) -> bool:
        self.ran.append(code)
        if self.can_run:
            name = f"<cell {len(self.ran)} of {id(self)}>"
            linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
            exec(compile(code, name, "exec", dont_inherit=True), self.namespace)
        return self.can_run

    def open_run(self, name: str, notebook: Path, cell_id: str | None, asked: tuple[Asked, ...]) -> OperatorRun:
        """In the place of the workshop's: answers at once."""
        run = OperatorRun(len(self.runs) + 1, name, notebook, cell_id, asked)
        self.runs.append(run)
        run.on_change.append(lambda run: self.courses.append(course_text(run.state)))
        for each in asked:
            self.asked.append(each.task)
            run.begin(each.task.verb, "J")
            for event in (StageStarted("J", "candidate", "12 cases"), *self.answers[each.task.verb]):
                run.hear(each, event)
        run.end()
        return run

    def text_of(self, name: str) -> str:
        """What the last job was given under this name."""
        return next(text for path, text in self.asked[-1].request.texts if path.name == name)

    @property
    def last(self) -> str:
        """What stands below the cell that was run last."""
        return shown_bundle(self.runs[-1])["text/plain"]

    @property
    def page(self) -> str:
        return shown_bundle(self.runs[-1])["text/html"]


@pytest.fixture
def notebook() -> Notebook:
    made = Notebook()
    made.answers = {Verb.PROFILE: (breakdown("J"), ended()), Verb.CHECK: (verdict("J"), ended())}
    return made


def ended(code: int = 0, reason: str = "done") -> JobEnded:
    return JobEnded("J", code, reason)


def cell(body: str, **more: Any) -> OperatorCell:
    return OperatorCell(body, NOTEBOOK, OperatorOptions("Model"), **more)


def judge(notebook: Notebook, body: str, **more: Any) -> OperatorCells:
    cells = OperatorCells(notebook.open_run, notebook)
    cells.open(cell(body, **more))
    return cells


def test_a_task_is_run_and_broken_down(notebook: Notebook) -> None:
    judge(notebook, TASK)
    (asked,) = notebook.asked
    assert notebook.ran == [TASK] and (asked.verb, asked.request.file.name, asked.request.device) == (Verb.PROFILE, "lab.cell.py", "cpu")
    assert notebook.text_of("lab.cell.py").endswith(f"\n\n{TASK}") and "class Module" in notebook.text_of("lab.cell.py")
    assert "▶ profile: 12 cases" in notebook.courses and notebook.runs[0].name == "lab.ipynb.Model"
    assert notebook.last.startswith("Model: 2 function calls of PyTorch") and "<table" in notebook.page


def test_what_a_job_says_besides_its_answer_is_shown(notebook: Notebook) -> None:
    notebook.answers[Verb.PROFILE] = (breakdown("J"), Message("J", Severity.INFORMATION, "launches cost more", "take real sizes"), ended())
    judge(notebook, TASK)
    assert "launches cost more; take real sizes" in notebook.last and "launches cost more" in notebook.page


def test_of_many_findings_the_first_two_need_no_unfolding(notebook: Notebook) -> None:
    findings = [VerificationFinding("wrong_value", Outcome.FAIL, f"off in case {number}") for number in range(4)]
    notebook.answers[Verb.CHECK] = (verdict("J", *findings), ended(1))
    judge(notebook, f"{TASK}\n\n{CANDIDATE}")
    open_part = notebook.page.partition("<details")[0]
    assert "off in case 1" in open_part and "off in case 2" not in open_part and "<summary>2 more</summary>" in notebook.page


def test_a_task_that_raises_is_not_broken_down(notebook: Notebook) -> None:
    notebook.can_run = False
    judge(notebook, TASK)
    assert not notebook.asked and not notebook.runs


def test_a_candidate_is_not_run_here_and_is_judged_against_what_the_notebook_has(notebook: Notebook) -> None:
    cells = judge(notebook, TASK)
    cells.open(cell(CANDIDATE))
    asked = notebook.asked[-1]
    assert notebook.ran == [TASK] and asked.verb is Verb.CHECK and asked.operator is not None
    assert asked.operator.candidate == asked.request.texts[1][0] == NOTEBOOK.with_name("lab.cell.py")
    assert "class ModelNew" in notebook.text_of("lab.cell.py") and "class Model(Module)" in notebook.text_of("lab.Model.py")
    assert notebook.last == "ModelNew: PASS; 1 of 1 case passed, on the CPU emulator; nothing was timed"


def test_a_task_that_later_cells_define_anew_is_the_one_that_counts(notebook: Notebook) -> None:
    cells = judge(notebook, TASK)
    notebook.namespace["rows"] = 99
    cells.open(cell(CANDIDATE))
    assert "rows = 99" in notebook.text_of("lab.Model.py")


def test_task_and_candidate_of_one_cell_are_one_text_which_later_candidates_meet(notebook: Notebook) -> None:
    cells = judge(notebook, f"{TASK}\n\n{CANDIDATE}")
    assert not notebook.ran and len(notebook.asked[0].request.texts) == 1
    cells.open(cell(CANDIDATE))
    assert "class Model(Module)" in notebook.text_of("lab.Model.py")


def test_a_kernel_with_a_table_is_a_candidate(notebook: Notebook) -> None:
    cells = judge(notebook, TASK)
    notebook.answers[Verb.CHECK] = (verdict("J", VerificationFinding("race", Outcome.FAIL, "a race", line=5)), ended(1))
    cells.open(cell(CUDA))
    assert notebook.text_of("lab.ModelNew.cu") == f"\n{CUDA}", "line 1 of the cell is the magic"
    assert "the kernel: FAIL: race" in notebook.last and "line 5: a race" in notebook.last


def test_lines_are_those_of_the_cell(notebook: Notebook) -> None:
    cells = judge(notebook, TASK)
    above = notebook.text_of("lab.cell.py").index(f"\n\n{TASK}")
    first = notebook.text_of("lab.cell.py").count("\n", 0, above) + 2
    found = breakdown("J")
    notebook.answers[Verb.PROFILE] = (replace(found, functions=(replace(found.functions[0], line=first + 6 - 1),)), ended())
    cells.open(cell(TASK))
    assert "mul, 2 x, line 6" in notebook.last


def test_a_no_names_every_finding(notebook: Notebook) -> None:
    findings = [VerificationFinding("wrong_value", Outcome.FAIL, f"off in case {number}") for number in range(3)]
    cells = judge(notebook, TASK)
    cells.open(cell(CANDIDATE))
    assert failure_words(notebook.runs[-1]) is None
    notebook.answers[Verb.CHECK] = (verdict("J", *findings), ended(1, "lab.cell.py is wrong"))
    cells.open(cell(CANDIDATE))
    said = failure_words(notebook.runs[-1]) or ""
    assert said.startswith("ModelNew: FAIL") and all(f"off in case {number}" in said for number in range(3))


def test_without_an_answer_the_reason_is_what_is_shown(notebook: Notebook) -> None:
    notebook.answers[Verb.PROFILE] = (Message("J", Severity.ERROR, "no PyTorch", "install it"), ended(3))
    judge(notebook, TASK)
    assert notebook.last == failure_words(notebook.runs[-1]) == "✗ profile could not be answered: no PyTorch; install it"


def test_a_first_kernel_is_a_cell_of_its_own(notebook: Notebook, tmp_path: Path) -> None:
    kernel = tmp_path / "first.cu"
    kernel.write_text(CUDA)
    notebook.answers[Verb.OPTIMIZE] = (KernelWritten("J", "Model", str(kernel)), ended(0, "a first kernel"))
    judge(notebook, TASK, is_optimized=True)
    (run,) = notebook.runs
    assert run.verbs == (Verb.PROFILE, Verb.OPTIMIZE) and kernel_cell(run) == f"%%kernelopt --op Model\n{CUDA}"
    run.place_kernel("its cell is below")
    assert notebook.last.endswith(f"a first kernel; it is in {kernel}; its cell is below")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = 1\n", "the cell has no class Model"),
        ("%timeit x\n", "line 2 of the cell is no Python"),
        (CANDIDATE, "the notebook has no Model"),
        ("__global__ void k() {}\n", r"the cell has no \[operator\] table"),
    ],
)
def test_a_cell_with_neither_is_refused(notebook: Notebook, body: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        judge(notebook, body)
    assert not notebook.asked


def test_what_is_shown_is_escaped(notebook: Notebook) -> None:
    notebook.answers[Verb.CHECK] = (verdict("J", VerificationFinding("raised", Outcome.FAIL, "<script>")), ended(1))
    judge(notebook, f"{TASK}\n\n{textwrap.dedent(CANDIDATE)}")
    assert "&lt;script&gt;" in notebook.page and "<script>" not in notebook.page
