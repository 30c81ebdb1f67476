"""Whether a translation unit has anything to do with CUDA: ``nvcc`` leaves a ``.cpp`` to the host compiler and adds no header to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.emulator.translate.context import LexedFile
from assistant.emulator.translate.lexer import Kind, Token, directive_name

_HOST_SUFFIXES = {".cpp", ".cc", ".cxx", ".c++"}
_HEADER = re.compile(
    r"""[ \t]*#[ \t]*include[ \t]*["<](?:\w+/)*
    (?:cu[A-Z_]|cuda|cooperative_groups|vector_(?:types|functions)|device_|driver_|builtin_types|host_defines|channel_descriptor|sm_\d
    |math_constants|math_functions|nvtx|nvToolsExt|curand|cublas|cufft|cusparse|cusolver|cudnn|thrust|cub/|mma\.h|helper_)""",
    re.VERBOSE,
)
_WORDS = re.compile(r"__(?:global|device|host|shared|constant|managed)__|cuda[A-Z]\w*|cu[A-Z]\w*|threadIdx|blockIdx|blockDim|gridDim|<<<")


def uses_cuda(files: Sequence[LexedFile]) -> bool:
    """Whether the unit is CUDA's by its suffix, or includes a header or says a word of CUDA's; ``files``: the main file first."""
    if files[0].path.suffix not in _HOST_SUFFIXES:
        return True
    return any(_is_of_cuda(token) for file in files for token in file.tokens)


def _is_of_cuda(token: Token) -> bool:
    if token.kind is Kind.DIRECTIVE:
        return directive_name(token) == "include" and _HEADER.match(token.text) is not None
    return token.kind is not Kind.STRING and _WORDS.fullmatch(token.text) is not None
