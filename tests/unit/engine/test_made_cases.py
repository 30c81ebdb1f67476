"""Which cases are made of one launch, on which values and at which sizes, case by case.

After a change that is meant: ``pytest tests/unit/engine/test_made_cases.py --snapshot-update``, and read the difference first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate.judged_case import JudgedCase, Resize
from assistant.engine.judge.budget import Cost
from assistant.engine.judge.replaying import CaseTrial
from assistant.engine.judge.sizes import SizedLaunch, observed_launches, size_model_of, try_sizes
from assistant.engine.judge.values import apart, base_of, of_own_size, other_values
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import PointerField, RecordedArgument
from assistant.model.source import Parameter
from assistant.ports.lab import CaseRun
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from tests.unit.engine.asked import Asked
from tests.unit.workload.launches import launched, parameter

Launch = tuple[NewCase, tuple[Parameter, ...]]
CONFIG = LaunchConfig(Dim3(8), Dim3(128))
STRUCT = "struct Point { float x; int cell; };\n"
SEEDS = (1, 2, 3)
_RANDOM = np.random.default_rng(5)
FLOATS = _RANDOM.standard_normal(1000).astype(np.float32)
PADDED = np.where(np.arange(1000) % 250 < 200, np.abs(FLOATS) + 1, 0).astype(np.float32)
INTEGERS = _RANDOM.integers(0, 9, 1000).astype(np.int32)
OFFSETS = np.concatenate([[0], np.cumsum(_RANDOM.integers(1, 7, 99))]).astype(np.int32)


class Lines(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def typed(launch: Launch, buffer: int, name: str) -> Launch:
    """With another element type of one buffer."""
    case, parameters = launch
    buffers = tuple(replace(one, element_type=name) if one.id == buffer else one for one in case.recording.buffers)
    renamed = (replace(one, type=f"{name} *", element_type=name) if at == buffer else one for at, one in enumerate(parameters))
    return replace(case, recording=replace(case.recording, buffers=buffers)), tuple(renamed)


def reading(launch: Launch, *places: int) -> Launch:
    """With parameters that are only read."""
    case, parameters = launch
    return case, tuple(replace(one, is_const=at in places) for at, one in enumerate(parameters))


def passing(launch: Launch, scale: float) -> Launch:
    """With a number behind all others."""
    case, parameters = launch
    (first,) = case.recording.launches
    passed = replace(first, arguments=(*first.arguments, RecordedArgument(4, np.float32(scale).tobytes().hex(), ())))
    return replace(case, recording=replace(case.recording, launches=(passed,))), (*parameters, parameter("scale", "float"))


def unwritten(launch: Launch) -> Launch:
    case, parameters = launch
    first, *others = case.recording.buffers
    return replace(case, recording=replace(case.recording, buffers=(replace(first, is_poisoned=True), *others))), parameters


LAUNCHES: dict[str, tuple[Launch, str]] = {
    "floats": (reading(launched(CONFIG, {"n": 1000}, np.zeros(1000, np.float32), FLOATS), 1), ""),
    "floats_in_place": (launched(CONFIG, {"n": 1000}, FLOATS), ""),
    "doubles": (typed(launched(CONFIG, {"n": 500}, FLOATS), 0, "double"), ""),
    "padded_rows": (reading(unwritten(launched(CONFIG, {"pitch": 1000, "n": 200}, PADDED, PADDED)), 1), ""),
    "integers": (launched(CONFIG, {"n": 1000, "radius": 3}, np.zeros(9, np.int32), INTEGERS), ""),
    "letters": (launched(CONFIG, {"n": 1000}, np.zeros(256, np.int32), _RANDOM.integers(97, 122, 1000).astype(np.uint8)), ""),
    "offsets": (launched(CONFIG, {"n": 99}, np.zeros(99, np.float32), OFFSETS, FLOATS[: OFFSETS[-1]]), ""),
    "structs": (typed(launched(LaunchConfig(Dim3(4), Dim3(128)), {"n": 500}, INTEGERS), 0, "Point"), STRUCT),
    "numbers": (passing(launched(CONFIG, {"n": 1000}, np.zeros(1000, np.float32)), 2.0), ""),
    "unwritten_doubles": (typed(unwritten(launched(CONFIG, {"n": 500}, FLOATS)), 0, "double"), ""),
    "one_block": (launched(LaunchConfig(Dim3(1), Dim3(64)), {"n": 64}, FLOATS[:64]), ""),
    "rows": (launched(LaunchConfig(Dim3(20), Dim3(64)), {"rows": 20, "columns": 50}, np.zeros(20, np.float32), FLOATS), ""),
}


def judged(launch: Launch, **more: object) -> JudgedCase:
    case, parameters = launch
    case = replace(case, origin=replace(case.origin, shape="own"))
    names = tuple((buffer.id, f"p{buffer.id}") for buffer in case.recording.buffers)
    return JudgedCase(case, "k", (parameters,), names, frozenset(), 0, **more)  # type: ignore[arg-type]


def in_lines(asked: Asked, title: str, cases: Sequence[JudgedCase]) -> None:
    asked.lines.append(title)
    for one in cases:
        grid = f", {one.own_grid} of {one.recorded_config}" if one.own_grid is not None else ""
        sizes = f", sizes {dict(one.resize.sizes)} whole {one.resize.is_whole}" if one.resize is not None else ""
        asked.lines.append(f"checked {one.is_checked} repeats {one.repeats}{grid}{sizes}: {asked.cases([one.new])}")


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_launch_gives_these_values(name: str, snapshot: SnapshotAssertion) -> None:
    launch, text = LAUNCHES[name]
    asked = Asked()
    base = base_of(judged(launch), text, SEEDS)
    asked.lines.append(f"rows of {base.row_lengths}")
    made = list(other_values(base, is_declared=False))
    in_lines(asked, "recorded", made)
    in_lines(asked, "declared", list(other_values(base, is_declared=True)))
    in_lines(asked, "own size", of_own_size(base))
    in_lines(asked, "apart", [one for case in made if case.new.origin.kind == "negative" for one in apart(base, case)])
    assert "\n".join(asked.lines) + "\n" == snapshot(extension_class=Lines)


def model_of(launch: Launch, text: str, others: Sequence[NewCase] = ()):
    case, parameters = launch
    recordings = [one.recording for one in others]
    observed = observed_launches(recordings, "k", parameters, lambda name: layout_named(text, name))
    return size_model_of(case, parameters, observed, lambda name: layout_named(text, name))


def test_values_of_a_launch_whose_sizes_are_known_follow_them(snapshot: SnapshotAssertion) -> None:
    asked = Asked()
    for name in ("rows", "floats_in_place", "structs"):
        launch, text = LAUNCHES[name]
        model = model_of(launch, text)
        assert model is not None
        resize = Resize(model, tuple(model.sizes.items()))
        base = replace(base_of(judged(launch, resize=resize), text, SEEDS), model=model)
        cases = [case for case in other_values(base, is_declared=False) if case.new.origin.kind in ("resized", "smaller_grid", "dense")]
        in_lines(asked, name, cases)
    assert "\n".join(asked.lines) + "\n" == snapshot(extension_class=Lines)


SMALL, SLOW, BIG = Cost(1024, 4000, 0.001), Cost(1024, 4000, 0.6), Cost(1 << 18, 4000, 0.05)
Left = Callable[[NewCase], int]
"""How many elements of its first buffer the original writes on a case."""


def _rows_or_all(case: NewCase) -> int:
    return case.recording.buffers[0].size_bytes // 4


def _most(case: NewCase) -> int:
    return _rows_or_all(case) * 96 // 100


def _nearly_all(case: NewCase) -> int:
    """At its own size all."""
    count = _rows_or_all(case)
    return count if count == 1000 else count * 98 // 100


def _as_often(case: NewCase) -> int:
    return min(_rows_or_all(case), 1000)


def _grid_covers(case: NewCase) -> int:
    return min(_rows_or_all(case), case.recording.launches[0].config.thread_count)


SIZED: dict[str, tuple[str, Cost, Left, bool]] = {
    "floats": ("floats", SMALL, _grid_covers, True),
    "ranked": ("floats", SMALL, _grid_covers, False),
    "slow": ("floats", SLOW, _grid_covers, True),
    "big": ("floats", BIG, _grid_covers, True),
    "big_ranked": ("floats", BIG, _grid_covers, False),
    "nearly_all": ("floats", SMALL, _most, True),
    "no_more_than_before": ("floats", SMALL, _as_often, True),
    "padded_rows": ("padded_rows", SMALL, _rows_or_all, True),
    "padded_rows_nearly_all": ("padded_rows", SMALL, _most, True),
    "unwritten_doubles_nearly_all": ("unwritten_doubles", SMALL, _nearly_all, True),
    "rows": ("rows", SMALL, _rows_or_all, True),
    "offsets": ("offsets", SMALL, _rows_or_all, True),
    "structs": ("structs", SMALL, _rows_or_all, True),
}


def _written(case: NewCase, count: int) -> bytes:
    buffer = case.recording.buffers[0]
    before = bytes([0xAB]) * buffer.size_bytes if buffer.is_poisoned else contents_of(case)[buffer.id]
    return bytes(255 - byte for byte in before[: 4 * count]) + before[4 * count :]


@pytest.mark.parametrize("name", SIZED)
async def test_a_launch_is_tried_at_these_sizes(name: str, snapshot: SnapshotAssertion) -> None:
    chosen, cost, left, is_confirming = SIZED[name]
    launch, text = LAUNCHES[chosen]
    model, asked = model_of(launch, text), Asked()
    assert model is not None

    def trial(case: NewCase) -> CaseTrial:
        return CaseTrial(case, CaseRun(True, None, (), True, None, (), ()), ((0, _written(case, left(case))),), is_checked=True)

    async def try_cases(cases: Sequence[NewCase], limit_s: float) -> list[CaseTrial]:
        asked.lines.append(f"within {limit_s:g}: {asked.cases(cases)}")
        return [trial(case) for case in cases]

    base = base_of(judged(launch), text, SEEDS)
    tried = await try_sizes(try_cases, SizedLaunch(trial(launch[0]), model, cost, base.layouts), 1, is_confirming)
    for what, sized in (("base", tried.base), *(("grown", one) for one in tried.grown)):
        if sized is not None:
            asked.lines.append(f"{what} {sized.plan.sizes}: {asked.cases([sized.new])} {sized.checked is not None}")
    asked.lines += tried.dropped
    assert "\n".join(asked.lines) + "\n" == snapshot(extension_class=Lines)


def test_sizes_of_structs_of_pointers_and_of_cooperative_launches_are_not_known() -> None:
    (case, parameters), text = LAUNCHES["floats"]
    (first,), (out, x) = case.recording.launches, case.recording.buffers
    together = replace(case, recording=replace(case.recording, launches=(replace(first, is_cooperative=True),)))
    pointing = replace(case, recording=replace(case.recording, buffers=(out, replace(x, pointers=(PointerField(0, 0, 0),)))))
    assert [model_of((one, parameters), text) is None for one in (case, together, pointing)] == [False, True, True]


def test_other_launches_show_what_the_sizes_depend_on() -> None:
    launch, text = LAUNCHES["rows"]
    (first,) = launch[0].recording.launches
    other, _ = launched(LaunchConfig(Dim3(10), Dim3(64)), {"rows": 10, "columns": 80}, np.zeros(10, np.float32), FLOATS[:800])
    elsewhere = replace(other, recording=replace(other.recording, launches=(replace(other.recording.launches[0], kernel="other"),)))
    found = observed_launches([other.recording, elsewhere.recording], "k", launch[1], lambda _: None)
    assert [(one.sizes, one.config.grid.x, dict(one.counts)) for one in found] == [
        ({"rows": 10, "columns": 80}, 10, {(0, 0): 40, (1, 0): 3200})
    ]
    (out, *others) = first.arguments
    inside = replace(first, arguments=(replace(out, pointers=(PointerField(0, 0, 4),)), *others))
    recording = replace(launch[0].recording, launches=(inside,))
    (seen,) = observed_launches([recording], "k", launch[1], lambda _: None)
    assert dict(seen.counts) == {(1, 0): 4000}, "what begins inside a buffer does not show the buffer's size"
    model = model_of(launch, text, (other,))
    assert model is not None and model.varied == {"rows": 20, "columns": 50}
