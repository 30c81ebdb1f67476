"""The reference of all settings, as Markdown and as JSON schema, generated from `Settings`.

``python -m assistant.config.reference FOLDER`` writes ``settings.md`` and ``kernelopt.schema.json`` there; a test keeps them current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from assistant.config.program_keys import PROGRAM_KEYS, PROGRAM_SECTION, program_schema
from assistant.config.setting_names import is_lower_only, is_user_only, leaf_fields
from assistant.config.settings import Settings

__all__ = ["markdown", "schema_text", "setting_schemas", "write"]

_HEAD = """\
# Settings

Generated from `assistant/config/settings.py`; do not edit (`python -m assistant.config.reference docs/reference`).

Strongest first: command line, the editor's folder settings, the editor's user settings, `kernelopt.toml`, `[tool.kernelopt]` in
`pyproject.toml`, the user's own `config.toml`, the default. Both workspace files are read from the workspace: the nearest folder above the
source that holds one of them or `.git`, else the source's own folder. A list replaces a list. An unknown name is an error, and so is a
value that does not fit. `kernelopt doctor --config FILE` prints every setting with its origin.

Settings marked *user only* are ignored, with a warning, in workspace files and in the editor's folder settings: a folder that you download
must not choose where your code is sent or your memory is kept. Those marked *lower only* cost time or money, or
tell a model more: such a file may ask for less than your own settings, or their defaults, say (a smaller number, `off`); what goes beyond
is ignored, with a warning.

The user's own files lie in the platform's folders (on Linux `~/.config/kernelopt/config.toml`, `~/.local/share/kernelopt/` for memory and
trust, `~/.cache/kernelopt/`). The environment variable `KERNELOPT_HOME` puts all of them below one folder. The cache holds what was
built and may be deleted at any time; above 4 GiB, what was used longest ago goes by itself, and so does what was not used for 30 days.

```toml
# kernelopt.toml
target = "a100"

[build]
flags = ["-O3", "-DN=1024"]

[run]
timeout_s = 120
```

| setting | type | default | meaning |
|---|---|---|---|
"""
_PROGRAMS_HEAD = """
## Programs

A table `[program.NAME]` in `kernelopt.toml` (`[tool.kernelopt.program.NAME]` in `pyproject.toml`) says which sources make one program
([how](../how-to/projects.md)).

```toml
[program.demo]
sources = ["apps/demo.cu", "kernels/*.cu"]
flags = "-Iinclude -DWIDTH=256"
args = ["5", "large"]
```

| key | type | meaning |
|---|---|---|
"""


def markdown() -> str:
    """The page ``docs/reference/settings.md``."""
    programs = "".join(f"| `{name}` | {key.expected} | {key.meaning} |\n" for name, key in PROGRAM_KEYS.items())
    return _HEAD + "".join(f"| {' | '.join(row)} |\n" for row in _rows()) + _PROGRAMS_HEAD + programs


def schema_text() -> str:
    """JSON schema of ``kernelopt.toml``, for editors."""
    schema = Settings.model_json_schema()
    schema["properties"][PROGRAM_SECTION] = program_schema()
    return json.dumps(schema, indent=2) + "\n"


def write(folder: Path) -> None:
    (folder / "settings.md").write_text(markdown(), "utf-8")
    (folder / "kernelopt.schema.json").write_text(schema_text(), "utf-8")


def _rows() -> Iterator[tuple[str, str, str, str]]:
    for name, field, shape in setting_schemas():
        note = " *User only.*" if is_user_only(field) else " *Lower only.*" if is_lower_only(field) else ""
        yield f"`{name}`", _type(shape), _default(field.default), f"{field.description}{note}"


def setting_schemas() -> Iterator[tuple[str, FieldInfo, dict[str, Any]]]:
    """(dotted name, pydantic's description, JSON schema) of every setting, in the order of `Settings`."""
    schema = Settings.model_json_schema()
    for name, field in leaf_fields():
        section, _, key = name.rpartition(".")
        reference: str = schema["properties"][section]["$ref"] if section else ""
        holder = schema["$defs"][reference.rpartition("/")[2]] if section else schema
        yield name, field, holder["properties"][key]


def _type(shape: dict[str, Any]) -> str:
    if "anyOf" in shape:
        (option,) = (option for option in shape["anyOf"] if option["type"] != "null")
        return f"{_type(option)} or absent"
    if "enum" in shape:
        return ", ".join(f"`{value}`" for value in shape["enum"])
    if shape["type"] == "array":
        return f"list of {_type(shape['items'])}"
    bounds = [f"{word} {shape[key]}" for key, word in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤")) if key in shape]
    return " ".join((str(shape["type"]), ", ".join(bounds))).strip()


def _default(value: object) -> str:
    match value:
        case None:
            return "absent"
        case bool():
            return f"`{str(value).lower()}`"
        case tuple():
            return "`[]`"
        case str():
            return f'`"{value}"`'
        case _:
            return f"`{value}`"


if __name__ == "__main__":
    write(Path(sys.argv[1]))
