"""Does B compute with narrower numbers than A: half for float, float for double, 16 or 32 bits for 64? Read off device code.

Example::

    lowered_precision("double s = 0;", "float s = 0;")     # DetectedLabel(Label.PRECISION, "replaces double by a narrower type")
"""

from __future__ import annotations

from assistant.cuda.code_patterns import CodeMatch, CodePattern, quoted, squeezed
from assistant.cuda.code_text import without
from assistant.cuda.number_types import halves_in, low_precision_words, rounded_stores, single_count, word_count
from assistant.cuda.tokens import words_in_code
from assistant.model.verification import Label
from assistant.verify.evidence import DetectedLabel
from assistant.verify.text import Match, beyond, new_matches

__all__ = ["lowered_precision", "narrower_integers"]

_HALVES = frozenset({"half", "half2", "__half", "__half2"})
_FLOAT = frozenset({"float", "float2", "float3", "float4"})
_DOUBLE = frozenset({"double", "double2", "double3", "double4"})
_AUTO = frozenset({"auto"})
_SHORT = CodePattern(r"\b(unsigned short|short|u?int(?:8|16)_t|u?(?:char|short)[1-4](?= \w+\[))\b(?!(?: const)?\*)")
"""Vectors of them only as arrays, which hold what is computed; others carry elements from place to place."""
_STAGED = CodePattern(r" \w+[\[(]|\)\d")
_WORDS_OF_DOUBLES = frozenset({"__double_as_longlong", "__longlong_as_double"})
"""In addition to these an ``unsigned long long`` holds the bits of a double, as in an addition by ``atomicCAS``."""
_BITS_OF_DOUBLES = CodePattern(r"\bunsigned long long\b")
_CAST_WORD = CodePattern(r"\)(?:(\w+(?:\.\w+|\[\w+\])*)|\((\w+(?:\.\w+|\[\w+\])*)>>\d+\))")
"""Behind the type of a cast: a word, or a word that is shifted."""
_OF_AN_ELEMENT = CodePattern(r"\)(?:__ldg\(&?)?(\w+)[\[+]")
"""Behind the type of a cast: an element of an array, which is named."""
_PART_OF_8_BITS, _PART_OF_16_BITS = (
    CodePattern(rf"\)\((?:[^()]|\([^()]*\))*(?:&0[xX]0*[fF]{{1,{digits}}}[uUlL]*|>>{shift})\)") for digits, shift in ((2, 24), (4, 16))
)
"""Behind the type of a cast: bits of a 32-bit word that fit into it."""
_OF_8_BITS = r"(?:u?int8_t|(?:(?:un)?signed )?char)"
_OF_16_BITS = r"(?:u?int16_t|(?:unsigned )?short)"
_LONG = CodePattern(r"\b(long|u?int64_t|size_t|ptrdiff_t|u?intptr_t)\b")


def lowered_precision(old: str, new: str) -> DetectedLabel | None:
    """Of code without variables that are named as a type is (``number_types.variables_named_half``).

    A result that is rounded as it is stored is no new rounding where the original stores rounded results as well.
    """
    if rounded_stores(old):
        old, new = (without(code, rounded_stores(code)) for code in (old, new))
    known = _HALVES if _is_as_low(old, new) or _only_stores_low(old, new) else frozenset[str]()
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
    wide = old if _WORDS_OF_DOUBLES.isdisjoint(words_in_code(old)) else _BITS_OF_DOUBLES.replaced(old)
    if _LONG.is_in(wide) and not _LONG.is_in(new):
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


def _is_staged(match: CodeMatch, old: str, new: str) -> bool:
    """Whether a narrow type is an array's, a function's, or a written number's, for elements that the original has in memory of the same
    type; or that of a cast that the original makes as well, or of a cast of an element that is as narrow."""
    name = match.text
    if match.before.endswith("(") and match.after.startswith(")") and f"({name})" in squeezed(old):
        return True
    is_in_memory = CodePattern(rf"\b{name}(?: const)?\*").is_in(new if name[-1].isdigit() else old)
    if is_in_memory and _STAGED.behind(match) is not None:
        return True
    part = _PART_OF_8_BITS if "8" in name else _PART_OF_16_BITS
    if part.behind(match) is not None or _is_one_of_several_parts(match, new):
        return True
    element = _OF_AN_ELEMENT.behind(match)
    narrow = _OF_8_BITS if "8" in name else _OF_16_BITS
    return element is not None and CodePattern(rf"\b{narrow}(?: const)?\*(?:__restrict__ )?{element[1]}\b").is_in(new)


def _is_one_of_several_parts(match: CodeMatch, new: str) -> bool:
    """Whether a cast takes one part of a word of which another is taken, too: ``(uint8_t)w`` next to ``(uint8_t)(w >> 8)``."""
    word = _CAST_WORD.behind(match)
    if word is None:
        return False
    operand = quoted(word[1] or word[2])
    parts = CodePattern(rf"\({match.text}\)(?:{operand}(?![\w\[.])|\({operand}>>(\d+)\))")
    return len(set(parts.texts(new))) > 1
