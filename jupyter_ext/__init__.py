"""The `%%kernelopt` cell magic and the Jupyter Server extension: thin edges over `assistant.engine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from assistant.live.callables import KernelOfCell

__all__ = [
    "_jupyter_labextension_paths",
    "_jupyter_server_extension_points",
    "load_ipython_extension",
    "unload_ipython_extension",
]


def load_ipython_extension(shell: InteractiveShell, kernel_of: KernelOfCell | None = None) -> None:
    """``%load_ext jupyter_ext``: the magics of this notebook. ``kernel_of``: see `KernelOptMagics`."""
    from jupyter_ext.loading import load  # a server that only asks for the extension points needs no IPython

    load(shell, kernel_of)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """``%unload_ext jupyter_ext``: everything that goes on ends."""
    from jupyter_ext.loading import unload

    unload(shell)


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    """What Jupyter Server loads."""
    from jupyter_ext.server_app import KernelOptServer  # no notebook kernel pays for a server

    return [{"module": "jupyter_ext.server_app", "app": KernelOptServer}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where ``jupyter labextension develop`` finds the prebuilt extension of JupyterLab."""
    return [{"src": "labextension", "dest": "kernelopt"}]
