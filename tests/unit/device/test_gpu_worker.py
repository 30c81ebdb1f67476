"""The GPU worker's answers, on a driver without a GPU: every request is answered, whatever the device does."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistant.device.driver import DeviceError, Driver
from assistant.device.gpu_state import GpuState
from assistant.device.gpu_worker import OPERATIONS, GpuWorker, Hold, Operation
from assistant.disk import gpu_lease as lease
from assistant.errors import CannotAnswerError
from tests.unit.device.host_driver import HostDriver


@dataclass(frozen=True)
class Wish:
    name: str


def ask(worker: GpuWorker, **message: object) -> dict[str, Any]:
    return worker.answer(json.dumps(message))


def failing(error: Exception) -> GpuWorker:
    """A worker with one operation, ``do``, that raises."""

    def run(state: GpuState, wish: Wish) -> object:
        raise error

    return GpuWorker(lambda: HostDriver({}), {"do": Operation(Wish, run)})


def test_the_device_is_opened_by_the_first_request_that_needs_it() -> None:
    opened: list[Driver] = []

    def open_driver() -> Driver:
        opened.append(HostDriver({}))
        return opened[-1]

    worker = GpuWorker(open_driver, OPERATIONS)
    assert ask(worker, op="ping", id=1)["ok"] and not opened
    assert ask(worker, op="facts", id=2) == {"id": 2, "ok": True, "result": ask(worker, op="facts")["result"]}
    assert ask(worker, op="memory")["result"]["total_bytes"] > 0
    assert len(opened) == 1


@pytest.mark.parametrize(
    ("line", "part"),
    [("no json", "not JSON"), ("[1]", "an object"), ('{"op": "dance"}', "unknown op 'dance'"), ('{"op": "replay"}', "image")],
)
def test_a_request_that_makes_no_sense_is_answered_with_the_reason(line: str, part: str) -> None:
    reply = GpuWorker(lambda: HostDriver({}), OPERATIONS).answer(line)
    assert reply["error"]["kind"] == "bad_request"
    assert part in reply["error"]["message"]


@pytest.mark.parametrize(
    ("error", "kind", "is_lost"),
    [
        (DeviceError("CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered", "cuMemcpy"), "lost", True),
        (DeviceError("CUDA_ERROR_OUT_OF_MEMORY", "out of memory", "cuMemAlloc"), "out_of_memory", False),
        (DeviceError("CUDA_ERROR_INVALID_VALUE", "invalid argument", "cuLaunchKernel"), "device", False),
        (OSError(28, os.strerror(28), "/s/blobs"), "storage", False),
        (CannotAnswerError("the recording lacks a blob"), "cannot_answer", False),
    ],
)
def test_what_goes_wrong_has_a_kind(error: Exception, kind: str, is_lost: bool) -> None:
    worker = failing(error)
    assert ask(worker, op="do", name="x")["error"]["kind"] == kind
    assert worker.is_lost == is_lost


@pytest.mark.parametrize("error", [ImportError("no module named cuda"), RuntimeError("libcuda.so is not there")])
def test_a_machine_without_a_driver_is_reported(error: Exception) -> None:
    def open_driver() -> Driver:
        raise error

    reply = ask(GpuWorker(open_driver, OPERATIONS), op="facts")
    assert reply["error"]["kind"] == "cannot_answer"
    assert str(error) in reply["error"]["message"]


def held_by(folder: Path, body: Callable[[], None]) -> None:
    with lease.Lease("GPU-x", folder, wait_s=0).held(alone=True):
        body()


def test_a_lock_made_under_a_strict_umask_is_there_for_other_users(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        held_by(tmp_path, lambda: None)
    finally:
        os.umask(before)
    assert {lock.stat().st_mode & 0o777 for lock in tmp_path.iterdir()} == {0o444}


def test_one_user_of_a_gpu_at_a_time(tmp_path: Path) -> None:
    def other() -> None:
        with pytest.raises(CannotAnswerError, match="another kernelopt"):
            held_by(tmp_path, lambda: None)

    held_by(tmp_path, other)
    held_by(tmp_path, lambda: None)


def test_those_who_measure_nothing_share_a_gpu_and_a_process_that_measures_waits_for_all_of_them(tmp_path: Path) -> None:
    one, other, measuring = (lease.Lease("GPU-x", tmp_path, wait_s=0) for _ in range(3))
    with one.held(alone=False), other.held(alone=False), pytest.raises(lease.GpuBusyError), measuring.held(alone=True):
        pass
    with measuring.held(alone=True), pytest.raises(lease.GpuBusyError), one.held(alone=False):
        pass


def test_a_process_says_once_when_it_has_waited_for_a_gpu(tmp_path: Path) -> None:
    held_by(tmp_path, lambda: None)
    assert lease.waits_since_last() == [], "it was free"
    holding, begun_s = threading.Event(), time.monotonic()

    def hold() -> None:
        with lease.Lease("GPU-x", tmp_path).held(alone=True):
            holding.set()
            time.sleep(0.3)

    other = threading.Thread(target=hold)
    other.start()
    holding.wait()
    with lease.Lease("GPU-x", tmp_path).held(alone=False):
        ((from_s, to_s),) = lease.waits_since_last()
    other.join()
    assert begun_s <= from_s < to_s <= time.monotonic() and to_s - from_s > 0.1
    assert lease.waits_since_last() == []


def test_who_waits_to_measure_comes_before_those_who_would_share_the_gpu_for_some_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding, sharing = (lease.Lease("GPU-x", tmp_path, wait_s=20) for _ in range(2))
    measuring = [lease.Lease("GPU-x", tmp_path, wait_s=20) for _ in range(3)]
    order: list[str] = []

    def use(one: lease.Lease, name: str) -> None:
        with one.held(alone=name == "measures"):
            order.append(name)
            time.sleep(0.05)

    with holding.held(alone=True):
        waiting = [threading.Thread(target=use, args=(sharing, "shares"))]
        waiting += [threading.Thread(target=use, args=(one, "measures")) for one in measuring]
        for thread in waiting:
            thread.start()
            time.sleep(0.1)
    for thread in waiting:
        thread.join()
    assert order == ["measures"] * 3 + ["shares"]
    monkeypatch.setattr(lease, "_LET_BY_S", 0.0)
    order.clear()
    with holding.held(alone=True):
        waiting = [threading.Thread(target=use, args=(one, name)) for one, name in ((sharing, "shares"), (measuring[0], "measures"))]
        for thread in waiting:
            thread.start()
            time.sleep(0.1)
    for thread in waiting:
        thread.join()
    assert order == ["shares", "measures"]


def test_a_request_that_finds_no_room_next_to_others_is_answered_once_it_has_the_gpu_alone() -> None:
    driver = HostDriver({})
    runs: list[bool] = []

    def run(state: GpuState, request: None) -> object:
        """Notes whether the GPU is shared, and finds no room as long as it is."""
        other = lease.Lease(state.facts.uuid, lease.lock_folder(), wait_s=0)
        try:
            with other.held(alone=False):
                is_shared = True
        except lease.GpuBusyError:
            is_shared = False
        runs.append(is_shared)
        if is_shared:
            raise lease.NoRoomError("no room for 3 bytes twice")
        return state.facts

    worker = GpuWorker(lambda: driver, {"replay": Operation(None, run, hold=Hold.SHARED)})
    assert ask(worker, op="replay")["ok"]
    assert runs == [True, False]


def test_what_an_operation_starts_before_its_turn_shares_the_gpu() -> None:
    driver = HostDriver({})
    other = lease.Lease(driver.facts().uuid, lease.lock_folder(), wait_s=0)
    shared: list[bool] = []

    def note(state: GpuState, request: None) -> object:
        try:
            with other.held(alone=False):
                shared.append(True)
        except lease.GpuBusyError:
            shared.append(False)
        return state.facts

    worker = GpuWorker(lambda: driver, {"count": Operation(None, note, get_ready=note)})
    assert ask(worker, op="count")["ok"]
    assert shared == [True, False]


def test_a_waiting_process_has_its_turn_between_two_cases_and_no_other_does(tmp_path: Path) -> None:
    first, second = (lease.Lease("GPU-x", tmp_path, wait_s=20) for _ in range(2))
    order: list[str] = []

    def other() -> None:
        with second.held(alone=True):
            order.append("second")

    waiting = threading.Thread(target=other)
    with first.held(alone=True):
        assert not first.offer()
        waiting.start()
        while not first.offer():
            time.sleep(1e-3)
        order.append("first again")
        assert not first.offer()
    waiting.join()
    assert order == ["second", "first again"]


def test_several_gpus_are_held_together_and_given_back_together(tmp_path: Path) -> None:
    one, other = (lease.Lease(uuid, tmp_path, wait_s=0) for uuid in ("GPU-a", "GPU-b"))
    with lease.all_held(("GPU-b", "GPU-a"), tmp_path):
        for held in (one, other):
            with pytest.raises(lease.GpuBusyError), held.held(alone=True):
                pass
    with other.held(alone=True), pytest.raises(lease.GpuBusyError, match="GPU-b"), lease.all_held(("GPU-a", "GPU-b"), tmp_path, wait_s=0):
        pass
    with one.held(alone=True), other.held(alone=True):
        pass


@pytest.mark.parametrize("uuids", [("GPU-a", "GPU-b"), ("GPU-b", "GPU-a")])
def test_several_gpus_are_taken_in_one_order_so_that_no_two_wait_for_each_other(tmp_path: Path, uuids: tuple[str, ...]) -> None:
    with lease.all_held(uuids, tmp_path), pytest.raises(lease.GpuBusyError, match="GPU-a"), lease.all_held(uuids, tmp_path, wait_s=0):
        pass


def test_memory_of_another_process_is_read_into_files_while_a_measurement_runs(tmp_path: Path) -> None:
    driver = HostDriver({})
    address = driver.allocate(64)
    driver.write(address, bytes(range(64)))
    regions = [{"handle": address.to_bytes(8, "little").hex(), "offset_bytes": at, "size_bytes": 4} for at in (8, 40)]
    worker = GpuWorker(lambda: driver, OPERATIONS)
    with lease.Lease(driver.facts().uuid, lease.lock_folder()).held(alone=True):
        blobs = ask(worker, op="read_shared", regions=regions, out=str(tmp_path))["result"]["blobs"]
    assert [(tmp_path / name).read_bytes() for name in blobs] == [bytes(range(8, 12)), bytes(range(40, 44))]
    assert {path.name for path in tmp_path.iterdir()} == set(blobs)
