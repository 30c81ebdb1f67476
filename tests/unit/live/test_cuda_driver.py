"""What the user's own driver is asked, on a library that answers in its place."""

from __future__ import annotations

import ctypes

import pytest

from assistant.live.cuda_driver import UserDriver

UUID = bytes(range(16))


class Library:
    """``libcuda`` of a machine with one device."""

    def __init__(self, name: str) -> None:
        self._name = name

    def cuInit(self, flags: int) -> int:
        return 0

    def cuDeviceGetUuid_v2(self, raw: ctypes.Array[ctypes.c_ubyte], device: int) -> int:
        raw[:] = UUID
        return 0

    def cuDeviceGetName(self, name: ctypes.Array[ctypes.c_char], size: int, device: int) -> int:
        name.value = self._name.encode()[: size - 1]
        return 0


@pytest.mark.parametrize(("name", "kind"), [("NVIDIA H200", "GPU"), ("NVIDIA H200 MIG 1g.18gb", "MIG")])
def test_a_slice_of_a_gpu_is_named_as_cuda_takes_it(name: str, kind: str) -> None:
    assert UserDriver(Library(name)).uuid(0) == f"{kind}-00010203-0405-0607-0809-0a0b0c0d0e0f"
