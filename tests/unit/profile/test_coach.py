"""What is left to be gained, and where to look instead."""

from __future__ import annotations

import pytest

from assistant.profile.coach import MeasuredShape, advice, most_left_ratio, most_program_ratio


def standing(light: float | None, share: float | None = None, busiest: tuple[str, float] | None = None) -> MeasuredShape:
    return MeasuredShape("k", 31e-6, light, None if light is None else "dram", share, busiest)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (standing(0.93), "at 93 % of what DRAM allows: at most 1.08x is left; stop here"),
        (standing(0.25), "at 25 % of what DRAM allows: at most 4.00x is left; there is something to gain here"),
        (
            standing(0.25, 0.04, ("gemm", 0.9)),
            "at 25 % of what DRAM allows: at most 4.00x is left; 4 % of the program's GPU time: at most 1.04x of it can be gained here; "
            "look at gemm, which takes 90 %",
        ),
        (standing(None, 0.4), "40 % of the program's GPU time: at most 1.67x of it can be gained here; there is something to gain here"),
        (standing(None), None),
        (standing(None, 1.0), None),
    ],
)
def test_advice_names_the_bound_and_the_next_step(found: MeasuredShape, told: str | None) -> None:
    assert advice(found) == told


def test_the_bounds_are_the_inverse_of_the_light_and_amdahls_law() -> None:
    found = standing(0.5, 0.75)
    assert most_left_ratio(found) == 2.0
    assert most_program_ratio(found) == 4.0
    assert most_program_ratio(standing(0.5, 1.0)) is None
