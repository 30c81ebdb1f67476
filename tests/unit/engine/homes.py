"""Homes of tests that run whole searches."""

from __future__ import annotations

from pathlib import Path

from assistant.config import user_paths

__all__ = ["home_with_kept_builds"]


def home_with_kept_builds(folder: Path) -> Path:
    """A home of its own in ``folder``, with the user's cache, which a new machine does not have yet: a build serves every test."""
    cache = user_paths().cache
    cache.mkdir(parents=True, exist_ok=True)
    home = folder / "home"
    home.mkdir()
    (home / "cache").symlink_to(cache, target_is_directory=True)
    return home
