"""Do compilers part in an edit where they do not in the original? Asks the lab's preprocessors, where the edit's text leaves a doubt.

``compared`` judges an edit that was built; ``foreign_reading`` looks at what an edit would read, before anything of it is compiled::

    answer = await compared(job, before, after)
    answer.problem      # CannotJudge(SEVERAL_PROGRAMS, "B is not one program to all compilers: line 6 (`#ifdef __PIC__`) is …", …)
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from assistant.build.cutlass_place import find_cutlass
from assistant.build.includes import with_headers
from assistant.config.paths import find_project
from assistant.cuda.doubts import doubts
from assistant.engine.job import Job
from assistant.engine.judge.changes import edited_files
from assistant.engine.source_version import SourceVersion
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram, Preprocessings
from assistant.model.verification import CannotJudge, Unjudgeable
from assistant.ports.lab import LabFailure, Program
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.changed_lines import ChangedLines
from assistant.verify.environment import doubt_labels, environment_labels
from assistant.verify.evidence import DetectedLabel
from assistant.verify.lines import Text
from assistant.verify.one_program import Difference, device_text, idle_lines, new_differences
from assistant.verify.plain_edit import may_change_directives, may_read_otherwise, misleading_directive

__all__ = ["FOREIGN_READING", "NOT_PREPROCESSED", "OneProgram", "compared", "foreign_reading"]

FOREIGN_READING = "foreign_reading"
"""Kind of failure: an edit would read what the original does not. It speaks against the edit, though nothing of it was compiled."""
NOT_PREPROCESSED = "not_preprocessed"
"""Kind of failure: no preprocessor takes the edit (a file that is not there). It speaks against the edit as well."""

WITHOUT_NVCC = "not compared with nvcc's preprocessing"
WITHOUT_EMULATOR = "not compared with the emulator's preprocessing"
_REMEDY = "write the edit without what each compiler defines differently, or give each its own version and compare those"


class OneProgram(Record):
    """What came of comparing the compilers."""

    problem: CannotJudge | None = None
    caveats: tuple[str, ...] = ()
    labels: tuple[DetectedLabel, ...] = ()
    """Labels for words that only macros put together."""


async def compared(job: Job, before: SourceVersion, after: SourceVersion) -> OneProgram:
    """Nothing where the edit's texts alone show that compilers cannot part in it; the first problem where they part in several files."""
    answers = [await _compared_file(job, *pair) for pair in _edited(before, after)]
    problem = next((answer.problem for answer in answers if answer.problem is not None), None)
    caveats = tuple(dict.fromkeys(caveat for answer in answers for caveat in answer.caveats))
    return OneProgram(problem, caveats, tuple(label for answer in answers for label in answer.labels))


async def _compared_file(job: Job, before: SourceVersion, after: SourceVersion) -> OneProgram:
    """Compares the edit in the files in question."""
    changed = _changed(before, after)
    misleading = misleading_directive(before.source.text, after.source.text)
    if misleading is not None:
        reason = f"B {misleading}, so what each compiler compiles cannot be known"
        return OneProgram(CannotJudge(Unjudgeable.SEVERAL_PROGRAMS, reason, _REMEDY))
    headers = await asyncio.to_thread(_headers, after.program)
    if not may_read_otherwise(changed, headers.values(), _defined(after.program)):
        return OneProgram()
    old, new = await _views(job, before), await _views(job, after)
    problem = _refused(old, new) or _parted(new_differences(old, new, changed))
    if problem is not None:
        return OneProgram(problem)
    texts = device_text(old, changed.before), device_text(new, changed.after)
    labels = (*environment_labels(*texts), *doubt_labels(*map(doubts, texts)))
    return OneProgram(None, (*_unasked(new), *_idle(idle_lines(new, changed))), labels)


async def foreign_reading(job: Job, before: SourceVersion, after: SourceVersion) -> LabFailure | None:
    """Why the edit isn't compiled: it would read a file that the original does not. A person's own edit may read what is in the workspace.

    Found by the preprocessors, before anything is compiled; where none can be asked, an edit that may read otherwise is refused.
    """
    for pair in _edited(before, after):
        refusal = await _foreign_in_file(job, *pair)
        if refusal is not None:
            return refusal
    return None


def _edited(before: SourceVersion, after: SourceVersion) -> list[tuple[SourceVersion, SourceVersion]]:
    """Both versions with each file that differs in question."""
    return [(before.about_file(old.source.path), after.about_file(new.source.path)) for old, new in edited_files(before, after)]


