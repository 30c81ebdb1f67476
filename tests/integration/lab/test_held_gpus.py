"""A process that holds a GPU alone for several requests: others wait, and so does it; nothing is left held when it is called off."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator

import pytest

from assistant.disk.gpu_lease import GpuBusyError, Lease, lock_folder
from assistant.lab.held_gpus import held_alone


@pytest.fixture
def gpu() -> Iterator[str]:
    """A UUID that no GPU has."""
    name = f"GPU-{uuid.uuid4()}"
    yield name
    for lock in lock_folder().glob(f"kernelopt-{name}.*"):
        lock.unlink()


def is_free(gpu: str) -> bool:
    try:
        with Lease(gpu, lock_folder(), wait_s=0).held(alone=False):
            return True
    except GpuBusyError:
        return False


async def test_others_wait_until_it_is_left(gpu: str) -> None:
    waits: list[tuple[float, float]] = []
    async with held_alone((gpu,), waits) as busy:
        assert busy is None and not is_free(gpu)
    assert is_free(gpu) and waits == []


async def test_it_waits_for_others_and_says_for_how_long(gpu: str) -> None:
    waits: list[tuple[float, float]] = []
    with Lease(gpu, lock_folder()).held(alone=False):
        taking = asyncio.create_task(held_alone((gpu,), waits).__aenter__())
        await asyncio.sleep(0.3)
        assert not taking.done()
    assert await taking is None
    ((begin_s, end_s),) = waits
    assert end_s - begin_s > 0.2


async def test_one_that_is_called_off_while_it_waits_holds_nothing(gpu: str) -> None:
    with Lease(gpu, lock_folder()).held(alone=True):
        taking = asyncio.create_task(held_alone((gpu,), []).__aenter__())
        await asyncio.sleep(0.1)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
    for _ in range(500):
        if is_free(gpu):
            return
        await asyncio.sleep(0.02)
    pytest.fail("it is held for ever")
