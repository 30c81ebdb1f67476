"""Which flags a source is compiled with, which of them change its meaning, and the key that names a compile.

Precedence (first that exists wins, as a whole): command line, ``kernelopt.toml``, ``compile_commands.json``, default. Example::

    choose_flags(command_line=("-O3",), project=None, database=None).origin   # 'command line'
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from assistant.build.response_files import ReadText, expand
from assistant.model.build import Flags
from assistant.record import Record

__all__ = [
    "DEFAULT_FLAGS",
    "CompileEntry",
    "absolute_flags",
    "anchored",
    "cache_key",
    "choose_flags",
    "compile_commands_flags",
    "compile_entries",
    "entry_flags",
    "is_semantic",
    "normalise",
    "nvrtc_options",
]

DEFAULT_FLAGS = Flags(("-O3",), "default")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_VALUE_FLAGS = _words(
    """
    -I -D -U -isystem -include -std -O -Xcompiler -Xptxas -Xcicc -Xlinker -arch -code -gencode -maxrregcount -ccbin
    -o -L -l -x -MF -MT -MQ --compiler-options --ptxas-options --include-path --define-macro --undefine-macro --pre-include
    --system-include --gpu-architecture --gpu-code --generate-code --output-file --compiler-bindir
    --maxrregcount --std --optimize -t --threads --options-file -optf -diag-suppress --diag-suppress -cudart --cudart -odir --dopt -dopt
    """
)
"""Flags whose value may stand as the next word (nvcc 13.0 manual, "NVCC Command Options")."""
_DROPPED = _words(
    """
    -c --compile -dc --device-c -dw -dlink -lib -M -MM -MD -MMD -G -g -lineinfo --generate-line-info -v --verbose
    --dryrun -cubin -ptx -fatbin --keep -shared -rdc=true --relocatable-device-code=true -forward-unknown-to-host-compiler
    --forward-unknown-to-host-compiler
    """
)
"""Say what is produced, not what it means; the tool chooses those itself."""
_DROPPED_WITH_VALUE = _words(
    """
    -o --output-file -arch --gpu-architecture -code --gpu-code -gencode --generate-code -MF -MT -MQ -L -l -x -ccbin
    --compiler-bindir -odir -t --threads -cudart --cudart -Xlinker --options-file -optf
    """
)
_SEMANTIC_PREFIXES = _words(
    """
    -D -U -I -isystem -include -std --std --define-macro --undefine-macro --include-path --pre-include
    --system-include -use_fast_math --use_fast_math -ftz --ftz -prec-div --prec-div -prec-sqrt --prec-sqrt -fmad --fmad
    -default-stream --default-stream -expt-relaxed-constexpr --expt-relaxed-constexpr -extended-lambda --extended-lambda
    -default-device --default-device
    """
)
"""Can change what a program computes or which text is compiled."""
_NVRTC_PREFIXES = _words(
    """
    -D -U -I -include -std --std -use_fast_math --use_fast_math -ftz --ftz -prec-div --prec-div -prec-sqrt
    --prec-sqrt -fmad --fmad -maxrregcount --maxrregcount -default-device --default-device -extra-device-vectorization
    --extra-device-vectorization
    """
)
"""Spelt alike by nvcc and NVRTC (NVRTC 13.0 manual, "Supported Compile Options")."""


def choose_flags(*, command_line: tuple[str, ...] | None, project: tuple[str, ...] | None, database: tuple[str, ...] | None) -> Flags:
    """The flags of a source and where they come from; None stands for a place that says nothing."""
    candidates = ((command_line, "command line"), (project, "kernelopt.toml"), (database, "compile_commands.json"))
    for arguments, origin in candidates:
        if arguments is not None:
            return Flags(normalise(arguments), origin)
    return DEFAULT_FLAGS


def anchored(flags: Flags, directory: Path) -> Flags:
    """With folders and files of includes that are relative to ``directory`` made absolute."""
    return replace(flags, arguments=absolute_flags(flags.arguments, str(directory)))


def normalise(arguments: Iterable[str]) -> tuple[str, ...]:
    """One word per flag: values joined to their flags, what only names outputs, inputs, targets or debug forms dropped."""
    words = list(arguments)
    result: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        has_next_value = word in _VALUE_FLAGS and index + 1 < len(words)
        value = words[index + 1] if has_next_value else None
        index += 2 if has_next_value else 1
        if word in _DROPPED or _is_dropped_with_value(word) or not word.startswith("-"):
            continue
        result.append(word if value is None else _joined(word, value))
    return tuple(result)


def _is_dropped_with_value(word: str) -> bool:
    name = word.split("=", 1)[0]
    return name in _DROPPED_WITH_VALUE or (word.startswith(("-L", "-l")) and not word.startswith("-lineinfo"))


def _joined(word: str, value: str) -> str:
    return f"{word}{value}" if word in ("-I", "-D", "-U", "-O") else f"{word}={value}"


class CompileEntry(Record):
    """One entry of a ``compile_commands.json``."""

    file: str
    """Absolute where the entry's folder is."""
    directory: str
    words: tuple[str, ...]
    """The command line without the compiler's name."""


