"""The tables ``[program.NAME]`` of a workspace's ``kernelopt.toml``: which keys they may have, for readers and for editors.

Example::

    PROGRAM_KEYS["sources"].is_list_only     # True
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assistant.record import Record

__all__ = ["PROGRAM_KEYS", "PROGRAM_SECTION", "ProgramKey", "program_schema"]

PROGRAM_SECTION = "program"


class ProgramKey(Record):
    """One key of a table."""

    meaning: str
    is_list_only: bool = False
    is_text_only: bool = False

    @property
    def expected(self) -> str:
        """What its value must be, in words."""
        if self.is_text_only:
            return "a string"
        return "a list of strings" if self.is_list_only else "a string or a list of strings"


PROGRAM_KEYS: Mapping[str, ProgramKey] = {
    "sources": ProgramKey("The program's source files, relative to this file; `*`, `?` and `**` stand for several.", is_list_only=True),
    "flags": ProgramKey("Compiler flags of all of them, in nvcc's spelling."),
    "args": ProgramKey("Arguments of its `main()`."),
    "cwd": ProgramKey("Folder that it runs in, relative to this file; absent: the one you are in.", is_text_only=True),
    "build": ProgramKey("Command that builds what `run` starts; shown with the line to type, not started.", is_text_only=True),
    "run": ProgramKey("Command that starts it, instead of its `main()`; shown with the line to type, not started.", is_text_only=True),
}


def program_schema() -> dict[str, Any]:
    """JSON schema of all tables together."""
    properties = {name: {"description": key.meaning, **_shape(key)} for name, key in PROGRAM_KEYS.items()}
    table = {"type": "object", "additionalProperties": False, "required": ["sources"], "properties": properties}
    return {"description": "Which sources make a program, by its name.", "type": "object", "additionalProperties": table}


def _shape(key: ProgramKey) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "string"}
    texts = {"type": "array", "items": text}
    if key.is_text_only:
        return text
    return texts if key.is_list_only else {"anyOf": [text, texts]}
