"""The technique catalogue: every named optimization, read from ``prompts/techniques/<id>.md``.

A file is a front matter of four to six lines between ``---`` and a Markdown body that people and models read alike::

    ---
    id: loop-unrolling
    title: Unroll a short loop
    findings: [KO114]
    labels: []
    shown_for: [KO108+sm_80]
    only_tunes: true
    ---
    ## Applies when
    …

``shown_for``: kernels that models are shown the page with besides those of its findings. Each kind is what has to come together: findings,
words in the code, the least architecture (``sm_90a``: a GPU of that one). ``only_tunes``: `Technique.only_tunes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.errors import UsageError
from assistant.model.plan import Technique
from assistant.model.verification import Label
from assistant.plan.front_matter import front_matter, items
from assistant.record import Record
from assistant.shipped import shipped_prompts

__all__ = ["Catalogue", "load_catalogue", "own_catalogue", "parse_technique"]

_KEYS = frozenset({"id", "title", "findings", "labels"})
_SHOWN_FOR = "shown_for"
_ONLY_TUNES = "only_tunes"


class Catalogue(Record):
    """All techniques, ordered by id."""

    techniques: tuple[Technique, ...]

    def __iter__(self) -> Iterator[Technique]:
        return iter(self.techniques)

    def get(self, technique_id: str) -> Technique | None:
        """The technique of that id; None when there is none."""
        return next((t for t in self.techniques if t.id == technique_id), None)

    def answering(self, finding_code: str) -> tuple[Technique, ...]:
        """Techniques that a finding of this code calls for."""
        return tuple(t for t in self.techniques if finding_code in t.findings)


def own_catalogue() -> Catalogue:
    """The catalogue that comes with kernelopt."""
    return load_catalogue(shipped_prompts() / "techniques")


def load_catalogue(directory: Path) -> Catalogue:
    """Every ``*.md`` of ``directory`` as a technique. Raises UsageError on a malformed file or a repeated id."""
    techniques = tuple(parse_technique(path.read_text("utf-8"), path.name) for path in sorted(directory.glob("*.md")))
    ids = [t.id for t in techniques]
    repeated = sorted({i for i in ids if ids.count(i) > 1})
    if repeated:
        raise UsageError(f"technique {repeated[0]} is described twice in {directory}", "keep one of the files")
    return Catalogue(tuple(sorted(techniques, key=lambda t: t.id)))


def parse_technique(text: str, name: str) -> Technique:
    """The technique that one file describes. ``name`` is only for messages. Raises UsageError on a malformed file."""
    try:
        fields, body = front_matter(text)
    except ValueError as error:
        raise _malformed(name, str(error)) from error
    odd = sorted(_KEYS ^ (fields.keys() - {_SHOWN_FOR, _ONLY_TUNES}))
    if odd:
        raise _malformed(name, f"its front matter must have exactly {', '.join(sorted(_KEYS))}; see {', '.join(odd)}")
    if fields.get(_ONLY_TUNES, "true") != "true":
        raise _malformed(name, f"{_ONLY_TUNES} is true or is left out, not {fields[_ONLY_TUNES]}")
    return Technique(
        id=fields["id"],
        title=fields["title"],
        findings=items(fields["findings"]),
        labels=tuple(_label(item, name) for item in items(fields["labels"])),
        text=body.strip() + "\n",
        shown_for=items(fields.get(_SHOWN_FOR, "")),
        only_tunes=_ONLY_TUNES in fields,
    )


def _label(item: str, name: str) -> Label:
    try:
        return Label(item)
    except ValueError as err:
        raise _malformed(name, f"{item} is not a label; labels are {', '.join(Label)}") from err


def _malformed(name: str, why: str) -> UsageError:
    return UsageError(f"technique file {name} cannot be read: {why}", "compare it with another file of the folder")
