"""What the workers of a machine without a GPU reply, as values: programs that ran, replayed cases, counted launches, references.

Knows the shape of replies alone; asking is `assistant.lab.cpu`'s.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.model.profile import AccessSite, LaunchProfile, Problem
from assistant.model.recording import Recording
from assistant.ports.lab import CaseRun, ProgramRun
from assistant.serialize import decode, loads

__all__ = ["case_run", "float_outputs", "program_run"]


def program_run(reply: dict[str, Any], recording: Path | None) -> ProgramRun:
    """A program that ran; ``recording``: the folder that it was recorded in."""
    manifest = None if recording is None else recording / "recording.json"
    return ProgramRun(
        exit_status=reply["exit_status"],
        signal=reply["signal"],
        memory_exceeded=reply["memory_exceeded"],
        timed_out=reply["timed_out"],
        output_truncated=reply["output_truncated"],
        stdout=Path(reply["stdout_path"]).read_bytes(),
        stderr=Path(reply["stderr_path"]).read_bytes(),
        recording_path=recording,
        recording=None if manifest is None or not manifest.exists() else loads(Recording, manifest.read_bytes()),
        launch_count=reply["launch_count"],
        profiles=_profiles(reply),
        problems=decode(tuple[Problem, ...], reply["problems"]),
        unsupported=decode(tuple[str, ...], reply["unsupported"]),
        tasks_exceeded=reply["tasks_exceeded"],
        missing_limits=decode(tuple[str, ...], reply["missing"]),
    )


def case_run(reply: dict[str, Any]) -> CaseRun:
    """One replayed case."""
    difference = reply["repeat_difference"]
    return CaseRun(
        ok=reply["ok"],
        error=reply["error"],
        after=_contents(reply["after"]),
        guards_intact=reply["guards_intact"],
        repeat_difference=None if difference is None else str(difference),
        problems=decode(tuple[Problem, ...], reply["problems"]),
        profiles=_profiles(reply),
        varied=tuple(_contents(left) for left in reply["varied"]),
    )


def _contents(left: dict[str, str]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted((int(buffer), blob) for buffer, blob in left.items()))


def _profiles(reply: dict[str, Any]) -> tuple[LaunchProfile, ...]:
    """Launches with their access sites, which travel next to them."""
    profiles = decode(tuple[LaunchProfile, ...], reply["profiles"])
    return tuple(
        profile if profile.sites else replace(profile, sites=tuple(_site(site) for site in sites))
        for profile, sites in zip(profiles, reply["sites"], strict=True)
    )


def _site(detail: dict[str, Any]) -> AccessSite:
    return AccessSite(
        file=detail["file"],
        line=detail["line"],
        op=detail["op"],
        size_bytes=detail["size_bytes"],
        requests=detail["requests"],
        active_threads=detail["lanes"],
        is_unordered=detail["is_unordered"],
        address=detail["address"],
        units=detail["units"],
        ideal_units=detail["ideal_units"],
        tags=detail["tags"],
        passes=detail["passes"],
        doubtful_requests=detail["doubtful_requests"],
        serial_wavefronts=detail["serial_wavefronts"],
    )


def float_outputs(outputs: list[list[str]]) -> tuple[tuple[str, bytes], ...]:
    """(name, float64 values) of the floating outputs among (name, file, dtype)."""
    return tuple((name, Path(file).read_bytes()) for name, file, dtype in outputs if dtype == "<f8")
