"""Numbers of an edit: which settings are tried, what is told of them, what the search goes on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model import events
from assistant.model.build import Build, BuildFailure, BuildResult, Diagnostic, DiagnosticSeverity
from assistant.model.plan import Rewrite, SetbackKind, Tunable
from assistant.model.timing import LaunchIdentity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.model.workload import Case
from assistant.ports.lab import Program
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_search import turned

OPEN = RIGHT.replace("    __shared__ float tile[32][33];", "    constexpr int PAD = 0;\n    __shared__ float tile[32][32 + PAD];")
SECTORS = {0: 16, 1: 4, 2: 8, 3: 12, 4: 20}
KERNELS = {
    "out[x * n + y]": Behaviour(turned, sectors=32),
    **{f"PAD = {pad};": Behaviour(turned, sectors=sectors) for pad, sectors in SECTORS.items()},
}
EDIT = Rewrite("", "", 0, (), OPEN, (), tunables=(Tunable("PAD", (0, 1, 2, 3, 4)),), constraints=("PAD != 2",))


class PadClock(Clock):
    """Times by ``PAD``; the first look at the fastest is too good by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = 0
        self.values: list[bytes] = []
        """What the kernel that is the fastest was timed on, look by look."""

    def _side(self, program: Program, case: Case) -> tuple[float, tuple[LaunchIdentity, ...]]:
        text = program.sources[0].text
        pad = next((pad for pad in SECTORS if f"PAD = {pad};" in text), None)
        takes = 100.0 if pad is None else 40.0 + SECTORS[pad]
        if pad == 3:
            self.looks += 1
            self.values.append(b"".join(file.read_bytes() for file in sorted(case.recording.rglob("*")) if file.is_file()))
            takes = 20.0 if self.looks == 1 else 52.0
        marked = program.sources[0].text.replace("int x =", f"// takes {takes} us\n    int x =")
        return super()._side(replace(program, sources=(replace(program.sources[0], text=marked),)), case)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


def search(folder: Path, edit: Rewrite = EDIT, settings: str = "", timing: Clock | None = None) -> Search:
    planner = Scripted([plan_of(NAIVE, tile=[edit])], is_model=True)
    return Search(folder, planner, kernels=KERNELS, settings=settings, timing=timing)


def pads(tuning: events.TuningEnded) -> list[int]:
    return [dict(point.values)["PAD"] for point in tuning.points]


async def test_the_best_setting_is_what_is_kept_and_offered(tmp_path: Path) -> None:
    on = search(tmp_path)
    assert await on.run() == [("tile", "kept")]
    (tuning,) = on.all(events.TuningEnded)
    assert pads(tuning) == [0, 1, 3, 4]
    assert (tuning.best, tuning.setting_count, tuning.method) == ((("PAD", 1),), 4, "predicted")
    ratios = [point.ratio for point in tuning.points]
    assert max(ratio for ratio in ratios if ratio is not None) == ratios[1]
    (offered,) = on.all(events.ProposalMade)
    assert "+    constexpr int PAD = 1;" in offered.diff
    assert on.all(events.CandidateTried)[0].ratio == ratios[1]


async def test_no_more_settings_are_tried_than_the_user_says(tmp_path: Path) -> None:
    on = search(tmp_path, settings="tuning_trials = 2\n")
    await on.run()
    (tuning,) = on.all(events.TuningEnded)
    assert len(tuning.points) == 3
    assert tuning.points[0].values == (("PAD", 0),)


