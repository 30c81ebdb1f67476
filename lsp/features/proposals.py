"""``kernelopt.proposal.*``: the commands on one proposal."""

from __future__ import annotations

from typing import Any

from pygls.lsp.server import LanguageServer

from lsp.arguments import ProposalArguments
from lsp.proposals import Proposals
from lsp.scratch import ScratchCopies

__all__ = ["register"]


def register(server: LanguageServer, proposals: Proposals, scratch: ScratchCopies) -> None:
    @server.command("kernelopt.proposal.preview")
    def preview(arguments: ProposalArguments) -> dict[str, Any]:
        return proposals.preview(arguments.proposal_id)

    @server.command("kernelopt.proposal.explain")
    def explain(arguments: ProposalArguments) -> dict[str, Any]:
        return proposals.explain(arguments.proposal_id)

    @server.command("kernelopt.proposal.edit")
    def edit(arguments: ProposalArguments) -> dict[str, Any]:
        return scratch.edit(proposals.find(arguments.proposal_id))

    @server.command("kernelopt.proposal.accept")
    def accept(arguments: ProposalArguments) -> dict[str, Any]:
        return proposals.accept(arguments.proposal_id, arguments.hunk_ids)

    @server.command("kernelopt.proposal.skip")
    def skip(arguments: ProposalArguments) -> dict[str, Any]:
        return proposals.skip(arguments.proposal_id, arguments.hunk_ids)

    @server.command("kernelopt.proposal.reject")
    def reject(arguments: ProposalArguments) -> dict[str, Any]:
        return proposals.reject(arguments.proposal_id, arguments.reason_code, arguments.reason)

    @server.command("kernelopt.proposal.reopen")
    def reopen(arguments: ProposalArguments) -> dict[str, Any]:
        return proposals.reopen(arguments.proposal_id)
