"""What a front end needs to record launches in its own process: the library that does it, and its log made a recording.

Both are the capture worker's work (``python -m assistant.device.capture``); loading the library is the front end's. Example::

    recorder = LaunchRecorder(scratch, cache)
    library = await recorder.library()                   # Path('…/capture/4f….so'), or why there is none
    recording = await recorder.collect(raw, record, ())  # what was recorded into `raw`
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.model.recording import Recording
from assistant.ports.lab import LabFailure
from assistant.serialize import loads

__all__ = ["LaunchRecorder"]

_BUILD_S = 120.0
_COLLECT_S = 120.0
"""Hashing what a recording may hold at most, on a slow disk."""


class LaunchRecorder:
    """Asks one capture worker, which runs nothing here."""

    def __init__(self, scratch: Path, cache: Path) -> None:
        """``cache`` keeps the library."""
        self._cache = cache
        self._worker = WorkerProcess("assistant.device.capture", {**os.environ, "TMPDIR": str(scratch)})

    async def library(self) -> Path | LabFailure:
        """The library, built if it is not there yet."""
        reply = await self._asked({"op": "library", "cache": str(self._cache)}, _BUILD_S)
        return reply if isinstance(reply, LabFailure) else Path(reply["library"])

    async def collect(self, raw: Path, record: Path, texts: tuple[str, ...]) -> Recording | LabFailure:
        """The recording of what lies in ``raw``, which is moved to ``record``; ``texts``: of the kernels that may be in it."""
        message = {"op": "collect", "raw": str(raw), "record": str(record), "texts": list(texts)}
        reply = await self._asked(message, _COLLECT_S)
        return reply if isinstance(reply, LabFailure) else loads(Recording, (record / "recording.json").read_bytes())

    async def close(self) -> None:
        await self._worker.close()

    async def _asked(self, message: dict[str, Any], deadline_s: float) -> dict[str, Any] | LabFailure:
        try:
            reply = await self._worker.request(message, deadline_s)
        except WorkerTimedOut as error:
            return LabFailure("timed_out", str(error), "kernelopt doctor")
        except WorkerDied as error:
            return LabFailure("internal", str(error), "kernelopt doctor")
        return LabFailure(reply["failure"], reply["message"], reply["remedy"]) if "failure" in reply else reply
