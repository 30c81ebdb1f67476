"""Runs recorded launches on the GPU and keeps what they leave: fresh addresses, guard zones, fill patterns, bitwise repeats.

Every case gets the program's code loaded anew, so that device variables start as the program has them; what a kernel leaves in
variables that the recording does not know survives between the repeats, and shows there as a difference. A case that is repeated runs once
more behind another one with other values, on the same code. Example::

    replay(state, request).cases[0].error      # None, 'cudaErrorIllegalAddress', 'timed out'
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from assistant.device.driver import Address, DeviceError, Driver
from assistant.device.gpu_protocol import CaseReply, CaseRequest, ReplayReply, ReplayRequest
from assistant.device.gpu_state import GpuState, LoadedImage
from assistant.device.left import stored
from assistant.device.memory_checks import MemoryChecks
from assistant.device.replay_case import ReplayBuffer, ReplayCase, read_case
from assistant.device.staging import Pristine, Stage
from assistant.disk.gpu_lease import GpuBusyError, NoRoomError
from assistant.errors import CannotAnswerError
from assistant.model.launch import Dim3, LaunchConfig

__all__ = ["LaunchesTimedOut", "fill_shared", "replay", "runtime_error_name", "wait_for"]

_POLL_S = 50e-6
_LONGEST_POLL_S = 2e-3
_BYTE_MASK = 0xFF
_ROOMY_SHARE = 0.25
"""Share of the device's memory: a case no larger than this fits twice, whatever else the worker keeps."""
_MOST_VARIED = 8
"""Repeats that left something else than the first run and are kept: enough to show how far results spread."""
_FILL_THREADS = 256
_FILL_BLOCKS_PER_SM = 4
"""With nearly all of an SM's shared memory for each block, so many leave no SM out."""
_RUNTIME_NAMES = {
    "CUDA_ERROR_OUT_OF_MEMORY": "cudaErrorMemoryAllocation",
    "CUDA_ERROR_LAUNCH_FAILED": "cudaErrorLaunchFailure",
    "CUDA_ERROR_INVALID_HANDLE": "cudaErrorInvalidResourceHandle",
    "CUDA_ERROR_NOT_FOUND": "cudaErrorSymbolNotFound",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "cudaErrorNoKernelImageForDevice",
}
"""Driver results whose name in the runtime API is another (CUDA runtime API, cudaError, "replacing")."""


class LaunchesTimedOut(Exception):  # noqa: N818 - a fact, named as the code reads
    """The launches did not end in time: the kernel still runs, and only the end of the process stops it."""


def replay(state: GpuState, request: ReplayRequest) -> ReplayReply:
    """What every case left, in order, up to the first that cost the context, or to where somebody else keeps the GPU.

    Raises OSError where results cannot be written, NoRoomError where other programs hold the memory that a case needs.
    """
    blobs = request.out / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    replies: list[CaseReply] = []
    clean: ReplayCase | None = None
    for asked in request.cases:
        if replies and not _is_ours_again(state):
            break
        reply, is_lost, case = _replayed(state, request, asked, blobs, clean)
        replies.append(reply)
        if is_lost:
            return ReplayReply(tuple(replies), is_lost=True)
        clean = case if reply.error is None else clean
    return ReplayReply(tuple(replies), is_lost=False)


def _is_ours_again(state: GpuState) -> bool:
    """After waiting processes had the GPU: whether it came back in time."""
    try:
        state.lease.offer()
    except GpuBusyError:
        return False
    return True


def runtime_error_name(error: DeviceError) -> str:
    """``cudaErrorIllegalAddress`` for ``CUDA_ERROR_ILLEGAL_ADDRESS``: the name that programs print."""
    words = error.name.removeprefix("CUDA_ERROR_").split("_")
    return _RUNTIME_NAMES.get(error.name, "cudaError" + "".join(word.capitalize() for word in words))


def wait_for(driver: Driver, end_s: float) -> None:
    """Wait for the main stream until the clock (``time.monotonic``) reads ``end_s``; raises LaunchesTimedOut or DeviceError."""
    pause_s = _POLL_S
    while not driver.is_idle():
        if time.monotonic() > end_s:
            raise LaunchesTimedOut
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_POLL_S)


