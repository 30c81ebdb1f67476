"""Problems of several launches as one list: the same defect once, different ones apart.

Example::

    merge_problems((overrun_by_thread_3, overrun_by_thread_4, underrun))    # two entries; the first counts both overruns
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from assistant.model.profile import LaunchProfile, Problem

__all__ = ["GARBAGE", "RACES", "is_refused", "merge_problems"]

RACES = frozenset(
    {"shared_race", "global_race", "missing_syncwarp", "missing_fence", "plain_poll", "async_copy_not_awaited", "async_source_overwritten"}
)
"""Problem kinds after which what a kernel leaves behind is a matter of luck."""
GARBAGE = frozenset({"out_of_bounds", "uninitialised_read", "use_after_free", "wild_pointer"})
"""Kinds after which a kernel may have read what is another thing on every machine, if the same in every run of the emulator."""

_BY_CAUSE = frozenset({"bad_launch", "misaligned", "out_of_bounds", "uninitialised_read", "use_after_free"})
"""Kinds whose message says what is wrong; that of a race names the threads that happened to meet."""
_POSITION = re.compile(r"(?<=offset )\d+|\d+(?= bytes (?:before|behind))|(?<=\[)-?\d+(?=\])")
"""Where in or next to an allocation: it differs from thread to thread."""


def merge_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """One entry per kind, pair of places and cause, in order of first sight; counts added."""
    merged: dict[tuple[object, ...], Problem] = {}
    for problem in problems:
        key = _key(problem)
        known = merged.get(key)
        merged[key] = problem if known is None else replace(known, count=known.count + problem.count)
    return tuple(merged.values())


def is_refused(profile: LaunchProfile) -> bool:
    """Whether no thread of the launch ran, as its configuration is not allowed."""
    return any(problem.kind == "bad_launch" for problem in profile.problems)


def _key(problem: Problem) -> tuple[object, ...]:
    places = sorted([(problem.file, problem.line), (problem.other_file or "", problem.other_line or 0)])
    cause = _POSITION.sub("", problem.message) if problem.kind in _BY_CAUSE else ""
    return (problem.kind, cause, *places)
