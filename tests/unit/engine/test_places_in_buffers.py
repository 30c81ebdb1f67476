"""Where in a buffer a finding says that it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.baseline import buffer_facts
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import PointerField
from assistant.verify.evidence import BufferFacts
from tests.unit.workload.launches import launched, parameter

VALUES = np.zeros(64, dtype=np.float32)


def facts(*offsets: int) -> BufferFacts:
    """Of an allocation that a launch's pointers ``y``, ``x``, … lead into, so many bytes behind its start."""
    new, _ = launched(LaunchConfig(Dim3(1), Dim3(32)), {}, VALUES)
    (launch,) = new.recording.launches
    (argument,) = launch.arguments
    arguments = tuple(replace(argument, pointers=(PointerField(0, 0, offset),)) for offset in offsets)
    new = replace(new, recording=replace(new.recording, launches=(replace(launch, arguments=arguments),)))
    parameters = tuple(parameter("yxz"[index], "float *") for index in range(len(offsets)))
    (found,) = buffer_facts(JudgedCase(new, "k(float *)", (parameters,), ((0, "y"),), frozenset(), 0), "")
    return found


@pytest.mark.parametrize(
    ("offsets", "places"),
    [
        ((128, 0), ("x[5]", "x[31]", "y[0]", "y[7]")),
        ((0,), ("y[5]", "y[31]", "y[32]", "y[39]")),
        ((0, 0), ("y[5]", "y[31]", "y[32]", "y[39]")),
        ((0, 128, 128), ("y[5]", "y[31]", "x[0]", "x[7]")),
    ],
)
def test_a_place_is_counted_from_where_its_array_begins(offsets: tuple[int, ...], places: tuple[str, ...]) -> None:
    """PyTorch takes memory in segments, in which several tensors lie."""
    assert tuple(facts(*offsets).place(index) for index in (5, 31, 32, 39)) == places
