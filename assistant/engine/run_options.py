"""What a search was asked with that decides what runs and is looked at: kept with its job, so that one can go on with it as it was.

Example::

    before = read_run_options(row.asked)                   # of `kernelopt optimize a.cu -- 400 2`
    taken_over(request, before).arguments                  # ("400", "2"), where the request has none
    difference(replace(request, arguments=("100",)), before)   # 'its arguments were `400 2`, and these are `100`'
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant import serialize
from assistant.engine.request import JobRequest
from assistant.record import Record

__all__ = ["RunOptions", "difference", "in_words", "read_run_options", "run_options", "taken_over"]


class RunOptions(Record):
    """As the fields of ``JobRequest``; what was not given is empty or None."""

    working_directory: Path
    arguments: tuple[str, ...] = ()
    extra_sources: tuple[Path, ...] = ()
    cflags: tuple[str, ...] | None = None
    build_command: tuple[str, ...] | None = None
    run_command: tuple[str, ...] | None = None
    kernel: str | None = None
    region: str | None = None
    target: str | None = None
    device: str | None = None


_RUNNING = {
    "arguments": "arguments",
    "extra_sources": "sources",
    "cflags": "compiler flags",
    "build_command": "build command",
    "run_command": "run command",
}
"""Of another program, or of other data, an earlier search says nothing; in words."""
_LOOKING = ("kernel", "region", "target", "device")


def run_options(request: JobRequest) -> RunOptions:
    """What the request gives."""
    given = {name: getattr(request, name) for name in (*_RUNNING, *_LOOKING)}
    return RunOptions(request.working_directory, **given)


def read_run_options(text: str | None) -> RunOptions | None:
    """Of a job's row; None where an older version started the job, or a newer one that kept something else."""
    if text is None:
        return None
    try:
        return serialize.loads(RunOptions, text)
    except serialize.DecodeError:
        return None


def taken_over(request: JobRequest, before: RunOptions) -> JobRequest:
    """The request with everything that it does not give, in the folder where the program ran, where that is still there."""
    missing = {name: getattr(before, name) for name in (*_RUNNING, *_LOOKING) if not getattr(request, name)}
    folder = before.working_directory if before.working_directory.is_dir() else request.working_directory
    return replace(request, working_directory=folder, **missing)


def difference(request: JobRequest, before: RunOptions) -> str:
    """What the request gives for the program's run that was not so before, in words; empty where there is nothing."""
    for name, noun in _RUNNING.items():
        given, known = getattr(request, name), getattr(before, name)
        if given and given != known:
            had = f"its {noun} were {_quoted(known)}" if known else f"it had no {noun}"
            return f"{had}, and {_quoted(given)} is given now"
    return ""


def in_words(options: RunOptions) -> str:
    """As on a command line: ``-k sum other.cu -- 400 2``; empty where nothing was given."""
    named = [word for name in _LOOKING if (value := getattr(options, name)) for word in (f"--{name}", value)]
    commands = (("--cflags", options.cflags), ("--build", options.build_command), ("--run", options.run_command))
    named += [word for name, words in commands if words for word in (name, shlex.join(words))]
    arguments = ("--", *options.arguments) if options.arguments else ()
    return shlex.join([*named, *map(str, options.extra_sources), *arguments])


def _quoted(words: Sequence[str | Path]) -> str:
    return f"`{shlex.join(map(str, words))}`"
