"""Edits that are not run at all: they change host code, ask for other flags or another reference, or for other cases to be judged on.

Example::

    refused_edit(before, after, may_edit_host_code=False)       # Refusal("host-code", "the edit changes host code, …", …)
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.workload import DeclaredWorkload, WorkloadProblem
from assistant.record import Record
from assistant.verify.host_edits import edits_host_code
from assistant.workload.blocks import find_workloads

__all__ = ["Refusal", "refused_edit"]


class Refusal(Record):
    """Why an edit is not run."""

    code: str
    """``host-code``, ``new-flags`` or ``workload-changed``."""
    message: str
    remedy: str


def refused_edit(before: Source, after: Source, *, may_edit_host_code: bool) -> Refusal | None:
    """None for an edit that may be run, limited as candidates are."""
    if not may_edit_host_code and edits_host_code(parse(before), parse(after)):
        return Refusal("host-code", "the edit changes host code, which was not allowed", "keep to kernels, device functions and launches")
    if _runs(after) - _runs(before):
        return Refusal("new-flags", "the edit declares other flags, or another reference", "leave those of the workload block as they are")
    changed = _changed_workload(before, after)
    if changed is not None:
        remedy = "a workload block keeps its name, shapes and weights; grid, block and new arguments may be edited"
        return Refusal("workload-changed", f"the edit {changed}", remedy)
    return None


def _runs(source: Source) -> frozenset[tuple[tuple[str, ...], str | None]]:
    """What the text's workloads have compiled and run besides: compiler flags, Python references."""
    return frozenset((item.flags, item.reference) for item in _declared(source))


def _changed_workload(before: Source, after: Source) -> str | None:
    """What the edit does to a workload that the text before it declares; None where cases stay what they are.

    Without such a workload nothing would be judged, and with other shapes nothing of both could be compared. What cannot be read is
    refused where it is read.
    """
    if any(isinstance(item, WorkloadProblem) for item in find_workloads(after.path, after.text)):
        return None
    kept = {item.name: item for item in _declared(after)}
    for workload in _declared(before):
        now = kept.get(workload.name)
        if now is None:
            return f"leaves out the workload {workload.name}"
        if _shapes(now, workload) != _shapes(workload, workload):
            return f"declares other shapes for the workload {workload.name}"
    return None


def _shapes(workload: DeclaredWorkload, original: DeclaredWorkload) -> list[tuple[dict[str, int], float]]:
    """Sizes that the original has, too, and weights."""
    names = {name for shape in original.shapes for name, _ in shape.sizes}
    return [({name: size for name, size in shape.sizes if name in names}, shape.weight) for shape in workload.shapes]


def _declared(source: Source) -> Iterator[DeclaredWorkload]:
    return (item for item in find_workloads(source.path, source.text) if isinstance(item, DeclaredWorkload))