async def test_without_trials_the_edit_stays_as_it_was_written(tmp_path: Path) -> None:
    on = search(tmp_path, settings="tuning_trials = 0\n")
    assert await on.run() == [("tile", "kept")]
    assert on.all(events.TuningEnded) == []
    assert "+    constexpr int PAD = 0;" in on.all(events.ProposalMade)[0].diff


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (replace(EDIT, tunables=(Tunable("DEPTH", (1, 2)),)), "DEPTH is defined 0 times"),
        (replace(EDIT, constraints=("PAD < warpSize",)), "the constraint 'PAD < warpSize' is not a comparison"),
        (replace(EDIT, tunables=(), tuning_fault="'x' does not name a number"), "'x' does not name a number"),
    ],
)
async def test_numbers_that_cannot_be_tuned_go_back_to_their_writer_and_the_edit_is_judged(
    tmp_path: Path, edit: Rewrite, words: str
) -> None:
    on = search(tmp_path, edit)
    on.planner.repairs.append(EDIT)
    assert await on.run() == [("tile", "kept"), ("tile", "kept")]
    assert any(f"are not tuned: {words}" in said for said in on.said)
    (setback,) = on.planner.setbacks
    assert setback.kind is SetbackKind.UNTUNED and words in setback.reason
    (tuning,) = on.all(events.TuningEnded)
    assert tuning.best == (("PAD", 1),)
    assert "+    constexpr int PAD = 1;" in on.all(events.ProposalMade)[0].diff


async def test_a_compile_error_is_told_together_with_numbers_that_cannot_be_tuned(tmp_path: Path) -> None:
    on = search(tmp_path, replace(EDIT, constraints=("PAD <",)))
    on.lab_type = BrokenLab
    on.planner.repairs += [None] * 4
    await on.run()
    setback = on.planner.setbacks[0]
    assert setback.kind is SetbackKind.BUILD and "besides, the numbers of tile are not tuned: the constraint 'PAD <'" in setback.reason


async def test_on_a_gpu_the_best_is_timed_once_more_and_has_to_hold(tmp_path: Path) -> None:
    clock = PadClock()
    on = search(tmp_path, timing=clock)
    await on.run()
    (tuning,) = on.all(events.TuningEnded)
    assert len(clock.values) == len({*clock.values}) == 2, "on other values"
    assert tuning.method == "timed"
    assert pads(tuning) == [0, 1, 3, 4, 3, 1], "the next best is timed once more, too"
    lucky, again = (point.ratio for point in tuning.points if point.values == (("PAD", 3),))
    assert lucky == pytest.approx(5.0)
    assert again == pytest.approx(100 / 52)
    assert tuning.best == (("PAD", 1),)


@pytest.mark.parametrize(
    ("timing", "stop_after"),
    [(None, 1), (None, 2), (None, 4), (PadClock, 2), (PadClock, 5)],
    ids=lambda each: getattr(each, "__name__", None),
)
async def test_a_search_that_goes_on_judges_no_setting_again_but_the_one_it_keeps(
    tmp_path: Path, timing: type[Clock] | None, stop_after: int
) -> None:
    whole = search(tmp_path, timing=timing and timing())
    assert await whole.run() == [("tile", "kept")]
    on = search(tmp_path, timing=timing and timing())
    assert await on.run(stop_after=stop_after, stopped_by=events.SettingTried) == []
    assert await on.run(is_resumed=True) == [("tile", "kept")]
    assert on.all(events.TuningEnded)[0].points == whole.all(events.TuningEnded)[0].points
    assert on.all(events.TuningEnded)[0].best == whole.all(events.TuningEnded)[0].best
    assert [event.point for event in on.all(events.SettingTried)] == [event.point for event in whole.all(events.SettingTried)]
    assert len({event.candidate for event in on.all(events.SettingTried)}) == len(on.all(events.SettingTried))
    assert on.all(events.ProposalMade)[0].diff == whole.all(events.ProposalMade)[0].diff


async def test_an_edit_no_setting_of_which_was_kept_comes_back_whole_from_a_search_that_was_stopped(tmp_path: Path) -> None:
    """Its writer is told of it as in a search that was not stopped."""
    on = search(tmp_path)
    on.kernels = KERNELS | {f"PAD = {pad};": Behaviour(turned, sectors=32) for pad in SECTORS}
    on.planner.repairs += [None] * 4
    await on.run(stop_after=2, stopped_by=events.SettingTried)
    assert on.planner.setbacks == []
    assert (await on.run(is_resumed=True))[0] == ("tile", "not_better")
    setback = on.planner.setbacks[0]
    assert setback.evidence and setback.profiles


SETTINGS_OF_A_RULE = [replace(EDIT, summary=OPEN.replace("PAD = 0", f"PAD = {pad}"), numbers=(("PAD", pad),)) for pad in SECTORS]
BY_A_RULE = replace(SETTINGS_OF_A_RULE[0], constraints=(), alternatives=tuple(SETTINGS_OF_A_RULE[1:]))


