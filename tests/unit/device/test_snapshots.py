"""Snapshots of large launches: memory that is given to a program's recorder, compared and read where it lies. The recorder is played here;
the real one runs in ``tests/gpu/test_beyond_recording.py``."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

from assistant.device.driver import Address
from assistant.device.gpu_worker import OPERATIONS, GpuWorker
from tests.unit.device.host_driver import HostDriver, own_kernels

KERNEL = "_Z4normPKfPfi"
"""norm(float const*, float*, int)"""
NONE = "-" * 128


@pytest.fixture
def driver() -> HostDriver:
    return HostDriver({b"helpers": own_kernels()})


@pytest.fixture
def pipes(tmp_path: Path) -> Path:
    folder = tmp_path / "pipes"
    folder.mkdir()
    for name in ("asked", "given"):
        os.mkfifo(folder / name)
    return folder


class Recorder:
    """The program's end of the pipes."""

    def __init__(self, driver: HostDriver, asked: IO[str], given: IO[str]) -> None:
        self._driver = driver
        self._asked = asked
        self._given = given

    def take(self, words: str, data: bytes) -> str:
        """The answer; what was given holds ``data`` then."""
        answer = self.ask(f"{len(data)} {words}")
        if answer != NONE:
            self._driver.write(Address(int.from_bytes(bytes.fromhex(answer)[:8], "little")), data)
            self.say("taken")
        return answer

    def ask(self, line: str) -> str:
        self.say(line)
        return self._given.readline().rstrip("\n")

    def say(self, line: str) -> None:
        self._asked.write(f"{line}\n")
        self._asked.flush()


def ask(worker: GpuWorker, op: str, **fields: Any) -> dict[str, Any]:
    reply = worker.answer(json.dumps({"op": op, "id": 1, **fields}))
    assert reply["ok"], reply
    result: dict[str, Any] = reply["result"]
    return result


def taken(worker: GpuWorker, driver: HostDriver, pipes: Path, play: Callable[[Recorder], object]) -> dict[str, Any]:
    """What the worker says of a run in which the recorder does ``play``."""

    def run() -> None:
        with (pipes / "asked").open("w") as asked, (pipes / "given").open() as given:
            recorder = Recorder(driver, asked, given)
            play(recorder)
            recorder.say("end")

    program = threading.Thread(target=run)
    program.start()
    reply = ask(worker, "take_snapshots", pipes=str(pipes), kernels=["norm"], wall_s=10)
    program.join()
    return reply


def both(worker: GpuWorker, driver: HostDriver, pipes: Path, a: bytes, b: bytes) -> list[dict[str, Any]]:
    """A snapshot of the second argument of each."""
    runs = [taken(worker, driver, pipes, lambda recorder, data=data: recorder.take(f"0 1 0 0 {KERNEL}", data)) for data in (a, b)]
    return [run["snapshots"][0] for run in runs]


def test_a_buffer_is_kept_and_named_by_its_kernel_launch_and_argument(driver: HostDriver, pipes: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)
    reply = taken(worker, driver, pipes, lambda recorder: recorder.take(f"3 1 0 256 {KERNEL}", bytes(1000)))
    (snapshot,) = reply["snapshots"]
    assert (snapshot["kernel"], snapshot["launch"], snapshot["argument"]) == ("norm(float const*, float*, int)", 3, 1)
    assert (snapshot["pointer_offset_bytes"], snapshot["size_bytes"], reply["left_out"]) == (256, 1000, [])


def test_what_a_kernel_only_reads_is_not_kept(driver: HostDriver, pipes: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)
    answers = list[str]()
    reply = taken(worker, driver, pipes, lambda recorder: answers.append(recorder.take(f"0 0 0 0 {KERNEL}", bytes(1000))))
    assert (answers, reply["snapshots"], reply["left_out"]) == ([NONE], [], [])


