"""What one run of a version comes to: launches by kernel and shape, how often each, and why a program cannot be compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.engine.evaluate.assessment import CountedRun, Repeatability
from assistant.engine.evaluate.counting import count_cases, group_by_kernel, run_program
from assistant.engine.evaluate.evaluating import count, evaluate, evaluate_failed, observe, repeat_limited, repeat_run
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.evaluate.recount import is_moderate, with_second_run
from assistant.engine.evaluate.repeating import FAILED, REPEATED, UNCLEAR, VARYING
from assistant.engine.job import Job
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.measure.targets import target
from assistant.model.build import Build, Flags, KernelResources
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Grade, LaunchProfile, LineAccess, Method, Problem
from assistant.model.recording import Recording, ShapeCount
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import CaseRun, LabFailure, Program, ProgramRun, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_lab import FakeLab
from tests.unit.engine.commands import KERNELS

TEXT = "__global__ void a(float *x)\n{ /* out[i] = 2.0f * x[i] */ }\n__global__ void b(float *x)\n{ /* out[i] = 2.0f * x[i] */ }\n"
MAIN = "int main() { a<<<1, 32>>>(x); }\n"
DECLARED = '/* kernelopt\n[workload.a]\nkernel = "a"\nargs = { x = "zeros(8)" }\ngrid = [1]\nblock = [32]\nshapes = [{ n = 8 }]\n*/\n'
REFUSED = Problem("bad_launch", "too many threads", "a.cu", 5, None, None, None, None, None, 1)


def profile(kernel: str, blocks: int = 1, index: int = 0, requests: int = 1, **more: object) -> LaunchProfile:
    access = LineAccess("a.cu", 2, "global load", 4, requests, 32, 4, 4, None, None, Grade.EXACT)
    config = LaunchConfig(Dim3(blocks), Dim3(32))
    counted = LaunchProfile(index, kernel, config, Method.EMULATOR, "table", blocks, (access,), (), (), None, None, ())
    return replace(counted, **more)  # type: ignore[arg-type]


def ran(*profiles: LaunchProfile, **more: object) -> ProgramRun:
    return replace(
        ProgramRun(0, None, False, False, False, b"", b"", None, None, len(profiles), profiles, (), ()),
        **more,  # type: ignore[arg-type]
    )


def replayed(*profiles: LaunchProfile, error: str | None = None, difference: str | None = None) -> CaseRun:
    return CaseRun(error is None, error, (), True, difference, (), profiles)


@dataclass
class Answers(FakeLab):
    """Gives the answers of a list to runs of programs, then the last one again, and keeps how it was asked."""

    answers: list[ProgramRun | LabFailure] = field(default_factory=list[ProgramRun | LabFailure])
    runs: tuple[CaseRun, ...] = ()
    modes: list[tuple[str, bool, int]] = field(default_factory=list[tuple[str, bool, int]])
    """(mode, whether as a candidate, seed of the order of threads)."""
    options: list[ReplayOptions] = field(default_factory=list[ReplayOptions])

    async def run(self, program: Program, mode: str, *more: object, **given: object) -> ProgramRun | LabFailure:
        self.modes.append((mode, program.is_candidate, int(more[4]) if len(more) > 4 else 0))  # type: ignore[call-overload]
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def replay(self, program: Program, cases: object, options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self.options.append(options)
        return ReplayRun(self.runs, self.folder) if self.runs else LabFailure("internal", "no replay", "")


@dataclass
class Setting:
    job: Job
    lab: Answers
    version: SourceVersion


Set = Callable[..., Setting]


@pytest.fixture
def setting(tmp_path: Path) -> Set:
    def make(text: str = TEXT + MAIN, *answers: ProgramRun | LabFailure, runs: tuple[CaseRun, ...] = (), **more: object) -> Setting:
        file, limits = tmp_path / "a.cu", architecture("sm_90")
        assert limits is not None
        file.write_text(text)
        request = JobRequest(file, tmp_path, **more)  # type: ignore[arg-type]
        lab = Answers(tmp_path, KERNELS, answers=list(answers), runs=runs)
        job = Job("J", request, lab, target("h200"), limits, tmp_path, (1, 2), RunLimits(wall_s=7.5))
        return Setting(job, lab, read_version(request, Flags()))

    return make


def failure(run: CountedRun | LabFailure) -> LabFailure | None:
    assert isinstance(run, CountedRun)
    return run.failure


SMALLER, FEWER = "give it smaller arguments after --, or raise --timeout", "give it smaller arguments after --"


@pytest.mark.parametrize(
    ("ended", "kind", "message", "remedy"),
    [
        ({"timed_out": True, "exit_status": None}, "timed_out", "the program did not end within 7.5 s", SMALLER),
        ({"memory_exceeded": True, "signal": "SIGKILL"}, "out_of_memory", "the program took more memory than a run may", FEWER),
        ({"tasks_exceeded": True}, "crashed", "the program started more processes and threads than a run may", FEWER),
        (
            {"signal": "SIGSEGV", "exit_status": None, "stderr": b"first\nlast words\n \n"},
            "crashed",
            "the program was ended by SIGSEGV: last words",
            "make it run by itself first; kernelopt check shows what its kernels do wrong",
        ),
        (
            {"exit_status": 3},
            "bad_status",
            "the program ended with status 3",
            "make it succeed by itself first; it was given no arguments, pass them after --",
        ),
        *(
            (
                {"exit_status": status, "unsupported": ("not run: cuRAND (a.cu:3)", "something else", *stopped)},
                "unsupported",
                f"{said}not run by the emulator: cuRAND (a.cu:3); what depends on it is not right",
                "run it on a GPU, or declare launches: kernelopt init FILE",
            )
            for status, stopped, said in (
                (0, (), ""),
                (
                    1,
                    ("stopped at: cufftExecC2C of cuFFT (a.cu:9)",),
                    "the program was stopped at cufftExecC2C of cuFFT (a.cu:9), which the emulator does not run; ",
                ),
            )
        ),
    ],
)
async def test_a_program_that_does_not_succeed_is_counted_and_says_why(
    setting: Set, ended: dict[str, object], kind: str, message: str, remedy: str
) -> None:
    on = setting(TEXT + MAIN, ran(profile("a(float*)"), **ended))
    found = failure(await run_program(on.job, on.version))
    assert found is not None and (found.kind, found.message, found.remedy) == (
        kind,
        message,
        remedy.replace("FILE", str(on.version.source.path)),
    )
    assert found.printed == ("last words" if "stderr" in ended else "")
    assert await count(on.job, on.version) == found
    assert failure(await run_program(on.job, setting(TEXT + MAIN, ran()).version)) is not None
    seen = await evaluate_failed(on.job, on.version)
    assert isinstance(seen, Evaluation) and len(seen.assessment.kernels) == 1


async def test_arguments_that_were_given_are_not_asked_for(setting: Set) -> None:
    on = setting(TEXT + MAIN, ran(exit_status=1), arguments=("8",))
    found = failure(await run_program(on.job, on.version))
    assert found is not None and found.remedy == "make it succeed by itself first"


async def test_a_program_that_succeeds_is_no_failure_and_only_a_count_looks_for_no_races(setting: Set) -> None:
    on = setting(TEXT + MAIN, ran(profile("a(float*)")))
    for mode, is_checked in (("count", False), ("grade", True), ("check", True)):
        run = await run_program(on.job, on.version, mode)
        assert isinstance(run, CountedRun) and run.failure is None and run.is_order_checked is is_checked


def test_launches_are_grouped_by_instance_and_shape_most_threads_first(setting: Set) -> None:
    version = setting().version
    profiles = [
        profile("b(float*)"),
        profile("a(float*)", 2),
        profile("a(float*)", 8, 2),
        profile("a(float*)", 2, 3),
        profile("other(float*)"),
        profile("a(float*)", 16, problems=(REFUSED,)),
    ]
    found = [(item.instance, [(g.profile.config.grid.x, g.count) for g in item.groups]) for item in group_by_kernel(version, profiles)]
    assert found == [("a(float*)", [(8, 1.0), (2, 2.0)]), ("b(float*)", [(1, 1.0)])]


def recorded(count_of_a: int) -> Recording:
    return Recording((), (), (), (), shape_counts=(ShapeCount("a(float*)", LaunchConfig(Dim3(1), Dim3(32)), count_of_a),))


@pytest.mark.parametrize(("launch_count", "count_of_a", "count_of_b"), [(2, 1.0, 1.0), (3, 40.0, 1.0)])
async def test_where_only_the_first_launches_were_counted_the_whole_programs_are_known(
    setting: Set, launch_count: int, count_of_a: float, count_of_b: float
) -> None:
    run = ran(profile("a(float*)"), profile("b(float*)"), launch_count=launch_count, recording=recorded(40))
    on = setting(TEXT + MAIN, run)
    counted = await run_program(on.job, on.version)
    assert isinstance(counted, CountedRun)
    assert [item.groups[0].count for item in counted.kernels] == [count_of_a, count_of_b]


A, B = profile("a(float*)"), profile("b(float*)", 2)


@pytest.mark.parametrize(
    ("run", "known"),
    [
        (replayed(A, A), [("a(float*)", REPEATED)]),
        (replayed(A, A, difference="x[0] is 1, then 2"), [("a(float*)", VARYING)]),
        (replayed(A, B, A, B, difference="x[0] is 1, then 2"), [("a(float*)", UNCLEAR), ("b(float*)", UNCLEAR)]),
        (replayed(A, B, A, B), [("a(float*)", REPEATED), ("b(float*)", REPEATED)]),
        (replayed(B, error="timed out", difference="x"), [("b(float*)", FAILED)]),
        (replayed(replace(A, problems=(REFUSED,)), B, difference="x"), [("b(float*)", VARYING)]),
    ],
)
async def test_two_runs_of_a_case_show_what_repeats(setting: Set, run: CaseRun, known: list[tuple[str, Repeatability]]) -> None:
    """Of both runs' launches the first are kept, numbered through all cases, each with its case's weight."""
    on = setting(TEXT, runs=(run, replayed(A)), sample_blocks=5)
    launches = len({one.kernel for one in run.profiles})
    cases = [
        Case(Path("/r"), tuple(range(launches)), CaseOrigin("declared", "n=8", 1, 1.0, 3.0)),
        Case(Path("/r"), (0,), CaseOrigin("declared", "n=9", 1, 1.0, 0.5)),
    ]
    counted = await count_cases(on.job, on.version, cases, ("a(float*)",), "grade")
    assert isinstance(counted, CountedRun) and list(counted.repeatability[: len(known)]) == known
    assert counted.cases == tuple(cases) and counted.is_order_checked
    assert [one.index for one in counted.profiles] == list(range(launches + 1))
    assert [(one.mode, one.repeats, one.sample_blocks) for one in on.lab.options] == [("grade", 2, 5)]
    weights = {(group.shape, group.count) for item in counted.kernels for group in item.groups}
    assert ("n=9", 0.5) in weights and weights <= {("n=9", 0.5), ("n=8", 3.0)}


async def test_every_workload_of_a_version_is_observed(setting: Set) -> None:
    broken, run = LabFailure("internal", "broken", ""), ran(profile("a(float*)"))
    kinds = list[object]()
    for text, answer, runs in (
        (TEXT + MAIN, run, ()),
        (TEXT + MAIN, broken, ()),
        (DECLARED + TEXT, run, (replayed(A),)),
        (DECLARED + TEXT, run, ()),
        (DECLARED + TEXT + MAIN, run, (replayed(A),)),
        (TEXT, run, ()),
    ):
        on = setting(text, answer, runs=runs)
        seen = await observe(on.job, on.version)
        assert {mode for mode, _, _ in on.lab.modes} | {one.mode for one in on.lab.options} <= {"check"}
        kinds.append(seen.kind if isinstance(seen, LabFailure) else [one.run is not None for one in seen])
    assert kinds == [[True], "internal", [False], "internal", [True, False], "no_workload"]


async def test_without_a_workload_the_way_to_one_depends_on_where_the_text_is(setting: Set, tmp_path: Path) -> None:
    on = setting(TEXT)
    found = await evaluate(on.job, on.version)
    assert isinstance(found, LabFailure) and found.message == "a.cu has no main() and declares no workload, so there is nothing to run"
    init, program = (f"kernelopt {command} {tmp_path / 'a.cu'}" for command in ("init", "program"))
    assert found.remedy == f"{init} writes a workload block to start from; {program} shows why no program was found"
    (tmp_path / "t.py").touch()
    inside = tmp_path / "t.py.k.cu"
    version = read_version(JobRequest(inside, tmp_path, texts=((inside, TEXT),)), Flags())
    found = await count(on.job, version)
    assert isinstance(found, LabFailure) and found.remedy.startswith("the editor's action")


BROKEN = LabFailure("crashed", "it broke", "repair it")


async def test_the_second_run_is_checked_in_another_order_or_only_counted_or_none(setting: Set) -> None:
    run = ran(profile("a(float*)"))
    for answers, modes, has_run in (
        ((run,), ["check"], True),
        ((BROKEN, run), ["check", "count"], True),
        ((BROKEN, BROKEN), ["check", "count"], False),
    ):
        on = setting(TEXT + MAIN, run)
        first = await count(on.job, on.version)
        assert isinstance(first, CountedRun)
        on.lab.answers = list(answers)
        again = await repeat_run(on.job, on.version, first)
        assert on.lab.modes[1:] == [(mode, False, 1) for mode in modes]
        assert (again is not None) is has_run
        assert await repeat_run(on.job, on.version, replace(first, run=None)) is None


async def test_a_program_that_does_not_run_limited_cannot_judge_candidates(setting: Set) -> None:
    run, on = ran(profile("a(float*)")), setting(TEXT + MAIN, ran(profile("a(float*)")))
    first = await count(on.job, on.version)
    assert isinstance(first, CountedRun)
    on.lab.answers, on.lab.modes = [BROKEN, BROKEN, run], []
    assert isinstance(await repeat_limited(on.job, on.version, first), CountedRun)
    assert on.lab.modes == [("check", True, 1), ("count", True, 1), ("count", True, 0)]
    on.lab.answers = [BROKEN]
    found = await repeat_limited(on.job, on.version, first)
    assert isinstance(found, LabFailure) and found.kind == "cannot_judge" and found.message.endswith("of its folder): it broke")
    assert await repeat_limited(on.job, on.version, replace(first, run=None)) is None


async def test_what_only_the_emulators_compiler_refuses_is_beyond_the_emulator(setting: Set) -> None:
    for text, kind, found_kind in (
        (TEXT, "not_built", "unsupported"),
        (TEXT, "crashed", "crashed"),
        ("__global__ void a() {}\n", "not_built", "not_built"),
    ):
        on = setting(text + MAIN, LabFailure(kind, "refused", "see above"))
        found = await evaluate(on.job, on.version)
        assert isinstance(found, LabFailure) and found.kind == found_kind
        assert found.message == ("the emulator cannot build what a table compiles" if found_kind == "unsupported" else "refused")


async def test_a_failed_program_without_launches_shows_nothing(setting: Set) -> None:
    on = setting(TEXT + MAIN, ran(exit_status=1))
    found = await evaluate_failed(on.job, on.version)
    assert isinstance(found, LabFailure) and found.kind == "not_built"
    on.lab.answers = [BROKEN]
    assert await evaluate_failed(on.job, on.version) == BROKEN


MOST = 10_000_000


@pytest.mark.parametrize(
    ("profiles", "is_known"),
    [
        ((profile("a", requests=MOST),), True),
        ((profile("a", requests=MOST), profile("a")), False),
        ((profile("a"), profile("a", method=Method.NCU)), False),
        ((), True),
    ],
)
def test_workloads_of_moderate_size_are_counted_twice(profiles: tuple[LaunchProfile, ...], is_known: bool) -> None:
    assert is_moderate(CountedRun((), profiles, (), None)) is is_known


def test_the_second_counters_take_the_place_of_the_first_where_the_launches_are_the_same(setting: Set) -> None:
    version = setting().version

    def counted(*profiles: LaunchProfile, **run: object) -> CountedRun:
        return CountedRun(group_by_kernel(version, profiles), profiles, (), ran(*profiles, **run) if run else None)

    first = counted(A, B)
    again = counted(replace(A, blocks_counted=3), replace(B, blocks_counted=4))
    made = with_second_run(first, again, ())
    assert [item.groups[0].profile.blocks_counted for item in made.kernels] == [3, 4] and made.profiles == again.profiles
    assert made.is_order_checked
    assert with_second_run(first, counted(A), ()) is first and with_second_run(first, counted(B, A), ()) is first
    for text, is_checked in (("race check of global memory: too large", False), ("texture", True)):
        assert with_second_run(first, counted(A, B, unsupported=("other", text)), ()).is_order_checked is is_checked


@pytest.mark.parametrize("order", [1, -1])
async def test_each_instance_has_the_resources_of_its_own_however_compilers_spell_and_order_them(setting: Set, order: int) -> None:
    on = setting(TEXT + MAIN, ran(profile("a(float*)"), profile("b(float*)")))

    async def build(program: Program, architecture: str) -> Build:
        spelled = (("void a( float * )", 40), ("b(float *)", 41))
        resources = tuple(KernelResources(name, "", architecture, registers, 0, 0, 0, 0, 0) for name, registers in spelled)
        return Build("nvcc", architecture, program.flags, resources[::order], (), ())

    on.lab.build = build  # type: ignore[method-assign]
    found = await evaluate(on.job, on.version)
    assert isinstance(found, Evaluation)
    shown = [(item.kernel.name, item.resources and item.resources.registers_per_thread) for item in found.assessment.kernels]
    assert shown == [("a", 40), ("b", 41)]
