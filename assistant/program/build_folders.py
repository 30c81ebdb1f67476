"""Where builds of a workspace are usually configured.

Example::

    build_folders(Path("/p"))     # (Path("/p"), Path("/p/build"), Path("/p/build/debug"))
"""

from __future__ import annotations

import itertools
from pathlib import Path

__all__ = ["BUILD_FOLDERS", "build_folders"]

BUILD_FOLDERS = ("build", "out", "cmake-build-*", "build-*", "_build", "build/*", "out/*", "out/build/*")
"""Below the root: by hand, CLion's, and what presets and Visual Studio Code name."""
_MOST_OF_ONE_NAME = 64
"""A folder ``build`` with more than that holds something else too."""


def build_folders(workspace: Path) -> tuple[Path, ...]:
    """The root and those below it that are there, in the order in which they are asked."""
    named = (sorted(itertools.islice(workspace.glob(name), _MOST_OF_ONE_NAME)) for name in BUILD_FOLDERS)
    return (workspace, *(folder for folders in named for folder in folders if folder.is_dir()))
