"""Searches on whole programs: several kernels, a notebook's, programs that say themselves what is wrong, a GPU's counters."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.engine.request import Accept, JobRequest
from assistant.model import events
from assistant.model.completion import Caps
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.plan import Plan, SetbackKind
from assistant.model.profile import LaunchProfile, Method
from assistant.model.workload import Case
from assistant.ports.lab import HardwareCounts, Lab, LabFailure, Program, ProgramRun, RunLimits
from assistant.ports.planner import PlanRequest
from tests.contracts.fake_lab import FakeLab
from tests.unit.engine.commands import BESIDE, BOTH, HOST, PROGRAMS, SCALE, live_workload
from tests.unit.engine.commands import KERNELS as TABLE
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT

BOTH_LIKE = SCALE.replace("scale", "other")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


@dataclass
class Counting:
    """A GPU's own counters, which can be had as often as it says."""

    answers: int
    asked: int = 0

    async def count(
        self, program: Program, cases: Sequence[Case], kernels: Sequence[str], limits: RunLimits, preferred: Method = Method.NCU
    ) -> HardwareCounts | LabFailure:
        self.asked += 1
        if self.asked > self.answers:
            return LabFailure("no_counters", "the counters are taken", "end the profiler")
        config = LaunchConfig(Dim3(2, 2), Dim3(32, 32))
        launch = LaunchProfile(0, kernels[0], config, preferred, "GPU", 4, (), (), (), None, None, ())
        return HardwareCounts((launch,) * len(cases))


@pytest.mark.parametrize(("answers", "asked", "is_told"), [(0, 1, True), (1, 2, False), (2, 2, False)])
async def test_each_version_that_is_planned_from_is_counted_by_the_gpu_where_the_first_was(
    tmp_path: Path, answers: int, asked: int, is_told: bool
) -> None:
    counting = Counting(answers)
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]), counters=counting)
    assert await on.run() == [("tile", "kept")]
    assert (counting.asked, len(on.planner.planned)) == (asked, 2)
    assert ("edits are planned by the emulator's counters: the counters are taken" in on.said) is is_told


class SaysNo(Search):
    """Programs that print their own verdict: not 0 for a text with these words."""

    def open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        lab: Any = super().open_lab(request, scratch, target)
        run = lab.run

        async def judged(program: Program, *given: Any, **named: Any) -> ProgramRun | LabFailure:
            made = await run(program, *given, **named)
            return replace(made, exit_status=3) if "// says no" in program.sources[0].text else made

        lab.run = judged
        return lab


@pytest.mark.parametrize("is_model", [True, False])
async def test_a_model_is_shown_what_its_edit_does_wrong_in_a_program_that_says_so_itself(tmp_path: Path, is_model: bool) -> None:
    wrong = SCALE[:-2].replace("2.0f * x[i]", "2.5f * x[i]") + "// says no\n}"
    programs = {"(out, x, 1000)": PROGRAMS["(out, x, 1000)"]}
    planner = Scripted([plan_of("scale", wrong=[wrong])], [None], is_model=is_model)
    on = SaysNo(tmp_path, planner, SCALE + HOST, kernels=TABLE, programs=programs)
    assert await on.run(max_rounds=1) == [("wrong", "failed")]
    assert "status 3" in on.reasons[0]
    if is_model:
        (setback,) = planner.setbacks
        assert setback.kind is SetbackKind.WRONG_ANSWER and setback.findings and setback.profiles
    (attempt,) = on.store.attempts()
    assert (attempt.verification == "FAIL") is is_model


