"""Edits that are never run, kernels that are never launched, and searches that go through several files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.request import Accept, OptimizeOptions
from assistant.model import events
from assistant.model.plan import Rewrite
from assistant.model.source import Span, TextEdit
from tests.unit.engine.asking import Asking
from tests.unit.engine.commands import BESIDE, BOTH, HOST, KERNELS, PROGRAMS, SCALE
from tests.unit.engine.fakes import FakePlanner
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT

pytestmark = pytest.mark.usefixtures("home")


BODY = "x[i] = 2.0f * (out[i] = 2.0f * x[i]);"
DEAR = {**KERNELS, "out[i] = 2.0f * x[i]": replace(KERNELS["out[i] = 2.0f * x[i]"], sectors=4000)}
"""So much that a cheaper edit's gain can be shown."""


def overlapping(text: str) -> Rewrite:
    at = text.index(NAIVE)
    spans = (Span(at, at + 20), Span(at + 10, at + 30))
    return Rewrite("", "", 0, tuple(TextEdit(span, "x") for span in spans), "Do it.", ())


async def test_edits_of_the_same_place_are_no_edit(tmp_path: Path) -> None:
    whole = Search(tmp_path, Scripted([])).text
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[overlapping(whole), RIGHT])]))
    assert await on.run(max_rounds=1) == [("tile", "build_failed"), ("tile", "kept")]
    assert on.reasons[0].startswith("the edits do not fit the text: "), on.reasons


async def test_an_edit_whose_directives_nobody_can_read_is_not_built(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT.replace("{\n", "{\n#ifdef __PIC__\n#endif\n", 1)])]))
    assert await on.run(max_rounds=1) == [("tile", "build_failed")]
    assert on.reasons[0].startswith("B is not compiled: its directives differ, and no preprocessor shows what it reads"), on.reasons


async def test_a_kernel_that_the_program_does_not_launch_has_no_search(tmp_path: Path) -> None:
    on = Asking(tmp_path, FakePlanner("expert"), kernels=KERNELS)
    request = on.request(SCALE + BOTH + HOST, kernel="both")
    await on.hear(on.session.optimize(request, OptimizeOptions(), Accept.NONE, None))
    assert (on.ending.exit_code, on.ending.reason) == (3, "the workload launches none of the kernels asked about")


async def test_kernels_of_several_files_are_searched_one_after_the_other_on_what_was_accepted_before(tmp_path: Path) -> None:
    cheaper = SCALE.replace("2.0f * x[i]", "x[i] + x[i]").strip()
    other = BOTH.replace("both(float *out, float *x", "other(float *out, const float *x").replace(BODY, "out[i] = 2.0f * x[i];")
    host = BESIDE.replace("both<<<", "other<<<")
    (tmp_path / "other.cu").write_text(other)
    planner = Scripted(
        [
            plan_of("void scale(float *out, const float *x, int n)", first=[cheaper]),
            plan_of("void other(", second=[cheaper.replace("scale", "other")]),
        ]
    )
    on = Asking(tmp_path, planner, kernels=DEAR)
    case = PROGRAMS["// beside"]
    first, second = case.recording.launches
    launches = (first, replace(second, kernel=first.kernel.replace("scale", "other")))
    on.programs = {"// beside": replace(case, recording=replace(case.recording, launches=launches))}
    request = on.request(
        f"__global__ void other(float *out, const float *x, int n);\n{SCALE}{host}", extra_sources=(tmp_path / "other.cu",)
    )
    await on.hear(on.session.optimize(request, OptimizeOptions(), Accept.BEST_PREDICTED, None))
    kept = [(event.technique, event.kernel) for event in on.all(events.CandidateTried) if event.outcome == "kept"]
    assert kept == [("first", "scale"), ("second", "other")]
    assert on.ending.reason == "2 proposals, 2 accepted"
    assert "x[i] + x[i]" in request.file.read_text() and "x[i] + x[i]" in (tmp_path / "other.cu").read_text()
    on_the_second = next(asked for asked in planner.planned if asked.kernel.name == "other")
    assert on_the_second.parsed.source.path.name == "other.cu"
    counted = [line for line in on.asked.lines if line.startswith("run count")]
    assert len(counted) > 2, counted
