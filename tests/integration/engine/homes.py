"""Homes of tests that run whole searches."""

from __future__ import annotations

from pathlib import Path

from tests.caches import shared_cache

__all__ = ["home_with_kept_builds"]


def home_with_kept_builds(folder: Path) -> Path:
    """A home of its own in ``folder``, with the cache that all tests share."""
    home = folder / "home"
    home.mkdir()
    (home / "cache").symlink_to(shared_cache(), target_is_directory=True)
    return home
