"""Is an edit the same program for every compiler? Compares what each one's preprocessor leaves of original and edit.

The emulator compiles with g++, nvcc once for the GPU and once for the host; what one of them leaves out, or reads otherwise, is judged in
one program and runs in another. Only what the edit changes counts: where the original's own line differs between compilers in the same
way, the edit's may. Device code is held against nvcc's compile for the GPU, host code against that for the host, what may be either against
both. A compiler that could not be asked is left out. Example::

    new_differences(before, after, texts)     # (Difference(4, "line 4 (`#ifdef __PIC__`) is compiled by nvcc alone, …"),)
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from assistant.cuda.code_patterns import Words
from assistant.cuda.declared_names import declared_names
from assistant.cuda.directives import condition_at, is_left_out
from assistant.cuda.tokens import TokenKind, line_tokens
from assistant.model.preprocessed import MACRO_MARK, PreprocessedProgram, Preprocessings, marked_names, unmarked
from assistant.record import Record
from assistant.verify.changed_lines import ChangedLines
from assistant.verify.line_sides import Side, sides_of
from assistant.verify.lines import Text

__all__ = ["Difference", "device_text", "idle_lines", "new_differences"]

_MAIN = "."
"""The main source's name among places: that of A and of B may be called otherwise."""
_WORDS_OF_CUDA = Words(
    r"(?:thread|block)Idx|blockDim|gridDim|assert|__(?:global|device|host|shared|constant|managed|forceinline|noinline|launch_bounds|maxnreg)__"
    r"|__(?:block_size|cluster_dims|grid_constant|align|builtin_align|nv_pure)__|__(?:ld(?:g|cg|ca|cs|lu|cv)|st(?:wb|cg|cs|wt))|__builtin_assume"
    r"|__nv_constexpr|CUDART_(?:\w+_)?(?:INF|NAN|PI|PIO2|PIO4|L2E|L2T|LG2|LGE|LN2|LNT|HALF|TWO|ONE|ZERO|NORMAL|DENORM)\w*"
)
"""Words that the emulator's headers make macros of, or other ones than NVIDIA's: each compiler's own way to say the same."""
COMPUTED = frozenset(
    {"__FILE__", "__LINE__", "__COUNTER__", "__DATE__", "__TIME__", "__TIMESTAMP__", "__BASE_FILE__", "__FILE_NAME__", "__INCLUDE_LEVEL__"}
)
"""Macros whose value no definition gives: each use has a label instead (``environment``)."""
_OWN_NAMES = Words(r"emu_\w+|Emu[A-Z]\w*|EMU_\w+|__emu\w*|__KERNELOPT_\w+")
"""Names of the emulator's own headers: nothing, or another thing, elsewhere."""
_SHOWN_CHARACTERS = 50

Place = tuple[str, int]
"""(file as seen from the main source's folder, 1-based line)."""


class Difference(Record):
    """One place at which compilers part in B and not in A."""

    line: int
    """Line of B's source; 0 in another file."""
    message: str


class _LineDifference(Record, order=True):
    """How one line differs between the emulator's compile and one of nvcc's."""

    kind: str
    """``text``: it is not there, or reads otherwise; ``macro``: it names a macro that stands for something else; ``name``: it uses a name
    of the emulator's; ``hash``: it holds a ``#`` that compilers take for a directive or not."""
    emulator: str
    nvcc: str
    whose: str
    """Which of nvcc's compiles, in words."""


def new_differences(before: Preprocessings, after: Preprocessings, changed: ChangedLines) -> tuple[Difference, ...]:
    """Where B's compilers part and A's do not, in order."""
    old, new = _Comparison(before, changed.before), _Comparison(after, changed.after)
    found: list[Difference] = []
    for place, partings in sorted(new.partings.items()):
        origin = _origin(place, changed)
        known = frozenset[_LineDifference]() if origin is None else old.partings.get(origin, frozenset())
        found += [Difference(_line(place), _message(place, parting, changed.after)) for parting in sorted(partings - known)]
    uses = _new_uses(old, changed) if old.partings else ()
    return (*found, *_questions(changed), *uses)


def idle_lines(views: Preprocessings, changed: ChangedLines) -> tuple[int, ...]:
    """Lines of the edit that no compiler compiles here: of a branch that is for another device, or another compiler."""
    compiled: set[int] = set()
    for preprocessed, side in ((views.emulator, Side.BOTH), (views.device, Side.DEVICE), (views.host, Side.HOST)):
        if isinstance(preprocessed, PreprocessedProgram):
            view = _View(preprocessed, changed.after.file)
            compiled |= {place[1] for place in view.lines if place[0] == _MAIN and side & view.side(place)}
    if not compiled:
        return ()
    return tuple(line for line in changed.added if changed.after.code_at(line).strip() and is_left_out(changed.after.text, line, compiled))


