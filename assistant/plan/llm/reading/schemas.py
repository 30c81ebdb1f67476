"""What a model may answer, as values with bounds.

Bounds are enforced here, not in the JSON Schema that endpoints are sent: few of them honour bounds, and none can be relied on.
`assistant.plan.llm.reading.answers` reads an answer's text as such a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from assistant.model.completion import ReplySchema
from assistant.plan.llm.reading.code_spellings import (
    absent,
    arguments_listed,
    code_among_parts,
    first_place,
    headers_listed,
    lines_joined,
    parts_listed,
)
from assistant.plan.llm.reading.plan_spellings import declined_listed, evidence_listed, first_line, number_or_none, predictions_listed
from assistant.plan.llm.reading.spellings import MOST_TUNED, MOST_VALUES, listed, number, numbers_to_tune, one_listed, plain_keys

__all__ = [
    "INVISIBLE",
    "MOST_CODE_CHARACTERS",
    "CodeReply",
    "DeclinedTechnique",
    "ExplanationReply",
    "LaunchChange",
    "LessonReply",
    "PlanReply",
    "PlannedStep",
    "Predicted",
    "Reply",
    "SummaryReply",
    "WrittenPart",
    "plain",
    "reply_schema",
]

MOST_CODE_CHARACTERS = 262_144
"""Longest single part; ten times the largest kernels in libraries (chosen)."""
_MOST_DESIGN_CHARACTERS = 24_000
_MOST_LINE_CHARACTERS = 500
_MOST_ITEMS = 20_000
"""Longest list, before it is cut to what is used: enough to say how many items there were."""
INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    r"\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that change how text is shown (control, direction, line ends of Unicode) or are not shown at all (zero width, fillers, tags),
and halves of characters: a reviewer would not see them (https://trojansource.codes; Unicode 15, Default_Ignorable_Code_Point)."""
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ADDRESS = re.compile(r"(?i)\b(?:[a-z][a-z0-9+.-]*(?=://)|(?:mailto|javascript|command)(?=:\S)|www(?=\.\S))")
_OURS = frozenset({"tuning_fault"})
"""Fields that answers are not asked for."""
_BOUNDS = frozenset(
    {"maxLength", "minLength", "maxItems", "minItems", "maximum", "minimum", "exclusiveMinimum", "exclusiveMaximum", "pattern"}
)


def _text(value: Any) -> Any:
    """An absent sentence is an empty one: some models answer null. What terminals and Markdown act upon is taken out of others."""
    if value is None:
        return ""
    return plain(value) if isinstance(value, str) else value


def _cut(text: str) -> str:
    """A sentence that is longer than it may be is cut: asking for it again costs more."""
    return text if len(text) <= _MOST_LINE_CHARACTERS else f"{text[: _MOST_LINE_CHARACTERS - 1]}…"


def _design(value: Any) -> Any:
    """What only the coder reads stays as it is, without what cannot be seen."""
    if value is None:
        return ""
    return INVISIBLE.sub("", value.replace("\r\n", "\n")).strip() if isinstance(value, str) else value


def plain(text: str) -> str:
    """``text`` as text alone: nothing that is not shown, no addresses, links, images or tags that a viewer would follow or load."""
    shown = INVISIBLE.sub("", text.replace("\r\n", "\n"))
    shown = _ADDRESS.sub(lambda match: f"{match[0]} ", shown)
    return _TAG.sub("< ", shown.replace("![", "[").replace("](", "] ("))


def _as_expression(value: Any) -> Any:
    """A launch size that is a plain number, ``256``, a list of a workload block, ``["ceil(n/32)", 4]``, or ``{"x": 4}`` as text."""
    if isinstance(value, dict):
        sizes = plain_keys(_mapping(value), "xyz")
        return json.dumps([str(sizes.get(axis, 1)) for axis in "xyz"]) if sizes.keys() <= set("xyz") else _mapping(value)
    return json.dumps(value) if type(value) in (int, list) else value


