"""Reads what compute-sanitizer prints into the problems that the emulator's checks find too. Pure.

Example of what is read (2025.3, ``--strip-paths no``)::

    ========= Invalid __global__ write of size 4 bytes
    =========     at scale(float *, int)+0x90 in /home/me/scale.cu:4
    =========     by thread (120,0,0) in block (1,0,0)
    =========     Access to 0x7f03b88003e0 is out of bounds
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from assistant.model.profile import Problem
from assistant.record import Record

__all__ = ["Place", "PlaceOf", "read_findings"]

_PREFIX = "========="
_AT = re.compile(r"^\s+at (?P<function>.+?)(?:\+0x(?P<offset>[0-9a-f]+))?(?: in (?P<file>.+):(?P<line>\d+))?$")
_RACE = re.compile(r"^(?P<level>Error|Warning): Race reported between (?P<first>\w+) access(?P<at>.*)$")
_RACE_OTHER = re.compile(r"^\s+and (?P<second>\w+) access(?P<at>.*?)(?: \[(?P<count>\d+) hazards?\])?$")
_WHO = re.compile(r"^\s+by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_ADDRESS = re.compile(r"^\s+(?:Access to|Address) (0x[0-9a-f]+)(?P<what>.*)$")
_INVALID = re.compile(r"^Invalid __(?P<space>\w+)__ (?P<access>\w+) of size (?P<size>[\d,]+) bytes?")
_UNINITIALISED = re.compile(r"^Uninitialized __(?P<space>\w+)__ memory read of size (?P<size>[\d,]+) bytes?")
_BARRIER = re.compile(r"^Barrier error detected\. (?P<what>.*)$")

Place = tuple[str, int]
PlaceOf = Callable[[str, int], Place | None]
"""(demangled kernel, offset of an instruction) → the user's line; None where only the tool's answer is known."""


class _Record(Record):
    """One report: its headline and what follows it."""

    headline: str
    lines: tuple[str, ...]


def read_findings(text: str, tool: str, place_of: PlaceOf) -> tuple[Problem, ...]:
    """One problem for each kind and place, with how often it was printed; what names no instruction is left out."""
    merged: dict[tuple[object, ...], Problem] = {}
    for record in _records(text):
        problem = _problem(record, tool, place_of)
        if problem is not None:
            key = (problem.kind, problem.file, problem.line, problem.other_file, problem.other_line)
            known = merged.get(key)
            merged[key] = problem if known is None else replace(known, count=known.count + problem.count)
    return tuple(merged.values())


def _records(text: str) -> Iterator[_Record]:
    headline: str | None = None
    lines: list[str] = []
    for raw in text.splitlines():
        if not raw.startswith(_PREFIX):
            continue  # the program's own words
        line = raw.removeprefix(_PREFIX).removeprefix(" ").rstrip()
        if line.startswith(" "):
            lines.append(line)
            continue
        if headline:
            yield _Record(headline, tuple(lines))
        headline, lines = line, []
    if headline:
        yield _Record(headline, tuple(lines))


def _problem(record: _Record, tool: str, place_of: PlaceOf) -> Problem | None:
    if race := _RACE.match(record.headline):
        return _race(record, race, tool, place_of)
    at = next((match for line in record.lines if (match := _AT.match(line))), None)
    said = _said(record)
    if at is None or said is None:
        return None
    kind, message = said
    file, line = _place(at, place_of)
    who = next((match for text in record.lines if (match := _WHO.match(text))), None)
    numbers = [int(group) for group in who.groups()] if who else []
    address = next((int(match[1], 16) for text in record.lines if (match := _ADDRESS.match(text))), None)
    return Problem(
        kind=kind,
        message=f"{message} (compute-sanitizer {tool})",
        file=file,
        line=line,
        other_file=None,
        other_line=None,
        block=(numbers[3], numbers[4], numbers[5]) if numbers else None,
        thread=(numbers[0], numbers[1], numbers[2]) if numbers else None,
        address=address,
        count=1,
    )


def _said(record: _Record) -> tuple[str, str] | None:
    """(kind, message) of a report that is no race; None for one that is not about a kernel's own doing."""
    if match := _INVALID.match(record.headline):
        what = next((found["what"] for line in record.lines if (found := _ADDRESS.match(line))), "")
        kind, why = ("misaligned", "a misaligned address") if "misaligned" in what else ("out_of_bounds", "an address out of bounds")
        return kind, f"{match['access']} of {match['size']} bytes in {match['space']} memory at {why}"
    if match := _UNINITIALISED.match(record.headline):
        return "uninitialised_read", f"read of {match['size']} bytes of {match['space']} memory that nothing has written"
    if match := _BARRIER.match(record.headline):
        what = match["what"].rstrip(".")
        if what.lower() == "missing wait":
            return "missing_wait", "a thread arrives at a barrier object, or ends, and has not waited for its last arrival there"
        return "barrier_divergence", f"barrier error: {what[:1].lower()}{what[1:]}"
    return None


def _race(record: _Record, race: Mapping[str, str] | re.Match[str], tool: str, place_of: PlaceOf) -> Problem | None:
    other = next((match for line in record.lines if (match := _RACE_OTHER.match(line))), None)
    first = _AT.match(race["at"])
    second = _AT.match(other["at"]) if other else None
    if other is None or first is None or second is None:
        return None
    (file, line), (other_file, other_line) = _place(first, place_of), _place(second, place_of)
    message = f"a {race['first'].lower()} and a {other['second'].lower()} of shared memory race (compute-sanitizer {tool})"
    return Problem(
        kind="shared_race" if race["level"] == "Error" else "possible_shared_race",
        message=message,
        file=file,
        line=line,
        other_file=other_file,
        other_line=other_line,
        block=None,
        thread=None,
        address=None,
        count=int(other["count"] or 1),
    )


def _place(at: re.Match[str], place_of: PlaceOf) -> Place:
    known = place_of(at["function"], int(at["offset"], 16)) if at["offset"] else None
    return known or (at["file"] or "", int(at["line"] or 0))
