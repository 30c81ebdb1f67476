"""What a model's text answers: drafts are left out, and of several answers the last complete one counts.

Code comes in fences behind a small JSON header, so that a model writes it as code; other answers are one JSON object. Example::

    PLAN.read('<think>{"steps": 1}</think>{"steps": []}')    # PlanReply(steps=[], declined=[])
    CODE.read('{"summary": "Pad."}\\n```cuda part=kernel\\n…\\n```')    # CodeReply(summary="Pad.", parts=[WrittenPart("kernel", "…")])
    PLAN.read("sorry")    # BadReply("the answer holds no JSON object")
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from assistant.model.completion import ReplySchema
from assistant.plan.llm.reading.drafts import spoken
from assistant.plan.llm.reading.fences import MOST_FENCES, UNNAMED, Fence, fences_of
from assistant.plan.llm.reading.json_objects import JsonObject, UnreadObject, json_objects, unwrapped
from assistant.plan.llm.reading.line_headers import line_header
from assistant.plan.llm.reading.schemas import (
    CodeReply,
    ExplanationReply,
    LessonReply,
    PlanReply,
    Reply,
    SummaryReply,
    WrittenPart,
    reply_schema,
)
from assistant.plan.llm.reading.spellings import plain_keys
from assistant.plan.llm.reading.unfenced import holds_a_function, with_fences
from assistant.record import Record

__all__ = [
    "CODE",
    "CODE_IN_JSON",
    "EXPLANATION",
    "LESSON",
    "MOST_REPLY_CHARACTERS",
    "PLAN",
    "PLAN_AND_CODE",
    "SUMMARY",
    "BadReply",
    "Form",
    "PlanAndCode",
]

MOST_REPLY_CHARACTERS = 1_000_000
"""Longest answer that is read at all, drafts included (chosen: what a provider passes on at most)."""
_SHOWN_ERRORS = 5
_MOST_SAID = 5
"""Headers that cannot be read and are reported of one answer."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_WRAPPING = re.compile(r"\s*(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>markdown|md)?[ \t]*\r?\n", re.IGNORECASE)
_ONLY_PART = "kernel"
_HEADER_KEYS = frozenset(CodeReply.model_fields)
_BEGINNING_KEYS = frozenset({"step", "summary", "parts"})
"""An object with none of them, right behind another header, goes on with that."""
_MEANT_FOR_JSON = frozenset({"launches", "parts"})
"""Fields that are more than lines can say."""
_STEP_KEY = "technique"
"""An object with it is a step of a plan, though it may name risks as a header does."""
_INCOMPLETE = "the code is not complete"
_UNFENCED = "its code stands in no fence: put the whole text of each part between a line ```cuda part=NAME and a line ```"
_NOTHING = (
    "the answer holds neither a JSON header nor code in a fence; where nothing is worth a change, give the header alone and say why in its"
    " `summary`"
)
_WITHOUT_A_STEP = "it does not say which step it is of"


class BadReply(Record):
    """Why an answer is none."""

    problem: str
    """In words that the model can act on."""


Value = TypeVar("Value")


class Form(Record, Generic[Value]):
    """How a question is answered."""

    schema: ReplySchema | None
    """What endpoints with structured outputs are sent; None: the answer is no JSON as a whole."""
    read: Callable[[str], Value | BadReply]


class PlanAndCode(Record):
    """What one call brought in place of several."""

    plan: PlanReply
    codes: Mapping[int, CodeReply]
    """By the number of their step, from 1."""
    problems: Mapping[int, str]
    """Why there is no code of the others, where an answer was begun: by the number of their step."""
    left_out: Sequence[str] = ()
    """What is wrong with code that belongs to no step."""


_Item = JsonObject | UnreadObject | Fence


class _AnswerParts:
    """One answer among those of a text: a header, or why it cannot be read, and the fences that belong to it."""

    def __init__(self, header: CodeReply | BadReply) -> None:
        self.problem = header if isinstance(header, BadReply) else None
        self.header = CodeReply() if isinstance(header, BadReply) else header
        self.fences: list[Fence] = []

    @property
    def is_cut(self) -> bool:
        return any(not fence.is_closed for fence in self.fences)

    @property
    def has_content(self) -> bool:
        return bool(self.fences or self.header.parts or self.header.launches or self.header.includes)


