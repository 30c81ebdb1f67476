"""The extension of Jupyter Server: what memory holds of the files below its root folder, over REST and a websocket.

Only wires: `handlers.py` says what can be asked, `served.py` what is answered. It runs no job and no kernel. Example::

    jupyter server --ServerApp.jpserver_extensions='{"jupyter_ext": True}'
"""

from __future__ import annotations

from pathlib import Path

from jupyter_server.extension.application import ExtensionApp

from jupyter_ext.handlers import owner, routes
from jupyter_ext.handlers_socket import EventSocket, Watch
from jupyter_ext.memory_thread import MemoryThread

__all__ = ["PREFIX", "KernelOptServer"]

PREFIX = "/kernelopt/api/v1"


class KernelOptServer(ExtensionApp):
    """Serves ``/kernelopt/api/v1/``."""

    name = "kernelopt"
    extension_url = "/kernelopt"
    load_other_extensions = True

    def initialize_handlers(self) -> None:
        """Called once by the server, before it listens."""
        self._memory = MemoryThread(Path(self.settings["server_root_dir"]).expanduser())
        self._watch = Watch(self._memory, self.log)
        self.handlers.extend(routes(PREFIX, self._memory, owner()))
        self.handlers.append((f"{PREFIX}/events/?", EventSocket, {"memory": self._memory, "watch": self._watch}))

    async def stop_extension(self) -> None:
        """Called when the server ends."""
        await self._watch.close()
        self._memory.close()
