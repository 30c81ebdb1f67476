"""The compile worker, as labs ask it: build results, and device code as files that a GPU worker can load.

Example::

    compiler = Compiler(WorkerProcess("assistant.device"), cache, scratch)
    await compiler.built(program, "sm_90", "resources", "sass")
    await compiler.image(program, "sm_90")       # Image(cubin='…/cubin/ab….cubin', kernels=(('k(float*)', '_Z1kPf'),))
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from assistant.build.includes import installed_headers, with_headers
from assistant.build.symbols import is_in_unit, symbol_for
from assistant.build.units import unit_of, unit_paths
from assistant.lab.device_text import without_host_code
from assistant.lab.process import WorkerDied, WorkerPool, WorkerProcess, WorkerTimedOut
from assistant.lab.readable import workspaces
from assistant.model.build import Build, BuildFailure, BuildResult, CompilerMissing, KernelCode
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program
from assistant.record import Record
from assistant.serialize import decode, encode

__all__ = ["Compiler", "Image", "UnitCode", "texts_of"]

_ANSWERS_KEPT = 16
_CODE = ("resources", "sass", "cubin")
_INSTALLED_S = 20.0
"""So long installed headers are taken to stay as they are: looking at PyTorch's ten thousand takes a tenth of a second and more."""
_NO_PYTORCH = re.compile(r"(?:torch|ATen|c10|pybind11)/[\w./]+\W+No such file or directory")
_OF_PYTORCH = "-DTORCH_EXTENSION_NAME="
"""Among the flags of every extension whose PyTorch was found."""
_DEADLINE_S = 120.0
"""A large translation unit with a cold prelude takes a few seconds on two cores."""


_EXTENSION_S = 240.0
"""Limit of a compiler, for a source with PyTorch's headers: half a minute to a minute on two cores."""


class UnitCode(Record):
    """Compiled device code of a translation unit, as a GPU worker takes it."""

    cubin: str
    kernels: tuple[tuple[str, str], ...]
    """(demangled instance, mangled name) of every kernel in it."""
    unit: str
    """Path of its source."""


class Image(Record):
    """Compiled device code of a program, as a GPU worker takes it."""

    cubin: str
    kernels: tuple[tuple[str, str], ...]
    """(demangled instance, mangled name) of every kernel in it."""
    unit: str = ""
    """Path of its source, where there are others."""
    others: tuple[UnitCode, ...] = ()
    """Code of further units of the program, which hold kernels that were asked for."""

    @property
    def every_kernel(self) -> tuple[tuple[str, str], ...]:
        """Those of all units."""
        return (*self.kernels, *(kernel for other in self.others for kernel in other.kernels))


class _Answer(Record):
    """The compile worker's answer."""

    result: BuildResult
    cubin: str | None
    """Path of the machine code, where that was asked for and could be kept."""
    ptx: str = ""