def _read_object(text: str, reply: type[Reply]) -> Reply | BadReply:
    """The last JSON object of the text that fits."""
    said = _without_drafts(text)
    if isinstance(said, BadReply):
        return said
    found = _last_object(said, reply)
    return found if isinstance(found, BadReply) else found[1]


def _last_object(said: str, reply: type[Reply]) -> tuple[int, Reply] | BadReply:
    """Where it begins, and its value."""
    problem: BadReply | None = None
    unread: BadReply | None = None
    found: tuple[int, Reply] | None = None
    for each in _whole_objects(said, reply):
        if isinstance(each, UnreadObject):
            unread = BadReply(_unread(each)) if each.has_key(reply.model_fields) else unread
            continue
        try:
            found = each.start, reply.model_validate(each.value)
        except ValidationError as error:
            problem = BadReply(faults(error))
    return found or unread or problem or BadReply("the answer holds no JSON object")


def _whole_objects(said: str, reply: type[Reply]) -> Iterable[JsonObject | UnreadObject]:
    """The objects of the text; steps of a plan without the plan around them are one."""
    found = [unwrapped(each, reply.model_fields) if isinstance(each, JsonObject) else each for each in json_objects(said, ())]
    steps = [each for each in found if isinstance(each, JsonObject) and _STEP_KEY in each.value and "title" in each.value]
    if reply is PlanReply and steps and len(steps) == len(found):
        return [JsonObject(steps[0].start, steps[-1].end, {"steps": [each.value for each in steps]})]
    return found


def _read_code(text: str) -> CodeReply | BadReply:
    """The last complete header with its fences; code without a header counts, too."""
    said = _without_drafts(text)
    if isinstance(said, BadReply):
        return said
    said = with_fences(said)
    answers = _answers(said)
    if answers and answers[-1].problem is not None:
        return answers[-1].problem  # an older answer is not what is meant
    complete = [answer for answer in answers if answer.problem is None and answer.has_content and not answer.is_cut]
    if complete:
        return _assembled(complete[-1])
    if any(answer.is_cut for answer in answers):
        return BadReply("the last fence of code is not closed: the answer is not complete")
    if holds_a_function(said):
        return BadReply(_UNFENCED)
    if answers:
        return answers[-1].header  # which gives the step up
    return BadReply(_NOTHING)


def _read_plan_and_code(text: str) -> PlanAndCode | BadReply:
    """The last plan with the code that follows it; code that is not complete is left to be asked for."""
    said = _without_drafts(text)
    if isinstance(said, BadReply):
        return said
    said = with_fences(said)
    found = _last_object(said, PlanReply)
    if isinstance(found, BadReply):
        return found
    start, plan = found
    answers = _begun(_answers(said, start)) or _begun(_answers(said))
    codes: dict[int, CodeReply] = {}
    problems: dict[int, str] = {}
    unread = dict.fromkeys(f"a header cannot be read: {answer.problem.problem}" for answer in answers if answer.problem is not None)
    left_out = [*unread][:_MOST_SAID]
    for number, answer in zip(_numbered(answers, len(plan.steps)), answers, strict=True):
        code = _of_one_step(answer)
        if answer.problem is not None:
            continue
        if number is None or not 1 <= number <= len(plan.steps):
            left_out.append(_WITHOUT_A_STEP if number is None else f"the plan has no step {number}")
        elif isinstance(code, CodeReply):
            codes[number] = code
        else:
            problems[number] = code.problem
    return PlanAndCode(plan, codes, {number: problem for number, problem in problems.items() if number not in codes}, tuple(left_out))


def _begun(answers: Iterable[_AnswerParts]) -> list[_AnswerParts]:
    """Those that are more than a word on nothing."""
    return [answer for answer in answers if answer.problem is not None or answer.header.step is not None or answer.has_content]