async def _foreign_in_file(job: Job, before: SourceVersion, after: SourceVersion) -> LabFailure | None:
    misleading = misleading_directive(before.source.text, after.source.text)
    if misleading is not None:
        return _failure(f"it {misleading}, so what it reads cannot be known")
    named = await asyncio.to_thread(_headers, after.program)
    if not may_change_directives(_changed(before, after), named.values()):
        return None
    old, new = await _views(job, before), await _views(job, after)
    views = (new.emulator, new.device, new.host)
    earlier = {file for view in (old.emulator, old.device, old.host) for file in view.files}
    earlier |= (await asyncio.to_thread(_headers, before.program)).keys()
    read = ({file for view in views for file in view.files} | named.keys()) - earlier
    further = await asyncio.to_thread(_not_of_cutlass, read, after)
    is_a_persons = not after.program.is_candidate or after.program.run_command is not None
    outside = await asyncio.to_thread(_outside, further, after.source.path) if is_a_persons else further
    if outside:
        return _failure(f"it reads {outside[0]}, which the original does not")
    refusals = [view.reason for view in views if isinstance(view, NotPreprocessed) and not view.is_missing]
    if all(isinstance(view, NotPreprocessed) for view in views):
        unread = _failure(f"its directives differ, and no preprocessor shows what it reads: {next(iter(refusals), 'none is here')}")
        return replace(unread, kind=NOT_PREPROCESSED if refusals else "no_compiler")
    return None


def _not_of_cutlass(files: set[str], version: SourceVersion) -> list[str]:
    """In order, without headers of the CUTLASS that the program's own flags and environment name."""
    cutlass = find_cutlass(version.program.flags.arguments, version.source.path.parent, os.environ)
    return sorted(file for file in files if cutlass is None or not cutlass.holds(file))


def _outside(files: list[str], source: Path) -> list[str]:
    """Those that are not in the source's project, wherever links lead."""
    project = find_project(source).resolve()
    return [file for file in files if not Path(file).resolve().is_relative_to(project)]


def _failure(reason: str) -> LabFailure:
    return LabFailure(FOREIGN_READING, f"B is not compiled: {reason}", "include only what the original does, and headers of CUDA and C++")


async def _views(job: Job, version: SourceVersion) -> Preprocessings:
    return await job.lab.preprocessed(version.program, job.target.architecture)


def _changed(before: SourceVersion, after: SourceVersion) -> ChangedLines:
    return ChangedLines(*(Text(str(version.source.path), version.source.text) for version in (before, after)))


def _headers(program: Program) -> dict[str, str]:
    """Path → text of the user's own headers, as ``#include`` lines name them: also those of a branch that is not compiled."""
    sources = {str(source.path): source.text for source in program.sources}
    found = with_headers(sources.items(), program.flags.arguments)
    return {path: text for path, text in found.items() if path != str(program.sources[0].path)}


def _defined(program: Program) -> tuple[str, ...]:
    return tuple(flag[2:].partition("=")[0] for flag in program.flags.arguments if flag.startswith("-D"))


def _refused(old: Preprocessings, new: Preprocessings) -> CannotJudge | None:
    """A preprocessor that takes A and not B. The emulator's need not have every header that nvcc finds: CUB's, libcu++'s."""
    is_nvccs = isinstance(new.device, PreprocessedProgram) and isinstance(new.host, PreprocessedProgram)
    for name, before, after in (
        ("the emulator's", old.emulator, new.emulator),
        ("nvcc's", old.device, new.device),
        ("nvcc's", old.host, new.host),
    ):
        if is_nvccs and isinstance(after, NotPreprocessed) and after.lacks_header:
            continue
        if isinstance(after, NotPreprocessed) and isinstance(before, PreprocessedProgram):
            return CannotJudge(Unjudgeable.SEVERAL_PROGRAMS, f"{name} preprocessor does not take B: {after.reason}", _REMEDY)
    return None


def _parted(differences: tuple[Difference, ...]) -> CannotJudge | None:
    if not differences:
        return None
    further = len(dict.fromkeys(differences)) - 1
    suffix = f"; and {counted_noun(further, 'further place')}" if further else ""
    return CannotJudge(Unjudgeable.SEVERAL_PROGRAMS, f"B is not one program to all compilers: {differences[0].message}{suffix}", _REMEDY)


def _unasked(views: Preprocessings) -> tuple[str, ...]:
    if isinstance(views.emulator, NotPreprocessed):
        return (WITHOUT_EMULATOR,)
    is_whole = isinstance(views.device, PreprocessedProgram) and isinstance(views.host, PreprocessedProgram)
    return () if is_whole else (WITHOUT_NVCC,)


def _idle(lines: tuple[int, ...]) -> tuple[str, ...]:
    if not lines:
        return ()
    return (
        f"line {lines[0]} is compiled for no device here"
        if len(lines) == 1
        else f"{len(lines)} lines from {lines[0]} on are compiled for no device here",
    )
