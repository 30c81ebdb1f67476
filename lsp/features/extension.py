"""The ``kernelopt/…`` methods, for clients that announced them (DESIGN §9.2). Where LSP has a word, LSP's is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from assistant.errors import KernelOptError
from lsp import listing

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    @server.feature("kernelopt/status")
    def status(_: Any) -> dict[str, Any]:
        """What is being done, and where."""
        return listing.status(server)

    @server.feature("kernelopt/list")
    def listed(params: Any) -> list[dict[str, Any]]:
        """``{what, uri?}``."""
        what = getattr(params, "what", None)
        if what not in listing.WHATS:
            raise JsonRpcInvalidParams(f"`what` is one of {', '.join(listing.WHATS)}, not {what!r}")
        return listing.listed(server, what, getattr(params, "uri", None))

    @server.feature("kernelopt/lines")
    def lines(params: Any) -> list[dict[str, Any]]:
        """``{uri}`` → counters and heat by 0-based line of the document."""
        return list(listing.heat_lines(server, params.uri))

    @server.feature("kernelopt/report")
    def report(params: Any) -> list[dict[str, Any]]:
        """``{uri}``, or ``{id}`` of a proposal, whose document is meant."""
        uri = getattr(params, "uri", None)
        return listing.reports(server, uri if uri is not None else _uri_of_proposal(server, params.id))

    @server.feature("kernelopt/trustChanged")
    def trust_changed(params: Any) -> None:
        """``{trusted}``: the editor's workspace was trusted, or no longer is."""
        server.trust_changed(bool(params.trusted))


def _uri_of_proposal(server: KernelOptServer, proposal_id: str) -> str:
    try:
        return server.uri_of(server.store.find_proposal(proposal_id).path)
    except KernelOptError as error:
        raise JsonRpcInvalidParams(error.message) from error
