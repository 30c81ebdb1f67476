"""The host compiler: found and judged, its flags, the precompiled prelude and the runtime objects.

Everything here is kept in the cache folder under a hash of what it was made from; a second process waits for the first by file lock.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

from assistant.build.full_disk import REMEDY
from assistant.disk.cached import note_use
from assistant.model.build import CompilerMissing
from assistant.record import Record
from assistant.worker.launcher import Launcher
from assistant.worker.readable import NO_FILES, ProgramFiles, compiler_access, tool_places
from assistant.worker.tools import ToolSetting, run_tool, run_tools

Flavour = Literal["fast", "fused", "counted", "checked"]
RUNTIME_TIMEOUT_S = 600.0
"""For each compiler process of what all programs share: made once, perhaps while others keep the processors busy."""

HERE = Path(__file__).parent
INCLUDE_DIR = HERE / "include"
RUNTIME_DIR = HERE / "runtime"
_OLDEST_MAJOR = 11

_COMMON_FLAGS = (
    *("-U_REENTRANT", "-U__NO_MATH_ERRNO__", "-U__SANITIZE_THREAD__"),  # what the flags below define, and nvcc does not
    "-O2",
    "-g1",  # line tables: an address becomes a source line
    "-gdwarf-4",  # of DWARF 5, addr2line 2.40 names code before a table's first file number after unit.cpp, not after its source
    "-pthread",
    "-w",  # warnings of the host compiler about device code mislead
    "-fno-pie",  # addresses of code are small and equal from run to run
    "-fno-pic",
    "-ftls-model=local-exec",  # shared memory and the thread context are one instruction away
    "-fno-stack-protector",
    "-fcf-protection=none",
    "-ffp-contract=off",  # no fused multiply-add unless the source asks for it
    "-fno-math-errno",
    "-fno-strict-aliasing",  # nvcc does not use type-based aliasing; with it loads would be hoisted that a GPU repeats
    "-ffunction-sections",  # what a function refers to is read from its section's relocations (device_calls)
    "-fdata-sections",
    "-fno-builtin-printf",  # or device code that prints would seem to call puts, which CUDA has no device form of
    "-fmax-errors=20",
)
_COUNTED_FLAGS = (
    "-fsanitize=thread",  # a call at every load and store; libtsan is not linked, the core implements the calls
    "-fsanitize-coverage=trace-pc",  # a call per basic block: lanes are re-aligned by it
    "--param=tsan-instrument-func-entry-exit=0",
    "--param=tsan-distinguish-volatile=1",  # legacy lock-step code is recognised by its volatile accesses
    "-fno-tree-sra",  # a float4 access arrives as one 16-byte hook
    "-fno-ipa-sra",
    "-fno-ipa-cp",
    "-fno-ipa-icf",  # the following keep every access on its own line and the blocks in program order
    "-fno-code-hoisting",
    "-fno-tree-tail-merge",
    "-fno-crossjumping",
    "-fno-jump-tables",
    "-fno-tree-vectorize",
    "-fno-tree-loop-distribute-patterns",
    "-fno-reorder-blocks",
    "-fno-reorder-blocks-and-partition",
    "-fno-partial-inlining",
    "-fno-if-conversion",
    "-fno-if-conversion2",
    "-fno-split-loops",
    "-fno-unswitch-loops",
    "-fno-thread-jumps",
    "-fno-optimize-sibling-calls",  # an atomic at a function's end still returns into the kernel
)
_CHECKED_FLAGS = (
    f"-I{INCLUDE_DIR / 'checked'}",  # emu_promises.h
    # every access that the source makes is made, for the race and initialisation checks: none is taken from a register, dropped because
    # a later one overwrites it, moved out of a loop or into a branch, or made where the source does not make it
    "-fno-tree-fre",
    "-fno-tree-pre",
    "-fno-tree-dse",
    "-fno-tree-dominator-opts",
    "-fno-tree-loop-im",
    "-fno-tree-sink",
    "-fno-tree-cselim",
    "-fno-hoist-adjacent-loads",
    "-fno-finite-loops",  # a loop that only waits for another thread is not dropped
    "-fno-ipa-reference-addressable",  # or a shared variable that is never read loses its stores, one never written its loads
)
_FLAVOUR_FLAGS: dict[Flavour, tuple[str, ...]] = {
    "fast": (),
    "fused": (*_COUNTED_FLAGS, "-ffp-contract=fast"),
    "counted": _COUNTED_FLAGS,
    "checked": (*_COUNTED_FLAGS, *_CHECKED_FLAGS),
}
_versions: dict[tuple[str, int, int, int], str] = {}
"""By compiler: a worker builds many programs."""
PRELUDE_TEXT = '#include "emu_prelude.h"\n'
PREPROCESS_TIMEOUT_S = 20.0
"""It takes a tenth of a second; a header may be a pipe that never ends."""
BARE_FLAGS = ("-DEMU_BARE_PRELUDE",)
HOST_UNIT_FLAGS = ("-DEMU_HOST_UNIT",)
"""For a unit without CUDA, which reads next to nothing of the prelude: it need not be precompiled."""
_C_UNIT_FLAGS = (
    "-fvisibility=protected",  # marks host functions for device_calls, as the translator does in C++
    "-I",
    str(INCLUDE_DIR),
)
_RUNTIME_FLAGS = ("-std=gnu++17", "-O2", "-pthread", "-fno-pie", "-fno-pic", "-ftls-model=local-exec", "-fcf-protection=none")
_FIRST_OBJECT = "before_shared-"
"""Prefix of the runtime's object whose definitions stand in front of the program's shared memory."""
_FIRST_OF_OTHERS = "after_variables-"
"""Prefix of the one whose definitions stand between the program's variables and the runtime's."""
_JOIN_FLAGS = ("-r", "-no-pie", "-nostdlib")
_LINK_FLAGS = ("-no-pie", "-pthread", "-Wl,-z,noexecstack")


class Compiler(Record):
    """A usable g++."""

    path: Path
    version: str
    """``12.2.0``"""

    @property
    def name(self) -> str:
        return f"g++ {self.version} (emulator)"


class StorageFailure(Record):
    """The cache folder cannot be written: full, read-only or gone."""

    reason: str
    is_full: bool = False
    """No space is left, or a limit on files or the user's quota is reached."""

    @property
    def remedy(self) -> str:
        if self.is_full:
            return REMEDY
        return "make that folder writable, or name another one in KERNELOPT_HOME"


