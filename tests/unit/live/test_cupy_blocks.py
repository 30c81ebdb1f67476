"""What CuPy's pool and arrays tell becomes extents; on a real pool in ``tests/gpu/test_notebook_capture.py``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.live.cupy_blocks import ArrayBlocks
from assistant.workload.narrow import Extent

AT, UNIT = 0x7F00_0000_0000, 512


class PooledMemory:
    def __init__(self, ptr: int, size: int) -> None:
        self.ptr, self.size = ptr, size


class Array:
    """An array of CuPy, as far as it is asked."""

    def __init__(self, memory: object, address: int, nbytes: int, base: Array | None = None) -> None:
        self.data = SimpleNamespace(ptr=address, mem=memory)
        self.nbytes, self.base = nbytes, base


class MemoryHook:
    """As CuPy's: known by its name while it is entered."""

    name = ""

    def __enter__(self) -> MemoryHook:
        hooks[self.name] = self
        return self

    def __exit__(self, *_: object) -> None:
        del hooks[self.name]


hooks: dict[str, Any] = {}


def extents_after(calls: Callable[[], object] = lambda: None) -> tuple[Extent, ...]:
    blocks = ArrayBlocks()
    calls()
    extents = blocks.end()
    assert not hooks, "the hook goes with the cell"
    return extents


def give(address: int, asked_bytes: int) -> None:
    rounded = -(-asked_bytes // UNIT) * UNIT
    hooks["kernelopt"].malloc_postprocess(device_id=0, size=asked_bytes, mem_size=rounded, mem_ptr=address, pmem_id=1)


def take_back(address: int, rounded_bytes: int) -> None:
    hooks["kernelopt"].free_postprocess(device_id=0, mem_size=rounded_bytes, mem_ptr=address, pmem_id=1)


@pytest.fixture(autouse=True)
def cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.clear()
    cuda = SimpleNamespace(MemoryHook=MemoryHook, memory=SimpleNamespace(PooledMemory=PooledMemory))
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda, ndarray=Array))


def test_arrays_of_the_cell_are_known_by_what_was_asked_for() -> None:
    assert extents_after(lambda: (give(AT, 4000), give(AT + 4096, 400), give(0, 1 << 40))) == (Extent(AT, 4000), Extent(AT + 4096, 400))


def test_what_lies_where_a_temporary_array_was_is_not_reported() -> None:
    assert extents_after(lambda: (give(AT, 8000), take_back(AT, 8192), give(AT, 4000), give(AT + 8192, 400))) == (Extent(AT + 8192, 400),)


def test_an_array_from_before_the_cell_is_known_by_itself_and_a_view_alone_by_its_memory() -> None:
    owner, memory = Array(PooledMemory(AT, 4096), AT, 4000), PooledMemory(AT + 4096, 4096)
    views = [Array(owner.data.mem, AT + 400, 40, owner), Array(memory, AT + 4096 + 400, 40, owner)]
    assert extents_after() == (Extent(AT, 4000), Extent(AT + 4096, 4096)), views


def test_an_array_from_before_that_the_cell_gave_back_is_not_reported() -> None:
    gone, other = Array(PooledMemory(AT, 4096), AT, 4000), Array(PooledMemory(AT + 4096, 512), AT + 4096, 400)
    assert extents_after(lambda: take_back(AT, 4096)) == (Extent(AT + 4096, 400),), (gone, other)


def test_memory_of_no_pool_is_as_the_driver_knows_it() -> None:
    foreign = Array(SimpleNamespace(ptr=AT, size=4096), AT, 4000)
    assert extents_after() == (), foreign


def test_without_cupy_and_with_another_interface_nothing_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    array = Array(PooledMemory(AT, 4096), AT, 4000)
    known = sys.modules["cupy"]
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(), ndarray=Array))
    assert extents_after() == (), array
    monkeypatch.delitem(sys.modules, "cupy")
    blocks = ArrayBlocks()
    monkeypatch.setitem(sys.modules, "cupy", known)
    assert blocks.end() == (), "imported in the cell: no hook heard what was given back"
