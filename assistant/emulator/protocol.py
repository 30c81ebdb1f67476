"""What the emulator process is asked and what it answers: one JSON object per line.

A request names its ``op``; the other fields are those of one dataclass here, checked strictly. Every reply is one object; a
request that cannot be served gets ``{"failure": kind, "message": …, "remedy": …}``.

Example::

    {"op": "run", "binary": "/cache/builds/…/program", "args": ["1024"], "cwd": "/home/u/p", "mode": "count"}
    → {"exit_status": 0, "signal": null, …, "profiles": […], "problems": […], "sites": […], "launch_count": 3}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from assistant.emulator.toolchain import Flavour
from assistant.model.profile import Correction, LaunchProfile, Problem
from assistant.record import Record
from assistant.worker.limits import ProgramLimits

__all__ = [
    "BuildMessage",
    "CaseReply",
    "ConfigureMessage",
    "Mode",
    "ReplayCase",
    "ReplayReply",
    "ReplayRequest",
    "RunReply",
    "RunRequest",
    "SiteDetail",
    "failure",
]

Mode = Literal["plain", "count", "check"]


class BuildMessage(Record):
    """Build a program (``assistant.emulator.build``)."""

    sources: tuple[tuple[str, str], ...]
    """(absolute path, text); the first is the main one."""
    cache_dir: str
    flavour: Flavour = "fast"
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    promote_float: bool = False
    noted_function: str | None = None
    """A function of the host whose calls a recording notes."""
    standard: str = "17"
    libraries: tuple[str, ...] = ()
    """``-lNAME``, ``-LFOLDER`` and files, in order."""
    workspaces: tuple[str, ...] = ()
    """Folders of which compilers may read everything, in addition to the sources' own."""


class ConfigureMessage(Record):
    """Configure a CMake project (``assistant.emulator.configure``)."""

    source: str
    """Absolute folder of its top ``CMakeLists.txt``."""
    folder: str
    """Absolute; emptied and filled."""
    options: tuple[str, ...] = ()
    """Further words of cmake's command line."""


class RunRequest(Record):
    """Run a program's ``main``."""

    binary: Path
    cwd: Path
    args: tuple[str, ...] = ()
    mode: Mode = "plain"
    record: Path | None = None
    """Folder for a recording; None: record nothing."""
    uploads: Path | None = None
    """Folder with contents to be copied to the device in place of others (``runtime/uploads.h``)."""
    sample_blocks: int = 0
    """Count about so many blocks of each launch; 0: all."""
    launch_limit: int | None = None
    """Count only the first so many launches; None: all."""
    seed: int = 0
    """Order of blocks, warps and lanes; 0: launch order."""
    is_late: bool = False
    """What is put into streams runs as late as CUDA allows, and in another order; otherwise at once, as it is issued."""
    device_fill: int | None = None
    """Byte that fresh device memory holds; None: zeros."""
    corrections: tuple[Correction, ...] = ()
    """Accesses to be counted as one."""
    is_candidate: bool = False
    """Code that the user did not write: confined (``sandbox``), in a private copy of ``cwd``."""
    limits: ProgramLimits = ProgramLimits()


class ReplayCase(Record):
    """Some launches of a recording, run one after another on the contents before the first."""

    recording: Path
    launches: tuple[int, ...]
    fill: int | None = None
    """Byte that poisoned buffers are filled with; None: as recorded."""
    shared_fill: int | None = None
    """Byte that shared memory holds when a block starts; None: what the block before left."""
    repeats: int = 1
    seed: int = 0
    are_results_kept: bool = True
    """False: the reply's ``after`` is empty."""
    kernels: tuple[str, ...] = ()
    """Which kernel of the program stands for each launch's; empty: the one of the same name."""


class ReplayRequest(Record):
    """Run cases in a program's kernels; each case in a process of its own."""

    binary: Path
    cases: tuple[ReplayCase, ...]
    out: Path
    """Receives ``blobs/<sha256>``."""
    mode: Mode = "plain"
    sample_blocks: int = 0
    limits: ProgramLimits = ProgramLimits()
    """``wall_s`` is processor time of each case: of its busiest thread that runs blocks, and of its own."""
    patience: float = 4.0
    """By the clock a case may take so many times as long: other processes may keep the machine busy."""
    corrections: tuple[Correction, ...] = ()


class SiteDetail(Record):
    """Counters of an access site: what grading against SASS compares."""

    file: str
    line: int
    op: str
    size_bytes: int
    requests: int
    lanes: int
    units: int
    """Sectors, or wavefronts in shared memory."""
    ideal_units: int
    block_executions: int
    """Warp-level executions of the basic block that holds the site."""
    is_unordered: bool
    """A race or a compare-and-swap loop decides how often it runs."""
    function: str = ""
    """Innermost function, demangled; helps to tell inlined copies apart."""
    address: int = 0
    tags: int = 0
    passes: int = 0
    doubtful_requests: int = 0
    serial_wavefronts: int = 0
    """These five as in ``AccessSite``."""


class RunReply(Record):
    """What came of a run."""

    exit_status: int | None
    """None when a signal ended it."""
    signal: str | None
    """``SIGSEGV`` …"""
    timed_out: bool
    memory_exceeded: bool
    tasks_exceeded: bool
    output_truncated: bool
    stdout_path: str
    stderr_path: str
    profiles: tuple[LaunchProfile, ...]
    problems: tuple[Problem, ...]
    """Problems of all launches, merged by kind and place."""
    sites: tuple[tuple[SiteDetail, ...], ...]
    """Parallel to ``profiles``."""
    launch_count: int
    unsupported: tuple[str, ...]
    """Host API functions that were called and are not emulated."""
    recording: str | None
    confinement: tuple[str, ...] = ()
    """ProgramLimits that were in force beyond time, memory and number of processes; empty for the user's own program."""
    missing: tuple[str, ...] = ()
    """ProgramLimits that this machine could not put in force, and what the private copy left out."""


class CaseReply(Record):
    """What came of a case."""

    ok: bool
    error: str | None
    """CUDA error name, ``crashed: …``, ``timed out`` or why it could not be run; None when it ran."""
    after: dict[str, str]
    """Buffer id → SHA-256 of its contents after the last launch."""
    guards_intact: bool
    repeat_difference: str | None
    """First difference between repeats, in words; None when bitwise equal."""
    problems: tuple[Problem, ...]
    profiles: tuple[LaunchProfile, ...]
    sites: tuple[tuple[SiteDetail, ...], ...]
    varied: tuple[dict[str, str], ...] = ()
    """As ``after``, of each repeat that left something else than the first run: at most eight, and at most 512 MiB of them in all."""


class ReplayReply(Record):
    """What came of all cases; replays are always confined."""

    cases: tuple[CaseReply, ...]
    confinement: tuple[str, ...]
    missing: tuple[str, ...]
    """As in ``RunReply``."""
    printed: str = ""
    """What kernels printed in all cases, up to a limit."""


def failure(kind: str, message: str, remedy: str = "") -> dict[str, Any]:
    """A request that could not be served at all."""
    return {"failure": kind, "message": message, "remedy": remedy}
