"""Which compiled kernel a recording means: demanglers differ in spaces, in return types and in how they write anonymous namespaces.

Example::

    symbol_for("tr<1>(float*, int)", (("void tr<1>(float *, int)", "_Z2trILi1EEvPfi"),))    # '_Z2trILi1EEvPfi'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from assistant.cuda.same_names import is_named_file, split_name, without_file

__all__ = ["is_in_unit", "name_in_code", "symbol_for"]

_ANONYMOUS = "(anonymous namespace)::"
_OPENS = {">": "<", ")": "("}
_LEFT_OUT = re.compile(r"\(anonymous namespace\)::|^void(?=\s)|\s")


def name_in_code(kernel: str) -> tuple[str, str]:
    """A demangled kernel's name as source text has it, and its parameter list from ``(`` on; empty where none is written."""
    text = without_file(kernel).replace(_ANONYMOUS, "")
    open_ones = ""
    for at, character in enumerate(text):
        if character == "(" and not open_ones:
            return text[:at], text[at:]
        if character in "<(":  # an enumerator among a template's arguments is written (Mode)1
            open_ones += character
        elif open_ones.endswith(_OPENS.get(character, "?")):
            open_ones = open_ones[:-1]
    return text, ""


def symbol_for(name: str, kernels: Iterable[tuple[str, str]]) -> str | None:
    """The mangled name of the kernel called ``name``, of (demangled, mangled) pairs; None where none or several can be meant.

    It is the one of the same name, else the only one whose name without template and parameter lists is the same.
    """
    known = tuple(kernels)
    same = _same_in(name, known)
    if same is not None:
        return same
    similar = [mangled for demangled, mangled in known if _base(demangled) == _base(name)]
    return similar[0] if len(similar) == 1 else None


def is_in_unit(name: str, unit: str, kernels: Iterable[tuple[str, str]]) -> bool:
    """Whether the kernel called ``name`` is one of this unit's (``unit``: its path), by its whole name: another unit may have an instance
    of the same template. A name with a file means that file's."""
    file = split_name(name)[0]
    return (not file or is_named_file(unit, file)) and _same_in(name, kernels) is not None


def _same_in(name: str, kernels: Iterable[tuple[str, str]]) -> str | None:
    """Of units linked into one the kernel of the same file, where both names have one."""
    file, plain = split_name(name)
    alike = [(split_name(demangled)[0], mangled) for demangled, mangled in kernels if plain == mangled or _plain(demangled) == _plain(name)]
    of_file = (mangled for label, mangled in alike if file and label and is_named_file(label, file))
    others = (mangled for label, mangled in alike if not (file and label))
    return next(chain(of_file, others), None)


def _plain(name: str) -> str:
    return _LEFT_OUT.sub("", without_file(name))


def _base(name: str) -> str:
    return re.split(r"[<(]", _plain(name), maxsplit=1)[0]
