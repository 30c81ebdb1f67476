"""The magic's line: names, shapes, and expressions of the notebook's own variables."""

import re

import numpy as np
import pytest

from assistant.errors import UsageError
from assistant.model.launch import Dim3, LaunchConfig
from jupyter_ext.options import LaunchOptions, pairs_of, shapes_of, unquoted, values_of, without_accept
from tests.unit.live.test_binding import SCALE


def check(grid: str | None, block: str | None, **values: object) -> LaunchConfig:
    return LaunchOptions(grid, block, None, {"width": 32}).config(values, {})


def test_arguments_are_split_at_commas_outside_of_brackets_and_strings() -> None:
    assert pairs_of("x=f(a, b), name='a,b', n=3", "--args") == {"x": "f(a, b)", "name": "'a,b'", "n": "3"}
    with pytest.raises(UsageError, match="expected name=value, got 'x'"):
        pairs_of("x", "--args")


def test_shapes_are_sets_of_numbers() -> None:
    assert shapes_of("n=1000,m=5; n=4096,m=7") == ({"n": 1000, "m": 5}, {"n": 4096, "m": 7})
    with pytest.raises(UsageError, match="values are numbers"):
        shapes_of("n=size()")


def test_variables_of_a_parameters_name_need_not_be_given() -> None:
    assert values_of(SCALE.parameters, {"n": "size + 1"}, {"x": 1, "size": 3, "other": 5}, {}) == {"n": 4, "x": 1}
    assert values_of(SCALE.parameters, {}, {"n": 3}, {"n": 7}) == {"n": 7}


def test_a_grid_is_worked_out_for_the_arguments_of_each_launch() -> None:
    assert check("(n+255)//256", "256", n=1000) == LaunchConfig(Dim3(4), Dim3(256), 0)
    assert check("(n//width, 2)", "(width, 8)", n=64) == LaunchConfig(Dim3(2, 2), Dim3(32, 8), 0)
    assert check("n//block", "width", n=64).grid == Dim3(64 // 32)
    assert check("n//width", "width", n=np.int64(64)).grid == Dim3(2)


def test_what_a_call_says_stands_above_the_line() -> None:
    assert LaunchOptions("1", "32", None, {}).config({}, {"block": 64}).block == Dim3(64)


@pytest.mark.parametrize(
    ("grid", "block", "told"),
    [
        (None, "32", "grid: the launch has no grid"),
        ("0", "32", "grid: expected one to three positive whole numbers, got 0"),
        ("1.5", "32", "got 1.5"),
        ("2**32+1", "32", "got 4294967297"),
        ("m", "32", "--grid=m: NameError"),
        ("1", "(1,2,3,4)", "block: expected one to three"),
        ("1", "(64,32)", "block: expected at most 1024 threads, got (64, 32)"),
    ],
)
def test_a_launch_that_cannot_be_is_reported(grid: str | None, block: str | None, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        check(grid, block)


def test_a_cell_that_took_a_proposal_does_not_take_it_again() -> None:
    body = "\n__global__ void k() {} // --accept P2"
    assert without_accept(f"%%kernelopt k --accept P1 --grid 1{body}") == f"%%kernelopt k --grid 1{body}"
    assert without_accept(f"%%kernelopt --accept=P1{body}") == f"%%kernelopt{body}"


def test_quotes_around_a_value_are_not_part_of_it() -> None:
    assert unquoted('"a b"') == "a b" and unquoted("'x'") == "x" and unquoted("a'") == "a'" and unquoted(None) is None
