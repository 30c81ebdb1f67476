"""Which number types a piece of code names: floats by their types, literals and functions, halves, and casts and roundings to them.

Example::

    is_single("sqrtf(x) * 0.5f")         # True
    halves_in("__half h; __half *p;")    # HalfUse(values=(1, 0), has_pointers=True, …)
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from assistant.cuda.token_reader import TokenReader, read_tokens
from assistant.cuda.tokens import TokenKind
from assistant.record import Record

__all__ = [
    "HalfUse",
    "halves_in",
    "is_single",
    "low_precision_words",
    "rounded_stores",
    "single_count",
    "variables_named_half",
    "word_count",
]

_SINGLE_WORD = re.compile(
    r"float[1-4]?|(?:a?(?:sin|cos|tan)h?|atan2|sincos(?:pi)?|exp(?:2|10|m1)?|log(?:2|10|1p|b)?|r?(?:sqrt|cbrt)|pow|fabs|fm(?:a|in|ax|od)"
    r"|floor|ceil|trunc|l{0,2}r(?:ound|int)|erfc?x?|[lt]gamma|r?hypot|copysign|nearbyint|ldexp)f"
)
"""Float's types and functions (CUDA Math API, "Single Precision Mathematical Functions")."""
_SINGLE_LITERAL = re.compile(r"(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]")
_LOW = re.compile(r"__half2?|half2?|__nv_bfloat162?|nv_bfloat162?|__nv_fp8_\w+|__float2half\w*|__float2bfloat16\w*|(?:__)?float_to_tf32")
_HALF = re.compile(r"(?:__)?half2?")
_STORED_LOW = re.compile(r"__float(?:s2half2|22half2|2half|2bfloat16)\w*")
_LOW_ARITHMETIC = re.compile(r"(__h(?:add|sub|mul|fma|div|max|min|neg|abs))2?(?:_\w+)?")
_ROUNDED_LOW = re.compile(r"__(?:float|double)s?2(?:2?half|bfloat16)\w*")
_PAIRED = re.compile(r"half2|bfloat162|__h[a-z]+2")
_TYPES = re.compile(r"int|unsigned|signed|long|short|char|size_t|ptrdiff_t|u?int\d+_t|float|double|auto")
_AFTER_VARIABLE = frozenset(",;:)[")
_ENDS_OF_DECLARATIONS = frozenset(";(){}=<")
_BEFORE_NAMES_OF_TYPES = frozenset({"using", "typename", "class"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


class HalfUse(Record):
    """How often halves are named and computed with: (one by one, in pairs)."""

    values: tuple[int, int]
    """Values of a half type; a pointer or reference to one is none."""
    operations: tuple[int, int]
    roundings: tuple[int, int]
    names: frozenset[str]
    """Operations, without what says that they are of pairs or how they round: ``__hadd``."""
    has_pointers: bool


def single_count(code: str) -> int:
    """How often floats of 32 bits are named: their types, literals and functions."""
    return sum(_is_single(read_tokens(code), index) for index in range(len(read_tokens(code).tokens)))


def is_single(code: str) -> bool:
    """Whether floats of 32 bits or less are named."""
    read = read_tokens(code)
    return any(_is_single(read, index) or _is_half_type(read, index) for index in range(len(read.tokens)))


def word_count(code: str, words: Container[str]) -> int:
    """How many words of the code are these."""
    return sum(token.kind is TokenKind.WORD and token.text in words for token in read_tokens(code).tokens)


def low_precision_words(code: str) -> Iterator[tuple[str, int]]:
    """(what is named, its offset): types narrower than float, conversions to them, and the precision TF32."""
    read = read_tokens(code)
    for index, token in enumerate(read.tokens):
        if not read.is_word(index):
            continue
        if _LOW.fullmatch(token.text):
            yield token.text, token.start
        elif token.text == "tf32" and read.is_joined(index - 2, "::") and read.text(index - 3) == "precision":
            yield "precision::tf32", read.start(index - 3)


def variables_named_half(code: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of each ``half`` that names a variable, from where it is declared to the end of its block: ``int half = n / 2;``."""
    read, found, end = read_tokens(code), list[tuple[int, int]](), 0
    for index in read.words("half"):
        if index >= end and _declares(read, index):
            end = _end_of_scope(read, index)
        if index < end:
            found.append((read.tokens[index].start, read.tokens[index].end))
    return tuple(found)


def rounded_stores(code: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of each conversion to a half or bfloat16 whose result is stored to an element at once."""
    read = read_tokens(code)
    return tuple(
        (token.start, token.end)
        for index, token in enumerate(read.tokens)
        if read.is_word(index)
        and _STORED_LOW.fullmatch(token.text)
        and (read.text(index - 1), read.text(index + 1)) == ("=", "(")
        and read.text(index - 2) in ("]", ")")
    )


def halves_in(code: str) -> HalfUse:
    """How the code uses halves."""
    read = read_tokens(code)
    words = [index for index in range(len(read.tokens)) if read.is_word(index)]
    types = [index for index in words if _HALF.fullmatch(read.text(index))]
    operations = [index for index in words if read.text(index + 1) == "(" and _LOW_ARITHMETIC.fullmatch(read.text(index))]
    roundings = [index for index in words if _ROUNDED_LOW.fullmatch(read.text(index))]
    named = (_LOW_ARITHMETIC.fullmatch(read.text(index)) for index in operations)
    return HalfUse(
        values=_counts(read, [index for index in types if _sign_behind(read, index) not in ("*", "&")]),
        operations=_counts(read, operations),
        roundings=_counts(read, roundings),
        names=frozenset(name[1] for name in named if name is not None),
        has_pointers=any(_sign_behind(read, index) == "*" for index in types),
    )


def _is_single(read: TokenReader, index: int) -> bool:
    token = read.tokens[index]
    pattern = {TokenKind.WORD: _SINGLE_WORD, TokenKind.NUMBER: _SINGLE_LITERAL}.get(token.kind)
    return pattern is not None and pattern.fullmatch(token.text) is not None


def _is_half_type(read: TokenReader, index: int) -> bool:
    return read.is_word(index) and re.fullmatch(r"(?:__)?half2?|(?:__)?nv_bfloat16\d?", read.text(index)) is not None


def _counts(read: TokenReader, found: list[int]) -> tuple[int, int]:
    pairs = sum(_PAIRED.search(read.text(index)) is not None for index in found)
    return len(found) - pairs, pairs


def _sign_behind(read: TokenReader, index: int) -> str:
    return read.text(index + 1 + (read.text(index + 1) == "const"))


def _declares(read: TokenReader, index: int) -> bool:
    """Whether a variable of that name is declared, or set, there; a type has no type before it and is never set."""
    before, behind = read.text(index - 1), read.text(index + 1)
    if _TYPES.fullmatch(before):
        return True
    if behind == "=" and not read.is_joined(index + 1, "=="):
        return before not in _BEFORE_NAMES_OF_TYPES
    if behind not in _AFTER_VARIABLE:
        return False
    for place in range(index - 1, -1, -1):
        if read.text(place) in _ENDS_OF_DECLARATIONS:
            return False
        if read.is_word(place) and _TYPES.fullmatch(read.text(place)):
            return read.text(place - 1) not in ("<", ",")  # arguments of a template
    return False


def _end_of_scope(read: TokenReader, index: int) -> int:
    """Index behind the last token of the scope of what is declared there."""
    depth = 0
    for place in range(index, len(read.tokens)):
        sign = read.text(place)
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if depth < 0 and sign == "}":
            return place
        if (sign == ">" and place == index + 1) or depth < 0:  # a parameter, or of the head of a loop
            return _end_of_body(read, place + 1)
    return len(read.tokens)


def _end_of_body(read: TokenReader, behind_head: int) -> int:
    for place in range(behind_head, len(read.tokens)):
        if read.text(place) == "{":
            return read.past(place)
        if read.text(place) in (";", "}"):
            return place
    return len(read.tokens)
