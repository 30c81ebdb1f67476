"""Variables that outlive a launch, as a text declares them: in device memory, and static ones.

Example::

    [one.names for one in device_state("__device__ unsigned left, seen; __device__ const int size = 4;")]    # [('left', 'seen')]
"""

from __future__ import annotations

from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.record import Record

__all__ = ["KeptVariables", "assignment_count", "device_state", "is_changed_in_place", "is_set_back", "static_state"]

_CONSTANT = ("const", "constexpr")
_DECLARING_SIGNS = frozenset(":<>,*")


class KeptVariables(Record):
    """One declaration."""

    names: tuple[str, ...]
    text: str
    """Type and names as they are written."""
    start: int
    """Offset of the word that it begins with."""
    line: int
    """1-based."""


def device_state(code: str) -> tuple[KeptVariables, ...]:
    """What ``__device__`` and ``__managed__`` declare, constants left out; of initializers only those without calls."""
    return _declared(code, ("__device__", "__managed__"), is_static=False)


def static_state(code: str) -> tuple[KeptVariables, ...]:
    """What ``static`` declares: constants, arrays and what is of the device left out."""
    return _declared(code, ("static",), is_static=True)


def is_set_back(code: str, name: str) -> bool:
    """Whether it sets the variable to 0, or counts it by ``atomicInc``, which begins again at its limit."""
    read = read_tokens(code)
    return any(_is_zeroed(read, index) or _is_counted_around(read, index) for index in read.words(name))


def assignment_count(code: str, name: str) -> int:
    """How often the variable itself is assigned by ``=``."""
    read = read_tokens(code)
    return sum(read.is_joined(index + 1, "=") and not read.is_joined(index + 1, "==") for index in read.words(name))


def is_changed_in_place(code: str, name: str) -> bool:
    """Whether the variable itself is counted, added to or passed to an atomic; not whether it is assigned."""
    read = read_tokens(code)
    return any(_is_changed(read, index) for index in read.words(name))


def _declared(code: str, words: tuple[str, ...], is_static: bool) -> tuple[KeptVariables, ...]:
    read, found = read_tokens(code), list[KeptVariables]()
    for index, token in enumerate(read.tokens):
        end = _past_names(read, index + 1, is_static) if read.is_word(index) and token.text in words else index + 1
        if end == index + 1 or not _is_ended(read, end, is_static):
            continue
        text = read.spelled(index + 1, end)
        found.append(KeptVariables(_names(read, index + 1, end), text, token.start, code.count("\n", 0, token.start) + 1))
    return tuple(found)


def _past_names(read: TokenReader, first: int, is_static: bool) -> int:
    """Index behind the type and the names that begin there; ``first`` where no name ends them."""
    end = first
    while (read.is_word(end) and not _is_excluded(read.text(end), is_static)) or read.is_number(end) or read.text(end) in _DECLARING_SIGNS:
        end += 1
    return end if read.is_word(end - 1) and end > first else first


def _is_excluded(word: str, is_static: bool) -> bool:
    return word in _CONSTANT or (is_static and len(word) > 4 and word.startswith("__") and word.endswith("__"))


def _is_ended(read: TokenReader, index: int, is_static: bool) -> bool:
    """Whether a declaration of variables ends there: with arrays, an initializer and ``;``."""
    while not is_static and read.text(index) == "[":
        index = read.past(index)
    if read.text(index) == "=":
        stops = ";" if is_static else ";(){}"
        index = next((later for later in range(index, len(read.tokens)) if read.text(later) in tuple(stops)), len(read.tokens))
    elif read.text(index) == "{":
        index = next((later for later in range(index, len(read.tokens)) if read.text(later) in (";", "}")), len(read.tokens))
        index += read.text(index) == "}"
    return read.text(index) == ";"


def _names(read: TokenReader, first: int, end: int) -> tuple[str, ...]:
    """The last word of each part between commas that no template argument list holds."""
    found, depth, last = list[str](), 0, ""
    for index in range(first, end):
        text = read.text(index)
        depth += (text == "<") - (text == ">")
        if text == "," and depth == 0:
            found.append(last)
            last = ""
        elif read.is_word(index) and depth == 0:
            last = text
    return tuple(name for name in (*found, last) if name)


def _is_zeroed(read: TokenReader, index: int) -> bool:
    behind = read.past(index + 1) if read.text(index + 1) == "[" else index + 1
    return read.is_joined(behind, "=") and not read.is_joined(behind, "==") and read.text(behind + 1) == "0"


def _is_counted_around(read: TokenReader, index: int) -> bool:
    return read.text(index - 1) == "&" and read.text(index - 2) == "(" and read.text(index - 3) == "atomicInc"


def _is_changed(read: TokenReader, index: int) -> bool:
    opening = index - 2 if read.text(index - 1) == "&" else index - 1
    is_in_atomic = read.text(opening) == "(" and read.text(opening - 1).startswith("atomic") and read.text(opening - 1) != "atomic"
    is_stepped = any(read.is_joined(place, sign) for place in (index - 2, index + 1) for sign in ("++", "--"))
    behind = read.past_assignment(index + 1)
    return is_in_atomic or is_stepped or (behind is not None and read.text(index + 1) in tuple("-+*/|&^"))
