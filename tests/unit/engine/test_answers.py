"""The last line and the exit code of compare and check: what counts as no, and one count of the same things."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.engine.judge.comparing import compare_ending
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Problem
from assistant.model.verification import Outcome, Verification
from assistant.profile.problems import causes, errors_among, listed, problems_in_words


def predicted(ratio: float, high: float | None = None) -> Comparison:
    low = None if high is None else ratio * ratio / high
    return Comparison(SpeedOutcome.PREDICTED, ratio, low, high, None, "", (), "model")


def passed() -> Verification:
    return Verification(Outcome.PASS, (), (), (), "kernel", (), ())


@pytest.mark.parametrize(
    ("speed", "code", "strict_code"),
    [
        (predicted(1.2), 0, 0),
        (predicted(0.997), 0, 0),
        (predicted(0.99), 0, 1),
        (predicted(0.92), 0, 1),
        (predicted(0.90), 1, 1),
        (predicted(0.97, high=0.98), 1, 1),
        (predicted(0.8, high=1.1), 0, 1),
    ],
)
def test_a_prediction_answers_no_only_where_the_model_cannot_miss_by_as_much(speed: Comparison, code: int, strict_code: int) -> None:
    assert compare_ending([(passed(), speed)], is_strict=False).exit_code == code
    assert compare_ending([(passed(), speed)], is_strict=True).exit_code == strict_code


def problem(kind: str) -> Problem:
    return Problem(kind, kind, "k.cu", 3, None, None, None, None, None, 1)


def test_a_race_explains_what_else_is_unordered_between_its_two_lines() -> None:
    """``h[b] += 1``: within the warp, between warps and, where both write the same, between blocks."""
    race = replace(problem("global_race"), other_file="k.cu", other_line=7)
    lanes, possible = replace(race, kind="missing_syncwarp"), replace(race, kind="possible_global_race")
    found = (lanes, replace(lanes, line=7, other_line=3), race, possible)
    assert causes(found) == listed(found) == (race,)
    elsewhere = tuple(replace(each, other_line=8) for each in found if each is not race)
    assert causes((race, *elsewhere)) == (race, *elsewhere)
    assert causes(found[:2]) == found[:2], "lanes alone"


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ((), "no problem found"),
        (("shared_race",), "1 problem"),
        (("shared_race", "out_of_bounds"), "2 problems"),
        (("shared_race", "possible_global_race"), "2 problems, 1 of them a warning"),
        (("host_pointer", "possible_global_race"), "2 problems, only warnings"),
    ],
)
def test_problems_are_counted_once_and_warnings_separately(kinds: tuple[str, ...], words: str) -> None:
    problems = [problem(kind) for kind in kinds]
    assert problems_in_words(problems) == words
    assert [p.kind for p in errors_among(problems)] == [kind for kind in kinds if kind in ("shared_race", "out_of_bounds")]


def test_what_has_one_cause_is_one_problem() -> None:
    lanes, race = problem("missing_syncwarp"), problem("shared_race")
    first = (lanes, replace(lanes, line=9), race, replace(race, other_line=8))
    assert listed(first) == (lanes, race), "lanes in step are one in a kernel, the same words at one place are one"
    assert listed(first, (replace(lanes, line=20), race)) == (lanes, race, replace(lanes, line=20)), "a function that both kernels call"
