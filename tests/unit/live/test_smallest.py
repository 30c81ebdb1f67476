"""The smallest arguments on which something still fails, found by asking again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.live.faults import OutOfBounds
from assistant.model.profile import Problem
from kernelopt.results import CheckResult
from kernelopt.smallest import smallest


def problem(kind: str = "differs_from_reference", line: int = 4) -> Problem:
    return Problem(kind, "", "k.cu", line, None, None, None, None, None, 1)


class Failing:
    """Fails where ``fails`` says so of the arguments, in that way."""

    def __init__(self, fails: Callable[..., Problem | None]) -> None:
        self._fails = fails
        self.asked: list[dict[str, object]] = []
        self.parameters: tuple[str, ...] = ()

    def __call__(self, *arguments: object) -> None:
        """Calls show nothing."""

    def check(self, arguments: Mapping[str, object], ref: Callable[..., object] | None = None) -> CheckResult:
        self.asked.append(dict(arguments))
        found = self._fails(**arguments)
        return CheckResult(() if found is None else (found,), True, "")


class Calling(Failing):
    """Its calls on more than 32 values are out of bounds; what a check of it would show is not asked for."""

    def __init__(self) -> None:
        super().__init__(lambda **_: None)
        self.parameters = ("x", "n")

    def __call__(self, *arguments: object) -> None:
        x, n = arguments
        assert isinstance(n, int) and np.shape(x) == (n,)
        if n > 32:
            raise OutOfBounds(problem("out_of_bounds"), "x", ())


def reduced(fails: Callable[..., Problem | None], **arguments: object) -> dict[str, Any]:
    return smallest(Failing(fails), arguments, None, problem(), most_s=300.0).arguments


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape, dtype=np.float32)


def test_sizes_that_multiply_are_made_smaller_one_after_the_other() -> None:
    found = reduced(
        lambda x, out, rows, n: problem() if rows and n > 16 else None, x=random(5, 40), out=np.zeros(5, np.float32), rows=5, n=40
    )
    assert (found["rows"], found["n"]) == (1, 17)
    assert (found["x"].shape, found["out"].shape) == ((1, 17), (1,))


def test_flat_arrays_keep_their_first_elements_and_the_sizes_type() -> None:
    flat = random(12 * 50)
    found = reduced(lambda x, rows, n: problem() if rows > 4 and x[0] == flat[0] else None, x=flat, rows=np.int32(12), n=50)
    assert (found["rows"], found["n"]) == (5, 1) and isinstance(found["rows"], np.int32)
    assert found["x"].tolist() == flat[:5].tolist()


def test_a_size_between_two_that_are_usual_is_found() -> None:
    found = reduced(lambda x, n: problem() if n >= 700 else None, x=random(5000), n=5000)
    assert found["n"] == 700


def test_a_size_that_a_block_must_not_reach_is_found_in_a_few_checks() -> None:
    """A check with a reference takes a second, and 30 s are all that a failing test may take."""
    failing = Failing(lambda x, n: problem() if n > 128 else None)
    assert smallest(failing, {"x": random(300), "n": 300}, None, problem(), most_s=300.0).arguments["n"] == 129
    assert [asked["n"] for asked in failing.asked].index(129) < 20


def test_values_become_plain_where_these_fail_as_well() -> None:
    counted = reduced(lambda x, n: problem() if n > 1 else None, x=random(4, 2), n=2)
    assert counted["x"].tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]
    ones = reduced(lambda x, scale: problem() if (x != 2).all() else None, x=random(4), scale=2.0)
    assert ones["x"].tolist() == [1.0] * 4
    own = random(4)
    kept = reduced(lambda x: problem() if x[0] == own[0] else None, x=own)
    assert kept["x"].tolist() == own.tolist()


def test_whole_numbers_stay_as_places() -> None:
    places = np.array([3, 0, 1, 2], np.int32)
    found = reduced(lambda at, x: problem() if len(set(at.tolist())) == 4 else None, at=places, x=random(4))
    assert found["at"].tolist() == [3, 0, 1, 2]


def test_another_defect_is_not_taken_for_it() -> None:
    def fails(x: np.ndarray, n: int) -> Problem:
        return problem() if n > 100 else problem("out_of_bounds")

    assert reduced(fails, x=random(640), n=640)["n"] == 101
    assert reduced(lambda x, n: problem(line=4 if n > 8 else 9), x=random(640), n=640)["n"] == 9


def test_a_reference_that_does_not_like_a_size_is_no_failure() -> None:
    def fails(x: np.ndarray, n: int) -> Problem:
        if n < 33:
            raise ValueError("cannot reshape")
        return problem()

    assert reduced(fails, x=random(640), n=640)["n"] == 33


def test_a_defect_that_a_call_shows_is_looked_for_by_calls() -> None:
    launch = Calling()
    found = smallest(launch, {"x": random(640), "n": 640}, None, problem("out_of_bounds"), most_s=300.0)
    assert (found.arguments["n"], found.is_smallest, launch.asked) == (33, True, [])


def test_it_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr("kernelopt.smallest.time", SimpleNamespace(monotonic=lambda: now_s))

    def slow(x: np.ndarray, n: int) -> Problem:
        nonlocal now_s
        now_s += 0.02
        return problem()

    failing = Failing(slow)
    assert not smallest(failing, {"x": random(640), "n": 640}, None, problem(), most_s=0.01).is_smallest
    assert len(failing.asked) == 1