class Toolkit(Record):
    """The prelude and runtime of a flavour, ready in the cache."""

    prelude: Path
    """Header to include first; its precompiled form lies next to it."""
    objects: tuple[Path, ...]


class RuntimeBuildError(Exception):
    """The emulator's own sources did not compile: a defect of ours or of the compiler, never of the user's program."""


def find_compiler(search_path: str, launcher: Launcher | None = None) -> Compiler | CompilerMissing:
    """The first ``g++`` on ``search_path`` that is new enough."""
    found = shutil.which("g++", path=search_path)
    remedy = "install g++ 11 or newer (Debian, Ubuntu: apt install g++)"
    if found is None:
        other = shutil.which("clang++", path=search_path)
        reason = "no g++ on PATH" + ("; clang++ is there, but the emulator needs g++'s instrumentation" if other else "")
        return CompilerMissing(reason, remedy)
    said = _asked_version(found, launcher)
    match = re.match(r"(\d+)(\.\d+)*", said)
    if match is None:
        return CompilerMissing(f"{found} does not report its version: {said[:200]}", remedy)
    if int(match.group(1)) < _OLDEST_MAJOR:
        return CompilerMissing(f"{found} is version {match.group(0)}; the emulator needs {_OLDEST_MAJOR} or newer", remedy)
    return Compiler(Path(found), match.group(0))


def _asked_version(compiler: str, launcher: Launcher | None) -> str:
    """What it prints; asked again only once its file is another one, or where it prints no number."""
    status = Path(compiler).stat()
    file = (compiler, status.st_ino, status.st_size, status.st_mtime_ns)
    if file not in _versions:
        run = run_tool((compiler, "-dumpfullversion", "-dumpversion"), 10.0, ToolSetting(launcher))
        said = run.output.strip()
        if not run.is_ok or not said[:1].isdigit():
            return said if not said[:1].isdigit() else f"it failed: {said}"
        _versions[file] = said
    return _versions[file]


def compile_flags(flavour: Flavour, standard: str, has_openmp: bool) -> tuple[str, ...]:
    """Flags that a translated source and its prelude share."""
    fused = ("-mfma",) if flavour == "fused" and _has_fma_by_flag() else ()
    return (f"-std=gnu++{standard}", *_COMMON_FLAGS, *_FLAVOUR_FLAGS[flavour], *fused, *(("-fopenmp",) if has_openmp else ()))


@cache
def _has_fma_by_flag() -> bool:
    """Whether this is an x86 processor with fused multiplication and addition, which compilers use only where an option asks for it."""
    try:
        return re.search(r"^flags\s*:.*\bfma\b", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE) is not None
    except OSError:
        return False


