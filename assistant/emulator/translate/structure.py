"""Finds functions and variables in a token stream: enough grammar to tell kernels, device and host code apart.

No types are resolved. ``namespace n { __global__ void k(int* p) { } }`` gives one Function: head ``__global__ void k(int* p)``,
scope ``("n",)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream
from assistant.record import Record

_CLASS_WORDS = {"class", "struct", "union", "enum"}
_CALL_LIKE = {
    "__launch_bounds__", "__align__", "__builtin_align__", "__attribute__", "alignas", "__maxnreg__", "__cluster_dims__",
    "__block_size__", "decltype", "__declspec", "noexcept", "requires", "explicit",
}  # fmt: skip
"""Words of a declaration that take parentheses without being the function's name."""


class Function(Record):
    """A function's declaration or definition; all numbers are token indexes."""

    head: range
    """From the first token (``template`` included) up to the body or semicolon."""
    body: range | None
    """From ``{`` to ``}``, both included; None for a declaration."""
    scope: tuple[str, ...]
    """Enclosing namespaces and classes; ``""`` for an unnamed one."""
    is_member: bool
    words: frozenset[str]
    """Every name in the head outside brackets."""


class Variable(Record):
    """A variable's declaration at namespace or class scope, up to and without its semicolon."""

    head: range
    scope: tuple[str, ...]
    is_member: bool
    words: frozenset[str]


Declaration = Function | Variable


def declarations(stream: Stream, code_macros: frozenset[str] = frozenset()) -> Iterator[Declaration]:
    """Functions and variables at namespace and class scope, in order; calls of ``code_macros`` are whole declarations of their own."""
    yield from _Scanner(stream, code_macros).scan(0, len(stream.tokens), (), is_member=False)


def name_position(stream: Stream, head: range) -> tuple[int, int] | None:
    """(index of the last name token before the parameters, index of their ``(``); None when there is no parameter list."""
    i = after_template(stream, head.start)
    while i < head.stop:
        text = stream.text(i)
        if text in _CALL_LIKE and stream.text(i + 1) == "(":
            i = stream.close(i + 1)
        elif text == "<" and stream.tokens[i - 1].kind is Kind.NAME and stream.text(i - 1) != "operator":
            i = stream.close_angle(i)
        elif text == "(":
            return (i - 1, i) if i > head.start else None
        elif text in ("=", "["):
            return None
        i += 1
    return None


def split_commas(stream: Stream, indexes: range) -> list[range]:
    """Ranges between the commas outside every bracket, angle brackets too."""
    parts: list[range] = []
    first = i = indexes.start
    while i < indexes.stop:
        text = stream.text(i)
        if text in ("(", "[", "{"):
            i = stream.close(i)
        elif text == "<":
            i = stream.close_angle(i)
        elif text == ",":
            parts.append(range(first, i))
            first = i + 1
        i += 1
    if first < indexes.stop:
        parts.append(range(first, indexes.stop))
    return parts


def after_template(stream: Stream, start: int) -> int:
    """Index behind ``template <…>`` heads at ``start``."""
    while stream.text(start) == "template" and stream.text(start + 1) == "<":
        start = stream.close_angle(start + 1) + 1
    return start


class _Scanner(Record):
    stream: Stream
    code_macros: frozenset[str]

    def scan(self, start: int, stop: int, scope: tuple[str, ...], *, is_member: bool) -> Iterator[Declaration]:
        stream = self.stream
        first = i = start
        group_end = start  # of the last braces in this statement that hold no code
        while i < stop:
            text = stream.text(i)
            if text in self.code_macros and i == first:
                i = stream.close(i + 1) if stream.text(i + 1) == "(" else i
                first = i + 1
            elif text in ("(", "["):
                i = stream.close(i)
            elif text == ";":
                yield from _statement(stream, range(first, i), scope, is_member)
                first = i + 1
            elif text == "}" or (text == ":" and is_member and stream.text(i - 1) in ("public", "private", "protected")):
                first = i + 1
            elif text == "{" and group_end > first and _is_element(stream, range(group_end, i)):
                i = stream.close(i)
                group_end = i + 1
            elif text == "{":
                close = stream.close(i)
                group_end = close + 1
                head = range(first, i)
                inner = _inner_scope(stream, head)
                if inner is not None:
                    names, inner_is_class = inner
                    yield from self.scan(i + 1, close, (*scope, *names), is_member=inner_is_class)
                    first = first if inner_is_class else close + 1
                elif _is_function(stream, head, close):
                    yield Function(head, range(i, close + 1), scope, is_member, _words(stream, head))
                    first = close + 1
                i = close
            i += 1


