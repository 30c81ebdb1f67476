"""What stands first on PATH under a compiler's name while a build is recorded: it notes the call and passes it on to the tool itself.

Started for every call of a build, so it imports little. The file that starts it (``shims``) says where notes go and what the tool is::

    start(("/scratch/notes", "g++", "/usr/bin/g++", "", "/usr/bin:/bin", "-c", "a.cpp"))
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from assistant.build.compiler_calls import Action, CompilerCall, NotedCall, nvcc_words, read_call
from assistant.build.response_files import expand
from assistant.recorder.missing_toolkit import Tool, stand_in, started
from assistant.recorder.placeholders import is_placeholder
from assistant.serialize import encode

__all__ = ["NOTES_FILE", "digest_of", "main", "start"]

NOTES_FILE = "calls.jsonl"
"""One JSON object a call, in the order in which they ended."""
_OF_NVCC = "tmpxft_"
"""In names of nvcc's temporary files: one that was started by its full path, and so not seen, calls the host's compiler by its name."""
_MAKE_NOTHING = frozenset({"strip", "ranlib", "objcopy"})
"""Tools that change what is there, and would not know a placeholder."""
_MOST_FLAG_BYTES = 1 << 20
"""Largest file with words, named by a call, that is read."""
_DIGEST_CHUNK_BYTES = 1 << 20


def main(notes: str, tool: Tool) -> int:
    """The tool's exit status; the call is noted in the folder ``notes``. Raises OSError where it cannot be."""
    name, words = tool.name, tool.words
    if any(_OF_NVCC in word for word in words):
        return started(tool)
    if name in _MAKE_NOTHING:
        return 0 if any(map(is_placeholder, words)) else started(tool)
    folder = os.getcwd()  # noqa: PTH109 - nothing else is asked of it
    try:
        call = read_call(name, _all_words(name, words, folder), folder)
    except ValueError as error:  # the tool itself says what is wrong with its files of words
        return started(tool) if tool.real else _refused(name, str(error))
    status = stand_in(tool, call)
    if status == 0 and call.action is not Action.OTHER:
        _note(notes, name, call, folder)
    return status


def _all_words(name: str, words: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """With those of files, and for nvcc those of its two variables."""
    every = words
    if name == "nvcc":
        every = nvcc_words(words, os.environ.get("NVCC_PREPEND_FLAGS", ""), os.environ.get("NVCC_APPEND_FLAGS", ""))
    return expand(every, Path(folder), _text)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(_MOST_FLAG_BYTES).decode("utf-8", "surrogateescape")


def _refused(name: str, message: str) -> int:
    sys.stderr.write(f"{name}: {message}\n")
    return 1


def _note(notes: str, name: str, call: CompilerCall, folder: str) -> None:
    """One line, whole, though many calls end at the same time."""
    made = [*(unit.object for unit in call.units if unit.object is not None), *([] if call.output is None else [call.output])]
    digests = {file: digest_of(file) for file in dict.fromkeys((*made, *call.inputs)) if os.path.isfile(file)}  # noqa: PTH113
    note = encode(NotedCall(name, folder, call, digests))
    line = (json.dumps(note) + "\n").encode()
    descriptor = os.open(os.path.join(notes, NOTES_FILE), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)  # noqa: PTH118
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        while line:
            line = line[os.write(descriptor, line) :]
    finally:
        os.close(descriptor)


def digest_of(file: str) -> str:
    """By which a file is known again that the build has moved or copied; quick, as no one here means to deceive."""
    size, digest, other = 0, 0, 1
    with open(file, "rb") as content:  # noqa: PTH123 - a string from a command line
        while chunk := content.read(_DIGEST_CHUNK_BYTES):
            size, digest, other = size + len(chunk), zlib.crc32(chunk, digest), zlib.adler32(chunk, other)
    return f"{size}-{digest:08x}{other:08x}"


def start(words: Sequence[str]) -> int:
    """``words``: where notes go, the tool's name, the tool, nvcc, PATH without the files that start this, and what the tool is given."""
    notes, name, real, nvcc, path, *given = words
    return main(notes, Tool(name, real, nvcc, tuple(given), {**os.environ, "PATH": path}))
