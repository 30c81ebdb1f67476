"""Arrays of a notebook as a workload: what is counted, and where the kernel differs from the person's own function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.build.architectures import architecture
from assistant.engine.evaluate.assessment import CountedRun
from assistant.engine.evaluate.cases import for_candidate, live_case, live_cases
from assistant.engine.evaluate.live import count_live, differences
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.workload import LiveReference, LiveWorkload
from assistant.ports.lab import LabFailure, RunLimits
from assistant.workload.recordings import read_recording
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.unit.engine.commands import KERNELS, SCALE, live_workload

WRONG = SCALE.replace("2.0f", "2.5f")


def setting(folder: Path, text: str, live: LiveWorkload) -> tuple[Job, SourceVersion]:
    limits, file = architecture("sm_90"), folder / "a.cu"
    assert limits is not None
    request = JobRequest(file, folder, texts=((file, text),), live=live)
    job = Job("J", request, FakeLab(folder, KERNELS), target("h200"), limits, folder, (1, 2), RunLimits())
    return job, read_version(request, Flags())


async def counted(folder: Path, text: str, live: LiveWorkload, mode: str = "check") -> CountedRun:
    job, version = setting(folder, text, live)
    found = await count_live(job, version, live, mode)
    assert isinstance(found, CountedRun)
    return found


async def test_cases_without_weight_are_replayed_where_all_is_checked(tmp_path: Path) -> None:
    live = live_workload(tmp_path)
    assert [case.origin.seed for case in (await counted(tmp_path, SCALE, live, "count")).cases] == [0]
    checked = await counted(tmp_path, SCALE, live)
    assert [case.origin.seed for case in checked.cases] == [0, 7] and differences(checked) == ()


async def test_where_the_kernel_differs_the_function_and_the_values_are_named(tmp_path: Path) -> None:
    live = live_workload(tmp_path)
    own, fresh = differences(await counted(tmp_path, WRONG, live))
    assert own.message.endswith("; numpy.multiply at n=1000") and fresh.message.endswith("; numpy.multiply at n=1000, fresh values")
    assert own.message.startswith("out[") and (own.line, own.count, own.file) == (1, 1, str(tmp_path / "a.cu"))
    unnamed = replace(live, reference=None)
    assert differences(await counted(tmp_path, WRONG, unnamed))[0].message.endswith("; reference at n=1000")


def _beyond_for_its_own_values(out: Any, x: Any, n: int) -> None:
    if x[0] == -4:
        raise IndexError("beyond its end")
    out[:n] = 9 * x[:n]


async def test_what_did_not_run_is_reported_once_and_a_lab_that_fails_as_it_is(tmp_path: Path) -> None:
    live = live_workload(tmp_path)
    beyond = await counted(tmp_path, SCALE.replace("out[i] =", "out[i + n] ="), live)
    assert differences(beyond) == () and [problem.kind for problem in beyond.problems] == ["out_of_bounds"] * 2
    job, version = setting(tmp_path, SCALE.replace("2.0f", "9.0f"), live)
    job = replace(job, lab=FakeLab(tmp_path, {"9.0f": Behaviour(_beyond_for_its_own_values)}))
    seen = await count_live(job, version, live, "check")
    assert isinstance(seen, CountedRun)
    (differing,) = differences(seen)
    assert differing.message.endswith("; numpy.multiply at n=1000, fresh values"), "the next one is compared all the same"
    job, version = setting(tmp_path, SCALE.replace("2.0f", "9.0f"), live)
    assert isinstance(await count_live(job, version, live), LabFailure)


def _with_a_library(out: Any, x: Any, n: int) -> None:
    raise NotImplementedError("the emulator does not run CUB")


async def test_of_a_kernel_that_the_emulator_does_not_run_nothing_is_known(tmp_path: Path) -> None:
    live = live_workload(tmp_path)
    job, version = setting(tmp_path, SCALE.replace("2.0f", "9.0f"), live)
    for mode in ("check", "count"):
        failed = await count_live(replace(job, lab=FakeLab(tmp_path, {"9.0f": Behaviour(_with_a_library)})), version, live, mode)
        assert isinstance(failed, LabFailure) and failed.message == "the emulator does not run CUB; line 1"


def _beyond_for_large_values(out: Any, x: Any, n: int) -> None:
    if x[0] < -8:
        raise IndexError("beyond its end")
    out[:n] = 2 * x[:n]


def _beyond_for_any_fresh_values(out: Any, x: Any, n: int) -> None:
    if x[0] < -4:
        raise IndexError("beyond its end")
    out[:n] = 2 * x[:n]


async def test_large_values_on_which_the_kernel_itself_leaves_its_arrays_are_none_of_its_inputs(tmp_path: Path) -> None:
    live = drawn(tmp_path, 8.0)
    seen = await counted_as(tmp_path, _beyond_for_large_values, live)
    assert seen.problems == () and [case.origin.scale for case in seen.cases] == [1.0]
    (said,) = seen.left_out
    assert said.startswith("not checked: values up to 8 times your own at n=1000. On them the kernel leaves its arrays")


async def test_values_in_place_of_zeros_alone_are_named_and_none_of_the_inputs_where_the_kernel_leaves_its_arrays(tmp_path: Path) -> None:
    live = drawn(tmp_path, 1.0)
    live = replace(live, cases=(live.cases[0], replace(live.cases[1], drawn=("x",))))
    seen = await counted_as(tmp_path, _beyond_for_large_values, live)
    (said,) = seen.left_out
    assert seen.problems == () and said.startswith("not checked: values of x other than your zeros at n=1000. On them the kernel leaves")
    _, fresh = differences(await counted(tmp_path, WRONG, live))
    assert fresh.message.endswith("; numpy.multiply at n=1000, fresh values of x (yours are zeros alone)")


@pytest.mark.parametrize("scale", [1.0, 0.125])
async def test_leaving_the_arrays_on_values_within_the_own_range_is_a_problem(tmp_path: Path, scale: float) -> None:
    seen = await counted_as(tmp_path, _beyond_for_large_values, drawn(tmp_path, scale))
    assert [problem.kind for problem in seen.problems] == ["out_of_bounds"] and seen.left_out == ()


async def test_large_values_excuse_nothing_that_smaller_ones_show_as_well(tmp_path: Path) -> None:
    large = drawn(tmp_path, 8.0)
    small = replace(large.cases[1], scale=0.125, seed=8)
    seen = await counted_as(tmp_path, _beyond_for_any_fresh_values, replace(large, cases=(*large.cases, small)))
    assert [problem.kind for problem in seen.problems] == ["out_of_bounds"] * 2 and seen.left_out == ()


def drawn(folder: Path, scale: float) -> LiveWorkload:
    """Own values, and fresh ones from -11."""
    live = live_workload(folder)
    return replace(live, cases=(live.cases[0], replace(live.cases[1], scale=scale)))


async def counted_as(folder: Path, behaviour: Callable[[Any, Any, int], None], live: LiveWorkload) -> CountedRun:
    """With every check, of a kernel that does what ``behaviour`` does."""
    job, version = setting(folder, SCALE.replace("2.0f", "9.0f"), live)
    found = await count_live(replace(job, lab=FakeLab(folder, {"9.0f": Behaviour(behaviour)})), version, live, "check")
    assert isinstance(found, CountedRun)
    return found


def test_values_drawn_afresh_count_only_where_the_original_runs_clean(tmp_path: Path) -> None:
    own, fresh = (live_case(item).origin for item in drawn(tmp_path, 8.0).cases)
    assert (own.kind, own.is_derived) == ("recorded", False)
    assert (fresh.kind, fresh.scale, fresh.is_derived) == ("resampled", 8.0, True)


@pytest.mark.parametrize(("is_recorded", "is_given"), [(False, True), (True, False)])
def test_exact_values_of_the_function_are_what_a_verdict_is_held_against(tmp_path: Path, is_recorded: bool, is_given: bool) -> None:
    live = live_workload(tmp_path)
    cases = tuple(
        replace(case, reference=tuple(LiveReference(one.name, one.buffer, one.blob, is_recorded) for one in case.reference))
        for case in live.cases
    )
    _, version = setting(tmp_path, SCALE, live)
    (kernel,) = version.kernels
    found = live_cases(version, replace(live, cases=cases), frozenset({kernel.key}))
    assert [(bool(case.given), case.launch_index, case.new.origin.seed) for case in found] == [(is_given, 0, 0), (is_given, 1, 7)]
    assert live_cases(version, live, frozenset({"other"})) == ()


def cell_text(grid: str, block: str) -> str:
    return f"// kernelopt launch: grid = [{grid}], block = [{block}], shared = [0]\n{SCALE}"


BOUND, OTHER = cell_text('"ceil(n/256)"', "256"), cell_text('"ceil(n/128)"', "128")


async def test_a_text_with_another_launch_in_its_first_line_is_launched_so(tmp_path: Path) -> None:
    live = replace(live_workload(tmp_path), text=BOUND)
    (case,) = (await counted(tmp_path, BOUND, live, "count")).cases
    assert case.recording == live.cases[0].recording
    (case,) = (await counted(tmp_path, OTHER, live, "count")).cases
    changed, own = (read_recording(folder) for folder in (case.recording, live.cases[0].recording))
    assert changed.launches[0].config == LaunchConfig(Dim3(8), Dim3(128)) and own.launches[0].config == LaunchConfig(Dim3(4), Dim3(256))
    assert changed == replace(own, launches=(replace(own.launches[0], config=changed.launches[0].config),))


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (cell_text('"ceil(n/64)"', "64"), OTHER),  # not how the arrays are launched
        (cell_text('"ceil(m/256)"', "256"), OTHER),
        (BOUND, SCALE),
        (None, OTHER),
        (BOUND, cell_text("1", "2048")),
        (BOUND, cell_text('"floor(n/2048)"', "256")),
    ],
)
async def test_a_launch_that_cannot_be_worked_out_is_not_guessed(tmp_path: Path, bound: str | None, text: str) -> None:
    job, version = setting(tmp_path, text, live := replace(live_workload(tmp_path), text=bound))
    failed = await count_live(job, version, live)
    assert isinstance(failed, LabFailure) and failed.message.startswith("the launch that the first line of the text gives")


def test_a_candidate_runs_each_case_with_its_own_launch(tmp_path: Path) -> None:
    live = replace(live_workload(tmp_path), text=BOUND)
    original = setting(tmp_path, BOUND, live)[1]
    cases = live_cases(original, live, frozenset({original.kernels[0].key}))
    new = for_candidate(cases[0], (), setting(tmp_path, OTHER, live)[1])
    assert new is not None and new.recording.launches[0].config == LaunchConfig(Dim3(8), Dim3(128))
    assert for_candidate(cases[0], (), setting(tmp_path, SCALE, live)[1]) is None


def test_a_version_before_the_bound_text_is_judged_with_its_own_launch(tmp_path: Path) -> None:
    live = replace(live_workload(tmp_path), text=BOUND)
    before = setting(tmp_path, OTHER, live)[1]
    (case, *_) = live_cases(before, live, frozenset({before.kernels[0].key}))
    assert case.new.recording.launches[0].config == LaunchConfig(Dim3(8), Dim3(128))
    after = for_candidate(case, (), setting(tmp_path, BOUND, live)[1])
    assert after is not None and after.recording.launches[0].config == LaunchConfig(Dim3(4), Dim3(256))
    unknown = setting(tmp_path, cell_text('"ceil(m/128)"', "128"), live)[1]
    assert live_cases(unknown, live, frozenset({unknown.kernels[0].key})) == ()
