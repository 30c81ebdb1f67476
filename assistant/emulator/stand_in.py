"""Answers as nvcc does while a build is configured, where there is none: with g++ and the emulator's own headers.

CMake asks a CUDA compiler for its version and its toolkit, compiles a source that names it, reads that program's strings, and tries
further sources. What is compiled so is never run as CUDA, and a kernel launch in such a source does not compile. `make_stand_in` puts a
folder in the place of a toolkit, with a script in nvcc's place; configured builds find these by the variable ``CUDACXX``. Example::

    make_stand_in(Path("/p/.kernelopt/cmake/toolkit"))     # Path("/p/.kernelopt/cmake/toolkit/bin/nvcc")
    /p/.kernelopt/cmake/toolkit/bin/nvcc --version
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["g_plus_plus_words", "main", "make_stand_in"]

_VERSION = "13.0"
"""Version of the toolkit whose headers the emulator's own stand for (``include/emu/keywords.h``)."""
_DEFAULT_ARCHITECTURE = "75"
"""What nvcc 13.0 compiles for by default (nvcc 13.0 manual, ``--gpu-architecture``)."""
_HERE = Path(__file__).parent
_SOURCE_SUFFIXES = frozenset({".cu", ".cpp", ".cc", ".cxx", ".c"})
_HEADER_FLAGS = ("-DEMU_BARE_PRELUDE", "-include", "emu_prelude.h", "-w")
_CHOICES = frozenset({"-c", "-E", "-S", "-M", "-MM", "-MD", "-MMD", "-MP", "-shared", "-static", "-pthread", "-w", "-P"})
_WITH_VALUE = frozenset({"-o", "-MF", "-MT", "-MQ", "-I", "-D", "-U", "-L", "-l", "-isystem", "-include", "-Xlinker"})
"""Flags of nvcc that g++ spells alike."""
_PREFIXES = ("-I", "-D", "-U", "-L", "-l", "-isystem", "-O", "-std=", "-g", "-f", "-m", "-Wl,")
_NOT_FOR_HOST = ("-forward-", "-fmad", "-ftz", "-gencode", "-maxrregcount", "-generate-", "-g-", "-lineinfo", "-ldir", "-lto", "-minimal")
"""What begins like a flag of g++ and is one of nvcc's alone."""
_OLD_STANDARD = re.compile(r"-std=(?:c|gnu)\+\+(?:98|03|0x|11|1y|14)")
"""The emulator's headers need C++17."""
_TO_HOST = ("-Xcompiler", "--compiler-options")
_ASKED_OF_HOST = frozenset({"--version", "-dumpversion", "-dumpfullversion", "-dumpmachine"})
"""What builds ask the host compiler through nvcc."""
_SKIPPED_WITH_VALUE = frozenset(
    {"-ccbin", "--compiler-bindir", "-gencode", "--generate-code", "-arch", "--gpu-architecture", "-code", "--gpu-code", "--keep-dir"}
    | {"-Xptxas", "--ptxas-options", "-Xcudafe", "-Xnvlink", "-Xfatbin", "-Xarchive", "-cudart", "--cudart", "-t", "--threads", "-x"}
    | {"-Werror", "--Werror", "-diag-suppress", "--diag-suppress", "-maxrregcount", "--maxrregcount", "-odir", "-keep-dir"}
)
"""nvcc 13.0 manual, "NVCC Command Options"."""
_LIBRARIES = (
    *("cudart", "cuda", "cublas", "cublasLt", "cufft", "cufftw", "cufile", "curand", "cusolver", "cusparse", "nvrtc", "nvJitLink"),
    *("nvjitlink", "nvrtc-builtins", "nvToolsExt", "nvml", "nvidia-ml", "cupti", "nvjpeg", "nvblas", "OpenCL", "nppc", "nppial", "nppicc"),
    *("nppidei", "nppif", "nppig", "nppim", "nppist", "nppisu", "nppitc", "npps", "culibos", "nvfatbin", "nvptxcompiler"),
)
"""CMake 4.4, FindCUDAToolkit: names that targets ``CUDA::NAME`` are made of."""
_EMPTY_LIBRARY = "/* placeholder for a library of the CUDA toolkit while a build is configured; it holds nothing */\n"
"""The linker reads it as a script that names nothing."""
_DEVICES = """\
// What a program asks to see which GPUs there are: one of a data centre of today.
#include <cuda_runtime.h>
extern "C" cudaError_t cudaGetDeviceCount(int *count) { *count = 1; return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *of, int) { of->major = 9; of->minor = 0; return cudaSuccess; }
"""


def make_stand_in(folder: Path) -> Path:
    """Makes a toolkit's folder and returns the script in nvcc's place. Raises OSError where it cannot be written."""
    for name in ("bin", "lib64/stubs", "nvvm/libdevice"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "include").symlink_to(_HERE / "include", target_is_directory=True)
    (folder / "version.json").write_text(f'{{"cuda": {{"name": "CUDA SDK", "version": "{_VERSION}.0"}}}}\n', "utf-8")
    compiler = folder / "bin" / "nvcc"
    words = (sys.executable, "-S", "-P", "-m", "assistant.emulator.stand_in", str(folder))
    compiler.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(_HERE.parents[1]))} exec {shlex.join(words)} "$@"\n', "utf-8")
    compiler.chmod(0o755)
    _make_libraries(folder)
    return compiler


