"""What the emulator's compiler compiles of a program: the lines that survive its preprocessor, with macros expanded.

The user's own text is asked about, with the flags, macros and headers of the emulator's build: translating it changes no directive but
where an include leads, and no line's number. Example::

    preprocess(BuildRequest(sources=((Path("/a.cu"), text),), cache_dir=cache))     # PreprocessedProgram(lines=(…), …)
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from assistant.build.cutlass_place import find_cutlass
from assistant.build.overlay import Overlay, write_overlay
from assistant.build.preprocessing import (
    DIRECTIVES_ONLY,
    EXPANSION,
    dependencies,
    expansion_text,
    own_paths,
    read_expansion,
    read_survivors,
    refused,
)
from assistant.build.units import unit_of
from assistant.emulator import toolchain
from assistant.emulator.build import BuildRequest, definitions_text, is_bare, loader_of, search_flags, units_of, uses_openmp
from assistant.emulator.toolchain import INCLUDE_DIR, PREPROCESS_TIMEOUT_S, RUNTIME_DIR, Compiler
from assistant.model.build import CompilerMissing
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram
from assistant.worker.launcher import Launcher, launcher_or_own
from assistant.worker.tools import run_tool

__all__ = ["preprocess"]


def preprocess(request: BuildRequest, launcher: Launcher | None = None) -> PreprocessedProgram | NotPreprocessed:
    """The preprocessed unit that compiles the request's main source. Raises OSError (disk full)."""
    with launcher_or_own(launcher) as starter, tempfile.TemporaryDirectory(prefix="kernelopt-preprocess-") as folder:
        compiler = toolchain.find_compiler(os.environ.get("PATH", os.defpath), starter)
        if isinstance(compiler, CompilerMissing):
            return NotPreprocessed(compiler.reason, is_missing=True)
        return _preprocess(request, compiler, Path(folder).resolve(), starter)


def _preprocess(request: BuildRequest, compiler: Compiler, folder: Path, launcher: Launcher) -> PreprocessedProgram | NotPreprocessed:
    load = loader_of(request)
    units = units_of(request, load)
    if load.unfit:
        return NotPreprocessed(load.unfit[0].message)
    unit, overlay = _written(request, folder)
    how = toolchain.setting(compiler, load.files, None, folder, launcher)
    flags = toolchain.compile_flags("fast", request.standard, uses_openmp(units))
    flags += toolchain.BARE_FLAGS if is_bare(request.cache_dir, units) else ()
    flags += tuple(word for copied in overlay.first for word in ("-iquote", copied[2:], copied))
    flags += search_flags(request, next(files for files in units if unit in files))
    listed, survived, expanded = folder / "dependencies", folder / "survivors", folder / "expanded"
    options = (*DIRECTIVES_ONLY, "-MD", "-MF", str(listed))
    command = toolchain.preprocess_source(compiler, flags, overlay.place(str(unit)), survived, options)
    run = run_tool(command, PREPROCESS_TIMEOUT_S, how)
    sources = frozenset(str(path) for path, _ in request.sources)
    cutlass = find_cutlass([f"-I{path}" for path in request.include_dirs], unit.parent, os.environ)
    installed = () if cutlass is None else cutlass.folders
    foreign = (*toolchain.system_folders(compiler, launcher), *map(str, (INCLUDE_DIR, RUNTIME_DIR, folder, *installed)))
    own_path = own_paths(sources, foreign, Path.cwd())
    if not run.is_ok:
        return refused(run.output, sources, own_path)
    survivors = read_survivors(survived.read_text("utf-8", "surrogateescape"), own_path)
    text = folder / "expansion.cpp"
    text.write_text(expansion_text(survivors), "utf-8", "surrogateescape")
    run = run_tool(toolchain.expand_source(compiler, text, expanded, EXPANSION), PREPROCESS_TIMEOUT_S, how)
    if not run.is_ok:
        return refused(run.output, sources, own_path)
    read = {path for file in dependencies(listed.read_text("utf-8", "surrogateescape")) if (path := own_path(file)) is not None}
    return read_expansion(expanded.read_text("utf-8", "surrogateescape"), survivors, read - sources)


def _written(request: BuildRequest, folder: Path) -> tuple[Path, Overlay]:
    """The unit that compiles the main source, and copies of what differs from the disk."""
    sources, arguments = [(str(path), text) for path, text in request.sources], [f"-I{path}" for path in request.include_dirs]
    unit = unit_of(sources, arguments)
    return Path(unit), write_overlay(sources, arguments, folder / "overlay", {unit: (definitions_text(request.defines), "")})
