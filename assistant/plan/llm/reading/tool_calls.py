"""Tool calls as models write them: names with what a server leaves around them, arguments that are nearly JSON, or JSON in a text. Pure.

Example::

    arguments_of(ToolCall("call_1", "functions.submit", "{'candidate': 'C01',}"))     # {"candidate": "C01"}
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, cast

from assistant.model.completion import ToolCall
from assistant.plan.llm.reading.json_objects import JsonObject, json_objects
from assistant.ports.agent import UNREADABLE

__all__ = ["arguments_of", "plain_call"]

_MARKS = re.compile(r"<\|.*", re.DOTALL)
"""What a server leaves of a model's own marks (the harmony format of gpt-oss)."""


def plain_call(call: ToolCall) -> ToolCall:
    """The call by its tool's bare name, with arguments that are JSON: endpoints refuse a conversation with others."""
    name = _MARKS.sub("", call.name).strip().rpartition(".")[2]
    arguments = arguments_of(call)
    if arguments is None:
        return replace(call, name=name, arguments=json.dumps({UNREADABLE: call.arguments}, ensure_ascii=False))
    is_json = _loaded(call.arguments) == arguments
    return replace(call, name=name, arguments=call.arguments if is_json else json.dumps(arguments, ensure_ascii=False))


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """None where they are no object, and of a call whose arguments could not be read when it came."""
    text = call.arguments.strip() or "{}"
    found = _loaded(text)
    if isinstance(found, str):
        found = _loaded(found.strip())
    if found is None:
        whole = next(json_objects(text, ()), None)
        found = whole.value if isinstance(whole, JsonObject) and (whole.start, whole.end) == (0, len(text)) else None
    if not isinstance(found, dict) or UNREADABLE in found:
        return None
    return cast("dict[str, Any]", found)


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
