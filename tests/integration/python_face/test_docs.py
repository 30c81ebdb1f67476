"""Every snippet of the page on Python runs, in order, and prints what the page shows below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernelopt.sessions import default_session

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "python.md"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_pages_snippets_run_and_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    shown_count = 0
    printed = ""
    for language, text in _BLOCK.findall(PAGE.read_text("utf-8")):
        if language == "python":
            exec(compile(text, PAGE.name, "exec"), names)
            printed = capsys.readouterr().out
        elif language != "sh":  # what is installed is tested by tests/e2e/cli/test_extras.py
            assert printed == text
            shown_count += 1
    assert shown_count == 5
    default_session().close()
