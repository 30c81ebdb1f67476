"""A source that needs PyTorch's headers where no Python file was found that builds it: a ``setup.py`` that computes its sources, say.

Its kernels are looked at as those of any other extension, without what calls PyTorch. Example::

    unbuilt_extension(sources, "/p/csrc/cuda/knn_cuda.cu", flags).why    # 'knn_cuda.cu includes PyTorch's headers, and …'
"""

from __future__ import annotations

import re
from pathlib import Path

from assistant.build.units import is_unit
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.program.given_flags import folders_in, macros_in_flags
from assistant.program.linking import Linker
from assistant.program.searching import headers_of, include_folder_flags
from assistant.program.sources import Sources
from assistant.program.torch_place import torch_place

__all__ = ["NO_TORCH", "unbuilt_extension"]

_HEADER = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:torch|ATen|c10)/", re.MULTILINE)
_DEVICE = "__global__"
NO_TORCH = "PyTorch was not found, whose headers the sources need: start kernelopt where it is installed"
_NO_SCRIPT = 'no script that runs it was found: write [program.NAME] with sources = […] and run = "python …" into kernelopt.toml'


def unbuilt_extension(sources: Sources, file: str, flags: tuple[str, ...]) -> FoundProgram | None:
    """None for a source that includes none of PyTorch's headers, and for a header, whose units are not known.

    ``flags``: the user's own.
    """
    text = sources.text(file) if is_unit(file) else None
    if text is None or _DEVICE not in text:
        return None
    folders, macros = folders_in(flags, (sources.root,)), macros_in_flags(flags)
    linker = Linker(sources, (file,), lambda _: folders, lambda _: macros)
    headers = headers_of(linker, (file,))
    includes_it = (_HEADER.search(each) for each in (text, *(sources.text(str(header)) or "" for header in headers)))
    if not any(includes_it):
        return None
    path, torch = sources.path(file), torch_place(Path(sources.root))
    of_torch = () if torch is None else torch.flags(path.stem)
    return FoundProgram(
        name=path.name,
        units=(path,),
        origin=ProgramOrigin.EXTENSION,
        why=f"{path.name} includes PyTorch's headers, and no Python file was found that builds it",
        headers=headers,
        flags=(*of_torch, *include_folder_flags(linker, (file,))),
        extension=path.stem,
        unclear=_NO_SCRIPT,
    )
