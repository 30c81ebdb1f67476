"""``kernelopt/list``, ``/lines``, ``/report`` and ``/memory``: what views ask for, for clients that announced them."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from assistant.errors import KernelOptError
from lsp import listing
from lsp.backend import Backend
from lsp.client import as_object, plain
from lsp.proposals import Proposals
from lsp.units import Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, backend: Backend, proposals: Proposals) -> None:
    @server.feature("kernelopt/list")
    def listed(params: Any) -> list[dict[str, Any]]:
        """``{what, uri?}``."""
        what = _text(params, "what")
        if what not in listing.LISTS:
            raise JsonRpcInvalidParams(f"`what` is one of {', '.join(listing.LISTS)}, not {what!r}")
        return listing.listed(units, backend, what, _text(params, "uri") if _has(params, "uri") else None)

    @server.feature("kernelopt/lines")
    def lines(params: Any) -> list[dict[str, Any]]:
        """``{uri}`` → counters and heat by 0-based line of the document."""
        return list(listing.heat_lines(units, backend, _text(params, "uri")))

    @server.feature("kernelopt/report")
    def report(params: Any) -> list[dict[str, Any]]:
        """``{uri}``, or ``{id}`` of a proposal, whose document is meant."""
        uri = _text(params, "uri") if _has(params, "uri") else uri_of(_text(params, "id"))
        return listing.reports(units, backend, uri)

    @server.feature("kernelopt/memory")
    def memory(params: Any) -> dict[str, Any]:
        """``{}`` → all that was learnt, and why the newest candidates were tried."""
        del params
        return listing.memory_page(backend)

    def uri_of(proposal_id: str) -> str:
        try:
            return proposals.document_of(proposal_id)
        except KernelOptError as error:
            raise JsonRpcInvalidParams(error.message) from error


def _has(params: object, name: str) -> bool:
    return as_object(plain(params)).get(name) is not None


def _text(params: object, name: str) -> str:
    """Raises JsonRpcInvalidParams where ``params`` is no object that has it."""
    value = as_object(plain(params)).get(name)
    if not isinstance(value, str):
        raise JsonRpcInvalidParams(f"`{name}` is missing or not a text")
    return value
