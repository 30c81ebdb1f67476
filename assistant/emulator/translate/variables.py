"""Shared memory and device variables.

``extern __shared__ T s[];`` becomes a reference to the block's arena; a ``__device__``, ``__constant__`` or ``__managed__`` variable is
followed by its registration, so that the core knows its name, place and size.
"""

from __future__ import annotations

from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.lexer import Kind
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.structure import Variable

_SPACES = {"__device__": 0, "__constant__": 1, "__managed__": 2}
_STORAGE = {"static", "extern", "inline", "constexpr", "__device__", "__constant__", "__managed__", "__host__", "thread_local"}
_ALIGNERS = {"alignas", "__align__", "__builtin_align__"}


def shared_edits(stream: Stream, renames: dict[int, str]) -> list[Edit]:
    """Edits of every ``__shared__`` declaration of the stream."""
    edits: list[Edit] = []
    for i, token in enumerate(stream.tokens):
        if token.text != "__shared__":
            continue
        first = i
        while first > 0 and stream.text(first - 1) not in (";", "{", "}", ")", ":"):
            first -= 1
        if stream.text(first - 1) == ")" and stream.text(first) != "extern":  # `__align__(16) __shared__ …`
            opener = stream.partner.get(first - 1, first)
            if stream.text(opener - 1) in _ALIGNERS:
                first = opener - 1
                if stream.text(first - 1) == "extern":
                    first -= 1
        stop = i
        while stop < len(stream.tokens) and stream.text(stop) != ";":
            stop = stream.close(stop) if stream.text(stop) in ("(", "[", "{") else stop
            stop += 1
        statement = range(first, stop)
        if any(stream.text(k) == "extern" for k in statement):
            edits.extend(_dynamic(stream, statement, renames))
        else:
            edits.extend(_static(stream, statement))
    return edits


def symbol_edits(stream: Stream, variable: Variable) -> list[Edit]:
    """The registration behind a device variable; nothing for other variables, declarations and members."""
    space = max((_SPACES[w] for w in variable.words if w in _SPACES), default=None)
    if space is None or variable.is_member or "extern" in variable.words or "__shared__" in variable.words:
        return []
    if stream.text(variable.head.start) == "template":
        return []
    base, declarators = _declarators(stream, variable.head)
    registrations: list[str] = []
    for name_index, stars in declarators:
        name = stream.text(name_index)
        qualified = "::".join([*(s for s in variable.scope if s), name])
        registrations.append(f' EMU_SYMBOL({name}, "{qualified}", {space}, "{base}{stars}");')
    end = stream.tokens[variable.head.stop].end if variable.head.stop < len(stream.tokens) else None
    return [Edit(end, end, "".join(registrations))] if end is not None and registrations else []


def constant_table_edits(stream: Stream, variable: Variable) -> list[Edit]:
    """``__device__ const int t[4]`` loses its ``const`` (not its linkage): the hooks leave reads of constant objects out, which nvcc makes
    loads of global memory. One that is ``constexpr`` stays: its elements may be needed as constants."""
    words = variable.words
    if variable.is_member or "__device__" not in words or "const" not in words or stream.text(variable.head.start) == "template":
        return []
    bracket = next((i for i in variable.head if stream.text(i) in ("[", "=", "{", "(")), None)
    if bracket is None or stream.text(bracket) != "[":
        return []
    stars = [i for i in range(variable.head.start, bracket) if stream.text(i) == "*"]
    first = stars[-1] + 1 if stars else variable.head.start
    found = [stream.tokens[i] for i in range(first, bracket) if stream.text(i) == "const"]
    linkage = "" if {"static", "extern", "inline"} & words else "static"
    where = stream.tokens[variable.head.start].start
    dropped = [Edit(token.start, token.end, "") for token in found]
    return [Edit(where, where, f"{linkage} "), *dropped] if found and linkage else dropped


def _static(stream: Stream, statement: range) -> list[Edit]:
    edits: list[Edit] = []
    for k in statement:
        token = stream.tokens[k]
        if token.text == "static":
            edits.append(Edit(token.start, token.end, ""))
        elif token.text == "alignas" and stream.text(k + 1) == "(":  # may not stand behind a storage class
            close = stream.tokens[stream.close(k + 1)]
            edits.append(Edit(token.start, stream.tokens[k + 1].end, "__attribute__((aligned("))
            edits.append(Edit(close.start, close.end, ")))"))
    return edits + _initialised(stream, statement)


