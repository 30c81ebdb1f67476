"""The part of the program that speeds are of, settled before anything is built or run: a misspelt function is reported at once.

Example::

    settled = settle_region(request, version, usual="step")
    settled.request.region     # "step"; raises UsageError("the program defines no function setp") for a request that asks for one
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace

from assistant.build.includes import with_headers
from assistant.cuda.code_patterns import CodePattern, quoted
from assistant.cuda.code_text import blanked
from assistant.cuda.host_functions import host_functions, is_named
from assistant.engine.reading import read_version
from assistant.engine.request import WHOLE_PROGRAM, JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.errors import UsageError
from assistant.model.build import Flags
from assistant.profile.quantity import first_of
from assistant.record import Record

__all__ = ["SettledRegion", "check_region", "settle_region"]

_MOST_NAMES = 3
_NEAR_RATIO = 0.6
"""Likeness of two names (``difflib``) from which one may be the other, misspelt."""


class SettledRegion(Record):
    """What is read and run."""

    request: JobRequest
    version: SourceVersion
    note: str = ""
    """Why the usual region is not that of this program; empty: nothing to say."""


def check_region(request: JobRequest, flags: Flags) -> None:
    """Raises UsageError, with the nearest names, where speeds are asked of a function that the program does not define; and as
    ``read_version``."""
    if request.region is not None:
        settle_region(request, read_version(request, flags), None)


def settle_region(request: JobRequest, version: SourceVersion, usual: str | None) -> SettledRegion:
    """With the region that is asked for, else the ``usual`` one where the program has that function.

    Raises UsageError, with the nearest names, where a person asks for a function that the program does not define.
    """
    asked, usual = request.region, request.usual_region or usual
    if asked is not None:
        _check(request, version, asked)
        return SettledRegion(request, version)
    if usual is None:
        return SettledRegion(request, version)
    if usual != WHOLE_PROGRAM and not _defines(_texts(request, version), usual):
        note = f"the setting region names {usual}, which this program does not define: what differs is judged"
        return SettledRegion(request, version, note)
    asking = replace(request, region=usual)
    return SettledRegion(asking, replace(version, program=replace(version.program, noted_function=asking.noted_function)))


def _check(request: JobRequest, version: SourceVersion, asked: str) -> None:
    if asked == WHOLE_PROGRAM or version.program.run_command is not None:  # what a command starts may be made of files that are not read
        return
    texts = _texts(request, version)
    if _defines(texts, asked):
        return
    if any(is_named(kernel.qualified_name, asked) for file in version.files for kernel in file.kernels):
        raise UsageError(f"{asked} is a kernel, and a region is the calls of a function of the host", "name the function that launches it")
    raise UsageError(f"the program defines no function {asked}", _nearest(tuple(_names(texts)), asked))


def _texts(request: JobRequest, version: SourceVersion) -> tuple[str, ...]:
    """Texts of all files of the program, headers included."""
    sources = ((str(source.path), source.text) for source in version.sources)
    texts = with_headers(sources, version.program.flags.arguments)
    given = {str(path): text for path, text in request.texts}
    return tuple(given.get(name, text) for name, text in texts.items())


def _defines(texts: tuple[str, ...], wanted: str) -> bool:
    last = wanted.split("::")[-1]
    defined = CodePattern(rf"\b{quoted(last)}\([^;{{}}]*\)[^;{{}}]*\{{")
    return any(last in text and (_has(text, wanted) or _hides(text, defined)) for text in texts)


def _has(text: str, wanted: str) -> bool:
    return any(is_named(name, wanted) for name in host_functions(text))


def _hides(text: str, defined: CodePattern) -> bool:
    """Whether a text of which no tree can be made defines it by sight."""
    return "##" not in text and not host_functions(text) and defined.is_in(blanked(text))


def _names(texts: tuple[str, ...]) -> Iterator[str]:
    for text in texts:
        yield from host_functions(text)


def _nearest(names: tuple[str, ...], asked: str) -> str:
    """By the whole name and by its last part."""
    by_last = {name.split("::")[-1]: name for name in reversed(names)}
    last = difflib.get_close_matches(asked.split("::")[-1], tuple(by_last), n=_MOST_NAMES, cutoff=_NEAR_RATIO)
    whole = difflib.get_close_matches(asked, names, n=_MOST_NAMES, cutoff=_NEAR_RATIO)
    near = tuple(dict.fromkeys((*whole, *(by_last[name] for name in last))))[:_MOST_NAMES]
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"it defines {first_of(names, _MOST_NAMES)}" if names else "name main"
