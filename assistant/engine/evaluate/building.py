"""Machine code of kernels that stand in several files of a program: each file is compiled through the unit that holds it.

Example::

    await build_files(version, kernels, lambda about: lab.inspect(about.program, "sm_90"))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from assistant.engine.source_version import SourceVersion
from assistant.model.build import Build, BuildResult
from assistant.model.source import Kernel

__all__ = ["build_files"]


async def build_files(
    version: SourceVersion, kernels: Iterable[Kernel], compile_file: Callable[[SourceVersion], Awaitable[BuildResult]]
) -> BuildResult:
    """One result of all files that hold ``kernels`` (the file in question, where there are none); the first that fails, if one does."""
    abouts = {about.source.path: about for about in map(version.about, kernels)} or {version.source.path: version}
    made: list[Build] = []
    for about in abouts.values():
        build = await compile_file(about)
        if not isinstance(build, Build):
            return build
        made.append(build)
    return replace(
        made[0],
        resources=tuple(dict.fromkeys(item for build in made for item in build.resources)),
        code=tuple({item.symbol: item for build in made for item in build.code}.values()),
        diagnostics=tuple(dict.fromkeys(item for build in made for item in build.diagnostics)),
    )
