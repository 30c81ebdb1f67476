"""The language server: answers `initialize` at once, then loads everything else (`lsp.compose`) while the client takes that in.

What it shows and does comes from `assistant.editor` and `assistant.engine`; `lsp` only gives it LSP's form. Example::

    server = build_server(open_memory, open_pairs)
    serve(server, port=None)                       # lsp.serving: stdio, until the client says exit
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING

from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from lsp.client import Client
from lsp.offered import NOTEBOOK_SYNC
from lsp.protocol import ServerProtocol
from lsp.texts import SYNC

if TYPE_CHECKING:
    from assistant.engine.pair import PairSessions
    from assistant.ports.store import Store
    from lsp.compose import Parts

__all__ = ["KernelOptServer", "build_server"]

OpenStore = Callable[[], "Store"]
OpenPairs = Callable[["Store", str], "PairSessions"]
"""(memory, front end and process) → its pair sessions; loads what only they need."""


class KernelOptServer(LanguageServer):
    """One client's server."""

    def __init__(self, open_store: OpenStore, open_pairs: OpenPairs) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "kernelopt",
            version("kernelopt"),
            text_document_sync_kind=SYNC,
            notebook_document_sync=NOTEBOOK_SYNC,
            protocol_cls=ServerProtocol,
            converter_factory=default_converter,
        )
        self._open_store = open_store
        self._open_pairs = open_pairs
        self._parts: Parts | None = None
        self.client = Client(self)

    @property
    def parts(self) -> Parts:
        """Everything that answers; the first use loads it and registers every feature, which takes most of a start's time."""
        if self._parts is None:
            gc.disable()  # what is loaded stays: looking through it costs a tenth of the start, and each keystroke afterwards
            from lsp.compose import compose

            self._parts = compose(self, self.client, self._open_store, self._open_pairs)
            gc.freeze()
            gc.enable()
        return self._parts

    def load(self) -> None:
        """Load everything, if that has not been done."""
        _ = self.parts

    def catch_up(self) -> None:
        """Read every document whose reading was put off."""
        self.parts.late.catch_up()

    async def close(self) -> None:
        """End every job."""
        if self._parts is not None:
            await self._parts.close()


def build_server(open_store: OpenStore, open_pairs: OpenPairs) -> KernelOptServer:
    """A server that answers ``initialize``; the rest is loaded after that."""
    return KernelOptServer(open_store, open_pairs)
