"""Fences of code in an answer: where they stand, which part they name.

Example::

    [(fence.name, fence.code) for fence in fences_of("```cuda part=kernel\\n…\\n```")]     # [("kernel", "…")]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.record import Record

__all__ = ["MOST_FENCES", "UNNAMED", "Fence", "Mark", "fences_of", "marks_of"]

UNNAMED = "?"
"""Name of a part whose fence names none, where there are several."""
MOST_FENCES = 256
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)\Z")
_CODE_LANGUAGES = frozenset(
    {"", "diff", "patch", "udiff", "cuda", "cu", "cuh", "cpp", "c++", "cc", "c", "cxx", "h", "hpp", "hxx", "cuda-cpp", "cuda-c++"}
)
_PART_ATTRIBUTE = re.compile(r"\bpart\s*[=:]\s*[\"'`]?(?P<name>[A-Za-z_][\w-]*)[\"'`]?(?=\s|,|\Z)", re.IGNORECASE)
_PART_NAME = re.compile(r"(?:part\s*[=:]\s*)?[\"'`]?(?P<name>[A-Za-z_][\w-]*)[\"'`]?\s*\Z", re.IGNORECASE)
_NAMING_COMMENT = re.compile(r"\A\s*//[ \t]*part[ \t]*[=:]?[ \t]*[\"'`]?(?P<name>[A-Za-z_][\w-]*)[\"'`]?[ \t]*\n", re.IGNORECASE)
Mark = tuple[int, re.Match[str]]
"""Where a line that begins or ends a fence begins, and what it says."""


class Fence(Record):
    """A block of code of an answer."""

    start: int
    end: int
    name: str | None
    """The part that it is the text of; None: it does not say."""
    code: str
    is_closed: bool


def fences_of(text: str) -> Iterator[Fence]:
    """Fences of code in order; those of JSON, shell or plain text are none."""
    position, mark, info, start = 0, "", "", 0
    inside: list[str] = []
    for line in text.split("\n"):
        found = _FENCE.match(line.rstrip("\r"))
        if not mark and found is not None:
            mark, info, start, inside = found["mark"], found["info"].strip(), position, []
        elif mark and found is not None and found["mark"].startswith(mark) and not found["info"].strip():
            yield from _fence_of_code((start, position), info, "\n".join(inside), is_closed=True)
            mark = ""
        elif mark:
            inside.append(line)
        position += len(line) + 1
    if mark:
        yield from _fence_of_code((start, len(text)), info, "\n".join(inside), is_closed=False)


def _fence_of_code(place: tuple[int, int], info: str, code: str, is_closed: bool) -> Iterator[Fence]:
    info = info.strip("{} \t").removeprefix(".")
    language, _, rest = info.replace(":", " ", 1).partition(" ")
    if "=" in language:
        language, rest = "", info
    if language.lower() not in _CODE_LANGUAGES or (not rest and code.lstrip().startswith("{")):
        return
    named = _PART_ATTRIBUTE.search(rest) or _PART_NAME.match(rest.strip())
    noted = _NAMING_COMMENT.match(code)
    if named is None and noted is not None:
        code = code[noted.end() :]
    name = (named or noted or {"name": None})["name"]
    yield Fence(*place, name, code, is_closed)


def marks_of(text: str) -> list[Mark]:
    """Lines that begin or end fences, with where each begins."""
    found: list[Mark] = []
    position = 0
    for line in text.split("\n"):
        mark = _FENCE.match(line.rstrip("\r"))
        if mark is not None and len(found) < MOST_FENCES:
            found.append((position, mark))
        position += len(line) + 1
    return found
