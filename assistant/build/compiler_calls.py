"""What one call of a compiler driver, an archiver or a linker makes of what, read from its words; nothing is started and no file is read.

Example::

    call = read_call("nvcc", ("-c", "a.cu", "-o", "a.o", "-DN=4"), "/p")
    call.action, call.units[0].source, call.units[0].object     # Action.COMPILE, '/p/a.cu', '/p/a.o'
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from assistant.record import Record

__all__ = ["Action", "CompiledUnit", "CompilerCall", "NotedCall", "nvcc_words", "read_call"]


class Action(StrEnum):
    """What a call leaves."""

    COMPILE = "compile"
    """An object of each source."""
    LINK = "link"
    """A program."""
    SHARED = "shared"
    """A shared library."""
    PARTIAL = "partial"
    """One object of several, as by ``ld -r``."""
    DEVICE_LINK = "device link"
    """An object with what ``nvcc -dlink`` adds."""
    ARCHIVE = "archive"
    OTHER = "other"
    """Nothing that is linked: a question, preprocessed text, machine code in a file of its own."""


class CompiledUnit(Record):
    """One source of a call."""

    source: str
    """Absolute."""
    object: str | None
    """Absolute; None: linked at once."""


class CompilerCall(Record):
    """One call."""

    action: Action
    units: tuple[CompiledUnit, ...] = ()
    inputs: tuple[str, ...] = ()
    """What is linked in addition to the units, in order: absolute files, ``-lNAME`` and ``-LFOLDER``."""
    output: str | None = None
    """Absolute; None for several objects, and where nothing is left."""
    flags: tuple[str, ...] = ()
    """All words but sources and inputs."""
    dependencies: str | None = None
    """Absolute: the file for make's rules that is written on the way."""


class NotedCall(Record):
    """One call that a build made, and that ended well."""

    tool: str
    """Its name, without a folder."""
    folder: str
    """Absolute: where it ran."""
    call: CompilerCall
    digests: dict[str, str]
    """By file, of what it made and of what it linked, as they were when it ended."""


_SOURCES = frozenset({".cu", ".c", ".cc", ".cxx", ".cpp", ".c++", ".C", ".cp", ".CPP"})
_OBJECT = re.compile(r"\.(?:o|obj|a|lo|so(?:\.\d+)*)\Z")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VALUE_NEXT = _words(
    """
    -o -I -D -U -L -l -x -O -isystem -include -std -odir -MF -MT -MQ -m -t -e -u -z -T -B
    --output-file --include-path --define-macro --undefine-macro --library-path --library --pre-include --system-include --std
    --output-directory --dependency-output --dependency-target-name -dependency-output
    """
)
_NVCC_VALUE_NEXT = _words(
    """
    -ccbin --compiler-bindir -Xcompiler --compiler-options -Xlinker --linker-options -Xarchive --archive-options -Xptxas --ptxas-options
    -Xnvlink --nvlink-options -Xcudafe -Xcicc -arch --gpu-architecture -code --gpu-code -gencode --generate-code -maxrregcount
    --maxrregcount -cudart --cudart -cudadevrt --cudadevrt -ldir --libdevice-directory -target-dir --target-directory --threads
    -split-compile --split-compile -keep-dir --keep-dir -run-args --run-args -ftz --ftz -fmad --fmad -prec-div --prec-div -prec-sqrt
    --prec-sqrt -default-stream --default-stream -rdc --relocatable-device-code -dopt --dopt --optimize -diag-error --diag-error
    -diag-suppress --diag-suppress -diag-warn --diag-warn -Werror --Werror --machine -allow-unsupported-compiler-version --x -arbin
    --archiver-binary
    """
)
"""Flags whose value may stand as the next word (nvcc 13.0 manual, "NVCC Command Options")."""
_GCC_VALUE_NEXT = _words(
    """
    -iquote -idirafter -imacros -iprefix -iwithprefix -Xlinker -Xpreprocessor -Xassembler -aux-info --param -isysroot -target -mllvm
    -Xclang -dumpbase -dumpdir -rpath -soname -h -plugin -dynamic-linker -arch
    """
)
"""GCC 15 manual, "Option Summary"; clang's; of ``ld`` what drivers hand on."""
_LONG_NAMES = {
    "--output-file": "-o", "--library": "-l", "--library-path": "-L", "--output-directory": "-odir", "--dependency-output": "-MF",
    "-dependency-output": "-MF", "--x": "-x",
}  # fmt: skip
_FOLDER_NAMES = {"-iquote": "-I", "-idirafter": "-I"}
"""Folders for includes, which differ from others by the order in which they are searched only."""
_COMPILE = _words("-c --compile -dc --device-c -dw --device-w")
_DEVICE_LINK = _words("-dlink --device-link")
_ARCHIVE = _words("-lib --lib")
_SHARED = _words("-shared --shared")
_PARTIAL = _words("-r --relocatable -Wl,-r")
_NO_OBJECT = _words(
    """
    -E --preprocess -M --generate-dependencies -MM --generate-nonsystem-dependencies -S -fsyntax-only -ptx --ptx -cubin --cubin -fatbin
    --fatbin -optix-ir --optix-ir -ltoir --ltoir -cuda --cuda --dryrun -dryrun --version -V -v --help -h -dumpversion -dumpmachine
    -dumpfullversion -dumpspecs
    """
)
"""Only ``-v`` among these may also compile: it does where a source is given."""
_TALKS = _words("-v -V -h")
_BOOLEAN_WORDS = frozenset({"true", "false"})