async def test_settings_of_a_rule_that_were_judged_are_not_judged_again(tmp_path: Path) -> None:
    on = search(tmp_path, BY_A_RULE)
    await on.run(stop_after=2, stopped_by=events.SettingTried)
    (told,) = (event for event in on.all(events.SettingTried)[:1])
    await on.run(is_resumed=True)
    (tuning,) = on.all(events.TuningEnded)
    assert pads(tuning) == [0, 1, 2, 3]
    assert [dict(event.point.values)["PAD"] for event in on.all(events.SettingTried)] == [0, 1, 2, 3]
    assert [event.job == told.job for event in on.all(events.SettingTried)] == [True, True, False, False]


@pytest.mark.parametrize(("gaining", "tried"), [((), [0, 1, 2]), ((1,), [0, 1, 2, 3]), ((2,), [0, 1, 2, 3, 4]), ((4,), [0, 1, 2])])
async def test_settings_of_a_rule_are_left_after_two_that_are_no_better(tmp_path: Path, gaining: tuple[int, ...], tried: list[int]) -> None:
    on = search(tmp_path, BY_A_RULE)
    on.planner.repairs += [None] * 4
    on.kernels = KERNELS | {f"PAD = {pad};": Behaviour(turned, sectors=4 if pad in gaining else 32) for pad in SECTORS}
    await on.run()
    (tuning,) = on.all(events.TuningEnded)
    assert pads(tuning) == tried


class TooLargeLab(FakeLab):
    """Its assembler refuses an edit with the padding that it was written with."""

    refusing = "ptxas"

    async def build(self, program: Program, architecture: str) -> BuildResult:
        if "PAD = 0;" not in program.sources[0].text:
            return await super().build(program, architecture)
        message = "Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)"
        return BuildFailure("a table", (Diagnostic("", 0, 0, DiagnosticSeverity.ERROR, message, None, self.refusing),))


class BrokenLab(TooLargeLab):
    """Its compiler refuses it."""

    refusing = "nvcc"


async def test_an_edit_that_is_only_too_large_as_it_was_written_is_tuned(tmp_path: Path) -> None:
    on = search(tmp_path)
    on.lab_type = TooLargeLab
    assert await on.run() == [("tile", "kept")]
    (tuning,) = on.all(events.TuningEnded)
    assert (tuning.points[0].outcome, tuning.best) == (TrialOutcome.BUILD_FAILED, (("PAD", 1),))


async def test_one_that_does_not_compile_is_not(tmp_path: Path) -> None:
    on = search(tmp_path, settings="repairs = 0\n")
    on.lab_type = BrokenLab
    assert (await on.run())[0] == ("tile", "build_failed")
    assert on.all(events.TuningEnded) == []


class LargeLab(FakeLab):
    """Its compiler gives each kernel as many bytes of shared memory as the table says for its padding; one it does not compile."""

    async def build(self, program: Program, architecture: str) -> BuildResult:
        built = await super().build(program, architecture)
        text = program.sources[0].text
        if "PAD = 1;" in text:
            return BuildFailure("a table", ())
        if "PAD = 3;" not in text or not isinstance(built, Build):
            return built
        return replace(built, resources=tuple(replace(kernel, static_shared_bytes=50_000) for kernel in built.resources))


@pytest.mark.parametrize("labels", [(), (Label.HOST_CODE,)])
async def test_a_setting_that_does_not_fit_is_not_tried_and_one_that_is_not_compiled_is(tmp_path: Path, labels: tuple[Label, ...]) -> None:
    on = search(tmp_path, replace(EDIT, labels=labels))
    on.lab_type = LargeLab
    await on.run(may_edit_host_code=True)
    (tuning,) = on.all(events.TuningEnded)
    (unfit,) = (point for point in tuning.points if dict(point.values)["PAD"] == 3)
    assert (unfit.outcome, unfit.ratio) == (TrialOutcome.BUILD_FAILED, None)
    assert unfit.reason == "it needs 50,000 bytes of static shared memory, and a block may have 49,152"
    assert sorted(pads(tuning)) == [0, 1, 3, 4]