async def test_kernels_are_searched_from_the_costliest_on_each_from_what_was_accepted_before(tmp_path: Path) -> None:
    dear, scaled = TABLE["x[i] = 2.0f * (out[i] = 2.0f * x[i])"], TABLE["out[i] = 2.0f * x[i]"]
    kernels = {
        "x[i] = 2.0f * (out[i] = x[i] + x[i])": replace(dear, sectors=4),
        "x[i] = 2.0f * (out[i] = 2.0f * x[i])": replace(dear, sectors=9000),
        "out[i] = 2.0f * x[i]": replace(scaled, sectors=5000),
        "out[i] = x[i] + x[i]": replace(scaled, sectors=4),
    }
    cheaper, both = SCALE.replace("2.0f * x[i]", "x[i] + x[i]").strip(), BOTH.replace("= 2.0f * x[i]);", "= x[i] + x[i]);").strip()
    planner = Scripted([])
    on = Search(tmp_path, planner, SCALE + BOTH + BESIDE, kernels=kernels, programs=PROGRAMS)
    await on.run(max_rounds=1)
    assert [request.kernel.name for request in planner.planned] == ["both", "scale"]

    def edits(request: PlanRequest) -> dict[str, list[str]]:
        return {"add": [cheaper if request.kernel.name == "scale" else both]}

    labs: list[FakeLab] = []

    def kept_lab(*given: Any, **more: Any) -> FakeLab:
        labs.append(FakeLab(*given, **more))
        return labs[-1]

    planner._edits = edits  # type: ignore[method-assign]
    planner.planned = []
    on.lab_type = kept_lab  # type: ignore[assignment]
    assert await on.run(Accept.BEST_PREDICTED, max_rounds=1) == [("add", "kept"), ("add", "kept")]
    runs_of_both = [method for method, text in labs[0].asked if text.count("x[i] + x[i]") == 2 and method == "run"]
    runs_of_one = [method for method, text in labs[0].asked if text.count("x[i] + x[i]") == 1 and method == "run"]
    assert len(runs_of_one) == len(runs_of_both) + 1, "what is accepted is run once more for the kernel that is searched next"
    assert on.ending == "2 proposals, 2 accepted"
    assert [request.kernel.name for request in planner.planned] == ["both", "scale"]
    assert ("x[i] + x[i]" in planner.planned[0].parsed.source.text, "x[i] + x[i]" in planner.planned[1].parsed.source.text) == (False, True)
    assert on.file.read_text().count("x[i] + x[i]") == 2