def device_text(views: Preprocessings, main: Text) -> str:
    """Device code of the main source as it is compiled, macros expanded, lines at their places; empty where no compiler could be asked."""
    view = next((view for view in (views.device, views.emulator) if isinstance(view, PreprocessedProgram)), None)
    lines = {} if view is None else {line.line: unmarked(line.text) for line in view.lines if line.file == main.file}
    sides = sides_of(lines)
    return "\n".join(lines.get(n, "") if sides.get(n, Side.NONE) & Side.DEVICE else "" for n in range(1, max(lines, default=0) + 1))


def _origin(place: Place, changed: ChangedLines) -> Place | None:
    """Where the line stood in A; None for one of the edit's."""
    if place[0] != _MAIN:
        return place
    line = changed.origin(place[1])
    return None if line is None else (_MAIN, line)


def _questions(changed: ChangedLines) -> Iterator[Difference]:
    """Directives of the edit that name what only the emulator defines: found without any other compiler, too."""
    for line in changed.added:
        name = next((word for word in changed.after.words_at(line) if word in _OWN_NAMES), None)
        if name is not None and changed.after.code_at(line).lstrip().startswith("#"):
            yield Difference(line, f"line {line} asks for {name}, a name of the emulator's own")


def _new_uses(old: _Comparison, changed: ChangedLines) -> Iterator[Difference]:
    """Lines of the edit that name what A declares in several ways, though A's own changed lines do not."""
    parted = old.parted_names
    used = {word for line in changed.removed for word in changed.before.words_at(line)}
    for line in changed.added:
        for word in changed.after.words_at(line):
            if word in parted and word not in used:
                yield Difference(line, f"line {line} uses {word}, which the original's own `#if`s declare otherwise for each compiler")


class _Comparison:
    """One version, as its compilers see it."""

    def __init__(self, views: Preprocessings, main: Text) -> None:
        self._main = main
        self._emulator = _View(views.emulator, main.file) if isinstance(views.emulator, PreprocessedProgram) else None
        nvcc = ((views.device, Side.DEVICE, "nvcc for the GPU"), (views.host, Side.HOST, "nvcc for the host"))
        self._nvcc = [(_View(view, main.file), side, whose) for view, side, whose in nvcc if isinstance(view, PreprocessedProgram)]

    @cached_property
    def partings(self) -> Mapping[Place, frozenset[_LineDifference]]:
        """By place; only of lines that are compiled for the side in question."""
        found: dict[Place, set[_LineDifference]] = {}
        for view in self._views:
            for place, text in view.lines.items():
                if suspects := set(_suspects(text)):
                    found.setdefault(place, set()).update(suspects)
        for view, side, whose in self._nvcc:
            for place, partings in _between(self._emulator, view, side, whose):
                found.setdefault(place, set()).update(partings)
        return {place: frozenset(partings) for place, partings in found.items()}

    @property
    def parted_names(self) -> frozenset[str]:
        """What is declared, at file scope or in a function, by lines at which compilers part."""
        lines = {line for file, line in self.partings if file == _MAIN}
        return frozenset(name for view in self._views for name in view.declared(lines))

    @property
    def _views(self) -> tuple[_View, ...]:
        nvcc = tuple(view for view, _, _ in self._nvcc)
        return nvcc if self._emulator is None else (self._emulator, *nvcc)


