"""Does B compute with narrower numbers than A: half for float, float for double, 16 or 32 bits for 64? Read off device code.

Example::

    lowered_precision("double s = 0;", "float s = 0;")     # DetectedLabel(Label.PRECISION, "replaces double by a narrower type")
"""

from __future__ import annotations

import re

from assistant.cuda.code_text import without
from assistant.model.verification import Label
from assistant.verify.evidence import DetectedLabel
from assistant.verify.kernel_code import SINGLE_PRECISION
from assistant.verify.text import Match, matches, new_matches

__all__ = ["lowered_precision", "narrower_integers"]

_LOW_PRECISION = re.compile(
    r"\b(__half2?|half2?|__nv_bfloat162?|nv_bfloat162?|__nv_fp8_\w+|__float2half\w*|__float2bfloat16\w*"
    r"|precision::tf32|__float_to_tf32|float_to_tf32)\b"
)
_NAMED_HALF = re.compile(
    r"\b(?:int|unsigned|signed|long|short|char|size_t|ptrdiff_t|u?int\d+_t|float|double|auto)\b[^;(){}=]*?[\s*&]half\s*[=,;:)\[>]"
)
"""A variable called ``half``, which is no type there."""
_STORED_LOW = re.compile(r"[\])]\s*=\s*(__float(?:s2half2|22half2|2half|2bfloat16)\w*)\s*\(")
"""A result rounded as it is stored."""
_LOW_VALUE = re.compile(r"\b(?:__half2?|half2?)\b(?!\s*(?:const\s*)?[*&])")
"""A value of a half type; a pointer or reference to one is none."""
_HALF_POINTER = re.compile(r"\b(?:__half2?|half2?)\s*(?:const\s*)?\*")
_PAIRED = re.compile(r"half2|bfloat162|__h[a-z]+2")
_LOW_ARITHMETIC = re.compile(r"\b(__h(?:add|sub|mul|fma|div|max|min|neg|abs))2?(?:_\w+)?\s*\(")
_HALVES = frozenset({"half", "half2", "__half", "__half2"})
_ROUNDED_LOW = re.compile(r"\b__(?:float|double)s?2(?:2?half|bfloat16)\w*")
_FLOAT = re.compile(r"\bfloat[234]?\b")
_DOUBLE = re.compile(r"\bdouble[234]?\b")
_SINGLE = re.compile(rf"({SINGLE_PRECISION}|\bauto\b)")
"""Floats, their literals and functions, and what may be any type."""
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
    if _STORED_LOW.search(old):
        old, new = (without(code, (found.span(1) for found in _STORED_LOW.finditer(code))) for code in (old, new))
    known = _HALVES if _is_as_low(old, new) or _only_stores_low(old, new) else frozenset[str]()
    known |= {"half"} if _NAMED_HALF.search(new) else frozenset[str]()
    lower = [match for match in new_matches(_LOW_PRECISION, old, new) if match.text not in known]
    if lower:
        return DetectedLabel(Label.PRECISION, f"computes with {lower[0].text}", lower[0].line)
    had, has = len(matches(_DOUBLE, old)), len(matches(_DOUBLE, new))
    is_replaced = len(matches(_SINGLE, new)) > len(matches(_SINGLE, old)) or not has
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


def _only_stores_low(old: str, new: str) -> bool:
    """Whether halves are rounded to only where the original's own are: as results are stored (the stores are gone from both), or as often
    one by one and as often in pairs, as where a path for aligned data stands next to the other."""
    counts = [[_counts(pattern, code) for pattern in (_LOW_VALUE, _LOW_ARITHMETIC, _ROUNDED_LOW)] for code in (old, new)]
    return bool(_HALF_POINTER.search(old)) and all(max(single, pairs) <= sum(had) for had, (single, pairs) in zip(*counts, strict=True))


def _counts(pattern: re.Pattern[str], code: str) -> tuple[int, int]:
    """(one by one, in pairs) how often halves are named or computed with."""
    found = [_PAIRED.search(match[0]) is not None for match in pattern.finditer(code)]
    return found.count(False), found.count(True)


def _is_as_low(old: str, new: str) -> bool:
    """Whether B computes with the original's own operations on half types, in pairs perhaps, and with no fewer floats."""
    had, has = ({found[1] for found in _LOW_ARITHMETIC.finditer(code)} for code in (old, new))
    rounds = [len(_ROUNDED_LOW.findall(code)) for code in (old, new)]
    return bool(had) and has <= had and rounds[1] <= rounds[0] and len(_FLOAT.findall(old)) <= len(_FLOAT.findall(new))


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
