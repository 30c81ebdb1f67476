"""The fake driver keeps the contract that the real ones keep."""

from __future__ import annotations

import struct

import pytest

from tests.contracts.driver_contract import ADD, PUT, TOLD, DriverContract
from tests.unit.device.host_driver import HostCode, HostDriver, HostKernel, address_of, number_of


def _add(driver: HostDriver, given: tuple[bytes, ...]) -> None:
    data, size = address_of(given[0]), 4 * number_of(given[1])
    values = struct.unpack(f"<{size // 4}f", driver.read(data, size))
    driver.write(data, struct.pack(f"<{size // 4}f", *(value + 1 for value in values)))


def _put(driver: HostDriver, given: tuple[bytes, ...]) -> None:
    driver.copy(address_of(given[0]), driver.symbols[TOLD][0], 4)


class TestHostDriver(DriverContract):
    @pytest.fixture
    def image(self) -> bytes:
        return b"code"

    @pytest.fixture
    def driver(self) -> HostDriver:
        kernels = {ADD: HostKernel(((0, 8), (8, 4)), _add), PUT: HostKernel(((0, 8),), _put)}
        return HostDriver({b"code": HostCode(kernels, {TOLD: bytes(4)})})
