"""Macros and integer constants that other files of a program define before a kernel: headers that its file includes, and sources that
include its file.

Directives are followed in order, as a preprocessor does, from each source that reaches the kernel. Conditions are decided where the text
alone decides them (``#if 0``, a header's guard, a default for what is defined already); what stands under another one is conditional.

Example::

    outer_definitions(Source(Path("/p/k.cu"), '#include "sizes.h"\\n…TILE…'), (sizes,), 20)     # '#define TILE 16\\n'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from assistant.cuda.constants import file_constants
from assistant.cuda.definition_search import ProgramFiles, files_with_definitions
from assistant.cuda.directives import Directive, directives_in
from assistant.cuda.includes import include_directives
from assistant.cuda.tokens import words_in_code
from assistant.model.source import Source
from assistant.record import Record

__all__ = ["outer_definitions"]

_UNITS = (".cu", ".cpp", ".cc", ".cxx", ".c++", ".c")
_DEFINE = "#define "
_NAME = re.compile(r"\w+")


class _Taken(IntEnum):
    """Whether a branch of a condition is compiled."""

    NEVER = 0
    PERHAPS = 1
    ALWAYS = 2


class _Branch(Record):
    now: _Taken
    before: _Taken = _Taken.NEVER
    """The surest of the branches before it."""

    def following(self, word: str) -> _Branch:
        """The branch that ``else`` or ``elif`` begins."""
        before = max(self.before, self.now)
        if before is _Taken.ALWAYS:
            return _Branch(_Taken.NEVER, before)
        return _Branch(_Taken.ALWAYS if word == "else" and before is _Taken.NEVER else _Taken.PERHAPS, before)


class _Kernel(Record):
    """Where the macros are asked about."""

    path: str
    offset: int


class _Unit:
    """One source as it is read up to the kernel."""

    def __init__(self, files: ProgramFiles, looked_at: frozenset[str], kernel: _Kernel, given: frozenset[str]) -> None:
        """``looked_at``: the files that may say something of the names in question."""
        self._files = files
        self._looked_at = looked_at
        self._kernel = kernel
        self._given = given
        self._read = set[str]()
        self._defined = set[str]()
        """Names that are macros at this place, whatever the command line says."""
        self.texts: dict[str, dict[str, bool]] = {}
        """By name, the lines that define it outside the kernel's file: whether each is read under any condition."""
        self.ended = set[str]()
        """Names that are, or may be, undefined after they were defined."""

    def read(self, path: str, included: _Taken = _Taken.ALWAYS) -> bool:
        """Whether the kernel is reached in that file, or in one that it includes; ``included``: whether the file itself is read."""
        self._read.add(path)
        branches = list[_Branch]()
        directives = directives_in(self._files.texts[path])
        for number, directive in enumerate(directives):
            if path == self._kernel.path and directive.start >= self._kernel.offset:
                return True
            word = directive.word
            if word in ("if", "ifdef", "ifndef"):
                branches.append(_Branch(self._decided(directives[number : number + 2])))
            elif word in ("else", "elif", "elifdef", "elifndef") and branches:
                branches[-1] = branches[-1].following(word)
            elif word == "endif" and branches:
                branches.pop()
            elif self._followed(path, directive, min((included, *(branch.now for branch in branches)))):
                self._declare(path, directive.start, included)
                return True
        self._declare(path, None, included)
        return path == self._kernel.path

    def _decided(self, directives: Sequence[Directive]) -> _Taken:
        """Whether the branch that the first of them begins is compiled."""
        word, asked = directives[0].word, directives[0].rest.strip()
        if word == "if":
            return {"0": _Taken.NEVER, "false": _Taken.NEVER, "1": _Taken.ALWAYS, "true": _Taken.ALWAYS}.get(asked, _Taken.PERHAPS)
        if asked in self._defined or asked in self._given:
            return _Taken.ALWAYS if word == "ifdef" else _Taken.NEVER
        is_guard = word == "ifndef" and len(directives) > 1 and directives[1].word == "define" and directives[1].rest.strip() == asked
        return _Taken.ALWAYS if is_guard else _Taken.PERHAPS

    def _followed(self, path: str, directive: Directive, taken: _Taken) -> bool:
        """Whether the kernel is reached through an include."""
        if taken is _Taken.NEVER:
            return False
        name = _NAME.match(directive.rest.strip())
        if directive.word == "include":
            found = include_directives(directive.text)
            included = self._files.included(path, found[0]) if found else None
            return included in self._looked_at - self._read and self.read(included, taken)
        if directive.word == "define" and name is not None:
            self._define(path, name[0], directive, taken is _Taken.ALWAYS)
        elif directive.word == "undef" and name is not None:
            self._defined.discard(name[0])
            self.ended |= {name[0]} & self.texts.keys()
        return False

    def _define(self, path: str, name: str, directive: Directive, is_sure: bool) -> None:
        if is_sure:
            self._defined.add(name)
        if name in self._given:
            self.ended.add(name)
        if path != self._kernel.path:
            self._add(name, f"{_DEFINE}{' '.join(directive.rest.split())}", is_sure)

    def _declare(self, path: str, end: int | None, included: _Taken) -> None:
        """What a file declares before the kernel."""
        text = self._files.texts[path][:end]
        if path != self._kernel.path and included is _Taken.ALWAYS:
            for name, value in file_constants(text):
                self._add(name, f"constexpr int {name} = {value};", is_sure=True)

    def _add(self, name: str, text: str, is_sure: bool) -> None:
        texts = self.texts.setdefault(name, {})
        texts[text] = is_sure or texts.get(text, False)


