"""Runs recorded launches once and ends: the program that profilers and sanitizers watch (``child_commands.relaunch_command``).

A process of its own, as those tools start what they watch. Every buffer is an allocation of exactly its size, so that a step beyond it is
seen; a buffer whose contents are arbitrary stays unwritten where a tool looks for such reads. It ends with status 0, or with 1 and the
reason on standard error.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from assistant.device.driver import Address, DeviceError, Driver
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState, LoadedImage
from assistant.device.opening import open_driver
from assistant.device.replay import LaunchesTimedOut, wait_for
from assistant.device.replay_case import ReplayBuffer, ReplayCase, read_case, with_pointers
from assistant.errors import CannotAnswerError
from assistant.record import Record
from assistant.serialize import loads

__all__ = ["RelaunchRequest", "relaunch", "run"]


class RelaunchRequest(Record):
    """Cases to run, one after another."""

    image: Image
    cases: tuple[CaseRequest, ...]
    fill: int
    """Byte that buffers with arbitrary contents are filled with."""
    is_poison_written: bool
    """False: such buffers are left as they were allocated."""
    wall_s: float
    """Limit for all cases together."""


def relaunch(driver: Driver, request: RelaunchRequest) -> None:
    """Run every case once. Raises DeviceError, LaunchesTimedOut and CannotAnswerError."""
    state = GpuState(driver)
    end_s = time.monotonic() + request.wall_s
    for asked in request.cases:
        case = read_case(asked)
        with state.fresh(request.image) as image:
            places = _placed(driver, case, image, request)
            for launch in case.launches:
                arguments = launch.arguments_at(places)
                function = image.function(launch.kernel)
                driver.launch(driver.prepare(function, launch.config, arguments, launch.is_cooperative, launch.cluster))
            wait_for(driver, end_s)
            for buffer in case.buffers:
                if buffer.symbol is None:
                    driver.free(places[buffer.id])


def _placed(driver: Driver, case: ReplayCase, image: LoadedImage, request: RelaunchRequest) -> dict[int, Address]:
    """Every buffer with its contents, and where it is."""
    places: dict[int, Address] = {}
    for buffer in case.buffers:
        symbol = None if buffer.symbol is None else image.symbol(buffer.symbol)
        places[buffer.id] = driver.allocate(buffer.size_bytes) if symbol is None else symbol[0]
    for buffer in case.buffers:
        _write(driver, places, buffer, request)
    driver.synchronize()
    return places


def _write(driver: Driver, places: dict[int, Address], buffer: ReplayBuffer, request: RelaunchRequest) -> None:
    contents = with_pointers(buffer.contents, buffer.pointers, places)[: buffer.size_bytes]
    driver.write(places[buffer.id], contents)
    left = buffer.size_bytes - len(contents)
    if left and (request.is_poison_written or not buffer.is_poisoned):
        driver.fill(Address(places[buffer.id] + len(contents)), request.fill, left)


def run(asked: Path) -> int:
    """The status to end with, of the request in that file."""
    request = loads(RelaunchRequest, asked.read_bytes())
    try:
        relaunch(open_driver("auto", 0), request)
    except (DeviceError, CannotAnswerError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except LaunchesTimedOut:
        sys.stderr.write(f"the launches did not end within {request.wall_s:g} s\n")
        sys.stderr.flush()
        os._exit(1)  # the driver's own clean-up would wait for the kernel
    return 0
