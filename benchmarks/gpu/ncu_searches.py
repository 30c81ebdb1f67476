"""Faster versions of programs, found by ``kernelopt optimize`` and built for a run under a profiler.

Several programs can be searched at a time, each in a thread of the caller's. Edits of several kernels of a program are merged into one
edited program, so that few need to be profiled. Example::

    found = search(Path("blur.cu"), SearchOptions(folder), end_s)
    for built in found.versions:
        built.binary, built.edits   # what to run, and our times of its kernels
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assistant.cuda.rebase import RebasedChange, rebase
from assistant.memory.store import open_store
from assistant.model.comparison import CaseSpeed
from assistant.model.proposal import Proposal

__all__ = ["Built", "Edit", "Search", "SearchOptions", "Version", "merged", "search"]

_BUILD_S = 200.0
_ENDING_S = 25.0
"""What a search that is interrupted may take to end its workers."""
_LEAST_S = 1.0
_SHOWN = 300
"""Characters of what a program said."""


@dataclass(frozen=True)
class SearchOptions:
    """What all searches have in common."""

    folder: Path
    """Where programs are copied to and built, and where what searches remember is kept."""
    device: str = "gpu:0"
    arguments: tuple[str, ...] = ()
    """Further ones for ``kernelopt optimize``."""
    most_versions: int = 2
    """Built of one program."""


@dataclass(frozen=True)
class Edit:
    """A proposal that was timed."""

    proposal: str
    kernel: str
    techniques: tuple[str, ...]
    cases: tuple[CaseSpeed, ...]
    """Those of which both sides were timed."""
    method: str
    quality: str
    after_text: str


@dataclass(frozen=True)
class Version:
    """A program with edits of different kernels."""

    text: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Built:
    """A version that can be run."""

    binary: Path
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Search:
    """How a search went."""

    program: str
    device: str
    candidate_count: int
    proposal_count: int
    timed_count: int
    """Proposals with measured times."""
    seconds: float
    is_cut_short: bool
    reason: str
    """Of its end, or the end of what it said."""
    original: Path | None
    """The program as it was, built; None where nothing was timed or nvcc refused it."""
    versions: tuple[Built, ...]
    problems: tuple[str, ...]
    """Of building, and what was left out."""


def search(path: Path, options: SearchOptions, end_s: float) -> Search:
    """Search one program until the clock (``time.monotonic``) reads ``end_s``, then build what was found."""
    place = (options.folder / "programs" / path.stem).resolve()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    copied = Path(shutil.copy(path, place))
    home = (options.folder / "home").resolve()
    start_s = time.monotonic()
    is_cut_short = _run(copied, home, options, end_s)
    events = _events(place / "events.jsonl")
    tried = sum(event["event"] == "candidate" for event in events)
    ids = [event["id"] for event in events if event["event"] == "proposal"]
    reason = events[-1].get("reason", "") if events else (place / "errors.txt").read_text("utf-8", "replace")[-_SHOWN:]
    timed = [proposal for proposal in _proposals(home / "memory.sqlite3", ids) if _timed_cases(proposal)]
    seconds = round(time.monotonic() - start_s, 1)
    found = Search(path.stem, options.device, tried, len(ids), len(timed), seconds, is_cut_short, reason, None, (), ())
    versions = merged(timed[0].files[0].before_text, map(_edit, timed)) if timed else ()
    return _built(found, copied, versions, options.most_versions) if versions else found


def merged(text: str, edits: Iterable[Edit]) -> tuple[Version, ...]:
    """Each edit of ``text`` in the first version that has none of its kernel and takes it without a conflict, else in a new one."""
    versions: list[Version] = []
    for edit in edits:
        for index, version in enumerate(versions):
            if edit.kernel in (other.kernel for other in version.edits):
                continue
            made = rebase(text, edit.after_text, version.text)
            if isinstance(made, RebasedChange):
                versions[index] = Version(made.text, (*version.edits, edit))
                break
        else:
            versions.append(Version(edit.after_text, (edit,)))
    return tuple(versions)


def _run(copied: Path, home: Path, options: SearchOptions, end_s: float) -> bool:
    """Whether the search was interrupted; what it prints lies next to the program."""
    how = ("--json", "--accept", "none", "--planner", "expert", "--device", options.device, *options.arguments)
    command = (sys.executable, "-m", "assistant", "optimize", copied.name, *how)
    environment = {**os.environ, "KERNELOPT_HOME": str(home)}
    place = copied.parent
    with (place / "events.jsonl").open("wb") as out, (place / "errors.txt").open("wb") as errors:
        child = subprocess.Popen(command, cwd=place, env=environment, stdout=out, stderr=errors)
        try:
            child.wait(max(_LEAST_S, end_s - time.monotonic()))
            return False
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
        try:
            child.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    return True


def _events(path: Path) -> list[dict[str, Any]]:
    """All that were written to their end: of a search that was killed, the last one may not be."""
    whole = (line for line in path.read_text("utf-8").splitlines(keepends=True) if line.startswith("{") and line.endswith("\n"))
    return [json.loads(line) for line in whole]


def _proposals(memory: Path, ids: Sequence[str]) -> list[Proposal]:
    """From memory, which keeps their texts: events hold only diffs."""
    if not ids:
        return []
    with open_store(memory) as store:
        return [store.find_proposal(found) for found in ids]


def _timed_cases(proposal: Proposal) -> tuple[CaseSpeed, ...]:
    """None where no GPU measured it."""
    return tuple(case for case in proposal.comparison.cases if case.before_s and case.after_s)


def _edit(proposal: Proposal) -> Edit:
    speed = proposal.comparison
    cases = _timed_cases(proposal)
    return Edit(proposal.id, proposal.kernel, proposal.techniques, cases, speed.method, speed.quality, proposal.files[0].after_text)


def _built(found: Search, original: Path, versions: Sequence[Version], most: int) -> Search:
    """With binaries of the original and of the first versions."""
    first = _binary(original)
    built: list[Built] = []
    problems = [first] if isinstance(first, str) else []
    for index, version in enumerate(versions[:most]):
        source = original.with_name(f"{original.stem}-edited{index}.cu")
        source.write_text(version.text, "utf-8", "surrogateescape", newline="")
        match _binary(source):
            case Path() as binary:
                built.append(Built(binary, version.edits))
            case problem:
                problems.append(problem)
    if len(versions) > most:
        problems.append(f"{len(versions) - most} more versions were not built")
    return replace(found, original=first if isinstance(first, Path) else None, versions=tuple(built), problems=tuple(problems))


def _binary(source: Path) -> Path | str:
    """Built for the GPU of this machine; what nvcc said where it refused."""
    binary = source.with_suffix(".out")
    command = ("nvcc", "-O3", "-arch=native", "-o", str(binary), str(source))
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_BUILD_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"nvcc {source.name}: {error}"
    return f"nvcc {source.name}: {ended.stderr[:_SHOWN]}" if ended.returncode else binary
