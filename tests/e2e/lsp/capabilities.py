"""What editors say that they can do, as the tests' editor says it."""

from __future__ import annotations

from lsprotocol import types
from pytest_lsp import client_capabilities

__all__ = ["bare", "neovim", "vscode"]


def vscode() -> types.ClientCapabilities:
    """Visual Studio Code, with the read-only documents that newer ones have."""
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.text_document_content = types.TextDocumentContentClientCapabilities()
    return capabilities


def neovim() -> types.ClientCapabilities:
    """Neovim 0.10: ``showDocument``, no read-only documents, edits without versions."""
    return client_capabilities("neovim@v0.10.0")


def bare() -> types.ClientCapabilities:
    """Neovim 0.7: neither ``showDocument`` nor ``workspace/configuration``."""
    return client_capabilities("neovim@v0.7.0")
