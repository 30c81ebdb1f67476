"""What kernels of a Python process work with: a background loop, memory, and labs that compile and run.

Example::

    with Session(device="cpu") as session:
        kernel = kernelopt.compile(text, session=session)
"""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Self, TypeVar

from assistant.cli.compose import has_gpu, open_session
from assistant.config import load_settings, user_paths
from assistant.disk.temporary import OwnFolder
from assistant.engine import Session as Engine
from assistant.errors import CannotAnswerError, KernelOptError, UsageError
from assistant.lab.cache import FIRST_BUILD, is_emulator_built
from assistant.lab.cpu import CpuLab
from assistant.live.gpu_modules import GpuModules
from assistant.live.loop import BackgroundLoop
from assistant.live.sharing import SharedReader
from assistant.live.snapshot import remove_left_folders
from assistant.measure.targets import target as known_target
from assistant.model.events import Event
from kernelopt.texts import in_python

__all__ = ["Session", "default_session"]

T = TypeVar("T")
_FRONT_END = "python"


class Session:
    """Everything that runs for this process; started when it is first used, ended by ``close`` or with the process."""

    def __init__(self, device: str = "auto", target: str | None = None) -> None:
        """``device``: ``auto``, ``cpu`` (the emulator) or ``gpu:N``; ``target``: the GPU that speed is predicted for; None: the device
        itself where it is a GPU that is known, else as the settings say.

        Raises UsageError for another word or target, CannotAnswerError for a GPU that is not there.
        """
        with _in_python():
            self.has_gpu = has_gpu(device if isinstance(device, str) else repr(device))  # pyright: ignore[reportUnnecessaryIsInstance]
        """Whether kernels run, and are timed, on a GPU."""
        self.device = device
        self.target = None if target is None else known_target(target).name
        self.process = os.getpid()
        """A fork of the process has none of its threads and workers."""
        self.loop = BackgroundLoop()
        remove_left_folders()
        self._folder = OwnFolder(_FRONT_END)
        self._engine, self.lab = self.loop.call(self._open)
        self.shared = SharedReader(self.loop)
        self.modules = GpuModules()
        self.is_closed = False
        atexit.register(self.close)

    def _open(self) -> tuple[Engine, CpuLab]:
        target = self.target or load_settings(None).settings.target
        return open_session(_FRONT_END), CpuLab(self._folder.path, user_paths().cache, target)

    def ask(self, question: Callable[[Engine], T]) -> T:
        """What ``question`` returns of the engine, for what takes no time."""
        return self.loop.call(question, self._engine)

    def events(self, stream: Callable[[Engine], AsyncIterator[Event]]) -> list[Event]:
        """All events of a job, run to its end on the background loop; an interrupt of this thread ends it."""

        async def gathered() -> list[Event]:
            return [event async for event in stream(self._engine)]

        with _in_python():
            return self.loop.wait(gathered())

    def tell_first_build(self) -> None:
        """Where the emulator was never built on this machine, one line on standard error: who runs a script would take it for a hang."""
        if not is_emulator_built(self.lab.cache):
            sys.stderr.write(f"kernelopt: {FIRST_BUILD}\n")

    def close(self) -> None:
        """End every job and worker, and unload what was launched on a GPU, once that has ended."""
        if self.is_closed or os.getpid() != self.process:
            return
        self.is_closed = True
        self.modules.close()
        self.loop.close(self._end)
        self._folder.remove()
        atexit.unregister(self.close)

    async def _end(self) -> None:
        await asyncio.gather(self.lab.close(), self.shared.close())
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@contextmanager
def _in_python() -> Generator[None]:
    """What is refused, in words of Python."""
    try:
        yield
    except KernelOptError as refused:
        if type(refused) not in (UsageError, CannotAnswerError):
            raise
        raise type(refused)(in_python(refused.message), in_python(refused.remedy)) from None


_default: dict[tuple[str, str | None], Session] = {}
"""By device and target."""


def default_session(device: str = "auto", target: str | None = None) -> Session:
    """The one of a device and target where none is given; a forked process makes its own, and one that was closed is replaced."""
    found = _default.get((device, target))
    if found is None or found.is_closed or found.process != os.getpid():
        found = _default[device, target] = Session(device, target)
    return found