def fill_shared(state: GpuState, helpers: Path, byte: int) -> None:
    """Queue a kernel that leaves ``byte`` everywhere in every SM's shared memory."""
    size = state.facts.shared_bytes_per_block_optin
    blocks = _FILL_BLOCKS_PER_SM * state.facts.sm_count
    config = LaunchConfig(Dim3(blocks), Dim3(_FILL_THREADS), size)
    pattern = bytes([byte]) * 4
    kernel = state.helper(helpers, "kernelopt_fill_shared")
    state.driver.launch(state.driver.prepare(kernel, config, (pattern, (size // 4).to_bytes(4, "little"))))


def _replayed(
    state: GpuState, request: ReplayRequest, asked: CaseRequest, blobs: Path, clean: ReplayCase | None
) -> tuple[CaseReply, bool, ReplayCase | None]:
    """(what the case left, whether it cost the context, the case itself). ``clean``: one before it that ran."""
    try:
        case = read_case(asked)
    except CannotAnswerError as error:
        return _failed(error.message), False, None
    reply, is_lost = _guarded(state, case, lambda owned: _run_case(state, request, case, blobs, owned))
    if reply.error is not None or reply.repeat_difference is not None or request.repeats == 1 or clean is None or not _is_like(clean, case):
        return reply, is_lost, case
    return *_guarded(state, case, lambda owned: _after_other(state, request, (clean, case), reply, owned)), case


def _guarded(state: GpuState, case: ReplayCase, run: Callable[[ExitStack], CaseReply]) -> tuple[CaseReply, bool]:
    """What a run of the case left, and whether it cost the context. Raises GpuBusyError where others hold the memory that it needs."""
    try:
        with ExitStack() as owned:
            try:
                return run(owned), False
            except LaunchesTimedOut:
                state.abandon(owned.pop_all())
                raise
            except DeviceError as error:
                if error.is_out_of_memory and error.call == "cuMemAlloc":
                    _blame_others(state, case)
                raise
    except DeviceError as error:
        return _failed(runtime_error_name(error)), error.is_sticky
    except LaunchesTimedOut:
        return _failed("timed out"), True
    except GpuBusyError:
        raise
    except CannotAnswerError as error:
        return _failed(error.message), False
    except ValueError as error:
        return _failed(str(error)), False


def _is_like(one: ReplayCase, other: ReplayCase) -> bool:
    """Whether the second may find what the first keeps: the same kernels, and no results that hold addresses, which differ anyway."""
    kernels = [[launch.kernel for launch in case.launches] for case in (one, other)]
    return kernels[0] == kernels[1] and not other.has_inner_pointers


def _after_other(
    state: GpuState, request: ReplayRequest, cases: tuple[ReplayCase, ReplayCase], reply: CaseReply, owned: ExitStack
) -> CaseReply:
    """``reply`` to the second case, with what it leaves otherwise where the same code has run on the values of the first.

    Repeats have equal values, so that a result kept from the first of them would be right in all.
    """
    image = owned.enter_context(state.fresh(request.image))
    end_s = time.monotonic() + request.wall_s
    left: dict[int, bytes] = {}
    for each in cases:
        with ExitStack() as buffers:
            pristine = buffers.enter_context(closing(Pristine(state.driver, each, request.fill)))
            stage = buffers.enter_context(closing(Stage(state.driver, pristine, (image,), Random(request.seed))))  # noqa: S311
            stage.restore()
            fill_shared(state, request.helpers, request.shared_fill)
            for launch in stage.launches(image, each):
                state.driver.launch(launch)
            try:
                wait_for(state.driver, end_s)
            except LaunchesTimedOut:
                owned.push(buffers.pop_all())
                raise
            left = {buffer.id: stage.read(buffer.id) for buffer in each.buffers}
    after = stored(left.items(), request.out / "blobs")
    changed = next((old[0] for old, new in zip(reply.after, after, strict=True) if old != new), None)
    if changed is None:
        return reply
    said = f"after a launch on other values it differs in buffer {changed}: state is kept between calls"
    return replace(reply, repeat_difference=said, varied=(after,))


def _blame_others(state: GpuState, case: ReplayCase) -> None:
    """Raises NoRoomError for a case that the GPU has room for as such: that there is none now says nothing of the kernel."""
    free_bytes, total_bytes = state.driver.memory()
    if case.size_bytes < _ROOMY_SHARE * total_bytes:
        raise NoRoomError(f"no room for {case.size_bytes} bytes twice: other programs hold all but {free_bytes} of {total_bytes} bytes")


def _run_case(state: GpuState, request: ReplayRequest, case: ReplayCase, blobs: Path, owned: ExitStack) -> CaseReply:
    image = owned.enter_context(state.fresh(request.image))
    pristine = owned.enter_context(closing(Pristine(state.driver, case, request.fill)))
    places = Random(request.seed)  # noqa: S311 - no secrets
    stage = owned.enter_context(closing(Stage(state.driver, pristine, (image,), places)))
    return _Repeats(state, request, pristine, image, stage, owned).run(blobs)


def _failed(error: str) -> CaseReply:
    return CaseReply(error, (), guards_intact=True, repeat_difference=None)


class _Repeats:
    """The runs of a case. What a buffer holds is compared where it lies, and copied to the host only where it changed."""

    def __init__(
        self, state: GpuState, request: ReplayRequest, pristine: Pristine, image: LoadedImage, stage: Stage, owned: ExitStack
    ) -> None:
        """``owned`` gives back what is kept on the device."""
        self._state = state
        self._request = request
        self._pristine = pristine
        self._case = pristine.case
        self._image = image
        self._stage = stage
        self._owned = owned
        self._checks = owned.enter_context(closing(MemoryChecks(state, request.helpers)))
        self._end_s = time.monotonic() + request.wall_s

    def run(self, blobs: Path) -> CaseReply:
        untouched = self._pristine_checksums()
        self._run_once(0)
        first = {buffer.id: self._left(buffer) for buffer in self._case.buffers}
        after = stored(first.items(), blobs)
        guards_intact = self._stage.broken_guard() is None
        kept = self._kept(first) if self._request.repeats > 1 else {}
        difference: str | None = None
        varied: list[tuple[tuple[int, str], ...]] = []
        for repeat in range(1, self._request.repeats):
            if not self._case.has_inner_pointers:
                self._stage.move()
            self._run_once(repeat)
            guards_intact &= self._stage.broken_guard() is None
            changed = self._changed(first, kept)
            if changed:
                difference = difference or _difference({key: _bytes(first[key]) for key in changed}, changed, repeat)
                varied.append(stored({**first, **changed}.items(), blobs))
            if len(varied) == _MOST_VARIED:
                break
        return CaseReply(None, after, guards_intact and self._pristine_checksums() == untouched, difference, tuple(varied))

    def _run_once(self, repeat: int) -> None:
        driver = self._state.driver
        self._stage.restore()
        pattern = self._request.shared_fill ^ (_BYTE_MASK if repeat % 2 else 0)
        fill_shared(self._state, self._request.helpers, pattern)
        for launch in self._stage.launches(self._image, self._case):
            driver.launch(launch)
        wait_for(driver, self._end_s)

    def _pristine_checksums(self) -> list[bytes]:
        """No kernel is ever given these addresses, so that only a stray write changes what is there."""
        return [self._checks.checksum(self._pristine.address(buffer.id), buffer.size_bytes) for buffer in self._case.buffers]

    def _left(self, buffer: ReplayBuffer) -> bytes | Path:
        """What the launches left there; the file that has it where they left it as it was."""
        place = self._stage.place(buffer.id)
        if buffer.file is None or place is None or buffer.pointers:
            return self._stage.read(buffer.id)
        is_as_before = self._checks.are_equal(place[0], self._pristine.address(buffer.id), place[1])
        return buffer.file if is_as_before else self._stage.read(buffer.id)

    def _kept(self, first: dict[int, bytes | Path]) -> dict[int, Address]:
        """Where on the device copies of what the first run left are, as far as there is room for them."""
        driver, kept = self._state.driver, dict[int, Address]()
        for buffer in self._case.buffers:
            place = self._stage.place(buffer.id)
            if place is None or buffer.pointers:
                continue
            if isinstance(first[buffer.id], Path):
                kept[buffer.id] = self._pristine.address(buffer.id)
                continue
            try:
                kept[buffer.id] = driver.allocate(buffer.size_bytes)
            except DeviceError as error:
                if not error.is_out_of_memory:
                    raise
                break
            self._owned.callback(self._free, kept[buffer.id])
            driver.copy(kept[buffer.id], place[0], buffer.size_bytes)
        return kept

    def _free(self, address: Address) -> None:
        with suppress(DeviceError):  # of a lost context, which frees all there is
            self._state.driver.free(address)

    def _changed(self, first: dict[int, bytes | Path], kept: dict[int, Address]) -> dict[int, bytes]:
        """Contents of the buffers that hold something else than after the first run."""
        found: dict[int, bytes] = {}
        for buffer in self._case.buffers:
            place = self._stage.place(buffer.id)
            if buffer.id in kept and place is not None and self._checks.are_equal(place[0], kept[buffer.id], place[1]):
                continue
            again = self._stage.read(buffer.id)
            if again != _bytes(first[buffer.id]):
                found[buffer.id] = again
        return found


def _bytes(left: bytes | Path) -> bytes:
    return left.read_bytes() if isinstance(left, Path) else left


def _difference(first: dict[int, bytes], again: dict[int, bytes], repeat: int) -> str | None:
    """The first byte in which a repeat differs, in words."""
    for buffer, expected in first.items():
        if again[buffer] != expected:
            at = next(_differing(expected, again[buffer]))
            return f"repeat {repeat} differs in buffer {buffer} at byte {at}: {expected[at]:02x} became {again[buffer][at]:02x}"
    return None


def _differing(one: bytes, other: bytes) -> Iterator[int]:
    return (at for at, (mine, theirs) in enumerate(zip(one, other, strict=True)) if mine != theirs)
