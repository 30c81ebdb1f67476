"""From what jobs said, and the text as it stands now, to what is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.editor.analysis import Analysis
from assistant.editor.lens_row import headline, kernel_row
from assistant.editor.picture import view_of
from assistant.editor.searched import InVain
from assistant.editor.view import Failure, Note, RelatedPlace, View
from assistant.model import event_parts, events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.profile import InstructionMix, Problem, Severity
from assistant.model.proposal import ProposalState
from assistant.model.source import Source
from assistant.profile.problems import listed
from tests.changes import change
from tests.unit.editor.test_open_document import UNDONE_ELSEWHERE

_PATH = Path("/w/a.cu")
_TEXT = """#include "help.cuh"
#define TILE 32
__global__ void first(float *a) {
  a[threadIdx.x] = 1;
}
template <typename T> __global__ void second(T *a) {
  a[threadIdx.x] = 2;
}
int main() {
  first<<<1, TILE>>>(0);
}
"""
_FIRST, _SECOND = "first(float *)", "second(T *)"
_DEVICE = event_parts.Device("CPU emulator (sm_90 rules)", "cpu", "h200")


def _view(text: str = _TEXT, static: tuple[Note, ...] = (), **analyses: Analysis) -> View:
    return view_of(parse(Source(_PATH, text)), analyses, (), static)


def _said(*told: Any, text: str = _TEXT) -> Analysis:
    return Analysis(text, told)


def finding_of(code: str, line: int, cost: float | None = 0.3) -> event_parts.ProfileFinding:
    return event_parts.ProfileFinding(code, line, "warning", f"{code} is here", (), cost)


def line_of(line: int, file: str = str(_PATH)) -> event_parts.ProfileLine:
    return event_parts.ProfileLine(file, line, "global load", 10, 320, 40, 40, None, None, "exact", "")


def profile_of(kernel: str = _FIRST, block: int = 32, **more: Any) -> events.Profile:
    known: dict[str, Any] = {
        "job": "J1", "kernel": kernel, "instance": kernel, "launch": 0, "grid": (1, 1, 1), "block": (block, 1, 1), "shared_bytes": 0,
        "device": _DEVICE, "method": "emulator", "totals": {}, "instructions": InstructionMix(), "lines": (), "findings": (),
        "evidence": (), "problems": (),
    }  # fmt: skip
    return events.Profile(**{**known, **more})


def _summary(time_s: float | None, count: int = 1, kernel: str = _FIRST, block: int = 32, instance: str = "") -> events.ProfileSummary:
    return events.ProfileSummary("J1", kernel, instance or kernel, (1, 1, 1), (block, 1, 1), 0, count, "l2", time_s)


def _problem(kind: str, line: int, file: str = str(_PATH), other: tuple[str, int] | None = None) -> Problem:
    other_file, other_line = other or (None, None)
    return Problem(kind, f"{kind} happened", file, line, other_file, other_line, None, None, None, 1)


def _check(*problems: Problem, kernel: str = _FIRST) -> events.CheckEnded:
    return events.CheckEnded("J1", kernel, problems, True, 1)


def _compiler(line: int, file: str = str(_PATH), severity: DiagnosticSeverity = DiagnosticSeverity.ERROR) -> events.Diagnostics:
    return events.Diagnostics("J1", (Diagnostic(file, line, 3, severity, "expected a ;", "65", "nvrtc"),))


def _found(view: View) -> list[tuple[str, int, str | None]]:
    return [(note.stage, note.line, note.code) for note in view.notes]


def test_launches_of_a_kernel_come_costliest_first_counting_how_often_each_runs() -> None:
    once, often, unknown = _summary(5e-6), _summary(2e-6, count=10, block=64), _summary(None, block=96)
    kernel = _view(profile=_said(once, often, unknown)).kernels[0]
    assert [launch.summary for launch in kernel.launches] == [often, once, unknown]
    assert kernel.launches[0].cost_s == pytest.approx(20e-6)


def test_lines_are_those_of_the_costliest_launch_that_was_counted() -> None:
    small = profile_of(block=32, lines=(line_of(4),), findings=(finding_of("KO101", 4),))
    large = profile_of(block=64, lines=(replace(line_of(4), sectors=80),))
    view = _view(profile=_said(small, large, _summary(1e-6), _summary(2e-6, block=64)))
    assert [line.counters.sectors for line in view.lines] == [80]


def test_instances_of_a_template_are_launches_of_the_same_kernel() -> None:
    view = _view(
        profile=_said(_summary(1e-6, kernel=_SECOND, instance="second<float>"), _summary(2e-6, kernel=_SECOND, instance="second<int>"))
    )
    assert [launch.summary.instance for launch in view.kernels[1].launches] == ["second<int>", "second<float>"]
    assert view.kernels[0].launches == ()


@pytest.mark.parametrize("named", [_FIRST, _SECOND, "void second<float>(float*)"])
def test_a_proposal_stands_at_its_kernel_a_template_too_however_it_is_named(named: str) -> None:
    offered = replace(UNDONE_ELSEWHERE, path=_PATH, kernel=named, state=ProposalState.OPEN)
    view = view_of(parse(Source(_PATH, _TEXT)), {}, (offered,))
    assert [kernel.proposal is offered for kernel in view.kernels] == [named == _FIRST, named != _FIRST]
    assert [note.line for note in view.notes] == [3 if named == _FIRST else 6]


def test_a_kernel_whose_launch_another_kernels_edit_takes_away_is_in_that_edit() -> None:
    text = _TEXT.replace("  first<<<1, TILE>>>(0);\n", "  first<<<1, TILE>>>(0);\n  second<float><<<1, TILE>>>(0);\n")
    launches = text[text.index("  first<<<") : text.rindex("}")]
    fused = text.replace(launches, "  first_and_second<<<1, TILE>>>(0);\n")
    offered = replace(UNDONE_ELSEWHERE, path=_PATH, kernel=_FIRST, state=ProposalState.OPEN, files=change(_PATH, text, fused))
    view = view_of(parse(Source(_PATH, text)), {}, (offered,), in_vain={_SECOND: InVain(text, "nothing was planned")})
    assert [(kernel.in_edit_of, kernel.in_vain) for kernel in view.kernels] == [("", None), (_FIRST, None)]
    lens, *_ = kernel_row(view.kernels[1], view)
    assert lens.title == "in the edit of first" and lens.line == 3


def test_a_finding_that_several_launches_repeat_is_shown_once_with_its_largest_cost() -> None:
    low, high = (profile_of(block=size, findings=(finding_of("KO101", 4, cost),)) for size, cost in ((32, 0.1), (64, 0.4)))
    notes = _view(profile=_said(low, high)).notes
    assert [(note.code, note.cost_ratio) for note in notes] == [("KO101", 0.4)]


def test_notes_move_with_their_lines_and_go_where_the_line_was_changed() -> None:
    told = _said(profile_of(findings=(finding_of("KO101", 4), finding_of("KO103", 7))))
    moved = _TEXT.replace("#define", "// one\n// two\n#define").replace("a[threadIdx.x] = 2", "a[threadIdx.x] = 3")
    assert _found(_view(moved, profile=told)) == [("profile", 6, "KO101")]


def test_a_kernel_is_stale_after_its_own_edit_and_after_that_of_what_it_is_made_of_or_launched_with() -> None:
    told = _said(profile_of(), _summary(1e-6))
    for edited, stale in (
        (_TEXT, []),
        (_TEXT.replace("= 1;", "= 3;"), ["first"]),
        (_TEXT.replace("= 2;", "= 3;"), ["second"]),
        (_TEXT.replace("TILE 32", "TILE 64"), ["first"]),
        (_TEXT.replace("  first<<<1", "  first<<<2"), ["first"]),
        (_TEXT.replace("  first<<<1", "  if (warm()) first<<<1"), ["first", "second"]),
        (_TEXT.replace("int main", "\n// a comment\nint main"), []),
        (_TEXT.replace("  a[threadIdx.x] = 1;\n", ""), ["first"]),
        (_TEXT.replace("#define TILE 32\n", ""), ["first"]),
        (_TEXT.replace('"help.cuh"', '"other.cuh"'), ["first", "second"]),
    ):
        assert [kernel.name for kernel in _view(edited, profile=told).kernels if kernel.is_stale] == stale


def test_an_older_profile_stays_with_a_newer_compile_error() -> None:
    broken = _TEXT.replace("= 2;", "= 2")
    view = _view(
        broken, inspect=_said(_compiler(7), text=broken), profile=_said(profile_of(findings=(finding_of("KO101", 4),)), _summary(1e-6))
    )
    assert _found(view) == [("profile", 4, "KO101"), ("compile", 7, "65")]
    assert [kernel.is_stale for kernel in view.kernels] == [False, True]
    assert view.kernels[0].launches


def test_compiler_errors_of_an_included_file_stand_at_the_include() -> None:
    note = _view(inspect=_said(_compiler(12, "/w/help.cuh"))).notes[0]
    assert (note.line, note.column, note.message) == (1, 0, "help.cuh:12: expected a ;")
    assert note.related[0] == RelatedPlace("/w/help.cuh", 12, "the line that is meant")


def test_compiler_warnings_of_included_files_are_left_to_those_files() -> None:
    assert _view(inspect=_said(_compiler(12, "/w/help.cuh", DiagnosticSeverity.WARNING))).notes == ()


def test_a_problem_in_an_included_file_stands_at_the_kernel_and_names_its_place() -> None:
    view = _view(check=_said(_check(_problem("out_of_bounds", 40, "/w/help.cuh"), kernel=_SECOND)))
    (note,) = view.notes
    assert (note.line, note.code, note.message) == (6, "KO201", "help.cuh:40: out_of_bounds happened")
    assert note.related[0] == RelatedPlace("/w/help.cuh", 40, "the line that is meant")


def test_a_finding_in_an_included_file_is_not_put_on_a_line_of_this_one() -> None:
    told = profile_of(lines=(line_of(4, "/w/help.cuh"), line_of(7)), findings=(finding_of("KO101", 4), finding_of("KO102", 7)))
    view = _view(profile=_said(told))
    assert _found(view) == [("profile", 3, "KO101"), ("profile", 7, "KO102")]
    assert view.notes[0].message.startswith("help.cuh:4: ")


def test_the_other_access_of_a_race_moves_with_its_line_unless_it_is_in_another_file() -> None:
    moved = "\n" + _TEXT
    here, there = _problem("shared_race", 4, other=(str(_PATH), 7)), _problem("shared_race", 7, other=("/w/help.cuh", 7))
    notes = _view(moved, check=_said(_check(here), _check(there, kernel=_SECOND))).notes
    assert [note.related[0].line for note in notes] == [8, 7]


@pytest.mark.parametrize(
    ("kind", "code", "severity"),
    [
        ("out_of_bounds", "KO201", Severity.ERROR),
        ("shared_race", "KO202", Severity.ERROR),
        ("possible_global_race", "KO202", Severity.WARNING),
        ("misaligned", "KO207", Severity.ERROR),
        ("missing_syncwarp", "KO207", Severity.ERROR),
        ("host_pointer", "KO207", Severity.WARNING),
        ("something_new", "KO207", Severity.WARNING),
    ],
)
def test_a_problem_has_the_code_of_its_documentation_page_and_the_severity_that_check_answers_with(
    kind: str, code: str, severity: Severity
) -> None:
    (note,) = _view(check=_said(_check(_problem(kind, 4)))).notes
    assert (note.code, note.severity) == (code, severity)


def test_what_check_and_profile_both_say_is_said_once() -> None:
    view = _view(
        check=_said(_check(_problem("misaligned", 4))), profile=_said(profile_of(findings=(finding_of("KO207", 4), finding_of("KO101", 4))))
    )
    assert _found(view) == [("check", 4, "KO207"), ("profile", 4, "KO101")]


def test_a_message_about_another_file_is_not_put_on_a_line_of_this_one() -> None:
    mine = events.Message("J1", Severity.WARNING, "never launched", line=3)
    assert [note.line for note in _view(check=_said(mine, replace(mine, file="/w/help.cuh"))).notes] == [3]


def _static(code: str, line: int) -> Note:
    return Note("static", line, 0, Severity.INFORMATION, "as it reads", "kernelopt", code)


_CODE_RAN = InstructionMix(fp32=4)


@pytest.mark.parametrize(
    ("code", "line", "answer", "is_shown"),
    [
        ("KO204", 4, None, True),
        ("KO204", 4, lambda: {"check": _said(_check(_problem("barrier_divergence", 4)))}, False),
        ("KO204", 4, lambda: {"check": _said(_check(_problem("barrier_divergence", 5)))}, False),
        ("KO204", 4, lambda: {"check": _said(_check(_problem("barrier_divergence", 7)))}, True),
        ("KO204", 4, lambda: {"check": _said(_check())}, True),
        ("KO206", 10, lambda: {"check": _said(_check(_problem("bad_launch", 10)))}, False),
        ("KO106", 4, lambda: {"profile": _said(profile_of(instructions=_CODE_RAN), _summary(1e-6))}, False),
        ("KO106", 4, lambda: {"profile": _said(profile_of(), _summary(1e-6))}, True),
        ("KO116", 4, lambda: {"profile": _said(profile_of(instructions=_CODE_RAN), _summary(1e-6))}, False),
        ("KO106", 7, lambda: {"profile": _said(profile_of(instructions=_CODE_RAN), _summary(1e-6))}, True),
        (
            "KO106",
            4,
            lambda: {"profile": _said(profile_of(instructions=_CODE_RAN), _summary(1e-6), text=_TEXT.replace("= 1", "= 4"))},
            True,
        ),
    ],
)
def test_a_run_or_machine_code_answers_what_the_text_alone_suggests(
    code: str, line: int, answer: Callable[[], dict[str, Analysis]] | None, is_shown: bool
) -> None:
    view = _view(_TEXT, (_static(code, line),), **(answer() if answer else {}))
    assert ("static" in {note.stage for note in view.notes}) is is_shown


def test_notes_are_in_the_order_of_their_places() -> None:
    view = _view(static=(_static("KO206", 10), _static("KO204", 4)), inspect=_said(_compiler(7)), check=_said(_check(_problem("trap", 3))))
    assert [note.line for note in view.notes] == [3, 4, 7, 10]


def test_kernels_on_one_line_are_stale_together() -> None:
    text = "__global__ void a(int *p) { p[0] = 1; } __global__ void b(int *p) { p[0] = 2; }\n__global__ void c(int *p) {}\n"
    view = _view(text.replace("= 2", "= 3"), check=_said(_check(kernel="a(int *)"), text=text))
    assert [(kernel.name, kernel.is_stale) for kernel in view.kernels] == [("a", True), ("b", True), ("c", False)]


def test_what_was_found_in_a_kernel_that_is_gone_is_gone_with_it() -> None:
    gone = _TEXT.replace("__global__ void first(float *a) {\n  a[threadIdx.x] = 1;\n}\n", "")
    view = _view(
        gone,
        profile=_said(profile_of(findings=(finding_of("KO101", 4), finding_of("KO111", 10)))),
        check=_said(_check(_problem("shared_race", 4))),
    )
    assert _found(view) == []


def test_a_kernel_that_is_renamed_keeps_what_stands_in_its_body() -> None:
    renamed = _TEXT.replace("first", "other")
    view = _view(renamed, check=_said(_check(_problem("shared_race", 4), _problem("global_race", 2, "/w/help.cuh"))))
    assert [(note.line, note.code) for note in view.notes] == [(4, "KO202")]


_ALIKE = """__global__ void one(float *a) {
  __shared__ float block[32];
  block[threadIdx.x] = a[threadIdx.x];
}
__global__ void two(float *a) {
  __shared__ float block[32];
  block[threadIdx.x] = a[threadIdx.x];
}
"""


def _race_of_one(text: str, *more: Any) -> View:
    said = Analysis(_ALIKE, (_check(_problem("shared_race", 3), kernel="one(float *)"), *more))
    return view_of(parse(Source(_PATH, text)), {"check": said})


def test_what_was_found_in_a_kernel_is_never_shown_in_another_that_has_the_same_line() -> None:
    lines = _ALIKE.splitlines(keepends=True)
    assert _found(_race_of_one(_ALIKE)) == [("check", 3, "KO202")]
    assert _found(_race_of_one("".join(lines[:2] + lines[3:]))) == []
    moved = "// one is below\n" + "".join(lines[4:] + lines[:4])
    assert all(note.line > 5 for note in _race_of_one(moved).notes)
    assert _found(_race_of_one("".join(lines[4:]))) == []
    changed = "".join(lines[4:]).replace("block[32]", "block[64]")
    assert _found(_race_of_one(changed, _check(kernel="two(float *)"))) == []


def test_lanes_in_step_are_one_note_for_each_kernel_with_the_other_lines_as_related_places() -> None:
    text = _TEXT.replace("  a[threadIdx.x] = 1;\n", "".join(f"  a[threadIdx.x] += a[threadIdx.x + {n}];\n" for n in (4, 2, 1)))
    steps = [_problem("missing_syncwarp", line, other=(str(_PATH), line - 1)) for line in (6, 5)]
    other = _check(_problem("missing_syncwarp", 9), kernel=_SECOND)
    view = _view(text, check=_said(_check(*steps, _problem("shared_race", 4)), other, text=text))
    assert _found(view) == [("check", 4, "KO202"), ("check", 5, "KO207"), ("check", 9, "KO207")]
    assert [(place.line, place.message) for place in view.notes[1].related] == [(4, "the other access"), (6, "the same here")]


def test_neighbouring_threads_far_apart_are_one_note_for_each_kernel_at_the_costliest_line() -> None:
    text = _TEXT.replace("  a[threadIdx.x] = 1;\n", 4 * "  a[threadIdx.x] = 1;\n")
    far, apart, other = ": the threads of a warp read addresses far apart", ": the addresses of a warp's threads lie apart", ": misaligned"
    said = [("KO101", 4, far, 0.1), ("KO102", 5, apart, 0.3), ("KO101", 6, far, None), ("KO102", 7, other, 0.2)]
    found = tuple(replace(finding_of(code, line, cost), message=f"Each load{why}") for code, line, why, cost in said)
    elsewhere = profile_of(_SECOND, findings=(replace(finding_of("KO101", 10), message=f"Each load{far}"),))
    view = _view(text, profile=_said(profile_of(findings=found), elsewhere, text=text))
    assert _found(view) == [("profile", 5, "KO102"), ("profile", 7, "KO102"), ("profile", 10, "KO101")]
    assert [(place.line, place.message) for place in view.notes[0].related] == [(4, "the same here"), (6, "the same here")]


def test_a_shared_variable_that_is_called_block_is_not_taken_for_a_block() -> None:
    said = replace(_problem("shared_race", 4), message="read after write: no barrier orders it with thread 3 of the block (in block)")
    (note,) = _view(check=_said(_check(said))).notes
    assert note.message.endswith("with thread 3 of the block (in the variable block)")


def test_small_grids_of_several_launches_are_one_note_with_the_others_as_related_places() -> None:
    costs = {10: 0.1, 11: 0.4, 12: 0.2}
    text = _TEXT.replace("  first<<<1, TILE>>>(0);\n", 3 * "  first<<<1, TILE>>>(0);\n")
    found = profile_of(findings=tuple(finding_of("KO111", line, cost) for line, cost in costs.items()))
    (note,) = _view(text, profile=_said(found, text=text)).notes
    assert (note.line, note.cost_ratio) == (11, 0.4)
    assert [(place.line, place.message) for place in note.related] == [(10, "KO111 is here"), (12, "KO111 is here")]


def test_a_defect_is_not_reported_again_by_the_message_of_the_run() -> None:
    refused = events.Message("J1", Severity.ERROR, "a launch of first(float *) is refused", None, str(_PATH), 10)
    other = events.Message("J1", Severity.ERROR, "the program ended with status 1", None, str(_PATH), 9)
    view = _view(check=_said(_check(_problem("bad_launch", 10)), refused, other))
    assert _found(view) == [("check", 9, None), ("check", 10, "KO206")]


def test_a_text_that_the_cuda_compiler_refuses_is_not_refused_by_another_one_too() -> None:
    other = events.Diagnostics("J1", (Diagnostic(str(_PATH), 4, 5, DiagnosticSeverity.ERROR, "expected ';' here", None, "g++"),))
    assert [note.source for note in _view(inspect=_said(_compiler(4)), check=_said(other)).notes] == ["nvrtc"]
    accepted = events.Diagnostics("J1", ())
    assert [note.source for note in _view(inspect=_said(accepted), check=_said(other)).notes] == ["g++"]
    assert len(_view(inspect=_said(_compiler(4), text=_TEXT + "// older"), check=_said(other)).notes) == 2


def test_an_error_in_a_header_of_a_header_stands_at_the_include_that_leads_there() -> None:
    text = "#include <cstdio>\n" + _TEXT
    said = Analysis(text, (_compiler(7, "/w/deep.cuh"),))
    (note,) = view_of(parse(Source(_PATH, text)), {"inspect": said}, routes={"help.cuh": "help.cuh", "deep.cuh": "help.cuh"}).notes
    assert (note.line, note.message) == (2, "deep.cuh:7: expected a ;")


def test_as_many_problems_are_listed_as_the_end_of_the_job_counts() -> None:
    lanes = _problem("missing_syncwarp", 3)
    found = (lanes, replace(lanes, line=4), _problem("shared_race", 4), replace(_problem("shared_race", 4), other_line=3))
    view = _view(check=_said(_check(*found)))
    assert len(view.notes) == len(listed(found)) == 2
    assert headline(view.kernels[0], view.notes) == "race at line 4 +1"


def test_a_defect_in_a_function_that_a_kernel_calls_is_the_kernels() -> None:
    text = "__device__ void add(float *a) { *a += 1; }\n__global__ void first(float *a) { add(a); }\n__global__ void other(float *a) { }\n"
    race = replace(_problem("global_race", 1), block=(0, 0, 0), thread=(1, 0, 0))
    view = _view(text, check=_said(_check(race), _check(kernel="other(float *)"), text=text))
    assert [headline(kernel, view.notes) for kernel in view.kernels] == ["race at line 1", "not profiled yet · checked: no problem found"]


def test_why_a_job_could_not_answer_is_said_once_and_only_of_the_current_text() -> None:
    crashed = events.Message("J1", Severity.ERROR, "the program was ended by SIGSEGV", "make it run first", None, None)
    ended = events.JobEnded("J1", 3, crashed.message)
    check, profile = _said(_check(), crashed, ended), _said(crashed, ended)
    assert _view(check=check, profile=profile).failures == (Failure(crashed.message, "make it run first"),)
    assert _view(f"{_TEXT}\n", check=check, profile=profile).failures == ()
    assert _view(check=_said(events.JobEnded("J1", 3, "no room"))).failures == (Failure("no room", ""),)
    assert _view(check=_said(_check(_problem("race", 3)), events.JobEnded("J1", 1, "1 problem"))).failures == (), "notes say it"
