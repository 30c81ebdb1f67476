"""Printed output compared by lines and tokens: text equal, whole numbers equal, decimals within what they were printed to.

Numbers that the original's own two runs print differently, and times and rates, are masked and listed.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from assistant.record import Record
from assistant.verify.tolerance import MAX_FACTOR

__all__ = ["DEFAULT_RELATIVE", "ROUNDED_FACTOR", "TextComparison", "compare_texts", "differ_in_words"]

_FLIPPING_DIGITS = 4
"""Significant digits from which a last place may round the other way after a harmless regrouping."""
DEFAULT_RELATIVE = 1024.0 * 2.0**-24
"""Relative freedom of printed decimals: regrouping of float sums (``program.REGROUPING_ROUNDOFFS``)."""
ROUNDED_FACTOR = 4.0
"""How many times as far as in one run of the original that rounds otherwise another honest one may move: that run is one draw,
and what iterates (conjugate gradients, a simulation) moves by anything from nothing to several times as much."""
_TOKEN = re.compile(r"0[xX][0-9a-fA-F]+|[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|[A-Za-z_]\w*|\S")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_RATE_UNIT = re.compile(r"(?:[munµ]?s|secs?|seconds?|milliseconds?|msec|usec|[KMGT]i?[Bb]|[KMGT]?flops?|[KMGT]FLOPS?|x|fps|Hz|[KMG]Hz)")
_RATE_WORD = re.compile(r"(?i)\b(time|elapsed|duration|took|bandwidth|throughput|gflops?|flops|speed-?up|latency|runtime)\b")


class TextComparison(Record):
    """Result of comparing printed text."""

    difference: tuple[str, str] | None
    """First differing line: (expected, actual); None when equal."""
    masked: tuple[str, ...]
    """One sentence per line of which something was not compared."""
    number_count: int
    """Numbers that were compared."""


def compare_texts(
    original: str,
    again: str,
    candidate: str,
    relative: float = DEFAULT_RELATIVE,
    absolute: float = 0.0,
    rounded: str | None = None,
) -> TextComparison:
    """B's text against two runs of A's; ``relative``, ``absolute``: freedom of decimals, which add up.

    ``rounded``: text of a run of A that rounds otherwise: decimals may move ``ROUNDED_FACTOR`` times as far, and four times that.
    """
    lines, repeats, others = original.splitlines(), again.splitlines(), candidate.splitlines()
    moved = _moved(lines, None if rounded is None else rounded.splitlines())
    masked = list[str]()
    if len(lines) != len(repeats):
        return TextComparison(None, ("standard output (the original's own runs print different line counts)",), 0)
    count = 0
    for number, (line, other) in enumerate(zip_longest(lines, others), 1):
        if line is None or other is None:
            return TextComparison((line or "end of output", other or "end of output"), tuple(masked), count)
        tokens, hidden = _masked_tokens(line, repeats[number - 1])
        if tokens is None:
            masked.append(f"line {number}: '{line}' (differs between the original's own runs)")
            continue
        theirs = _TOKEN.findall(other)
        if hidden:
            masked.append(f"line {number}: {', '.join(tokens[i] for i in sorted(hidden))} in '{line}'")
        if len(tokens) != len(theirs):
            return TextComparison((line, other), tuple(masked), count)
        for index, (mine, their) in enumerate(zip(tokens, theirs, strict=True)):
            if index in hidden:
                continue
            if not _same(mine, their, relative, absolute + moved.get((number, index), 0.0)):
                return TextComparison((line, other), tuple(masked), count)
            count += _NUMBER.fullmatch(mine) is not None
    return TextComparison(None, tuple(masked), count)


def differ_in_words(mine: str, their: str) -> bool:
    """Whether two lines differ in anything but decimals."""
    tokens, others = _TOKEN.findall(mine), _TOKEN.findall(their)
    pairs = [pair for pair in zip_longest(tokens, others) if pair[0] != pair[1]]
    return not all(token and _NUMBER.fullmatch(token) and not token.lstrip("+-").isdigit() for pair in pairs for token in pair)


def _masked_tokens(line: str, repeat: str) -> tuple[list[str] | None, set[int]]:
    """A line's tokens and the indices that are not compared; None when the two runs do not even agree in form."""
    tokens, others = _TOKEN.findall(line), _TOKEN.findall(repeat)
    if len(tokens) != len(others):
        return None, set()
    hidden = {i for i, (a, b) in enumerate(zip(tokens, others, strict=True)) if a != b}
    is_timing = _RATE_WORD.search(line) is not None
    for index, token in enumerate(tokens):
        if _NUMBER.fullmatch(token) is None:
            continue
        follows = tokens[index + 1] if index + 1 < len(tokens) else ""
        is_decimal = not token.lstrip("+-").isdigit()
        if (is_decimal and is_timing) or (_RATE_UNIT.fullmatch(follows) is not None and (is_decimal or follows != "x")):
            hidden.add(index)
    return tokens, hidden


def _moved(lines: list[str], rounded: list[str] | None) -> dict[tuple[int, int], float]:
    """(line from 1, token) → how far a decimal may move because it does so where the original rounds otherwise."""
    found: dict[tuple[int, int], float] = {}
    for number, (line, other) in enumerate(zip(lines, rounded or (), strict=False), 1):
        tokens, others = _TOKEN.findall(line), _TOKEN.findall(other)
        for index, (mine, their) in enumerate(zip(tokens, others, strict=False) if len(tokens) == len(others) else ()):
            if _NUMBER.fullmatch(mine) and _NUMBER.fullmatch(their):
                found[number, index] = MAX_FACTOR * ROUNDED_FACTOR * abs(float(mine) - float(their))
    return found


def _same(mine: str, their: str, relative: float, absolute: float) -> bool:
    if mine == their:
        return True
    if _NUMBER.fullmatch(mine) is None or _NUMBER.fullmatch(their) is None:
        return False
    if mine.lstrip("+-").isdigit() and their.lstrip("+-").isdigit():
        return int(mine) == int(their)
    allowed = relative * abs(float(mine)) + absolute
    return abs(float(mine) - float(their)) <= allowed + max(_rounding(mine, allowed), _rounding(their, allowed))


def _rounding(number: str, allowed: float) -> float:
    """What printing may add to a difference: one unit of the last place (``1.250`` → 0.001).

    0 of a number with few digits, which hardly ever flips, unless what is ``allowed`` reaches half of such a unit anyway.
    """
    mantissa, _, exponent = number.lower().partition("e")
    unit = 10.0 ** (int(exponent or "0") - len(mantissa.partition(".")[2]))
    digits = mantissa.lstrip("+-").replace(".", "").lstrip("0")
    return unit if len(digits) >= _FLIPPING_DIGITS or allowed >= unit / 2 else 0.0
