"""Statements of a host function, as their tokens, and what the plain ones do: launch a kernel, set variables, print or fill memory.

Example::

    said_by(statements_of("int main() { dim3 grid(n / 256); k<<<grid, 256>>>(x); }")[2], frozenset())     # Setting(frozenset({'grid'}))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.tokens import tokens
from assistant.record import Record

__all__ = ["Launching", "Passive", "Setting", "Statement", "one_return", "said_by", "statements_of"]

Statement = tuple[str, ...]
"""Texts of its tokens, without what ends it; the first of a function is what stands before its body."""

_KEPT_FUNCTIONS = 512
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BLOCK_AFTER = frozenset({")", "]", ";", "{", "}", "else", "do", "try", "const", "noexcept", "mutable", ""})
"""A brace behind anything else begins values: ``dim3 g{8, 8}``, ``int a[] = {1}``."""
_JUMP_WORDS = "return if else for while do switch case default goto break continue throw try catch new delete using typedef asm"
_JUMPS = frozenset(_JUMP_WORDS.split())
_LAUNCH = re.compile(r"(?:for \( [^()]*(?:\( [^()]*\) [^()]*)*\) )?(?:\w+ : : )*(?P<kernel>\w+) (?:< [^;{}]*?> )?< < < (?!.*< < < ).*\)")
_TYPE = r"(?:(?:\w+|: :|\*|< [\w :,*]*>) )"
_DECLARED = rf"(?P<type>\w+ {_TYPE}*)(?P<new>\w+) (?:[({{=\[] (?P<initial>.*))?"
_SET = re.compile(rf"(?:{_DECLARED}|(?P<old>\w+) (?:\. [xyz] )?(?:[-+*/%|&^] |< < |> > )?= (?P<value>.*))")
_NEXT = re.compile(r"(?:\* )?(?P<name>\w+) (?:[({=\[] (?P<initial>.*))?")
_PRINT = re.compile(r"(?:std : : )?(?:f?printf|f?puts|putchar) \( (?P<value>.*)\) ")
_FILL = re.compile(r"(?:\w+ \( )?cudaMemset(?:Async)? \( (?P<value>.*)\) ")
_CALL = re.compile(r"(\w+) (?:< [\w :,*]*> )?\( ")
_ASSIGNS = re.compile(r"(?<![=<>!] )= (?!= )|(?:< <|> >) = |\+ \+ |- - |\bnew\b|\bdelete\b|\[ [&=\]]|(?:^|[^\w)\]] )& ")
"""Or takes an address, through which more may be set."""
_TYPES = KEYWORDS | {"dim3", "uint3", "std", "vector", "array"}
_VALUE_WORDS = "dim3 make_uint3 min max abs ceil floor sqrt log2 size_t sizeof int float double unsigned long static_cast"
_OF_VALUES = frozenset(_VALUE_WORDS.split())
"""Calls that only compute."""


class Launching(Record):
    """It launches one kernel, and may do so in a loop."""

    kernel: str
    """Unqualified."""


class Setting(Record):
    """It gives values to variables, by arithmetic alone."""

    names: frozenset[str]


class Passive(Record):
    """It prints, or fills memory: no launch is otherwise for it."""


@lru_cache(maxsize=_KEPT_FUNCTIONS)
def statements_of(function: str) -> tuple[Statement, ...]:
    """In order; blocks are taken apart: ``if (c) { f(); }`` is ``if (c)``, ``{``, ``f()``, ``}``."""
    return tuple(_statements(function))


def _statements(function: str) -> Iterator[Statement]:
    found, depth = list[str](), 0
    for token in tokens(function):
        is_block = token.text in "{}" and depth == 0 and (token.text == "}" or (found[-1] if found else "") in _BLOCK_AFTER)
        if depth == 0 and (token.text == ";" or is_block):
            if found:
                yield tuple(found)
            if is_block:
                yield (token.text,)
            found = []
            continue
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        found.append(token.text)
    if found:
        yield tuple(found)


def one_return(function: str) -> bool:
    """Whether all that it does is to return a value that is computed from its arguments."""
    _, *body = statements_of(function)
    is_short = len(body) == 3 and body[1][0] == "return"
    return is_short and _only_computes(_joined(body[1][1:]), frozenset())


def said_by(statement: Statement, computing: frozenset[str]) -> Launching | Setting | Passive | None:
    """None: anything else, or not known. ``computing``: functions and macros of the program that only compute a value."""
    text = _joined(statement)
    if (launch := _LAUNCH.fullmatch(text.rstrip())) is not None:
        return Launching(launch["kernel"])
    if (passive := _PRINT.fullmatch(text) or _FILL.fullmatch(text)) is not None:
        return Passive() if _only_computes(passive["value"], computing) else None
    first, *others = _parted(statement)
    match = _SET.fullmatch(_joined(first))
    if match is None or not _JUMPS.isdisjoint(statement) or not _is_plain(match["type"] or ""):
        return None
    names = {match["new"] or match["old"]}
    values = [match["initial"] or match["value"] or ""]
    for part in others:
        another = _NEXT.fullmatch(_joined(part))
        if another is None:
            return None
        names.add(another["name"])
        values.append(another["initial"] or "")
    return Setting(frozenset(names)) if all(_only_computes(value, computing) for value in values) else None


def _is_plain(type_name: str) -> bool:
    """Whether making one runs no code of the program."""
    return "*" in type_name or all(word in _TYPES or word.endswith("_t") for word in re.findall(r"\w+", type_name.partition("<")[0]))


def _only_computes(value: str, computing: frozenset[str]) -> bool:
    return not _ASSIGNS.search(value) and all(name in _OF_VALUES or name in computing for name in _CALL.findall(value))


def _parted(statement: Statement) -> list[Statement]:
    """At its commas outside of brackets, those of template arguments but for: these stay whole with what is around."""
    parts, depth, angles = [list[str]()], 0, 0
    for index, token in enumerate(statement):
        depth += (token in _OPENING) - (token in _CLOSING)
        angles += (token == "<" and index > 0 and statement[index - 1][0].isalpha()) - (token == ">" and angles > 0)
        if token == "," and depth == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts]


def _joined(statement: Statement) -> str:
    return "".join(f"{token} " for token in statement)
