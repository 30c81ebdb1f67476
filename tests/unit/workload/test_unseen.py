"""Values of kinds that the program never had: made where they were missing, left alone where the program has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.structs import ElementLayout, Member
from assistant.model.workload import CaseOrigin
from assistant.workload.derive import changed, contents_of, fresh_values
from assistant.workload.draws import Draw
from assistant.workload.recordings import NewCase, blob_name
from assistant.workload.resample import tied
from assistant.workload.unseen import TELLING_KINDS, changed_buffers, with_unseen

NAMES = {
    "int32": "int",
    "uint8": "unsigned char",
    "uint32": "unsigned int",
    "int8": "signed char",
    "int16": "short",
    "float32": "float",
    "float64": "double",
    "float16": "half",
    "int64": "long long",
    "uint64": "unsigned long long",
}
RANDOM, OTHER = np.random.default_rng(1), np.random.default_rng(2)


def holding(*buffers: np.ndarray) -> NewCase:
    data = [values.tobytes() for values in buffers]
    recorded = tuple(
        RecordedBuffer(i, values.nbytes, i << 40, None, "device", (), NAMES[str(values.dtype)]) for i, values in enumerate(buffers)
    )
    states = tuple(BufferState(index, blob_name(content), None) for index, content in enumerate(data))
    launch = RecordedLaunch(0, "k", LaunchConfig(Dim3(1), Dim3(32)), (), states, "k.cu", 1)
    blobs = {blob_name(content): content for content in data}
    return NewCase(Recording(recorded, (launch,), (), ()), blobs, (0,), CaseOrigin("recorded", "n=8", 0, 1.0, 1.0))


def made(kind: str, values: np.ndarray) -> np.ndarray | None:
    case = with_unseen(holding(values), kind, 7)
    return None if case is None else np.frombuffer(contents_of(case)[0], values.dtype).astype(np.float64)


def test_integers_that_were_never_negative_become_negative() -> None:
    after = made("negative", np.array([3, 0, 8, 1, 250], np.int32))
    assert after is not None and after.tolist() == [-3, -1, -8, -1, -250]


@pytest.mark.parametrize("values", [np.array([3, -1, 8], np.int32), np.array([3, 1, 8], np.uint8), np.zeros(4, np.int32)])
def test_negative_unsigned_and_empty_buffers_get_no_negative_values(values: np.ndarray) -> None:
    assert made("negative", values) is None


@pytest.mark.parametrize("dtype", [np.int32, np.int16, np.uint8])
def test_large_integers_reach_the_limits_of_their_type(dtype: type[np.integer]) -> None:
    limit = np.iinfo(dtype).max
    after = made("large", RANDOM.integers(1, 20, 500).astype(dtype))
    assert after is not None and limit / 2 < after.max() <= limit and after.min() >= 0
    assert made("large", np.array([1, limit], dtype)) is None


def test_large_bytes_are_often_black_or_white() -> None:
    levels, signed = (
        made("large", values) for values in (RANDOM.integers(96, 140, 1000).astype(np.uint8), RANDOM.integers(-9, 9, 1000).astype(np.int8))
    )
    assert levels is not None and signed is not None
    assert (levels == 0).mean() > 0.2 and (levels == 255).mean() > 0.2 and np.isin(levels, (0, 255)).mean() < 0.7
    assert signed.min() == -127 and signed.max() == 127


@pytest.mark.parametrize("values", [np.full(100, 25, np.float32), np.array([27.5, 6.25], np.float32), np.arange(100, dtype=np.int32)])
def test_numbers_that_data_are_held_against_do_not_spread(values: np.ndarray) -> None:
    assert made("spread", values) is None


def test_spread_floats_keep_their_signs_and_their_order() -> None:
    mixed, rising = RANDOM.standard_normal(1000).astype(np.float32), np.linspace(1, 9, 100).astype(np.float32)
    after, sorted_after = made("spread", mixed), made("spread", rising)
    assert after is not None and sorted_after is not None
    assert (np.sign(after) == np.sign(mixed)).all() and np.abs(after).max() > 2 * np.abs(mixed).max()
    assert (np.diff(sorted_after) >= 0).all()


def test_sorted_integers_stay_sorted_and_different() -> None:
    after = made("large", np.arange(0, 300, 3, dtype=np.int32))
    assert after is not None and (np.diff(after) > 0).all()


def test_a_sorted_table_with_an_unused_tail_stays_sorted() -> None:
    table = np.concatenate([np.cumsum(RANDOM.uniform(0.1, 1, 180)), np.zeros(332)]).astype(np.float32)
    case = holding(table)
    drawn = [fresh_values(case, draw) for draw in (Draw(3), Draw(3, zeros="filled"), Draw(3, zeros="gone"))]
    drawn += [made for kind in TELLING_KINDS if (made := with_unseen(case, kind, 3)) is not None]
    for made in drawn:
        values = np.frombuffer(contents_of(made)[0], np.float32)
        assert (np.diff(values[:180]) > 0).all(), made.origin.kind
        assert made.origin.kind == "unpadded" or not values[180:].any()
    assert not changed_buffers(case, changed(case, tied, replace(case.origin, kind="tied", seed=3)))


def test_a_sorted_table_that_begins_with_zero_stays_sorted() -> None:
    case = holding(np.arange(200, dtype=np.float32) * 0.5)
    for kind in TELLING_KINDS:
        changed_case = with_unseen(case, kind, 3)
        if changed_case is not None:
            assert (np.diff(np.frombuffer(contents_of(changed_case)[0], np.float32)) >= 0).all(), kind


def test_64_bit_integers_get_few_low_halves_and_stay_different() -> None:
    values = RANDOM.permutation(np.arange(1, 500, dtype=np.int64))
    values[7] = 0
    case = with_unseen(holding(values), "high", 7)
    assert case is not None
    after = np.frombuffer(contents_of(case)[0], np.int64)
    assert after[7] == 0 and len(np.unique(after)) == len(after) and len(np.unique(after & 0xFFFFFFFF)) < 10


def test_all_ones_stay_as_they_say_that_a_place_is_empty() -> None:
    values = RANDOM.integers(1, 50, 500).astype(np.uint64)
    values[::3] = 2**64 - 1
    case = with_unseen(holding(values), "high", 7)
    assert case is not None
    after = np.frombuffer(contents_of(case)[0], np.uint64)
    assert (after[::3] == 2**64 - 1).all() and (after[1::3] < 2**63).all()


def test_narrower_integers_have_no_high_halves() -> None:
    assert made("high", RANDOM.integers(1, 50, 500).astype(np.int32)) is None


def test_rare_symbols_come_in_runs() -> None:
    symbols = np.where(np.arange(40000) % 500 == 7, 20, OTHER.integers(0, 20, 40000)).astype(np.uint8)
    after = made("runs", symbols)
    assert after is not None and after.size == 40000 and set(after) <= set(symbols.tolist())
    ends = np.flatnonzero(np.diff(after)) + 1
    assert np.diff(ends).min() >= 8 and (after == 20).sum() > 500


@pytest.mark.parametrize("kind", ["dense", "redrawn", "permuted", "high", "runs", "same"])
def test_what_structs_say_of_their_integers_stays_true(kind: str) -> None:
    """Two sets of bits that exclude each other."""
    mine = OTHER.integers(0, 1 << 32, 500).astype(np.uint64) * (np.arange(500) % 7 > 0)
    boards = np.stack([mine, OTHER.integers(0, 1 << 32, 500).astype(np.uint64) & ~mine], axis=1)
    unsigned = parse_element_type("unsigned long long")
    assert unsigned is not None
    layout = ElementLayout("Board", 16, (Member("me", unsigned, 1, 0), Member("other", unsigned, 1, 8)))
    whole = holding(boards.reshape(-1))
    case = replace(whole, recording=replace(whole.recording, buffers=(replace(whole.recording.buffers[0], element_type="Board"),)))
    draws = {"dense": Draw(3, integers="redrawn", zeros="filled"), "redrawn": Draw(3, integers="redrawn"), "permuted": Draw(3)}
    made = fresh_values(case, draws[kind], {0: layout}) if kind in draws else with_unseen(case, kind, 3, {0: layout})
    if made is None:
        assert kind in ("high", "runs")  # more than one member of 64 bits; too many different ones
        return
    after = np.frombuffer(contents_of(made)[0], np.uint64).reshape(-1, 2)
    assert (after != boards).any() and not (after[:, 0] & after[:, 1]).any()


def test_one_value_stands_everywhere() -> None:
    after = made("same", OTHER.integers(0, 50, 500).astype(np.int32))
    assert after is not None and np.unique(after).size == 1 and after[0] > 0


@pytest.mark.parametrize("kind", ["runs", "same"])
@pytest.mark.parametrize("values", [np.arange(500), np.full(500, 3), np.array([3, 1, 3, 2]), OTHER.permutation(500)])
def test_sorted_different_and_few_integers_are_no_symbols(kind: str, values: np.ndarray) -> None:
    assert made(kind, values.astype(np.int32)) is None


def test_only_the_chosen_buffer_changes() -> None:
    case = holding(np.arange(1, 9, dtype=np.int32), np.array([2, 1, 2], np.int32))
    changed = with_unseen(case, "negative", 7, chosen=frozenset({1}))
    assert changed is not None and changed_buffers(case, changed) == (1,)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("kind", TELLING_KINDS)
def test_floats_that_show_mistakes_are_finite_and_leave_zeros_alone(kind: str, dtype: type[np.floating]) -> None:
    values = RANDOM.standard_normal(400).astype(dtype)
    values[::5] = 0
    after = made(kind, values)
    assert after is not None and np.isfinite(after).all() and (after[::5] == 0).all()


def test_each_kind_is_what_its_name_says() -> None:
    values = (5 * np.random.default_rng(7).standard_normal(400)).astype(np.float32)
    found = {kind: made(kind, values) for kind in TELLING_KINDS}
    below, tiny, near, offset, raised, halves, denormal, far, extreme = (found[kind] for kind in TELLING_KINDS)
    assert below is not None and (below == -np.abs(values.astype(np.float64))).all() and made("below", -np.abs(values)) is None
    assert tiny is not None and np.abs(tiny).max() < 1e-3 and (np.float32(1) + (tiny**2).astype(np.float32) == 1).all()
    assert near is not None and np.abs(near - 1).max() < 0.01
    assert offset is not None and offset.std() < 0.01 * abs(offset.mean())
    assert raised is not None and raised.std() == pytest.approx(values.std(), rel=0.01) and raised.mean() > 500 * values.std()
    assert halves is not None and (halves > 0).any() and (halves < 0).any() and (halves * 16 % 8 == 0).any()
    assert denormal is not None and ((denormal != 0) & (np.abs(denormal) < 2.0**-126)).any()
    assert far is not None and np.abs(far).max() > 1e4
    assert extreme is not None and (extreme**2 > np.finfo(np.float32).max).all()


def test_integers_of_the_whole_range_also_come_as_zeros_and_limits_in_a_row() -> None:
    limbs = RANDOM.integers(0, 1 << 32, 4000, dtype=np.uint64).astype(np.uint32)
    after = made("limits", limbs)
    assert after is not None
    is_limit = after == 0xFFFFFFFF
    assert (is_limit[:-2] & is_limit[1:-1] & is_limit[2:]).sum() > 100 and (after == 0).sum() > 100
    assert made("limits", limbs // 1000) is None, "smaller ones say nothing of the limit"


def test_integers_that_were_never_zero_are_zero_here_and_there() -> None:
    tokens = RANDOM.integers(1, 1500, 4000).astype(np.int64)
    after = made("zeroed", tokens)
    assert after is not None and 0.05 < (after == 0).mean() < 0.3 and (after[after != 0] == tokens[after != 0]).all()
    assert made("zeroed", np.arange(1, 401, dtype=np.int32)) is None and made("zeroed", tokens % 3) is None


@pytest.mark.parametrize("kind", ["large", "limits"])
def test_the_limit_is_no_value_where_it_fills_a_table(kind: str) -> None:
    keys = RANDOM.integers(0, 1 << 32 if kind == "limits" else 50000, 4000, dtype=np.uint64).astype(np.uint32)
    for table, largest in ((np.zeros(4096, np.uint32), 0xFFFFFFFF), (np.full(4096, 0xFFFFFFFF, np.uint32), 0xFFFFFFFE)):
        case = with_unseen(holding(keys, table), kind, 7)
        assert case is not None and np.frombuffer(contents_of(case)[0], np.uint32).max() == largest