class Digests(Record):
    """Hashes of the emulator's own files."""

    prelude: str
    """Everything a translated source includes."""
    sources: tuple[tuple[Path, str], ...]
    """Each runtime source with the hash of it and of what it includes."""
    translator: str
    """The code that writes and compiles translations."""

    @property
    def all(self) -> str:
        return _key(self.prelude, self.translator, *(digest for _, digest in self.sources))


def own_digests() -> Digests:
    """Hashes of the emulator's own files as they are now."""
    headers = sorted(p for p in INCLUDE_DIR.rglob("*") if p.is_file())
    prelude = _files_digest([*headers, RUNTIME_DIR / "abi.h"])
    core = _files_digest(sorted(RUNTIME_DIR.glob("*.h")))
    sources: list[tuple[Path, str]] = []
    for path in sorted(RUNTIME_DIR.glob("*.cpp")):
        included = prelude if path.name.startswith("host_") else ""
        sources.append((path, _key(core, included, _files_digest([path]))))
    translator = _files_digest(sorted([*HERE.glob("*.py"), *HERE.glob("translate/*.py"), *(HERE.parent / "worker").glob("*.py")]))
    return Digests(prelude, tuple(sources), translator)


def prepare(compiler: Compiler, flags: tuple[str, ...], cache_dir: Path, own: Digests, launcher: Launcher | None) -> Toolkit:
    """The toolkit for ``flags``, built when it is not in the cache. Raises OSError, RuntimeBuildError."""
    objects = _runtime_objects(compiler, cache_dir / "runtime", own, launcher)
    key = _key(compiler.version, own.prelude, *flags)
    folder = _once(cache_dir / f"prelude-{key}", lambda d: _build_prelude(compiler, flags, d, launcher))
    return Toolkit(folder / "prelude.h", objects)


def setting(compiler: Compiler, files: ProgramFiles, toolkit: Toolkit | None, folder: Path, launcher: Launcher | None) -> ToolSetting:
    """How ``compiler`` is run on a program's ``files``: it writes to ``folder`` alone. ``toolkit``: None while that itself is made."""
    own = (INCLUDE_DIR, RUNTIME_DIR, *((toolkit.prelude.parent, *toolkit.objects) if toolkit is not None else ()))
    return ToolSetting(launcher, compiler_access(files, tool_places(compiler.path), own, (folder,)), folder)


def compile_source(compiler: Compiler, flags: tuple[str, ...], prelude: Path, source: Path, output: Path) -> tuple[str, ...]:
    """The command that compiles one translated source to an object."""
    return (str(compiler.path), *flags, "-I", str(INCLUDE_DIR), "-include", str(prelude), "-c", str(source), "-o", str(output))


def compile_c(compiler: Compiler, searched: tuple[str, ...], source: Path, output: Path, has_openmp: bool) -> tuple[str, ...]:
    """The command that compiles one unit in C to an object; no counter is in it, as it holds no device code."""
    extra = ("-fopenmp",) if has_openmp else ()
    return (str(compiler.path), "-x", "c", *_COMMON_FLAGS, *_C_UNIT_FLAGS, *extra, *searched, "-c", str(source), "-o", str(output))


def preprocess_source(compiler: Compiler, flags: tuple[str, ...], source: Path, output: Path, options: tuple[str, ...]) -> tuple[str, ...]:
    """The command that shows what of a source `compile_source` would compile, as ``options`` say; the prelude is read as text."""
    prelude = output.with_name("prelude.h")
    prelude.write_text(PRELUDE_TEXT, encoding="utf-8")
    command = (str(compiler.path), *flags, "-I", str(INCLUDE_DIR), "-include", str(prelude), *options, "-x", "c++", str(source))
    return (*command, "-o", str(output))


def expand_source(compiler: Compiler, source: Path, output: Path, options: tuple[str, ...]) -> tuple[str, ...]:
    """The command that expands a text which brings its macros with it."""
    return (str(compiler.path), *options, str(source), "-o", str(output))


def system_folders(compiler: Compiler, launcher: Launcher | None) -> tuple[str, ...]:
    """Where the compiler looks for headers by itself, as ``-v`` lists them."""
    run = run_tool((str(compiler.path), "-x", "c++", "-E", "-v", os.devnull), PREPROCESS_TIMEOUT_S, ToolSetting(launcher))
    listed = run.output.partition("search starts here:")[2].partition("End of search list")[0]
    return tuple(os.path.realpath(line.strip()) for line in listed.splitlines() if line.startswith(" /"))


