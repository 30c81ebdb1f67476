"""Launches and kernel addresses: ``k<T><<<g, b>>>(a)`` becomes ``emu_stub_k<T>(EmuConfig(g, b), a)``, token by token in place."""

from __future__ import annotations

from assistant.emulator.translate.context import UnitContext
from assistant.emulator.translate.edits import Edit
from assistant.emulator.translate.lexer import Kind, Macro
from assistant.emulator.translate.stream import Stream
from assistant.emulator.translate.stubs import STUB_PREFIX

_NO_TYPES = {"return", "case", "else", "new", "delete", "throw", "goto", "sizeof"}


def launch_edits(stream: Stream, context: UnitContext, macro: Macro | None) -> tuple[list[Edit], list[int]]:
    """(edits, token indexes of launches that could not be read)."""
    edits: list[Edit] = []
    unread: list[int] = []
    for i, token in enumerate(stream.tokens):
        if token.text != "<<<":
            continue
        close = _configuration_end(stream, i)
        if close is None or i == 0:
            apart = _apart(stream, i)
            edits += apart
            unread += [] if apart else [i]
            continue
        callee, is_direct = _callee(stream, i, context, macro)
        if is_direct is None:
            edits.append(Edit(stream.tokens[callee].start, stream.tokens[callee].start, "emu_launcher("))
            edits.append(Edit(token.start, token.end, ")(EmuConfig("))
        else:
            edits.append(Edit(stream.tokens[callee].start, stream.tokens[callee].start, is_direct))
            edits.append(Edit(token.start, token.end, "(EmuConfig("))
        opener = close + 1
        edits.append(Edit(stream.tokens[close].start, stream.tokens[opener].end, _join(stream, opener, macro)))
    return edits, unread


def invocation_edits(stream: Stream, context: UnitContext, macro: Macro | None) -> list[Edit]:
    """Arguments of macros that launch them: any that is not a plain kernel name is given with its launcher next to it.

    The macro pastes ``emu_stub_`` before its parameter, and ``emu_stub_EMU_CALLEE(k, launcher)`` is ``launcher``.
    """
    edits: list[Edit] = []
    forwarded = set(macro.parameters or ()) if macro is not None else set[str]()
    for i, token in enumerate(stream.tokens):
        indexes = context.callee_parameters.get(token.text)
        if indexes is None or token.kind is not Kind.NAME or stream.text(i + 1) != "(":
            continue
        for index, argument in enumerate(stream.arguments(i + 1)):
            if index not in indexes or not argument or stream.text(argument.start) in forwarded:
                continue
            first = stream.tokens[argument.start]
            if first.text in context.kernel_names and stream.text(argument.start + 1) != "::" and not _is_local(stream, argument.start):
                continue
            words = [stream.text(k) for k in argument]
            launcher = _launcher_words(stream, argument, context)
            end = stream.tokens[argument.stop - 1].end
            edits.append(Edit(first.start, end, f"EMU_CALLEE({' '.join(words)}, {launcher})"))
    return edits


def _launcher_words(stream: Stream, argument: range, context: UnitContext) -> str:
    words = [stream.text(k) for k in argument]
    last = argument.stop - 1
    if stream.text(last) in (">", ">>", ">>>"):
        last = stream.open_angle(last) - 1
    if last >= argument.start and stream.text(last) in context.kernel_names and not _is_local(stream, last):
        words[last - argument.start] = STUB_PREFIX + words[last - argument.start]
        return " ".join(words)
    return f"emu_launcher({' '.join(words)})"


def address_edits(stream: Stream, context: UnitContext) -> list[Edit]:
    """``(void*)k<T>`` becomes ``(void*)emu_signed(k<T>)``, so that cudaLaunchKernel knows the parameters behind the bare address."""
    edits: list[Edit] = []
    for i, token in enumerate(stream.tokens):
        if token.kind is not Kind.NAME or token.text not in context.kernel_names:
            continue
        first = i
        while stream.text(first - 1) == "::":
            first -= 2 if first >= 2 and stream.tokens[first - 2].kind is Kind.NAME else 1
        if stream.text(first - 1) == "&":
            first -= 1
        last = i
        if stream.text(i + 1) == "<":
            last = max(i, stream.close_angle(i + 1))
        if stream.text(last + 1) in ("(", "<<<") or not _follows_void_cast(stream, first):
            continue
        edits.append(Edit(stream.tokens[first].start, stream.tokens[first].start, "emu_signed("))
        edits.append(Edit(stream.tokens[last].end, stream.tokens[last].end, ")"))
    return edits


def _follows_void_cast(stream: Stream, first: int) -> bool:
    before = first - 1
    if stream.text(before) == ")":
        inside = [stream.text(k) for k in range(stream.partner.get(before, before) + 1, before)]
        return "void" in inside and set(inside) <= {"const", "void", "*"}
    if stream.text(before) == "(" and stream.text(before - 1) == ">":
        opener = stream.open_angle(before - 1)
        inside = [stream.text(k) for k in range(opener + 1, before - 1)]
        return stream.text(opener - 1) in ("reinterpret_cast", "static_cast") and "void" in inside
    return False


