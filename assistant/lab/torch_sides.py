"""The two sides of an operator, asked of the worker that runs PyTorch: orders in, answers out. The parent's end.

Example::

    sides = TorchSides(scratch, TorchPlace(…), limits)
    answer = await sides.run("reference", order, Path("/p"), is_candidate=False)
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.ports.lab import LabFailure, RunLimits
from assistant.program.torch_place import TorchPlace
from assistant.record import Record
from assistant.serialize import encode

__all__ = ["TorchGpu", "TorchSides", "extension_folder"]

_GRACE_S = 10.0
_START_S = 120.0
"""Importing PyTorch takes seconds; on a busy disk, for the first time, much longer. No part of a run's own time."""
_STUCK_S = 5.0
"""So long before its time is over, a side writes down where it is."""
_REMEDIES = {
    "timed_out": "raise --timeout, or make the sizes of the task smaller",
    "out_of_memory": "make the sizes of the task smaller, or raise limits.memory_bytes",
    "crashed": "run it by itself in Python",
}


class TorchGpu(Record):
    """The GPU that sides see, and the folder that receives what is compiled for it."""

    uuid: str
    compute_capability: str
    """``9.0``"""
    builds: Path


class TorchSides:
    """Runs each side in a fresh process; ``scratch`` receives what they leave. Without ``gpu`` they see none."""

    def __init__(self, scratch: Path, place: TorchPlace, limits: RunLimits, gpu: TorchGpu | None = None) -> None:
        self._scratch = scratch
        self.place = place
        self._gpu = gpu
        self._limits = limits
        self._worker = WorkerProcess("assistant.torch_worker", {**os.environ, "TMPDIR": str(scratch)})

    def folder(self, name: str) -> Path:
        """Where the side of this name leaves its files."""
        made = self._scratch / name
        made.mkdir(exist_ok=True)
        return made

    async def run(self, name: str, order: dict[str, Any], working_directory: Path, *, is_candidate: bool) -> dict[str, Any] | LabFailure:
        """The side's answer, with ``missing_limits``; a failure where its process did not come to give one."""
        folder = self.folder(name)
        (folder / "answer.json").unlink(missing_ok=True)
        wall_s = self._limits.wall_s + _START_S
        (folder / "order.json").write_text(json.dumps({**order, "stuck_s": wall_s - _STUCK_S}), "utf-8")
        message = {
            "folder": str(folder),
            "python": self.place.python,
            "working_directory": str(working_directory),
            "is_candidate": is_candidate,
            "wall_s": wall_s,
            "memory_bytes": self._limits.memory_bytes,
            "gpu": None if self._gpu is None else encode(self._gpu),
        }
        try:
            reply = await self._worker.request(message, wall_s + _GRACE_S)
        except (WorkerDied, WorkerTimedOut) as error:
            return LabFailure("crashed", f"the worker that runs PyTorch ended: {error}", "try again")
        if reply["failure"]:
            what = reply["failure"].replace("_", " ")
            said = f": {reply['message']}" if reply["message"] else ""
            return LabFailure(reply["failure"], f"PyTorch's process {what}{said}", _REMEDIES[reply["failure"]])
        answer: dict[str, Any] = json.loads((folder / "answer.json").read_bytes())
        return {**answer, "missing_limits": reply["missing"]}

    async def close(self) -> None:
        """End the worker and everything it started."""
        await self._worker.close()


def extension_folder() -> Path:
    """C++ headers that stand in for PyTorch's, and ``kernelopt/main.cpp``, which calls an extension's functions."""
    return Path(__file__).resolve().parent.parent / "torch_worker" / "include"
