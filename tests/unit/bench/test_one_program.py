"""One task from its folder to its row, on a lab that is a table: what gains, what has nothing to propose, what fails and why."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from assistant.bench.journal import BenchSettings
from assistant.bench.one_program import ProgramRunner
from assistant.bench.row import Row, RowOutcome
from assistant.bench.task import Requirements, Task
from assistant.bench.words import row_line, verdict_words
from assistant.engine import Session
from assistant.model import events
from assistant.model.comparison import SpeedOutcome
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.ports.planner import PlanRequest, Story
from tests.contracts.fake_clock import Clock
from tests.unit.engine.commands import BESIDE, BOTH, HOST, KERNELS, SCALE, Commands

BEFORE = "2.0f * x[i]"
DEAR = KERNELS | {f"out[i] = {BEFORE}": replace(KERNELS[f"out[i] = {BEFORE}"], sectors=4000)}
"""So much that a cheaper edit's gain can be shown."""
SETTINGS = BenchSettings("/suite", device="cpu")


class OneEdit:
    """Plans one edit where the text has not got it yet."""

    name = "one edit"

    def __init__(self, after: str) -> None:
        self._after = after

    async def plan(self, request: PlanRequest) -> Plan:
        if BEFORE not in request.parsed.source.text or not self._after:
            return Plan((), (), self.name)
        return Plan((Step("cheaper", request.kernel.key, request.kernel.line, "because", (), "KO101", (), 1.0),), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        span = request.kernel.span
        text = request.parsed.source.text[span.start : span.end].replace(BEFORE, self._after)
        yield Rewrite(step.technique, step.kernel, step.line, (TextEdit(span, text),), "Add.", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> str:
        return "an edit"


def folder_of(folder: Path, text: str) -> Path:
    (folder / "suite").mkdir()
    (folder / "suite" / "scale.cu").write_text(text)
    return folder / "suite"


async def run(
    folder: Path, after: str, text: str = SCALE + HOST, settings: BenchSettings = SETTINGS, commands: Commands | None = None
) -> Row:
    """The row of a program whose planner makes ``after`` of what it computes."""
    commands = commands or Commands(folder, OneEdit(after), kernels=DEAR)
    needed = Requirements(8000.0, None, 1000.0, "float", "x read, out written")
    task = Task("scale", (Path("scale.cu"),), ("1000",), needed)
    return await ProgramRunner(folder_of(folder, text), settings, lambda _: commands.session, lambda _: None).run(task)


async def test_an_edit_that_is_proved_is_kept_and_judged_as_a_whole(tmp_path: Path) -> None:
    row = await run(tmp_path, "x[i] + x[i]")
    assert (row.outcome, row.speed, row.chain) == (RowOutcome.FASTER, SpeedOutcome.PREDICTED, ("cheaper",))
    assert row.verification is not None and row.verification.startswith("PASS")
    assert row.ratio is not None and row.ratio > 1.0
    assert row.times is not None and row.times.is_predicted
    assert row.times.best_s == pytest.approx(row.times.original_s / row.ratio)
    assert row.bound is not None and row.bound.time_s == pytest.approx(8000 / 9.7e12) and row.target == "h200"
    assert "+    if (i < n) out[i] = x[i] + x[i];" in row.diff
    assert (tmp_path / "suite" / "scale.cu").read_text() == SCALE + HOST, "the user's file stays as it is"
    assert [path.name for path in (tmp_path / "suite").iterdir()] == ["scale.cu"]


async def test_a_single_edit_whose_program_cannot_be_timed_as_one_is_compared_kernel_by_kernel(tmp_path: Path) -> None:
    heard: list[events.Event] = []
    commands = Commands(tmp_path, OneEdit("x[i] + x[i]"), kernels=DEAR)
    task = Task("scale", (Path("scale.cu"),), ("1000",), None)
    row = await ProgramRunner(folder_of(tmp_path, SCALE + HOST), SETTINGS, lambda _: commands.session, heard.append).run(task)
    assert (row.outcome, row.reason) == (RowOutcome.FASTER, "1 edit kept")
    compared = [event.job for event in heard if isinstance(event, events.JobStarted) and event.command == "compare"]
    first, second = (next(event for event in heard if isinstance(event, events.JobEnded) and event.job == job) for job in compared)
    assert "is not judged as a whole" in first.reason and second.reason.startswith("PASS")


async def test_with_nothing_to_propose_the_row_says_so(tmp_path: Path) -> None:
    row = await run(tmp_path, "")
    assert (row.outcome, row.ratio, row.counted_ratio, row.chain) == (RowOutcome.NOTHING, None, 1.0, ())
    assert row.times is not None and row.times.best_s == row.times.original_s
    assert verdict_words(row) == "nothing to propose: no edit was planned"


async def test_a_wrong_edit_is_not_kept(tmp_path: Path) -> None:
    row = await run(tmp_path, "2.5f * x[i]")
    assert (row.outcome, row.counted_ratio, row.diff) == (RowOutcome.NOTHING, 1.0, "")


async def test_a_program_that_crashes_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    row = await run(tmp_path, "x[i] + x[i]", SCALE + HOST.replace("int main()", "// crashes\nint main()"))
    assert (row.outcome, row.counted_ratio, row.times) == (RowOutcome.FAILED, 1.0, None)
    assert "the program ends by signal SIGSEGV" in row.reason


async def test_a_file_without_a_kernel_is_a_failure_with_its_reason(tmp_path: Path) -> None:
    row = await run(tmp_path, "", "int main() { return 0; }\n")
    assert row.outcome is RowOutcome.FAILED and "no __global__ function" in row.reason


async def test_a_defect_of_ours_is_a_failure_of_that_row_alone(tmp_path: Path) -> None:
    class Broken(OneEdit):
        async def plan(self, request: PlanRequest) -> Plan:
            raise ZeroDivisionError("in the planner")

    row = await run(tmp_path, "", commands=Commands(tmp_path, Broken("")))
    assert row.outcome is RowOutcome.FAILED and row.reason == "internal error: ZeroDivisionError: in the planner"
    assert row.times is not None, "what was found before stays"


async def test_a_program_that_takes_too_long_is_a_failure(tmp_path: Path) -> None:
    class Slow(OneEdit):
        async def plan(self, request: PlanRequest) -> Plan:
            loop, now_s = asyncio.get_running_loop(), asyncio.get_running_loop().time
            loop.time = lambda: now_s() + 1000  # ten minutes are over, however slow the machine was until here
            await asyncio.Event().wait()
            raise AssertionError

    row = await run(tmp_path, "", settings=replace(SETTINGS, timeout_s=600), commands=Commands(tmp_path, Slow("")))
    assert (row.outcome, row.reason) == (RowOutcome.FAILED, "no end after 600 s (optimize, in profile)")


@pytest.mark.parametrize(("late_s", "outcome"), [(700, RowOutcome.FASTER), (1000, RowOutcome.FAILED)])
async def test_what_is_being_confirmed_when_the_time_is_over_has_half_as_much_again(
    tmp_path: Path, late_s: int, outcome: RowOutcome
) -> None:
    class SlowFirst(OneEdit):
        """So many seconds are over once its edit is kept."""

        async def explained(self, story: Story) -> str:
            loop, now_s = asyncio.get_running_loop(), asyncio.get_running_loop().time
            loop.time = lambda: now_s() + late_s
            await asyncio.sleep(0)
            return await super().explained(story)

    commands = Commands(tmp_path, SlowFirst("x[i] + x[i]"), kernels=DEAR)
    row = await run(tmp_path, "", settings=replace(SETTINGS, timeout_s=600), commands=commands)
    assert row.outcome is outcome, row.reason
    assert outcome is RowOutcome.FASTER or row.reason == "no end after 900 s (optimize, in confirm: 1 candidate tried)"


async def test_without_a_search_there_are_times_and_bounds_alone(tmp_path: Path) -> None:
    row = await run(tmp_path, "x[i] + x[i]", settings=replace(SETTINGS, is_searching=False))
    assert row.outcome is RowOutcome.NOT_SEARCHED and row.distance is not None and row.diff == ""


async def test_of_a_measurement_both_times_are_those_of_the_verdict(tmp_path: Path) -> None:
    text = SCALE.replace("x[i];", "x[i]; // takes 40 us") + HOST
    commands = Commands(tmp_path, OneEdit("x[i] + x[i]; // takes 10 us"), timing=Clock())
    row = await run(tmp_path, "", text, commands=commands)
    assert (row.outcome, row.speed, row.ratio) == (RowOutcome.FASTER, SpeedOutcome.FASTER, pytest.approx(4.0)), row.reason
    assert row.times is not None and not row.times.is_predicted
    assert (row.times.original_s, row.times.best_s) == (pytest.approx(40e-6), pytest.approx(10e-6))
    assert row.low is not None and row.high is not None and row.low <= 4.0 <= row.high


async def test_each_event_is_handed_on_and_the_session_closed(tmp_path: Path) -> None:
    heard: list[events.Event] = []
    opened: list[str] = []
    commands = Commands(tmp_path, OneEdit(""))

    def open_session(title: str) -> Session:
        opened.append(title)
        return commands.session

    runner = ProgramRunner(folder_of(tmp_path, SCALE + HOST), SETTINGS, open_session, heard.append)
    await runner.run(Task("scale", (Path("scale.cu"),)))
    assert opened == ["scale"]
    assert [event.command for event in heard if isinstance(event, events.JobStarted)] == ["optimize"]


async def test_where_no_timeline_says_what_the_program_takes_the_search_times_each_launch(tmp_path: Path) -> None:
    text = SCALE.replace("x[i];", "x[i]; // takes 40 us") + HOST
    row = await run(tmp_path, "", text, commands=Commands(tmp_path, OneEdit(""), timing=Clock()))
    assert row.outcome is RowOutcome.NOTHING and row.times is not None
    assert (row.times.original_s, row.times.method) == (pytest.approx(40e-6), "each launch shape timed by itself")


async def test_half_of_a_program_s_time_is_for_its_search_and_what_was_kept_by_then_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now_s=0.0, monotonic=lambda: clock.now_s, time_ns=time.time_ns)
    monkeypatch.setattr("assistant.engine.search.accounts.time", clock)

    class Slow(OneEdit):
        """The time for the search is up while it plans for the second time."""

        async def plan(self, request: PlanRequest) -> Plan:
            if BEFORE in request.parsed.source.text:
                return await super().plan(request)
            clock.now_s += 300.0
            return Plan((Step("another", request.kernel.key, request.kernel.line, "because", (), "KO101", (), 1.0),), (), self.name)

    commands = Commands(tmp_path, Slow("x[i] + x[i]"), kernels=DEAR)
    row = await run(tmp_path, "", settings=replace(SETTINGS, timeout_s=600), commands=commands)
    assert (row.outcome, row.chain, row.is_cut_off) == (RowOutcome.FASTER, ("cheaper",), True)
    assert verdict_words(row).endswith("; search cut off")
    (tmp_path / "whole").mkdir()
    whole = await run(tmp_path / "whole", "x[i] + x[i]", settings=replace(SETTINGS, timeout_s=600))
    assert not whole.is_cut_off and "cut off" not in verdict_words(whole)


@pytest.mark.parametrize(("allowed", "chain", "waits"), [(("precision",), ("cheaper",), 0), ((), ("other",), 0)])
async def test_the_fastest_version_is_kept_that_the_run_may_take(
    tmp_path: Path, allowed: tuple[str, ...], chain: tuple[str, ...], waits: int
) -> None:
    class Two(OneEdit):
        """The faster edit asks for less precision."""

        async def plan(self, request: PlanRequest) -> Plan:
            (step,) = (await super().plan(request)).steps or (None,)
            return Plan((), (), self.name) if step is None else Plan((replace(step, technique="other"), step), (), self.name)

        async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
            async for rewrite in OneEdit("x[i] + x[i]" if step.technique == "cheaper" else "x[i] * 2.0f").rewrites(request, step):
                yield replace(rewrite, labels=(Label.PRECISION,)) if step.technique == "cheaper" else rewrite

    commands = Commands(tmp_path, Two("x[i] + x[i]"), kernels=DEAR)
    row = await run(tmp_path, "", settings=replace(SETTINGS, allowed=allowed), commands=commands)
    assert (row.outcome, row.chain, len(row.waiting)) == (RowOutcome.FASTER, chain, waits)


async def test_what_was_kept_before_the_time_was_up_is_judged_all_the_same(tmp_path: Path) -> None:
    class Endless(OneEdit):
        """When the first kernel's edit was accepted it plans for ever, and ten minutes are over."""

        async def plan(self, request: PlanRequest) -> Plan:
            if request.kernel.name == "both":
                return await super().plan(request) if request.parsed.source.text.count(BEFORE) == 2 else Plan((), (), self.name)
            loop, now_s = asyncio.get_running_loop(), asyncio.get_running_loop().time
            loop.time = lambda: now_s() + 1000
            loop.call_soon(lambda: loop.call_later(-1.0, setattr, loop, "time", now_s))
            await asyncio.Event().wait()
            raise AssertionError

    dear = KERNELS["x[i] = 2.0f * (out[i] = 2.0f * x[i])"]
    kernels = {
        "x[i] = 2.0f * (out[i] = x[i] + x[i])": replace(dear, sectors=8),
        "x[i] = 2.0f * (out[i] = 2.0f * x[i])": replace(dear, sectors=90_000),
        "out[i] = 2.0f * x[i]": replace(KERNELS["out[i] = 2.0f * x[i]"], sectors=50_000),
    }
    commands = Commands(tmp_path, Endless("x[i] + x[i]"), kernels=kernels)
    row = await run(tmp_path, "", SCALE + BOTH + BESIDE, settings=replace(SETTINGS, timeout_s=600), commands=commands)
    assert (row.outcome, row.chain, row.is_cut_off) == (RowOutcome.FASTER, ("cheaper",), True), row.reason


async def test_flags_of_the_build_that_the_program_runs_without_stand_in_its_row(tmp_path: Path) -> None:
    commands = Commands(tmp_path, OneEdit(""), kernels=DEAR)
    folder = folder_of(tmp_path, SCALE + HOST)
    (folder / "CMakeLists.txt").write_text("target_compile_definitions(scale PRIVATE BX=32)\n")
    runner = ProgramRunner(folder, replace(SETTINGS, is_searching=False), lambda _: commands.session, lambda _: None)
    row = await runner.run(Task("scale", (Path("scale.cu"),), ("1000",), None))
    assert row.unused == "CMakeLists.txt has -DBX=32, which is not used"
    assert row.unused in row_line(row)
