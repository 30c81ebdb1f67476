"""A kernel that reads data is also passed other floating numbers: of the same kind, each by another ratio, and on fresh data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.values import base_of, other_values
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import RecordedArgument
from assistant.workload.derive import contents_of
from assistant.workload.scalars import numbers_of
from tests.unit.workload.launches import launched, parameter

DATA = np.random.default_rng(1).uniform(1, 2, 1000).astype(np.float32)


def retuned(passed: dict[str, float], is_declared: bool = False) -> list[JudgedCase]:
    """The cases of that kind of a launch that is passed these floats."""
    new, parameters = launched(LaunchConfig(Dim3(8), Dim3(128)), {"n": 1000}, DATA)
    launch = new.recording.launches[0]
    arguments = (RecordedArgument(4, np.float32(value).tobytes().hex(), ()) for value in passed.values())
    launch = replace(launch, arguments=(*launch.arguments, *arguments))
    parameters = (*parameters, *(parameter(name, "float") for name in passed))
    own = JudgedCase(replace(new, recording=replace(new.recording, launches=(launch,))), "k", (parameters,), ((0, "x"),), frozenset(), 0)
    made = other_values(base_of(own, "", (1, 2, 3)), is_declared)
    return [case for case in made if case.new.origin.kind == "retuned"]


def test_floats_are_passed_a_part_or_a_multiple_of_themselves_and_the_case_says_what_they_are() -> None:
    (case,) = retuned({"w": 0.2, "shift": -8.0, "nothing": 0.0})
    values = numbers_of(case.new.recording.launches[0], case.parameters[0], lambda name: None)
    assert values["n"] == 1000 and values["nothing"] == 0.0
    ratios = [values["w"] / 0.2, values["shift"] / -8.0]
    assert ratios[0] != ratios[1] and all(0.49 < ratio < 0.81 or 1.24 < ratio < 2.01 for ratio in ratios)
    assert case.new.origin.values == f"w={values['w']:.4g} and shift={values['shift']:.4g}"
    assert (np.frombuffer(contents_of(case.new)[0], np.float32) != DATA).mean() > 0.9


def test_a_launch_that_is_passed_no_floats_but_zeros_has_no_such_case() -> None:
    assert retuned({}) == retuned({"beta": 0.0}) == []


def test_a_declared_workload_says_itself_what_is_passed() -> None:
    assert retuned({"w": 0.2}, is_declared=True) == []
