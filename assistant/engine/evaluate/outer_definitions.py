"""Macros and integer constants that a version's other files define before one of its kernels.

Example::

    outer_definitions_of(version, version.kernels[0])     # '#define TILE 16\\n'
"""

from __future__ import annotations

from assistant.cuda.outer_definitions import outer_definitions
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Kernel, Source
from assistant.program.given_flags import folders_in, macros_in_flags

__all__ = ["outer_definitions_of"]


def outer_definitions_of(version: SourceVersion, kernel: Kernel, elsewhere: tuple[Source, ...] = ()) -> str:
    """As text. ``kernel``: of the file in question. ``elsewhere``: files of other programs that may include it, too."""
    flags = version.program.flags.arguments
    others = (*elsewhere, *version.sources[1:], *version.headers)
    folders = folders_in(flags, (str(version.source.path.parent),))
    return outer_definitions(version.source, others, kernel.span.start, folders, macros_in_flags(flags))
