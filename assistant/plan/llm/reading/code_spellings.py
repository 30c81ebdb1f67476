"""Spellings of the values of an edit's header that mean the same, and code under other names than ``parts``. Pure.

Example::

    parts_listed({"kernel": "…"})              # [{"part": "kernel", "code": "…"}]
    arguments_listed("a, f(b, c)")             # ["a", "f(b, c)"]
    headers_listed("#include <mma.h>")         # ["mma.h"]
    absent("unchanged")                        # None
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from assistant.cuda.reading import split_arguments
from assistant.plan.llm.reading.fences import UNNAMED
from assistant.plan.llm.reading.plan_spellings import first_line
from assistant.plan.llm.reading.spellings import listed, one_listed, plain_keys

__all__ = [
    "FUNCTION",
    "absent",
    "arguments_listed",
    "code_among_parts",
    "first_place",
    "headers_listed",
    "lines_joined",
    "parts_listed",
    "strings_in",
]

_ABSENT = frozenset({"", "null", "none", "unchanged", "n/a"})
_INCLUDE = re.compile(r"\s*(?:#\s*include\s*)?[<\"]?\s*([^<>\"\s]+)\s*[>\"]?\s*\Z")
_OF_PARTS = {"part": ("name", "id"), "code": ("content", "text", "source", "newcode", "newtext")}
FUNCTION = re.compile(r"\b__(?:global|device)__\b[^;{}`]{0,1500}\)\s*\{")
"""A function for the device, whose head is no longer than people write them."""
_BEFORE = re.compile(r"old|before|original|current|search|previous", re.IGNORECASE)
"""Names of what is not the new code."""
_MOST_DEPTH = 4


def absent(value: Any) -> Any:
    """Nothing where a word says that there is nothing."""
    return None if isinstance(value, str) and value.strip().lower() in _ABSENT else value


def first_place(value: Any) -> Any:
    """The line of a launch; without one the launch is the only one."""
    return 1 if value is None else first_line(value)


def arguments_listed(value: Any) -> Any:
    """``a, f(b, c)`` as a list."""
    text = absent(value)
    return list(split_arguments(text)) if isinstance(text, str) else text


def headers_listed(value: Any) -> Any:
    """Names of headers without ``#include`` and brackets."""
    names = listed(value)
    if not isinstance(names, list):
        return names
    given = cast("Sequence[Any]", names)
    return [found[1] if isinstance(each, str) and (found := _INCLUDE.match(each)) is not None else each for each in given]


def parts_listed(value: Any) -> Any:
    """``{"kernel": "…"}`` as a list of parts; ``name`` is ``part`` and ``content`` is ``code`` where these are missing.

    Either may be JSON in a text, as tools are called.
    """
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, dict):
        given = cast("Mapping[str, Any]", value)
        value = [given] if "code" in given else [{"part": name, "code": code} for name, code in given.items()]
    if not isinstance(value, list):
        return value
    return [_named(cast("Mapping[str, Any]", each)) if isinstance(each, dict) else each for each in cast("Sequence[Any]", value)]


def _named(part: Mapping[str, Any]) -> dict[str, Any]:
    found = plain_keys(part, _OF_PARTS)
    squeezed = {key.replace("_", "").lower(): each for key, each in found.items()}
    for name, others in _OF_PARTS.items():
        other = next((squeezed[each] for each in others if each in squeezed), None)
        if other is not None:
            found.setdefault(name, other)
    return found


def lines_joined(value: Any) -> Any:
    """A text that is given line by line."""
    lines = cast("list[Any]", value) if isinstance(value, list) else []
    is_text = bool(lines) and all(isinstance(line, str) for line in lines)
    return "\n".join(str(line).rstrip("\n") for line in lines) if is_text else cast("Any", value)


def code_among_parts(given: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """The header with code that stands elsewhere in it among its parts, to be sorted by what it is.

    That are launches written as code, ``k<<<n / 64, 64>>>(x)``, and functions under keys that no header has, where it gives no parts.
    """
    given_launches: Any = one_listed(given.get("launches"))
    parts: Any = parts_listed(given.get("parts") or [])
    if not isinstance(parts, list):
        return dict(given)
    launches = cast("list[Any]", given_launches) if isinstance(given_launches, list) else []
    codes = [f"{each.strip().removesuffix(';')};" for each in launches if _is_launch(each)]
    if not parts:
        others = {key: value for key, value in given.items() if key not in names}
        codes = [*(code for code in strings_in(others) if FUNCTION.search(code)), *codes]
    if not codes:
        return dict(given)
    kept = {"launches": [each for each in launches if not _is_launch(each)]} if isinstance(given_launches, list) else {}
    return {**given, **kept, "parts": [*cast("list[Any]", parts), *({"part": UNNAMED, "code": code} for code in codes)]}


def _is_launch(value: Any) -> bool:
    return isinstance(value, str) and "<<<" in value


def strings_in(value: Any, depth: int = _MOST_DEPTH) -> Iterator[str]:
    """Texts in a value, but for what stands under a name of the code before."""
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for key, each in cast("Mapping[str, Any]", value).items():
            yield from () if _BEFORE.search(key) else strings_in(each, depth - 1)
    elif depth and isinstance(value, list):
        for each in cast("Sequence[Any]", value):
            yield from strings_in(each, depth - 1)
