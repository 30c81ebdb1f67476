"""Where the kernels of a program are whose file with ``main()`` has none: a row over ``main()`` leads to them.

Example::

    kernels_elsewhere(request, program)     # (KernelPlace("step", Path("/p/diffuse.cuh"), 14), …)
"""

from __future__ import annotations

from assistant.cuda.parse import parse
from assistant.editor.file_texts import text_of
from assistant.engine import JobRequest, KernelPlace
from assistant.model.program import FoundProgram
from assistant.model.source import Source

__all__ = ["kernels_elsewhere"]

_KERNEL = "__global__"


def kernels_elsewhere(request: JobRequest, program: FoundProgram | None) -> tuple[KernelPlace, ...]:
    """Kernels of the program's other files, those that this one launches first; none for a file with kernels, or without ``main()``."""
    text = text_of(request, request.file)
    if program is None or _KERNEL in text:
        return ()
    own = parse(Source(request.file, text))
    if own.kernels or not own.has_main:
        return ()
    others = ((path, text_of(request, path)) for path in program.files if path != request.file)
    found = [
        KernelPlace(kernel.qualified_name, path, kernel.line)
        for path, other in others
        if _KERNEL in other
        for kernel in parse(Source(path, other)).kernels
    ]
    launched = {site.kernel_name for site in own.launch_sites}
    return tuple(sorted(found, key=lambda place: place.name.rpartition("::")[2] not in launched))