def read_call(tool: str, words: tuple[str, ...], folder: str) -> CompilerCall:
    """``tool``: its name (``nvcc``, ``g++-12``, ``ar``, ``ld``); ``words``: what follows it; ``folder``: where it runs.

    Files of words must have been read, and put in place of their names.
    """
    if tool == "ar" or tool.endswith("-ar"):
        return _archived(words, folder)
    return _Reader(tool, folder).read(words)


def nvcc_words(words: tuple[str, ...], prepended: str, appended: str) -> tuple[str, ...]:
    """As nvcc reads them together with ``NVCC_PREPEND_FLAGS`` and ``NVCC_APPEND_FLAGS`` (nvcc 13.0 manual, "Environment Variables")."""
    return (*prepended.split(), *words, *appended.split())


class _Reader:
    """Reads one command line of a driver or linker."""

    def __init__(self, tool: str, folder: str) -> None:
        self._folder = folder
        self._is_nvcc = tool == "nvcc"
        self._is_linker = tool == "ld" or tool.startswith("ld.")
        self._value_next = _VALUE_NEXT | (_NVCC_VALUE_NEXT if self._is_nvcc else _GCC_VALUE_NEXT)
        self._sources: list[str] = []
        self._inputs: list[str] = []
        self._flags: list[str] = []
        self._modes: set[str] = set()
        self._values: dict[str, str] = {}
        self._language = ""

    def read(self, words: tuple[str, ...]) -> CompilerCall:
        waiting = iter(words)
        for word in waiting:
            self._take(word, waiting)
        action = self._action()
        units = tuple(CompiledUnit(source, self._object(source, action)) for source in self._sources)
        if action is Action.COMPILE and not units:
            action = Action.OTHER
        return CompilerCall(
            action=action,
            units=units,
            inputs=tuple(self._inputs),
            output=self._output(action, units),
            flags=tuple(self._flags),
            dependencies=self._absolute(self._values["-MF"]) if "-MF" in self._values else None,
        )

    def _take(self, word: str, waiting: Iterator[str]) -> None:
        if not word.startswith("-") or word == "-":
            self._take_file(word)
            return
        name, equals, joined = word.partition("=")
        if word in self._value_next:
            value = next(waiting, "")
            self._flags.extend((_FOLDER_NAMES.get(word, word), value) if word in _VALUE_NEXT | set(_FOLDER_NAMES) else (f"{word}={value}",))
            self._set(_LONG_NAMES.get(word, word), value)
            return
        self._flags.append(word)
        if equals and name in _LONG_NAMES:
            self._set(_LONG_NAMES[name], joined)
        elif word.startswith(("-l", "-L")) and word not in _ARCHIVE and not word.startswith(("-lineinfo", "-ldir", "-lto", "-library")):
            self._set(word[:2], word[2:])
        elif word.startswith("-o") and not self._is_nvcc and len(word) > 2 and not word.startswith("-objtemp"):
            self._set("-o", word[2:])
        else:
            self._modes.add(word)

    def _set(self, name: str, value: str) -> None:
        if name == "-l":
            self._inputs.extend(f"-l{each}" for each in (value.split(",") if self._is_nvcc else [value]))
        elif name == "-L":
            self._inputs.append(f"-L{self._absolute(value)}")
        elif name == "-x":
            self._language = value
        else:
            self._values[name] = value

    def _take_file(self, word: str) -> None:
        suffix = posixpath.splitext(word)[1]
        is_source = not self._is_linker and (suffix in _SOURCES or (self._language not in ("", "none") and not _OBJECT.search(word)))
        if is_source and word != "-":
            self._sources.append(self._absolute(word))
        elif word not in _BOOLEAN_WORDS and word != "-":
            self._inputs.append(self._absolute(word))

    def _action(self) -> Action:
        modes = self._modes
        is_silent = modes.isdisjoint(_NO_OBJECT - _TALKS) and not any(mode.startswith("-print-") for mode in modes)
        if not is_silent or not (self._sources or any(not each.startswith("-") for each in self._inputs)):
            return Action.OTHER
        if not modes.isdisjoint(_COMPILE):
            return Action.COMPILE
        for names, action in ((_DEVICE_LINK, Action.DEVICE_LINK), (_ARCHIVE, Action.ARCHIVE), (_SHARED, Action.SHARED)):
            if not modes.isdisjoint(names):
                return action
        is_partial = not modes.isdisjoint(_PARTIAL) and not self._is_nvcc
        return Action.PARTIAL if is_partial else Action.OTHER if self._is_linker and not self._inputs else Action.LINK

    def _object(self, source: str, action: Action) -> str | None:
        if action is not Action.COMPILE:
            return None
        if "-o" in self._values:
            return self._absolute(self._values["-o"])
        name = posixpath.splitext(posixpath.basename(source))[0] + ".o"
        return self._absolute(posixpath.join(self._values.get("-odir", ""), name))

    def _output(self, action: Action, units: tuple[CompiledUnit, ...]) -> str | None:
        if action is Action.OTHER:
            return self._absolute(self._values["-o"]) if "-o" in self._values else None
        if action is Action.COMPILE:
            return units[0].object if len(units) == 1 else None
        name = self._values.get("-o") or {Action.ARCHIVE: "a.a", Action.DEVICE_LINK: "a_dlink.o"}.get(action, "a.out")
        return self._absolute(name)

    def _absolute(self, name: str) -> str:
        return posixpath.normpath(posixpath.join(self._folder, name))


def _archived(words: Iterable[str], folder: str) -> CompilerCall:
    """A call of ``ar`` (binutils 2.40, "ar"): an operation with modifiers, where it needs one a member's name, the archive, its members."""
    plain = [word for word in words if not word.startswith("--")]
    if len(plain) < 2:
        return CompilerCall(Action.OTHER)
    operation = plain[0].removeprefix("-")
    further = sum(letter in operation for letter in "abiN")
    files = plain[1 + further :]
    if not files or not set(operation) & set("rq"):
        return CompilerCall(Action.OTHER)
    archive, *members = (posixpath.normpath(posixpath.join(folder, name)) for name in files)
    return CompilerCall(Action.ARCHIVE, inputs=tuple(members), output=archive, flags=(operation,))
