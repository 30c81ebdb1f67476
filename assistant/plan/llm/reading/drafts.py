"""What of a model's text is meant as its answer: drafts of reasoning models are left out.

Example::

    spoken('<think>{"steps": 1}</think>{"steps": []}')     # ['{"steps": []}']
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.plan.llm.reading.fences import Mark, marks_of

__all__ = ["spoken"]

_DRAFT_TAG = re.compile(r"[<◁](?P<end>/?)(?:think|thinking|thought|reasoning|analysis|scratchpad)[>▷]", re.IGNORECASE)


_FINAL = "<|channel|>final<|message|>"
_ENDS = re.compile(r"<\|(?:return|end|im_end|eot_id)\|>")
"""What a server leaves of a model's own marks (the harmony format of gpt-oss, chat templates)."""
_BARE_FINAL = re.compile(r"\A\s*analysis(?=[A-Z`{<\s]).*assistantfinal", re.DOTALL)
"""The same, where a server has taken the marks away."""


def spoken(text: str) -> list[str]:
    """What stands outside drafts. Some servers take the opening tag away: then all before the closing one is a draft.

    A tag in a fence of code is code.
    """
    text = _BARE_FINAL.sub("", _ENDS.sub("", text.rpartition(_FINAL)[2]))
    kept: list[str] = []
    position, is_draft = 0, False
    marks = marks_of(text) if _DRAFT_TAG.search(text) else []
    for tag in _DRAFT_TAG.finditer(text):
        if not is_draft and _is_in_code(marks, position, tag.start()):
            continue
        if tag["end"]:
            kept = kept if is_draft else []
            position, is_draft = tag.end(), False
        elif not is_draft:
            kept.append(text[position : tag.start()])
            is_draft = True
    return kept if is_draft else [*kept, text[position:]]


def _is_in_code(marks: Iterable[Mark], start: int, place: int) -> bool:
    """Whether a fence that began behind ``start`` stands around ``place``, and ends before another one begins."""
    mark = ""
    for position, found in marks:
        is_end = bool(mark) and found["mark"].startswith(mark) and not found["info"].strip()
        if position > place:
            return is_end
        if position >= start:
            mark = "" if is_end else mark or found["mark"]
    return False
