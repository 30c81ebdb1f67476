"""One compile: NVRTC where it may answer, nvcc where it must, both read into the model's types.

NVRTC answers a request for diagnostics alone, and one for resources where it has nvcc's version; it answers only by accepting
the text without a remark. All else is nvcc's: machine code must be what the user's own build runs, and a diagnostic that nvcc
would not give is never shown.
"""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from assistant.build.architectures import compiled_for
from assistant.build.blank import blank_spans, host_includes, host_spans, name_expressions
from assistant.build.diagnostics import parse_compiler
from assistant.build.flags import cache_key, nvrtc_options
from assistant.build.full_disk import REMEDY, says_disk_is_full
from assistant.build.includes import installed_headers, unfit_header, with_headers
from assistant.build.ptxas import parse_resources
from assistant.build.sass import parse_sass
from assistant.build.static_symbols import StaticLabels, labelled, split_static, static_labels
from assistant.build.symbols import name_in_code
from assistant.build.units import is_unit, unit_of, unit_paths
from assistant.cuda.parse import parse
from assistant.device import cache
from assistant.device.access import compile_access, files_of
from assistant.device.missing_libraries import DECLARATIONS, device_alone, function_spans, lacks_library, with_declarations
from assistant.device.nvcc import CUBIN, NvccOutput, compile_with_nvcc, is_on_disk
from assistant.device.nvrtc_server import NvrtcRequest
from assistant.device.process import ToolOutput, ToolRunner
from assistant.device.protocol import CompileReply, CompileRequest
from assistant.device.toolchain import INSTALL_CUDA, INSTALL_GXX, RENAME_PATH, Nvcc, Toolchain
from assistant.model.build import (
    Build,
    BuildFailure,
    BuildResult,
    CompilerMissing,
    Diagnostic,
    DiagnosticSeverity,
    KernelCode,
    missing_library_header,
)
from assistant.model.source import Source
from assistant.record import Record
from assistant.worker.compiler_limits import OUTPUT_BYTES
from assistant.worker.landlock import FileAccess
from assistant.worker.readable import NO_FILES, ProgramFiles, explained

__all__ = ["compile_program"]

_PACKAGE = Path(__file__).parents[1]
_READERS = (
    "source/*.py",
    "build/*.py",
    "model/build.py",
    "device/compile.py",
    "device/missing_libraries.py",
    "device/nvcc.py",
    "device/nvrtc.py",
)
"""Our own code that decides what a compiler is asked and what its output says: kept results hold the reading, not the output."""
_NVRTC_TIMEOUT_S = 20.0
"""nvcc answers what NVRTC does not."""
_DEMANGLE_TIMEOUT_S = 10.0
_SASS_BYTES = 512 << 20
"""Upper bound for a disassembler's output."""


def compile_program(request: CompileRequest, toolchain: Toolchain, runner: ToolRunner) -> CompileReply:
    """The result for one request, from the cache where its content was compiled before.

    Only what the source decides is kept: a compiler that was killed or ran past its deadline may answer otherwise next time.
    """
    if request.is_quick:
        return _accepted(request, toolchain, runner)
    key = _key(request, toolchain)
    directory = Path(request.cache_directory) if request.cache_directory else None
    kept = cache.load(directory, key) if directory else None
    if kept is not None and (kept.cubin is None or Path(kept.cubin).exists()):
        return replace(kept, cached=True)
    started = time.monotonic()
    cut_short_count = runner.cut_short_count
    result, ptx, cubin = _compile(request, toolchain, runner)
    reply = CompileReply(result, ptx, time.monotonic() - started, cached=False, cubin=cubin)
    if directory and not isinstance(result, CompilerMissing) and runner.cut_short_count == cut_short_count:
        cache.store(directory, key, reply)
    return reply


def _accepted(request: CompileRequest, toolchain: Toolchain, runner: ToolRunner) -> CompileReply:
    """NVRTC's acceptance; never kept, as asking costs less than a look into the cache."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kernelopt-build-", dir=request.scratch_directory) as folder:
        job = _Job(request, toolchain, runner, Path(folder))
        quick = None if toolchain.nvrtc_version is None else _by_nvrtc(job)
    refused = CompilerMissing("NVRTC does not accept the text without a remark", "ask nvcc")
    return CompileReply(refused if quick is None else quick[0], "", time.monotonic() - started, cached=False)


def _key(request: CompileRequest, toolchain: Toolchain) -> str:
    texts = with_headers(request.sources, request.flags.arguments)
    nvcc = toolchain.nvcc.version if toolchain.nvcc else "none"
    compiler = f"reading {_readers_digest()}, nvcc {nvcc}, nvrtc {toolchain.nvrtc_version}, {request.sources[0][0]}"
    compiler += installed_headers(request.flags.arguments)
    return cache_key(compiler, request.architecture, (*request.flags.arguments, *request.kernels), texts, request.want)


@functools.cache
def _readers_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _READERS for path in _PACKAGE.glob(pattern)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _Job(Record):
    """One compile and what it is done with."""

    request: CompileRequest
    toolchain: Toolchain
    runner: ToolRunner
    scratch: Path

    @cached_property
    def files(self) -> ProgramFiles:
        """The user's files that compilers may read."""
        request, environment = self.request, self.runner.environment
        folder = Path(request.sources[0][0]).parent
        return files_of((path for path, _ in request.sources), request.workspaces, request.flags.arguments, folder, environment)

    @cached_property
    def access(self) -> FileAccess:
        return compile_access(self.files, self.toolchain, self.runner.environment, self.scratch)

    def access_with(self, own: Path) -> FileAccess:
        """``access``, and a folder of ours."""
        return compile_access(self.files, self.toolchain, self.runner.environment, self.scratch, (own,))

    def run(self, command: tuple[str, ...], timeout_s: float, output_bytes: int = OUTPUT_BYTES) -> ToolOutput:
        """A tool that reads what compilers left in ``scratch``."""
        access = compile_access(NO_FILES, self.toolchain, self.runner.environment, self.scratch)
        return self.runner.run(command, cwd=None, timeout_s=timeout_s, access=access, output_bytes=output_bytes)


