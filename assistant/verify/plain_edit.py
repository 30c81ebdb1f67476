"""Which edits cannot read otherwise to another compiler, by their text alone: what they change names no macro whose value compilers know
better, and changes no directive. Errs on the side of asking the preprocessors. Example::

    may_read_otherwise(changed, headers=())      # False: `x[i] * 2` for `x[i] + x[i]`
    may_change_directives(changed, headers=())   # True: `#include "b.h"` for `#include "a.h"`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import accumulate

from assistant.cuda.code_patterns import Words, words_of
from assistant.cuda.code_text import uncommented, unspliced
from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.declared_names import declared_names
from assistant.cuda.device_words import ARITHMETIC, is_device_function
from assistant.cuda.directives import Directive, directives_in, macros_in
from assistant.cuda.possible_directives import is_continued, line_directive, odd_directives, plain_macro
from assistant.verify.changed_lines import ChangedLines

__all__ = ["may_change_directives", "may_read_otherwise", "misleading_directive"]

_OF_COMPILERS = Words(r"_.*|.*__.*|linux|unix|i386|NDEBUG|(?:CUDA|CUDART|CU_|CUB_|NV|THRUST|CCCL|EMU|GCC|emu_|Emu)\w*")
"""Names that compilers and toolkits keep for their macros: they predefine no others (GCC manual, "System-specific Predefined Macros")."""


def may_read_otherwise(changed: ChangedLines, headers: Iterable[str], defined: Iterable[str] = ()) -> bool:
    """Whether compilers may compile something else of B than they do of A. ``headers``: texts of the user's headers that B reaches;
    ``defined``: names of macros that flags define."""
    look = _Look(changed, tuple(headers), frozenset(defined))
    return look.changes_directives or any(look.is_doubtful(line) for line in changed.added)


def may_change_directives(changed: ChangedLines, headers: Iterable[str]) -> bool:
    """Whether B may have other directives than A, or others of them in force."""
    return _Look(changed, tuple(headers), frozenset()).changes_directives


def misleading_directive(before: str, after: str) -> str | None:
    """Why B's directives cannot be followed: it says which line of which file it is, so that what follows would be taken for another
    file's, or writes them as digraphs. In whatever may be one, comments and strings included; None where A has as many."""
    old, new = (odd_directives(text) for text in (before, after))
    if new["line"] > old["line"]:
        return "sets by `#line` which file its lines belong to"
    return "writes directives as digraphs" if new["digraph"] > old["digraph"] else None


class _Look:
    """Both texts, and the macros that the edit may use without a doubt."""

    def __init__(self, changed: ChangedLines, headers: tuple[str, ...], defined: frozenset[str]) -> None:
        self._changed = changed
        self._headers = headers
        self._defined = defined
        self._lines = changed.after.text.split("\n")

    @property
    def changes_directives(self) -> bool:
        old = self._changed.before.text.split("\n")
        removed = any(self._is_directive(old[line - 1], old[line - 2 : line - 1]) for line in self._changed.removed)
        return removed or any(self._is_directive(self._lines[line - 1], self._lines[line - 2 : line - 1]) for line in self._changed.added)

    def is_doubtful(self, line: int) -> bool:
        """Whether a line of the edit is under a condition, or names something that may be a macro of a compiler's."""
        if self._depths[line - 1]:
            return True
        return any(self._is_doubtful_name(word) for word in self._changed.after.words_at(line))

    def _is_doubtful_name(self, word: str) -> bool:
        return word in self._doubtful_macros or word in self._conditional_names or _may_be_predefined(word)

    def _is_directive(self, line: str, before: list[str]) -> bool:
        """Whether a changed line may be one, or turn others on or off; an unrolling hint and a macro that nothing depends on do not."""
        if before and is_continued(before[0]):
            return True
        directive = line_directive(line)
        if directive is None or directive.is_hint:
            return False
        return not directive.macro or directive.macro in self._deciding_words

    @cached_property
    def _directives(self) -> tuple[Directive, ...]:
        return directives_in(self._code)

    @cached_property
    def _code(self) -> str:
        return unspliced(uncommented(self._changed.after.text))

    @cached_property
    def _deciding_words(self) -> frozenset[str]:
        """What conditions and includes ask about."""
        texts = (self._changed.after.text, self._changed.before.text, *self._headers)
        found = (directive for text in texts for directive in directives_in(unspliced(uncommented(text))))
        return frozenset(word for directive in found if directive.word != "define" for word in words_of(directive.rest))

    @cached_property
    def _depths(self) -> list[int]:
        return _depths(self._code, self._directives)

    @cached_property
    def _conditional_names(self) -> frozenset[str]:
        """What is declared under a condition, so perhaps in several ways."""
        found: set[str] = set()
        for text in (self._changed.after.text, *self._headers):
            code = unspliced(uncommented(text))
            lines = zip(code.split("\n"), _depths(code, _unguarded(text)), strict=False)
            found |= {name for line, depth in lines if depth for name in declared_names(line)}
        return frozenset(found)

    @cached_property
    def _doubtful_macros(self) -> frozenset[str]:
        """The user's macros but for those that are defined once, under no condition, as plain arithmetic or code."""
        counts = Counter(macro.name for text in (self._changed.after.text, *self._headers) for macro in macros_in(text))
        bodies = {
            found[0]: found[1]
            for directive in (*self._directives, *(d for text in self._headers for d in _unguarded(text)))
            if not directive.branch and (found := plain_macro(directive.text)) is not None
        }
        doubtful = {name for name in counts if counts[name] > 1 or name not in bodies} | self._defined
        while further := {
            n for n, words in bodies.items() if n not in doubtful and any(w in doubtful or _may_be_predefined(w) for w in words)
        }:
            doubtful |= further
        return frozenset(doubtful)


def _depths(code: str, directives: Iterable[Directive]) -> list[int]:
    """By line, how many conditions enclose it."""
    steps = [0] * (code.count("\n") + 2)
    for directive in directives:
        row = code.count("\n", 0, directive.start)
        if directive.word in ("if", "ifdef", "ifndef"):
            steps[row + 1] += 1
        elif directive.word == "endif":
            steps[row] -= 1
    return list(accumulate(steps))


def _unguarded(header: str) -> tuple[Directive, ...]:
    """The directives of a header, those within an include guard as if there were none."""
    found = directives_in(unspliced(uncommented(header)))
    words = [directive.word for directive in found]
    is_guarded = words[:2] == ["ifndef", "define"] and words[-1] == "endif" and not any(d.branch == () for d in found[1:-1])
    return tuple(replace(directive, branch=directive.branch[1:]) for directive in found[1:-1]) if is_guarded else found


def _may_be_predefined(word: str) -> bool:
    is_of_language = word in KEYWORDS or word in ARITHMETIC or is_device_function(word)
    return not is_of_language and word in _OF_COMPILERS
