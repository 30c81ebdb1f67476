"""What every implementation of ``device.driver.Driver`` must do; the fake of the unit tests does it too.

A module with the kernels is needed, which each implementation makes in its own way: ``add(float* data, int count)`` adds one to the
first ``count`` numbers, ``put(int* cell)`` writes the device variable ``told`` to ``*cell``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from assistant.device.driver import Driver, ModuleHandle
from assistant.model.launch import Dim3, LaunchConfig

ADD, PUT, TOLD = "_Z3addPfi", "_Z3putPi", "told"
_COUNT = 100
_ONE_BLOCK = LaunchConfig(Dim3(1), Dim3(128))


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


class DriverContract:
    """Subclasses give the fixtures ``driver`` and ``image``."""

    @pytest.fixture
    def module(self, driver: Driver, image: bytes) -> Iterator[ModuleHandle]:
        module = driver.load(image)
        yield module
        driver.unload(module)

    def test_memory_keeps_what_is_written_copied_and_filled(self, driver: Driver) -> None:
        one, other = driver.allocate(16), driver.allocate(16)
        driver.write(one, b"0123456789abcdef")
        driver.copy(other, one, 16)
        driver.fill(other, 0x2E, 4)
        assert driver.read(other, 16) == b"....456789abcdef"
        assert driver.read(one, 4) == b"0123"
        driver.free(one)
        driver.free(other)

    def test_written_data_may_be_changed_at_once(self, driver: Driver) -> None:
        address, data = driver.allocate(4096), bytearray(b"a" * 4096)
        driver.write(address, memoryview(data))
        data[:] = b"b" * 4096
        assert driver.read(address, 4096) == b"a" * 4096
        driver.free(address)

    def test_letting_go_of_lines_in_l2_leaves_memory_as_it_is(self, driver: Driver) -> None:
        address = driver.allocate(16)
        driver.write(address, b"0123456789abcdef")
        driver.reset_persisting_l2()
        assert driver.read(address, 16) == b"0123456789abcdef"
        driver.free(address)

    def test_the_device_shows_its_memory(self, driver: Driver) -> None:
        free, total = driver.memory()
        assert 0 < free <= total <= driver.facts().memory_bytes

    def test_the_device_shows_what_it_is(self, driver: Driver) -> None:
        facts = driver.facts()
        assert facts.name and facts.uuid and facts.sm_count > 0 and facts.l2_bytes > 0
        assert facts.architecture.startswith("sm_")

    def test_a_kernel_changes_its_buffer(self, driver: Driver, module: ModuleHandle) -> None:
        data = driver.allocate(4 * _COUNT)
        driver.write(data, floats(*range(_COUNT)))
        arguments = (struct.pack("<Q", data), struct.pack("<i", _COUNT - 1))
        driver.launch(driver.prepare(driver.function(module, ADD), _ONE_BLOCK, arguments))
        driver.synchronize()
        assert driver.is_idle()
        assert driver.read(data, 4 * _COUNT) == floats(*range(1, _COUNT), _COUNT - 1)
        driver.free(data)

    def test_a_device_variable_is_found_by_its_name(self, driver: Driver, module: ModuleHandle) -> None:
        address, size = driver.symbol(module, TOLD)
        cell = driver.allocate(4)
        driver.write(address, struct.pack("<i", 41))
        driver.launch(driver.prepare(driver.function(module, PUT), _ONE_BLOCK, (struct.pack("<Q", cell),)))
        assert size == 4
        assert driver.read(cell, 4) == struct.pack("<i", 41)
        driver.free(cell)

    @pytest.mark.parametrize("arguments", [(b"\0" * 8,), (b"\0" * 8, b"\0" * 8), (b"\0" * 8, b"\0" * 4, b"")])
    def test_arguments_that_do_not_fit_are_refused(self, driver: Driver, module: ModuleHandle, arguments: tuple[bytes, ...]) -> None:
        with pytest.raises(ValueError, match=r"arguments|argument 1"):
            driver.prepare(driver.function(module, ADD), _ONE_BLOCK, arguments)

    def test_events_show_how_long_it_took(self, driver: Driver) -> None:
        start, end, data = driver.create_event(), driver.create_event(), driver.allocate(1 << 20)
        driver.record(start)
        driver.fill(data, 1, 1 << 20)
        driver.record(end)
        driver.wait(end)
        assert 0 < driver.elapsed_s(start, end) < 1
        driver.destroy_event(start)
        driver.destroy_event(end)
        driver.free(data)

    def test_a_graph_runs_its_launches_in_order(self, driver: Driver, module: ModuleHandle) -> None:
        if not driver.has_graphs:
            with pytest.raises(ValueError, match="graphs"):
                driver.create_graph(())
            return
        data = driver.allocate(4)
        driver.fill(data, 0, 4)
        launch = driver.prepare(driver.function(module, ADD), _ONE_BLOCK, (struct.pack("<Q", data), struct.pack("<i", 1)))
        graph = driver.create_graph([launch] * 5)
        driver.launch_graph(graph)
        driver.launch_graph(graph)
        assert driver.read(data, 4) == floats(10)
        driver.destroy_graph(graph)
        driver.free(data)

    def test_host_memory_is_shared_with_the_device(self, driver: Driver) -> None:
        memory, copy = driver.allocate_host(8), driver.allocate(8)
        memory.view[:] = b"from hos"
        driver.copy(copy, memory.address, 8)
        assert driver.read(copy, 8) == b"from hos"
        driver.free(copy)
