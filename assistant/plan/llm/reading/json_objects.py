"""The JSON objects of a model's text, as models write them (`loose_json`). Knows no question and no answer.

Example::

    list(json_objects('Here it is: {"a": 1, /* why */}', ()))    # [JsonObject(12, 31, {"a": 1})]
    list(json_objects('{"a": 1 "b": 2}', ()))    # [UnreadObject(0, '{"a": 1 "b": 2}', "Expecting ',' delimiter in its line 1, column 9")]
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import Any, cast

from assistant.plan.llm.reading.loose_json import strict
from assistant.record import Record

__all__ = ["JsonObject", "UnreadObject", "json_objects", "unwrapped"]

_MOST_STARTS = 256
"""Opening braces that are tried as the start of an object, from the start of the text and as many from its end."""
_MOST_LOOSE_CHARACTERS = 262_144
"""What is read as more than strict JSON, of one object and of a whole text (chosen: more than any header)."""
_MOST_WRAPPERS = 4
_BRACE = re.compile(r"\{")
_BEGIN = re.compile(r"\{\s*(?:(?://|#)[^\n]*\n\s*|/\*(?:[^*]|\*(?!/))*\*/\s*)*[\"'“”]?(?P<key>\w+)[\"'“”]?\s*[:：]")
_Span = tuple[int, int]


class JsonObject(Record):
    """An object that can be read."""

    start: int
    end: int
    value: dict[str, Any]


class UnreadObject(Record):
    """What begins like an object and cannot be read as one."""

    start: int
    text: str
    """From its brace to the next code, or to the end."""
    problem: str

    def has_key(self, names: Collection[str]) -> bool:
        """Whether one of the names stands in it as a key."""
        begin = _BEGIN.match(self.text)
        is_first = begin is not None and begin["key"].lower() in names
        return is_first or re.search(rf"[\"'“”](?:{'|'.join(names)})[\"'“”]\s*[:：]", self.text, re.IGNORECASE) is not None


def json_objects(text: str, code: Sequence[_Span]) -> Iterator[JsonObject | UnreadObject]:
    """The objects in order, outermost only; none begins in a span of ``code``, but one may reach over it.

    Line breaks inside strings are allowed: people paste such answers.
    """
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    left = _MOST_LOOSE_CHARACTERS
    position = 0
    for start, stop in _starts(text, code):
        if start < position:
            continue
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            if left <= 0 or _BEGIN.match(text, start) is None:
                continue
            found = _read_loosely(decoder, text[start : min(stop, start + left)], start)
            left -= min(stop - start, left)
            position = found.end if isinstance(found, JsonObject) else position
            yield found
            continue
        if isinstance(value, dict):
            yield JsonObject(start, position, cast("dict[str, Any]", value))


def unwrapped(found: JsonObject, names: Collection[str]) -> JsonObject:
    """The answer in an object that only wraps it, as a call of a tool does: the one object in it that has one of the names as a key.

    ``{"name": "edit", "arguments": {"summary": …}}``; arguments may be JSON in a string, too.
    """
    values = [found.value]
    for _ in range(_MOST_WRAPPERS):
        if any(key.lower() in names for value in values for key in value):
            break
        values = [inner for value in values for each in value.values() if (inner := _wrapped(each)) is not None]
    fitting = [value for value in values if any(key.lower() in names for key in value)]
    return JsonObject(found.start, found.end, fitting[0]) if len(fitting) == 1 else found


def _wrapped(value: Any) -> dict[str, Any] | None:
    """The value as an object: itself, the only one of a list, or what a string holds."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return None
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    if len(listed) == 1:
        return _wrapped(listed[0])
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _starts(text: str, code: Sequence[_Span]) -> list[_Span]:
    """Each opening brace outside code, with the place where the next code begins."""
    begins = [0, *(end for _, end in code)]
    ends = [*(start for start, _ in code), len(text)]
    starts = [found.start() for begin, end in zip(begins, ends, strict=True) for found in _BRACE.finditer(text, begin, end)]
    if len(starts) > 2 * _MOST_STARTS:
        starts = [*starts[:_MOST_STARTS], *starts[-_MOST_STARTS:]]
    return [(start, ends[bisect_right(begins, start) - 1]) for start in starts]


def _read_loosely(decoder: json.JSONDecoder, text: str, start: int) -> JsonObject | UnreadObject:
    """The object at the beginning of ``text``, which is at ``start`` of the whole, in whatever a model takes for JSON."""
    made = strict(text)
    try:
        value, length = decoder.raw_decode(made.text)
    except json.JSONDecodeError as error:
        place = made.before(error.pos)
        line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
        return UnreadObject(start, text, f"{error.msg} in its line {line:,}, column {column:,}")
    except RecursionError:
        return UnreadObject(start, text, "it is nested too deeply")
    except ValueError as error:
        return UnreadObject(start, text, str(error))
    return JsonObject(start, start + made.before(length), cast("dict[str, Any]", value))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")
