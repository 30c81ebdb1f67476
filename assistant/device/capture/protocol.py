"""What the capture worker is asked and what it answers: one JSON object per line.

Example::

    {"op": "capture", "sources": [["/p/a.cu", "…"]], "flags": {…}, "architecture": "sm_90", "args": ["1024"], "cwd": "/p", …}
    → {"exit_status": 0, …, "launch_count": 3, "recording": "/s/r1"} or {"failure": "not_built", "message": …, "remedy": …}
    {"op": "build", …}      # as for "capture", and nothing is run
    → {}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assistant.build.flags import DEFAULT_FLAGS
from assistant.model.build import Diagnostic, Flags
from assistant.record import Record
from assistant.serialize import encode
from assistant.worker.limits import ProgramLimits

__all__ = [
    "BuildReply",
    "CaptureFailed",
    "CaptureReply",
    "CaptureRequest",
    "CollectReply",
    "CollectRequest",
    "LibraryReply",
    "LibraryRequest",
    "refusal",
]


class CaptureRequest(Record):
    """Run one program on a GPU with its launches recorded."""

    sources: tuple[tuple[str, str], ...]
    """(absolute path, text); the first is the file in question."""
    cwd: Path
    record: Path
    """Folder that receives the recording."""
    cache: Path
    """Keeps the library that is loaded into programs, and programs built from sources."""
    limits: ProgramLimits
    flags: Flags = DEFAULT_FLAGS
    architecture: str = "sm_90"
    args: tuple[str, ...] = ()
    """Arguments of the program that is built from the sources; a command has its own."""
    libraries: tuple[str, ...] = ()
    """Other libraries that the sources' program is linked with: ``-lNAME``, ``-LFOLDER`` and files, in order."""
    build_command: tuple[str, ...] | None = None
    run_command: tuple[str, ...] | None = None
    """None: the sources are built and their ``main`` is run."""
    is_extension: bool = False
    """The command is a Python script whose PyTorch extension is built from the sources, by ``build_command`` or by the script."""
    is_candidate: bool = False
    """The sources' texts are not the user's: their program runs confined, in a private copy of ``cwd``."""
    visible_devices: str | None = None
    """Value of ``CUDA_VISIBLE_DEVICES``; None: as it is."""
    gpu_uuids: tuple[str, ...] = ()
    """The GPUs on which nothing is measured while the program runs: all that it may use."""
    is_timeline: bool = False
    """When kernels, copies and fills ran is recorded, and nothing else: the program is not waited for anywhere."""
    snapshots: Path | None = None
    """Folder with the pipes through which snapshots of large launches are taken; then no launch is recorded (``inject/snapshots.h``)."""
    workspaces: tuple[str, ...] = ()
    """Folders of which compilers may read everything, in addition to the sources' own."""


class CaptureReply(Record):
    """How the program ended; its output lies in the two files, its launches in the recording's folder."""

    exit_status: int | None
    signal: str | None
    timed_out: bool
    memory_exceeded: bool
    tasks_exceeded: bool
    output_truncated: bool
    stdout_path: str
    stderr_path: str
    launch_count: int
    recording: str
    missing: tuple[str, ...]
    """ProgramLimits of a candidate that could not be put in force."""


class BuildReply(Record):
    """What a run of the program starts with is built, as far as it can be without running it."""


class LibraryRequest(Record):
    """Build the library that records launches, for a process that loads it by itself."""

    cache: Path


class LibraryReply(Record):
    library: Path


class CollectRequest(Record):
    """Turn what the library wrote in such a process into a recording."""

    raw: Path
    """Holds one folder with a log, and is removed."""
    record: Path
    texts: tuple[str, ...] = ()
    """CUDA texts whose device variables may be in it: their element types."""


class CollectReply(Record):
    launch_count: int


class CaptureFailed(Exception):  # noqa: N818 - a fact, named as the code reads
    """Why nothing was run; ``kind`` as of ``ports.lab.LabFailure``."""

    def __init__(self, kind: str, message: str, remedy: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.remedy = remedy
        self.diagnostics = diagnostics


def refusal(failed: CaptureFailed) -> dict[str, Any]:
    return {
        "failure": failed.kind,
        "message": failed.message,
        "remedy": failed.remedy,
        "diagnostics": encode(failed.diagnostics),
    }
