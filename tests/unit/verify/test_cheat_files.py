"""The wrong candidates of tests/cheats: the static rules see those that expected.toml says they see, and no others."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from assistant.cuda.doubts import doubts
from assistant.cuda.host_work import host_work
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.word_arithmetic import word_arithmetic
from assistant.model.source import ParsedSource, Source
from assistant.model.verification import Outcome
from assistant.verify.cheats import find_cheats
from assistant.verify.labels import VersionFacts, detect_labels

FOLDER = Path(__file__).parents[2] / "cheats"
ROOT = FOLDER.parents[1]
EXPECTED: dict[str, Any] = tomllib.loads((FOLDER / "expected.toml").read_text())


def parsed(name: str) -> ParsedSource:
    path = FOLDER / f"{name}.cu"
    return parse(Source(path, path.read_text()))


def original(name: str) -> ParsedSource:
    """What the version is compared with: the original in its folder."""
    return parsed(str(Path(name).with_name("original")))


def test_every_file_has_an_expectation() -> None:
    names = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.cu")}
    assert {name for name in names if not name.endswith("original")} == set(EXPECTED)


def test_every_known_way_to_fool_a_judge_is_shown_by_something_that_exists() -> None:
    of_kernels, of_operators = (ROOT / "docs" / "explanation" / "fooled.md").read_text("utf-8").split("## Candidates for PyTorch operators")
    shown = _shown(of_kernels, row_count=48)
    assert {name for name in shown if name not in EXPECTED and not (ROOT / name).exists()} == set()
    assert set(EXPECTED) <= set(shown)
    candidates = {path.stem for path in (FOLDER / "operators").glob("*.py")} - {"task"}
    tasks = {path.name for path in (ROOT / "examples" / "operators").glob("*/*")}
    shown = _shown(of_operators, row_count=12)
    assert {name for name in shown if name not in candidates | tasks and not (ROOT / name).exists()} == set()
    assert candidates <= set(shown)


def _shown(table: str, row_count: int) -> list[str]:
    """What the last column of its rows names; rows are numbered."""
    rows = re.findall(r"^\| (\d+) \|.*\| (.+) \|$", table, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, row_count + 1))
    return [name for _, names in rows for name in re.findall(r"`([^`]+)`", names)]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_static_rules_see_what_they_should(name: str) -> None:
    findings = find_cheats(original(name), parsed(name))
    if "static" in EXPECTED[name].get("seen_by", ()):
        (finding,) = findings
        assert finding.code in EXPECTED[name]["any_of"] and finding.outcome is Outcome.FAIL
    else:
        assert findings == ()


def whole_version(source: ParsedSource) -> VersionFacts:
    text = source.source.text
    tree = SyntaxTree(text)
    return VersionFacts(source, doubts=doubts(text), work=host_work(tree), arithmetic=word_arithmetic(tree))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_text_has_the_labels_it_should(name: str) -> None:
    before, after = (whole_version(source) for source in (original(name), parsed(name)))
    labels = {detected.label.value for detected in detect_labels(before, after)}
    assert labels == set(EXPECTED[name].get("text_labels", ()))
