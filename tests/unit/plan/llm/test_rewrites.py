"""Answers of strangers to a prompt that lets them change the whole region: each is made into an edit, labelled for what it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.edits import apply_edits
from assistant.cuda.parse import parse
from assistant.model.source import ParsedSource, Source
from assistant.plan.llm.code.parts import Region
from assistant.plan.llm.code.region import RegionEdit, edit_of
from assistant.plan.llm.reading.answers import CODE
from assistant.plan.llm.reading.schemas import CodeReply
from assistant.verify.labels import VersionFacts, detect_labels
from tests.rewrites import Rewritten, rewritten

_OF_TEXT = {"arch-lock-in", "library-call", "host-code"}
"""Labels that the text alone shows."""


def parsed(text: str) -> ParsedSource:
    return parse(Source(Path("/program.cu"), text))


@pytest.mark.parametrize("answer", ["right", "wrong"])
@pytest.mark.parametrize("case", rewritten(), ids=lambda case: case.name)
def test_the_answer_is_an_edit_with_its_labels(case: Rewritten, answer: str) -> None:
    before = parsed(case.text("program.cu"))
    kernel = next(kernel for kernel in before.kernels if kernel.name == case.kernel)
    reply = CODE.read(case.text(f"{answer}.md"))
    assert isinstance(reply, CodeReply)
    made = edit_of(Region(before, kernel, may_edit_host=True, cutlass="4.2.0"), reply)
    assert isinstance(made, RegionEdit), made
    text = apply_edits(before.source.text, made.edits)
    assert isinstance(text, str)
    seen = {found.label.value for found in detect_labels(VersionFacts(before), VersionFacts(parsed(text)))}
    assert set(case.labels) & _OF_TEXT <= seen | {label.value for label in made.labels}


def test_there_are_enough_of_each_lab() -> None:
    labs = [case.lab for case in rewritten()]
    assert labs.count("cpu") >= 10 and labs.count("gpu") >= 6
