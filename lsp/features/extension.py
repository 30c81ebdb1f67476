"""The ``kernelopt/…`` methods, for clients that announced them (DESIGN §9.2). Where LSP has a word, LSP's is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.desk.picture import proposal_title
from assistant.desk.view import KernelView
from assistant.desk.words import kernel_headline
from assistant.engine.event_json import event_object
from assistant.engine.reports import proposal_event
from assistant.model.proposal import Proposal
from assistant.serialize import encode
from lsp.units import Unit

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    @server.feature("kernelopt/status")
    def status(_: Any) -> dict[str, Any]:
        """Jobs of this server, running first."""
        works = [
            {
                "job_id": work.id,
                "uri": work.key if (unit := server.units.find(work.key)) is None else unit.uri,
                "command": work.task.verb.value,
                "kernel": work.task.request.kernel,
                "is_background": work.is_background,
            }
            for work in server.desk.works()
        ]
        return {"jobs": works, "is_trusted": server.client.is_trusted, "problem": server.configuration.problem}

    @server.feature("kernelopt/list")
    def listed(params: Any) -> list[dict[str, Any]]:
        """``{what: "proposals" | "kernels", uri?}``."""
        uri = getattr(params, "uri", None)
        units = [unit for u in ([uri] if uri else server.units.uris()) for unit in server.units.of(u)]
        if params.what == "kernels":
            return [_kernel(unit, kernel) for unit in units for kernel in server.desk.view(unit.key).kernels]
        return [_proposal(unit, proposal) for unit in units for proposal in server.desk.view(unit.key).proposals]

    @server.feature("kernelopt/lines")
    def lines(params: Any) -> list[dict[str, Any]]:
        """``{uri}`` → counters by 0-based line of the document, for heat."""
        found: list[dict[str, Any]] = []
        for unit in server.units.of(params.uri):
            for line in server.desk.view(unit.key).lines:
                found.append(
                    {"line": unit.line_range(line.line).start.line, **encode(line.counters), "kernel": line.kernel, "method": line.method}
                )
        return found

    @server.feature("kernelopt/trustChanged")
    def trust_changed(params: Any) -> None:
        """``{trusted}``: the editor's workspace was trusted, or no longer is."""
        server.trust_changed(bool(params.trusted))


def _kernel(unit: Unit, kernel: KernelView) -> dict[str, Any]:
    """A kernel, what a command on it takes, and its line of the document, 0-based."""
    place = {"document_line": unit.line_range(kernel.line).start.line, "headline": kernel_headline(kernel)}
    return encode(kernel) | unit.arguments(kernel.key) | place


def _proposal(unit: Unit, proposal: Proposal) -> dict[str, Any]:
    return event_object(proposal_event(proposal.job, proposal)) | {"uri": unit.uri, "title": proposal_title(proposal)}
