"""Reads what ``g++ -E`` says, in two steps, so that conditions and macros are decided by the preprocessor itself.

1. ``-E -fdirectives-only`` leaves the lines that survive, unexpanded, and every ``#define`` on the way (GCC manual, "Preprocessor
   Options"). `read_survivors` keeps what stands in the program's own files.
2. `expansion_text` is that once more, with each macro that the program does not define itself defined as its own name behind a mark:
   headers of two compilers may define it differently, and what the program makes of it (a string, another word) can be seen. What
   ``-E`` makes of this text, `read_expansion` reads.

Example::

    survivors = read_survivors(output, own_paths(("/a.cu",), ("/usr/include",), Path("/")))
    read_expansion(output_2, survivors, files=())      # PreprocessedProgram(lines=(Survivor("/a.cu", 3, "int i = 7;"),), …)
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from assistant.model.preprocessed import MACRO_MARK, NotPreprocessed, PreprocessedProgram, Survivor, marked_names
from assistant.record import Record

__all__ = [
    "DIRECTIVES_ONLY",
    "EXPANSION",
    "OwnPath",
    "Survivors",
    "dependencies",
    "expansion_text",
    "own_paths",
    "read_expansion",
    "read_survivors",
    "refused",
]

DIRECTIVES_ONLY = ("-E", "-fdirectives-only", "-H")
EXPANSION = ("-E", "-undef", "-nostdinc", "-w", "-x", "c++", "-std=gnu++17")
"""How the text of step 2 is preprocessed: it brings every macro with it."""
_MARKER = re.compile(r'^# (\d+) "((?:[^"\\\n]|\\.)*)"[ \d]*$', re.MULTILINE)
_DEFINITION = re.compile(
    r"^[ \t]*#[ \t]*(?:(?P<word>define|undef)[ \t]+(?P<name>\w+)(?P<parameters>\([^)\n]*\))?(?P<body>[^\n]*)"
    r"|pragma[ \t]+(?P<pragma>(?:push|pop)_macro[ \t]*\([^\n]*))",
    re.MULTILINE,
)
_ENTERED = re.compile(r"^\.+ (.+)$", re.MULTILINE)
"""What ``-H`` says of a file that is opened; also where an error follows."""
_NO_HEADER = "No such file or directory"
"""How g++ ends the message about a file that an include names."""
_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_RESERVED = frozenset(
    {"defined", "__has_include", "__has_include_next", "__has_embed", "__has_cpp_attribute", "__has_attribute", "__has_builtin"}
    | {"__VA_ARGS__", "__VA_OPT__", "_Pragma"}
)
"""Names that the preprocessor keeps for itself (GCC manual, "Standard Predefined Macros", "__has_include")."""
_COMPUTED = (
    *("__FILE__", "__LINE__", "__COUNTER__", "__DATE__", "__TIME__", "__TIMESTAMP__", "__BASE_FILE__", "__FILE_NAME__"),
    "__INCLUDE_LEVEL__",
)
"""Macros without a definition: each use has a value of its own."""
_QUOTING = frozenset({"assert"})
"""It quotes its argument, and is defined in other ways by each compiler's headers: marked all the same."""


OwnPath = Callable[[str], str | None]


class _Definition(Record):
    """A ``#define`` or ``#undef`` of a header that is not the program's."""

    name: str
    parameters: str | None
    body: str
    is_defined: bool

    @property
    def text(self) -> str:
        return f"{self.parameters or ''} {' '.join(self.body.split())}".strip()


class _Own(Record):
    """Lines of one of the program's files, counted from 1."""

    file: str
    line: int
    text: str


class Survivors(Record):
    """What step 1 leaves, in order."""

    pieces: tuple[_Own | _Definition | str, ...]
    """A string is a pragma that keeps or brings back a macro."""

    @property
    def definitions(self) -> Mapping[str, str]:
        """What macros stand for that the program does not define; several definitions of a name are joined."""
        found: dict[str, dict[str, None]] = {}
        for piece in self.pieces:
            if isinstance(piece, _Definition) and piece.is_defined:
                found.setdefault(piece.name, {})[piece.text] = None
        return {name: " or ".join(texts) for name, texts in found.items()}


def own_paths(sources: Iterable[str], foreign: Iterable[str], cwd: Path) -> OwnPath:
    """Says where a file of the program lies, as an absolute path; None for a file below a ``foreign`` folder and for what is no file.
    ``sources`` are the program's wherever they lie; other names count from ``cwd``."""
    known, folders = frozenset(sources), tuple(os.path.realpath(folder) + "/" for folder in foreign)

    @functools.cache
    def own_path(file: str) -> str | None:
        path = os.path.normpath(cwd / file)
        is_foreign = file.startswith("<") or os.path.realpath(path).startswith(folders)
        return path if path in known or not is_foreign else None

    return own_path


