"""A header that a model writes as lines (``tune:`` as in YAML, ``tune = …`` as in TOML) where none is written as JSON. Pure.

Taken is what can mean one thing only: what a line says behind the name of a field, the list or the names with values below it, and
tables of the fields of one thing (``- line: 29``, ``[[launches]]``).
Example::

    line_header("summary: Pad.\\ntune:\\n  TILE: [16, 32]\\n", names)    # {"summary": "Pad.", "tune": ["TILE: [16, 32]"]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any

from assistant.plan.llm.reading.loose_json import strict
from assistant.plan.llm.reading.spellings import plain_key

__all__ = ["line_header"]

_FIELD = re.compile(r"(?:#+[ \t]+)?[*`]*(?P<key>[A-Za-z][A-Za-z_-]*)[*`]*[ \t]*[:=](?!=)[*`]*[ \t]*(?P<value>.*)\Z")
"""Markdown may make the name bold or a heading."""
_TABLE = re.compile(r"\[\[?[ \t]*(?P<key>[A-Za-z][A-Za-z_-]*)[ \t]*\]\]?\s*\Z")
_OF_TABLES = frozenset({"launches"})
"""Fields that are lists of tables."""
_ITEM = re.compile(r"[-*•][ \t]+")


def line_header(text: str, names: Collection[str]) -> dict[str, Any]:
    """The fields among ``names`` that lines of the text give, by name; empty where none does."""
    found: dict[str, Any] = {}
    tables: dict[str, list[str]] = {}
    below: list[str] | None = None
    for line in text.splitlines():
        field, table = _FIELD.match(line.rstrip()), _TABLE.match(line)
        name = plain_key((field or table or {"key": ""})["key"], names)
        if table is not None and name in _OF_TABLES:
            below = tables.setdefault(name, [])
            below.append("-")
        elif field is not None and name is not None:
            below = [] if not field["value"].strip() else None
            if below is not None and name in _OF_TABLES:
                tables.setdefault(name, below)
            else:
                found.setdefault(name, below if below is not None else _value(field["value"]))
        elif below is not None and any(below is each for each in tables.values()) and line.strip():
            below.append(line.strip())
        elif below is not None and line.strip() and (line[:1] in (" ", "\t") or _ITEM.match(line.strip())):
            _add(below, line)
        else:
            below = None
    found |= {name: _tables(lines) for name, lines in tables.items()}
    return {name: value for name, value in found.items() if value != []}


def _tables(lines: Iterable[str]) -> list[dict[str, Any]] | list[str]:
    """Lines below a field as the things whose fields they say; the lines where one says something else."""
    made: list[dict[str, Any]] = []
    for line in lines:
        item = _ITEM.match(f"{line} ")
        if item is not None or not made:
            made.append({})
        text = line[item.end() :] if item is not None else line
        field = _FIELD.match(text)
        if field is not None:
            made[-1][field["key"]] = _value(field["value"])
        elif text.strip(" -`~"):
            return [*lines]
    return [table for table in made if table]


def _add(entries: list[str], line: str) -> None:
    """One more line below a field; ``values: …`` below ``- name: …`` goes on with that."""
    inside = line.strip()
    item = _ITEM.match(inside)
    text = _value(inside[item.end() :] if item is not None else inside)
    named = None if not entries or item is not None else re.fullmatch(r"name\s*[:=]\s*[\"']?(\w+)[\"']?", entries[-1], re.IGNORECASE)
    values = re.fullmatch(r"values?\s*[:=]\s*(.+)", str(text), re.IGNORECASE)
    if named is not None and values is not None:
        entries[-1] = f"{named[1]}: {values[1]}"
    else:
        entries.append(text if isinstance(text, str) else str(text))


def _value(text: str) -> Any:
    """As JSON where it is some, else the text without quotation marks around it."""
    bare = text.strip().rstrip(",")
    try:
        return json.loads(strict(bare).text, strict=False)
    except (ValueError, RecursionError):
        return bare[1:-1] if bare[:1] == "[" and bare[-1:] == "]" else bare.strip("\"'")
