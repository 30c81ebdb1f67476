"""Whose GPU work an edit changes, and what the model says of all of it together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.evaluate.assessment import Assessment, CountedRun, KernelAssessment
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.evaluate.figures import figures_of
from assistant.engine.evaluate.metrics import metric_value, watched, watched_codes
from assistant.engine.judge.affected import affected_pairs, is_same_machine_code, launched_work
from assistant.engine.judge.moved import moved_work
from assistant.engine.judge.predicting import KernelPair, predict_speed, without_launch_overhead
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.measure.targets import target
from assistant.model.build import CompilerMissing, Flags, KernelCode, KernelResources, SassInstruction
from assistant.model.comparison import ModelTerm, PredictedTime
from assistant.model.profile import InstructionMix, LineAccess, LineStall
from assistant.model.recording import DeviceOperations, Recording, ShapeCount
from assistant.ports.lab import ProgramRun

Assess = Callable[..., tuple[KernelAssessment, ...]]
Access = Callable[..., LineAccess]
TEXT = "__global__ void a(float *x) { x[0] = 1; }\n__global__ void b(float *x) { x[0] = 2; }\n__global__ void c(float *x) { x[0] = 3; }\n"
_LINES = count(1)


def code(opcode: str) -> KernelCode:
    """Of other lines each time, and with another name of its branch's target: both are no difference."""
    line, label = next(_LINES), f".L_x_{next(_LINES)}"
    own = SassInstruction(0, "@P0", opcode, "R0", "k.cu", line)
    branch = SassInstruction(16, "@P1", "BRA", f"`({label})", "k.cu", line)
    return KernelCode("k", "_Zk", "sm_90", (own, branch), ((label, 0),))


@pytest.fixture
def evaluated(tmp_path: Path, assessed: Assess) -> Callable[..., Evaluation]:
    """A version of which these kernels were launched; by name the number of threads, the opcode, or None for no machine code."""

    def make(text: str = TEXT, recording: Recording | None = None, **launched: tuple[int, str | None]) -> Evaluation:
        file = tmp_path / "k.cu"
        version = read_version(JobRequest(file, tmp_path, texts=((file, text),)), Flags())
        kernels = {kernel.name: kernel for kernel in version.kernels}
        (template,) = assessed()
        items = []
        for name, (threads, opcode) in launched.items():
            (launch,) = assessed(threads=threads)[0].launches
            given = None if opcode is None else code(opcode)
            items.append(replace(template, kernel=kernels[name], instance=f"{name}(float*)", launches=(launch,), code=given))
        run = ProgramRun(0, None, False, False, False, b"", b"", None, recording, 1, (), (), ())
        counted = CountedRun((), (), (), run)
        return Evaluation(version, counted, Assessment(CompilerMissing("", ""), counted, tuple(items)))

    return make


def names(pair: KernelPair) -> tuple[list[str], list[str]]:
    before, after = ([item.kernel.name for item in side] for side in (pair.before, pair.after))
    return before, after


def test_a_kernel_whose_launch_text_or_machine_code_differs_is_affected(evaluated: Callable[..., Evaluation]) -> None:
    before = evaluated(a=(64, None), b=(64, None), c=(64, None))
    for text, launched, affected in (
        (TEXT, {"a": (64, None), "b": (64, None), "c": (64, None)}, ["a"]),
        (TEXT, {"a": (64, None), "b": (64, None), "c": (32, None)}, ["a", "c"]),
        (TEXT.replace("= 2", "= 7"), {"a": (64, None), "b": (64, None), "c": (64, None)}, ["a", "b"]),
        (TEXT, {"a": (64, None), "c": (64, None)}, ["a", "b"]),
    ):
        after = evaluated(text, **launched)
        pairs = affected_pairs(before, after, "a")
        assert [names(pair)[0] for pair in pairs] == [[name] for name in affected]
        assert names(launched_work(before, after)) == (affected[1:], [name for name in affected[1:] if name in launched])


