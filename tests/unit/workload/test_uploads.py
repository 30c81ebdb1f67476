"""Other contents for what a program uploads: what holds between them stays, and parts of an upload are found in the whole."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.structs import ElementLayout, Member
from assistant.workload.uploads import Piece, UploadedContents, counterpart, draws, other_contents, uploaded, words_of

RANDOM = np.random.default_rng(4)
MARKS: tuple[frozenset[bytes], ...] = (frozenset(), frozenset({b"\xff" * 8}))
TYPES = {"int32": "int", "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long", "float32": "float"}


def piece(values: np.ndarray, name: str = "x") -> Piece:
    return Piece(values.tobytes(), parse_element_type(TYPES[str(values.dtype)]), None, name)


def drawn(kind: str, *arrays: np.ndarray, most_places: int = 0, version: int = 0) -> list[np.ndarray]:
    given = uploaded([piece(values) for values in arrays], most_places)
    case = next(one for one in draws(given, 7) if one.kind == kind).cases[version]
    others = other_contents(given, case)
    return [np.frombuffer(others[values.tobytes()], values.dtype) for values in arrays]


def contents(given: UploadedContents, kind: str) -> list[bytes]:
    cases = (one.cases[0] for one in draws(given, 7) if one.kind == kind)
    return [data for case in cases for data in other_contents(given, case).values()]


@pytest.mark.parametrize("kind", ["large", "negative"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_keys_that_meet_and_their_order_stay(kind: str, dtype: type[np.integer]) -> None:
    table = np.sort(RANDOM.choice(50000, 900, replace=False)).astype(dtype) + 1
    wanted = RANDOM.choice(table, 300)
    after, found = drawn(kind, table, wanted)
    assert (np.searchsorted(after, found) == np.searchsorted(table, wanted)).all()
    assert (np.diff(after) > 0).all() and not np.isin(found, [-1, 0]).any()
    assert np.iinfo(dtype).max / 16 < after.max() < np.iinfo(dtype).max / 8 if kind == "large" else after.max() < 0


def test_floats_of_both_signs_are_all_negative_in_one_draw_and_close_to_zero_in_another() -> None:
    scores = np.round(RANDOM.normal(size=500), 1).astype(np.float32)
    (below,), (tiny,) = drawn("below", scores), drawn("tiny", scores)
    assert (scores == 0).any() and below.max() < 0, "one zero would be larger than all"
    assert 0 < np.abs(tiny).max() < 1e-3 and (tiny < 0).any() and (tiny > 0).any()


def test_a_mark_far_beyond_the_other_values_stays_what_it_is() -> None:
    distances = np.where(RANDOM.random(500) < 0.3, 1 << 29, RANDOM.integers(1, 900, 500)).astype(np.int32)
    assert "limit" not in [one.kind for one in draws(uploaded([piece(distances)], 0), 7)]
    (after,) = drawn("large", distances)
    assert ((after == 1 << 29) == (distances == 1 << 29)).all() and after.max() == 1 << 29 and np.unique(after).size > 100


def test_the_limit_is_no_key_where_the_program_fills_a_table_with_it() -> None:
    keys = RANDOM.choice(50000, 500, replace=False).astype(np.uint32)
    free = uploaded([piece(keys)], 0)
    assert max(np.frombuffer(data, np.uint32).max() for data in contents(free, "limit")) == 0xFFFFFFFF
    assert not contents(uploaded([piece(keys)], 0, frozenset({b"\xff" * 8})), "limit")
    wide = [piece(RANDOM.integers(0, 1 << 32, 500, dtype=np.uint64).astype(np.uint32))]
    largest = [max(np.frombuffer(data, np.uint32).max() for data in contents(uploaded(wide, 0, marks), "limits")) for marks in MARKS]
    assert largest == [0xFFFFFFFF, 0xFFFFFFFE]
    signed = [piece(keys.astype(np.int32))]
    assert contents(uploaded(signed, 0, frozenset({b"\xff" * 8})), "limit"), "-1 everywhere is no limit of an int"


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
def test_large_keys_are_often_equal_in_their_lower_halves(dtype: type[np.integer]) -> None:
    keys = RANDOM.choice(1 << 31, 1000, replace=False).astype(dtype) + dtype(1)
    (after,) = drawn("large", keys)
    assert np.unique(after).size == 1000
    assert np.unique(after.astype(np.uint64) & np.uint64(0xFFFFFFFF)).size < 700


def test_what_often_means_that_there_is_none_stays() -> None:
    values = np.array([5, 0, 17, -1, 2**31 - 1, 900, 33, 12], np.int32)
    (after,) = drawn("large", values)
    kept = [1, 3, 4]
    assert (after[kept] == values[kept]).all() and (after != values).sum() == 5


def test_the_largest_key_of_all_arrays_becomes_the_limit() -> None:
    table = RANDOM.choice(50000, 900, replace=False).astype(np.uint32) + np.uint32(1)
    wanted = np.concatenate([RANDOM.choice(table, 300), [table.max()]]).astype(np.uint32)
    after, found = drawn("limit", table, wanted)
    assert after[table.argmax()] == found[-1] == np.iinfo(np.uint32).max and (after != table).sum() == 1


def test_possible_places_stay_in_a_later_version() -> None:
    places, amounts = RANDOM.integers(0, 600, 500).astype(np.int32), RANDOM.integers(1, 9000, 500).astype(np.int32)
    for version, is_kept in ((0, False), (1, True)):
        after, other = drawn("large", places, amounts, most_places=600, version=version)
        assert (after == places).all() == is_kept and (other != amounts).all()


def test_small_amounts_that_might_be_places_become_large_alone() -> None:
    places, amounts = RANDOM.integers(0, 600, 500).astype(np.int32), RANDOM.integers(1, 250, 500).astype(np.int32)
    given = uploaded([piece(places), piece(amounts)], most_places=600)
    changed = []
    for one in list(draws(given, 7))[-2:]:
        others = other_contents(given, one.cases[0])
        changed.append([others[values.tobytes()] != values.tobytes() for values in (places, amounts)])
        assert one.kind == "large" and len(one.cases) == 1
    assert changed == [[True, False], [False, True]]


def test_few_integers_are_sizes_and_stay() -> None:
    sizes, values = np.array([640, 480, 3], np.int32), RANDOM.integers(1, 900, 500).astype(np.int32)
    after, other = drawn("large", sizes, values)
    assert (after == sizes).all() and (other != values).any()


def test_resampled_values_are_of_the_programs_own_range() -> None:
    values = RANDOM.uniform(2, 5, 1000).astype(np.float32)
    (after,) = drawn("resampled", values)
    assert (after != values).mean() > 0.9 and after.min() >= 2 and after.max() <= 5


def test_members_that_are_zero_everywhere_are_filled_and_the_words_name_members() -> None:
    rows = np.zeros((100, 2), np.float32)
    rows[:, 0] = RANDOM.uniform(1, 2, 100)
    element = parse_element_type("float")
    assert element is not None
    layout = ElementLayout("P", 8, (Member("x", element, 1, 0), Member("z", element, 1, 4)))
    given = uploaded((Piece(rows.tobytes(), None, layout, "ps"),), 0)
    case = next(one for one in draws(given, 7) if one.kind == "negative").cases[0]
    after = np.frombuffer(other_contents(given, case)[rows.tobytes()], np.float32).reshape(100, 2)
    assert after[:, 1].any() and "ps.z from" in words_of(given, case)


WHOLE, OTHER = b"abcdefgh", b"ABCDEFGH"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (WHOLE, OTHER),
        (b"cdef", b"CDEF"),
        (b"abcdefgh1234", b"ABCDEFGH!?!?"),
        (b"\0\0\0\0", b"\0\0\0\0"),
        (b"abcX", None),
        (b"12", b"!?"),
    ],
)
def test_parts_and_rows_of_uploads_are_found(data: bytes, expected: bytes | None) -> None:
    assert counterpart(data, {WHOLE: OTHER, b"1234": b"!?!?"}) == expected


def test_a_part_that_stands_in_two_places_has_no_counterpart_unless_they_agree() -> None:
    assert counterpart(b"ab", {b"abab": b"ABCD"}) is None
    assert counterpart(b"ab", {b"abab": b"XYXY"}) == b"XY"
