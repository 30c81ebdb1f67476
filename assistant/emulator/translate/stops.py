"""Where in a host function the program ends, so that what stands before is run: the statement that needs what the emulator does not run.

What follows in the same block may need what that statement declares, and is not reached: it goes with it. Example::

    stopped(code, 17, body)     # range(15, 40): from the statement around token 17 to the end of its block
"""

from __future__ import annotations

from assistant.emulator.translate.stream import Stream

__all__ = ["stopped"]

_BEFORE_BLOCK = frozenset({")", "{", "}", ";", "else", "do", "try", ":", "const", "noexcept", "mutable"})
_HEADED = frozenset({"if", "for", "while", "switch"})
_LABELS = frozenset({"case", "default"})


def stopped(code: Stream, index: int, body: range) -> range:
    """Tokens to be replaced by the end of the program; ``index``: of what is not run, in the function's ``body``."""
    block, inner = _block(code, index, body)
    start, is_alone = _statement(code, inner, index, block)
    if is_alone:
        return range(start, _statement_end(code, start))
    return range(start, _end_of_branch(code, start, code.close(block)))


def _block(code: Stream, index: int, body: range) -> tuple[int, int]:
    """The brace of the innermost block around the token, and what of that block's own tokens is, or is around, the token."""
    inner, outer = index, code.enclosing[index]
    while outer is not None and outer > body.start:
        if code.text(outer) == "{" and (code.text(outer - 1) in _BEFORE_BLOCK or code.text(outer - 1) == "]"):
            return outer, inner
        inner, outer = outer, code.enclosing[outer]
    return body.start, inner


def _statement(code: Stream, inner: int, index: int, block: int) -> tuple[int, bool]:
    """Where the statement starts that holds token ``index``, and whether it is all that an ``if``, ``else`` or loop runs."""
    start = inner
    while start - 1 > block and code.text(start - 1) not in (";", "{", "}"):
        start -= 1
        if code.text(start) in (")", "]") and start in code.partner:
            start = code.partner[start]
    is_alone = False
    while True:
        if code.text(start) in _LABELS:
            start = next(i for i in range(start, inner + 1) if code.text(i) == ":" or i == inner) + 1
        elif code.text(start) in ("else", "do"):
            start, is_alone = start + 1, True
        elif code.text(start) in _HEADED and _behind_head(code, start) <= index:
            start, is_alone = _behind_head(code, start), True
        else:
            return start, is_alone


def _behind_head(code: Stream, start: int) -> int:
    opener = start + 2 if code.text(start + 1) == "constexpr" else start + 1
    return code.close(opener) + 1


def _statement_end(code: Stream, start: int) -> int:
    """Behind the last token of the statement."""
    word = code.text(start)
    if word == "{":
        return code.close(start) + 1
    if word in _HEADED:
        end = _statement_end(code, _behind_head(code, start))
        return _statement_end(code, end + 1) if word == "if" and code.text(end) == "else" else end
    i = start
    while i < len(code.tokens) and code.text(i) not in (";", "}"):
        i = code.close(i) + 1 if code.text(i) in ("(", "[", "{") else i + 1
    return i + 1 if code.text(i) == ";" else i


def _end_of_branch(code: Stream, start: int, end: int) -> int:
    """Where the block ends, or before it another ``case`` of the same ``switch`` begins."""
    i = start
    while i < end:
        if code.text(i) in _LABELS:
            return i
        i = code.close(i) + 1 if code.text(i) in ("(", "[", "{") else i + 1
    return end
