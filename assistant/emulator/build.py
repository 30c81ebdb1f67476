"""Builds a CUDA program for the CPU: translate, compile, link, each result kept by content.

``build(BuildRequest(sources=((Path("/a.cu"), text),), flavour="fast", cache_dir=Path("/cache")))`` gives a Built whose ``program`` can be
run, or a typed failure. Compiler messages are about the user's own files, lines and columns.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from assistant import serialize
from assistant.build.full_disk import FULL_ERRORS, full_in_words
from assistant.build.units import unit_paths
from assistant.disk.cached import note_use
from assistant.emulator import toolchain
from assistant.emulator.call_messages import foreign_call_messages
from assistant.emulator.diagnostics import read_messages
from assistant.emulator.kernels import COMMUNICATION_TEXT, kernels_by_unit, registration_text
from assistant.emulator.link_messages import link_messages
from assistant.emulator.loading import Loader
from assistant.emulator.objects import KeptObjects, object_key
from assistant.emulator.shared_gaps import with_gaps
from assistant.emulator.toolchain import Compiler, Flavour, RuntimeBuildError, StorageFailure
from assistant.emulator.translate.unit import TranslatedUnit, Unpromotable, Untranslatable, closure, translate
from assistant.model.build import BuildFailure, CompilerMissing, Diagnostic, DiagnosticSeverity
from assistant.record import Record
from assistant.worker.launcher import Launcher, launcher_or_own
from assistant.worker.readable import ProgramFiles, explained, program_files
from assistant.worker.tools import COMPILE_TIMEOUT_S, LIMIT_TEXT, TIMEOUT_TEXT, run_tool

_REPLY_FILE = "reply.json"
_PROGRAM_FILE = "program"


class BuildRequest(Record):
    """What to build and how."""

    sources: tuple[tuple[Path, str], ...]
    """(absolute path, text); the first is the one in question. A header replaces the file's text on disk wherever it is included."""
    cache_dir: Path
    flavour: Flavour = "fast"
    """``fast`` runs at full speed and counts nothing; ``fused`` rounds otherwise, as products and sums are fused; ``counted`` calls a hook
    at every memory access that an optimising compiler leaves; ``checked`` at every one that the source makes: for the checks, as its
    counters are higher than a GPU's."""
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    """``NAME`` or ``NAME=VALUE``"""
    kernels: tuple[str, ...] = ()
    """Kernels to make startable by name: ``k``, ``ns::k<float>``, ``k(float*, int)``, a demangled or a mangled symbol."""
    promote_float: bool = False
    """Compute in ``double`` wherever the source says ``float`` or half precision."""
    standard: str = "17"
    """C++ standard, as in ``-std=c++17``."""
    noted_function: str | None = None
    """A function of the host whose calls a recording notes."""
    libraries: tuple[str, ...] = ()
    """Other libraries that host code uses: ``-lNAME``, ``-LFOLDER`` and files, in order."""
    workspaces: tuple[Path, ...] = ()
    """Folders of which compilers may read everything, in addition to the sources' own."""


class BuiltProgram(Record):
    """A program that runs on this machine."""

    program: Path
    has_main: bool
    """Whether the user's sources define ``main``; without it the program only replays."""
    compiler: str
    diagnostics: tuple[Diagnostic, ...]
    translate_s: float
    compile_s: float
    """Compile and link; 0 for a cached program."""
    is_cached: bool
    kind: Literal["built"] = "built"


class CannotPromote(Record):
    """The source cannot be computed in ``double`` throughout."""

    reason: str
    diagnostics: tuple[Diagnostic, ...] = ()
    kind: Literal["cannot_promote"] = "cannot_promote"


BuildReply = BuiltProgram | BuildFailure | CompilerMissing | CannotPromote | StorageFailure


def request_from_json(text: str) -> BuildRequest:
    """Raises DecodeError."""
    return serialize.loads(BuildRequest, text)


def reply_to_json(reply: BuildReply) -> str:
    """One line, ``outcome`` first: ``built``, ``failed``, ``compiler_missing``, ``cannot_promote`` or ``storage``."""
    outcome = {
        BuiltProgram: "built", BuildFailure: "failed", CompilerMissing: "compiler_missing", CannotPromote: "cannot_promote",
        StorageFailure: "storage",
    }[type(reply)]  # fmt: skip
    return f'{{"outcome":"{outcome}","reply":{serialize.dumps(reply)}}}'


