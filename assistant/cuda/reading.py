"""CUDA text as the grammar can read it: the same length, with attributes and macros blanked that it does not know.

tree-sitter-cuda (0.21) takes ``__cluster_dims__(2,1,1)`` for a variable and ``FORCEINLINE __device__ float`` for an
error. Every blanked range is reported, so that code that needs the attribute reads it from the text. Knows nothing of
syntax trees.

Example::

    read("__global__ void __maxnreg__(64) k() {}").readable   # '__global__ void                 k() {}'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.model.source import Span
from assistant.record import Record

__all__ = ["Reading", "blank", "matching_close", "matching_open", "read", "split_arguments"]

_HIDDEN = re.compile(
    r"""(?=["'/\#uULR])(?:
    (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
    |(?P<directive>\#(?:\\\r?\n|[^\n])*)
    |(?P<raw>(?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
    |(?P<string>"(?:\\.|[^"\\\n])*"?|(?<!\w)'(?:\\.|[^'\\\n])*'?)
    )""",
    re.VERBOSE | re.DOTALL,
)
_NOT_LINE_END = re.compile(r"[^\r\n]")
_OBJECT_MACRO = re.compile(r"#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+(.*)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_LAST_WORD = re.compile(r"([A-Za-z_]\w*)\s*$")
_SHOUTED = re.compile(r"[A-Z][A-Z0-9_]{2,}(?!\w)")
_LAMBDA_SPECIFIERS = re.compile(r"\]\s*((?:(?:__host__|__device__)\s*)+)(?=[({])")
_MACRO_STATEMENT = re.compile(r"(?<=[;{}])\s*[A-Z][A-Z0-9_]{2,}[ \t]*(?=\()")
_NEXT_LINE = re.compile(r"[ \t]*\r?\n\s*([ \t])(?=[A-Za-z_*}])")
_BRACKET = re.compile(r"[()\[\]{}]")

_ATTRIBUTES_WITH_ARGUMENTS = (
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__align__",
    "__builtin_align__",
)
"""CUDA C++ programming guide, sections on execution configuration attributes and built-in vector alignment."""

_SPECIFIERS = frozenset(
    {"__global__", "__device__", "__host__", "__forceinline__", "__noinline__", "__inline__", "__inline", "inline"}
    | {"static", "extern", "constexpr", "consteval", "virtual", "explicit", "friend", "const", "volatile"}
    | {"template", "typename", "__attribute__", "alignas"}
)
_NOT_AFTER_MACRO = frozenset(
    {"const", "noexcept", "override", "final", "requires", "volatile"}
    | {"__global__", "__device__", "template", "extern", "static", "namespace"}
)
"""What follows a parameter list, or begins the next declaration where a body is not typed yet."""


class Reading(Record):
    """One text, prepared for the grammar and for searches by word."""

    code: str
    """The text with comments, strings and preprocessor lines blanked."""
    readable: str
    """What the grammar reads: the text with ``blanked`` blanked, and a semicolon in the blanks after ``CHECK(x)``."""
    blanked: tuple[Span, ...]
    """Attributes and macros, in order."""
    kernel_marks: tuple[int, ...]
    """Offsets of ``__global__``, or of a macro that stands for it."""
    device_marks: tuple[int, ...]
    """Offsets of ``__device__``, or of a macro that stands for it."""
    extern_c_marks: tuple[int, ...]
    """Offsets of macros that stand for ``extern "C"``."""


def read(text: str) -> Reading:
    """The text prepared for the grammar."""
    hidden = tuple(_HIDDEN.finditer(text))
    code = blank(text, tuple(Span(*match.span()) for match in hidden))
    macros = _macros_with_specifiers(hidden)
    names = "|".join(("__global__", "__device__", *_ATTRIBUTES_WITH_ARGUMENTS, *map(re.escape, macros)))
    kernel_marks: list[int] = []
    device_marks: list[int] = []
    extern_c_marks: list[int] = []
    blanked = {Span(*match.span(1)) for match in _LAMBDA_SPECIFIERS.finditer(code)}
    in_lambdas = {offset for span in blanked for offset in range(span.start, span.end)}
    for match in re.finditer(rf"(?<!\w)(?:{names})(?!\w)", code):
        meaning = macros.get(match[0], match[0])
        if match[0] in macros:
            blanked.add(Span(*match.span()))
        if match[0] in _ATTRIBUTES_WITH_ARGUMENTS:
            blanked.update(_attribute_span(code, match))
        elif "__global__" in meaning:
            kernel_marks.append(match.start())
            blanked.update(_head_macros(code, match.start(), match.end(), "void" in meaning.split()))
        elif match.start() not in in_lambdas:
            device_marks.append(match.start())
            blanked.update(_device_head_macros(code, match.start(), match.end()))
        if 'extern "C"' in meaning:
            extern_c_marks.append(match.start())
    spans = _outermost(sorted(blanked))
    return Reading(code, _with_semicolons(code, blank(text, spans)), spans, tuple(kernel_marks), tuple(device_marks), tuple(extern_c_marks))


def blank(text: str, spans: tuple[Span, ...]) -> str:
    """The text with every character of ``spans`` but line ends replaced by a space."""
    parts: list[str] = []
    position = 0
    for span in spans:
        parts.append(text[position : span.start])
        parts.append(_NOT_LINE_END.sub(" ", text[span.start : span.end]))
        position = span.end
    parts.append(text[position:])
    return "".join(parts)


def _with_semicolons(code: str, readable: str) -> str:
    """A semicolon after each macro in capitals that is a statement of its own, where there is a blank to hold it."""
    for match in _MACRO_STATEMENT.finditer(code):
        close = matching_close(code, match.end())
        gap = None if close is None else _NEXT_LINE.match(code, close + 1)
        if gap is not None and readable[gap.start(1)] in " \t":
            readable = f"{readable[: gap.start(1)]};{readable[gap.end(1) :]}"
    return readable


def matching_close(code: str, opening: int) -> int | None:
    """Offset of the bracket that closes the one at ``opening``; None when the text ends first."""
    depth = 0
    for match in _BRACKET.finditer(code, opening):
        depth += 1 if match[0] in "([{" else -1
        if depth == 0:
            return match.start()
    return None


def split_arguments(text: str) -> tuple[str, ...]:
    """The parts of ``text`` between its outermost commas, stripped; none for blank text."""
    parts: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and depth > 0 and text[index - 1] != "-"):
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return (*parts, last) if last or parts else ()


def _macros_with_specifiers(hidden: tuple[re.Match[str], ...]) -> dict[str, str]:
    """Object-like macros that stand for ``__global__`` or ``__device__``, with their meaning."""
    macros: dict[str, str] = {}
    for match in hidden:
        define = _OBJECT_MACRO.match(match[0])
        if define is not None and ("__global__" in define[2] or "__device__" in define[2]) and "(" not in define[2]:
            macros[define[1]] = define[2]
    return macros


def _attribute_span(code: str, match: re.Match[str]) -> Iterator[Span]:
    opening = _skip_space(code, match.end())
    if code.startswith("(", opening):
        close = matching_close(code, opening)
        if close is not None:
            yield Span(match.start(), close + 1)


def _head_macros(code: str, start: int, end: int, has_type: bool) -> Iterator[Span]:
    """Macros around ``__global__``: a kernel returns void, so every other word before its name is one."""
    words, calls = _words_before_name(code, end)
    yield from calls
    for span in words:
        if code[span.start : span.end] not in ("void", "auto") and not has_type:
            yield span
    yield from _shouted_before(code, start)


def _device_head_macros(code: str, start: int, end: int) -> Iterator[Span]:
    """Macros around ``__device__``: shouted words that leave another word to be the type."""
    words, calls = _words_before_name(code, end)
    if not words:
        return
    for span in (*words[:-1], *calls):
        if _SHOUTED.match(code, span.start):
            yield span
    yield from _shouted_before(code, start)


def _words_before_name(code: str, position: int) -> tuple[list[Span], list[Span]]:
    """Words, and words with arguments, between a specifier and the name of what it declares."""
    words: list[Span] = []
    calls: list[Span] = []
    while match := _WORD.match(code, _skip_space(code, position)):
        after = _skip_space(code, match.end())
        position = match.end()
        if code.startswith("(", after):
            close = matching_close(code, after)
            if close is None or not _is_followed_by_word(code, close + 1):
                break
            position = close + 1
            if match[0] not in _SPECIFIERS and match[0] not in _ATTRIBUTES_WITH_ARGUMENTS:
                calls.append(Span(match.start(), position))
        elif not (_WORD.match(code, after) or code.startswith(("*", "&"), after)):
            break
        elif match[0] not in _SPECIFIERS:
            words.append(Span(*match.span()))
    return words, calls


def _is_followed_by_word(code: str, position: int) -> bool:
    match = _WORD.match(code, _skip_space(code, position))
    return match is not None and match[0] not in _NOT_AFTER_MACRO


def _shouted_before(code: str, position: int) -> Iterator[Span]:
    """Macros in capitals, with or without arguments, that stand right before ``position``."""
    while True:
        before = code[max(0, position - 400) : position].rstrip()
        end = position - len(code[max(0, position - 400) : position]) + len(before)
        opening = matching_open(code, end - 1) if before.endswith(")") else end
        word = _LAST_WORD.search(code, max(0, opening - 80), opening) if opening is not None else None
        if word is None:
            return
        is_shouted = _SHOUTED.match(word[1]) is not None
        if not is_shouted and (opening != end or word[1] not in _SPECIFIERS | {"void"}):
            return
        if is_shouted:
            yield Span(word.start(), end)
        position = word.start()


def matching_open(code: str, closing: int) -> int | None:
    """Offset of the parenthesis that opens the one at ``closing``; None when the text begins first."""
    depth = 0
    for index in range(closing, -1, -1):
        if code[index] == ")":
            depth += 1
        elif code[index] == "(":
            depth -= 1
            if depth == 0:
                return index
    return None


def _skip_space(code: str, position: int) -> int:
    while position < len(code) and code[position].isspace():
        position += 1
    return position


def _outermost(spans: list[Span]) -> tuple[Span, ...]:
    kept: list[Span] = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)