class Compiler:
    """Asks one compile worker, which its creator closes."""

    def __init__(self, worker: WorkerProcess | WorkerPool, cache: Path, scratch: Path) -> None:
        """``cache`` keeps builds between processes; ``scratch`` receives temporary files."""
        self._worker = worker
        self.cache = cache
        self._scratch = scratch
        self._answers: OrderedDict[tuple[object, ...], _Answer] = OrderedDict()
        """The last few, so that who asks again does not wait behind the next candidate's compile."""
        self._turns: WeakValueDictionary[tuple[object, ...], asyncio.Lock] = WeakValueDictionary()
        """Held while something is compiled: who asks for the same meanwhile gets the same answer."""
        self._installed: dict[tuple[str, ...], tuple[float, str]] = {}
        """By flags: when installed headers were last looked at, and their digest."""

    async def built(self, program: Program, architecture: str, *want: str, is_quick: bool = False) -> BuildResult:
        """What the CUDA compiler says of the program. ``want``: of ``resources``, ``sass``, ``ptx``, ``cubin``.

        Kernels of ``program.kernels`` whose names cannot be spelled in source text (of a lambda's type, say) may be missing in it.
        """
        if is_quick:
            return (await self._compiled(program, architecture, want, is_quick)).result
        own, covering = await self._builds(program, architecture, want)
        result = own.result if isinstance(covering.result, BuildFailure) else covering.result
        device_code = without_host_code(program) if program.is_extension and _lacks_pytorch(program, result) else None
        if device_code is None:
            return result
        alone = await self.built(replace(device_code, is_extension=False), architecture, *want)
        return alone if isinstance(alone, Build) or not _has_pytorch(program) else result

    async def image(self, program: Program, architecture: str) -> Image | LabFailure:
        """Machine code that holds every kernel in ``program.kernels``: of the first source's unit, and of others that define some."""
        own = await self._compiled(replace(program, kernels=()), architecture, _CODE, is_quick=False)
        if not isinstance(own.result, Build):
            return _failure(own.result)
        unit = _unit_of(program)
        others = await self._other_code(program, architecture, _missing(program.kernels, own.result, unit))
        kernels = tuple(kernel for kernel in program.kernels if not any(is_in_unit(kernel, code.unit, code.kernels) for code in others))
        is_whole = _holds(own.result, kernels)
        answer = own if is_whole else await self._compiled(replace(program, kernels=kernels), architecture, _CODE, is_quick=False)
        match answer:
            case _Answer(result=Build() as built, cubin=str(cubin)):
                return Image(cubin, _symbols(built), unit if others else "", others)
            case _:
                return _failure(answer.result)

    async def ptx(self, program: Program, architecture: str) -> str | None:
        """Of the first source's unit, with the kernels that are asked for; None where it is not compiled."""
        answer = await self._compiled(program, architecture, ("ptx",), is_quick=False)
        return answer.ptx or None

    async def _other_code(self, program: Program, architecture: str, wanted: tuple[str, ...]) -> tuple[UnitCode, ...]:
        """Code of the units but the first source's that define some of the kernels."""
        found = await self._other_builds(program, architecture, wanted)
        return tuple(UnitCode(cubin, _symbols(built), unit) for unit, built, cubin in found)

    async def _other_builds(self, program: Program, architecture: str, wanted: tuple[str, ...]) -> list[tuple[str, Build, str]]:
        """(path, build, path of its machine code) of the units but the first source's that define some of the kernels."""
        found = list[tuple[str, Build, str]]()
        for source in _other_units(program) if wanted else ():
            first = replace(program, sources=(source, *(each for each in program.sources if each != source)), kernels=())
            answer = await self._compiled(first, architecture, _CODE, is_quick=False)
            if not isinstance(answer.result, Build) or answer.cubin is None:
                continue
            left = _missing(wanted, answer.result, str(source.path))
            if len(left) < len(wanted):
                found.append((str(source.path), answer.result, answer.cubin))
                wanted = left
        return found

    async def code(self, program: Program, architecture: str) -> tuple[KernelCode, ...]:
        """Machine code with its lines of what ``image`` gives, all units; what several units call the same is left out."""
        built = await self.built_for_device(program, architecture)
        if not isinstance(built, Build):
            return ()
        others = await self._other_builds(program, architecture, _missing(program.kernels, built, _unit_of(program)))
        code = [*built.code, *(each for _, other, _ in others for each in other.code)]
        times = Counter(each.symbol for each in code)
        return tuple(each for each in code if times[each.symbol] == 1)

    async def built_for_device(self, program: Program, architecture: str) -> BuildResult:
        """Resources, machine code and diagnostics of the very build that ``image`` gives; of several units, of the first source's."""
        own, covering = await self._builds(program, architecture, _CODE)
        is_of_others = isinstance(covering.result, BuildFailure) and bool(_other_units(program))
        return own.result if is_of_others else covering.result

    async def preprocessed(
        self, program: Program, architecture: str
    ) -> tuple[PreprocessedProgram | NotPreprocessed, PreprocessedProgram | NotPreprocessed]:
        """What nvcc compiles of the program for the GPU, and for the host."""
        fields = await asyncio.to_thread(_source_fields, program)
        reply = await self._ask({"op": "preprocess", **fields, **self._target(architecture)})
        if isinstance(reply, CompilerMissing):
            failed = NotPreprocessed(reply.reason)
            return failed, failed
        return decode(PreprocessedProgram | NotPreprocessed, reply["device"]), decode(PreprocessedProgram | NotPreprocessed, reply["host"])

    async def _builds(self, program: Program, architecture: str, want: tuple[str, ...]) -> tuple[_Answer, _Answer]:
        """The program's own build, and one that holds every kernel asked for: the same one, else one in which they are instantiated."""
        own = await self._compiled(replace(program, kernels=()), architecture, want, is_quick=False)
        if not program.kernels or not isinstance(own.result, Build) or _holds(own.result, program.kernels):
            return own, own
        return own, await self._compiled(program, architecture, want, is_quick=False)

    async def helpers(self, architecture: str) -> str | LabFailure:
        """The cubin of the GPU worker's own kernels."""
        reply = await self._ask({"op": "helpers", **self._target(architecture)})
        if isinstance(reply, CompilerMissing):
            return LabFailure("no_compiler", reply.reason, reply.remedy)
        return reply["cubin"] or _failure(decode(BuildResult, reply["result"]))

    async def _compiled(self, program: Program, architecture: str, want: tuple[str, ...], is_quick: bool) -> _Answer:
        """Kept is only what the texts decide, headers included: the next time a disk may have room, or a compiler more time.

        Of several units the one that holds the first source is compiled, so that which it is belongs to the key.
        """
        texts, installed, fields = await asyncio.to_thread(
            lambda: (texts_of(program), self._installed_headers(program.flags.arguments), _source_fields(program))
        )
        key = (program.sources[0].path, texts, installed, program.flags, program.kernels, architecture, want, is_quick)
        async with self._turns.setdefault(key, asyncio.Lock()):
            return await self._answered(key, program, architecture, want, is_quick, fields)

    def _installed_headers(self, arguments: tuple[str, ...]) -> str:
        """See `installed_headers`, as they were at most so long ago."""
        looked_s, found = self._installed.get(arguments, (0.0, ""))
        now_s = time.monotonic()
        if arguments not in self._installed or now_s - looked_s > _INSTALLED_S:
            found = installed_headers(arguments)
            self._installed[arguments] = now_s, found
        return found

    async def _answered(
        self,
        key: tuple[object, ...],
        program: Program,
        architecture: str,
        want: tuple[str, ...],
        is_quick: bool,
        fields: dict[str, Any],
    ) -> _Answer:
        """``key``: of all that the answer depends on; ``fields``: of the request for it."""
        known = self._answers.get(key)
        if known is not None:
            self._answers.move_to_end(key)  # before anything is waited for: others may have it forgotten meanwhile
            if known.cubin is None or await asyncio.to_thread(Path(known.cubin).exists):
                return known
        reply = await self._ask(
            {
                "op": "compile",
                **_time_for(program),
                **fields,
                "kernels": list(program.kernels),
                "want": want,
                "is_quick": is_quick,
                **self._target(architecture),
            }
        )
        if isinstance(reply, CompilerMissing):
            return _Answer(reply, None)
        answer = _Answer(decode(BuildResult, reply["result"]), reply["cubin"], reply["ptx"])
        if isinstance(answer.result, Build) and not is_quick and (answer.cubin is not None or "cubin" not in want):
            self._answers[key] = answer
            if len(self._answers) > _ANSWERS_KEPT:
                self._answers.popitem(last=False)
        return answer

    def _target(self, architecture: str) -> dict[str, str]:
        return {
            "architecture": architecture,
            "cache_directory": str(self.cache / "compiler"),
            "scratch_directory": str(self._scratch),
        }

    async def _ask(self, message: dict[str, Any]) -> dict[str, Any] | CompilerMissing:
        try:
            reply = await self._worker.request(message, _DEADLINE_S + message.get("timeout_s", 0.0))
        except (WorkerDied, WorkerTimedOut) as error:
            return CompilerMissing(f"the compile worker failed: {error}", "kernelopt doctor")
        if not reply["ok"]:
            return CompilerMissing(f"the compile worker refused: {reply['error']['message']}", "kernelopt doctor")
        return reply["result"]


