"""Which flags compilers are not started with: those by which a file of the workspace would start programs or write files.

Sources are compiled before anybody agreed to run them (`inspect`, the background of an editor), with flags that the workspace names. nvcc
itself hands its command lines to a shell, within double quotes. Example::

    refused_flag(("-O3", "-Xcompiler=-fopenmp,-wrapper,sh"))      # "-wrapper"
    refused_flag(("-DN=`id`",))                                   # "-DN=`id`"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["is_read_by_shell", "refused_flag"]

_SHELL = re.compile(r"[`$\x00-\x1f]|\\(?!\")")
"""What a shell acts upon within double quotes, and a backslash that would end the quoting of the quote behind it (seen with nvcc 13.0:
``-DX=$(id)`` and ``-DX=\\\\";id;\\\\"`` run ``id``)."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VALUE_NEXT = _words(
    """
    -I -D -U -isystem -include -std -O -Xptxas -Xcicc -maxrregcount --include-path --define-macro --undefine-macro --pre-include
    --system-include --ptxas-options --maxrregcount --std --optimize -diag-suppress --diag-suppress -ftz -fmad -prec-div -prec-sqrt
    """
)
"""Flags whose value may stand as the next word."""
_TO_HOST = _words("-Xcompiler --compiler-options")
_TO_ASSEMBLER = _words("-Xptxas --ptxas-options -Xcicc")
_NOT_TAKEN = _words(
    """
    -run --run -run-args --run-args -ccbin --compiler-bindir -arbin --archiver-binary -optf --options-file -ldir --libdevice-directory
    -target-dir --target-directory -use-local-env --use-local-env -qpp-config --qpp-config -forward-unknown-to-host-compiler
    --forward-unknown-to-host-compiler -forward-unknown-to-host-linker --forward-unknown-to-host-linker -forward-unknown-opts
    --forward-unknown-opts -Xlinker --linker-options -Xarchive --archive-options -Xnvlink --nvlink-options -o --output-file -odir
    --output-directory -keep --keep -keep-dir --keep-dir -save-temps --save-temps -clean --clean-targets -M --generate-dependencies -MM
    --generate-nonsystem-dependencies -MD --generate-dependencies-with-compile -MMD --generate-nonsystem-dependencies-with-compile -MF
    --dependency-output -time --time -fdevice-time-trace --fdevice-time-trace -objtemp --objdir-as-tempdir
    """
)
"""Options of nvcc that start programs, read further flags, or name files to write (nvcc 13.0 manual, "NVCC Command Options")."""
_HOST_WORD = re.compile(
    r"-(?:W(?![alp]\Z)[\w=+-]*|w|O\w*|g\w*|std=[\w+]+|m[\w.-]*(?:=[\w.+-]+)?|pedantic[\w-]*|ansi|pthread|pipe|[DUI].*|isystem.*|include.*"
    r"|f(?!plugin|dump|profile|callgraph|auto-profile|opt-info|save|use-ld|module|offload|lto|compare-debug|stack-usage"
    r"|diagnostics-(?!color|show))[\w-]*(?:=[\w.+-]+)?)",
    re.DOTALL,
)
"""Allowed options of the host compiler: warnings, optimization, macros, includes (GCC 15 manual, "Option Summary"); ``-wrapper``,
``-fplugin``, ``-B`` and ``-specs`` start programs, ``-fdump…``, ``-fprofile…``, ``-Wp,-MD`` and others write files."""
_HOST_VALUE_NEXT = _words("-I -D -U -isystem -include")
_ASSEMBLER_WORD = re.compile(r"--?(?!(?:o|output-file|optf|options-file)\b)[A-Za-z][\w-]*(?:=[\w.+-]+)?|\d+|true|false")
_SEPARATOR = re.compile(r"[,\s\"']+")


def refused_flag(arguments: Iterable[str]) -> str | None:
    """The first flag that is not taken; None where all are."""
    before = ""
    for word in arguments:
        refused = _refused(before, word)
        if refused is not None:
            return refused
        before = word
    return None


def is_read_by_shell(argument: str) -> bool:
    """Whether nvcc's shell would read more in it than its characters."""
    return _SHELL.search(argument) is not None


def _refused(before: str, word: str) -> str | None:
    if is_read_by_shell(word):
        return word
    name, equals, value = word.partition("=")
    for names, check in ((_TO_HOST, _host_words), (_TO_ASSEMBLER, _assembler_words)):
        if before in names:
            return next(check(word), None)
        if equals and name in names:
            return next(check(value), None)
    is_value = before in _VALUE_NEXT
    return word if name in _NOT_TAKEN or not (is_value or word.startswith("-")) else None


def _host_words(value: str) -> Iterator[str]:
    before = ""
    for word in filter(None, _SEPARATOR.split(value)):
        if before not in _HOST_VALUE_NEXT and _HOST_WORD.fullmatch(word) is None:
            yield word
        before = word


def _assembler_words(value: str) -> Iterator[str]:
    yield from (word for word in filter(None, _SEPARATOR.split(value)) if _ASSEMBLER_WORD.fullmatch(word) is None)
