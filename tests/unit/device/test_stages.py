"""Which copies of a case's buffers are made for timing, and what is restored between calls."""

from __future__ import annotations

import random

from assistant.device.driver import ModuleHandle
from assistant.device.gpu_state import LoadedImage
from assistant.device.replay_case import PlacedLaunch, ReplayBuffer, ReplayCase
from assistant.device.staging import Pristine
from assistant.device.timing.kit import Kit
from assistant.device.timing.stages import StagedCopies
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
