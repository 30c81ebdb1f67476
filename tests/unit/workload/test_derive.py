"""Fresh values keep what a kernel relies on: range, sparsity, specials, order, index sets, pointers."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import (
    BufferState,
    PointerField,
    RecordedArgument,
    RecordedBuffer,
    RecordedLaunch,
    Recording,
)
from assistant.model.source import Parameter, Span
from assistant.model.structs import ElementLayout, Member
from assistant.model.workload import CaseOrigin
from assistant.workload.derive import contents_of, extract, fresh_values, with_contents
from assistant.workload.draws import MIRRORED, Draw, fresh_draws
from assistant.workload.recordings import NewCase, blob_name
from assistant.workload.specials import with_huge, with_signed_zeros, with_specials
from assistant.workload.widen import CannotWiden, widened
from tests.unit.workload.launches import launched

FIRST = Draw(3)
FLOAT, INT = (parse_element_type(name) or pytest.fail(name) for name in ("float", "int"))
ORIGIN = CaseOrigin("recorded", "n=8", 0, 1.0, 5.0)


def pointer_parameter(element: str) -> Parameter:
    return Parameter("p", f"{element} *", Span(0, 0), True, False, False, element)


def captured(values: np.ndarray, element: str, **buffer: object) -> NewCase:
    """A recorded launch ``k(element *p)`` on ``values``."""
    data = values.tobytes()
    argument = RecordedArgument(8, "00" * 8, (PointerField(0, 4, 0),))
    recorded = RecordedBuffer(4, len(data), 0x1000, None, "device", **buffer)  # type: ignore[arg-type]
    launch = RecordedLaunch(7, "k", LaunchConfig(Dim3(1), Dim3(32)), (argument,), (BufferState(4, blob_name(data), "f" * 64),), "k.cu", 3)
    first = RecordedLaunch(0, "other", launch.config, (), (), "k.cu", 2)
    recording = Recording((recorded,), (first, launch), (), ())
    return extract(recording, {blob_name(data): data}.__getitem__, 7, (pointer_parameter(element),), ORIGIN)


def fresh(values: np.ndarray, element: str, draw: Draw = FIRST, **buffer: object) -> np.ndarray:
    result = fresh_values(captured(values, element, **buffer), draw)
    return np.frombuffer(contents_of(result)[4], values.dtype)


def normal(count: int = 1000) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(count).astype(np.float32)


def test_one_launch_is_taken_out_of_a_recording() -> None:
    case = captured(normal(), "float")
    assert len(case.recording.launches) == 1 and case.launches == (0,)
    assert case.recording.buffers[0].element_type == "float"
    assert case.recording.launches[0].buffers[0].after is None


def test_memory_that_nothing_had_written_is_poisoned() -> None:
    case = captured(normal(), "float")
    (launch,) = case.recording.launches
    states = tuple(replace(state, is_poisoned=True) for state in launch.buffers)
    recording = replace(case.recording, launches=(replace(launch, buffers=states),))
    again = extract(recording, case.blobs.__getitem__, 0, (pointer_parameter("float"),), ORIGIN)
    assert again.recording.buffers[0].is_poisoned


def test_floats_are_new_within_the_observed_range() -> None:
    values = normal()
    result = fresh(values, "float")
    assert not np.isin(result, values).all()
    assert values.min() <= result.min() and result.max() <= values.max()
    assert abs(result.std() - values.std()) < 0.1


def test_many_floats_are_drawn_as_few_are() -> None:
    values = normal(600_000)
    result = fresh(values, "float")
    assert values.min() <= result.min() and result.max() <= values.max()
    assert np.unique(result).size > 0.9 * result.size, "nothing is drawn twice"
    assert all(abs(part.std() - values.std()) < 0.01 for part in np.array_split(result, 5))


@pytest.mark.parametrize("scale", [0.125, 8.0])
def test_the_scale_moves_the_range(scale: float) -> None:
    values = normal()
    assert np.array_equal(fresh(values, "float", Draw(3, scale)), fresh(values, "float") * np.float32(scale))


def test_zeros_and_specials_stay_where_they_are() -> None:
    values = normal()
    values[::3] = 0
    values[1], values[4] = np.nan, np.inf
    result = fresh(values, "float")
    assert np.array_equal(result == 0, values == 0)
    assert np.isnan(result[1]) and np.isnan(result).sum() == 1
    assert result[4] == np.inf and np.isinf(result).sum() == 1


def test_no_infinity_arises_from_scaling_half() -> None:
    values = np.linspace(20000, 60000, 100).astype(np.float16)[::-1].copy()
    values[0], values[50] = 100, 61000
    assert np.isfinite(fresh(values, "half", Draw(3, 8.0))).all()


def test_repeated_values_are_drawn_from_the_same_set() -> None:
    values = np.tile(np.array([1.5, -2.0, 7.0], np.float32), 100)
    result = fresh(values, "float")
    assert set(result) == {1.5, -2.0, 7.0} and not np.array_equal(result, values)


def test_an_all_equal_buffer_is_spread_so_that_it_can_tell_elements_apart() -> None:
    result = fresh(np.full(100, 2.0, np.float32), "float")
    assert len(set(result)) > 50 and result.min() >= 1 and result.max() <= 3


def test_sorted_values_stay_sorted() -> None:
    result = fresh(np.sort(normal()), "float")
    assert np.all(np.diff(result) >= 0) and len(set(result)) > 500


@pytest.mark.parametrize("is_falling", [False, True])
def test_sorted_values_stay_in_their_order_where_signs_are_flipped(is_falling: bool) -> None:
    values = np.arange(1, 200, dtype=np.float32)
    steps = np.diff(fresh(values[::-1] if is_falling else values, "float", Draw(3, MIRRORED)))
    assert (steps < 0).all() if is_falling else (steps > 0).all()


def test_integers_are_permuted_or_kept() -> None:
    values = np.random.default_rng(1).integers(0, 50, 200).astype(np.int32)
    permuted = fresh(values, "int")
    assert not np.array_equal(permuted, values) and np.array_equal(np.sort(permuted), np.sort(values))
    assert np.array_equal(fresh(values, "int", Draw(3, integers="kept")), values)


def test_redrawn_integers_change_a_histogram_within_the_observed_values() -> None:
    values = np.random.default_rng(1).integers(0, 50, 2000).astype(np.uint8) * 3
    redrawn = fresh(values, "unsigned char", Draw(3, integers="redrawn"))
    assert set(redrawn) <= set(values)
    assert not np.array_equal(np.bincount(redrawn, minlength=256), np.bincount(values, minlength=256))


def test_vectors_of_integers_are_redrawn_whole() -> None:
    values = np.random.default_rng(1).integers(0, 4, (300, 2)).astype(np.int32)
    values[:, 1] += 10 * values[:, 0]
    redrawn = fresh(values.reshape(-1), "int2", Draw(3, integers="redrawn")).reshape(-1, 2)
    assert {tuple(row) for row in redrawn} <= {tuple(row) for row in values} and not np.array_equal(redrawn, values)


def test_distinct_integers_such_as_places_to_write_to_never_repeat() -> None:
    values = np.random.default_rng(1).permutation(500).astype(np.int32)
    redrawn = fresh(values, "int", Draw(3, integers="redrawn"))
    assert len(set(redrawn)) == 500 and not np.array_equal(redrawn, values)


def test_three_seeds_keep_redraw_and_permute_the_integers() -> None:
    assert [draw.integers for draw in fresh_draws((1, 2, 3))] == ["kept", "redrawn", "permuted"]


def test_sorted_integers_such_as_row_offsets_are_kept() -> None:
    values = np.array([0, 3, 3, 7, 12], np.int32)
    assert np.array_equal(fresh(values, "int"), values)


@pytest.mark.parametrize("buffer", [{"is_poisoned": True}, {"pointers": (PointerField(0, 4, 0),)}])
def test_poisoned_buffers_and_buffers_with_pointers_are_kept(buffer: dict[str, object]) -> None:
    values = normal()
    assert np.array_equal(fresh(values, "float", **buffer), values)


def test_a_buffer_of_unknown_type_is_kept() -> None:
    values = normal()
    assert np.array_equal(fresh(values, "Particle"), values)


def test_fresh_cases_are_never_timed() -> None:
    assert fresh_values(captured(normal(), "float"), Draw(3)).origin == CaseOrigin("resampled", "n=8", 3, 1.0, 0.0)


def test_specials_are_injected_into_floats_only() -> None:
    case = with_specials(captured(normal(), "float"), 1)
    values = np.frombuffer(contents_of(case)[4], np.float32)
    assert np.isnan(values).any() and np.isinf(values).any() and case.origin.kind == "injected"
    integers = np.arange(100, dtype=np.int32)
    assert contents_of(with_specials(captured(integers, "int"), 1))[4] == integers.tobytes()


def test_huge_values_are_finite_and_a_case_of_their_own() -> None:
    case = with_huge(captured(normal(), "float"), 1)
    values = np.frombuffer(contents_of(case)[4], np.float32)
    assert np.isfinite(values).all() and values.max() > 1e38 and case.origin.kind == "huge"


def test_zeros_of_both_signs_are_a_case_of_their_own() -> None:
    case = with_signed_zeros(captured(normal(), "float"), 1)
    values = np.frombuffer(contents_of(case)[4], np.float32)
    zeros = np.signbit(values[values == 0])
    assert zeros.any() and not zeros.all() and case.origin.kind == "zeros"


def test_contents_can_be_replaced() -> None:
    case = captured(normal(4), "float")
    changed = with_contents(case, {4: bytes(16)}, ORIGIN)
    assert contents_of(changed) == {4: bytes(16)} and contents_of(case)[4] != bytes(16)


def test_what_stays_as_it_is_is_not_hashed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    own, _ = launched(LaunchConfig(Dim3(8), Dim3(128)), {"n": 4}, np.zeros(4, np.float32), np.ones(4, np.float32))
    zeros, other = bytes(16), bytes(range(16))
    names = {blob_name(zeros), blob_name(other)}
    hashed: list[bytes] = []
    sha256 = hashlib.sha256

    def noted(data: bytes) -> object:
        hashed.append(data)
        return sha256(data)

    monkeypatch.setattr(hashlib, "sha256", noted)
    made = with_contents(own, {0: zeros, 1: other}, own.origin)
    assert hashed == [other] and contents_of(made) == {0: zeros, 1: other}
    assert made.blobs.keys() == names == {state.before for state in made.recording.launches[0].buffers}


def test_a_widened_case_holds_doubles() -> None:
    values = normal(10)
    case = widened(captured(values, "float"), ((pointer_parameter("float"),),))
    assert isinstance(case, NewCase)
    assert case.recording.buffers[0].size_bytes == 80 and case.recording.buffers[0].element_type == "double"
    assert np.array_equal(np.frombuffer(contents_of(case)[4], np.float64), values.astype(np.float64))


def test_a_struct_argument_cannot_be_widened() -> None:
    case = captured(normal(10), "float")
    by_value = Parameter("s", "Config", Span(0, 0), False, False, False, None)
    assert isinstance(widened(case, ((by_value,),)), CannotWiden)


def test_structs_get_fresh_values_member_by_member() -> None:
    struct = np.dtype([("x", "<f4"), ("alive", "<i4")])
    values = np.zeros(1000, struct)
    values["x"], values["alive"] = normal(), np.arange(1000) % 7
    parts = [Member(name, kind, 1, offset) for name, kind, offset in (("x", FLOAT, 0), ("alive", INT, 4))]
    made = fresh_values(captured(values, "P"), Draw(3), {4: ElementLayout("P", 8, tuple(parts))})
    new = np.frombuffer(contents_of(made)[4], struct)
    assert not np.array_equal(new["x"], values["x"]) and np.abs(new["x"]).max() <= np.abs(values["x"]).max()
    assert set(new["alive"]) <= set(range(7))
