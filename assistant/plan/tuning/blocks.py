"""How many threads the blocks of a kernel have in a text, by its launches: a setting may be what they are launched with.

Example::

    written_threads(files, "k", seen=1024)    # 256 of `#define BS 256 … k<<<grid, BS>>>()`
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.cuda.launch_shape import Launch, block_dims, launch_of
from assistant.cuda.parse import parse_with_trees
from assistant.model.source import ParsedSource

__all__ = ["written_threads"]


def written_threads(files: Iterable[ParsedSource], kernel: str, seen: int | None) -> int | None:
    """Of the largest block that ``kernel``, by its name without scopes, is launched with; ``seen`` where no file launches it.

    None where a launch's block is no constant of its file.
    """
    launches = [launch for file in files for launch in _launches(file, kernel)]
    blocks = [None if launch is None else block_dims(launch) for launch in launches]
    if None in blocks:
        return None
    return max((block.count for block in blocks if block is not None), default=seen)


def _launches(file: ParsedSource, kernel: str) -> Iterable[Launch | None]:
    sites = [site for site in file.launch_sites if site.kernel_name.split("::")[-1] == kernel]
    trees = parse_with_trees(file.source)[1] if sites else ()
    return [next((found for tree in trees if (found := launch_of(tree, site)) is not None), None) for site in sites]