def outer_definitions(
    own: Source, others: tuple[Source, ...], offset: int, folders: tuple[str, ...] = (), given: frozenset[str] = frozenset()
) -> str:
    """Those that ``own`` uses, as text; a macro that may mean several things, or be none, is defined several times.

    ``offset``: of the kernel in ``own``. ``others``: the other files of every program that has it. ``folders``: where the build looks for
    includes, absolute. ``given``: names of the macros that the build's command line defines.
    """
    files = ProgramFiles({str(source.path): source.text for source in (*others, own)}, folders)
    kernel = _Kernel(str(own.path), offset)
    reaching = files.with_includers(frozenset({kernel.path}))
    looked_at = files_with_definitions(files, kernel.path, reaching)
    starts = sorted(path for path in reaching if path.endswith(_UNITS)) or sorted(reaching)
    units = {path: _Unit(files, looked_at, kernel, given) for path in starts}
    read = {path: unit for path, unit in units.items() if unit.read(path)}
    own_texts = frozenset(f"{_DEFINE}{' '.join(each.rest.split())}" for each in directives_in(own.text) if each.word == "define")
    lines = list[str]()
    for name in _used(own.text, [unit.texts for unit in read.values()]):
        using = [unit for path, unit in read.items() if name in unit.texts or path != kernel.path or len(read) == 1]
        lines += _lines(name, using, own_texts)
    return "".join(f"{line}\n" for line in lines)


def _used(text: str, found: Iterable[Mapping[str, Mapping[str, bool]]]) -> tuple[str, ...]:
    """Names of the macros that a text uses, itself or through others, in order."""
    texts: dict[str, set[str]] = {}
    for macros in found:
        for name, definitions in macros.items():
            texts.setdefault(name, set()).update(definitions)
    used: set[str] = set()
    waiting = list(words_in_code(text))
    while waiting:
        name = waiting.pop()
        if name in texts and name not in used:
            used.add(name)
            waiting += [word for definition in texts[name] for word in _NAME.findall(definition)]
    return tuple(sorted(used))


def _lines(name: str, units: Sequence[_Unit], own: frozenset[str]) -> tuple[str, ...]:
    """What says all that is known of a name; nothing where the text says the same itself, or where it is a constant that may be another."""
    texts = dict.fromkeys(text for unit in units for text in unit.texts.get(name, ()))
    is_certain = len(texts) == 1 and all(name in unit.texts and name not in unit.ended for unit in units)
    if not is_certain:
        macros = tuple(text for text in texts if text.startswith(_DEFINE))
        return (*macros, f"{_DEFINE}{name} {name}") if macros else ()
    text = next(iter(texts))
    if text in own:
        return ()
    is_sure = all(unit.texts[name][text] for unit in units)
    return (text,) if is_sure else (f"#ifndef {name}", text, "#endif")