def test_kernels_of_other_files_are_not_compared_with_an_edit_of_which_they_were_not_counted(tmp_path: Path, assessed: Assess) -> None:
    main, other = tmp_path / "main.cu", tmp_path / "other.cu"
    texts = ((main, "__global__ void a(float *x) { x[0] = 1; }\nint main() {}\n"), (other, "__global__ void b(float *x) { x[0] = 2; }\n"))
    version = read_version(JobRequest(main, tmp_path, (other,), texts=texts), Flags())
    kernels = {kernel.name: kernel for file in version.files for kernel in file.kernels}
    items = tuple(replace(assessed()[0], kernel=kernel, instance=f"{name}(float*)") for name, kernel in kernels.items())
    counted = CountedRun((), (), (), None)
    evaluation = Evaluation(version, counted, Assessment(CompilerMissing("", ""), counted, items))
    before = evaluation.about(kernels["b"])
    after = replace(before, assessment=replace(before.assessment, kernels=before.kernel("b")))
    assert [names(pair) for pair in affected_pairs(before, after, "b")] == [(["b"], ["b"])]
    assert [kernel.name for kernel in evaluation.about(kernels["a"]).launched_kernels] == ["a", "b"]


@pytest.mark.parametrize(
    ("old", "new", "text", "is_affected"),
    [
        ("ADD", "ADD", TEXT.replace("= 2", "= 7"), False),
        ("ADD", "MUL", TEXT, True),
        ("ADD", None, TEXT, False),
        (None, "ADD", TEXT.replace("= 2", "= 7"), True),
    ],
)
def test_machine_code_decides_where_both_sides_have_it(
    evaluated: Callable[..., Evaluation], old: str | None, new: str | None, text: str, is_affected: bool
) -> None:
    pairs = affected_pairs(evaluated(a=(64, None), b=(64, old)), evaluated(text, a=(64, None), b=(64, new)), "a")
    assert (len(pairs) == 2) is is_affected


@pytest.mark.parametrize(
    ("launched", "is_same"),
    [
        ({"a": (64, "ADD"), "b": (64, "MUL")}, True),
        ({"a": (64, "ADD"), "b": (64, "FMA")}, False),
        ({"a": (64, "ADD"), "b": (32, "MUL")}, False),
        ({"a": (64, "ADD")}, False),
        ({"a": (64, "ADD"), "b": (64, "MUL"), "c": (64, "ADD")}, False),
        ({"a": (64, None), "b": (64, None)}, False),
    ],
)
def test_programs_are_the_same_where_every_launch_runs_the_same_instructions(
    evaluated: Callable[..., Evaluation], launched: dict[str, tuple[int, str | None]], is_same: bool
) -> None:
    before, after = evaluated(a=(64, "ADD"), b=(64, "MUL")), evaluated(TEXT.replace("= 2", "= 7"), **launched)
    assert is_same_machine_code(before, after) is is_same
    assert is_same_machine_code(after, after) is (None not in {code for _, code in launched.values()})


def test_programs_that_launch_nothing_are_not_called_the_same(evaluated: Callable[..., Evaluation]) -> None:
    assert not is_same_machine_code(evaluated(), evaluated())


def times(item: KernelAssessment, *each: tuple[float, float]) -> KernelAssessment:
    """With launches of these (count, seconds)."""
    (launch, *_) = item.launches
    predicted = [PredictedTime(time_s, f"of {time_s:g}", (), "h200") for _, time_s in each]
    launches = tuple(replace(launch, count=count, predicted=one) for (count, _), one in zip(each, predicted, strict=True))
    return replace(item, launches=launches)