def read_survivors(output: str, own_path: OwnPath) -> Survivors:
    """Reads the output of step 1; ``own_path`` is asked with files as the preprocessor names them."""
    pieces: list[_Own | _Definition | str] = []
    for line, file, text in _chunks(output):
        path = own_path(file)
        if path is None:
            pieces += _definitions(text)
        elif text.strip():
            pieces.append(_Own(path, line, text))
    return Survivors(tuple(pieces))


def expansion_text(survivors: Survivors) -> str:
    """The program's own lines between marked definitions of all other macros."""
    quoting = _quoting(survivors)
    lines = [f"#define {name} {MACRO_MARK}{name}" for name in _COMPUTED]
    for piece in survivors.pieces:
        if isinstance(piece, _Own):
            lines += [f'#line {piece.line} "{piece.file}"', piece.text.rstrip("\n")]
        elif isinstance(piece, str):
            lines.append(f"#pragma {piece}")
        elif piece.name not in _RESERVED:
            lines.append(_marking(piece, piece.name in quoting))
    return "\n".join(lines) + "\n"


def read_expansion(output: str, survivors: Survivors, files: Iterable[str]) -> PreprocessedProgram:
    """``output``: of step 2; ``files``: what step 1 read that is neither the program's source nor a header of the system."""
    own = {piece.file for piece in survivors.pieces if isinstance(piece, _Own)}
    lines = tuple(
        Survivor(file, line + number, text.strip())
        for line, file, chunk in _chunks(output)
        if file in own
        for number, text in enumerate(chunk.split("\n"))
        if text.strip()
    )
    definitions = survivors.definitions
    mentioned = {name for line in lines for name in marked_names(line.text)}
    reached = _reached(mentioned, definitions)
    return PreprocessedProgram(
        lines, tuple(sorted((name, definitions[name]) for name in reached if name in definitions)), tuple(sorted(set(files)))
    )


def dependencies(makefile: str) -> tuple[str, ...]:
    """The files that ``-MD`` lists (GCC manual: as a rule of make), as they are named there."""
    _, _, listed = makefile.replace("\\\n", " ").partition(": ")
    words = re.findall(r"(?:[^\s\\]|\\.)+", listed)
    return tuple(re.sub(r"\\([ #\\])", r"\1", word).replace("$$", "$") for word in words)


def refused(said: str, sources: frozenset[str], own_path: OwnPath) -> NotPreprocessed:
    """Reads the messages of a step that failed: the text, and the first error if it stands in one of the program's ``sources``."""
    read = {path for file in _ENTERED.findall(said) if (path := own_path(file)) is not None} - sources
    errors = (error for error in _ERROR.finditer(said) if (own_path(error["file"]) or "") in sources)
    first = next((f"line {error['line']}: {error['text']}" for error in errors), "what it includes has errors")
    return NotPreprocessed(first, files=tuple(sorted(read)), lacks_header=first.endswith(_NO_HEADER))


def _chunks(output: str) -> Iterator[tuple[int, str, str]]:
    """(number of the first line, file, text) between line markers."""
    markers = list(_MARKER.finditer(output))
    for index, marker in enumerate(markers):
        end = markers[index + 1].start() if index + 1 < len(markers) else len(output)
        yield int(marker[1]), re.sub(r"\\(.)", r"\1", marker[2]), output[marker.end() + 1 : end]


def _definitions(text: str) -> Iterator[_Definition | str]:
    for found in _DEFINITION.finditer(_COMMENT.sub(" ", text)):
        if found["pragma"]:
            yield found["pragma"]
        else:
            yield _Definition(found["name"], found["parameters"], found["body"], found["word"] == "define")


def _marking(piece: _Definition, is_quoting: bool) -> str:
    if not piece.is_defined:
        return f"#undef {piece.name}"
    if is_quoting:
        return f"#define {piece.name}{piece.parameters} {piece.body.strip()}"
    if piece.parameters is None:
        return f"#define {piece.name} {MACRO_MARK}{piece.name}"
    return f"#define {piece.name}(...) {MACRO_MARK}{piece.name}(__VA_ARGS__)"


def _quoting(survivors: Survivors) -> frozenset[str]:
    """Macros with parameters that make strings or new words of them, by themselves or through others: these are left to do so."""
    with_parameters = [p for p in survivors.pieces if isinstance(p, _Definition) and p.parameters is not None and p.name not in _QUOTING]
    words = {piece.name: frozenset(_WORD.findall(piece.body)) for piece in with_parameters}
    found = {piece.name for piece in with_parameters if "#" in piece.body}
    while further := {name for name, mentioned in words.items() if name not in found and mentioned & found}:
        found |= further
    return frozenset(found)


def _reached(names: Iterable[str], definitions: Mapping[str, str]) -> frozenset[str]:
    """``names`` with all macros that their definitions mention."""
    reached: set[str] = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= {word for word in _WORD.findall(definitions.get(name, "")) if word in definitions and word not in reached}
    return frozenset(reached)
