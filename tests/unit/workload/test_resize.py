"""A recorded launch at other sizes: integers, buffers and grid change together, and what looks like places stays in range."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from assistant.workload.resize import ObservedLaunch, SizeModel, at_sizes, plans, size_model
from assistant.workload.scalars import fits, scalars_of, with_scalars
from tests.unit.workload.launches import launched


def modelled(config: LaunchConfig, integers: Mapping[str, int], *buffers: np.ndarray) -> tuple[NewCase, SizeModel | None]:
    case, parameters = launched(config, integers, *buffers)
    scalars = scalars_of(case.recording.launches[0], parameters, lambda name: None)
    own = ObservedLaunch(dict(integers), config, {(index, 0): values.size for index, values in enumerate(buffers)})
    return case, size_model(case, [own], scalars)


def first_at(case: NewCase, model: SizeModel | None, sizes: dict[str, int]) -> NewCase:
    assert model is not None
    return at_sizes(case, model, next(plans(model, sizes)))


def floats(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.float32) + 1


def test_buffers_grid_and_integers_grow_together() -> None:
    case, model = modelled(LaunchConfig(Dim3(8), Dim3(128)), {"n": 1000}, floats(1000), floats(1000))
    made = first_at(case, model, {"n": 1409})
    launch = made.recording.launches[0]
    assert [b.size_bytes for b in made.recording.buffers] == [4 * 1409] * 2 and launch.config.grid == Dim3(12)
    assert struct.unpack("<i", bytes.fromhex(launch.arguments[2].data_hex)) == (1409,)
    assert (made.origin.kind, made.origin.shape, made.origin.is_own_size, made.origin.weight) == ("resized", "n=1409", False, 0.0)
    values = np.frombuffer(contents_of(made)[0], np.float32)
    assert np.array_equal(values, np.sort([*floats(1000), *floats(409)]))  # sorted stays sorted


def test_a_grid_of_two_axes_follows_from_width_and_height() -> None:
    case, model = modelled(LaunchConfig(Dim3(6, 5), Dim3(16, 16)), {"w": 90, "h": 70}, floats(6300))
    made = first_at(case, model, {"w": 33, "h": 100})
    assert made.recording.launches[0].config.grid == Dim3(3, 7) and made.recording.buffers[0].size_bytes == 4 * 3300


def test_the_width_of_rows_changes_with_their_pitch_though_buffers_follow_from_the_pitch() -> None:
    config = LaunchConfig(Dim3(9, 5), Dim3(32, 32))
    case, model = modelled(config, {"pitch": 288, "rows": 150, "cols": 270}, floats(150 * 288))
    assert model is not None and set(model.varied) == {"pitch", "rows", "cols"}
    made = first_at(case, model, {"pitch": 409, "rows": 211, "cols": 379})
    assert made.recording.launches[0].config.grid == Dim3(13, 7) and made.recording.buffers[0].size_bytes == 4 * 409 * 211


def test_a_buffer_that_no_integer_explains_keeps_its_size() -> None:
    case, model = modelled(LaunchConfig(Dim3(8), Dim3(128)), {"n": 1000}, floats(1000), floats(7))
    assert first_at(case, model, {"n": 2000}).recording.buffers[1].size_bytes == 28


def test_rows_that_only_the_grid_shows_are_a_size_of_their_own() -> None:
    case, model = modelled(LaunchConfig(Dim3(97), Dim3(128)), {"cols": 500}, floats(97), floats(97 * 500))
    assert model is not None and model.varied == {"cols": 500, "gridDim.x": 97}
    made = first_at(case, model, {"cols": 701, "gridDim.x": 31})
    assert made.recording.launches[0].config.grid == Dim3(31)
    assert [b.size_bytes for b in made.recording.buffers] == [4 * 31, 4 * 31 * 701]


def test_a_fixed_grid_is_no_size() -> None:
    _, model = modelled(LaunchConfig(Dim3(97), Dim3(128)), {"n": 50000}, floats(50000))
    assert model is not None and model.varied == {"n": 50000}


def test_a_launch_whose_buffers_nothing_explains_has_no_model() -> None:
    _, model = modelled(LaunchConfig(Dim3(1), Dim3(32)), {"flag": 1}, floats(1000))
    assert model is None


def test_row_offsets_go_on_where_they_end_and_are_cut_within_range() -> None:
    offsets = np.arange(0, 404, 4, dtype=np.int32)
    case, model = modelled(LaunchConfig(Dim3(1), Dim3(128)), {"rows": 100}, offsets, floats(100))
    grown = np.frombuffer(contents_of(first_at(case, model, {"rows": 149}))[0], np.int32)
    assert grown.size == 150 and (np.diff(grown) >= 0).all() and grown[-1] > offsets[-1]
    assert np.frombuffer(contents_of(first_at(case, model, {"rows": 41}))[0], np.int32).size == 42


def test_fewer_row_offsets_keep_the_rows_that_they_begin_with() -> None:
    offsets = np.concatenate([[0], np.cumsum(np.tile([3, 9, 4], 40))]).astype(np.int32)
    for elements, most in ((floats(int(offsets[-1])), offsets[-1]), (floats(1200), offsets[-1])):
        case, model = modelled(LaunchConfig(Dim3(1), Dim3(128)), {"rows": 120}, offsets, elements, floats(120))
        fewer = np.frombuffer(contents_of(first_at(case, model, {"rows": 31}))[0], np.int32)
        left = len(contents_of(first_at(case, model, {"rows": 31}))[1]) // 4
        assert (fewer == np.minimum(offsets[:32], left)).all() and fewer[-1] <= most and np.diff(fewer).max() == 9


def test_a_permutation_stays_one() -> None:
    places = np.random.default_rng(1).permutation(200).astype(np.int32)
    case, model = modelled(LaunchConfig(Dim3(2), Dim3(128)), {"n": 200}, places, floats(200))
    for n in (71, 400):
        assert sorted(np.frombuffer(contents_of(first_at(case, model, {"n": n}))[0], np.int32)) == list(range(n))


def test_labels_stay_below_the_number_of_classes() -> None:
    labels = (np.arange(600) * 31 % 200).astype(np.int32)
    case, model = modelled(LaunchConfig(Dim3(5), Dim3(128)), {"batch": 600, "classes": 200}, floats(600 * 200), labels)
    assert model is not None and model.bounds == {1: "classes"}
    fewer = np.frombuffer(contents_of(first_at(case, model, {"batch": 71, "classes": 61}))[1], np.int32)
    assert (fewer.size, fewer.min()) == (71, 0) and 50 <= fewer.max() < 61, "scaled with the classes, not with the batch"
    more = np.frombuffer(contents_of(first_at(case, model, {"batch": 701, "classes": 307}))[1], np.int32)
    assert np.array_equal(more, np.resize(labels, 701)), "what is below 200 is below 307"


def test_columns_of_a_buffer_that_no_integer_explains_stay_below_the_width() -> None:
    columns = np.random.default_rng(1).integers(0, 300, 4321).astype(np.int32)
    case, model = modelled(LaunchConfig(Dim3(2), Dim3(128)), {"width": 300}, floats(300), columns)
    fewer = np.frombuffer(contents_of(first_at(case, model, {"width": 83}))[1], np.int32)
    assert (fewer.size, fewer.max()) == (4321, 82)


@pytest.mark.parametrize("largest", [40, 100])
def test_integers_that_use_little_of_a_size_or_more_than_it_are_not_bound_by_it(largest: int) -> None:
    values = (np.arange(500) * 7 % (largest + 1)).astype(np.int32)
    _, model = modelled(LaunchConfig(Dim3(4), Dim3(128)), {"n": 100}, floats(100), values)
    assert model is not None and model.bounds == {}


@pytest.mark.parametrize("is_sorted", [False, True])
def test_keys_of_64_bits_are_no_places(is_sorted: bool) -> None:
    keys = np.random.default_rng(2).integers(1 << 62, (1 << 64) - 1, 200, np.uint64)
    keys = np.sort(keys) if is_sorted else keys
    case, model = modelled(LaunchConfig(Dim3(2), Dim3(128)), {"n": 200}, keys, floats(200))
    grown = np.frombuffer(contents_of(first_at(case, model, {"n": 450}))[0], np.uint64)
    repeated = np.resize(keys, 450)
    assert (grown == (np.sort(repeated) if is_sorted else repeated)).all()


@pytest.mark.parametrize("table", [np.sqrt(np.arange(200)), -np.sqrt(np.arange(200)), np.array([*range(1, 101), *[0] * 100])])
def test_sorted_floats_stay_sorted(table: np.ndarray) -> None:
    case, model = modelled(LaunchConfig(Dim3(2), Dim3(128)), {"n": 200}, table.astype(np.float32), floats(200))
    grown = np.frombuffer(contents_of(first_at(case, model, {"n": 450}))[0], np.float32)
    used = grown if table[100] else grown[:225]
    steps = np.diff(used)
    assert grown.size == 450 and ((steps >= 0).all() or (steps <= 0).all()) and not grown[used.size :].any()
    assert set(used) == set(table.astype(np.float32)[: 200 if table[100] else 100])


def test_results_of_blocks_are_as_many_as_the_grid_has_blocks() -> None:
    case, model = modelled(LaunchConfig(Dim3(98), Dim3(256)), {"n": 100_000}, floats(100_000), floats(98))
    grown = first_at(case, model, {"n": 140_009})
    assert [buffer.size_bytes for buffer in grown.recording.buffers] == [4 * 140_009, 4 * 137]
    _, of_one = modelled(LaunchConfig(Dim3(1), Dim3(256)), {"n": 100}, floats(100), floats(1))
    assert of_one is not None and set(of_one.counts) == {0}, "the total of all blocks, perhaps"


def test_what_hardware_or_the_integers_type_cannot_do_is_no_plan() -> None:
    _, model = modelled(LaunchConfig(Dim3(1, 100), Dim3(32)), {"rows": 100}, floats(100))
    assert model is not None
    assert all(plan.config.grid == Dim3(1, 100) for plan in plans(model, {"rows": 70001}))
    assert not list(plans(model, {"rows": 1 << 31}))


def test_an_integer_is_replaced_where_it_stands() -> None:
    case, parameters = launched(LaunchConfig(Dim3(1), Dim3(32)), {"n": 7, "m": 9}, floats(7))
    scalars = scalars_of(case.recording.launches[0], parameters, lambda name: None)
    assert [(scalar.name, scalar.value) for scalar in scalars] == [("n", 7), ("m", 9)]
    changed = with_scalars(case.recording.launches[0], {scalars[1]: 11})
    assert [scalar.value for scalar in scalars_of(changed, parameters, lambda name: None)] == [7, 11]
    element = parse_element_type("unsigned long long")
    assert element is not None
    large = replace(scalars[1], element=element)
    assert with_scalars(case.recording.launches[0], {large: 2**64 - 2}).arguments[large.argument].data_hex == "fe" + "ff" * 7
    assert fits(scalars[0], 2**31 - 1) and not fits(scalars[0], 2**31)
