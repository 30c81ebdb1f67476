"""Both bindings name a device alike, and as NVML does: its lock goes by that name."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from assistant.device.driver import DeviceError
from assistant.device.drivers.cuda import uuid_text
from assistant.device.drivers.pycuda import uuid_of

RAW = bytes(range(16))
SPELLED = "00010203-0405-0607-0809-0a0b0c0d0e0f"


class Library:
    """``libcuda`` with a third device, and no other."""

    def cuDeviceGet(self, device: Any, index: int) -> int:
        device._obj.value = 70 + index
        return 0

    def cuDeviceGetUuid_v2(self, raw: ctypes.Array[ctypes.c_ubyte], device: ctypes.c_int) -> int:
        raw[:] = RAW
        return 0 if device.value == 72 else 101


@pytest.mark.parametrize(("name", "kind"), [("NVIDIA H200", "GPU"), ("NVIDIA H200 MIG 1g.18gb", "MIG")])
def test_a_device_and_a_slice_of_a_device_are_spelled_as_nvml_spells_them(name: str, kind: str) -> None:
    assert uuid_text(RAW, name) == uuid_of(Library(), 2, name) == f"{kind}-{SPELLED}"


def test_a_device_that_the_driver_does_not_name_is_an_error() -> None:
    with pytest.raises(DeviceError, match="cuDeviceGetUuid_v2"):
        uuid_of(Library(), 0, "NVIDIA H200")
