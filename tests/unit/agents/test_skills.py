"""The skills that coding agents are given: complete, in the agents' common format, and pointing to what exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.agents import load_skills
from assistant.agents.skills import parse_skill
from assistant.errors import UsageError
from assistant.plan.catalogue import own_catalogue
from assistant.shipped import shipped_findings, shipped_prompts

REFERENCES = shipped_prompts() / "skills" / "references"
GIVEN = "---\nname: a-skill\ndescription: What it does: and when.\npages: [block-scan]\nreferences: [persistent-blocks]\n---\n# Body\n"


def test_a_skill_is_written_in_the_agents_common_format() -> None:
    files = parse_skill(GIVEN, "a-skill.md", own_catalogue(), REFERENCES).files()
    assert files["SKILL.md"].startswith('---\nname: a-skill\ndescription: "What it does: and when."\n---\n# Body\n')
    assert sorted(files) == ["SKILL.md", "references/block-scan.md", "references/persistent-blocks.md"]
    assert "](references/persistent-blocks.md): Persistent blocks" in files["SKILL.md"]
    assert files["references/block-scan.md"].startswith("# Make a block's prefix sums with shuffles\n\n## Applies when\n")


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (GIVEN, "other.md", "its name must be that of the file"),
        (GIVEN.replace("a-skill", "A_Skill"), "A_Skill.md", "its name must be that of the file"),
        (GIVEN.replace("a-skill", "a" * 65), f"{'a' * 65}.md", "its name must be that of the file"),
        (GIVEN.replace("What it does: and when.", "x" * 1025), "a-skill.md", "its description must have 1 to 1024 characters"),
        (GIVEN.replace("description: What it does: and when.\n", ""), "a-skill.md", "its description must have 1 to 1024 characters"),
        (GIVEN.replace("block-scan", "no-such"), "a-skill.md", "there is no technique no-such"),
        (GIVEN.replace("persistent-blocks", "no-such"), "a-skill.md", "there is no page references/no-such.md"),
        ("# Body\n", "a-skill.md", "it has no front matter"),
    ],
)
def test_a_malformed_skill_is_refused(text: str, name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_skill(text, name, own_catalogue(), REFERENCES)


def test_every_technique_and_every_page_belongs_to_a_skill() -> None:
    found = {page.name for skill in load_skills() for page in skill.pages}
    assert found == {technique.id for technique in own_catalogue()} | {page.stem for page in REFERENCES.glob("*.md")}


def test_every_finding_about_speed_leads_to_a_skill_that_names_it() -> None:
    workflow, *others = sorted(load_skills(), key=lambda skill: skill.name != "kernelopt-workflow")
    for page in shipped_findings().glob("KO1*.md"):
        (row,) = [line for line in workflow.body.splitlines() if page.stem in line]
        (meant,) = [skill for skill in others if f"`{skill.name}`" in row]
        assert page.stem in meant.description


def test_skills_and_their_pages_fit_what_agents_read_at_once() -> None:
    for skill in load_skills():
        for path, text in skill.files().items():
            assert len(text.splitlines()) <= 500, (skill.name, path)
        assert len(skill.body) <= 6000, skill.name
    assert sum(len(skill.description) for skill in load_skills()) <= 4000


def test_what_the_workflow_names_exists() -> None:
    named = {word.strip("`") for skill in load_skills() for word in skill.body.split() if word.strip("`|").startswith("kernelopt-")}
    assert {name for name in named if name.startswith("kernelopt-")} <= {skill.name for skill in load_skills()}


def test_pages_are_the_trees_own(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no page references/persistent-blocks\.md"):
        parse_skill(GIVEN, "a-skill.md", own_catalogue(), tmp_path)
