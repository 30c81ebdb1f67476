"""The technique catalogue that this program comes with."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from assistant.plan.catalogue import Catalogue, load_catalogue

__all__ = ["own_catalogue"]


def own_catalogue() -> Catalogue:
    return load_catalogue(Path(str(files("prompts"))) / "techniques")
