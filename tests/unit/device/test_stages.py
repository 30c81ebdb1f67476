"""Which copies of a case's buffers are made for timing, and what is restored between calls."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assistant.device.driver import Address, FunctionHandle, ModuleHandle
from assistant.device.gpu_state import LoadedImage
from assistant.device.replay_case import PlacedLaunch, ReplayBuffer, ReplayCase
from assistant.device.staging import Pristine
from assistant.device.timing.kit import Kit
from assistant.device.timing.stages import StagedCopies
from assistant.errors import CannotAnswerError
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import PointerField
from tests.unit.device.virtual_gpu import Body, VirtualGpu, number

BYTES = 32 << 10
"""Half of the virtual GPU's L2."""


def writes(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
    gpu.bytes_at(number(arguments[0]), 4)[:] = b"\1\2\3\4"
    return 1e-6


def reads(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
    return 1e-6


def copies_of(a: Body, b: Body, is_poisoned: bool) -> tuple[StagedCopies, VirtualGpu]:
    gpu = VirtualGpu({"a": a, "b": b})
    kit = Kit(gpu, lambda name: gpu.function(ModuleHandle(1), name))
    buffers = (
        ReplayBuffer(1, BYTES // 2, None, b"" if is_poisoned else bytes(BYTES // 2), is_poisoned, ()),
        ReplayBuffer(2, BYTES // 2, None, bytes(BYTES // 2), False, ()),
    )
    arguments = tuple((bytes(8), (PointerField(0, buffer.id, 0),)) for buffer in buffers)
    cases = [ReplayCase(buffers, (PlacedLaunch(name, LaunchConfig(Dim3(1), Dim3(32)), arguments),)) for name in ("a", "b")]
    images = [LoadedImage(gpu, ModuleHandle(index), ((name, name),)) for index, name in enumerate(("a", "b"))]
    pristine = Pristine(gpu, cases[0], 0xAB)
    return StagedCopies(kit, pristine, ((images[0], cases[0]), (images[1], cases[1])), random.Random(1)), gpu


def test_copies_cover_twice_l2() -> None:
    copies, _ = copies_of(writes, writes, is_poisoned=True)
    assert copies.count == 4


def test_outputs_whose_first_contents_mean_nothing_are_not_restored() -> None:
    assert not copies_of(writes, writes, is_poisoned=True)[0].is_restored
    assert copies_of(writes, writes, is_poisoned=False)[0].is_restored


def test_what_either_version_writes_is_restored_and_nothing_else() -> None:
    copies, gpu = copies_of(reads, writes, is_poisoned=False)
    ((address, size_bytes),) = copies.changed("A", 2)
    assert size_bytes == BYTES // 2
    for launch in copies.launches("B", 2):
        gpu.launch(launch)
    assert gpu.read(address, 4) == b"\1\2\3\4"
    copies.restore("B", 2)
    assert gpu.read(address, 4) == bytes(4)


def test_every_copy_has_addresses_of_its_own_and_both_versions_share_them() -> None:
    copies, _ = copies_of(writes, writes, is_poisoned=True)
    first = [copies.launches("A", index)[0].arguments[0] for index in range(copies.count)]
    assert len(set(first)) == copies.count
    assert first == [copies.launches("B", index)[0].arguments[0] for index in range(copies.count)]


def test_closed_copies_leave_no_memory_behind() -> None:
    copies, gpu = copies_of(writes, writes, is_poisoned=True)
    before = len(gpu.memory_of)
    copies.close()
    assert len(gpu.memory_of) == before - 2 * 4


class Units(VirtualGpu):
    """Two modules with device variables of their own."""

    def __init__(self, *symbols: frozenset[str]) -> None:
        super().__init__({"a": reads, "b": reads})
        self._symbols = symbols

    def function(self, module: ModuleHandle, name: str) -> FunctionHandle:
        return FunctionHandle(10 * module + int(name == "second"))

    def symbol(self, module: ModuleHandle, name: str) -> tuple[Address, int]:
        if name not in self._symbols[module]:
            return super().symbol(module, name)
        return Address(100 + module), 4


def image_of_units(*symbols: frozenset[str]) -> LoadedImage:
    gpu = Units(*symbols)
    first = LoadedImage(gpu, ModuleHandle(0), (("own(float*)", "first"), ("fill<float>(float*)", "second")), "/p/main.cu")
    other = LoadedImage(gpu, ModuleHandle(1), (("own(float*)", "first"), ("fill<double>(double*)", "second")), "/p/other.cu")
    return replace(first, others=(other,))


def test_a_kernel_is_started_in_the_unit_that_defines_it() -> None:
    image = image_of_units(frozenset(), frozenset())
    names = ("own(float*)", "main.cu:own(float*)", "other.cu:own(float*)", "fill<float>(float*)", "fill<double>(double*)")
    assert [image.function(name) for name in names] == [0, 0, 10, 1, 11]


def test_a_device_variable_is_looked_for_in_every_unit() -> None:
    image = image_of_units(frozenset({"x"}), frozenset({"x", "y"}))
    assert image.symbol("y") == (101, 4) and image.symbol("z") is None
    with pytest.raises(CannotAnswerError, match="several files of the program have a device variable x"):
        image.symbol("x")
