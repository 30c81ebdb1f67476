"""``kernelopt.pair.*``: a pair session on one kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.record import Record
from lsp.features.commands import SourceArguments, answered, source_unit

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["PairArguments", "register"]

_VERBS = ("start", "suggest", "constrain", "why", "back", "stop")


class PairArguments(Record):
    """A document and a kernel in it; the rest is for the commands that take it."""

    uri: str
    kernel: str | None = None
    """May be left out where the document has one kernel, or one open session."""
    source: str | None = None
    """Which CUDA text of the document, as lenses name it."""
    goal: str | None = None
    """Of ``start``."""
    hint: str = ""
    """Of ``suggest``: a finding, a technique, or words for a model planner."""
    words: str = ""
    """Of ``constrain``."""
    version: int | None = None
    """Of ``back``; None: the one before."""


def register(server: KernelOptServer) -> None:
    for verb in _VERBS:
        _register(server, verb)


def _register(server: KernelOptServer, verb: str) -> None:
    @server.command(f"kernelopt.pair.{verb}")
    def run(arguments: PairArguments) -> dict[str, Any]:
        from lsp.pair import answer  # loads what most people never need

        unit = source_unit(server, SourceArguments(arguments.uri, arguments.kernel, source=arguments.source))
        return answered(lambda: answer(server, verb, unit, arguments))
