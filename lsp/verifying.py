"""Verification on request: the document's text against an earlier one of it, or a proposal once more; on all cases or on chosen ones.

Cases are named by what distinguishes them (`CaseKey`), and repeated on the seeds that they had.
"""

from __future__ import annotations

from typing import Any

from assistant.config import find_workspace
from assistant.editor.parts import JudgedOn
from assistant.errors import UsageError
from assistant.model.source import Source
from lsp.arguments import VerifyArguments
from lsp.backend import Backend
from lsp.units import Unit

__all__ = ["verify"]


def verify(backend: Backend, unit: Unit, arguments: VerifyArguments) -> dict[str, Any]:
    """Start the job. Raises UsageError where the arguments do not say what to verify."""
    on = JudgedOn(arguments.kernel, arguments.seeds, arguments.cases, arguments.region)
    if arguments.cases and not arguments.seeds:
        raise UsageError("`cases` need the seeds of their verification", "give `seeds` as well")
    if arguments.proposal_id is not None:
        proposal = backend.store.find_proposal(arguments.proposal_id, find_workspace(unit.path))
        return {"job_id": backend.editor.judge(unit.key, proposal.before, proposal.after, on)}
    if arguments.before is None:
        raise UsageError("there is nothing to verify against", "give `before`, an earlier text of the document, or `proposal_id`")
    if unit.embedded is not None:
        raise UsageError("`before` can be given for a whole CUDA document only, not for a cell or string", "give `proposal_id`")
    return {"job_id": backend.editor.judge(unit.key, (Source(unit.path, arguments.before),), on=on)}
