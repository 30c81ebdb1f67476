"""The compile worker, as labs ask it: build results, and device code as files that a GPU worker can load.

Example::

    compiler = Compiler(WorkerProcess("assistant.device"), cache, scratch)
    await compiler.built(program, "sm_90", "resources", "sass")
    await compiler.image(program, "sm_90")       # Image(cubin='…/cubin/ab….cubin', kernels=(('k(float*)', '_Z1kPf'),))
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assistant.build.symbols import symbol_for
from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.model.build import Build, BuildFailure, BuildResult, CompilerMissing
from assistant.ports import LabFailure, Program
from assistant.serialize import decode, encode

__all__ = ["Compiler", "Image"]

_ANSWERS_KEPT = 16
_DEADLINE_S = 120.0
"""A large translation unit with a cold prelude takes a few seconds on two cores."""


@dataclass(frozen=True)
class Image:
    """Compiled device code of one program, as a GPU worker takes it."""

    cubin: str
    kernels: tuple[tuple[str, str], ...]
    """(demangled instance, mangled name) of every kernel in it."""


class Compiler:
    """Asks one compile worker, which whoever made it closes."""

    def __init__(self, worker: WorkerProcess, cache: Path, scratch: Path) -> None:
        """``cache`` keeps builds between processes; ``scratch`` receives temporary files."""
        self._worker = worker
        self.cache = cache
        self._scratch = scratch
        self._answers: OrderedDict[tuple[object, ...], dict[str, Any]] = OrderedDict()
        """The last few, so that who asks again does not wait behind the next candidate's compile."""

    async def built(self, program: Program, architecture: str, *want: str, is_quick: bool = False) -> BuildResult:
        """What the CUDA compiler says of the program. ``want``: of ``resources``, ``sass``, ``ptx``, ``cubin``."""
        reply = await self._compiled(program, architecture, want, is_quick)
        return reply if isinstance(reply, CompilerMissing) else decode(BuildResult, reply["result"])

    async def image(self, program: Program, architecture: str) -> Image | LabFailure:
        """Machine code that holds every kernel in ``program.kernels``."""
        reply = await self._covering(program, architecture)
        if isinstance(reply, CompilerMissing):
            return _failure(reply)
        result = decode(BuildResult, reply["result"])
        if not isinstance(result, Build) or reply["cubin"] is None:
            return _failure(result)
        return Image(reply["cubin"], tuple((resources.kernel, resources.symbol) for resources in result.resources))

    async def built_for_device(self, program: Program, architecture: str) -> BuildResult:
        """Resources, machine code and diagnostics of the very build that ``image`` gives."""
        reply = await self._covering(program, architecture)
        return reply if isinstance(reply, CompilerMissing) else decode(BuildResult, reply["result"])

    async def _covering(self, program: Program, architecture: str) -> dict[str, Any] | CompilerMissing:
        """The program's own build where that holds every kernel asked for; else one in which they are instantiated."""
        want = ("resources", "sass", "cubin")
        own = await self._compiled(replace(program, kernels=()), architecture, want, is_quick=False)
        if not program.kernels or isinstance(own, CompilerMissing):
            return own
        result = decode(BuildResult, own["result"])
        if not isinstance(result, Build) or _holds(result, program.kernels):
            return own
        return await self._compiled(program, architecture, want, is_quick=False)

    async def helpers(self, architecture: str) -> str | LabFailure:
        """The cubin of the GPU worker's own kernels."""
        reply = await self._ask({"op": "helpers", **self._target(architecture)})
        if isinstance(reply, CompilerMissing):
            return LabFailure("no_compiler", reply.reason, reply.remedy)
        return reply["cubin"] or _failure(decode(BuildResult, reply["result"]))

    async def _compiled(
        self, program: Program, architecture: str, want: tuple[str, ...], is_quick: bool
    ) -> dict[str, Any] | CompilerMissing:
        key = (program.sources, program.flags, program.kernels, architecture, want, is_quick)
        known = self._answers.get(key)
        if known is not None and _is_there(known["cubin"]):
            self._answers.move_to_end(key)
            return known
        reply = await self._ask(
            {
                "op": "compile",
                "sources": [[str(source.path), source.text] for source in program.sources],
                "flags": encode(program.flags),
                "kernels": list(program.kernels),
                "want": want,
                "is_quick": is_quick,
                **self._target(architecture),
            }
        )
        if not isinstance(reply, CompilerMissing):
            self._answers[key] = reply
            if len(self._answers) > _ANSWERS_KEPT:
                self._answers.popitem(last=False)
        return reply

    def _target(self, architecture: str) -> dict[str, str]:
        return {
            "architecture": architecture,
            "cache_directory": str(self.cache / "compiler"),
            "scratch_directory": str(self._scratch),
        }

    async def _ask(self, message: dict[str, Any]) -> dict[str, Any] | CompilerMissing:
        try:
            reply = await self._worker.request(message, _DEADLINE_S)
        except (WorkerDied, WorkerTimedOut) as error:
            return CompilerMissing(f"the compile worker failed: {error}", "kernelopt doctor")
        if not reply["ok"]:
            return CompilerMissing(f"the compile worker refused: {reply['error']['message']}", "kernelopt doctor")
        return reply["result"]


def _is_there(cubin: str | None) -> bool:
    """Whether machine code that was told of still is: somebody may have emptied the cache."""
    return cubin is None or Path(cubin).exists()


def _holds(build: Build, kernels: tuple[str, ...]) -> bool:
    names = tuple((resources.kernel, resources.symbol) for resources in build.resources)
    return all(symbol_for(kernel, names) is not None for kernel in kernels)


def _failure(result: BuildResult) -> LabFailure:
    match result:
        case BuildFailure(compiler, diagnostics):
            return LabFailure("not_built", f"{compiler} does not compile the source", "mend the errors above", diagnostics)
        case CompilerMissing(reason, remedy):
            return LabFailure("no_compiler", reason, remedy)
        case Build():
            return LabFailure("no_space", "the machine code could not be kept", "make room in the cache folder (kernelopt doctor)")
