"""How `check` and `profile` end where a run failed, was refused, or a GPU's counters were read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.request import JobRequest
from assistant.model import events
from assistant.model.build import BuildFailure, BuildResult, Diagnostic, DiagnosticSeverity, KernelResources
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import LaunchProfile, Method, Problem, Severity
from assistant.model.workload import Case
from assistant.ports.lab import HardwareCounts, Lab, LabFailure, Program, ProgramRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.unit.engine.commands import BESIDE, BOTH, HOST, SCALE, Commands
from tests.unit.engine.searches import NAIVE, WORKLOAD
from tests.unit.engine.test_search import KERNELS

A = SCALE + HOST
BEYOND = A.replace("out[i] =", "out[i + n] =")
TIMED = A.replace("    int i", "    // takes 40 us\n    int i")
GENERAL = f"{WORKLOAD}\n{NAIVE}\n"
Alter = Callable[[ProgramRun], ProgramRun]


@dataclass
class Altered(Commands):
    """Commands on a lab whose runs and builds come to something else."""

    alter: Alter = field(default=lambda run: run)
    notes: tuple[Diagnostic, ...] = ()
    """What the compiler says."""
    resources: tuple[KernelResources, ...] = ()
    """What it says that kernels take."""

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        lab: Any = super()._open_lab(request, scratch, target)
        run, inspect, build = lab.run, lab.inspect, lab.build

        async def altered(*given: Any, **named: Any) -> ProgramRun | LabFailure:
            made = await run(*given, **named)
            return made if isinstance(made, LabFailure) else self.alter(made)

        def warned(builds: Any) -> Any:
            async def built(*given: Any) -> BuildResult:
                return replace(await builds(*given), diagnostics=self.notes, resources=self.resources)

            return built

        lab.run, lab.inspect, lab.build = altered, warned(inspect), warned(build)
        return lab


async def looked(on: Commands, command: str, text: str, **more: Any) -> list[tuple[Severity, str, str | None]]:
    """The messages of a command."""
    await on.hear(getattr(on.session, command)(on.request(text, **more)))
    return [(event.severity, event.message, event.remedy) for event in on.all(events.Message)]


async def test_what_a_kernel_takes_is_told_with_the_occupancy_that_it_allows(tmp_path: Path) -> None:
    taken = KernelResources("scale(float*, float const*, int)", "_Z5scale", "sm_90", 128, 4, 8, 16, 2048, 0)
    on = Altered(tmp_path, resources=(taken, replace(taken, kernel="other()")))
    await looked(on, "inspect", A)
    (told,) = on.only(events.KernelFound).resources
    assert (told.registers_per_thread, told.spill_bytes, told.stack_bytes, told.static_shared_bytes) == (128, 12, 16, 2048)
    shares = [(share.block_threads, share.active_warps_per_sm) for share in told.occupancy]
    assert shares == [(128, 16), (256, 16), (512, 16), (1024, 0)]


def ended(exit_status: int, *problems: Problem) -> Alter:
    def alter(run: ProgramRun) -> ProgramRun:
        profiles = tuple(replace(profile, problems=(*profile.problems, *problems)) for profile in run.profiles)
        return replace(run, exit_status=exit_status, profiles=profiles)

    return alter


async def test_a_program_that_fails_and_has_an_error_is_answered_by_the_error(tmp_path: Path) -> None:
    failed, wrong = Altered(tmp_path, alter=ended(1)), Altered(tmp_path, alter=ended(1))
    (told,) = await looked(failed, "check", A)
    assert told[0] is Severity.ERROR and told[2] and failed.ending.exit_code == 3 and failed.ending.reason == told[1]
    (told,) = await looked(wrong, "check", BEYOND)
    assert told[0] is Severity.WARNING and told[2] is None and wrong.ending.exit_code == 1


REFUSED = Problem("bad_launch", "a block of 2048 threads", "", 0, None, None, None, None, None, 1)


@pytest.mark.parametrize(
    ("line", "file", "count", "words", "place"),
    [
        (3, "a.cu", 1, "a block of 2048 threads", 3),
        (3, "b.cu", 1, "a block of 2048 threads", 1),
        (0, "a.cu", 1, "a block of 2048 threads", 1),
        (3, "a.cu", 2, "a block of 2048 threads (2 launches)", 3),
    ],
)
async def test_a_launch_that_is_refused_is_told_at_its_line(
    tmp_path: Path, line: int, file: str, count: int, words: str, place: int
) -> None:
    on = Altered(tmp_path, alter=ended(0, replace(REFUSED, line=line, file=str(tmp_path / file), count=count)))
    await looked(on, "profile", A)
    told = [event for event in on.all(events.Message) if event.severity is Severity.ERROR]
    name = "scale(float *, const float *, int)"
    assert [(event.message, event.line) for event in told] == [(f"a launch of {name} is refused: {words}", place)]


async def test_a_kernel_that_is_never_launched_is_told_with_its_line(tmp_path: Path) -> None:
    on = Commands(tmp_path)
    await looked(on, "profile", A + BOTH)
    (told,) = (event for event in on.all(events.Message) if "never launched" in event.message)
    assert (told.severity, told.message.partition("(")[0], told.line) == (Severity.WARNING, "both", 1 + A.count("\n"))
    assert (on.ending.exit_code, on.ending.reason) == (0, "1 kernel profiled")
    await looked(on, "profile", A + BOTH, kernel="both")
    assert (on.ending.exit_code, on.ending.reason) == (3, "the workload runs none of the kernels asked about")


async def test_of_a_compilers_notes_a_profile_shows_the_warnings(tmp_path: Path) -> None:
    notes = tuple(Diagnostic("a.cu", 1, 1, severity, "x") for severity in (DiagnosticSeverity.NOTE, DiagnosticSeverity.WARNING))
    for said, shown in ((notes, notes[1:]), (notes[:1], None), ((), None)):
        on = Altered(tmp_path, notes=said)
        await looked(on, "profile", A)
        assert [event.diagnostics for event in on.all(events.Diagnostics)] == ([] if shown is None else [shown])
        await looked(on, "check", A)
        assert [event.diagnostics for event in on.all(events.Diagnostics)] == ([said] if said else [])


async def test_as_many_launches_are_shown_as_were_asked_for_each_with_evidence_of_its_own(tmp_path: Path) -> None:
    text = SCALE + BOTH + BESIDE
    for count in (1, 2, 3):
        on = Commands(tmp_path)
        await looked(on, "profile", text, launch_count=count)
        shown = on.all(events.Profile)
        assert [event.launch for event in shown] == [0, 1][:count]
        assert len(on.all(events.ProfileSummary)) == 2
        ids = [fact.id for event in shown for fact in event.evidence]
        assert len(ids) == len(set(ids)) > 0
    assert next(event.detail for event in on.all(events.StageStarted)) == "counts what 2 kernels do"


@dataclass
class Counting:
    """Counters of a GPU that is not there: what a launch of ``scale`` comes to."""

    answer: LabFailure | None = None
    shortfalls: tuple[LabFailure, ...] = ()

    async def count(
        self, program: Program, cases: Sequence[Case], kernels: Sequence[str], limits: RunLimits, preferred: Method = Method.NCU
    ) -> HardwareCounts | LabFailure:
        launch = LaunchProfile(
            0, "scale(float*, const float*, int)", LaunchConfig(Dim3(4), Dim3(256)), preferred, "GPU", 4, (), (), (), None, None, ()
        )
        return self.answer or HardwareCounts((launch,) * len(cases), self.shortfalls)


@pytest.mark.parametrize(
    ("counting", "told", "method"),
    [
        (Counting(), [], "ncu"),
        (
            Counting(LabFailure("no_counters", "no right", "ask for it")),
            [(Severity.WARNING, "no right; the emulator's counters are shown", "ask for it")],
            "emulator",
        ),
        (
            Counting(None, (LabFailure("no_counters", "no ncu", "get it"),)),
            [(Severity.INFORMATION, "no ncu; counters by ncu", "get it")],
            "ncu",
        ),
    ],
)
async def test_a_gpus_counters_are_shown_where_they_can_be_read(tmp_path: Path, counting: Counting, told: list[Any], method: str) -> None:
    on = Commands(tmp_path, counters=counting)
    assert await looked(on, "profile", A) == told
    assert on.only(events.Profile).method == method
    stages = [event.detail for event in on.all(events.StageEnded)]
    assert ("counters of the GPU by ncu" in stages) is (method == "ncu")
    assert "reads the counters of a table of the tests" in [event.detail for event in on.all(events.StageStarted)]


async def test_what_a_clock_could_not_time_is_told(tmp_path: Path) -> None:
    clock = Clock()
    clock.failure = LabFailure("no_space", "the GPU is full", "free it")
    on = Commands(tmp_path, timing=clock)
    no_timeline = (Severity.INFORMATION, "no timeline of the program: this clock runs no programs", None)
    assert await looked(on, "profile", TIMED) == [
        no_timeline,
        (Severity.WARNING, "no launch could be timed: the GPU is full", "free it"),
    ]
    assert on.only(events.ProfileSummary).measured is None
    on.timing = Clock()
    assert await looked(on, "profile", TIMED) == [no_timeline]
    measured = on.only(events.ProfileSummary).measured
    assert measured is not None and measured.time_s == pytest.approx(40e-6)


async def test_shapes_of_a_declared_workload_are_timed_on_their_own_values_alone(tmp_path: Path) -> None:
    text = GENERAL.replace("    int x", "    // takes 40 us\n    int x", 1)
    clock = Clock()
    on = Commands(tmp_path, timing=clock, kernels=KERNELS)
    await looked(on, "profile", text)
    assert clock.timed == ["turn", "turn"]  # one shape, against itself
    assert [event.measured is not None for event in on.all(events.ProfileSummary)] == [True]


async def test_each_kernel_is_told_what_it_takes_itself(tmp_path: Path) -> None:
    scale = KernelResources("scale(float*, float const*, int)", "_Z5scale", "sm_90", 20, 0, 0, 0, 0, 0)
    on = Altered(tmp_path, resources=(scale, replace(scale, kernel="both(float*, float*, int)", registers_per_thread=40)))
    await looked(on, "inspect", SCALE + BOTH + BESIDE)
    found = {event.kernel.partition("(")[0]: [one.registers_per_thread for one in event.resources] for event in on.all(events.KernelFound)}
    assert found == {"scale": [20], "both": [40]}


def printing(text: str, *unsupported: str) -> Alter:
    return lambda run: replace(run, stdout=text.encode(), unsupported=unsupported)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("", []),
        (" \n\n", []),
        ("right\n", ["the program printed: right"]),
        ("one\n  two\nthree\n", ["the program printed: one / two / three"]),
        ("one\ntwo\n\nfour\n", ["the program printed: … / two / four"]),
        ("x" * 130, ["the program printed: " + "x" * 120]),
    ],
)
@pytest.mark.parametrize("command", ["check", "profile"])
async def test_the_last_lines_that_the_program_printed_are_shown(tmp_path: Path, command: str, printed: str, shown: list[str]) -> None:
    on = Altered(tmp_path, alter=printing(printed))
    assert [message for _, message, _ in await looked(on, command, A)] == shown
    assert await looked(on, command, A, is_live=True) == [], "nobody waits for the program while typing"


async def test_what_of_cuda_a_program_called_in_vain_is_told(tmp_path: Path) -> None:
    on = Altered(tmp_path, alter=printing("", "cudaFoo (a.cu:3)", "not modelled: textures", "cudaBar (a.cu:5)"))
    assert await looked(on, "profile", A) == [
        (Severity.WARNING, "not done on this lab: cudaFoo (a.cu:3), cudaBar (a.cu:5)", None),
        (Severity.WARNING, "not modelled: textures", None),
    ]


async def test_a_program_that_fails_is_profiled_all_the_same_and_is_no_success(tmp_path: Path) -> None:
    on = Altered(tmp_path, alter=ended(1))
    warning, error = await looked(on, "profile", A)
    assert warning == (Severity.WARNING, "these counters are of a program that did not succeed", None)
    assert error[:2] == (Severity.ERROR, "the program ended with status 1")
    assert (on.ending.exit_code, on.ending.reason) == (3, "the program ended with status 1")
    assert on.only(events.Profile).totals["global_load_sectors"] == 256 and on.only(events.ProfileSummary)


async def test_kernels_that_were_not_reached_and_those_of_no_file_are_named(tmp_path: Path) -> None:
    def stopped(run: ProgramRun) -> ProgramRun:
        others = (replace(profile, kernel="of_a_header(float*)") for profile in run.profiles[1:])
        return replace(run, exit_status=1, profiles=(run.profiles[0], *others), unsupported=("stopped at: Thrust (a.cu:9)",))

    for command in ("check", "profile"):
        on = Altered(tmp_path, alter=stopped)
        unlisted, unreached, error = await looked(on, command, SCALE + BOTH + BESIDE)
        assert unlisted[1] == "launched too, and not found as text in the program's files: of_a_header"
        assert unreached[1] == "not reached, as the program was stopped: both(float *, float *, int)"
        assert error[1] == "the program was stopped at Thrust (a.cu:9), which the emulator does not run"
        assert on.ending.exit_code == 3


BLOCK = """[workload.%s]
kernel = "scale"
args = { out = "empty(n)", x = "randn(n)", n = "n" }
grid = ["ceil(n/64)"]
block = [64]
shapes = [{ n = 200 }]
"""


async def test_an_access_beyond_a_declared_array_doubts_the_first_block(tmp_path: Path) -> None:
    beyond = SCALE.replace("out[i] =", "out[i + n] =")
    on = Commands(tmp_path)
    (told,) = await looked(on, "check", f"/* kernelopt\n{BLOCK % 'one'}{BLOCK % 'two'}*/\n{beyond}")
    assert told[0] is Severity.INFORMATION and told[1].endswith("are its arrays long enough?")
    assert (told[2], on.all(events.Message)[0].line, on.ending.exit_code) == ("look at a.cu:2", 2, 1)


class Racing(Commands):
    """Every replayed case has a race."""

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        lab: Any = super()._open_lab(request, scratch, target)
        replay = lab.replay

        async def raced(*given: Any, **named: Any) -> Any:
            made = await replay(*given, **named)
            return replace(made, cases=tuple(replace(case, problems=(RACE,)) for case in made.cases))

        lab.replay = raced
        return lab


RACE = Problem("shared_race", "two threads write tile[0]", "", 3, None, None, None, None, None, 1)


async def test_a_race_says_nothing_of_the_sizes_that_a_block_declares(tmp_path: Path) -> None:
    on = Racing(tmp_path)
    assert await looked(on, "check", f"/* kernelopt\n{BLOCK % 'one'}*/\n{SCALE}") == []
    assert (on.ending.exit_code, on.ending.reason) == (1, "1 problem")


async def test_a_region_that_cannot_be_judged_is_said_with_what_to_name_instead(tmp_path: Path) -> None:
    on = Commands(tmp_path)
    await on.compare(A, A.replace("2.0f * x[i]", "x[i] + x[i]"), region="main")
    (told,) = on.all(events.Message)
    assert told.message == "main is not judged as a whole: in what order the programs launch and copy is not known"
    assert told.remedy == "name a function of the host that launches or copies, or main" and on.ending.exit_code == 0


class Refusing(Altered):
    """Its emulator takes a text that its CUDA compiler refuses."""

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        lab: Any = super()._open_lab(request, scratch, target)

        async def refused(*_: Any) -> BuildResult:
            return BuildFailure("nvcc 13", (Diagnostic("a.cu", 3, 1, DiagnosticSeverity.ERROR, "no such thing"),))

        lab.build = lab.inspect = refused
        return lab


async def test_what_only_the_cuda_compiler_refuses_is_an_error_of_the_text(tmp_path: Path) -> None:
    on = Refusing(tmp_path)
    assert await looked(on, "profile", A) == [(Severity.ERROR, "nvcc 13 does not compile a.cu", "fix the errors above")]
    assert on.ending.exit_code == 3
    assert await looked(on, "check", A) == []
    assert (on.ending.exit_code, on.ending.reason) == (1, "nvcc 13 does not compile it")
    await on.compare(A, A.replace("2.0f * x[i]", "x[i] + x[i]"))
    assert (on.ending.exit_code, on.said) == (3, ["A: nvcc 13 does not compile a.cu"])