class _View:
    """What one preprocessor leaves."""

    def __init__(self, preprocessed: PreprocessedProgram, main: str) -> None:
        folder = posixpath.dirname(main)
        self.macros = dict(preprocessed.macros)
        self.lines: dict[Place, str] = {}
        for line in preprocessed.lines:
            place = (_MAIN if line.file == main else posixpath.relpath(line.file, folder), line.line)
            text = _normal(line.text)
            self.lines[place] = f"{self.lines[place]}\n{text}" if place in self.lines else text

    def side(self, place: Place) -> Side:
        return self._sides.get(place, Side.NONE)

    @cached_property
    def _sides(self) -> dict[Place, Side]:
        files: dict[str, dict[int, str]] = {}
        for (file, number), text in self.lines.items():
            files.setdefault(file, {})[number] = unmarked(text)
        return {(file, number): side for file, lines in files.items() for number, side in sides_of(lines).items()}

    def declared(self, lines: Iterable[int]) -> Iterator[str]:
        """Names that the lines of the main source declare as a variable, a constant, a type or a function."""
        for line in lines:
            yield from declared_names(unmarked(self.lines.get((_MAIN, line), "")))

    def definition(self, name: str) -> tuple[tuple[str, str], ...]:
        """What the macro stands for, with all that this mentions; empty where it is no macro."""
        reached: dict[str, str] = {}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current in self.macros and current not in reached and not (reached and current in _WORDS_OF_CUDA):
                reached[current] = self.macros[current]
                waiting += (token.text for token in line_tokens(self.macros[current]) if token.kind is TokenKind.WORD)
        return tuple(sorted(reached.items()))


def _normal(text: str) -> str:
    """The line's tokens, with CUDA's own words as they are written; other marked macros keep their mark, as do those inside a literal."""
    words = (token.text for token in line_tokens(text))
    return " ".join(word.removeprefix(MACRO_MARK) if _is_word_of_cuda(word) else word for word in words)


def _is_word_of_cuda(word: str) -> bool:
    return word.startswith(MACRO_MARK) and word[len(MACRO_MARK) :] in _WORDS_OF_CUDA


def _suspects(text: str) -> Iterator[_LineDifference]:
    """What is a difference whatever the other compilers see."""
    code = [token for token in line_tokens(text) if token.kind not in (TokenKind.STRING, TokenKind.CHARACTER)]
    if not text.startswith("# pragma") and any(token.text in ("#", "##") for token in code):
        yield _LineDifference("hash", text, "", "")
    for token in code:
        if (word := unmarked(token.text)) in _OWN_NAMES:
            yield _LineDifference("name", word, "", "")


def _between(emulator: _View | None, nvcc: _View, side: Side, whose: str) -> Iterator[tuple[Place, set[_LineDifference]]]:
    """Lines of that side at which the two part."""
    for place in () if emulator is None else emulator.lines.keys() | nvcc.lines.keys():
        assert emulator is not None
        partings = set(_partings(emulator, nvcc, place, whose))
        if partings and side & (emulator.side(place) | nvcc.side(place)):
            yield place, partings


def _partings(emulator: _View, nvcc: _View, place: Place, whose: str) -> Iterator[_LineDifference]:
    ours, theirs = emulator.lines.get(place, ""), nvcc.lines.get(place, "")
    marked = dict.fromkeys((*marked_names(ours), *marked_names(theirs))) if MACRO_MARK in ours + theirs else ()
    for name in marked:
        is_known = name in emulator.macros or name in nvcc.macros
        if name not in COMPUTED and (not is_known or emulator.definition(name) != nvcc.definition(name)):
            yield _LineDifference("macro", _shown(emulator.macros.get(name)), _shown(nvcc.macros.get(name)), f"{whose}: {name}")
    if ours != theirs and unmarked(ours) != unmarked(theirs):
        yield _LineDifference("text", ours, theirs, whose)


def _line(place: Place) -> int:
    return place[1] if place[0] == _MAIN else 0


def _message(place: Place, parting: _LineDifference, text: Text) -> str:
    where = f"line {place[1]}" if place[0] == _MAIN else f"{place[0]}:{place[1]}"
    condition = condition_at(text.text, place[1]) if place[0] == _MAIN else None
    where += f" (`{condition}`)" if condition is not None else ""
    match parting.kind:
        case "hash":
            return f"{where} holds a # after preprocessing, which nvcc may take for a directive"
        case "name":
            return f"{where} uses {parting.emulator}, a name of the emulator's own"
        case "macro":
            whose, _, name = parting.whose.partition(": ")
            return f"{where} uses the macro {name}, which is {parting.emulator} in the emulator and {parting.nvcc} with {whose}"
        case _ if not parting.nvcc:
            return f"{where} is compiled by the emulator and not by {parting.whose}"
        case _ if not parting.emulator:
            return f"{where} is compiled by {parting.whose} and not by the emulator"
        case _:
            ours, theirs = _shown(parting.emulator), _shown(parting.nvcc)
            return f"{where} reads {ours} in the emulator and {theirs} with {parting.whose}"


def _shown(text: str | None) -> str:
    if text is None:
        return "nothing"
    text = text.replace(MACRO_MARK, "")
    return f"`{text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + '…'}`"