def _configuration_end(stream: Stream, i: int) -> int | None:
    """Index of the ``>>>`` that closes the ``<<<`` at ``i``; None when no argument list follows."""
    k = i + 1
    while k < len(stream.tokens):
        text = stream.text(k)
        if text in ("(", "[", "{"):
            k = stream.close(k)
        elif text == ">>>" and stream.text(k + 1) == "(":
            return k
        elif text in (";", "}", ")", "<<<"):
            return None
        k += 1
    return None


def _apart(stream: Stream, i: int) -> list[Edit]:
    """Edits of a configuration whose kernel or arguments a macro puts next to it: ``CALL(k, <<<1, 32>>>, (p))``. Empty where it has no end.

    ``k % EmuConfig(1, 32) (p)`` is a launch: a call of the configuration, then an operator of a kernel and that call.
    """
    k = i + 1
    while k < len(stream.tokens) and stream.text(k) not in (";", "}", ")", "<<<", ">>>"):
        k = (stream.close(k) if stream.text(k) in ("(", "[", "{") else k) + 1
    if stream.text(k) != ">>>":
        return []
    opener, closer = stream.tokens[i], stream.tokens[k]
    return [Edit(opener.start, opener.end, "% EmuConfig("), Edit(closer.start, closer.end, ")")]


def _callee(stream: Stream, i: int, context: UnitContext, macro: Macro | None) -> tuple[int, str | None]:
    """(index before which to insert, text to insert); the text is None for a callee that is an expression."""
    last = i - 1
    if stream.text(last) in (">", ">>", ">>>"):
        last = stream.open_angle(last) - 1
    if last >= 0 and stream.tokens[last].kind is Kind.NAME:
        first = last
        while stream.text(first - 1) == "##":
            first -= 2
        is_field = stream.text(first - 1) in (".", "->")
        name = stream.text(first)
        if macro is not None and macro.parameters and name in macro.parameters and first == last:
            return first, f"{STUB_PREFIX}##"
        is_pasted_kernel = first != last and any(k.startswith(name) for k in context.kernel_names)
        is_kernel = not is_field and name in context.kernel_names and not _is_local(stream, last)
        if is_pasted_kernel:
            return first, f"{STUB_PREFIX}##"
        if is_kernel:
            return first, STUB_PREFIX
    return _expression_start(stream, i), None


def _is_local(stream: Stream, i: int) -> bool:
    """Whether an enclosing function declares a variable or parameter of this name (a kernel chosen at run time)."""
    name = stream.text(i)
    start = _function_start(stream, i)
    k = i - 1
    while start is not None and k >= start:
        if stream.text(k) == "}":
            k = stream.partner.get(k, k)
        elif stream.text(k) == name and _declares(stream, k):
            return True
        k -= 1
    return False


def _function_start(stream: Stream, i: int) -> int | None:
    """First token of the head of the outermost function around ``i``; None outside functions."""
    start: int | None = None
    opener = stream.enclosing[i]
    while opener is not None:
        if stream.text(opener) == "{":
            head = opener
            while head > 0 and stream.text(head - 1) not in (";", "{", "}"):
                head -= 1
            words = {stream.text(k) for k in range(head, opener)}
            if not words & {"namespace", "class", "struct", '"C"'}:
                start = head
        opener = stream.enclosing[opener]
    return start


def _declares(stream: Stream, k: int) -> bool:
    before, after = stream.text(k - 1), stream.text(k + 1)
    if before == "*" and stream.text(k - 2) == "(" and after == ")":
        return True
    if before == "&" and stream.text(k - 2) in ("(", ",", "="):
        return False
    is_behind_type = before in (">", "*", "&") or (stream.tokens[k - 1].kind is Kind.NAME and before not in _NO_TYPES)
    return is_behind_type and after in ("=", ",", ")", ";", "{")


def _expression_start(stream: Stream, i: int) -> int:
    """First token of the postfix expression that ends before ``i``."""
    k = i - 1
    while k > 0:
        text = stream.text(k)
        if text in (")", "]") and k in stream.partner:
            k = stream.partner[k]
            text = stream.text(k)
        elif text in (">", ">>", ">>>"):
            k = stream.open_angle(k) - 1
            continue
        before = stream.text(k - 1)
        if before in ("::", ".", "->"):
            k -= 2 if k >= 2 and (stream.tokens[k - 2].kind is Kind.NAME or stream.text(k - 2) in (")", "]", ">")) else 1
            continue
        if text in ("(", "[") and (stream.tokens[k - 1].kind is Kind.NAME or before in (")", "]")) and before not in _NO_TYPES:
            k -= 1
            continue
        return k
    return max(k, 0)


def _join(stream: Stream, opener: int, macro: Macro | None) -> str:
    """What replaces ``>>>(``: the configuration ends, the kernel's arguments follow."""
    if stream.close(opener) == opener + 1:
        return ")"
    variadic = macro.parameters[-1] if macro is not None and macro.parameters else ""
    if variadic and stream.text(opener + 1) in ("__VA_ARGS__", variadic) and stream.close(opener) == opener + 2:
        return "), ##"
    return "), "