def _compile(request: CompileRequest, toolchain: Toolchain, runner: ToolRunner) -> tuple[BuildResult, str, str | None]:
    """The result, PTX text and the cubin's path."""
    unfit = unfit_header(request.sources, request.flags.arguments)
    if unfit is not None:
        return BuildFailure("kernelopt", (_error(request, unfit),)), "", None
    with tempfile.TemporaryDirectory(prefix="kernelopt-build-", dir=request.scratch_directory) as folder:
        job = _Job(request, toolchain, runner, Path(folder))
        if _may_use_nvrtc(request, toolchain):
            quick = _by_nvrtc(job)
            if quick is not None:
                return (*quick, None)
        if toolchain.nvcc is None:
            return CompilerMissing(_without_nvcc(toolchain), INSTALL_CUDA), "", None
        if toolchain.gxx is None:
            return CompilerMissing("nvcc needs a host compiler and g++ is not on PATH", INSTALL_GXX), "", None
        result, ptx = _by_nvcc(job, toolchain.nvcc)
        return result, ptx, _kept_cubin(request, job.scratch / CUBIN) if isinstance(result, Build) else None


def _kept_cubin(request: CompileRequest, cubin: Path) -> str | None:
    """Where the machine code stays, named by its content: in the cache, or for as long as the scratch folder stays."""
    folder = request.cache_directory or request.scratch_directory
    if "cubin" not in request.want or folder is None:
        return None
    try:
        return str(cache.store_cubin(Path(folder), cubin.read_bytes()))
    except OSError:
        return None


def _without_nvcc(toolchain: Toolchain) -> str:
    if toolchain.nvrtc_version is None:
        return "no CUDA compiler was found: neither nvcc nor NVRTC"
    return "NVRTC cannot judge this source and nvcc was not found"


def _may_use_nvrtc(request: CompileRequest, toolchain: Toolchain) -> bool:
    if toolchain.nvrtc_version is None:
        return False
    if toolchain.nvcc is None or not request.want:
        return True
    is_same = toolchain.nvcc.version.split(".")[:2] == toolchain.nvrtc_version.split(".")[:2]
    return is_same and request.want == ("resources",)


def _by_nvrtc(job: _Job) -> tuple[BuildResult, str] | None:
    """None where NVRTC does not take the source without a remark."""
    request, toolchain = job.request, job.toolchain
    options = nvrtc_options(request.flags)
    path, text = request.sources[0]
    if (
        options is None
        or len(unit_paths(request.sources, request.flags.arguments)) > 1
        or not is_unit(path)
        or not all(is_on_disk(*source) for source in request.sources[1:])
    ):
        return None
    parsed = parse(Source(Path(path), text))
    device_text = blank_spans(text, (*host_includes(text), *host_spans(parsed, function_spans(text))))
    includes = [f"-I{Path(path).parent}", *([f"-I{toolchain.include_directory}"] if toolchain.include_directory else [])]
    views = ["--ptxas-options=-v"] if request.want else []
    architecture = compiled_for(request.architecture, (text,))
    every_option = (f"--gpu-architecture={architecture}", "-lineinfo", *views, *options, *includes)
    expressions = tuple(dict.fromkeys((*name_expressions(parsed), *(name_in_code(k)[0] for k in request.kernels))))
    asked = NvrtcRequest(path, device_text, every_option, expressions, "ptx" in request.want, job.access)
    output = job.runner.nvrtc.compile(asked, min(_NVRTC_TIMEOUT_S, request.timeout_s))
    if output is None or output.cubin is None or parse_compiler(output.log, {}, "nvrtc"):
        return None
    cubin = job.scratch / "kernel.cubin"
    cubin.write_bytes(output.cubin)
    return _read_build(job, f"nvrtc {toolchain.nvrtc_version}", cubin, output.log, ()), output.ptx


