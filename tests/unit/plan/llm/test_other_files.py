"""A model's edit of a kernel and of its launches in other files of the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.config import Settings
from assistant.cuda.parse import parse
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Label
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.code.unusable import UnusableAnswer
from assistant.plan.llm.context import facts_of
from assistant.plan.llm.reading.schemas import CodeReply
from tests.unit.plan.llm.bed import DECLARED, KERNEL_TEXT, TEXT, request_of

LAUNCH = "    transpose<<<grid, block>>>(out, in, n, 2.0f);\n"
HEADER = TEXT.replace(LAUNCH, "")
RUN = '#include "kernel.cu"\nvoid go(float *o, float *i, int n) { transpose<<<(n + 31) / 32, 32>>>(o, i, n, 3.0f); }\n'
WITHOUT_FACTOR = KERNEL_TEXT.replace(", int n, float by)", ", int n)").replace(", by);", ", 2.0f);")


def others(*texts: str) -> tuple[ParsedSource, ...]:
    return tuple(parse(Source(Path(f"/run{number}.cu"), text)) for number, text in enumerate(texts, 1))


def answer(*launches: dict[str, Any], code: str | None = None, text: str = HEADER, files: tuple[str, ...] = (RUN,)) -> Any:
    request = request_of(text)
    parts = [] if code is None else [{"part": "kernel", "code": code}]
    reply = CodeReply.model_validate({"summary": "s", "parts": parts, "launches": launches})
    return edit_of(Region(request.parsed, request.kernel, others(*files)), reply)


def edited(found: Any, name: str = "run1.cu", text: str = RUN) -> str:
    assert isinstance(found, RegionEdit), found
    (mine,) = [other for other in found.in_others if other.path.name == name]
    for edit in sorted(mine.edits, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


@pytest.mark.parametrize("file", ["run1.cu", None])
def test_a_launch_in_another_file_is_changed_with_the_kernels_parameters(file: str | None) -> None:
    found = answer({"file": file, "line": 2, "block": "64", "arguments": ["o", "i", "n"]}, code=WITHOUT_FACTOR)
    assert edited(found) == RUN.replace("(o, i, n, 3.0f)", "(o, i, n)").replace(", 32>>>", ", 64>>>")
    assert isinstance(found, RegionEdit) and found.edits and Label.HOST_CODE in found.labels and found.assumptions == ()


def test_a_launch_alone_may_change() -> None:
    found = answer({"file": "run1.cu", "line": 2, "grid": "(n + 63) / 64", "block": "64"})
    assert isinstance(found, RegionEdit) and found.edits == () and "<<<(n + 63) / 64, 64>>>" in edited(found)


def test_the_only_launch_is_meant_by_any_line_of_its_file() -> None:
    assert ", 64>>>" in edited(answer({"file": "run1.cu", "line": 1, "block": "64"}))
    two = answer({"file": "run1.cu", "line": 1, "block": "64"}, files=(RUN, RUN))
    assert isinstance(two, UnusableAnswer) and "its launches are at line 2 of run1.cu, 2 of run2.cu" in two.reason


def test_every_launch_in_every_file_follows_the_parameters() -> None:
    changes = [{"file": f"run{number}.cu", "line": 2, "arguments": ["o", "i", "n"]} for number in (1, 2)]
    found = answer(changes[0], code=WITHOUT_FACTOR, files=(RUN, RUN))
    assert isinstance(found, UnusableAnswer) and "launch at line 2 of run2.cu" in found.reason
    assert "(o, i, n)" in edited(answer(*changes, code=WITHOUT_FACTOR, files=(RUN, RUN)), "run2.cu")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"file": "/etc/passwd", "line": 2, "block": "64"}, "its launches are at line 2 of run1.cu"),
        ({"file": "run1.cu", "line": 2, "block": 'system("id")'}, "which is not part of an expression"),
    ],
)
def test_nothing_else_of_another_file_is_edited(change: dict[str, Any], words: str) -> None:
    found = answer(change)
    assert isinstance(found, UnusableAnswer) and words in found.reason


def test_the_prompt_shows_the_launches_and_names_the_programs_files() -> None:
    request = replace(
        request_of(HEADER), program=others(RUN), others=(Source(Path("/run1.cu"), RUN), Source(Path("/main.cu"), "int main() {}\n"))
    )
    facts = facts_of(request, Settings().signals)
    assert facts.launches == () and facts.files == ("run1.cu", "main.cu")
    assert facts.elsewhere == ("run1.cu, line 2: grid = (n + 31) / 32, block = 32, arguments = (o, i, n, 3.0f)",)


def test_what_a_declared_launch_is_judged_on_is_not_mixed_with_others() -> None:
    request = replace(request_of(DECLARED), program=others(RUN))
    assert facts_of(request, Settings().signals).elsewhere == ()
    assert isinstance(answer({"file": "run1.cu", "line": 2, "block": "64"}, text=DECLARED), UnusableAnswer)
