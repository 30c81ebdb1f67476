"""The JSON schema of the event stream, made from ``assistant.model.events``.

``tests/data/events.schema.json`` holds the published text; print a new one with::

    python -m assistant.engine.event_schema > tests/data/events.schema.json
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from assistant.engine.events_as_json import OPTIONAL_COUNTERS
from assistant.model.events import SCHEMA, Event

__all__ = ["event_schema", "event_schema_text"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def event_schema() -> dict[str, Any]:
    """What one line of ``--json`` may be: exactly one of the events, with no other fields than its own."""
    adapter: TypeAdapter[Any] = TypeAdapter(Annotated[Event, Field(discriminator="event")])
    schema = adapter.json_schema(mode="serialization")
    for definition in schema["$defs"].values():
        if "properties" in definition:
            definition["additionalProperties"] = False
            definition["required"] = list(definition["properties"])  # the encoder writes every field, also those with defaults
    _counters_are_absent_not_null(schema["$defs"]["ProfileLine"])
    return {"$schema": _DIALECT, "title": f"kernelopt events, schema {SCHEMA}", **schema}


def event_schema_text() -> str:
    """The schema as it is kept in a file."""
    return json.dumps(event_schema(), indent=1, sort_keys=True) + "\n"


def _counters_are_absent_not_null(line: dict[str, Any]) -> None:
    """As ``event_json`` writes them."""
    line["required"] = [name for name in line["required"] if name not in OPTIONAL_COUNTERS]
    for name in OPTIONAL_COUNTERS:
        line["properties"][name] = {"title": line["properties"][name]["title"], "type": "integer"}


if __name__ == "__main__":
    sys.stdout.write(event_schema_text())
