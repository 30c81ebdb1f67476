"""To which kernel a problem belongs, how often each was launched, whether it is repeatable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate.assessment import CountedKernel, CountedLaunchGroup, CountedRun, Repeatability
from assistant.engine.evaluate.repeating import ARBITRARY, FAILED, NO_SECOND_RUN, NOT_RUN, RACY, REPEATED, VARYING
from assistant.engine.reading import read_version
from assistant.engine.report.checking import Launches, Repeats, launches_of
from assistant.engine.report.defects import problems_by_kernel
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import LaunchProfile, Method, Problem
from assistant.model.recording import BufferState, RecordedArgument, RecordedLaunch, Recording
from assistant.ports.lab import LabFailure

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
FIRST = "__global__ void first(float *x)\n{\n    x[0] = 1;\n}\n"
TEXT = f"{FIRST}{FIRST.replace('first', 'second')}"
MAIN = f"{TEXT}int main() {{}}\n"
DIED = LabFailure("crashed", "it died", "")


def version(folder: Path, text: str = TEXT) -> SourceVersion:
    (folder / "a.cu").write_text(text)
    return read_version(JobRequest(folder / "a.cu", folder), DEFAULT_FLAGS)


def problem(kind: str, line: int, message: str = "", **more: Any) -> Problem:
    return Problem(
        kind, message, "a.cu", line, None, None, more.get("block"), more.get("thread"), more.get("address"), more.get("count", 1)
    )


def launch(name: str, *problems: Problem) -> LaunchProfile:
    return LaunchProfile(0, f"{name}(float*)", CONFIG, Method.EMULATOR, "", 1, (), (), (), None, None, problems)


def counted(of: SourceVersion, *profiles: LaunchProfile, counts: dict[str, float] | None = None, **more: Any) -> CountedRun:
    kernels = tuple(
        CountedKernel(kernel, f"{kernel.name}(float*)", (CountedLaunchGroup(launch(kernel.name), (counts or {})[kernel.name]),))
        for kernel in of.parsed.kernels
        if kernel.name in (counts or {})
    )
    return CountedRun(kernels, profiles, more.pop("problems", ()), more.pop("run", None), **more)


def test_a_problem_is_its_launchs_else_its_lines_else_the_first_launched_kernels(tmp_path: Path) -> None:
    of = version(tmp_path)
    mine, its = problem("trap", 3, "a"), problem("misaligned", 3, "b")
    lines = {line: problem("stale_read", line) for line in (0, 1, 4, 5, 8, 9)}
    seen = counted(of, launch("second", mine), launch("gone", its), counts={"second": 1}, problems=tuple(lines.values()))
    first, second = of.kernels
    assert problems_by_kernel(of, [seen]) == {
        first.key: (lines[1], lines[4]),
        second.key: (mine, lines[0], lines[5], lines[8], lines[9]),
    }
    unlaunched = counted(of, problems=(lines[0],))
    assert problems_by_kernel(of, [unlaunched]) == {first.key: (lines[0],), second.key: ()}


def test_a_problem_that_a_launch_has_is_not_counted_again_whichever_thread_met_it(tmp_path: Path) -> None:
    of = version(tmp_path)
    met = problem("trap", 3, "by thread 1", thread=(1, 0, 0), block=(0, 0, 0), address=16, count=2)
    again = problem("trap", 3, "by thread 7", thread=(7, 0, 0), block=(1, 0, 0), address=32, count=5)
    seen = counted(of, launch("second", met), counts={"second": 1}, problems=(again, replace(again, line=2)))
    first, second = (kernel.key for kernel in of.kernels)
    assert problems_by_kernel(of, [seen]) == {first: (replace(again, line=2),), second: (met,)}


def test_a_problem_of_a_kernel_of_no_file_says_which_one_was_launched(tmp_path: Path) -> None:
    of = version(tmp_path)
    met, other = problem("trap", 3, "by thread 1"), problem("trap", 4, "by thread 1")
    seen = counted(of, launch("made", met), counts={"second": 1}, problems=(met, other))
    first, second = (kernel.key for kernel in of.kernels)
    assert problems_by_kernel(of, [seen]) == {first: (replace(met, message="in made(float*): by thread 1"), other), second: ()}


def test_launches_that_were_refused_count_as_launches(tmp_path: Path) -> None:
    of = version(tmp_path)
    refused, ran = launch("first", problem("bad_launch", 1)), launch("first", problem("trap", 1))
    others = launch("second", problem("bad_launch", 1))
    seen = [counted(of, refused, ran, refused, others, counts={"first": 2.6}), counted(of, counts={"first": 1.0, "second": 4.0})]
    first, second = of.parsed.kernels
    assert launches_of(of, first, seen) == Launches(3 + 1 + 2, 2)
    assert launches_of(of, second, seen) == Launches(4 + 1, 1)
    assert launches_of(of, second, []) == Launches(0, 0)


def recorded(after: str) -> Any:
    states = (BufferState(0, "in", after),)
    ran = tuple(
        RecordedLaunch(index, f"{name}(float*)", CONFIG, (RecordedArgument(4, "07", ()),), states, "/a.cu", 9)
        for index, name in enumerate(("first", "second"))
    )
    return SimpleNamespace(stopped_at=None, recording=Recording((), ran, (), ()))


def looked(of: SourceVersion, *seen: CountedRun, problems: dict[str, tuple[Problem, ...]] | None = None) -> Repeats:
    by_name = problems or {}
    return Repeats(of, seen, {kernel.key: by_name.get(kernel.name, ()) for kernel in of.kernels})


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        (("global_race",), RACY),
        (("out_of_bounds", "shared_race"), RACY),
        (("out_of_bounds",), ARBITRARY),
        (("trap",), REPEATED),
        ((), REPEATED),
    ],
)
def test_what_races_or_reads_garbage_is_not_claimed_to_be_repeatable(tmp_path: Path, kinds: tuple[str, ...], found: Repeatability) -> None:
    of = version(tmp_path)
    seen = counted(of, counts={"first": 1, "second": 1}, repeatability=(("first(float*)", REPEATED), ("second(float*)", VARYING)))
    repeats = looked(of, seen, problems={"first": tuple(problem(kind, 3) for kind in kinds)})
    assert [repeats.of(kernel) for kernel in of.kernels] == [found, VARYING]
    assert not repeats.are_open


@pytest.mark.parametrize(
    ("again", "found"),
    [("same", REPEATED), ("other", VARYING), (None, NO_SECOND_RUN), (DIED, NO_SECOND_RUN)],
)
def test_a_second_run_of_the_program_shows_what_is_open(tmp_path: Path, again: str | LabFailure | None, found: Repeatability) -> None:
    of = version(tmp_path, MAIN)
    ran = counted(of, launch("first"), counts={"first": 1}, run=None)
    repeats = looked(of, replace(ran, run=recorded("same")))
    first, second = of.kernels
    assert repeats.are_open and (repeats.of(first), repeats.of(second)) == (NOT_RUN, NOT_RUN)
    run = again if isinstance(again, LabFailure) else replace(ran, run=None if again is None else recorded(again))
    repeats.compare(run)
    assert (repeats.are_open, repeats.of(first), repeats.of(second)) == (False, found, NOT_RUN)


def test_what_a_declared_workload_shows_stands_with_what_the_program_shows(tmp_path: Path) -> None:
    of = version(tmp_path, MAIN)
    ran = replace(counted(of, launch("first"), counts={"first": 1}), run=recorded("same"))
    declared = counted(of, launch("first"), counts={"first": 1}, repeatability=(("first(float*)", VARYING), ("gone()", REPEATED)))
    repeats = looked(of, ran, declared)
    repeats.compare(ran)
    assert repeats.of(of.kernels[0]) == VARYING
    failed = looked(of, replace(ran, failure=DIED), replace(declared, repeatability=(("second(float*)", REPEATED),)))
    assert (failed.are_open, failed.of(of.kernels[0])) == (False, FAILED)
    failed.compare(ran)
    assert failed.of(of.kernels[0]) == FAILED