def test_launches_are_paired_where_both_sides_have_as_many_as_often(assessed: Assess) -> None:
    (item,) = assessed()
    for after, shapes in (
        (((1.0, 1.0), (2.0, 3.0)), ["grid (4, 1, 1), block (64, 1, 1)"] * 2),
        (((1.0, 1.0), (3.0, 3.0)), ["all launches"]),
        (((1.0, 1.0),), ["all launches"]),
    ):
        old, new = times(item, (1.0, 4.0), (2.0, 6.0)), times(item, *after)
        found = predict_speed((KernelPair((old,), (new,)),))
        assert found is not None and [case.shape for case in found.cases] == shapes
        assert found.ratio == pytest.approx(16 / sum(count * time_s for count, time_s in after))
        named = predict_speed((KernelPair((old,), (new,)),) * 2)
        assert named is not None and [case.shape for case in named.cases] == [f"k, {shape}" for shape in shapes] * 2
    instances = tuple(replace(times(item, (1.0, 4.0)), instance=f"k<{kind}>({kind}*)") for kind in ("float", "double"))
    apart = predict_speed((KernelPair(instances, instances),))
    assert apart is not None and [case.shape.partition(",")[0] for case in apart.cases] == ["k<float>", "k<double>"]
    added = predict_speed((KernelPair((times(item, (1.0, 4.0), (9.0, 3.0)),), (times(item, (1.0, 4.0)),)),))
    assert added is not None and added.bottleneck_before == "of 3", "the slowest of all launches together"


def test_nothing_is_predicted_where_a_side_was_not_counted(assessed: Assess) -> None:
    good, uncounted = assessed(), assessed(blocks_counted=0)
    assert predict_speed(()) is None
    for pair in ((good, ()), ((), good), (good, uncounted), (uncounted, good)):
        assert predict_speed((KernelPair(good, good), KernelPair(*pair))) is None


def test_without_the_cost_of_starting_a_kernel(assessed: Assess) -> None:
    (item,) = assessed()
    (launch,) = item.launches
    terms = (ModelTerm("launch", 5.0, ()), ModelTerm("dram", 1.0, ()))
    item = replace(item, launches=(replace(launch, predicted=PredictedTime(6.0, "launch", terms, "h200")),))
    (pair,) = without_launch_overhead((KernelPair((item,), ()),))
    assert [launch.predicted.bottleneck for launch in pair.before[0].launches] == ["dram"] and pair.after == ()


def _job() -> Any:
    class Named:
        name = "a device"

    class Job:
        device, target = Named(), target("h200")

    return Job()


def test_the_costliest_launch_stands_next_to_its_pair_or_to_the_costliest(assessed: Assess, access: Access) -> None:
    (item,) = assessed(access("global load", 3, 1, 8, ideal=4), access("shared load", 3, 1, 6, ideal=2))
    old = times(item, (1.0, 4.0), (3.0, 2.0), (1.0, 5.0))
    for after, time_s in ((((9.0, 1.0), (1.0, 1.5), (1.0, 2.5)), 1.5), (((1.0, 1.0), (4.0, 0.5)), 0.5)):
        found = figures_of(_job(), (old,), (times(item, *after),))
        assert found is not None and found.device == "a device"
        assert (found.before.predicted_time_s, found.after.predicted_time_s) == (2.0, time_s)
    assert found is not None
    shown = found.before
    assert (shown.sectors, shown.ideal_sectors, shown.wavefronts, shown.ideal_wavefronts) == (8, 4, 6, 2)
    assert (shown.grid, shown.block, shown.stalls) == ((4, 1, 1), (64, 1, 1), ())
    assert figures_of(_job(), (), (item,)) is None and figures_of(_job(), (item,), ()) is None
    uncounted = assessed(blocks_counted=0)
    assert figures_of(_job(), (item,), uncounted) is None and figures_of(_job(), uncounted, (item,)) is None


def test_stalls_are_added_up_by_reason_most_first(assessed: Assess) -> None:
    (item,) = assessed()
    (launch,) = item.launches
    seen = [("wait", 3), ("barrier", 2), ("drain", 0), ("barrier", 2)]
    stalls = tuple(LineStall("k.cu", line, reason, samples) for line, (reason, samples) in enumerate(seen))
    item = replace(item, launches=(replace(launch, profile=replace(launch.profile, stalls=stalls)),))
    found = figures_of(_job(), (item,), (item,))
    assert found is not None and [(one.reason, one.samples) for one in found.after.stalls] == [("barrier", 4), ("wait", 3)]