def _numbered(answers: Sequence[_AnswerParts], step_count: int) -> list[int | None]:
    """The step of each answer: where none says it and there are as many as steps, they are in the plan's order."""
    stated = [answer.header.step for answer in answers]
    return [*range(1, step_count + 1)] if len(stated) == step_count and not any(stated) else stated


def _of_one_step(answer: _AnswerParts) -> CodeReply | BadReply:
    """The answer, unless what follows its header may be that of two."""
    names = [fence.name or _ONLY_PART for fence in answer.fences]
    if len(names) > len(set(names)):
        return BadReply("it gives a part twice: code of another step may lack its header")
    return _assembled(answer) if answer.has_content and not answer.is_cut else BadReply(_INCOMPLETE)


def _answers(said: str, start: int = 0) -> list[_AnswerParts]:
    """The answers from ``start`` on, in order.

    Fences belong to the header in front of them, or to the one behind them where code stands first and a header last. Other code in
    front of the first header is an answer of its own.
    """
    fences = list(islice(fences_of(said), MOST_FENCES))
    objects = list(json_objects(said, [(fence.start, fence.end) for fence in fences]))
    objects = [_with_plain_keys(unwrapped(each, _HEADER_KEYS)) if isinstance(each, JsonObject) else each for each in objects]
    reaching = [each for each in objects if isinstance(each, JsonObject)]
    fences = [fence for fence in fences if not any(each.start < fence.start < each.end for each in reaching)]
    headers = [each for each in objects if _is_header(each)] or _headers_in_lines(said, fences)
    items = _joined(sorted((item for item in (*headers, *fences) if item.start >= start), key=lambda item: item.start))
    if items and isinstance(items[0], Fence) and not isinstance(items[-1], Fence):
        return _grouped(items[::-1])[::-1]
    return _grouped(items)


def _with_plain_keys(item: JsonObject) -> JsonObject:
    return JsonObject(item.start, item.end, plain_keys(item.value, _HEADER_KEYS) if _STEP_KEY not in item.value else item.value)


def _headers_in_lines(said: str, fences: Sequence[Fence]) -> list[JsonObject | UnreadObject]:
    """Headers that are no JSON: one of the whole answer, wherever its lines stand, or one for each step that says its number."""
    begins, ends = [0, *(fence.end for fence in fences)], [*(fence.start for fence in fences), len(said)]
    found = [JsonObject(begin, end, header) for begin, end in zip(begins, ends, strict=True) if (header := _lines(said[begin:end]))]
    if any(not all(isinstance(each, dict) for each in header.value.get(name, ())) for header in found for name in _MEANT_FOR_JSON):
        return [UnreadObject(0, "", "give launches and parts as JSON, not as lines")]
    if len(found) == 1 and fences and found[0].start:
        return [JsonObject(0, 0, found[0].value)]  # of all fences, whichever it stands behind
    return [*found] if len(found) == 1 or all("step" in header.value for header in found) else []


def _lines(text: str) -> dict[str, Any]:
    """What lines say; nothing where a field of them cannot be what it says, as in a sentence that begins with such a word."""
    header = line_header(text, _HEADER_KEYS - {"tuning_fault"})
    found = {name: value for name, value in header.items() if name not in _MEANT_FOR_JSON or not isinstance(value, str)}
    try:
        CodeReply.model_validate({name: value for name, value in found.items() if name not in _MEANT_FOR_JSON})
    except ValidationError:
        return {}
    return found


def _joined(items: Iterable[_Item]) -> list[_Item]:
    """Objects that go on with the header right in front of them are a part of it."""
    joined: list[_Item] = []
    for item in items:
        last = joined[-1] if joined else None
        if isinstance(item, JsonObject) and isinstance(last, JsonObject) and item.value.keys().isdisjoint(_BEGINNING_KEYS):
            joined[-1] = JsonObject(last.start, item.end, last.value | item.value)
        else:
            joined.append(item)
    return joined


