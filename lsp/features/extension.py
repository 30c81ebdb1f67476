"""The ``kernelopt/…`` methods, for clients that announced them. Where LSP has a word, LSP's is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from assistant.errors import KernelOptError
from lsp import listing
from lsp.client import as_object, plain

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
        what = _text(params, "what")
        if what not in listing.WHATS:
            raise JsonRpcInvalidParams(f"`what` is one of {', '.join(listing.WHATS)}, not {what!r}")
        return listing.listed(server, what, _text(params, "uri") if _has(params, "uri") else None)

    @server.feature("kernelopt/lines")
    def lines(params: Any) -> list[dict[str, Any]]:
        """``{uri}`` → counters and heat by 0-based line of the document."""
        return list(listing.heat_lines(server, _text(params, "uri")))

    @server.feature("kernelopt/report")
    def report(params: Any) -> list[dict[str, Any]]:
        """``{uri}``, or ``{id}`` of a proposal, whose document is meant."""
        uri = _text(params, "uri") if _has(params, "uri") else _uri_of_proposal(server, _text(params, "id"))
        return listing.reports(server, uri)

    @server.feature("kernelopt/trustChanged")
    def trust_changed(params: Any) -> None:
        """``{trusted}``: the editor's workspace was trusted, or no longer is."""
        server.trust_changed(as_object(plain(params)).get("trusted") is True)


def _has(params: object, name: str) -> bool:
    return as_object(plain(params)).get(name) is not None


def _text(params: object, name: str) -> str:
    """Raises JsonRpcInvalidParams where ``params`` is no object that has it."""
    value = as_object(plain(params)).get(name)
    if not isinstance(value, str):
        raise JsonRpcInvalidParams(f"`{name}` is missing, or no text")
    return value


def _uri_of_proposal(server: KernelOptServer, proposal_id: str) -> str:
    try:
        return server.uri_of(server.store.find_proposal(proposal_id).path)
    except KernelOptError as error:
        raise JsonRpcInvalidParams(error.message) from error
