"""Does B compute with narrower numbers than A: half for float, float for double, 16 or 32 bits for 64? Read off device code.

Example::

    lowered_precision("double s = 0;", "float s = 0;")     # DetectedLabel(Label.PRECISION, "replaces double by a narrower type")
"""

from __future__ import annotations

import re

from assistant.cuda.code_text import without
from assistant.cuda.number_types import halves_in, low_precision_words, names_a_variable_half, rounded_stores, single_count, word_count
from assistant.model.verification import Label
from assistant.verify.evidence import DetectedLabel
from assistant.verify.text import Match, beyond, matches, new_matches

__all__ = ["lowered_precision", "narrower_integers"]

_HALVES = frozenset({"half", "half2", "__half", "__half2"})
_FLOAT = re.compile(r"float[234]?")
_DOUBLE = re.compile(r"double[234]?")
_AUTO = re.compile(r"auto")
_SHORT = re.compile(r"\b(unsigned\s+short|short|u?int(?:8|16)_t|u?(?:char|short)[1-4](?=\s+\w+\s*\[))\b(?!\s*(?:const\s*)?\*)")
"""Vectors of them only as arrays, which hold what is computed; others carry elements from place to place."""
_STAGED = re.compile(r"\s+\w+\s*[\[(]|\s*\)\s*\d")
_WORDS_OF_DOUBLES = re.compile(r"__double_as_longlong|__longlong_as_double")
"""In addition to these an ``unsigned long long`` holds the bits of a double, as in an addition by ``atomicCAS``."""
_CAST_WORD = re.compile(r"\s*\)\s*(?:(\w+(?:\.\w+|\[\w+\])*)|\(\s*(\w+(?:\.\w+|\[\w+\])*)\s*>>\s*\d+\s*\))")
"""Behind the type of a cast: a word, or a word that is shifted."""
_OF_AN_ELEMENT = re.compile(r"\s*\)\s*(?:__ldg\s*\(\s*&?\s*)?(\w+)\s*[\[+]")
"""Behind the type of a cast: an element of an array, which is named."""
_PART_OF_8_BITS, _PART_OF_16_BITS = (
    re.compile(rf"\s*\)\s*\((?:[^()]|\([^()]*\))*(?:&\s*0[xX]0*[fF]{{1,{digits}}}[uUlL]*|>>\s*{shift})\s*\)")
    for digits, shift in ((2, 24), (4, 16))
)
"""Behind the type of a cast: bits of a 32-bit word that fit into it."""
_OF_8_BITS = r"(?:u?int8_t|(?:(?:un)?signed\s+)?char)"
_OF_16_BITS = r"(?:u?int16_t|(?:unsigned\s+)?short)"
_LONG = re.compile(r"\b(long|u?int64_t|size_t|ptrdiff_t|u?intptr_t)\b")


def lowered_precision(old: str, new: str) -> DetectedLabel | None:
    """A result that is rounded as it is stored is no new rounding where the original stores rounded results as well."""
    if rounded_stores(old):
        old, new = (without(code, rounded_stores(code)) for code in (old, new))
    known = _HALVES if _is_as_low(old, new) or _only_stores_low(old, new) else frozenset[str]()
    known |= {"half"} if names_a_variable_half(new) else frozenset[str]()
    lower = [match for match in beyond(_low_precision(old), _low_precision(new)) if match.text not in known]
    if lower:
        return DetectedLabel(Label.PRECISION, f"computes with {lower[0].text}", lower[0].line)
    had, has = word_count(old, _DOUBLE), word_count(new, _DOUBLE)
    # floats, their literals and functions, and what may be any type
    singles, more_singles = (single_count(code) + word_count(code, _AUTO) for code in (old, new))
    is_replaced = more_singles > singles or not has
    return DetectedLabel(Label.PRECISION, "replaces double by a narrower type") if has < had and is_replaced else None


def narrower_integers(old: str, new: str) -> DetectedLabel | None:
    """Indices that were computed in 64 bits overflow beyond 2^31 elements when they are not; no run of small sizes shows it."""
    narrow = [match for match in new_matches(_SHORT, old, new) if not _is_staged(match, old, new)]
    if narrow:
        return DetectedLabel(Label.ASSUMPTION, f"computes with {narrow[0].text}, which holds small values only", narrow[0].line)
    wide = re.sub(r"\bunsigned\s+long\s+long\b", " ", old) if _WORDS_OF_DOUBLES.search(old) else old
    if matches(_LONG, wide) and not matches(_LONG, new):
        return DetectedLabel(Label.ASSUMPTION, "computes in 32 bits what the original computes in 64, so large sizes overflow")
    return None


def _low_precision(code: str) -> list[Match]:
    return [Match(text, code.count("\n", 0, start) + 1, start) for text, start in low_precision_words(code)]


def _only_stores_low(old: str, new: str) -> bool:
    """Whether halves are rounded to only where the original's own are: as results are stored (the stores are gone from both), or as often
    one by one and as often in pairs, as where a path for aligned data stands next to the other."""
    had, has = ((use.values, use.operations, use.roundings) for use in (halves_in(old), halves_in(new)))
    return halves_in(old).has_pointers and all(max(later) <= sum(earlier) for earlier, later in zip(had, has, strict=True))


def _is_as_low(old: str, new: str) -> bool:
    """Whether B computes with the original's own operations on half types, in pairs perhaps, and with no fewer floats."""
    had, has = halves_in(old), halves_in(new)
    is_as_rounded = sum(has.roundings) <= sum(had.roundings) and word_count(old, _FLOAT) <= word_count(new, _FLOAT)
    return bool(had.names) and has.names <= had.names and is_as_rounded


def _is_staged(match: Match, old: str, new: str) -> bool:
    """Whether a narrow type is an array's, a function's, or a written number's, for elements that the original has in memory of the same
    type; or that of a cast that the original makes as well, or of a cast of an element that is as narrow."""
    is_vector = match.text[-1].isdigit()
    cast = rf"\(\s*{re.escape(match.text)}\s*\)"
    if re.match(cast, new[match.start - 1 :]) and re.search(cast, old):
        return True
    is_in_memory = re.search(rf"\b{re.escape(match.text)}\s*(?:const\s*)?\*", new if is_vector else old) is not None
    end = match.start + len(match.text)
    if is_in_memory and _STAGED.match(new, end) is not None:
        return True
    if (_PART_OF_8_BITS if "8" in match.text else _PART_OF_16_BITS).match(new, end) is not None or _is_one_of_several_parts(match, new):
        return True
    element = _OF_AN_ELEMENT.match(new, end)
    narrow = _OF_8_BITS if "8" in match.text else _OF_16_BITS
    return element is not None and re.search(rf"\b{narrow}\s*(?:const\s*)?\*\s*(?:__restrict__\s*)?{element[1]}\b", new) is not None


def _is_one_of_several_parts(match: Match, new: str) -> bool:
    """Whether a cast takes one part of a word of which another is taken, too: ``(uint8_t)w`` next to ``(uint8_t)(w >> 8)``."""
    word = _CAST_WORD.match(new, match.start + len(match.text))
    if word is None:
        return False
    operand = re.escape(word[1] or word[2])
    parts = re.finditer(rf"\(\s*{re.escape(match.text)}\s*\)\s*(?:{operand}(?![\w\[.])|\(\s*{operand}\s*>>\s*(\d+)\s*\))", new)
    return len({part[1] for part in parts}) > 1