_Line = Annotated[str, BeforeValidator(_text), StringConstraints(strip_whitespace=True, max_length=_MOST_LINE_CHARACTERS)]
_Title = Annotated[str, BeforeValidator(_text), StringConstraints(strip_whitespace=True), AfterValidator(_cut)]
_Paragraph = Annotated[str, BeforeValidator(_text), StringConstraints(strip_whitespace=True, max_length=4000)]
_Design = Annotated[str, BeforeValidator(_design), StringConstraints(max_length=_MOST_DESIGN_CHARACTERS)]
_Expression = Annotated[str, BeforeValidator(_as_expression), StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
_Kept = Annotated[_Expression | None, BeforeValidator(absent)]
"""An expression, or nothing where the present one stays."""
_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
_Names = Annotated[list[_Name], BeforeValidator(listed), Field(max_length=64)]
_Place = Annotated[int, BeforeValidator(number), Field(ge=1, le=10_000_000)]


class _Reply(BaseModel):
    """Unknown keys are dropped: they cost nothing, a repair does. So does null in place of an empty list, and a key in another case."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _without_null_lists(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        lists = {name for name, field in cls.model_fields.items() if field.default == []}
        given = plain_keys(_mapping(value), cls.model_fields)
        return {name: each for name, each in given.items() if each is not None or name not in lists}


class Predicted(_Reply):
    """A counter that a step is expected to change."""

    evidence: _Name
    """Id of the Evidence that holds its value now (``E7``)."""
    factor: Annotated[float, BeforeValidator(number)] = Field(ge=0, le=1e6)
    """Expected value divided by the present one."""


class PlannedStep(_Reply):
    """One step of a plan."""

    technique: _Name
    title: _Title = ""
    line: Annotated[_Place, BeforeValidator(first_line)]
    finding: _Name | None = None
    rationale: _Design = ""
    """For people, as far as evidence backs it; for the coder as it is."""
    design: _Design = ""
    """For the coder alone."""
    differs: _Design = ""
    """What is new in it, where the same technique was tried at the same line."""
    evidence: Annotated[_Names, BeforeValidator(evidence_listed)] = []
    predictions: Annotated[list[Predicted], BeforeValidator(predictions_listed)] = Field(default=[], max_length=64)
    predicted_speedup: Annotated[float | None, BeforeValidator(number_or_none)] = Field(default=None, gt=0, le=1e6)
    """time(before)/time(after)."""
    risks: _Names = []


class DeclinedTechnique(_Reply):
    """A technique that was considered and left out."""

    technique: _Name
    reason: _Title


class PlanReply(_Reply):
    """A plan, best step first."""

    steps: Annotated[list[PlannedStep], BeforeValidator(one_listed)] = Field(max_length=_MOST_ITEMS)
    declined: Annotated[list[DeclinedTechnique], BeforeValidator(declined_listed)] = Field(default=[], max_length=_MOST_ITEMS)


class WrittenPart(_Reply):
    """New text of a part of the Region."""

    part: _Name
    code: Annotated[str, BeforeValidator(lines_joined)] = Field(max_length=MOST_CODE_CHARACTERS)


class LaunchChange(_Reply):
    """New expressions of a launch; null: the expression stays."""

    file: _Name | None = None
    """Another file of the program, as the prompt names it; null: the one that is shown."""
    line: Annotated[_Place, BeforeValidator(first_place)] = 1
    """Of a kernel that is launched once the launch is meant whatever line it says."""
    kernel: _Kept = None
    """The kernel or the instance of it to launch: ``sum<256>``."""
    grid: _Kept = None
    block: _Kept = None
    shared: _Kept = None
    arguments: Annotated[list[_Expression] | None, BeforeValidator(arguments_listed)] = Field(default=None, max_length=256)

    @model_validator(mode="before")
    @classmethod
    def _without_empty_arguments(cls, value: Any) -> Any:
        """No arguments for the present kernel, which has some or none in any case: they stay."""
        if not isinstance(value, dict):
            return value
        given = plain_keys(_mapping(value), cls.model_fields)
        return {name: each for name, each in given.items() if name != "arguments" or each != [] or absent(given.get("kernel")) is not None}


class TunedNumber(_Reply):
    """A constant of the code with the values that are worth trying."""

    name: _Name
    values: list[int] = Field(min_length=1, max_length=MOST_VALUES)


class CodeReply(_Reply):
    """An edit: whole parts of the region, and what else it needs. Parts come in fences behind it, or in it."""

    step: Annotated[int | None, BeforeValidator(number)] = None
    """Number of the step that it carries out, from 1, where it comes with a plan."""
    summary: _Title = ""
    parts: Annotated[list[WrittenPart], BeforeValidator(parts_listed)] = Field(default=[], max_length=64)
    launches: Annotated[list[LaunchChange], BeforeValidator(one_listed)] = Field(default=[], max_length=64)
    includes: Annotated[list[_Name], BeforeValidator(headers_listed), Field(max_length=64)] = []
    assumptions: Annotated[list[_Line], BeforeValidator(one_listed)] = Field(default=[], max_length=32)
    risks: _Names = []
    tune: list[TunedNumber] = Field(default=[], max_length=MOST_TUNED)
    constraints: Annotated[list[_Line], BeforeValidator(one_listed)] = Field(default=[], max_length=16)
    """What the values must meet together."""
    tuning_fault: _Title = ""
    """What of ``tune`` cannot be read; it is ours, and no part of what is asked for."""

    @model_validator(mode="before")
    @classmethod
    def _with_values_to_tune(cls, value: Any) -> Any:
        given = code_among_parts(plain_keys(_mapping(value), cls.model_fields), cls.model_fields) if isinstance(value, dict) else {}
        if "tune" not in given:
            return given or value  # pyright: ignore[reportUnknownVariableType]  # JSON
        tune, fault = numbers_to_tune(given["tune"])
        return {**given, "tune": tune, "tuning_fault": fault or given.get("tuning_fault")}


class SummaryReply(_Reply):
    """A signal in fewer words."""

    summary: _Paragraph


class ExplanationReply(_Reply):
    """An explanation for the developer; every number as a placeholder."""

    limit: _Paragraph
    change: _Paragraph
    reason: _Paragraph
    assumptions: _Paragraph = ""
    left: _Paragraph = ""


class LessonReply(_Reply):
    """What trials of a technique teach: a condition that is tested, and sentences."""

    field: _Name
    value: Annotated[str, BeforeValidator(_as_expression), StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
    when: _Line = ""
    how: _Line = ""
    pitfalls: _Line = ""


Reply = TypeVar("Reply", bound=_Reply)


def reply_schema(reply: type[_Reply]) -> ReplySchema:
    """The JSON Schema in the subset that strict structured outputs demand: every key required, nothing else allowed, no bounds."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", reply.__name__).lower()
    return ReplySchema(name, json.dumps(_strict(reply.model_json_schema())))


def _strict(schema: Any) -> Any:
    """The same schema without titles, defaults, bounds and our own docstrings; objects closed, all keys required."""
    if isinstance(schema, list):
        return [_strict(item) for item in _sequence(schema)]
    if not isinstance(schema, dict):
        return schema
    mapping = _mapping(schema)
    if "properties" in mapping:
        properties = {name: _strict(item) for name, item in _mapping(mapping["properties"]).items() if name not in _OURS}
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False} | _defs(mapping)
    dropped = _BOUNDS | {"title", "default", "description"}
    return {name: _strict(item) for name, item in mapping.items() if name not in dropped}


def _defs(mapping: Mapping[str, Any]) -> dict[str, Any]:
    found = _mapping(mapping.get("$defs", {}))
    return {"$defs": {name: _strict(item) for name, item in found.items()}} if found else {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value


def _sequence(value: Any) -> list[Any]:
    return value
