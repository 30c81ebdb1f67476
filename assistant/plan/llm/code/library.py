"""Prompt templates: ``prompts/<id>.md.j2``, each with a version and the inputs that it declares.

The first line of a template is its header::

    {#- id: plan | version: 1 | inputs: facts, techniques -#}

Example::

    load_prompts().render("repair-reply", {"problem": "steps: missing", "is_cut": False}).name   # "repair-reply@1"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jinja2 import DictLoader, Environment, StrictUndefined

from assistant.record import Record
from assistant.shipped import shipped_prompts

__all__ = ["Prompt", "PromptLibrary", "Template", "load_prompts"]

_SUFFIX = ".md.j2"
_HEADER = re.compile(r"\A\{#- id: (?P<id>[\w-]+) \| version: (?P<version>\d+) \| inputs:(?P<inputs>[\w, ]*)-#\}")
_BACKTICKS = re.compile(r"`+")
_LEAST_FENCE = 3


class Template(Record):
    """One file of ``prompts/``."""

    id: str
    version: int
    inputs: frozenset[str]
    """Exactly what it must be given."""
    text: str


class Prompt(Record):
    """A template with its inputs filled in."""

    name: str
    """``code@3``: id and version of the template."""
    text: str


class PromptLibrary:
    """All templates by id; a template may include others by their id."""

    def __init__(self, templates: tuple[Template, ...]) -> None:
        self._templates = {template.id: template for template in templates}
        # A prompt is Markdown that models read: nothing is escaped for HTML.
        self._environment = Environment(
            loader=DictLoader({template.id: template.text for template in templates}),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # noqa: S701
        )
        self._environment.filters["fenced"] = fenced

    def __iter__(self) -> Iterator[Template]:
        return iter(self._templates.values())

    def render(self, template_id: str, inputs: Mapping[str, object]) -> Prompt:
        """The prompt. ``inputs`` must be exactly those that the header declares; ``ValueError`` says which differ."""
        template = self._templates[template_id]
        differing = template.inputs.symmetric_difference(inputs)
        if differing:
            raise ValueError(f"prompt {template_id}: given and declared inputs differ by {sorted(differing)}")
        text = self._environment.get_template(template_id).render(dict(inputs)).strip()
        return Prompt(f"{template.id}@{template.version}", text + "\n")


def load_prompts() -> PromptLibrary:
    """The templates that come with kernelopt. Raises ``ValueError`` for one whose header is malformed."""
    found = [item for item in shipped_prompts().iterdir() if item.name.endswith(_SUFFIX)]
    return PromptLibrary(tuple(_template(item.name, item.read_text("utf-8")) for item in sorted(found, key=lambda item: item.name)))


def fenced(text: str, language: str = "") -> str:
    """``text`` in a Markdown fence that nothing inside it can close: longer than every run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_LEAST_FENCE, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _template(name: str, text: str) -> Template:
    header = _HEADER.match(text)
    if header is None or header["id"] != name.removesuffix(_SUFFIX):
        raise ValueError(f"prompt {name} does not start with a header of its id, version and inputs")
    inputs = frozenset(part.strip() for part in header["inputs"].split(",") if part.strip())
    return Template(header["id"], int(header["version"]), inputs, text)
