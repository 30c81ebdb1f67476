"""In what the edited kernels of a program compute, by what their launches write."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.traces import least_roundoff
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.source import Source
from assistant.source.parse import parse
from assistant.verify.tolerance import FLOAT_ROUNDOFF

PARSED = parse(Source(Path("/k.cu"), "__global__ void map(float *x) {}\n__global__ void add(double *sum, const float *x) {}\n"))
CONFIG = LaunchConfig(Dim3(1), Dim3(32), 0)
FLOATS, DOUBLES = 0, 1


def recording(*kernels: str) -> Recording:
    """Launches of which ``map`` writes the floats and ``add`` the doubles."""
    buffers = (
        RecordedBuffer(FLOATS, 64, 0, None, "device", element_type="float"),
        RecordedBuffer(DOUBLES, 64, 0, None, "device", element_type="double"),
    )
    written = {"map(float*)": FLOATS, "add(double*, float const*)": DOUBLES}
    launches = tuple(
        RecordedLaunch(i, name, CONFIG, (), tuple(BufferState(b, "a", "b" if b == written[name] else "a") for b in (0, 1)), "k.cu", 1)
        for i, name in enumerate(kernels)
    )
    return Recording(buffers, launches, (), ())


@pytest.mark.parametrize(("edited", "least"), [((0,), FLOAT_ROUNDOFF), ((1,), 0.0), ((0, 1), FLOAT_ROUNDOFF), ((), FLOAT_ROUNDOFF)])
def test_floats_count_that_an_edited_kernel_writes(edited: tuple[int, ...], least: float) -> None:
    keys = frozenset(PARSED.kernels[i].key for i in edited)
    assert least_roundoff(recording("map(float*)", "add(double*, float const*)"), PARSED, keys) == least