def _initialised(stream: Stream, statement: range) -> list[Edit]:
    """`` = {}`` behind each declarator: without it g++ guards types that have constructors (``__half``) with a flag of its own in
    shared memory, which every thread reads and writes."""
    edits: list[Edit] = []
    angle_depth, k = 0, statement.start
    while k <= statement.stop and k < len(stream.tokens):
        text = stream.text(k)
        angle_depth += text.count("<") - text.count(">") if text in ("<", ">", ">>") else 0
        if text == "=":
            return []
        if text in (",", ";") and not angle_depth and (stream.text(k - 1) == "]" or stream.tokens[k - 1].kind is Kind.NAME):
            end = stream.tokens[k - 1].end
            edits.append(Edit(end, end, " = {}"))
        k = (stream.close(k) if text in ("(", "[", "{") else k) + 1
    return edits


def _dynamic(stream: Stream, statement: range, renames: dict[int, str]) -> list[Edit]:
    bracket = next((k for k in statement if stream.text(k) == "["), None)
    if bracket is None:
        return []
    name = bracket - 1
    words: list[str] = []
    k = statement.start
    while k < name:
        text = stream.text(k)
        if text in (*_ALIGNERS, "__attribute__"):
            k = stream.close(k + 1)
        elif text not in ("extern", "static", "__shared__"):
            words.append(renames.get(stream.tokens[k].start, text))
        k += 1
    element = " ".join(words)
    bounds = " ".join(stream.text(k) for k in range(bracket, statement.stop))
    start, end = stream.tokens[statement.start].start, stream.tokens[statement.stop - 1].end
    if _is_in_function(stream, statement.start):
        text = f"{element} (&{stream.text(name)}){bounds} = *({element} (*){bounds})__emu_dynamic_shared"
    else:
        text = f'extern __thread {element} {stream.text(name)}{bounds} __asm__("__emu_dynamic_shared")'
    return [Edit(start, end, text)]


def _is_in_function(stream: Stream, index: int) -> bool:
    """Whether an enclosing brace follows a parameter list (or belongs to a statement), rather than a namespace."""
    k = index - 1
    while k >= 0:
        if stream.text(k) == "}" and k in stream.partner:
            k = stream.partner[k]
        elif stream.text(k) == "{":
            before = k - 1
            while before >= 0 and stream.text(before) not in (";", "{", "}", ")", "namespace"):
                before -= 1
            if stream.text(before) != "namespace" and stream.text(k - 1) != '"C"':
                return True
        k -= 1
    return False


def _declarators(stream: Stream, head: range) -> tuple[str, list[tuple[int, str]]]:
    """(spelled base type, [(index of a declared name, its ``*``s)])."""
    words: list[str] = []
    found: list[tuple[int, str]] = []
    k = head.start
    while k < head.stop:
        text = stream.text(k)
        if text in (*_ALIGNERS, "__attribute__"):
            k = stream.close(k + 1)
        elif text == "<":
            close = stream.close_angle(k)
            words.extend(stream.text(j) for j in range(k, close + 1))
            k = close
        elif _ends_declarator(stream, k + 1, head.stop) and stream.tokens[k].kind is Kind.NAME:
            stars = "".join(w for w in words if w == "*") if not found else _stars_before(stream, k)
            found.append((k, stars))
            k = _next_comma(stream, k + 1, head.stop)
        elif text == "(" and stream.text(k + 1) == "*":  # pointer to function or array
            found.append((k + 2, "*"))
            k = _next_comma(stream, k + 1, head.stop)
        elif not found and text not in _STORAGE:
            words.append(text)
        k += 1
    return " ".join(w for w in words if w != "*").replace('"', "'"), found


def _ends_declarator(stream: Stream, k: int, stop: int) -> bool:
    return k >= stop or stream.text(k) in ("=", ",", "[", "{")


def _stars_before(stream: Stream, k: int) -> str:
    count = 0
    while stream.text(k - 1 - count) == "*":
        count += 1
    return "*" * count


def _next_comma(stream: Stream, k: int, stop: int) -> int:
    while k < stop and stream.text(k) != ",":
        k = stream.close(k) if stream.text(k) in ("(", "[", "{") else k
        k += 1
    return k