def _time_for(program: Program) -> dict[str, float]:
    """Nothing where the usual time is enough."""
    return {"timeout_s": _EXTENSION_S} if program.is_extension else {}


def _source_fields(program: Program) -> dict[str, Any]:
    return {
        "sources": [[str(source.path), source.text] for source in program.sources],
        "flags": encode(program.flags),
        "workspaces": workspaces(program),
    }


def texts_of(program: Program) -> frozenset[tuple[str, str]]:
    """(path, text) of all that is compiled, but for the toolkit's headers."""
    return frozenset(with_headers(((str(source.path), source.text) for source in program.sources), program.flags.arguments).items())


def _holds(build: Build, kernels: tuple[str, ...]) -> bool:
    names = _symbols(build)
    return all(symbol_for(kernel, names) is not None for kernel in kernels)


def _symbols(build: Build) -> tuple[tuple[str, str], ...]:
    return tuple((resources.kernel, resources.symbol) for resources in build.resources)


def _missing(kernels: tuple[str, ...], build: Build, unit: str) -> tuple[str, ...]:
    """Those that the unit does not define."""
    names = _symbols(build)
    return tuple(kernel for kernel in kernels if not is_in_unit(kernel, unit, names))


def _lacks_pytorch(program: Program, result: BuildResult) -> bool:
    """Whether PyTorch's headers are not there, which only the host code of an extension needs.

    A text of ``load_inline`` includes none of them: PyTorch does that for it.
    """
    if not isinstance(result, BuildFailure):
        return False
    return not _has_pytorch(program) or any(_NO_PYTORCH.search(found.message) for found in result.diagnostics)


def _has_pytorch(program: Program) -> bool:
    """Whether the PyTorch that builds an extension was found."""
    return any(flag.startswith(_OF_PYTORCH) for flag in program.flags.arguments)


def _unit_of(program: Program) -> str:
    return unit_of(_texts(program), program.flags.arguments)


def _other_units(program: Program) -> tuple[Source, ...]:
    units = frozenset(unit_paths(_texts(program), program.flags.arguments)) - {_unit_of(program)}
    return tuple(source for source in program.sources if str(source.path) in units)


def _texts(program: Program) -> tuple[tuple[str, str], ...]:
    return tuple((str(source.path), source.text) for source in program.sources)


def _failure(result: BuildResult) -> LabFailure:
    match result:
        case BuildFailure(compiler, diagnostics):
            return LabFailure("not_built", f"{compiler} does not compile the source", "fix the errors above", diagnostics)
        case CompilerMissing(reason, remedy):
            return LabFailure("no_compiler", reason, remedy)
        case Build():
            return LabFailure("no_space", "the machine code could not be kept", "make room in the cache folder (kernelopt doctor)")
