"""Macros that other files of a program put in force before a kernel: of the headers that its file includes, and of the sources that
include its file.

Directives are followed in order, as a preprocessor does, from each source that reaches the kernel. Conditions are decided where the text
alone decides them (``#if 0``, a header's guard, a default for what is defined already); what stands under another one is conditional.

Example::

    outer_macros(Source(Path("/p/k.cu"), '#include "sizes.h"\\n…TILE…'), (sizes,), 20)     # '#define TILE 16\\n'
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from assistant.cuda.directives import Directive, directives_in
from assistant.cuda.tokens import words_in_code
from assistant.model.source import Source
from assistant.record import Record

__all__ = ["outer_macros"]

_UNITS = (".cu", ".cpp", ".cc", ".cxx", ".c++", ".c")
_NAME = re.compile(r"\w+")
_INCLUDED = re.compile(r'\s*(?:<(?P<angled>[^>]+)>|"(?P<quoted>[^"]+)")')


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


class _Files(Record):
    """A program's files, and where its compilers look for what they include."""

    texts: Mapping[str, str]
    folders: tuple[str, ...]

    def included(self, includer: str, rest: str) -> str | None:
        """The path of the file that an ``#include`` means; None for one that is none of the program's."""
        name = _INCLUDED.match(rest)
        if name is None:
            return None
        places = (posixpath.dirname(includer), *self.folders) if name["quoted"] else self.folders
        paths = (posixpath.normpath(posixpath.join(place, name["quoted"] or name["angled"])) for place in places)
        return next((path for path in paths if path in self.texts), None)

    def includers(self, path: str) -> Iterator[str]:
        """The files that include one themselves."""
        for other, text in self.texts.items():
            directives = directives_in(text) if "include" in text else ()
            if other != path and any(each.word == "include" and self.included(other, each.rest) == path for each in directives):
                yield other


class _Kernel(Record):
    """Where the macros are asked about."""

    path: str
    offset: int


class _Unit:
    """One source as it is read up to the kernel."""

    def __init__(self, files: _Files, kernel: _Kernel, given: frozenset[str]) -> None:
        self._files = files
        self._kernel = kernel
        self._given = given
        self._read = set[str]()
        self._defined = set[str]()
        """Names that are macros at this place, whatever the command line says."""
        self.texts: dict[str, dict[str, bool]] = {}
        """By name, what follows ``#define`` outside the kernel's file: whether it is read under any condition."""
        self.ended = set[str]()
        """Names that are, or may be, undefined again."""

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
                return True
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
            included = self._files.included(path, directive.rest)
            return included is not None and included not in self._read and self.read(included, taken)
        if directive.word == "define" and name is not None:
            self._define(path, name[0], directive, taken is _Taken.ALWAYS)
        elif directive.word == "undef" and name is not None:
            self.ended.add(name[0])
            self._defined.discard(name[0])
        return False

    def _define(self, path: str, name: str, directive: Directive, is_sure: bool) -> None:
        if is_sure:
            self._defined.add(name)
        if name in self._given:
            self.ended.add(name)
        if path != self._kernel.path:
            texts = self.texts.setdefault(name, {})
            text = " ".join(directive.rest.split())
            texts[text] = is_sure or texts.get(text, False)


def outer_macros(
    own: Source, others: tuple[Source, ...], offset: int, folders: tuple[str, ...] = (), given: frozenset[str] = frozenset()
) -> str:
    """Those that ``own`` uses, as directives; one that may mean several things, or be none, is defined several times.

    ``offset``: of the kernel in ``own``. ``others``: the other files of every program that has it. ``folders``: where the build looks for
    includes, absolute. ``given``: names of the macros that the build's command line defines.
    """
    files = _Files({str(source.path): source.text for source in (*others, own)}, folders)
    kernel = _Kernel(str(own.path), offset)
    units = {path: _Unit(files, kernel, given) for path in _starts(files, kernel.path)}
    reaching = {path: unit for path, unit in units.items() if unit.read(path)}
    written = {each.rest.strip() for each in directives_in(own.text) if each.word == "define"}
    own_texts = {" ".join(text.split()) for text in written}
    lines = list[str]()
    for name in _used(own.text, [unit.texts for unit in reaching.values()]):
        told = [unit for path, unit in reaching.items() if name in unit.texts or path != kernel.path or len(reaching) == 1]
        lines += _directives(name, told, own_texts)
    return "".join(f"{line}\n" for line in lines)


def _starts(files: _Files, path: str) -> tuple[str, ...]:
    """Where compilers begin that come to a file: sources that include it, through others or not, and itself where it may be one."""
    reaching, waiting = {path}, [path]
    while waiting:
        found = set(files.includers(waiting.pop())) - reaching
        reaching |= found
        waiting += sorted(found)
    units = {each for each in reaching if each.endswith(_UNITS)}
    return tuple(sorted(units or reaching))


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


def _directives(name: str, units: Sequence[_Unit], own: frozenset[str] | set[str]) -> tuple[str, ...]:
    """What says all that is known of a macro; nothing where the text says the same itself."""
    texts = dict.fromkeys(text for unit in units for text in unit.texts.get(name, ()))
    is_certain = len(texts) == 1 and all(name in unit.texts and name not in unit.ended for unit in units)
    if not is_certain:
        return (*(f"#define {text}" for text in texts), f"#define {name} {name}")
    text = next(iter(texts))
    if text in own:
        return ()
    is_sure = all(unit.texts[name][text] for unit in units)
    return (f"#define {text}",) if is_sure else (f"#ifndef {name}", f"#define {text}", "#endif")
