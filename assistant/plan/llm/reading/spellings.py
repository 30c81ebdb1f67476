"""Spellings of an answer's values that mean the same: a text in place of a list or of a number, ranges in place of values. Pure.

Example::

    listed("alignment, precision")                  # ["alignment", "precision"]
    number("step 1")                                # 1
    numbers_to_tune({"TILE": {"range": [8, 32]}})   # ([{"name": "TILE", "values": [8, 16, 32]}], "")
    plain_keys({"Tune": []}, ("tune",))             # {"tune": []}
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

__all__ = ["MOST_TUNED", "MOST_VALUES", "listed", "number", "numbers_to_tune", "one_listed", "plain_key", "plain_keys"]

MOST_TUNED = 8
MOST_VALUES = 16
_INTEGER = re.compile(r"\d+")
_NUMBER = re.compile(r"\D{0,12}?(\d+(?:\.\d+)?)\s*(?:x|×|\D{0,12})\Z")
_NOTHING = frozenset({"", "none", "n/a", "no", "-", "null"})
_NAMING = re.compile(r"([A-Za-z_]\w*)[\"'`]?\s*(?:[=:∈]|\bin\b)\s*")
_PLAIN_VALUES = re.compile(r"(?:[\s\d,;|/.…–()\[\]{}\"'`-]|\b(?:to|or|and)\b)*")
_RANGE = re.compile(r"[\s(\[{]*(\d+)\s*(?:\.{2,3}|…|-|–|\bto\b)\s*(\d+)[\s)\]},;]*")
_ALIASES = {"tunables": "tune", "tunable": "tune", "tuning": "tune"} | {
    name: f"{name}s" for name in ("assumption", "constraint", "include", "risk")
}
_ENTRY_KEYS = frozenset({"name", "values", "range", "min", "max", "from", "to", "step"})


def plain_key(key: str, names: Collection[str]) -> str | None:
    """Which of the names a key is, whatever its case and its separators; ``tunables`` is ``tune``, ``risk`` is ``risks``."""
    squeezed = re.sub(r"[\s_-]", "", key).lower()
    spelled = {name.replace("_", ""): name for name in names}
    return spelled.get(squeezed) or spelled.get(_ALIASES.get(squeezed, ""))


def plain_keys(value: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The object with the names in place of other spellings of them; one that is spelled right counts before others."""
    found = {key: each for key, each in value.items() if key in names}
    for key, each in value.items():
        name = None if key in names else plain_key(key, names)
        found.setdefault(key if name is None else name, each)
    return found


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
        is_entry = {"name", "values"} <= plain_keys(of_names, _ENTRY_KEYS).keys() or "name" in of_names
        entries: Sequence[Any] = [of_names] if is_entry else [{"name": name, "values": values} for name, values in of_names.items()]
    else:
        given = cast("Sequence[Any]", value) if isinstance(value, list) else [value]
        entries = [each for one in given for each in (_entries(one) if isinstance(one, str) else [one])]
    found = [(entry, _tuned(entry)) for entry in entries[:MOST_TUNED]]
    faults = [f"{str(entry)[:60]!r} does not name a number and its integer values" for entry, made in found if made is None]
    if len(entries) > MOST_TUNED:
        faults.append(f"it names {len(entries)} numbers, and at most {MOST_TUNED} are tuned together")
    return [made for _, made in found if made is not None], "; ".join(faults[:3])


def _entries(text: str) -> list[Any]:
    """``TILE = 16, 32; ROWS: 1, 2``: each name with what stands behind it; the text where it names none."""
    names = list(_NAMING.finditer(text))
    ends = [*(name.start() for name in names[1:]), len(text)]
    return [{"name": name[1], "values": text[name.end() : end]} for name, end in zip(names, ends, strict=True)] or [text]


def _tuned(entry: Any) -> dict[str, Any] | None:
    if not isinstance(entry, dict):
        return None
    plain = plain_keys(cast("Mapping[str, Any]", entry), _ENTRY_KEYS)
    if len(plain) == 1 and plain.keys().isdisjoint(_ENTRY_KEYS):
        plain = dict(zip(("name", "values"), next(iter(cast("Mapping[str, Any]", entry).items())), strict=True))
    name = plain.get("name")
    values = _values(plain.get("values", plain))
    if not isinstance(name, str) or not name.strip() or len(name) > 80 or not values:
        return None
    return {"name": name.strip(), "values": values}


def _values(value: Any) -> list[int]:
    if isinstance(value, dict):
        plain = plain_keys(cast("Mapping[str, Any]", value), _ENTRY_KEYS)
        ends = plain.get("range", [plain.get("min", plain.get("from")), plain.get("max", plain.get("to"))])
        step = _integer(plain.get("step"))
        found = [_integer(end) for end in cast("list[Any]", ends)] if isinstance(ends, list) else []
        return [] if len(found) < 2 or None in found else _between(cast("list[int]", found), step)
    if isinstance(value, str):
        ends = _RANGE.fullmatch(value)
        if ends is not None:
            return _between((int(ends[1]), int(ends[2])), None)
        return _thinned([int(digits) for digits in _INTEGER.findall(value)]) if _PLAIN_VALUES.fullmatch(value) else []
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
