"""A JSON schema validator for the keywords that the event schema uses; any other keyword is an error, never ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_NOTES = frozenset({"title", "description", "default", "$schema", "$defs", "discriminator"})


def violations(schema: dict[str, Any], value: Any) -> list[str]:
    """Where ``value`` breaks ``schema``, one sentence each."""
    return list(_check(schema, schema, value, "event"))


def _check(root: dict[str, Any], schema: dict[str, Any], value: Any, place: str) -> Iterator[str]:
    kind = schema.get("type")
    if kind is not None and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        yield f"{place}: {value!r} is no {kind}"
        return
    for keyword, wanted in schema.items():
        match keyword:
            case "type":
                pass
            case "$ref":
                yield from _check(root, root["$defs"][wanted.removeprefix("#/$defs/")], value, place)
            case "const":
                if value != wanted:
                    yield f"{place}: {value!r} is not {wanted!r}"
            case "enum":
                if value not in wanted:
                    yield f"{place}: {value!r} is none of {wanted}"
            case "anyOf" | "oneOf":
                fitting = [option for option in wanted if not list(_check(root, option, value, place))]
                if not fitting or (keyword == "oneOf" and len(fitting) > 1):
                    yield f"{place}: {value!r} fits {len(fitting)} of the {len(wanted)} possible forms"
            case "required":
                yield from (f"{place}: no {name!r}" for name in wanted if name not in value)
            case "additionalProperties":
                yield from _check_others(root, schema, wanted, value, place)
            case "properties":
                for name in wanted.keys() & value.keys():
                    yield from _check(root, wanted[name], value[name], f"{place}.{name}")
            case "prefixItems":
                for index, (option, item) in enumerate(zip(wanted, value, strict=False)):
                    yield from _check(root, option, item, f"{place}[{index}]")
            case "items":
                for index, item in enumerate(value):
                    yield from _check(root, wanted, item, f"{place}[{index}]")
            case "minItems" | "maxItems":
                if (len(value) < wanted) if keyword == "minItems" else (len(value) > wanted):
                    yield f"{place}: {len(value)} items, {keyword} {wanted}"
            case _:
                assert keyword in _NOTES, f"{keyword} is not known to this validator"


def _check_others(root: dict[str, Any], schema: dict[str, Any], wanted: Any, value: dict[str, Any], place: str) -> Iterator[str]:
    for name in value.keys() - schema.get("properties", {}).keys():
        if wanted is False:
            yield f"{place}: unexpected {name!r}"
        else:
            yield from _check(root, wanted, value[name], f"{place}.{name}")
