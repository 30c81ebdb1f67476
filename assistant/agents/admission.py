"""Edits that are not run at all: they change host code, or ask for other flags or another reference, and that was not allowed.

Example::

    refused_edit(before, after, may_edit_host_code=False)       # Refusal("host-code", "the edit changes host code, …", …)
"""

from __future__ import annotations

from pathlib import Path

from assistant.cuda.parse import parse
from assistant.model.source import Source
from assistant.model.workload import DeclaredWorkload
from assistant.record import Record
from assistant.verify.host_edits import edits_host_code
from assistant.workload.blocks import find_workloads

__all__ = ["Refusal", "refused_edit"]


class Refusal(Record):
    """Why an edit is not run."""

    code: str
    """``host-code`` or ``new-flags``."""
    message: str
    remedy: str


def refused_edit(before: Source, after: Source, *, may_edit_host_code: bool) -> Refusal | None:
    """None for an edit that may be run, limited as candidates are."""
    if not may_edit_host_code and edits_host_code(parse(before), parse(after)):
        return Refusal("host-code", "the edit changes host code, which was not allowed", "keep to kernels, device functions and launches")
    if _runs(after.path, after.text) - _runs(before.path, before.text):
        return Refusal("new-flags", "the edit declares other flags, or another reference", "leave those of the workload block as they are")
    return None


def _runs(path: Path, text: str) -> frozenset[tuple[tuple[str, ...], str | None]]:
    """What the text's workloads have compiled and run besides: compiler flags, Python references."""
    return frozenset((item.flags, item.reference) for item in find_workloads(path, text) if isinstance(item, DeclaredWorkload))
