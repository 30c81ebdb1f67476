"""Which pages of the technique catalogue a model is shown with a kernel, and with a step. Pure.

Example::

    pages_for(catalogue, request)      # texts: of the costliest findings first, then what answers its shape
    page_of(catalogue, request, step)  # of the step's technique; of one with a name of the model's own, the nearest
"""

from __future__ import annotations

import re

from assistant.cuda.code_text import blanked
from assistant.cuda.tokens import words_in_code
from assistant.model.plan import Step, Technique
from assistant.plan.catalogue import Catalogue
from assistant.plan.llm.code.parts import region_of
from assistant.ports.planner import PlanRequest

__all__ = ["page_of", "pages_for"]

_MOST_OF_FINDINGS = 3
_MOST_OF_ONE_FINDING = 2
_MOST_OF_SHAPE = 3
_WORD = re.compile(r"[a-z]{3,}")
_ARCHITECTURE = re.compile(r"sm_(?P<number>\d+)(?P<is_own>a?)")


def pages_for(catalogue: Catalogue, request: PlanRequest) -> tuple[str, ...]:
    """A model that plans and writes at once, or works with tools, sees no page of a step."""
    found = dict.fromkeys(_of_findings(catalogue, request))
    found |= dict.fromkeys(_suited(catalogue, request)[:_MOST_OF_SHAPE])
    return tuple(technique.text for technique in found)


def page_of(catalogue: Catalogue, request: PlanRequest, step: Step) -> Technique | None:
    """The step's technique. Where the catalogue has none of that name, of those that answer its finding the one whose name is most like
    its own; None where none does."""
    known = catalogue.get(step.technique)
    if known is not None or not step.finding:
        return known
    suited = (technique for technique in _suited(catalogue, request) if any(step.finding in needs for needs in _needs(technique)))
    near = dict.fromkeys((*_answering(catalogue, step.finding, request), *suited))
    words = _words(f"{step.technique} {step.title or ''}")
    return max(near, key=lambda technique: len(words & _words(f"{technique.id} {technique.title}")), default=None)


def _of_findings(catalogue: Catalogue, request: PlanRequest) -> list[Technique]:
    """Of the costliest first, a few of each."""
    pages: dict[Technique, None] = {}
    ordered = sorted(request.findings, key=lambda finding: -(finding.estimated_cost_ratio or 0.0))
    codes = dict.fromkeys(finding.code for finding in ordered)
    for code in codes:
        fresh = [technique for technique in _answering(catalogue, code, request) if technique not in pages]
        pages |= dict.fromkeys(fresh[:_MOST_OF_ONE_FINDING])
    return list(pages)[:_MOST_OF_FINDINGS]


def _answering(catalogue: Catalogue, code: str, request: PlanRequest) -> list[Technique]:
    """Those first that are for little else than what was found; what asks for more besides this finding, only where there is that."""
    found, known = {finding.code for finding in request.findings}, _known(request)
    asked = {each: [needs for needs in _needs(each) if code in needs] for each in catalogue.answering(code)}
    fitting = [each for each, kinds in asked.items() if not kinds or any(_is_met(request, known, needs) for needs in kinds)]
    return sorted(fitting, key=lambda technique: -len(found & set(technique.findings)) / len(technique.findings))


def _suited(catalogue: Catalogue, request: PlanRequest) -> list[Technique]:
    """Pages that say of themselves that they are for such a kernel."""
    known = _known(request)
    return [technique for technique in catalogue if any(_is_met(request, known, needs) for needs in _needs(technique))]


def _known(request: PlanRequest) -> frozenset[str]:
    """Words of the kernel's code, and what was found."""
    parts = (part for part in region_of(request).parts if not part.is_of_host)
    words = {word for part in parts for word in words_in_code(blanked(part.text))}
    return frozenset(words | {finding.code for finding in request.findings})


def _is_met(request: PlanRequest, known: frozenset[str], needs: list[str]) -> bool:
    return all(need in known or _has(request, need) for need in needs)


def _needs(technique: Technique) -> list[list[str]]:
    return [kind.split("+") for kind in technique.shown_for]


def _has(request: PlanRequest, need: str) -> bool:
    """Whether the kernel is for this architecture or a newer one; an ``a`` asks for a GPU of that very one."""
    wanted, there = _ARCHITECTURE.fullmatch(need), _ARCHITECTURE.fullmatch(request.architecture.name)
    if wanted is None or there is None:
        return False
    if wanted["is_own"]:
        return wanted["number"] == there["number"] and not request.is_emulated
    return int(wanted["number"]) <= int(there["number"])


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