async def test_a_kernel_s_search_ends_when_its_part_of_the_time_is_used_up_and_what_it_kept_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 60 s the first kernel, which costs two thirds of all, may use 40; each plan for it takes 25 s."""
    dear, scaled = TABLE["x[i] = 2.0f * (out[i] = 2.0f * x[i])"], TABLE["out[i] = 2.0f * x[i]"]
    kernels = {
        "x[i] = 2.0f * (out[i] = x[i] + x[i])": replace(dear, sectors=4),
        "x[i] = 2.0f * (out[i] = 2.0f * x[i])": replace(dear, sectors=900_000),
        "out[i] = 2.0f * x[i]": replace(scaled, sectors=450_000),
        "out[i] = x[i] + x[i]": replace(scaled, sectors=4),
    }
    cheaper, both = SCALE.replace("2.0f * x[i]", "x[i] + x[i]").strip(), BOTH.replace("= 2.0f * x[i]);", "= x[i] + x[i]);").strip()
    clock = SimpleNamespace(now_s=0.0, monotonic=lambda: clock.now_s, time_ns=time.time_ns)
    monkeypatch.setattr("assistant.engine.search.accounts.time", clock)

    class Slow(Scripted):
        def _edits(self, request: PlanRequest) -> dict[str, list[str]]:
            return {"add": [cheaper if request.kernel.name == "scale" else both]}

        async def plan(self, request: PlanRequest) -> Plan:
            planned = await super().plan(request)
            clock.now_s += 25.0 if request.kernel.name == "both" else 1.0
            return planned

    planner = Slow([])
    on = Search(tmp_path, planner, SCALE + BOTH + BESIDE, kernels=kernels, programs=PROGRAMS)
    tried = await on.run(Accept.BEST_PREDICTED, max_rounds=2, caps=Caps(wall_s=60.0))
    assert [request.kernel.name for request in planner.planned] == ["both", "both", "scale", "scale"]
    assert tried == [("add", "kept"), ("add", "not_tried"), ("add", "kept"), ("add", "duplicate")]
    assert [event.ended_kernel for event in on.all(events.BudgetSpent) if event.ended_kernel] == ["both"]
    assert on.reasons[1] == "it is not tried: its part of the cap of 60 s is used up"
    assert on.ending == "2 proposals, 2 accepted"
    assert on.file.read_text().count("x[i] + x[i]") == 2


@pytest.mark.parametrize(("caps", "searched"), [(Caps(), ["both", "scale"]), (Caps(wall_s=600.0), ["both"])])
async def test_where_time_is_bounded_none_is_spent_on_kernels_that_take_next_to_nothing(
    tmp_path: Path, caps: Caps, searched: list[str]
) -> None:
    dear, scaled = TABLE["x[i] = 2.0f * (out[i] = 2.0f * x[i])"], TABLE["out[i] = 2.0f * x[i]"]
    kernels = {
        "x[i] = 2.0f * (out[i] = 2.0f * x[i])": replace(dear, sectors=9_000_000),
        "out[i] = 2.0f * x[i]": replace(scaled, sectors=8),
    }
    planner = Scripted([])
    on = Search(tmp_path, planner, SCALE + BOTH + BESIDE, kernels=kernels, programs=PROGRAMS)
    await on.run(max_rounds=1, caps=caps)
    assert [request.kernel.name for request in planner.planned] == searched
    assert any(words.startswith("scale: not searched in the time that was given: it takes ") for words in on.said) == (len(searched) == 1)


async def test_kernels_that_no_time_is_left_for_are_named(tmp_path: Path) -> None:
    planner = Scripted([])
    on = Search(tmp_path, planner, SCALE + BOTH + BESIDE, kernels=TABLE, programs=PROGRAMS)
    await on.run(max_rounds=1, caps=Caps(wall_s=0.0))
    assert [request.kernel.name for request in planner.planned] == []
    assert sum(words in ("not searched, as the time is over: scale", "not searched, as the time is over: both") for words in on.said) == 1


@pytest.mark.parametrize("factor", ["2.0f", "2.5f"])
async def test_a_notebooks_kernel_is_searched_where_it_agrees_with_the_persons_own_function(tmp_path: Path, factor: str) -> None:
    kernels = {"x[i] + x[i]": TABLE["out[i] = x[i] + x[i]"], "2.0f": replace(TABLE["out[i] = 2.0f * x[i]"], sectors=5000), **TABLE}
    cheaper = SCALE.replace("2.0f * x[i]", "x[i] + x[i]").strip()
    on = Search(tmp_path, Scripted([plan_of("scale", add=[cheaper])]), SCALE.replace("2.0f", factor), kernels=kernels)
    on.live = live_workload(tmp_path)
    await on.run(max_rounds=1)
    if factor == "2.0f":
        (made,) = on.all(events.ProposalMade)
        (kept,) = on.store.recordings.values()
        assert [*on.store.recordings] == [made.id] and kept is not None
        assert kept["recording.json"] == (on.live.cases[0].recording / "recording.json").read_bytes()
    else:
        (ended,) = on.all(events.JobEnded)
        told = on.all(events.Message)[-1]
        assert (ended.exit_code, told.message, told.remedy) == (3, ended.reason, "fix the kernel or its reference first")
        assert on.planner.planned == []


async def test_each_of_three_kernels_is_searched_on_what_was_accepted_of_all_before(tmp_path: Path) -> None:
    third = SCALE.replace("scale", "third")
    scaled = TABLE["out[i] = 2.0f * x[i]"]
    kernels = {
        **{f"out[i] = 2.0f * x[i] + {part}": replace(scaled, sectors=9000 - 1000 * part) for part in (1, 2, 3)},
        "out[i] = x[i] + x[i]": replace(scaled, sectors=4),
    }
    texts = [text.replace("2.0f * x[i]", f"2.0f * x[i] + {part}") for part, text in enumerate((SCALE, BOTH_LIKE, third), 1)]
    case = PROGRAMS["(out, x, 1000)"]
    (first,) = case.recording.launches
    launches = tuple(
        replace(first, index=index, kernel=f"{name}(float*, const float*, int)") for index, name in enumerate(("scale", "other", "third"))
    )
    program = replace(case, recording=replace(case.recording, launches=launches), launches=(0, 1, 2))
    host = HOST.replace("1000);\n", "1000);\n    other<<<4, 256>>>(out, x, 1000);\n    third<<<4, 256>>>(out, x, 1000);\n", 1)

    def edits(request: PlanRequest) -> dict[str, list[str]]:
        written = SCALE.replace("scale", request.kernel.name).replace("2.0f * x[i]", "x[i] + x[i]").strip()
        return {"add": [written]}

    planner = Scripted([])
    planner._edits = edits  # type: ignore[method-assign]
    on = Search(tmp_path, planner, "".join(texts) + host, kernels=kernels, programs={"third<<<": program})
    assert await on.run(Accept.BEST_PREDICTED, max_rounds=1) == [("add", "kept")] * 3
    assert [request.kernel.name for request in planner.planned] == ["scale", "other", "third"]
    assert [request.parsed.source.text.count("x[i] + x[i]") for request in planner.planned] == [0, 1, 2]
    assert on.file.read_text().count("x[i] + x[i]") == 3 and on.ending == "3 proposals, 3 accepted"


async def test_a_kernel_whose_text_stands_in_a_macro_is_named_and_left_alone(tmp_path: Path) -> None:
    body = SCALE[SCALE.index("{") :].replace("\n", " ")
    written = f"#define KERNEL(NAME) __global__ void NAME(float *out, const float *x, int n) {body}\nKERNEL(scale)\n"
    planner = Scripted([plan_of("scale", add=["KERNEL(other)"])])
    on = Search(tmp_path, planner, written + HOST, kernels={"KERNEL(scale)": TABLE["out[i] = 2.0f * x[i]"]}, programs=PROGRAMS)
    assert await on.run() == [] and planner.planned == []
    (told,) = [event for event in on.all(events.Message) if "is not edited" in event.message]
    assert told.message == "scale(float *, const float *, int) is not edited: its text stands in the macro KERNEL"
    assert (told.remedy, told.line) == ("write it out", 2)
    assert on.ending == "no edit found: no edit was planned"
