"""Skills for coding agents, read from ``prompts/skills/<name>.md`` and written in the format that agents share (agentskills.io).

A file is a front matter and a Markdown body. ``pages`` names techniques of the catalogue and ``references`` further pages of
``prompts/skills/references``; both are written beside the skill, so that an agent reads a page only where it needs it::

    ---
    name: kernelopt-reductions
    description: Edits for sums, maxima, scans, histograms …
    pages: [warp-reduction, block-scan]
    references: [thread-block-clusters]
    ---
    # Reductions, scans, histograms
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from assistant.errors import UsageError
from assistant.plan.catalogue import Catalogue, own_catalogue
from assistant.plan.front_matter import front_matter, items
from assistant.record import Record
from assistant.shipped import shipped_prompts

__all__ = ["Skill", "load_skills", "parse_skill"]

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MOST_NAME, _MOST_DESCRIPTION = 64, 1024
"""Agent Skills specification, "Frontmatter"."""


class Page(Record):
    """A page that an agent reads where a skill points to it."""

    name: str
    title: str
    text: str


class Skill(Record):
    """One skill: what an agent is always told of it, what it reads when the skill applies, and the pages behind that."""

    name: str
    description: str
    body: str
    pages: tuple[Page, ...]

    def files(self) -> dict[str, str]:
        """Texts by their path below the skill's folder."""
        return {"SKILL.md": self._skill_text()} | {f"references/{page.name}.md": page.text for page in self.pages}

    def _skill_text(self) -> str:
        head = f"---\nname: {self.name}\ndescription: {json.dumps(self.description, ensure_ascii=False)}\n---\n"
        listed = "".join(f"- [{page.name}](references/{page.name}.md): {page.title}\n" for page in self.pages)
        pages = f"\n## Pages with worked examples\n\nRead the one that you need; their code is compiled and run by our tests.\n\n{listed}"
        return head + self.body + (pages if self.pages else "")


def load_skills() -> tuple[Skill, ...]:
    """All skills that come with kernelopt, by name. Raises UsageError on a malformed file or a page that does not exist."""
    folder, catalogue = shipped_prompts() / "skills", own_catalogue()
    return tuple(parse_skill(path.read_text("utf-8"), path.name, catalogue, folder / "references") for path in sorted(folder.glob("*.md")))


def parse_skill(text: str, file_name: str, catalogue: Catalogue, references: Path) -> Skill:
    """The skill that ``file_name`` describes. Raises UsageError on a malformed file or a page that does not exist."""
    try:
        fields, body = front_matter(text)
    except ValueError as error:
        raise _malformed(file_name, str(error)) from error
    name, description = fields.get("name", ""), fields.get("description", "")
    if not _NAME.fullmatch(name) or len(name) > _MOST_NAME or f"{name}.md" != file_name:
        raise _malformed(file_name, f"its name must be that of the file, in small letters and hyphens, up to {_MOST_NAME} characters")
    if not description or len(description) > _MOST_DESCRIPTION:
        raise _malformed(file_name, f"its description must have 1 to {_MOST_DESCRIPTION} characters")
    pages = [_technique_page(page, file_name, catalogue) for page in items(fields.get("pages", ""))]
    pages += [_own_page(references / f"{page}.md", file_name) for page in items(fields.get("references", ""))]
    return Skill(name, description, body, tuple(pages))


def _technique_page(technique_id: str, file_name: str, catalogue: Catalogue) -> Page:
    technique = catalogue.get(technique_id)
    if technique is None:
        raise _malformed(file_name, f"there is no technique {technique_id}")
    return Page(technique.id, technique.title, f"# {technique.title}\n\n{technique.text}")


def _own_page(path: Path, file_name: str) -> Page:
    if not path.is_file():
        raise _malformed(file_name, f"there is no page references/{path.name}")
    text = path.read_text("utf-8")
    return Page(path.stem, text.partition("\n")[0].removeprefix("# "), text)


def _malformed(file_name: str, reason: str) -> UsageError:
    return UsageError(f"prompts/skills/{file_name}: {reason}", "compare it with the other files of that folder")
