"""Values of declared arguments: numbers, generators, structs, shared buffers, and the code of what cannot be read."""

from __future__ import annotations

import pytest

from assistant.model.workload import DeclaredArgument, Generator
from assistant.workload.values import ValueProblem, ValueProblemCode, parse_value


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([1, 2], ValueProblemCode.NO_VALUE),
        (float("nan"), ValueProblemCode.NO_VALUE),
        ("random(n)", ValueProblemCode.UNKNOWN_GENERATOR),
        ("randint(0, n)", ValueProblemCode.ARGUMENT_COUNT),
        ("zeros()", ValueProblemCode.ARGUMENT_COUNT),
        ({"n": [1]}, ValueProblemCode.FIELD_VALUE),
        ({}, ValueProblemCode.NO_FIELDS),
    ],
)
def test_a_value_that_cannot_be_read_has_a_code(value: object, code: ValueProblemCode) -> None:
    problem = parse_value("x", value, {})
    assert isinstance(problem, ValueProblem)
    assert problem.code is code


def test_an_unknown_generator_suggests_the_nearest() -> None:
    problem = parse_value("x", "rndn(n)", {})
    assert isinstance(problem, ValueProblem)
    assert problem.message == "x: unknown generator 'rndn', did you mean 'randn'?"


def test_the_name_of_a_buffer_shares_it() -> None:
    buffer = DeclaredArgument("x", Generator.RANDN, "n", (), ())
    shared = parse_value("y", " x ", {"x": buffer})
    assert isinstance(shared, DeclaredArgument)
    assert (shared.name, shared.buffer, shared.generator, shared.count) == ("y", "x", Generator.RANDN, "n")