def build(request: BuildRequest, launcher: Launcher | None = None) -> BuildReply:
    """The program, from the cache when nothing that it depends on changed. ``launcher``: None for one of its own."""
    with launcher_or_own(launcher) as starter:
        compiler = toolchain.find_compiler(os.environ.get("PATH", os.defpath), starter)
        return compiler if isinstance(compiler, CompilerMissing) else _built(request, compiler, starter)


def _built(request: BuildRequest, compiler: Compiler, launcher: Launcher) -> BuildReply:
    try:
        return _build(request, compiler, launcher)
    except RuntimeBuildError as error:
        main = str(request.sources[0][0])
        message = f"this compiler cannot build the emulator itself; please report it with the text that follows: {error}"
        return BuildFailure(compiler.name, (Diagnostic(main, 0, 0, DiagnosticSeverity.ERROR, message, compiler="g++"),))
    except OSError as error:
        if error.errno in FULL_ERRORS:
            return StorageFailure(full_in_words(error.errno, request.cache_dir, Path(tempfile.gettempdir())), is_full=True)
        return StorageFailure(f"{request.cache_dir}: {error.strerror or error}")


def _build(request: BuildRequest, compiler: Compiler, launcher: Launcher) -> BuildReply:
    load = loader_of(request)
    units = units_of(request, load)
    if load.unfit:
        return BuildFailure(compiler.name, load.unfit)
    own = toolchain.own_digests()
    has_openmp = uses_openmp(units)
    flags = toolchain.compile_flags(request.flavour, request.standard, has_openmp)
    final = request.cache_dir / "builds" / _key(request, units, compiler, own, flags)
    if (final / _REPLY_FILE).is_file():
        note_use(final)
        return _cached(final)
    with toolchain.staging(final.parent) as folder:
        job = _Job(request, compiler, has_openmp, own, folder, load.files, launcher)
        reply = _compile(job, units)
        if _meets_a_foreign_name(reply):
            reply = _compile(replace(job, is_bare=True), units)
            if isinstance(reply, BuiltProgram):
                _note_bare(request.cache_dir, units)
        if _is_lasting(reply):
            (folder / _REPLY_FILE).write_text(serialize.dumps(_stored(reply)), encoding="utf-8")
            toolchain.publish(folder, final)
    return replace(reply, program=final / _PROGRAM_FILE) if isinstance(reply, BuiltProgram) else reply


def loader_of(request: BuildRequest) -> Loader:
    """Reads the program's own files."""
    places = (Path(word.removeprefix("-L")) for word in request.libraries if not word.startswith("-l"))
    files = program_files((path for path, _ in request.sources), request.workspaces, (*request.include_dirs, *places))
    return Loader(request.sources, request.include_dirs, files)


def units_of(request: BuildRequest, load: Loader) -> list[Mapping[Path, str]]:
    """The texts of each unit, its own file's first."""
    sources = [(str(path), text) for path, text in request.sources]
    paths = unit_paths(sources, [f"-I{folder}" for folder in request.include_dirs])
    return [closure(Path(path), load, request.include_dirs) for path in paths]


def uses_openmp(units: Sequence[Mapping[Path, str]]) -> bool:
    return any("omp.h" in text or "#pragma omp" in text for unit in units for text in unit.values())


def is_bare(cache_dir: Path, units: Sequence[Mapping[Path, str]]) -> bool:
    """Whether these units only build with the bare prelude; False where they were not built yet."""
    return _bare_mark(cache_dir, units).exists()


def _note_bare(cache_dir: Path, units: Sequence[Mapping[Path, str]]) -> None:
    mark = _bare_mark(cache_dir, units)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


def _bare_mark(cache_dir: Path, units: Sequence[Mapping[Path, str]]) -> Path:
    return cache_dir / "bare" / _digest(part for unit in units for path, text in unit.items() for part in (str(path), text))


class _Job(Record):
    request: BuildRequest
    compiler: Compiler
    has_openmp: bool
    own: toolchain.Digests
    folder: Path
    files: ProgramFiles
    launcher: Launcher
    is_bare: bool = False
    """With a prelude that brings no more of the standard library than CUDA's headers do."""


class _StoredReply(Record):
    """A reply as it lies in the cache."""

    built: BuiltProgram | None = None
    failed: BuildFailure | None = None
    cannot_promote: CannotPromote | None = None


