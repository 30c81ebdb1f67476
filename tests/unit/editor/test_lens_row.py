"""The row over a kernel: the answer first, then what can be done; never too long, and with no time where none was taken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.editor.lens_row import ROW_CHARACTERS, SEPARATOR, LensAction, headline, kernel_row, program_row
from assistant.editor.view import EMPTY_VIEW, KernelView, LaunchView, Note, PairView, SearchView, View
from assistant.engine import FilePrograms, KernelPlace
from assistant.model import event_parts, events
from assistant.model.comparison import SpeedOutcome
from assistant.model.profile import InstructionMix, Severity
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch
from assistant.model.verification import Label, Outcome
from assistant.profile.bottleneck import NOT_COUNTED
from tests.unit.editor.test_open_document import UNDONE_ELSEWHERE

_CPU = event_parts.Device("CPU emulator (counting rules of sm_90)", "cpu", "h200")
_GPU = event_parts.Device("NVIDIA H200", "gpu", "h200")
_SUMMARY = events.ProfileSummary(
    "J1",
    "k(float *)",
    "k(float*)",
    (16, 10, 1),
    (32, 8, 1),
    0,
    1,
    "shared",
    4.16e-6,
    speed_of_light_ratio=0.008,
    speed_of_light_limit="dram",
)
_TIMED = replace(_SUMMARY, measured=event_parts.MeasuredLaunch(3.42e-6, "CUDA events, 40 blocks"))
_CHECKED = events.CheckEnded("J1", "k(float *)", (), True, 1)
_UNKNOWN = KernelView("k(float *)", "k", 3, 15, (), None, (), (), None, False)
_RACE = Note(
    "check", 14, 0, Severity.ERROR, "write after read", "kernelopt", "KO202", defect="shared race, block (0, 0, 0), thread (32, 0, 0)"
)


def _profile(device: event_parts.Device) -> events.Profile:
    return events.Profile(
        "J1", "k(float *)", "k(float*)", 0, (16, 10, 1), (32, 8, 1), 0, device, "emulator", {}, InstructionMix(), (), (), (), ()
    )


_PROFILED = replace(_UNKNOWN, check=_CHECKED, launches=(LaunchView(_SUMMARY, _profile(_CPU)),))
_ON_GPU = replace(_PROFILED, launches=(LaunchView(_TIMED, _profile(_GPU)),))


def _with(summary: events.ProfileSummary) -> KernelView:
    return replace(_PROFILED, launches=(LaunchView(summary, _profile(_CPU)),))


_OFFERED = replace(_PROFILED, proposal=UNDONE_ELSEWHERE)
_MEASURED = replace(UNDONE_ELSEWHERE.comparison, outcome=SpeedOutcome.FASTER, ratio=1.834, low=1.8, high=1.86, method="CUDA events")
_FOR_A_PERSON = replace(
    UNDONE_ELSEWHERE,
    labels=(Label.PRECISION, Label.REASSOCIATION),
    verification=replace(UNDONE_ELSEWHERE.verification, outcome=Outcome.NEEDS_DECISION),
)


def _view(*kernels: KernelView, **parts: object) -> View:
    return replace(EMPTY_VIEW, kernels=kernels, **parts)


def _row(kernel: KernelView, **parts: object) -> str:
    return SEPARATOR.join(lens.title for lens in kernel_row(kernel, _view(kernel, **parts)))


@pytest.mark.parametrize(
    ("kernel", "row"),
    [
        (_UNKNOWN, "Optimize | Verify | Profile"),
        (replace(_UNKNOWN, check=_CHECKED), "checked | Optimize | Profile"),
        (replace(_UNKNOWN, check=_CHECKED, is_stale=True), "Optimize | Profile"),
        (_PROFILED, "≈ shared-memory-bound | Optimize"),
        (replace(_PROFILED, check=None), "≈ shared-memory-bound | Optimize | Verify"),
        (_ON_GPU, "3.42 µs · shared-memory-bound | Optimize"),
        (replace(_ON_GPU, is_stale=True), "before the edit: 3.42 µs · shared-memory-bound | Optimize"),
        (replace(_PROFILED, check=replace(_CHECKED, is_deterministic=False)), "results differ from run to run | Optimize"),
        (replace(_UNKNOWN, check=replace(_CHECKED, launch_count=0)), "never launched | Optimize | Profile"),
        (_with(replace(_SUMMARY, bottleneck=NOT_COUNTED)), "nothing was counted | Optimize"),
        (_with(replace(_TIMED, bottleneck=NOT_COUNTED)), "3.42 µs | Optimize"),
        (replace(_UNKNOWN, search=SearchView(0, 0, None)), "optimizing | Verify | Profile"),
        (replace(_PROFILED, search=SearchView(5, 0, None), in_vain="none"), "≈ shared-memory-bound · trying 1 of 5"),
        (replace(_PROFILED, search=SearchView(5, 2, 1.57)), "≈ shared-memory-bound · trying 3 of 5 · best ≈1.57x"),
        (replace(_PROFILED, search=SearchView(5, 5, 1.57)), "≈ shared-memory-bound · 5 tried · best ≈1.57x"),
        (replace(_PROFILED, search=SearchView(5, 5, 1.57, True)), "≈ shared-memory-bound · confirming · best ≈1.57x"),
        (_OFFERED, "≈2.00x predicted | Review | Accept"),
        (replace(_OFFERED, proposal=replace(UNDONE_ELSEWHERE, comparison=_MEASURED)), "1.83x | Review | Accept"),
        (replace(_OFFERED, proposal=_FOR_A_PERSON), "≈2.00x predicted | Review | Accept with fewer digits +1"),
    ],
)
def test_a_row_says_what_is_known_then_what_can_be_done(kernel: KernelView, row: str) -> None:
    assert _row(kernel) == row


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ((), ""),
        (("step",), "runs step | Optimize"),
        (("step", "row_mean", "hist"), "runs step | row_mean | hist | Optimize"),
        (tuple(f"kernel_{number}" for number in range(9)), "runs kernel_0 | kernel_1 | kernel_2 | 6 more | Optimize"),
        (("k" * 70,), f"runs {'k' * 43}… | Optimize"),
    ],
)
def test_a_main_without_kernels_leads_to_those_of_its_program(names: tuple[str, ...], row: str) -> None:
    places = tuple(KernelPlace(name, Path("/p/diffuse.cuh"), 14 + index) for index, name in enumerate(names))
    lenses = program_row(_view(programs=FilePrograms(Path("/p/main.cu"), ProgramSearch(()), elsewhere=places)))
    assert SEPARATOR.join(lens.title for lens in lenses) == row and len(row) <= ROW_CHARACTERS
    assert [lens.place for lens in lenses[:-1]] == list(places[: len(lenses) - 1])
    assert [lens.action for lens in lenses] == [LensAction.OPEN] * (len(lenses) - 1) + [LensAction.OPTIMIZE] * bool(names)
    assert not names or lenses[0].tooltip == f"{names[0]}: diffuse.cuh, line 14"


def test_a_defect_takes_the_place_of_everything_but_verifying_again() -> None:
    assert _row(_PROFILED, notes=(_RACE,)) == "race at line 14 | Verify"
    assert _row(_PROFILED, notes=(_RACE, replace(_RACE, line=9))) == "race at line 14 +1 | Verify"
    within = replace(_RACE, line=9, defect="missing syncwarp, block (0, 0, 0), thread (0, 0, 0)")
    assert _row(_PROFILED, notes=(within, _RACE)) == "race at line 14 +1 | Verify", "no __syncwarp would end a race between warps"
    assert _row(_PROFILED, notes=(within,)) == "missing syncwarp at line 9 | Verify"
    elsewhere = replace(_RACE, line=40)
    assert _row(_PROFILED, notes=(elsewhere,)) == "≈ shared-memory-bound | Optimize", "another kernel's race"


def test_a_text_that_does_not_compile_has_one_word_of_it_that_leads_there() -> None:
    elsewhere = Note("compile", 2, 4, Severity.ERROR, "expected a ;", "nvrtc", "65")
    inside = replace(elsewhere, line=9, message='identifier "i" is undefined')
    (lens,) = kernel_row(_OFFERED, _view(_OFFERED, notes=(_RACE, elsewhere, inside)))
    assert (lens.title, lens.action, lens.line) == ("does not compile: line 9", LensAction.OPEN, 9)
    assert lens.tooltip == 'nvrtc: identifier "i" is undefined'
    assert _row(_PROFILED, notes=(elsewhere,)) == "does not compile: line 2", "no kernel of the file is built"
    warning = replace(inside, severity=Severity.WARNING)
    assert _row(_PROFILED, notes=(warning, replace(inside, source="kernelopt"))) == "≈ shared-memory-bound | Optimize"


def test_device_method_and_interval_are_in_the_tooltip() -> None:
    tooltip = kernel_row(_PROFILED, _view(_PROFILED))[0].tooltip
    assert "predicted for h200 from counts of CPU emulator" in tooltip and "0.8 % of peak DRAM bandwidth" in tooltip
    offered = replace(_OFFERED, proposal=replace(UNDONE_ELSEWHERE, comparison=_MEASURED))
    assert "1.83x (CUDA events, 95 % interval 1.80 to 1.86)" in kernel_row(offered, _view(offered))[0].tooltip
    assert "timed by CUDA events, 40 blocks on NVIDIA H200" in kernel_row(_ON_GPU, _view(_ON_GPU))[0].tooltip


def test_nothing_that_was_not_timed_has_a_time() -> None:
    row = kernel_row(_PROFILED, _view(_PROFILED))
    assert not any("µs" in lens.title or "µs" in lens.tooltip for lens in row)


@pytest.mark.parametrize(
    "kernel", [_UNKNOWN, _PROFILED, _ON_GPU, replace(_ON_GPU, is_stale=True), _OFFERED, replace(_OFFERED, proposal=_FOR_A_PERSON)]
)
def test_a_row_fits_with_long_names_and_long_answers(kernel: KernelView) -> None:
    program = FoundProgram("src/kernels/transpose/benchmark_of_transposes.cu", (Path("/w/main.cu"),), ProgramOrigin.INCLUDES, "why")
    programs = FilePrograms(Path("/w/a.cuh"), ProgramSearch((program,)))
    named = replace(kernel, name="transposeDiagonalCoalescedTiledWithPadding")
    pair = PairView("S1", named.name, "v12: PASS, PREDICTED 1.57x against the baseline; sectors 150,000 → 18,750; next: pad the tile")
    for kernels in ((named,), (named, replace(_UNKNOWN, name="other"))):
        for pairs in ((), (pair,)):
            view = _view(*kernels, pairs=pairs, programs=programs, notes=(_RACE,))
            assert all(len(SEPARATOR.join(lens.title for lens in kernel_row(each, view))) <= ROW_CHARACTERS for each in kernels)


def test_where_no_program_runs_a_kernel_a_workload_can_be_declared() -> None:
    nowhere = FilePrograms(Path("/w/a.cuh"), ProgramSearch((), looked_for=("none of 0 sources includes a.cuh",)))
    first, second = _UNKNOWN, replace(_UNKNOWN, key="g()", name="g", line=20, last_line=30)
    view = _view(first, second, programs=nowhere)
    assert [lens.title for lens in kernel_row(first, view)] == ["Declare a workload", "no program runs this"]
    assert [lens.title for lens in kernel_row(second, view)] == ["Declare a workload"]
    assert _row(_PROFILED, programs=nowhere) == "≈ shared-memory-bound | Optimize | no program runs this", "what ran has a program"
    assert _row(_UNKNOWN, programs=FilePrograms(Path("/w/a.cu"), ProgramSearch(()))) == "Optimize | Verify | Profile", (
        "nothing was looked for"
    )


def test_a_program_whose_name_has_no_room_is_left_out() -> None:
    programs = FilePrograms(
        Path("/w/a.cuh"), ProgramSearch((FoundProgram("src/main.cu", (Path("/w/main.cu"),), ProgramOrigin.INCLUDES, "why"),))
    )
    assert _row(_PROFILED, programs=programs).endswith(" | via src/main.cu")
    assert _row(_UNKNOWN, programs=programs, waits_for_consent=True) == "waiting for your OK | Optimize | Verify | Profile"


def test_what_a_search_came_to_stays_in_the_row_and_why_in_its_tooltip() -> None:
    searched = replace(_PROFILED, in_vain="1 edit tried, not faster")
    assert _row(searched) == "≈ shared-memory-bound · no edit found | Optimize"
    assert kernel_row(searched, _view(searched))[0].tooltip.endswith("no edit found: 1 edit tried, not faster")
    assert _row(replace(_UNKNOWN, in_vain="")) == "no edit found | Optimize | Verify | Profile"
    assert _row(searched, notes=(_RACE,)) == "race at line 14 | Verify", "that is to be fixed first"


def test_a_pair_session_answers_in_the_row_and_has_all_of_its_answer_in_the_tooltip() -> None:
    answer = "v2: PASS, PREDICTED 1.57x against the baseline; sectors 150,000 → 18,750"
    state, *actions = kernel_row(_PROFILED, _view(_PROFILED, pairs=(PairView("S1", "k", answer),)))
    assert state.title.endswith("…") and state.tooltip == answer
    assert [lens.title for lens in actions] == ["Suggest", "Stop"]


def test_a_headline_also_says_that_nothing_is_wrong() -> None:
    assert headline(_PROFILED, ()) == "≈ shared-memory-bound · checked: no problem found"
    assert headline(_UNKNOWN, ()) == "not profiled yet"
    broken = Note("compile", 9, 4, Severity.ERROR, "expected a ;", "nvrtc", "65")
    assert headline(_PROFILED, (broken,)) == "does not compile: line 9", "what was checked was another text"
