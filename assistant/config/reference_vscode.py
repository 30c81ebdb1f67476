"""The settings as VS Code's manifest declares them, generated from `Settings`.

``python -m assistant.config.reference_vscode vscode-client/package.json`` writes them into the manifest's group ``kernelopt``; a test
keeps them current. What the extension reads for itself stands in the manifest's other groups and is not touched.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from assistant.config.reference import setting_schemas
from assistant.config.setting_names import is_lower_only, is_user_only

__all__ = ["TITLE", "vscode_properties", "write"]

TITLE = "Checks, Search and Models"
"""Title of the group in VS Code's settings editor."""
_KEPT = ("type", "enum", "items", "minimum", "maximum", "exclusiveMinimum", "pattern")
"""Words of JSON schema that both sides know."""


def vscode_properties() -> dict[str, dict[str, Any]]:
    """``kernelopt.NAME`` → VS Code's declaration. What only the user may set cannot be set by a workspace (scope ``machine``)."""
    numbered = enumerate(setting_schemas(), start=1)
    return {f"kernelopt.{name}": _property(order, field, schema) for order, (name, field, schema) in numbered}


def write(manifest: Path) -> None:
    """Replace the generated group of the manifest."""
    data = json.loads(manifest.read_text("utf-8"))
    groups = [group for group in data["contributes"]["configuration"] if group["title"] != TITLE]
    data["contributes"]["configuration"] = [*groups, {"title": TITLE, "properties": vscode_properties()}]
    manifest.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _property(order: int, field: FieldInfo, schema: dict[str, Any]) -> dict[str, Any]:
    options = schema.get("anyOf", [schema])
    (value,) = (option for option in options if option["type"] != "null")
    kept = {word: value[word] for word in _KEPT if word in value}
    if len(options) > 1:
        kept["type"] = [value["type"], "null"]
    return kept | {
        "default": schema["default"],
        "scope": "machine" if is_user_only(field) or is_lower_only(field) else "window",
        "order": order,
        "markdownDescription": field.description,
    }


if __name__ == "__main__":
    write(Path(sys.argv[1]))