def _is_element(stream: Stream, between: range) -> bool:
    """Whether braces are an element of a list, by what stands between them and the braces before: ``, `` or ``, Point``. So the rows of
    a table are not each compared with everything in front of them."""
    words = [stream.text(i) for i in between]
    return words[:1] == [","] and not {"(", ")", "namespace", *_CLASS_WORDS}.intersection(words)


def _statement(stream: Stream, head: range, scope: tuple[str, ...], is_member: bool) -> Iterator[Declaration]:
    if not head:
        return
    words = _words(stream, head)
    if {"using", "typedef", "static_assert", "friend"} & words:
        return
    if name_position(stream, head) is not None:
        yield Function(head, None, scope, is_member, words)
    else:
        yield Variable(head, scope, is_member, words)


def _inner_scope(stream: Stream, head: range) -> tuple[tuple[str, ...], bool] | None:
    """Names that a ``{`` after ``head`` opens and whether it is a class; None when it opens neither namespace nor class."""
    texts = [stream.text(i) for i in head]
    if "namespace" in texts:
        names = [t for t in texts[texts.index("namespace") + 1 :] if t.isidentifier() and not t.startswith("__")]
        return (tuple(names) or ("",)), False
    if texts[:1] == ["extern"] and len(texts) == 2:
        return (), False
    i = after_template(stream, head.start)
    while i < head.stop:
        text = stream.text(i)
        if text in _CALL_LIKE and stream.text(i + 1) == "(":
            i = stream.close(i + 1)
        elif text in ("(", "=", "operator"):
            return None
        elif text in _CLASS_WORDS:
            return _class_name(stream, range(i + 1, head.stop))
        i += 1
    return None


def _class_name(stream: Stream, rest: range) -> tuple[tuple[str, ...], bool] | None:
    name = ""
    i = rest.start
    while i < rest.stop:
        text = stream.text(i)
        if text == "(":
            return None
        if text in _CALL_LIKE and stream.text(i + 1) == "(":
            i = stream.close(i + 1)
        elif text == ":":
            break
        elif text == "<":
            i = stream.close_angle(i)
        elif stream.tokens[i].kind is Kind.NAME:
            name = text
        i += 1
    return (name,), True


def _is_function(stream: Stream, head: range, close: int) -> bool:
    position = name_position(stream, head)
    if position is None:
        return False
    depth_words = [stream.text(i) for i in _outside_brackets(stream, head)]
    if "=" in depth_words and "operator" not in depth_words:
        return False
    parameters_close = stream.close(position[1])
    initialisers = any(stream.text(i) == ":" for i in range(parameters_close, head.stop))
    # In `A() : b{1}, c(2) {` the first brace belongs to an initialiser.
    is_initialiser = initialisers and stream.text(close + 1) in (",", "{") and stream.text(head.stop - 1) not in (")", "}")
    return not is_initialiser


def _outside_brackets(stream: Stream, head: range) -> Iterator[int]:
    i = after_template(stream, head.start)
    while i < head.stop:
        yield i
        if stream.text(i) in ("(", "[", "{"):
            i = stream.close(i)
        i += 1


def _words(stream: Stream, head: range) -> frozenset[str]:
    return frozenset(stream.text(i) for i in _outside_brackets(stream, head) if stream.tokens[i].kind is Kind.NAME)