def _by_nvcc(job: _Job, nvcc: Nvcc) -> tuple[BuildResult, str]:
    request, compiler = job.request, f"nvcc {nvcc.version}"
    try:
        output = compile_with_nvcc(nvcc.path, request, job.runner, job.scratch, job.access)
        if output.cubin is None and lacks_library(output.log):
            output = _without_library(job, nvcc, output)
    except OSError as error:
        return CompilerMissing(f"nvcc could not be started: {error}", INSTALL_CUDA), ""
    if output.unfit is not None:
        return CompilerMissing(output.unfit, RENAME_PATH), ""
    if output.limit is None and output.status is not None and says_disk_is_full(output.status, output.log):
        return CompilerMissing("nvcc could not write its files: no space left", REMEDY), ""
    texts = _texts_by_printed_name(request, job.scratch)
    reported = (replace(d, file=_absolute(d.file, request)) for d in parse_compiler(output.log, texts, "nvcc"))
    diagnostics = explained(reported, job.files)
    if output.cubin is None and output.limit is not None:
        return BuildFailure(compiler, (_error(request, f"the compiler {output.limit} and was stopped"),)), ""
    header = missing_library_header(diagnostics)
    if output.cubin is None and header is not None:
        return CompilerMissing(f"{compiler} has no {header} here, which a full CUDA toolkit brings", INSTALL_CUDA), ""
    if output.cubin is None:
        return BuildFailure(compiler, diagnostics or (_unexplained(request, output.status, output.log),)), ""
    return _read_build(job, compiler, output.cubin, output.log, diagnostics), output.ptx


def _without_library(job: _Job, nvcc: Nvcc, missed: NvccOutput) -> NvccOutput:
    """With what stands for the library's headers; without the host code where that calls the library. ``missed``: what nvcc said of the
    header, which is the answer where nothing else is known to be wrong with the text."""
    declared = with_declarations(job.request)
    whole = compile_with_nvcc(nvcc.path, declared, job.runner, job.scratch, job.access_with(DECLARATIONS))
    if whole.cubin is not None or whole.limit is not None:
        return whole
    alone = compile_with_nvcc(nvcc.path, device_alone(declared), job.runner, job.scratch, job.access_with(DECLARATIONS))
    if alone.cubin is not None:
        return alone
    errors = (d for d in parse_compiler(alone.log, {}, "nvcc") if d.severity is DiagnosticSeverity.ERROR)
    known = {(d.line, d.message) for d in parse_compiler(whole.log, {}, "nvcc")}
    return whole if any((d.line, d.message) in known for d in errors) else missed


def _texts_by_printed_name(request: CompileRequest, scratch: Path) -> dict[str, str]:
    texts = dict(request.sources)
    texts.update({Path(path).name: text for path, text in reversed(request.sources)})
    return texts


def _absolute(file: str, request: CompileRequest) -> str:
    """Compilers print a path as it was given; relative ones mean the source's folder."""
    unit = unit_of(request.sources, request.flags.arguments)
    return os.path.normpath(Path(unit).parent / file) if file else file


def _unexplained(request: CompileRequest, status: int | None, log: str) -> Diagnostic:
    reason = f"nvcc did not end within {request.timeout_s:g} s" if status is None else f"nvcc failed with status {status}"
    detail = "\n".join(log.strip().splitlines()[-5:])
    return _error(request, f"{reason}\n{detail}" if detail else reason)


def _error(request: CompileRequest, message: str) -> Diagnostic:
    return Diagnostic(request.sources[0][0], 0, 0, DiagnosticSeverity.ERROR, message, None, "nvcc")


def _read_build(job: _Job, compiler: str, cubin: Path, log: str, diagnostics: tuple[Diagnostic, ...]) -> Build:
    request, toolchain = job.request, job.toolchain
    resources = parse_resources(log, {})
    code: tuple[KernelCode, ...] = ()
    if "sass" in request.want and toolchain.nvdisasm:
        text = job.run((toolchain.nvdisasm, "-c", "-gi", str(cubin)), request.timeout_s, _SASS_BYTES).text
        code = parse_sass(text, {}, toolchain.system_directories)
    names = _demangled((*(r.symbol for r in resources), *(c.symbol for c in code)), job)
    return Build(
        compiler=compiler,
        architecture=request.architecture,
        flags=request.flags,
        resources=tuple(replace(r, kernel=names.get(r.symbol, r.symbol)) for r in resources),
        code=tuple(replace(c, kernel=names.get(c.symbol, c.symbol)) for c in code),
        diagnostics=diagnostics,
    )


def _demangled(symbols: tuple[str, ...], job: _Job) -> Mapping[str, str]:
    """Mangled → demangled names by binutils' c++filt, which comes with g++; without it names stay mangled. Those of static kernels that
    several files of the program have carry the file, where all are linked into one."""
    parts = {symbol: split_static(symbol) for symbol in symbols}
    if not parts or job.toolchain.gxx is None:
        return {}
    try:
        output = job.run(("c++filt", *(plain for _, plain in parts.values())), _DEMANGLE_TIMEOUT_S)
    except OSError:
        return {}
    lines = output.text.splitlines()
    is_linked = any(unit for unit, _ in parts.values())
    labels: StaticLabels = static_labels(job.request.sources, job.request.flags.arguments) if is_linked else {}
    return {symbol: labelled(unit, line, labels) for (symbol, (unit, _)), line in zip(parts.items(), lines, strict=True)}