def _compile(job: _Job, units: list[Mapping[Path, str]]) -> BuiltProgram | BuildFailure | CannotPromote:
    started = time.perf_counter()
    translated: list[TranslatedUnit] = []
    for texts in units:
        unit = translate(
            texts, job.request.include_dirs, promote_float=job.request.promote_float, noted_function=job.request.noted_function
        )
        if isinstance(unit, Untranslatable):
            return BuildFailure(job.compiler.name, unit.diagnostics)
        if isinstance(unit, Unpromotable):
            return CannotPromote(unit.reason)
        translated.append(unit)
    translate_s = time.perf_counter() - started
    # Lock-step code relies on volatile accesses that keep the lanes together; the hooks see to that, counting or not.
    needs_hooks = job.request.flavour == "fast" and any(unit.uses_volatile for unit in translated)
    flavour: Flavour = "counted" if needs_hooks else job.request.flavour
    flags = toolchain.compile_flags(flavour, job.request.standard, job.has_openmp) + (toolchain.BARE_FLAGS if job.is_bare else ())
    toolkit = toolchain.prepare(job.compiler, flags, job.request.cache_dir, job.own, job.launcher)
    how = toolchain.setting(job.compiler, job.files, toolkit, job.folder, job.launcher)
    started = time.perf_counter()
    startable = kernels_by_unit(job.request.kernels, units, job.launcher)
    kept = KeptObjects(job.request.cache_dir / "objects")
    objects: list[Path] = []
    diagnostics: list[Diagnostic] = []
    for number, unit in enumerate(translated):
        source = _write_unit(job, unit, number, registration_text(startable[number], job.launcher, units[number].items()))
        searched = search_flags(job.request, (file.path for file in unit.files))
        made = job.folder / f"{number}.o"
        objects.append(made)
        key = _object_key(job, unit, (*flags, *searched), source) if len(translated) > 1 else ""
        if key and kept.take(key, made):
            continue
        run = run_tool(_compile_command(job, unit, (flags, searched), toolkit.prelude, source, made), _left_s(started), how)
        diagnostics += explained(read_messages(run.output, unit.files), job.files)
        if not run.is_ok and unit.contained:  # what uses them does not compile without them
            return BuildFailure(job.compiler.name, unit.contained)
        if not run.is_ok:
            return _failure(job, diagnostics, run.output)
        if flavour == "checked":
            _keep_apart(made)
        if key and not run.output:  # what the compiler printed is shown with every build
            kept.keep(key, made)
    foreign = foreign_call_messages(objects, toolkit.objects, job.request.sources[0][0], job.launcher)
    if foreign:
        return _failure(job, [*diagnostics, *foreign], "")
    command = toolchain.link(job.compiler, (*objects, *toolkit.objects), job.folder / _PROGRAM_FILE, job.has_openmp, job.request.libraries)
    run = run_tool(command, _left_s(started), how)
    if not run.is_ok:
        return _failure(job, [*diagnostics, *link_messages(run.output, job.request.sources[0][0])], run.output)
    for path in objects:
        path.unlink()
    compile_s = time.perf_counter() - started
    has_main = any(unit.has_main for unit in translated)
    return BuiltProgram(
        job.folder / _PROGRAM_FILE, has_main, job.compiler.name, tuple(diagnostics), translate_s, compile_s, is_cached=False
    )


def _compile_command(
    job: _Job, unit: TranslatedUnit, flags: tuple[tuple[str, ...], tuple[str, ...]], prelude: Path, source: Path, output: Path
) -> tuple[str, ...]:
    """``flags``: how, and where includes are looked for."""
    how, searched = flags
    if unit.is_c:
        return toolchain.compile_c(job.compiler, searched, source, output, job.has_openmp)
    searched += () if unit.uses_cuda else toolchain.HOST_UNIT_FLAGS
    return toolchain.compile_source(job.compiler, (*how, *searched), prelude, source, output)


def _object_key(job: _Job, unit: TranslatedUnit, flags: tuple[str, ...], source: Path) -> str:
    """The unit's number is in the path of its source, which the object names."""
    how = (job.compiler.version, job.own.all, *flags, str(unit.uses_cuda), str(job.request.promote_float), source.parent.name)
    return object_key(how, source.parent)


def _keep_apart(unit: Path) -> None:
    """Shared variables of the object from each other."""
    unit.write_bytes(with_gaps(unit.read_bytes()))


