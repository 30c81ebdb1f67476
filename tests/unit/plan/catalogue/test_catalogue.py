"""The technique catalogue: what the files say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.errors import UsageError
from assistant.model.verification import Label
from assistant.plan.catalogue import load_catalogue, parse_technique
from assistant.plan.expert.all_transformations import EXPERT_TRANSFORMATIONS

TECHNIQUES = Path(__file__).resolve().parents[4] / "prompts" / "techniques"
GOOD = "---\nid: t\ntitle: Do it\nfindings: [KO101, KO102]\nlabels: [precision]\n---\n## Applies when\n\nalways\n"


def test_a_file_becomes_a_technique():
    technique = parse_technique(GOOD, "t.md")
    assert (technique.id, technique.title) == ("t", "Do it")
    assert technique.findings == ("KO101", "KO102")
    assert technique.labels == (Label.PRECISION,)
    assert technique.text == "## Applies when\n\nalways\n"


def test_a_file_may_say_for_which_kernels_models_are_shown_it():
    technique = parse_technique(GOOD.replace("labels:", "shown_for: [KO108+sm_80, expf+for]\nlabels:"), "t.md")
    assert technique.shown_for == ("KO108+sm_80", "expf+for") and parse_technique(GOOD, "t.md").shown_for == ()


def test_a_file_may_say_that_its_technique_only_tunes():
    technique = parse_technique(GOOD.replace("labels:", "only_tunes: true\nlabels:"), "t.md")
    assert technique.only_tunes and not parse_technique(GOOD, "t.md").only_tunes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("## No front matter\n", "no front matter"),
        (GOOD.replace("title: Do it\n", ""), "title"),
        (GOOD.replace("title: Do it", "title Do it"), "key: value"),
        (GOOD.replace("precision", "quick"), "quick is not a label"),
        (GOOD.replace("labels:", "tags:"), "tags"),
        (GOOD.replace("labels:", "only_tunes: maybe\nlabels:"), "only_tunes is true or is left out, not maybe"),
    ],
)
def test_a_malformed_file_is_refused_with_the_cause(text, complaint):
    with pytest.raises(UsageError, match=complaint):
        parse_technique(text, "t.md")


def test_the_same_id_twice_is_refused(tmp_path):
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(GOOD, "utf-8")
    with pytest.raises(UsageError, match="described twice"):
        load_catalogue(tmp_path)


def test_techniques_are_found_by_the_finding_that_calls_for_them():
    catalogue = load_catalogue(TECHNIQUES)
    assert "shared-memory-padding" in {t.id for t in catalogue.answering("KO103")}
    assert catalogue.answering("KO999") == ()


def test_every_transformation_is_described_under_its_own_file_name():
    catalogue = load_catalogue(TECHNIQUES)
    for transformation in EXPERT_TRANSFORMATIONS:
        technique = catalogue.get(transformation.technique)
        assert technique is not None
        assert technique.findings
        assert (TECHNIQUES / f"{technique.id}.md").is_file()


def test_what_changes_nothing_but_the_size_of_blocks_only_tunes():
    assert [technique.id for technique in load_catalogue(TECHNIQUES) if technique.only_tunes] == ["block-size-search"]


@pytest.mark.parametrize("path", sorted(TECHNIQUES.glob("*.md")), ids=lambda p: p.stem)
def test_a_technique_says_when_why_how_and_at_what_risk(path):
    technique = parse_technique(path.read_text("utf-8"), path.name)
    assert technique.id == path.stem
    for heading in ("## Applies when", "## Why it works", "## How", "## Risks"):
        assert heading in technique.text
