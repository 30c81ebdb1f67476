"""The lines of ``%%cu`` and ``%%cuda`` cells, as other extensions read them: what of it counts here, what is refused with words.

nvcc4jupyter 1.2 takes ``-t -p -l ARGS -c ARGS --profiler WHICH``, its older versions ``-n FILE -c BOOLEAN``. Example::

    foreign_options('-c "-O2 -std=c++17" -p')        # ForeignOptions(cflags='-O2 -std=c++17', notes=('-p: …',))
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from assistant.errors import UsageError
from assistant.record import Record

__all__ = ["ForeignOptions", "foreign_options"]

_NEEDLESS = {
    "-p": "the profile follows below, by kernelopt",
    "--profile": "the profile follows below, by kernelopt",
    "-t": "one run is not a measurement; %%kernelopt --device gpu:0 times proposals",
    "--timeit": "one run is not a measurement; %%kernelopt --device gpu:0 times proposals",
}
_WITH_VALUE = {"-l": "the profile follows below, by kernelopt", "--profiler-args": "", "--profiler": "", "-n": "", "--name": ""}
_COMPILER = frozenset({"-c", "--compiler-args"})
_FLAGS: Mapping[str, str] = {"true": "", "false": ""}
"""What older versions gave to ``-c``: whether to compile, which is done here in any case."""


class ForeignOptions(Record):
    cflags: str | None
    notes: tuple[str, ...]
    """What was given and does nothing here."""


def foreign_options(line: str) -> ForeignOptions:
    """Raises UsageError for an option that none of them has."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{line.strip()}: {error}", "close the quotes") from error
    cflags: str | None = None
    notes: list[str] = []
    at = 0
    while at < len(words):
        word, _, joined = words[at].partition("=")
        takes_value = word in _COMPILER or word in _WITH_VALUE
        if not takes_value and word not in _NEEDLESS:
            known = "-c ARGUMENTS, -p, -t, -l ARGUMENTS, --profiler NAME, -n FILE"
            raise UsageError(f"{words[at]}: %%cu and %%cuda cells take {known}", "begin the cell with %%kernelopt for its own options")
        value = joined or (words[at + 1] if takes_value and at + 1 < len(words) else "")
        if word in _COMPILER:
            cflags = _FLAGS.get(value, value) or cflags
        else:
            notes.append(f"{word} does nothing here: {_NEEDLESS.get(word) or 'kernelopt has its own way'}")
        at += 2 if takes_value and not joined else 1
    return ForeignOptions(cflags, tuple(notes))