def test_each_finding_has_a_metric_over_all_launches_weighted_by_their_count(assessed: Assess, access: Access) -> None:
    mix = InstructionMix(fp32=1, fp64=2, half=4, tensor=8, conversion=16, special=32, integer=64, load_store=128, control=256, other=512)
    ops = (
        access("global load", 3, 10, 80),
        access("shared load", 3, 5, 60),
        access("global atomic", 4, 1, 7),
        access("shared atomic", 4, 2, 9),
    )
    (small,) = assessed(*ops, mixes=((3, mix),), blocks=4, threads=64, warps=16, count=2.0)
    (large,) = assessed(blocks=5, threads=128, warps=64, count=9.0)
    resources = KernelResources("k", "_Zk", "sm_90", 32, 3, 4, 5, 6, 7)
    small = replace(small, resources=resources)
    both = (small, large)
    spilled = float(resources.spill_load_bytes + resources.spill_store_bytes)
    values = {name: metric_value(name, both) for name in (f"KO{number}" for number in range(101, 127))}
    sectors, requests, wavefronts, wide, overhead, math, loads_and_stores = 174.0, 22.0, 138.0, 36.0, 640.0, 102.0, 256.0
    assert values == {
        "KO101": sectors,
        "KO102": sectors,
        "KO108": sectors,
        "KO124": sectors,
        "KO125": 11.0,
        "KO107": requests,
        "KO113": requests,
        "KO118": requests,
        "KO120": requests,
        "KO103": wavefronts,
        "KO115": wavefronts,
        "KO119": wavefronts,
        "KO104": spilled,
        "KO105": 1.0,
        "KO112": 1.0,
        "KO106": wide,
        "KO109": 2 * 1023 / 32,
        "KO126": 2 * 1023 / 32,
        "KO110": 82.0,
        "KO111": 5.0,
        "KO114": overhead,
        "KO116": math,
        "KO117": 5.0,
        "KO121": loads_and_stores,
        "KO122": 36.0,
        "KO123": math,
    }
    nothing = {name: metric_value(name, ()) for name in values}
    assert set(nothing.values()) == {0.0}


def test_what_answers_a_finding_is_more_occupancy_and_more_blocks_and_less_of_all_else() -> None:
    more = [code for code in watched_codes() if (metric := watched(code)) is not None and metric.is_higher_better]
    assert more == ["KO105", "KO111", "KO112"]
    wanted = (
        "KO104",
        "KO105",
        "KO106",
        "KO125",
        "KO101",
        "KO109",
        "KO110",
        "KO111",
        "KO112",
        "KO107",
        "KO114",
        "KO103",
        "KO116",
        "KO121",
        "KO122",
        "KO117",
    )
    assert watched_codes() == wanted
    assert watched("KO999") is None


FILL, COPY = DeviceOperations("fill", 1, 64), DeviceOperations("copy_on_device", 1, 64)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ((1, ()), (1, ()), None),
        ((1, ()), (2, ()), "B adds 1 launch"),
        ((2, ()), (1, ()), None),
        ((1, ()), (2, (FILL,)), "B adds 1 launch, 1 fill, 64 bytes"),
        ((1, (FILL,)), (1, ()), "B leaves out 1 fill, 64 bytes"),
        ((1, (FILL,)), (1, (COPY,)), "B adds 1 copy on the GPU, 64 bytes"),
        (None, (1, ()), None),
        ((1, ()), None, None),
    ],
)
def test_work_can_go_to_what_b_adds_or_come_from_what_it_leaves_out(
    evaluated: Callable[..., Evaluation], a: tuple[int, Any] | None, b: tuple[int, Any] | None, reason: str | None
) -> None:
    (launch,) = evaluated(a=(64, None)).assessment.kernels[0].launches

    def recorded(made: tuple[int, Any] | None) -> Recording | None:
        if made is None:
            return None
        return Recording((), (), (), (), shape_counts=(ShapeCount("a(float*)", launch.profile.config, made[0]),), operations=made[1])

    edited = TEXT.replace("= 1", "= 7")
    assert moved_work(evaluated(recording=recorded(a)), evaluated(edited, recording=recorded(b))) == reason
    several = evaluated(edited.replace("= 2", "= 8"), recording=recorded(b))
    assert moved_work(evaluated(recording=recorded(a)), several) == "several kernels are edited"
