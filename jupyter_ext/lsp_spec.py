"""How jupyter-lsp starts the language server: the entry point ``kernelopt`` of group ``jupyter_lsp_spec_v1``.

JupyterLab then shows diagnostics, hover and symbols for documents of language ``cuda``. It knows neither notebook synchronization nor
code actions, lenses and edits of a server (jupyterlab-lsp 5), so proposals are reviewed elsewhere.
"""

from __future__ import annotations

import sys

__all__ = ["language_servers"]

_SPEC_VERSION = 2
"""Version of jupyter-lsp's ``language-server-spec``."""


def language_servers(manager: object) -> dict[str, dict[str, object]]:
    """The specification by name; ``manager`` (jupyter-lsp's ``LanguageServerManager``) is not needed.

    ``-P`` keeps Python from importing what happens to lie in the folder that Jupyter serves.
    """
    del manager
    spec: dict[str, object] = {
        "version": _SPEC_VERSION,
        "display_name": "kernelopt",
        "argv": [sys.executable, "-P", "-m", "assistant", "lsp", "--stdio"],
        "languages": ["cuda"],
        "mime_types": ["text/x-cuda"],
        "requires_documents_on_disk": False,
        "install": {"pip": "pip install kernelopt"},
    }
    return {"kernelopt": spec}
