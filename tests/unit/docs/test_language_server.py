"""The language server's page tells every command and every method of ours, and nothing that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.unit.docs.test_docs import generate

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "language-server.md").read_text("utf-8")
_SENT = {"kernelopt/event", "kernelopt/changed", "kernelopt/model/complete", "kernelopt/consent"}
"""What the server sends and does not answer."""


def test_each_command_has_its_answer_reported() -> None:
    answers = PAGE.partition("Answers:")[2].partition("## Methods")[0]
    told = set(re.findall(r"`(kernelopt\.[\w.]+)`", answers))
    assert told == set(generate().language_server().protocol.fm.commands)


def test_each_method_of_ours_is_reported() -> None:
    ours = {name for name in generate().language_server().protocol.fm.features if name.startswith("kernelopt/")}
    assert set(re.findall(r"`(kernelopt/[\w/]+)`", PAGE)) == ours | _SENT
