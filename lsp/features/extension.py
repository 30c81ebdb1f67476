"""The ``kernelopt/…`` methods, for clients that announced them (DESIGN §9.2). Where LSP has a word, LSP's is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.engine.event_json import event_object
from assistant.engine.reports import proposal_event
from assistant.serialize import encode

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
            return [{"uri": unit.uri, **encode(kernel)} for unit in units for kernel in server.desk.view(unit.key).kernels]
        return [event_object(proposal_event(p.job, p)) | {"uri": unit.uri} for unit in units for p in server.desk.view(unit.key).proposals]

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