def compile_entries(database: str, folder: str = "") -> tuple[CompileEntry, ...]:
    """The entries of the text of a ``compile_commands.json``; ``folder``: where a relative folder of an entry starts.

    Raises ValueError where the text is not such a file.
    """
    try:
        entries: object = json.loads(database)
    except RecursionError as error:
        raise ValueError("its brackets are nested too deep") from error
    if not isinstance(entries, list):
        raise ValueError("compile_commands.json: expected a list of entries")
    return tuple(_entry(entry, folder) for entry in cast("list[object]", entries))


def _entry(value: object, folder: str) -> CompileEntry:
    if not isinstance(value, dict):
        raise ValueError("compile_commands.json: expected entries in braces")
    entry = cast("dict[str, Any]", value)
    directory = str(entry.get("directory", ""))
    directory = posixpath.normpath(posixpath.join(folder, directory)) if folder else directory
    file = posixpath.normpath(posixpath.join(directory, str(entry.get("file", ""))))
    words: object = entry.get("arguments") or shlex.split(str(entry.get("command", "")))
    if not isinstance(words, list):
        raise ValueError("compile_commands.json: expected a list of arguments")
    return CompileEntry(file, directory, tuple(str(word) for word in cast("list[object]", words)[1:]))


def compile_commands_flags(database: str, source: Path, read: ReadText) -> tuple[str, ...] | None:
    """Flags of ``source`` in the text of a ``compile_commands.json``; None if it has no entry.

    ``read``: files with flags that an entry names. Raises ValueError where the text is not such a file, or one of those is none.
    """
    entry = next((entry for entry in compile_entries(database) if entry.file == str(source)), None)
    return None if entry is None else entry_flags(entry, read)


def entry_flags(entry: CompileEntry, read: ReadText) -> tuple[str, ...]:
    """The flags of an entry, with absolute folders. Raises ValueError for a file with flags that is none."""
    return absolute_flags(expand(entry.words, Path(entry.directory), read), entry.directory)


def absolute_flags(arguments: Iterable[str], directory: str) -> tuple[str, ...]:
    """As `normalise`, with the folders and files of ``-I``, ``-isystem`` and ``-include`` below ``directory``."""
    return tuple(_absolute(word, directory) for word in normalise(arguments))


def _absolute(word: str, directory: str) -> str:
    for prefix in ("-I", "-isystem=", "-include="):
        if word.startswith(prefix):
            return prefix + posixpath.normpath(posixpath.join(directory, word[len(prefix) :]))
    return word


def is_semantic(argument: str) -> bool:
    """Whether a flag can change what a program computes, not only how fast."""
    return argument.startswith(_SEMANTIC_PREFIXES)


def nvrtc_options(flags: Flags) -> tuple[str, ...] | None:
    """NVRTC's spelling of ``flags``; None if one of them is beyond NVRTC, so that nvcc must compile."""
    options: list[str] = []
    for argument in flags.arguments:
        if argument in ("-O3", "-O2", "--optimize=3") or argument.startswith(("-Xcompiler", "--compiler-options", "-W", "-w")):
            continue
        if argument.startswith(("-diag-suppress", "--diag-suppress")):
            options.append("--diag-suppress=" + argument.split("=", 1)[-1])
        elif argument.startswith(_NVRTC_PREFIXES):
            options.append(argument)
        else:
            return None
    return tuple(options)


def cache_key(compiler: str, architecture: str, arguments: tuple[str, ...], texts: Mapping[str, str], want: tuple[str, ...]) -> str:
    """Content hash of a compile: compiler version, target, flags, wanted views, text of the source and of each header."""
    digest = hashlib.sha256()
    for part in (compiler, architecture, *arguments, *want):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    for name, text in sorted(texts.items()):
        digest.update(name.encode("utf-8", "surrogateescape") + b"\0" + text.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()
