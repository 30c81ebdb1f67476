"""What one translation unit says as a whole: kernel names, macros and what they are called with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant.emulator.translate.lexer import Kind, Macro, Token, lex, macro_of, without_disabled
from assistant.emulator.translate.stream import Stream, stream_of
from assistant.emulator.translate.structure import Declaration, Function, declarations, name_position
from assistant.record import Record

_BARRIER_MEMBERS = frozenset({"sync", "arrive_and_wait", "barrier_wait", "wait"})


class LexedFile(Record):
    """One user file, cut into streams."""

    path: Path
    text: str
    tokens: tuple[Token, ...]
    """All tokens, directives included, without ``#if 0`` branches."""
    code: Stream
    code_declarations: tuple[Declaration, ...]
    macros: tuple[tuple[Macro, Stream], ...]


@dataclass
class UnitContext:
    """Facts gathered over every file of the unit before any is edited."""

    kernel_names: set[str] = field(default_factory=set[str])
    global_words: set[str] = field(default_factory=lambda: {"__global__"})
    """``__global__`` and the macros that expand to it."""
    device_words: set[str] = field(default_factory=lambda: {"__device__", "__global__"})
    inline_words: set[str] = field(default_factory=lambda: {"__forceinline__", "always_inline", "__always_inline__"})
    """``__forceinline__`` and the macros that expand to it."""
    restrict_words: set[str] = field(default_factory=lambda: {"__restrict__", "__restrict"})
    """``__restrict__`` and the macros that expand to it."""
    has_barriers: bool = False
    """Whether a file or macro names something that the threads of a block wait at."""
    callee_parameters: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Per macro, the indexes of the parameters that its body launches, itself or through other macros."""


def lex_files(texts: Mapping[Path, str]) -> list[LexedFile]:
    """Tokens, brackets and declarations of every file of a unit; a byte order mark is a blank, as to a compiler."""
    texts = {path: f" {text[1:]}" if text.startswith("\ufeff") else text for path, text in texts.items()}
    lexed = {path: without_disabled(lex(text)) for path, text in texts.items()}
    macros = {p: [m for t in tokens if t.kind is Kind.DIRECTIVE and (m := macro_of(t, texts[p]))] for p, tokens in lexed.items()}
    code_macros = frozenset(m.name for found in macros.values() for m in found if any(t.text in ("{", ";") for t in m.body))
    files: list[LexedFile] = []
    for path, tokens in lexed.items():
        code = stream_of(tokens)
        streams = tuple((m, stream_of(m.body)) for m in macros[path])
        files.append(LexedFile(path, texts[path], tuple(tokens), code, tuple(declarations(code, code_macros)), streams))
    return files


def gather(files: list[LexedFile]) -> UnitContext:
    """The unit's context; files in any order."""
    context = UnitContext()
    macros = {m.name: (m, s) for f in files for m, s in f.macros}
    _find_words(context, [(m.name, s) for f in files for m, s in f.macros])
    for file in files:
        for stream, found in _streams(file):
            for declaration in found:
                if isinstance(declaration, Function) and is_stubbed_kernel(stream, declaration, context.global_words):
                    position = name_position(stream, declaration.head)
                    if position is not None:
                        context.kernel_names.add(kernel_name(stream, position[0])[0])
    _find_callee_parameters(context, macros)
    streams = (stream for file in files for stream in (file.code, *(each for _, each in file.macros)))
    context.has_barriers = any(is_barrier_word(token.text) for stream in streams for token in stream.tokens)
    return context


def is_barrier_word(text: str) -> bool:
    """``__syncthreads`` and its variants, what cooperative groups and barrier objects call theirs, PTX in a string."""
    return text.startswith("__syncthreads") or text in _BARRIER_MEMBERS or (text.startswith('"') and "bar" in text)


def is_stubbed_kernel(stream: Stream, function: Function, global_words: set[str]) -> bool:
    """Whether the function is a kernel that gets a launch stub. One whose head stands in two branches of an ``#if`` gets none: its
    launches go through a function pointer."""
    if function.is_member or not function.words & global_words:
        return False
    return function.body is None or function.body.start not in stream.alternatives


def kernel_name(stream: Stream, index: int) -> tuple[str, int]:
    """(name, its first token index) where ``index`` is the last token before the parameters; joins ``a ## b``, skips ``<…>``."""
    if stream.text(index) in (">", ">>", ">>>"):
        index = stream.open_angle(index) - 1
    first = index
    while stream.text(first - 1) == "##":
        first -= 2
    return "".join(stream.text(i) for i in range(first, index + 1)), first


def _streams(file: LexedFile) -> Iterator[tuple[Stream, tuple[Declaration, ...]]]:
    yield file.code, file.code_declarations
    for _, stream in file.macros:
        yield stream, tuple(declarations(stream))


def _find_words(context: UnitContext, macros: list[tuple[str, Stream]]) -> None:
    """Macros that expand to ``__global__``, ``__device__``, ``__forceinline__`` or ``__restrict__`` as specifiers, through other macros
    too. One that several branches define, as where only ``__CUDACC__`` brings such words, counts if one of its bodies has them."""
    changed = True
    while changed:
        changed = False
        for name, stream in macros:
            texts = {t.text for t in stream.tokens}
            # A body that defines a whole function is handled as code, not as a specifier.
            if "{" in texts:
                continue
            for words in (context.global_words, context.device_words, context.inline_words, context.restrict_words):
                if texts & words and name not in words:
                    words.add(name)
                    changed = True


def _find_callee_parameters(context: UnitContext, macros: dict[str, tuple[Macro, Stream]]) -> None:
    found = context.callee_parameters
    for name, (macro, stream) in macros.items():
        for i, token in enumerate(stream.tokens):
            last = i - 1
            if token.text == "<<<" and stream.text(last) in (">", ">>", ">>>"):
                last = stream.open_angle(last) - 1
            if token.text == "<<<" and macro.parameters and stream.text(last) in macro.parameters and stream.text(last - 1) != "##":
                found.setdefault(name, set()).add(macro.parameters.index(stream.text(last)))
    changed = bool(found)
    while changed:
        changed = False
        for name, (macro, stream) in macros.items():
            for parameter in _forwarded_callees(stream, found) & set(macro.parameters or ()):
                index = (macro.parameters or ()).index(parameter)
                changed = changed or index not in found.get(name, set())
                found.setdefault(name, set()).add(index)


def _forwarded_callees(stream: Stream, found: dict[str, set[int]]) -> set[str]:
    """Single names that the macro body passes to another macro as the kernel to launch."""
    names: set[str] = set()
    for i, token in enumerate(stream.tokens):
        if token.text in found and stream.text(i + 1) == "(":
            arguments = stream.arguments(i + 1)
            names |= {stream.text(a.start) for k, a in enumerate(arguments) if k in found[token.text] and len(a) == 1}
    return names
