"""Making and reading values raises no arithmetic warning of NumPy, whatever the buffers hold."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.model.elements import parse_element_type
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.workload import CaseOrigin
from assistant.workload.arrays import decode, doubles, encode, largest_finite
from assistant.workload.derive import contents_of, fresh_values
from assistant.workload.draws import Draw
from assistant.workload.recordings import NewCase, blob_name
from assistant.workload.specials import with_specials

pytestmark = pytest.mark.filterwarnings("error")

SIGNALLING = {
    "half": np.tile(np.array([0x7C01, 0xFC01, 0x7BFF, 0x3C00], "<u2"), 50).tobytes(),
    "bfloat16": np.tile(np.array([0x7F81, 0xFF81, 0x7F7F, 0x3F80], "<u2"), 50).tobytes(),
    "float": np.tile(np.array([0x7F800001, 0xFF800001, 0x7F7FFFFF, 0x3F800000], "<u4"), 50).tobytes(),
    "double": np.tile(np.array([0x7FF0000000000001, 0xFFF0000000000001, 0x7FEFFFFFFFFFFFFF, 0x3FF0000000000000], "<u8"), 50).tobytes(),
}


def one_buffer(data: bytes, element: str) -> NewCase:
    buffer = RecordedBuffer(0, len(data), 1 << 40, None, "device", element)
    launch = RecordedLaunch(0, "k()", LaunchConfig(Dim3(1), Dim3(1)), (), (BufferState(0, blob_name(data), None),), "k.cu", 1)
    return NewCase(Recording((buffer,), (launch,), (), ()), {blob_name(data): data}, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0))


@pytest.mark.parametrize("element", SIGNALLING)
@pytest.mark.parametrize("scale", [0.125, 8.0])
def test_fresh_values_of_signalling_nans_and_the_largest_number_are_quiet(element: str, scale: float) -> None:
    data, kind = SIGNALLING[element], parse_element_type(element)
    assert kind is not None
    fresh = doubles(contents_of(fresh_values(one_buffer(data, element), Draw(3, scale)))[0], kind)
    assert list(np.isnan(fresh[:4])) == [True, True, False, False]
    assert float(np.nanmax(np.abs(fresh))) <= largest_finite(kind)
    with_specials(one_buffer(data, element), 3)


def test_values_between_the_ends_of_the_range_stay_numbers() -> None:
    data = np.linspace(-1, 1, 200)[1:-1] * 1.79e308
    fresh = contents_of(fresh_values(one_buffer(data.tobytes(), "double"), Draw(5, 1.0)))[0]
    assert np.isfinite(np.frombuffer(fresh, "<f8")).all()


@pytest.mark.parametrize("element", ["half", "bfloat16", "float", "int", "unsigned char"])
def test_values_that_the_type_cannot_hold_are_stored_quietly(element: str) -> None:
    kind = parse_element_type(element)
    assert kind is not None
    assert decode(encode(np.array([1e300, -1e300, np.nan, np.inf, 1.0]), kind), kind)[4] == 1
