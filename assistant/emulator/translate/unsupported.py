"""What the emulator cannot run, found in the text, so that the user reads one clear sentence instead of compiler errors."""

from __future__ import annotations

import re

from assistant.emulator.translate.context import LexedFile, UnitContext
from assistant.emulator.translate.lexer import Kind, Token, directive_name
from assistant.emulator.translate.ptx import ASM_WORDS, ptx_edit
from assistant.emulator.translate.structure import Function
from assistant.record import Record

_INCLUDES: tuple[tuple[str, str], ...] = (
    ("thrust/", "Thrust"), ("cub/", "CUB"), ("cuda/std/", "libcu++"), ("cuda/", "libcu++"), ("cublas", "cuBLAS"), ("cufft", "cuFFT"),
    ("cusparse", "cuSPARSE"), ("cusolver", "cuSOLVER"), ("cudnn", "cuDNN"), ("curand_kernel", "cuRAND"), ("curand", "cuRAND"),
    ("nvrtc", "NVRTC"), ("cute/", "CuTe"), ("cutlass/", "CUTLASS"), ("nccl", "NCCL"),
    ("npp", "NPP"), ("cuda_fp6", "6-bit floating point"), ("cuda_fp4", "4-bit floating point"),
    ("cuda_gl_interop", "OpenGL interoperability"), ("texture_fetch_functions", "textures"), ("optix", "OptiX"), ("nvml", "NVML"),
    ("cufile", "GPUDirect Storage"), ("cusolver", "cuSOLVER"), ("nvjpeg", "nvJPEG"), ("torch/", "PyTorch's C++ headers"),
)  # fmt: skip
_WORDS = {
    "__pipeline_arrive_on": "asynchronous copies that arrive at a barrier in memory", "__mbarrier_t": "barriers in memory (mbarrier)",
    "__mbarrier_init": "barriers in memory (mbarrier)", "__mbarrier_arrive": "barriers in memory (mbarrier)",
    "cudaBindTexture": "texture references", "cudaBindTextureToArray": "texture references",
    "tex2DLod": "fetches from mipmaps", "tex2Dgather": "gathering texture fetches", "texCubemap": "cube maps",
    "surf1Dread": "surface accesses", "surf1Dwrite": "surface accesses", "surf3Dread": "surface accesses",
    "surf3Dwrite": "surface accesses",
    "surf2Dread": "surface accesses", "surf2Dwrite": "surface accesses", "this_cluster": "thread block clusters",
    "cluster_group": "thread block clusters", "cudaGridDependencySynchronize": "programmatic dependent launch",
    "cuModuleLoad": "the driver API", "cuModuleLoadData": "the driver API", "cuLaunchKernel": "the driver API", "cuInit": "the driver API",
    "cuMemAlloc": "the driver API", "cuCtxCreate": "the driver API", "CUtensorMap": "the tensor memory accelerator",
    "cudaIpcGetMemHandle": "inter-process memory",
}  # fmt: skip
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*[\"<]([^\">]+)[\">]")


class UnsupportedConstruct(Record):
    """A construct and where it stands, as an offset into its file."""

    construct: str
    offset: int
    header: str | None = None
    """For an ``#include``: the header that it names."""
    stop: int = 0
    """For an ``#include``: where the line ends."""
    is_no_cuda: bool = False
    """Whether no compiler takes it."""


def find_unsupported(file: LexedFile, context: UnitContext) -> list[UnsupportedConstruct]:
    """Each place of what the emulator cannot run, in file order."""
    found: list[UnsupportedConstruct] = []

    def note(construct: str, token: Token) -> None:
        found.append(UnsupportedConstruct(construct, token.start))

    for token in file.tokens:
        if token.kind is Kind.DIRECTIVE and directive_name(token) == "include":
            library = _library_of(token)
            if library is not None:
                found.append(UnsupportedConstruct(library[1], token.start, library[0], token.end))
        elif token.text == "texture" and _is_texture_reference(file, token):
            note("texture references", token)
        elif token.text == "experimental" and file.text[: token.start].rstrip().endswith(("nvcuda::", "wmma::")):
            note("experimental fragments and pipelines", token)
        elif token.text in _WORDS and token.kind is Kind.NAME:
            note(_WORDS[token.text], token)
    for kernel in _member_kernels(file, context):
        place = file.code.tokens[kernel.head.start].start
        found.append(UnsupportedConstruct("a kernel that is a member of a class, and neither does CUDA", place, is_no_cuda=True))
    for function in _device_functions(file, context):
        for i in function.body or ():
            token = file.code.tokens[i]
            if token.text in ASM_WORDS and ptx_edit(file.code, i) is None:
                note(f"inline PTX ({_instruction(file, i)})", token)
            elif token.text == "<<<":
                note("kernel launches from device code (dynamic parallelism)", token)
    return sorted(found, key=lambda u: u.offset)


def _library_of(token: Token) -> tuple[str, str] | None:
    """(what is included, the library)."""
    match = _INCLUDE.match(token.text)
    if match is None:
        return None
    return next(((match.group(1), name) for prefix, name in _INCLUDES if match.group(1).startswith(prefix)), None)


def _is_texture_reference(file: LexedFile, token: Token) -> bool:
    return file.text[token.end :].lstrip().startswith("<")


def _member_kernels(file: LexedFile, context: UnitContext) -> list[Function]:
    functions = [d for d in file.code_declarations if isinstance(d, Function)]
    return [d for d in functions if d.is_member and d.words & context.global_words and "friend" not in d.words]


def _device_functions(file: LexedFile, context: UnitContext) -> list[Function]:
    return [d for d in file.code_declarations if isinstance(d, Function) and d.body and d.words & context.device_words]


def _instruction(file: LexedFile, i: int) -> str:
    text = next((t.text for t in file.code.tokens[i : i + 4] if t.kind is Kind.STRING), '""')
    return text.strip('"').split(";")[0].strip("{ ")[:40]
