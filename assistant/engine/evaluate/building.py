"""Machine code of kernels that stand in several files of a program: each file is compiled through the unit that holds it.

Example::

    await build_files(version, kernels, lambda about: lab.inspect(about.program, "sm_90"))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from assistant.cuda.match import kernel_of_instance
from assistant.cuda.same_names import named_in
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
        made.append(_of_its_file(about, build))
    return replace(
        made[0],
        resources=tuple(dict.fromkeys(item for build in made for item in build.resources)),
        code=tuple({(item.kernel, item.symbol): item for build in made for item in build.code}.values()),
        diagnostics=tuple(dict.fromkeys(item for build in made for item in build.diagnostics)),
    )


def _of_its_file(about: SourceVersion, build: Build) -> Build:
    """With the file in the names of kernels that another file of the program has, too."""

    def named(compiled: str) -> str:
        kernel = kernel_of_instance(about.parsed, compiled)
        return named_in("" if kernel is None else kernel.file, compiled)

    return replace(
        build,
        resources=tuple(replace(item, kernel=named(item.kernel)) for item in build.resources),
        code=tuple(replace(item, kernel=named(item.kernel)) for item in build.code),
    )