def test_what_other_kernels_leave_is_not_kept(driver: HostDriver, pipes: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)
    answers = list[str]()
    reply = taken(worker, driver, pipes, lambda recorder: answers.append(recorder.take("0 0 0 0 _Z4fillPf", bytes(1000))))
    assert (answers, reply["snapshots"], reply["left_out"]) == ([NONE], [], [])


def test_where_there_is_no_room_the_kernel_is_named_and_the_program_goes_on(driver: HostDriver, pipes: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)

    answers = list[str]()
    reply = taken(worker, driver, pipes, lambda recorder: answers.append(recorder.ask(f"{1 << 40} 0 1 0 0 {KERNEL}")))
    assert (answers, reply["left_out"]) == ([NONE], ["norm(float const*, float*, int)"])


def test_a_copy_that_failed_and_one_that_is_made_again_give_their_memory_back(driver: HostDriver, pipes: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)

    def play(recorder: Recorder) -> None:
        recorder.ask(f"1000 0 1 0 0 {KERNEL}")
        recorder.say("failed")
        for _ in range(2):  # as of a script that is run again
            recorder.take(f"1 1 0 0 {KERNEL}", bytes(1000))

    reply = taken(worker, driver, pipes, play)
    assert [one["launch"] for one in reply["snapshots"]] == [1] and reply["left_out"] == ["norm(float const*, float*, int)"]
    before = driver.allocated_bytes
    ask(worker, "free_snapshots", ids=[one["id"] for one in reply["snapshots"]])
    assert before > 0 and driver.allocated_bytes == 0


def test_pieces_that_differ_most_are_found_and_can_be_read(driver: HostDriver, pipes: Path, tmp_path: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)
    a = np.ones(3 << 18, np.float32)  # three pieces of 1 MiB
    b = a.copy()
    b[5], b[600_000:600_010] = 3.0, 1.5
    mine, theirs = both(worker, driver, pipes, a.tobytes(), b.tobytes())
    (tmp_path / "helpers").write_bytes(b"helpers")
    pair = {"a": mine["id"], "b": theirs["id"], "kind": "float"}
    (found,) = ask(worker, "compare_snapshots", pairs=[pair], helpers=str(tmp_path / "helpers"))["differences"]
    assert found == {"count": 11, "pieces": [[0, 1 << 20], [2 << 20, 1 << 20]]}
    piece = {"snapshot": theirs["id"], "offset_bytes": 2 << 20, "size_bytes": 1 << 20}
    (blob,) = ask(worker, "read_snapshots", pieces=[piece], out=str(tmp_path))["blobs"]
    assert (tmp_path / blob).read_bytes() == b[2 << 18 :].tobytes()


def test_equal_buffers_differ_nowhere(driver: HostDriver, pipes: Path, tmp_path: Path) -> None:
    worker = GpuWorker(lambda: driver, OPERATIONS)
    mine, theirs = both(worker, driver, pipes, bytes(5000), bytes(5000))
    (tmp_path / "helpers").write_bytes(b"helpers")
    pair = {"a": mine["id"], "b": theirs["id"], "kind": ""}
    assert ask(worker, "compare_snapshots", pairs=[pair], helpers=str(tmp_path / "helpers"))["differences"] == [{"count": 0, "pieces": []}]


def test_a_snapshot_that_is_gone_is_said_to_be(driver: HostDriver) -> None:
    reply = GpuWorker(lambda: driver, OPERATIONS).answer(
        json.dumps({"op": "read_snapshots", "id": 1, "pieces": [{"snapshot": 7, "offset_bytes": 0, "size_bytes": 4}], "out": "/"})
    )
    assert not reply["ok"] and "is gone" in reply["error"]["message"]


def test_a_program_that_does_not_end_is_not_waited_for_for_ever(driver: HostDriver, pipes: Path) -> None:
    reply = GpuWorker(lambda: driver, OPERATIONS).answer(
        json.dumps({"op": "take_snapshots", "id": 1, "pipes": str(pipes), "kernels": [], "wall_s": 0.05})
    )
    assert not reply["ok"] and "did not end" in reply["error"]["message"]
