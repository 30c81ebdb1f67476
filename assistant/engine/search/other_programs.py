"""Files of further programs of the workspace that include a file with kernels: an edit of a kernel must be right in each of them.

Example::

    version = await with_other_programs(request, version)
    [source.path.name for source in version.elsewhere]     # ["bench.cu"]
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.config import find_project, user_paths
from assistant.cuda.includes import included_names
from assistant.disk.texts import source_text
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Source
from assistant.program import KeptFacts, find_programs

__all__ = ["with_other_programs"]


async def with_other_programs(request: JobRequest, version: SourceVersion) -> SourceVersion:
    """The same version, which knows those files; nothing is looked for where no file with kernels is included by another one."""
    included = {name for source in (*version.sources, *version.headers) for name in included_names(source.text)}
    shared = tuple(file.source.path for file in version.files if file.kernels and file.source.path.name in included)
    if version.found is None or not shared:
        return version
    return replace(version, elsewhere=await asyncio.to_thread(lambda: tuple(_elsewhere(request, version, shared))))


def _elsewhere(request: JobRequest, version: SourceVersion, shared: tuple[Path, ...]) -> Iterator[Source]:
    def read(path: Path) -> str | None:
        given = request.text_of(path)
        return source_text(path) if given is None else given

    known = {source.path for source in (*version.sources, *version.headers)}
    for path in shared:
        found = find_programs(path, (), read, find_project(path), version.program.flags.arguments, KeptFacts(user_paths().cache)).found
        for other in (each for program in found for each in program.files if each not in known):
            known.add(other)
            text = read(other)
            if text is not None:
                yield Source(other, text)
