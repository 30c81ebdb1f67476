"""Ready-made libraries that an edit asks for without calling them by name: loaded at run time, named in a text, put together by macros.

What a program puts together while it runs cannot be seen here, but what loads it can. Example::

    hidden_library(["void run() {}"], ['void run() { dlopen(path, 1); }'])     # "dlopen, which loads code at run time"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.cuda.code_patterns import CodePattern, squeezed
from assistant.cuda.code_text import uncommented
from assistant.cuda.macro_expansion import MacroTable, expanded, macro_table
from assistant.verify.text import beyond

__all__ = ["hidden_library"]

_LIBRARIES = r"(?:cublas|cudnn|cufft|cusparse|cusolver|curand|cutensor|nccl|npp)"
_LOADERS = r"(?:dlm?open|dlv?sym|LoadLibrary\w*|GetProcAddress|cu(?:da)?LibraryLoad\w*|cuModuleLoad\w*|cuLinkAdd\w*)"
"""Of the C library, of Windows and of CUDA (Driver API 13.0, "Library Management", "Module Management")."""
_LOADED = CodePattern(rf"\b({_LOADERS})\b")
_NAMED = CodePattern(rf'"((?:[^"\n]*\b)?lib{_LIBRARIES}[^"\n]*|{_LIBRARIES}[A-Z_]\w*|{_LOADERS})"')
"""A literal that names a library's file, or a function as ``dlsym`` and an assembler's name for a declaration have it."""
_PASTED = CodePattern(rf"\b({_LIBRARIES}[A-Z_]\w*|{_LOADERS})\b")


def hidden_library(before: Iterable[str], after: Iterable[str]) -> str | None:
    """What the texts of a program ask of libraries beyond what they did, in words; None where nothing is seen."""
    old, new = [uncommented(text) for text in before], [uncommented(text) for text in after]
    if old == new:
        return None
    pasted = _new(_PASTED, _pieces(old), _pieces(new)) if any("##" in macro.body for macro in macro_table(*new).values()) else None
    loaded = _new(_LOADED, old, new)
    if loaded is not None:
        return f"{loaded}, which loads code at run time"
    named = _new(_NAMED, map(_joined, _pieces(old)), map(_joined, _pieces(new)))
    return pasted if named is None else named


def _new(pattern: CodePattern, before: Iterable[str], after: Iterable[str]) -> str | None:
    old, new = ([match for text in texts for match in pattern.matches(text)] for texts in (before, after))
    return next((match.text for match in beyond(old, new)), None)


def _pieces(texts: list[str]) -> Iterator[str]:
    """The texts with their macros expanded, statement by statement, as an expansion has a longest length."""
    macros: MacroTable = macro_table(*texts)
    for text in texts:
        yield ";".join(expanded(piece, macros) for piece in text.split(";")) if macros else text


def _joined(code: str) -> str:
    """With literals that stand next to each other as one, which is what they are."""
    return squeezed(code).replace('" "', "").replace('""', "")