def _meets_a_foreign_name(reply: BuiltProgram | BuildFailure | CannotPromote) -> bool:
    """Whether a name of the user's may be ambiguous only because the prelude includes more than the source does."""
    return not isinstance(reply, BuiltProgram) and any("is ambiguous" in diagnostic.message for diagnostic in reply.diagnostics)


def _left_s(started: float) -> float:
    """What is left of the time that compilers have for a build."""
    return max(1.0, COMPILE_TIMEOUT_S - (time.perf_counter() - started))


def _is_lasting(reply: BuiltProgram | BuildFailure | CannotPromote) -> bool:
    """Whether the same request would end the same way: not when the compiler ran out of time or memory."""
    if isinstance(reply, BuiltProgram):
        return True
    return not any(words in diagnostic.message for diagnostic in reply.diagnostics for words in (TIMEOUT_TEXT, LIMIT_TEXT))


def _failure(job: _Job, diagnostics: list[Diagnostic], output: str) -> BuildFailure | CannotPromote:
    if not any(d.severity is DiagnosticSeverity.ERROR for d in diagnostics):
        main = str(job.request.sources[0][0])
        text = output.strip()[-2000:]
        diagnostics = [*diagnostics, Diagnostic(main, 0, 0, DiagnosticSeverity.ERROR, text or "the compiler failed", compiler="g++")]
    if job.request.promote_float:
        first = next(d for d in diagnostics if d.severity is DiagnosticSeverity.ERROR)
        return CannotPromote(f"with float widened to double it does not compile: {first.message.splitlines()[0]}", tuple(diagnostics))
    return BuildFailure(job.compiler.name, tuple(diagnostics))


def _write_unit(job: _Job, unit: TranslatedUnit, number: int, registrations: str) -> Path:
    """``registrations``: of the kernels that are to be made startable by name in this unit."""
    folder = job.folder / f"unit{number}"
    folder.mkdir(exist_ok=True)
    for file in unit.files:
        (folder / file.name).write_text(f'#line 1 "{_quoted(file.path)}"\n{file.edited.text}', encoding="utf-8", errors="surrogateescape")
    main = unit.files[0]
    is_promoted = job.request.promote_float and not unit.is_c
    head = definitions_text(job.request.defines) + ('#include "emu_promote.h"\n' if is_promoted else "")
    tail = COMMUNICATION_TEXT if unit.communicates else ""
    tail += registrations
    source = folder / ("unit.c" if unit.is_c else "unit.cpp")
    source.write_text(f'{head}#line 1 "{_quoted(main.path)}"\n{main.edited.text}\n{tail}', encoding="utf-8", errors="surrogateescape")
    return source


def definitions_text(defines: tuple[str, ...]) -> str:
    """Directives for ``NAME`` and ``NAME=VALUE``."""
    return "".join(f"#define {d.partition('=')[0]} {d.partition('=')[2] or (1 if '=' not in d else '')}\n" for d in defines)


def search_flags(request: BuildRequest, files: Iterable[Path]) -> tuple[str, ...]:
    """Where the includes of a unit's files are looked for."""
    folders = [("-iquote", str(file.parent)) for file in files]
    folders += [("-I", str(folder)) for folder in request.include_dirs]
    return tuple(word for pair in dict.fromkeys(folders) for word in pair)


def _key(request: BuildRequest, units: list[Mapping[Path, str]], compiler: Compiler, own: toolchain.Digests, flags: tuple[str, ...]) -> str:
    parts = [compiler.version, own.all, *flags, str(request.promote_float), request.noted_function or ""]
    for group in (request.defines, request.kernels, map(str, request.include_dirs), request.libraries):
        parts += ["|", *group]
    for unit in units:
        for path, text in unit.items():
            parts += [str(path), text]
    return _digest(parts)


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


def _cached(final: Path) -> BuildReply:
    stored = serialize.loads(_StoredReply, (final / _REPLY_FILE).read_text(encoding="utf-8"))
    if stored.built is not None:
        return replace(stored.built, program=final / _PROGRAM_FILE, is_cached=True, compile_s=0.0)
    reply = stored.failed or stored.cannot_promote
    assert reply is not None, "a cache entry holds exactly one reply"
    return reply


def _stored(reply: BuiltProgram | BuildFailure | CannotPromote) -> _StoredReply:
    match reply:
        case BuiltProgram():
            return _StoredReply(built=reply)
        case BuildFailure():
            return _StoredReply(failed=reply)
        case CannotPromote():
            return _StoredReply(cannot_promote=reply)


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')
