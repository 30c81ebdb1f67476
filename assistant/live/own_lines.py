"""What a job said of a text that was written for it, said of the text that somebody wrote. Pure.

Example::

    of_task(event, made.text, "Model.py")       # line 41 of Model.py is line 12 of the user's script
"""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.live.live_text import LiveText
from assistant.model.events import ComparisonMade, Event, Message, OperatorsFound

__all__ = ["of_candidate", "of_task"]


def of_task(event: Event, text: LiveText, file_name: str) -> Event:
    """``file_name``: what the job calls the task. Lines that nobody wrote are left out."""
    match event:
        case OperatorsFound():
            functions = tuple(replace(each, line=text.own_line(each.line)) for each in event.functions)
            groups = tuple(replace(each, lines=_own(each.lines, text)) for each in event.groups)
            return replace(event, functions=functions, groups=groups)
        case Message():
            return replace(event, message=_with_own_places(event.message, text, file_name))
        case _:
            return event


def of_candidate(event: Event, text: LiveText, file_name: str) -> Event:
    """``file_name``: what the job calls the candidate."""
    match event:
        case ComparisonMade(verification=verification):
            findings = tuple(
                replace(each, line=text.own_line(each.line), message=_with_own_places(each.message, text, file_name))
                for each in verification.findings
            )
            return replace(event, verification=replace(verification, findings=findings))
        case Message():
            return replace(event, message=_with_own_places(event.message, text, file_name))
        case _:
            return event


def _own(lines: tuple[int, ...], text: LiveText) -> tuple[int, ...]:
    return tuple(own for line in lines if (own := text.own_line(line)) is not None)


def _with_own_places(message: str, text: LiveText, file_name: str) -> str:
    """``ValueError: no (Model.py:41)`` with the line that somebody wrote."""

    def own(found: re.Match[str]) -> str:
        line = text.own_line(int(found["line"]))
        return "" if line is None else f" (line {line})"

    return re.sub(rf" \({re.escape(file_name)}:(?P<line>\d+)\)", own, message)
