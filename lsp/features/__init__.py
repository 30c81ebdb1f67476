"""One LSP feature per module; each has ``register(server)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp.features import (
    actions,
    commands,
    configuration,
    diagnostics,
    extension,
    hints,
    hovers,
    lenses,
    lifecycle,
    notebooks,
    pair,
    previews,
    progress,
    symbols,
    sync,
)

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register_features"]


def register_features(server: KernelOptServer) -> None:
    """Every feature."""
    shown = (diagnostics, lenses, hints, hovers, symbols, actions, previews)
    for feature in (lifecycle, sync, notebooks, configuration, commands, pair, progress, extension, *shown):
        feature.register(server)
