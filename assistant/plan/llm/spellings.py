"""Spellings of an answer's values that mean the same: a text in place of a list or of a number, ranges in place of values. Pure.

Example::

    listed("alignment, precision")                  # ["alignment", "precision"]
    number("step 1")                                # 1
    numbers_to_tune({"TILE": {"range": [8, 32]}})   # ([{"name": "TILE", "values": [8, 16, 32]}], "")
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

__all__ = ["MOST_TUNED", "MOST_VALUES", "listed", "number", "numbers_to_tune", "one_listed", "parts_listed"]

MOST_TUNED = 8
MOST_VALUES = 16
_INTEGER = re.compile(r"\d+")
_NUMBER = re.compile(r"\D{0,12}?(\d+(?:\.\d+)?)\s*(?:x|×|\D{0,12})\Z")
_NOTHING = frozenset({"", "none", "n/a", "no", "-", "null"})
_ENTRY = re.compile(r"\s*(\w+)\s*(?:=|:|in)\s*(.+)", re.DOTALL)


def listed(value: Any) -> Any:
    """Words of a text that are separated by commas as a list; ``none`` is an empty one."""
    if not isinstance(value, str):
        return value
    words = [word.strip() for word in re.split(r"[,;\n]", value)]
    return [word for word in words if word.lower().rstrip(".") not in _NOTHING]


def one_listed(value: Any) -> Any:
    """A sentence, or an object, in place of a list of them."""
    if isinstance(value, str):
        return [] if value.strip().lower().rstrip(".") in _NOTHING else [value]
    return [value] if isinstance(value, dict) else value


def parts_listed(value: Any) -> Any:
    """``{"kernel": "…"}`` as a list of parts."""
    if not isinstance(value, dict):
        return value
    given = cast("Mapping[str, Any]", value)
    return [given] if "code" in given else [{"part": name, "code": code} for name, code in given.items()]


def number(value: Any) -> Any:
    """``"line 12"`` and ``"1.5x"`` as numbers; any other value as it is."""
    found = _NUMBER.match(value.strip()) if isinstance(value, str) else None
    return value if found is None else float(found[1]) if "." in found[1] else int(found[1])


def numbers_to_tune(value: Any) -> tuple[list[dict[str, Any]], str]:
    """Names with their values, at most `MOST_VALUES` each, and what of them cannot be read."""
    if value is None:
        return [], ""
    if isinstance(value, dict):
        of_names = cast("Mapping[str, Any]", value)
        entries: Sequence[Any] = (
            [of_names] if "name" in of_names else [{"name": name, "values": values} for name, values in of_names.items()]
        )
    else:
        entries = cast("Sequence[Any]", value) if isinstance(value, list) else [value]
    found = [(entry, _tuned(entry)) for entry in entries[:MOST_TUNED]]
    faults = [f"{str(entry)[:60]!r} does not name a number and its integer values" for entry, made in found if made is None]
    if len(entries) > MOST_TUNED:
        faults.append(f"it names {len(entries)} numbers, and at most {MOST_TUNED} are tuned together")
    return [made for _, made in found if made is not None], "; ".join(faults[:3])


def _tuned(entry: Any) -> dict[str, Any] | None:
    if isinstance(entry, str):
        spelled = _ENTRY.fullmatch(entry)
        return None if spelled is None else _tuned({"name": spelled[1], "values": spelled[2]})
    if not isinstance(entry, dict):
        return None
    told = cast("Mapping[str, Any]", entry)
    name = told.get("name")
    values = _values(told.get("values", told))
    if not isinstance(name, str) or not name.strip() or len(name) > 80 or not values:
        return None
    return {"name": name.strip(), "values": values}


def _values(value: Any) -> list[int]:
    if isinstance(value, dict):
        told = cast("Mapping[str, Any]", value)
        ends = told.get("range", [told.get("min", told.get("from")), told.get("max", told.get("to"))])
        step = _integer(told.get("step"))
        found = [_integer(end) for end in cast("list[Any]", ends)] if isinstance(ends, list) else []
        return [] if len(found) < 2 or None in found else _between(cast("list[int]", found), step)
    if isinstance(value, str):
        return _thinned([int(digits) for digits in _INTEGER.findall(value)])
    if not isinstance(value, list):
        return []
    found = [_integer(each) for each in cast("list[Any]", value)]
    return [] if None in found else _thinned(cast("list[int]", found))


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdigit():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return None
    return int(value)


def _between(ends: Sequence[int], step: int | None) -> list[int]:
    """From the first to the second: by the step that is said, in powers of two where both are one, else evenly."""
    low, high = ends[0], ends[1]
    by = step or (ends[2] if len(ends) > 2 else 0)
    if by > 0:
        return _thinned(range(low, high + 1, by))
    if low > 0 and low & (low - 1) == 0 and high & (high - 1) == 0:
        return [1 << power for power in range(low.bit_length() - 1, high.bit_length())][:MOST_VALUES]
    return _thinned(range(low, high + 1))


def _thinned(values: Sequence[int]) -> list[int]:
    """As many as may be tried, spread over all of them."""
    if len(values) <= MOST_VALUES:
        return list(dict.fromkeys(values))
    return [values[index * (len(values) - 1) // (MOST_VALUES - 1)] for index in range(MOST_VALUES)]
