"""Which other values a launch is judged on: the program's own kinds first, then those that it never had, each named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.cuda.parse import parse
from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.values import Base, apart, base_of, other_values
from assistant.engine.judge.written_grid import written_grid
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedArgument
from assistant.model.source import Source
from assistant.workload.derive import contents_of
from assistant.workload.resize import ObservedLaunch, size_model
from assistant.workload.scalars import scalars_of
from tests.unit.workload.launches import launched, parameter

RANDOM = np.random.default_rng(1)


def based_on(*buffers: np.ndarray) -> Base:
    new, parameters = launched(LaunchConfig(Dim3(8), Dim3(128)), {"n": 1000}, *buffers)
    names = tuple((index, f"p{index}") for index in range(len(buffers)))
    return base_of(JudgedCase(new, "k", (parameters,), names, frozenset(), 0), "", (1, 2, 3))


def kinds(base: Base, is_declared: bool = False) -> list[str]:
    return [case.new.origin.kind for case in other_values(base, is_declared)]


def test_what_is_nearly_all_zeros_is_drawn_dense_first() -> None:
    image = np.zeros(61440, np.float32)
    image[30000] = 1000
    made = [case.new for case in other_values(based_on(image), is_declared=False)]
    assert [case.origin.kind for case in made[:2]] == ["dense", "scattered"]
    dense, scattered = (np.frombuffer(contents_of(case)[0], np.float32) for case in made[:2])
    assert (dense != 0).all() and len(set(dense)) > 1000 and 0.4 < (scattered == 0).mean() < 0.6


def test_dense_values_leave_the_padding_of_rows_and_unpadded_ones_fill_it() -> None:
    rows = RANDOM.uniform(1, 2, (40, 1000)).astype(np.float32)
    rows[:, 900:] = 0
    rows[3, 3] = 0
    found = {case.new.origin.kind: case.new for case in other_values(based_on(rows.reshape(-1)), is_declared=False)}
    dense, unpadded = (np.frombuffer(contents_of(found[kind])[0], np.float32).reshape(rows.shape) for kind in ("dense", "unpadded"))
    assert (dense[:, 900:] == 0).all() and dense[3, 3] != 0 and (unpadded != 0).all()


def test_integers_become_negative_and_large_and_the_case_says_what_they_are() -> None:
    cases = {case.new.origin.kind: case for case in other_values(based_on(RANDOM.integers(0, 9, 1000).astype(np.int32)), is_declared=False)}
    assert cases["negative"].new.origin.values == "p0 from -8 to -1"
    assert cases["large"].new.origin.values.startswith("p0 from ")
    assert {"dense", "resampled", "tied"} <= set(cases) and "mirrored" not in cases
    assert cases["resampled"].new.origin.values == ""


def test_floats_that_all_have_the_same_sign_get_both() -> None:
    assert "mixed" in kinds(based_on(RANDOM.uniform(1, 2, 1000).astype(np.float32)))
    assert "mixed" not in kinds(based_on(RANDOM.standard_normal(1000).astype(np.float32)))
    assert "mixed" not in kinds(based_on(np.array([25], np.float32)))


def test_floats_are_chosen_to_show_mistakes_and_special_ones_come_last() -> None:
    found = kinds(based_on(RANDOM.standard_normal(1000).astype(np.float32), RANDOM.standard_normal(1000).astype(np.float32)))
    assert {"tiny", "near", "offset", "halves", "denormal", "far", "extreme"} <= set(found)
    assert found[-5:] == ["injected", "injected", "injected", "zeros", "huge"]


def test_a_kernel_that_reads_no_data_is_passed_other_floating_numbers() -> None:
    base = based_on(np.zeros(1000, np.float32))
    launch = base.case.new.recording.launches[0]
    passed = replace(launch, arguments=(*launch.arguments, RecordedArgument(4, np.float32(2).tobytes().hex(), ())))
    new = replace(base.case.new, recording=replace(base.case.new.recording, launches=(passed,)))
    case = replace(base.case, new=new, parameters=((*base.case.parameters[0], parameter("scale", "float")),))
    made = list(other_values(base_of(case, "", base.seeds), is_declared=False))[:3]
    assert [one.new.origin.kind for one in made] == ["repassed"] * 3
    arguments = [one.new.recording.launches[0].arguments for one in made]
    assert {one[1].data_hex for one in arguments} == {launch.arguments[1].data_hex}
    scales = {float(np.frombuffer(bytes.fromhex(one[2].data_hex), np.float32)[0]) for one in arguments}
    assert len(scales) == 3 and 1.5 <= min(scales) < 2.5 and 2.0 not in scales


def test_integers_without_zeros_are_drawn_again_first_and_then_large() -> None:
    levels = based_on(RANDOM.integers(96, 140, 1000).astype(np.uint8))
    made = [case.new for case in other_values(levels, is_declared=False)][:3]
    assert [one.origin.kind for one in made] == ["resampled", "large", "runs"]
    before, drawn = (np.frombuffer(contents_of(one)[0], np.uint8) for one in (levels.case.new, made[0]))
    assert (drawn != before).mean() > 0.9 and set(drawn) <= set(before)


def test_floats_spread_several_times_as_far_while_a_single_number_stays() -> None:
    base = based_on(RANDOM.uniform(0, 25, 1000).astype(np.float32), np.array([25], np.float32))
    case = next(case.new for case in other_values(base, is_declared=False) if case.new.origin.kind == "spread")
    places, length = (np.frombuffer(contents_of(case)[buffer], np.float32) for buffer in (0, 1))
    assert places.min() >= 0 and 150 < places.max() <= 200 and length.tolist() == [25]
    assert case.origin.values.startswith("p0 from ")


def test_every_second_array_of_floats_is_far_larger() -> None:
    arrays = [RANDOM.uniform(1, 2, 100).astype(np.float32) for _ in range(3)]
    base = based_on(arrays[0], np.array([25], np.float32), arrays[1], arrays[2])
    made = [contents_of(case.new) for case in other_values(base, is_declared=False) if case.new.origin.kind == "uneven"]
    ratios = [[np.frombuffer(one[buffer], np.float32)[0] / arrays[index][0] for index, buffer in enumerate((0, 2, 3))] for one in made]
    assert ratios == [[1, 4096, 1], [4096, 1, 4096]]
    assert all(np.frombuffer(one[1], np.float32).tolist() == [25] for one in made)
    assert "uneven" not in kinds(based_on(arrays[0], np.array([25], np.float32)))


def test_fewer_blocks_know_the_grid_that_the_program_has() -> None:
    found = [case for case in other_values(based_on(np.ones(1000, np.float32)), is_declared=False) if case.own_grid is not None]
    assert [case.new.recording.launches[0].config.grid.x for case in found] == [4, 3]
    assert {(case.own_grid, case.recorded_config, case.new.origin.values) for case in found} == {
        (Dim3(8), LaunchConfig(Dim3(8), Dim3(128)), f"a grid of {count} instead of 8 blocks") for count in (4, 3)
    }


def grids_at_other_integers(sizes: dict[str, int], host: str) -> dict[str, int]:
    """Blocks of one row each, by the integers that a case changes."""
    config = LaunchConfig(Dim3(sizes["rows"]), Dim3(64))
    new, parameters = launched(config, sizes, np.ones(sizes["rows"], np.float32))
    parsed = parse(Source(Path("k.cu"), f"__global__ void k(float *out, int {', int '.join(sizes)}) {{}}\n{host}"))
    kernel = parsed.kernels[0].key
    base = base_of(JudgedCase(new, kernel, (parameters,), ((0, "out"),), frozenset(), 0), "", (1, 2, 3))
    scalars = scalars_of(new.recording.launches[0], parameters, base.layout_of)
    model = size_model(new, [ObservedLaunch(sizes, config, {(0, 0): sizes["rows"]})], scalars)
    assert model is not None
    written = written_grid((parsed,), kernel, sizes, config)
    made = other_values(replace(base, model=model, written=written), is_declared=False)
    return {one.new.origin.shape: one.new.recording.launches[0].config.grid.x for one in made if one.new.origin.kind == "resized"}


def test_a_kernel_with_a_block_for_each_row_is_started_with_as_many_blocks_as_there_are_rows() -> None:
    started = grids_at_other_integers({"rows": 600, "step": 100}, "")
    assert started == {"rows=599, step=100": 599, "rows=600, step=99": 600, "rows=301, step=100": 301, "rows=600, step=51": 600}


def test_blocks_follow_the_integer_that_the_launch_names_and_no_other_that_is_equal() -> None:
    started = grids_at_other_integers({"rows": 600, "like": 600}, "int main() { int rows = count(); k<<<rows, 64>>>(out, rows, like); }")
    assert started == {"rows=599, like=600": 599, "rows=600, like=599": 600, "rows=301, like=600": 301, "rows=600, like=301": 600}


def test_declared_values_are_not_drawn_again_and_ties_are_outside_of_them() -> None:
    found = kinds(based_on(RANDOM.standard_normal(1000).astype(np.float32)), is_declared=True)
    assert not {"dense", "resampled", "mirrored", "mixed", "tied"} & set(found) and {"equal", "offset", "injected"} <= set(found)


def test_where_all_integers_together_are_out_of_bounds_each_buffer_is_changed_alone() -> None:
    base = based_on(RANDOM.integers(0, 9, 1000).astype(np.int32), RANDOM.integers(0, 9, 1000).astype(np.int32))
    negative = next(case for case in other_values(base, is_declared=False) if case.new.origin.kind == "negative")
    before, alone = contents_of(base.case.new), [contents_of(case.new) for case in apart(base, negative)]
    assert [[buffer for buffer in one if one[buffer] != before[buffer]] for one in alone] == [[0], [1]]
    assert len({case.new.origin.seed for case in apart(base, negative)}) == 2
