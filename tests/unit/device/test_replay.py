"""Replays on the device: what a case leaves, and what is noticed of kernels that write where they must not."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.device.driver import Address, DeviceError
from assistant.device.gpu_protocol import CaseReply, CaseRequest, Image, ReplayReply, ReplayRequest
from assistant.device.gpu_state import GpuState
from assistant.device.replay import replay
from assistant.disk.gpu_lease import GpuBusyError, Lease
from assistant.lab import compiler as lab
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, PointerField, RecordedArgument, RecordedBuffer, RecordedLaunch, Recording
from assistant.model.workload import CaseOrigin
from assistant.serialize import decode, encode
from assistant.workload.recordings import NewCase, blob_name, write_case
from tests.unit.device.host_driver import HostCode, HostDriver, HostKernel, address_of, own_kernels

Body = Callable[[HostDriver, tuple[bytes, ...]], None]
NAME, SYMBOL = "k(char*)", "_Z1kPc"
CONTENTS = b"contents"
POISON = RecordedBuffer(1, 8, 0x1000, None, "device", is_poisoned=True)
PLAIN = RecordedBuffer(1, 8, 0x1000, None, "device")


class Setting:
    """A kernel in a program, a recording of one launch of it, and the worker's state."""

    def __init__(self, folder: Path, body: Body, buffers: tuple[RecordedBuffer, ...] = (PLAIN,), symbols: dict[str, bytes] | None = None):
        self.folder = folder
        (folder / "code").write_bytes(b"code")
        (folder / "own").write_bytes(b"own")
        self.code = HostCode({SYMBOL: HostKernel(((0, 8),), body)}, symbols or {})
        self.driver = HostDriver({b"code": self.code, b"own": own_kernels()})
        self.state = GpuState(self.driver)
        self.case = self.recorded(buffers, CONTENTS)

    def recorded(self, buffers: tuple[RecordedBuffer, ...], contents: bytes) -> CaseRequest:
        states = tuple(BufferState(buffer.id, blob_name(contents), None) for buffer in buffers)
        argument = RecordedArgument(8, (0x1000).to_bytes(8, "little").hex(), (PointerField(0, 1, 0),))
        launch = RecordedLaunch(0, NAME, LaunchConfig(Dim3(1), Dim3(32)), (argument,), states, "k.cu", 3)
        new = NewCase(Recording(buffers, (launch,), (), ()), {blob_name(contents): contents}, (0,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
        return CaseRequest(write_case(self.folder / contents.decode(), new).recording, (0,))

    def replay(
        self, *, repeats: int = 1, fill: int = 0xAB, cases: int = 1, name: str = NAME, more: tuple[CaseRequest, ...] = ()
    ) -> ReplayReply:
        image = Image(self.folder / "code", ((name, SYMBOL),))
        request = ReplayRequest(
            image, self.folder / "own", (*(self.case,) * cases, *more), self.folder / "out", fill, 0x5A, repeats, 1, 1.0
        )
        return replay(self.state, request)

    def left(self, reply: CaseReply, buffer: int = 1, is_varied: bool = False) -> bytes:
        return (self.folder / "out/blobs" / dict(reply.varied[0] if is_varied else reply.after)[buffer]).read_bytes()


def test_what_the_kernel_writes_comes_back(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: driver.write(address_of(given[0]), b"new"))
    (reply,) = setting.replay(repeats=3).cases
    assert (reply.error, reply.guards_intact, reply.repeat_difference) == (None, True, None)
    assert setting.left(reply) == b"newtents"


def test_a_kernel_of_another_file_is_replayed_in_that_files_code(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: driver.write(address_of(given[0]), b"new"))
    (tmp_path / "main").write_bytes(b"main")
    setting.driver = HostDriver({b"main": HostCode({"_Z4mainPc": HostKernel(((0, 8),), never)}, {}), **codes_of(setting)})
    setting.state = GpuState(setting.driver)
    asked = lab.Image(
        str(tmp_path / "main"),
        (("main(char*)", "_Z4mainPc"),),
        "/p/main.cu",
        (lab.UnitCode(str(tmp_path / "code"), ((NAME, SYMBOL),), "/p/k.cu"),),
    )
    image: Image = decode(Image, encode(asked))
    request = ReplayRequest(image, tmp_path / "own", (setting.case,), tmp_path / "out", 0xAB, 0x5A, 1, 1, 1.0)
    (reply,) = replay(setting.state, request).cases
    assert reply.error is None and setting.left(reply) == b"newtents"


def never(driver: HostDriver, given: tuple[bytes, ...]) -> None:
    raise AssertionError("the kernel of the first file was started")


def codes_of(setting: Setting) -> dict[bytes, HostCode]:
    return {b"code": setting.code, b"own": own_kernels()}


def test_every_repeat_runs_at_another_address_from_the_same_contents(tmp_path: Path) -> None:
    seen: list[tuple[int, bytes]] = []
    setting = Setting(tmp_path, lambda driver, given: seen.append((address_of(given[0]), driver.read(address_of(given[0]), 8))))
    setting.replay(repeats=6)
    assert len({address for address, _ in seen}) > 3
    assert all(address % 256 == 0 for address, _ in seen)
    assert {contents for _, contents in seen} == {CONTENTS}


@pytest.mark.parametrize("offset", [-1, -4096, 8, 8 + 4095])
def test_a_write_beyond_a_buffer_breaks_its_guard(tmp_path: Path, offset: int) -> None:
    setting = Setting(tmp_path, lambda driver, given: driver.write(address_of(given[0]) + offset, b"!"))  # type: ignore[arg-type]
    assert not setting.replay().cases[0].guards_intact


def test_poison_holds_the_fill_pattern(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: None, (POISON,))
    assert setting.left(setting.replay(fill=0x54).cases[0]) == b"\x54" * 8


def test_a_result_that_depends_on_the_address_differs_between_repeats(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: driver.write(address_of(given[0]), given[0]))
    assert "differs in buffer 1" in (setting.replay(repeats=8).cases[0].repeat_difference or "")


def test_state_that_survives_a_call_shows_between_repeats_but_not_between_cases(tmp_path: Path) -> None:
    def count(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        (calls,) = struct.unpack("<q", driver.read(driver.symbols["calls"][0], 8))
        driver.write(driver.symbols["calls"][0], struct.pack("<q", calls + 1))
        driver.write(address_of(given[0]), struct.pack("<q", calls))

    setting = Setting(tmp_path, count, symbols={"calls": bytes(8)})
    one, other = setting.replay(repeats=2, cases=2).cases
    assert one == other
    assert one.repeat_difference is not None
    assert setting.left(one) == bytes(8)
    assert setting.left(one, is_varied=True) == struct.pack("<q", 1)


@pytest.mark.parametrize(("is_kept", "says"), [(True, "after a launch on other values it differs in buffer 1"), (False, None)])
def test_a_result_kept_from_other_values_shows_in_the_next_case(tmp_path: Path, is_kept: bool, says: str | None) -> None:
    def caches(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        place, known = driver.symbols["kept"][0], driver.read(driver.symbols["kept"][0], 8)
        result = known if is_kept and any(known) else driver.read(address_of(given[0]), 8)[::-1]
        driver.write(place, result)
        driver.write(address_of(given[0]), result)

    setting = Setting(tmp_path, caches, symbols={"kept": bytes(8)})
    one, other = setting.replay(repeats=3, more=(setting.recorded((PLAIN,), b"othersss"),)).cases
    assert (one.repeat_difference, setting.left(one), setting.left(other)) == (None, CONTENTS[::-1], b"sssrehto")
    if says is None:
        assert (other.repeat_difference, other.varied) == (None, ())
    else:
        assert says in (other.repeat_difference or "")
        assert setting.left(other, is_varied=True) == CONTENTS[::-1], "what it kept of the case before"
    assert setting.driver.allocated_bytes == 0


def test_a_recorded_device_variable_starts_as_recorded_and_comes_back(tmp_path: Path) -> None:
    symbol = RecordedBuffer(2, 8, 0x2000, "table", "constant")

    def use(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        driver.copy(address_of(given[0]), driver.symbols["table"][0], 8)
        driver.write(driver.symbols["table"][0], b"T")

    setting = Setting(tmp_path, use, (PLAIN, symbol), symbols={"table": bytes(8)})
    (reply,) = setting.replay(repeats=2).cases
    assert reply.repeat_difference is None
    assert setting.left(reply, 2) == b"Tontents"


def test_a_variable_that_the_program_does_not_use_keeps_its_contents(tmp_path: Path) -> None:
    symbol = RecordedBuffer(2, 8, 0x2000, "unused", "device")
    setting = Setting(tmp_path, lambda driver, given: None, (PLAIN, symbol))
    assert setting.left(setting.replay().cases[0], 2) == CONTENTS


def test_pointers_inside_buffers_lead_to_the_buffers_and_read_as_recorded(tmp_path: Path) -> None:
    holder = replace(PLAIN, pointers=(PointerField(0, 2, 0),))
    target = RecordedBuffer(2, 8, 0x2000, None, "device")

    def follow(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        driver.write(address_of(driver.read(address_of(given[0]), 8)), b"reached!")

    setting = Setting(tmp_path, follow, (holder, target))
    (reply,) = setting.replay(repeats=3).cases
    assert setting.left(reply, 2) == b"reached!"
    assert setting.left(reply, 1) == CONTENTS
    assert reply.repeat_difference is None


def test_shared_memory_holds_two_patterns_in_turn(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: None)
    setting.replay(repeats=3)
    assert setting.driver.shared_patterns == [0x5A, 0xA5, 0x5A]


def test_an_error_has_the_name_that_programs_print_and_later_cases_are_left_to_another_worker(tmp_path: Path) -> None:
    def fault(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        raise DeviceError("CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered", "cuStreamQuery")

    reply = Setting(tmp_path, fault).replay(cases=2)
    assert [case.error for case in reply.cases] == ["cudaErrorIllegalAddress"]
    assert reply.is_lost


def test_an_error_that_leaves_the_context_whole_concerns_one_case(tmp_path: Path) -> None:
    def refuse(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        raise DeviceError("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch", "cuLaunchKernel")

    setting = Setting(tmp_path, refuse)
    reply = setting.replay(cases=2)
    assert [case.error for case in reply.cases] == ["cudaErrorLaunchOutOfResources"] * 2
    assert not reply.is_lost
    assert setting.driver.allocated_bytes == 0


def test_a_kernel_that_never_ends_is_reported_and_costs_the_worker(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: setattr(driver, "is_stuck", True))
    reply = setting.replay()
    assert reply.cases[0].error == "timed out"
    assert reply.is_lost


def test_a_kernel_that_the_program_lacks_is_named(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: None)
    assert setting.replay(name="other(char*)").cases[0].error == "the program has no kernel k(char*)"


def test_all_memory_is_given_back(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: None)
    setting.replay(repeats=2, cases=2)
    assert setting.driver.allocated_bytes == 0


def test_memory_that_others_hold_is_no_fault_of_the_kernel(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: None)
    room, _ = setting.driver.memory()
    setting.driver.allocate(room - 1024)
    with pytest.raises(GpuBusyError, match="other programs hold all but"):
        setting.replay()


def test_a_case_that_no_such_gpu_has_room_for_is_reported(tmp_path: Path) -> None:
    _, total = HostDriver({}).memory()
    reply = Setting(tmp_path, lambda driver, given: None, (replace(POISON, size_bytes=total),)).replay()
    assert reply.cases[0].error == "cudaErrorMemoryAllocation"


def test_a_stray_write_that_hits_our_own_copy_of_the_first_contents_is_seen(tmp_path: Path) -> None:
    def strays(driver: HostDriver, given: tuple[bytes, ...]) -> None:
        own = address_of(given[0])
        start = Address(own & ~0xFFFFFFFF)
        driver.write(Address(start + driver.read(start, own - start).rfind(CONTENTS)), b"X")

    (reply,) = Setting(tmp_path, strays).replay(repeats=1).cases
    assert (reply.error, reply.guards_intact) == (None, False)


class Kept(Lease):
    """Does not come back once it is offered."""

    def offer(self) -> bool:
        raise GpuBusyError("another kernelopt measures")


def test_cases_that_ran_are_kept_when_another_process_takes_the_gpu(tmp_path: Path) -> None:
    setting = Setting(tmp_path, lambda driver, given: driver.write(address_of(given[0]), b"new"))
    setting.state.lease = Kept("GPU-host", tmp_path)
    reply = setting.replay(cases=2)
    assert [setting.left(case) for case in reply.cases] == [b"newtents"] and not reply.is_lost
    assert len(setting.replay(cases=1).cases) == 1