def link(compiler: Compiler, objects: tuple[Path, ...], output: Path, has_openmp: bool, libraries: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The command that links a program from its objects, the runtime's and libraries of others, which it finds again when it runs."""
    extra = ("-fopenmp",) if has_openmp else ()
    folders = [word.removeprefix("-L") if word.startswith("-L") else str(Path(word).parent) for word in libraries if word[:2] != "-l"]
    found = tuple(f"-Wl,-rpath,{folder}" for folder in dict.fromkeys(folders))
    ordered = sorted(objects, key=lambda path: not path.name.startswith(_FIRST_OBJECT))
    return (str(compiler.path), *_LINK_FLAGS, *extra, *map(str, ordered), "-o", str(output), *libraries, *found, "-lm")


@contextmanager
def staging(parent: Path) -> Generator[Path]:
    """A new folder next to the final ones, removed at the end if it is still there."""
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".staging-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(folder: Path, final: Path) -> None:
    """Moves a finished folder to its place in one step; keeps the one that another process put there first."""
    try:
        folder.rename(final)
    except OSError:
        if not final.is_dir():
            raise


def _once(final: Path, build: Callable[[Path], None]) -> Path:
    if final.is_dir():
        note_use(final)
        return final
    from filelock import FileLock  # slow to import

    final.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{final}.lock"):
        if not final.is_dir():
            with staging(final.parent) as folder:
                build(folder)
                publish(folder, final)
    return final


def _runtime_objects(compiler: Compiler, folder: Path, own: Digests, launcher: Launcher | None) -> tuple[Path, ...]:
    """The first object, and one of all others joined: a link takes half as long. Made where not there yet, by one process at a time."""
    keyed = [(source, folder / f"{source.stem}-{_key(compiler.version, digest, *_RUNTIME_FLAGS)}.o") for source, digest in own.sources]
    first = next(path for _, path in keyed if path.name.startswith(_FIRST_OBJECT))
    others = sorted((path for _, path in keyed if path != first), key=lambda path: not path.name.startswith(_FIRST_OF_OTHERS))
    joined = folder / f"core-{_key(*(path.name for path in others))}.o"
    if not (first.is_file() and joined.is_file()):
        from filelock import FileLock  # slow to import

        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock"):
            missing = [(source, path) for source, path in keyed if not path.is_file()]
            how = setting(compiler, NO_FILES, None, folder, launcher)
            _compile_runtime(compiler, missing, how)
            _join(compiler, others, joined, how)
    note_use(first)
    note_use(joined)
    return first, joined


def _join(compiler: Compiler, objects: Sequence[Path], joined: Path, how: ToolSetting) -> None:
    partial = joined.with_suffix(f".{os.getpid()}.partial")
    try:
        run = run_tool((str(compiler.path), *_JOIN_FLAGS, *map(str, objects), "-o", str(partial)), RUNTIME_TIMEOUT_S, how)
        if not run.is_ok:
            raise RuntimeBuildError(f"{joined.name}: {run.output[:2000]}")
        partial.replace(joined)
    finally:
        partial.unlink(missing_ok=True)


def _compile_runtime(compiler: Compiler, missing: Sequence[tuple[Path, Path]], how: ToolSetting) -> None:
    """``missing``: (source, object)."""
    partial = {output: output.with_suffix(f".{os.getpid()}.partial") for _, output in missing}
    first = (str(compiler.path), *_RUNTIME_FLAGS, "-I", str(INCLUDE_DIR), "-c")
    commands = [(*first, str(source), "-o", str(partial[output])) for source, output in missing]
    try:
        with closing(run_tools(commands, RUNTIME_TIMEOUT_S, how)) as ended:
            for index, run in ended:
                source, output = missing[index]
                if not run.is_ok:
                    raise RuntimeBuildError(f"{source.name}: {run.output[:2000]}")
                partial[output].replace(output)  # kept even if the others are called off
    finally:
        for path in partial.values():
            path.unlink(missing_ok=True)


def _build_prelude(compiler: Compiler, flags: tuple[str, ...], folder: Path, launcher: Launcher | None) -> None:
    header = folder / "prelude.h"
    header.write_text(PRELUDE_TEXT, encoding="utf-8")
    command = (str(compiler.path), *flags, "-I", str(INCLUDE_DIR), "-x", "c++-header", str(header), "-o", f"{header}.gch")
    run = run_tool(command, RUNTIME_TIMEOUT_S, setting(compiler, NO_FILES, None, folder, launcher))
    if not run.is_ok:
        raise RuntimeBuildError(f"prelude: {run.output[:2000]}")


def _files_digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(str(path.relative_to(HERE.parent)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