def _make_libraries(folder: Path) -> None:
    """Those that name nothing, and a runtime that knows one GPU."""
    for name in _LIBRARIES:
        for file in (f"lib{name}.so", f"lib{name}_static.a", f"stubs/lib{name}.so"):
            (folder / "lib64" / file).write_text(_EMPTY_LIBRARY, "utf-8")
    (folder / "lib64" / "libcudadevrt.a").write_text(_EMPTY_LIBRARY, "utf-8")
    source, made = folder / "devices.cu", folder / "lib64" / "devices.o"
    source.write_text(_DEVICES, "utf-8")
    main(folder, ["-c", str(source), "-o", str(made)])
    for name in ("libcudart.so", "libcudart_static.a"):
        (folder / "lib64" / name).write_text(f'INPUT("{made}")\n', "utf-8")


def main(toolkit: Path, arguments: list[str]) -> int:
    """What nvcc would end with."""
    words = list(_expanded(arguments))
    asked = [word for word in g_plus_plus_words(words) if word in _ASKED_OF_HOST]
    if asked:
        return _run(asked)
    if any(word in ("--version", "-V") for word in words):
        sys.stdout.write(_version_text())
        return 0
    sources = [word for word in words if Path(word).suffix in _SOURCE_SUFFIXES and not word.startswith("-")]
    if "-dlink" in words or "--device-link" in words:
        return _run(("-x", "c++", "-c", os.devnull, *_value(words, "-o", "a_dlink.o")))
    if any(word in ("-v", "--verbose", "--dryrun", "-dryrun") for word in words):
        sys.stderr.write(_verbose_text(toolkit))
    if not any(Path(word).exists() for word in words if not word.startswith("-")):
        sys.stderr.write("nvcc fatal   : No input files specified (kernelopt answers in nvcc's place)\n")
        return 1
    return _run(_command(toolkit, words, sources))


def _command(toolkit: Path, words: list[str], sources: list[str]) -> tuple[str, ...]:
    is_link = not any(word in words for word in ("-c", "-dc", "-E", "-M", "-MM", "-S"))
    headers = (*_HEADER_FLAGS, f"-I{toolkit / 'include'}") if sources else ()
    linked = (f"-L{toolkit / 'lib64'}", "-lcudart_static") if is_link else ()
    return (*headers, *g_plus_plus_words(words), *linked)


def g_plus_plus_words(words: Iterable[str]) -> Iterator[str]:
    """The words of g++ for those of nvcc; what is about device code alone is left out."""
    waiting = iter(words)
    for word in waiting:
        name, equals, value = word.partition("=")
        if name in _TO_HOST:
            yield from filter(None, re.split(r"[,\s]+", value if equals else next(waiting, "")))
        elif word in _WITH_VALUE:
            yield from (word, next(waiting, ""))
        elif word in _SKIPPED_WITH_VALUE:
            next(waiting, None)
        elif word in ("-dc", "--device-c"):
            yield "-c"
        elif word in _CHOICES or (word.startswith(_PREFIXES) and not (word.startswith(_NOT_FOR_HOST) or _OLD_STANDARD.fullmatch(word))):
            yield word
        elif not word.startswith("-"):
            yield from ("-x", "c++", word, "-x", "none") if Path(word).suffix in _SOURCE_SUFFIXES else (word,)


def _expanded(arguments: Iterable[str]) -> Iterator[str]:
    """With the words of files that the command line names in their place."""
    waiting = iter(arguments)
    for word in waiting:
        if word in ("--options-file", "-optf"):
            for name in next(waiting, "").split(","):
                yield from shlex.split(Path(name).read_text("utf-8"))
        else:
            yield word


def _value(words: list[str], flag: str, default: str) -> tuple[str, str]:
    return flag, words[words.index(flag) + 1] if flag in words[:-1] else default


def _run(arguments: Iterable[str]) -> int:
    host = os.environ.get("CUDAHOSTCXX") or "g++"
    return subprocess.run((host, *arguments), check=False).returncode


def _version_text() -> str:
    return (
        "nvcc: NVIDIA (R) Cuda compiler driver\n"
        "kernelopt answers in its place, to configure a build without the CUDA toolkit\n"
        f"Cuda compilation tools, release {_VERSION}, V{_VERSION}.0\n"
    )


def _verbose_text(toolkit: Path) -> str:
    """What CMake reads (CMakeCUDAFindToolkit, CMakeNVCCParseImplicitInfo): where the toolkit lies, and a link line."""
    libraries = f'"-L{toolkit}/lib64/stubs" "-L{toolkit}/lib64"'
    return (
        f"#$ TOP={toolkit}\n"
        f"#$ NVVMIR_LIBRARY_DIR={toolkit}/nvvm/libdevice\n"
        f"#$ PATH={toolkit}/bin:{os.environ.get('PATH', os.defpath)}\n"
        f'#$ INCLUDES="-I{toolkit}/include"\n'
        f"#$ LIBRARIES=  {libraries}\n"
        "#$ SYSTEM_INCLUDES=\n"
        f"#$ cicc -arch compute_{_DEFAULT_ARCHITECTURE}\n"
        f'#$ g++ -m64 -Wl,--start-group "a.o" {libraries} -lcudadevrt -lcudart_static -lrt -lpthread -ldl -Wl,--end-group -o "a.out"\n'
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