def _grouped(items: Iterable[_Item]) -> list[_AnswerParts]:
    """Each header with the fences up to the next one, in the order of the text."""
    answers: list[_AnswerParts] = []
    for item in items:
        if not isinstance(item, Fence):
            answers.append(_AnswerParts(_header(item)))
            continue
        if not answers:
            answers.append(_AnswerParts(CodeReply()))
        answers[-1].fences.append(item)
    for answer in answers:
        answer.fences.sort(key=lambda fence: fence.start)
    return answers


def _is_header(item: JsonObject | UnreadObject) -> bool:
    if isinstance(item, UnreadObject):
        return item.has_key(_HEADER_KEYS) and not item.has_key({_STEP_KEY})
    return _STEP_KEY not in item.value and not item.value.keys().isdisjoint(_HEADER_KEYS)


def _header(item: JsonObject | UnreadObject) -> CodeReply | BadReply:
    if isinstance(item, UnreadObject):
        return BadReply(_unread(item))
    try:
        return CodeReply.model_validate(item.value)
    except ValidationError as error:
        return BadReply(faults(error))


def _unread(item: UnreadObject) -> str:
    return f"a JSON object of the answer cannot be read: {item.problem}"


def _assembled(answer: _AnswerParts) -> CodeReply | BadReply:
    """The header with the fences as parts; of two fences for one part the later one counts."""
    unnamed = UNNAMED if len(answer.fences) > 1 else _ONLY_PART
    parts = {part.part if part.part != UNNAMED else f"{UNNAMED}h{place}": part for place, part in enumerate(answer.header.parts)}
    for place, fence in enumerate(answer.fences):
        name = fence.name or unnamed
        parts[name if name != UNNAMED else f"{name}{place}"] = WrittenPart(part=name, code=fence.code)
    return answer.header.model_copy(update={"parts": list(parts.values())})


def _without_drafts(text: str) -> str | BadReply:
    """What is meant as the answer; a text that cannot be read is refused."""
    if len(text) > MOST_REPLY_CHARACTERS:
        return BadReply(f"the answer has {len(text):,} characters; at most {MOST_REPLY_CHARACTERS:,} are read")
    if _CONTROL.search(text):
        return BadReply("the answer holds control characters: it is not text")
    if not text.strip():
        return BadReply("the answer is empty")
    said = _unwrapped("".join(spoken(text)).lstrip().lstrip("\ufeff"))
    return said if said.strip() else BadReply("nothing follows the draft: give the answer itself")


def _unwrapped(said: str) -> str:
    """The answer without a fence of Markdown around the whole of it."""
    begin = _WRAPPING.match(said)
    if begin is None:
        return said
    inside = said[begin.end() :]
    is_longer = len(begin["mark"]) > 3 and begin["mark"] not in inside.rstrip().removesuffix(begin["mark"]) and "```" in inside[:-4]
    if not (begin["info"] or is_longer):
        return said
    last = [*fences_of(inside)][-1:]
    is_end = bool(last) and not last[0].is_closed and not last[0].code.strip()
    return inside[: last[0].start] if is_end else inside


def faults(error: ValidationError) -> str:
    """The first few faults as ``steps.0.line: Input should be …``, without the values that were given."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    shown = [f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}" for fault in faults[:_SHOWN_ERRORS]]
    more = len(faults) - len(shown)
    return "; ".join([*shown, *([f"and {more:,} more"] if more else [])])


def _object_form(reply: type[Reply]) -> Form[Reply]:
    return Form(reply_schema(reply), partial(_read_object, reply=reply))


PLAN = _object_form(PlanReply)
SUMMARY = _object_form(SummaryReply)
EXPLANATION = _object_form(ExplanationReply)
LESSON = _object_form(LessonReply)
CODE = Form[CodeReply](None, _read_code)
CODE_IN_JSON = Form[CodeReply](reply_schema(CodeReply), _read_code)
"""For models that write code as strings of one JSON object rather than in fences."""
PLAN_AND_CODE = Form[PlanAndCode](None, _read_plan_and_code)
