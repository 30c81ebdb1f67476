"""What an agent of a search may ask for, apart from having an edit judged, and the answers, from what was counted and judged. Pure.

The answers hold what `kernelopt mcp` gives to a coding agent of a profile and a comparison: counters by line, findings, what the compiler
reports, the verdict with its reason; never a seed, and nothing that a candidate with host code printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from assistant.engine.evaluate import KernelAssessment
from assistant.engine.search.setbacks import reason_for_planners, setback_of
from assistant.engine.search.trials import Trial
from assistant.model.build import errors_first
from assistant.model.completion import ToolSpec
from assistant.model.experience import TechniqueEvidence
from assistant.model.profile import LineAccess
from assistant.model.verification import VerificationFinding
from assistant.profile.quantity import format_quantity

__all__ = ["INSPECT", "PROFILE_LINES", "RECALL", "SUBMIT", "TOOLS", "inspected", "judged", "profiled_lines", "recalled"]

INSPECT, PROFILE_LINES, RECALL, SUBMIT = "inspect", "profile_lines", "recall", "submit"
_PRESENT = "the present code where it is absent"
_MOST_LINES = 40
_MOST_FACTS = 40
_MOST_FINDINGS = 12
_MOST_TEXT_CHARACTERS = 10_000
"""Of a text with its line numbers, beyond which only what stands around the kernel is shown (chosen: a conversation holds 16,000 of an
answer, and what was found stands behind the text)."""


def _schema(name: str, description: str, is_required: bool) -> str:
    properties = {name: {"type": "string", "description": description}}
    return json.dumps(
        {"type": "object", "properties": properties, "required": [name] if is_required else [], "additionalProperties": False}
    )


_OF_CANDIDATE = _schema("candidate", f"Id of a candidate; {_PRESENT}.", is_required=False)
TOOLS = (
    ToolSpec(INSPECT, "Text, registers, spills, findings and evidence of the present code or of a candidate.", _OF_CANDIDATE),
    ToolSpec(PROFILE_LINES, "Memory counters by source line of the present code or of a candidate.", _OF_CANDIDATE),
    ToolSpec(RECALL, "What happened on kernels like this one before.", _schema("technique", "One technique; all where absent.", False)),
    ToolSpec(SUBMIT, "Ends the search with this candidate, which was kept.", _schema("candidate", "Id of the candidate.", True)),
)


def judged(trial: Trial) -> str:
    """How a candidate fared, for the model that wrote it."""
    setback = setback_of(trial)
    answer: dict[str, Any] = {"candidate": trial.id, "outcome": trial.outcome.value, "reason": reason_for_planners(trial)}
    if trial.ratio is not None:
        answer["time_before_over_time_after"] = round(trial.ratio, 3)
    if trial.settings:
        answer["numbers_chosen_by_tuning"] = dict(trial.settings)
    if trial.untuned:
        answer["not_tuned"] = f"{trial.untuned}; the edit may be judged again once that is corrected"
    if setback is not None:
        answer["compiler"] = [f"line {message.line}: {message.message}" for message in errors_first(setback.diagnostics)[:_MOST_FINDINGS]]
        answer["wrong"] = [_wrong(finding) for finding in setback.findings[:_MOST_FINDINGS]]
        answer["defects"] = [f"{problem.kind} at line {problem.line}: {problem.message}" for problem in setback.problems[:_MOST_FINDINGS]]
    answer["counted"] = _facts(trial.after)
    return json.dumps({key: value for key, value in answer.items() if value != []}, ensure_ascii=False)


def inspected(text: str, kernels: Sequence[KernelAssessment]) -> str:
    """The text with line numbers, of a long one what stands around the kernel, and what is known of its instances."""
    findings = [f"{finding.code} line {finding.line}: {finding.message}" for item in kernels for finding in item.findings]
    resources = [
        f"{item.instance}: {found.registers_per_thread} registers, {found.static_shared_bytes} bytes of static shared memory, "
        f"{found.spill_load_bytes + found.spill_store_bytes} bytes spilled (ptxas, {found.architecture})"
        for item in kernels
        if (found := item.resources) is not None
    ]
    about = {"resources": resources, "findings": findings[:_MOST_FINDINGS], "evidence": _facts(kernels)}
    about_line = next((item.kernel.line for item in kernels), 1)
    return f"{_numbered(text, about_line)}\n\n{json.dumps(about, ensure_ascii=False)}"


def _numbered(text: str, about_line: int) -> str:
    """The lines with their numbers; of a long text those around ``about_line``, twice as many behind it as before it."""
    lines = [f"{number} | {line}" for number, line in enumerate(text.splitlines(), 1)]
    if sum(map(len, lines)) <= _MOST_TEXT_CHARACTERS:
        return "\n".join(lines)
    first = about_line - 1 - _fitting(lines[: about_line - 1][::-1], _MOST_TEXT_CHARACTERS // 3)
    last = first + _fitting(lines[first:], _MOST_TEXT_CHARACTERS)
    before = [f"[lines 1 to {first} are left out]"] if first else []
    behind = [f"[lines {last + 1} to {len(lines)} are left out]"] if last < len(lines) else []
    return "\n".join((*before, *lines[first:last], *behind))


def _fitting(lines: Sequence[str], most: int) -> int:
    """How many of the first lines have ``most`` characters together."""
    return sum(total <= most for total in accumulate(map(len, lines)))


def profiled_lines(kernels: Sequence[KernelAssessment]) -> str:
    """Counters of the costliest launch by line, those with most beyond the ideal first."""
    launches = [launch for item in kernels for launch in item.launches]
    if not launches:
        return "nothing was counted"
    main = max(launches, key=lambda launch: launch.total_time_s)
    rows = sorted(main.profile.accesses, key=_excess, reverse=True)[:_MOST_LINES]
    head = f"one launch of grid {main.profile.config.grid}, block {main.profile.config.block}, by {main.profile.device}"
    return "\n".join([head, *map(_row, sorted(rows, key=lambda row: (row.line, row.op)))])


def recalled(history: Iterable[TechniqueEvidence], technique: str | None) -> str:
    """What memory says, by technique."""
    wanted = [known for known in history if technique in (None, "", known.technique)]
    return "\n".join(f"{known.technique}: {text}" for known in wanted for text in known.sentences) or "nothing is known"


def _facts(kernels: Iterable[KernelAssessment]) -> list[str]:
    facts = [fact for item in kernels for fact in item.evidence][:_MOST_FACTS]
    places = ("" if fact.line is None else f"line {fact.line}: " for fact in facts)
    values = (f"{fact.metric} = {format_quantity(fact.value, fact.unit)} ({fact.method.value}, {fact.grade.value})" for fact in facts)
    return [place + value for place, value in zip(places, values, strict=True)]


def _wrong(finding: VerificationFinding) -> str:
    detail = "" if finding.expected is None else f" (expected {finding.expected}, got {finding.actual})"
    place = "" if finding.line is None else f" at line {finding.line}"
    return f"{finding.code}{place}: {finding.message}{detail}"


def _excess(row: LineAccess) -> int:
    return (row.sectors or 0) - (row.ideal_sectors or 0) + (row.wavefronts or 0) - (row.ideal_wavefronts or 0)


def _row(row: LineAccess) -> str:
    counts = {"sectors": (row.sectors, row.ideal_sectors), "wavefronts": (row.wavefronts, row.ideal_wavefronts)}
    shown = ", ".join(
        f"{most:,} {name} (ideal {least:,})" for name, (most, least) in counts.items() if most is not None and least is not None
    )
    return f"line {row.line}, {row.op}: {row.requests:,} requests, {shown}, {row.grade.value}"
