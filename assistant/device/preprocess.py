"""What nvcc compiles of a program, for the GPU and for the host: the lines that survive its preprocessor, with macros expanded.

nvcc itself says by which commands it preprocesses (``--dryrun``): one with ``__CUDA_ARCH__`` and one without. They are run as they are,
but for what is written. Example::

    preprocess(request, toolchain, runner).device      # PreprocessedProgram(lines=(…), …)
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assistant.build.cutlass_place import find_cutlass
from assistant.build.includes import unfit_header
from assistant.build.preprocessing import (
    DIRECTIVES_ONLY,
    EXPANSION,
    OwnPath,
    dependencies,
    expansion_text,
    own_paths,
    read_expansion,
    read_survivors,
    refused,
)
from assistant.device.access import compile_access, files_of
from assistant.device.nvcc import NvccInputs, given_to_nvcc
from assistant.device.process import ToolOutput, ToolRunner
from assistant.device.protocol import CompileRequest, PreprocessReply
from assistant.device.toolchain import INSTALL_CUDA, Toolchain
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram

__all__ = ["preprocess"]

_STEP = re.compile(r"^#\$ (.*\s-E\s.*)$", re.MULTILINE)
_FOR_DEVICE = re.compile(r"\s-D__CUDA_ARCH__=")
_TIMEOUT_S = 20.0
"""It takes a tenth of a second; a header may be a pipe that never ends."""


def preprocess(request: CompileRequest, toolchain: Toolchain, runner: ToolRunner) -> PreprocessReply:
    """Both compiles; where nvcc or its host compiler is not there, what is missing."""
    if toolchain.nvcc is None or toolchain.gxx is None:
        missing = NotPreprocessed(f"nvcc is not here ({INSTALL_CUDA})" if toolchain.nvcc is None else "g++ is not here", is_missing=True)
        return PreprocessReply(missing, missing)
    unfit = unfit_header(request.sources, request.flags.arguments)
    if unfit is not None:
        return PreprocessReply(NotPreprocessed(unfit), NotPreprocessed(unfit))
    with tempfile.TemporaryDirectory(prefix="kernelopt-preprocess-", dir=request.scratch_directory) as folder:
        scratch = Path(folder).resolve()
        given = given_to_nvcc(toolchain.nvcc.path, request, scratch)
        if isinstance(given, str):
            return PreprocessReply(NotPreprocessed(given), NotPreprocessed(given))
        return _Passes(request, toolchain, runner, scratch, given).run()


class _Passes:
    """The two preprocessings of a program."""

    def __init__(self, request: CompileRequest, toolchain: Toolchain, runner: ToolRunner, scratch: Path, given: NvccInputs) -> None:
        self._request = request
        self._runner = runner
        self._scratch = scratch
        self._given = given
        self._sources = frozenset(path for path, _ in request.sources)
        folder = Path(request.sources[0][0]).parent
        files = files_of(self._sources, request.workspaces, request.flags.arguments, folder, runner.environment)
        self._access = compile_access(files, toolchain, runner.environment, scratch)
        cutlass = find_cutlass(request.flags.arguments, folder, runner.environment)
        installed = () if cutlass is None else map(str, cutlass.folders)
        self._foreign = (*toolchain.system_directories, "/usr/local/include", *installed, str(scratch))

    def run(self) -> PreprocessReply:
        try:
            steps = self._steps()
            return PreprocessReply(self._pass(steps.get("device"), "device"), self._pass(steps.get("host"), "host"))
        except OSError as error:
            failed = NotPreprocessed(f"nvcc could not be started: {error}")
            return PreprocessReply(failed, failed)

    def _steps(self) -> dict[str, tuple[str, ...]]:
        """The command of each compile's preprocessor, without where its output goes."""
        command = (*self._given.command, "--dryrun", "-c", "-o", str(self._scratch / "program.o"), str(self._given.source))
        said = self._started(command).text
        found = _STEP.findall(said)
        return {"device" if _FOR_DEVICE.search(step) else "host": tuple(_without_output(shlex.split(step))) for step in found}

    def _pass(self, step: tuple[str, ...] | None, name: str) -> PreprocessedProgram | NotPreprocessed:
        if step is None:
            return NotPreprocessed("nvcc did not report how it preprocesses")
        listed, survived, expanded = (self._scratch / f"{name}.{part}" for part in ("dependencies", "survivors", "expanded"))
        own_path = own_paths(self._sources, self._foreign, self._given.cwd)
        failure = self._run((*step, *DIRECTIVES_ONLY, "-MD", "-MF", str(listed), "-o", str(survived)), own_path)
        if failure is not None:
            return failure
        survivors = read_survivors(survived.read_text("utf-8", "surrogateescape"), own_path)
        text = self._scratch / f"{name}.cpp"
        text.write_text(expansion_text(survivors), "utf-8", "surrogateescape")
        failure = self._run((step[0], *EXPANSION, str(text), "-o", str(expanded)), own_path)
        if failure is not None:
            return failure
        read = {path for file in dependencies(listed.read_text("utf-8", "surrogateescape")) if (path := own_path(file)) is not None}
        return read_expansion(expanded.read_text("utf-8", "surrogateescape"), survivors, read - self._sources)

    def _run(self, command: tuple[str, ...], own_path: OwnPath) -> NotPreprocessed | None:
        """None where it ended well."""
        said = self._started(command)
        return None if said.status == 0 else refused(said.text, self._sources, own_path)

    def _started(self, command: tuple[str, ...]) -> ToolOutput:
        return self._runner.run(command, cwd=self._given.cwd, timeout_s=_TIMEOUT_S, temporary=self._scratch, access=self._access)


def _without_output(words: list[str]) -> Iterator[str]:
    """Without ``-o FILE``."""
    is_named = False
    for word in words:
        if not is_named and word != "-o":
            yield word
        is_named = word == "-o"
