"""The `%%kernelopt` cell magic and the Jupyter Server extension: thin edges over `assistant.engine`."""

from __future__ import annotations

__all__ = ["_jupyter_labextension_paths", "_jupyter_server_extension_points"]


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    """What Jupyter Server loads."""
    from jupyter_ext.server_app import KernelOptServer  # no notebook kernel pays for a server

    return [{"module": "jupyter_ext.server_app", "app": KernelOptServer}]


def _jupyter_labextension_paths() -> list[dict[str, str]]:
    """Where ``jupyter labextension develop`` finds the prebuilt extension of JupyterLab."""
    return [{"src": "labextension", "dest": "kernelopt"}]
