"""PyTorch tasks in an editor: which classes have lenses, what jobs they start, and what is shown of answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.config import ConsentAnswer, ProgramConsent, Settings, TrustStore
from assistant.editor.guard import Guard
from assistant.editor.jobs import JobHost
from assistant.editor.lanes import Lane, Work
from assistant.editor.lens_row import ROW_CHARACTERS, SEPARATOR
from assistant.editor.operator_view import notes_of, operator_hover, operator_page, operator_row
from assistant.editor.operators import OpenOperators
from assistant.editor.parts import EditorParts
from assistant.editor.session import EditorSession
from assistant.editor.tasks import Task, Verb
from assistant.errors import KernelOptError, UsageError
from assistant.memory.store import open_store
from assistant.model.code_events import OperatorFunction, OperatorGroup, OperatorsFound
from assistant.model.event_parts import Device, VerificationReport
from assistant.model.events import ComparisonMade, Event, JobEnded
from assistant.model.verification import CaseResult, Outcome, VerificationFinding
from assistant.operators.outline import NOTHING, outline_of
from tests.unit.operators.test_texts import TASK

CANDIDATE = TASK.replace("class Model(", "class ModelNew(").partition("def get_inputs")[0]
BOTH = TASK + CANDIDATE
WRONG = VerificationFinding("wrong_value", Outcome.FAIL, "on other values it is off by 3", line=None)


def verdict(job: str, *findings: VerificationFinding) -> ComparisonMade:
    outcome = max((each.outcome for each in findings), key=lambda each: each.severity, default=Outcome.PASS)
    case = CaseResult("given", "float32[8, 16]", 1.0, outcome, 0.0, 0.0)
    report = VerificationReport(outcome, findings, (case,), (), (), (), ("on the CPU emulator",))
    return ComparisonMade(job, "Model", "operator", True, "a", "b", report, None, (), Device("CPU", "cpu", "h200"))


def breakdown(job: str) -> OperatorsFound:
    function = OperatorFunction("mul", 10, 2, 1024, 256, 1e-6, 1.0)
    group = OperatorGroup(("mul", "mul"), (10,), 512, 1024, 5e-7, 1e-6)
    return OperatorsFound(job, "Model", "h200", (function,), (group,), 512, 5e-7, 1e-6, "bytes at peaks; nothing is timed")


@dataclass
class Host:
    """In place of a job host: answers with the events of the verb that is asked."""

    findings: tuple[VerificationFinding, ...] = ()
    asked: list[Task] = field(default_factory=list[Task])

    async def start(self) -> None: ...

    async def run(self, task: Task) -> AsyncGenerator[Event]:
        self.asked.append(task)
        job = task.request.job_id or "J"
        yield breakdown(job) if task.verb is Verb.PROFILE else verdict(job, *self.findings)
        yield JobEnded(job, 0, "done")

    async def close(self) -> None: ...


@dataclass
class Listener:
    """Implements ``EditorListener``."""

    ended: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    shown_keys: list[str] = field(default_factory=list[str])

    def shown(self, key: str) -> None:
        self.shown_keys.append(key)

    def decided(self, key: str, decision: Any) -> None: ...

    def lost(self, key: str, outcome: Any) -> None: ...

    def job_started(self, work: Work) -> None: ...

    def job_reported(self, work: Work, event: Event) -> None: ...

    def job_waits(self, work: Work, reason: str) -> None: ...

    def job_ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        self.ended.append(work.id)
        if refusal is not None:
            self.refused.append(refusal.message)


@dataclass
class Opened:
    """The open tasks of one editor."""

    folder: Path
    host: Host = field(default_factory=Host)
    listener: Listener = field(default_factory=Listener)
    consents: list[ProgramConsent] = field(default_factory=list[ProgramConsent])
    answer: ConsentAnswer | None = ConsentAnswer.ONCE
    chosen: str | None = None
    is_trusted: bool = True
    questions: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])

    async def play(self, script: Callable[[OpenOperators], Awaitable[None]]) -> None:
        """Run ``script`` in an editor."""
        guard = Guard(TrustStore(self.folder / "trust"), self._consent, is_trusted=self.is_trusted)
        lanes = (Lane(cast(JobHost, self.host)), Lane(cast(JobHost, self.host)))
        with open_store(self.folder / "memory.db") as store:
            parts = EditorParts(*lanes, guard, self.listener, lambda _: Settings(), "test", ask_program=self._choose)
            editor = EditorSession(store, parts)
            try:
                await script(OpenOperators(store, parts, editor.queues))
            finally:
                await editor.close()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, "utf-8")
        return path

    async def done(self, job: str) -> None:
        async with asyncio.timeout(20):
            while job not in self.listener.ended:  # noqa: ASYNC110 - a listener is told, and tells of nothing
                await asyncio.sleep(0.01)

    async def _consent(self, run: ProgramConsent) -> ConsentAnswer | None:
        self.consents.append(run)
        return self.answer

    async def _choose(self, question: str, names: tuple[str, ...]) -> str | None:
        self.questions.append(names)
        return self.chosen


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    (tmp_path / ".git").mkdir()
    return Opened(tmp_path)


def titles(operators: OpenOperators, key: str) -> list[list[str]]:
    """Of each class, its lenses."""
    view = operators.view(key)
    rows = [[lens.title for lens in operator_row(view, shown)] for shown in view.outline.classes]
    assert all(len(SEPARATOR.join(row)) <= ROW_CHARACTERS for row in rows)
    return rows


@pytest.mark.parametrize(
    ("text", "names"),
    [(TASK, ["Model"]), (CANDIDATE, ["ModelNew"]), (BOTH, ["Model", "ModelNew"]), ("import torch\n", []), ("class ModelNew: pass\n", [])],
)
def test_classes_are_found_by_the_text_alone(text: str, names: list[str]) -> None:
    found = outline_of(Path("/p/a.py"), text)
    assert found is not None and [each.name for each in found.classes] == names
    assert all(text.splitlines()[each.line - 1].startswith(f"class {each.name}(") for each in found.classes)


def test_a_text_that_is_no_python_says_nothing_of_its_classes() -> None:
    assert outline_of(Path("/p/a.py"), f"{TASK}def (") is None
    assert outline_of(Path("/p/a.py"), "def (") == NOTHING, "without the words it is none, Python or not"


async def test_a_task_is_profiled_and_says_what_it_consists_of(opened: Opened) -> None:
    path = opened.write("task.py", TASK)

    async def script(operators: OpenOperators) -> None:
        operators.put("t", path, TASK)
        assert titles(operators, "t") == [["Profile", "Optimize"]]
        await opened.done(await operators.ask("t", Verb.PROFILE))
        assert titles(operators, "t") == [["2 functions · 1 group for one kernel", "Optimize"]]
        view = operators.view("t")
        (model,) = view.outline.classes
        assert "one kernel could do mul" in "\n".join(operator_hover(view, model)) and "| `mul` | 10 |" in operator_page(view, model)
        operators.put("t", path, f"{TASK}# more\n", is_typed=True)
        assert titles(operators, "t") == [["before the edit: 2 functions", "Profile", "Optimize"]]
        operators.put("t", path, f"{TASK}def (", is_typed=True)
        assert len(titles(operators, "t")) == 1, "lenses stay while a line is typed"

    await opened.play(script)
    assert "t" in opened.listener.shown_keys


@pytest.mark.parametrize(
    ("findings", "row", "noted"),
    [
        ((), ["PASS"], []),
        ((WRONG,), ["FAIL: wrong value", "Check"], ["ModelNew: on other values it is off by 3"]),
        (
            (VerificationFinding("library_call", Outcome.NEEDS_DECISION, "PyTorch computes mm", line=3),),
            ["for you to decide: library call", "Check"],
            ["ModelNew: PyTorch computes mm"],
        ),
    ],
)
async def test_a_candidate_beside_its_task_is_checked_against_it(
    opened: Opened, findings: tuple[VerificationFinding, ...], row: list[str], noted: list[str]
) -> None:
    opened.host.findings = findings
    task, path = opened.write("task.py", TASK), opened.write("new.py", CANDIDATE)
    edited = f"{CANDIDATE}# edited\n"

    async def script(operators: OpenOperators) -> None:
        operators.put("c", path, edited)
        assert titles(operators, "c") == [["Check"]]
        await opened.done(await operators.ask("c", Verb.CHECK))
        assert titles(operators, "c") == [row]
        view = operators.view("c")
        assert [note.message for note in notes_of(view)] == noted
        operators.put("c", path, CANDIDATE, is_typed=True)
        assert notes_of(operators.view("c")) == () and titles(operators, "c")[0][0].startswith("before the edit: ")

    await opened.play(script)
    (asked,) = opened.host.asked
    assert (asked.request.file, asked.operator and asked.operator.candidate, asked.request.device) == (task, path, "cpu")
    assert asked.text_of(path) == edited, "the text is judged as it stands"
    assert [consent.command for consent in opened.consents] == [(str(task), str(path))]


async def test_an_edit_of_the_task_makes_a_verdict_old(opened: Opened) -> None:
    task, path = opened.write("task.py", TASK), opened.write("new.py", CANDIDATE)

    async def script(operators: OpenOperators) -> None:
        operators.put("c", path, CANDIDATE)
        await opened.done(await operators.ask("c", Verb.CHECK))
        operators.put("t", task, f"{TASK}# other\n", is_typed=True)
        assert titles(operators, "c") == [["before the edit: PASS", "Check"]]

    await opened.play(script)


async def test_a_server_that_starts_later_shows_the_same(opened: Opened) -> None:
    path = opened.write("both.py", BOTH)

    async def first(operators: OpenOperators) -> None:
        operators.put("b", path, BOTH)
        await opened.done(await operators.ask("b", Verb.CHECK))
        await opened.done(await operators.ask("b", Verb.PROFILE))

    async def later(operators: OpenOperators) -> None:
        operators.put("b", path, BOTH)
        assert titles(operators, "b") == [["2 functions · 1 group for one kernel", "Optimize"], ["PASS"]]

    await opened.play(first)
    await opened.play(later)


async def test_a_candidate_without_a_task_offers_nothing(opened: Opened) -> None:
    path = opened.write("new.py", CANDIDATE)

    async def script(operators: OpenOperators) -> None:
        operators.put("c", path, CANDIDATE)
        assert titles(operators, "c") == [[]]
        with pytest.raises(UsageError, match="no task is known"):
            await operators.ask("c", Verb.CHECK)

    await opened.play(script)


@pytest.mark.parametrize("chosen", ["b.py", None])
async def test_of_several_tasks_the_person_names_one(opened: Opened, chosen: str | None) -> None:
    opened.write("a.py", TASK)
    task, path = opened.write("b.py", TASK), opened.write("new.py", CANDIDATE)
    opened.chosen = chosen

    async def script(operators: OpenOperators) -> None:
        operators.put("c", path, CANDIDATE)
        if chosen is None:
            with pytest.raises(UsageError, match="no task is known"):
                await operators.ask("c", Verb.CHECK)
            return
        for _ in range(2):
            await opened.done(await operators.ask("c", Verb.CHECK))

    await opened.play(script)
    assert opened.questions == [("a.py", "b.py")], "once for all"
    assert [asked.request.file for asked in opened.host.asked] == ([] if chosen is None else [task, task])


async def test_nothing_runs_without_consent(opened: Opened) -> None:
    opened.answer = ConsentAnswer.NEVER
    path = opened.write("task.py", TASK)

    async def script(operators: OpenOperators) -> None:
        operators.put("t", path, TASK)
        await opened.done(await operators.ask("t", Verb.OPTIMIZE))

    await opened.play(script)
    assert opened.host.asked == [] and opened.listener.refused == ["task.py was not run: you answered Never"]


async def test_in_an_untrusted_folder_a_task_is_not_run(opened: Opened) -> None:
    opened.is_trusted = False

    async def script(operators: OpenOperators) -> None:
        operators.put("t", opened.write("task.py", TASK), TASK)
        with pytest.raises(UsageError, match="is not trusted"):
            await operators.ask("t", Verb.PROFILE)

    await opened.play(script)


async def test_a_closed_file_is_forgotten(opened: Opened) -> None:
    async def script(operators: OpenOperators) -> None:
        operators.put("t", opened.folder / "task.py", TASK)
        operators.put("t", opened.folder / "task.py", "import torch\n")
        assert not operators.is_open("t")
        with pytest.raises(UsageError, match="no open PyTorch task"):
            operators.view("t")

    await opened.play(script)
