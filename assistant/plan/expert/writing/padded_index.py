"""A shared array with an element more after each few, and the helper that says where an element is then.

Example::

    padded_index(context, array, uses, 32)    # `s[i]` → `s[padded(i)]`, `s[N]` → `s[N + N / 32]`, and `padded` above the kernel
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.files import line_end
from assistant.cuda.integers import evaluate
from assistant.cuda.literals import integer_value
from assistant.cuda.macros import macro_text
from assistant.cuda.names import fresh_name, names_in
from assistant.cuda.scopes import scope_of
from assistant.cuda.shared_arrays import ElementUse, SharedArray
from assistant.cuda.syntax import Node, node_text
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.style import is_simple_term, style_of

__all__ = ["padded_index"]


def padded_index(context: TransformationContext, array: SharedArray, uses: tuple[ElementUse, ...], spread: int) -> Iterator[TextEdit]:
    """One element more after each ``spread`` elements, a power of two, of an array in one dimension."""
    tree = context.tree
    size = array.sizes[0]
    assert size is not None, "asked before"
    helper = _own_helper(context, spread)
    if helper is None:
        helper = fresh_name(tree, "padded")
        yield _helper(context, helper, spread)
    yield TextEdit(tree.span(size), _longer(context, size, spread))
    for use in uses:
        value = integer_value(tree.text(use.indices[0]))
        if value is not None and value < spread:
            continue
        span = tree.span(use.indices[0])
        yield TextEdit(Span(span.start, span.start), f"{helper}(")
        yield TextEdit(Span(span.end, span.end), ")")


def _longer(context: TransformationContext, size: Node, spread: int) -> str:
    tree, style = context.tree, style_of(context)
    text, names = tree.text(size), names_in(tree, size)
    term = text if is_simple_term(text) else f"({text})"
    if not names:
        return style.sum(term, str((evaluate(size, scope_of(tree, context.kernel), {}) or 0) // spread))
    quotient = re.fullmatch(r"(\w+)\s*/\s*(\d+)", text)
    if quotient is not None and macro_text(tree, quotient[1]) is None:
        return style.sum(text, f"{quotient[1]}{style.space}/{style.space}{int(quotient[2]) * spread}")
    macro = macro_text(tree, text)
    divided = term if macro is None or is_simple_term(macro) else f"({text})"
    return style.sum(term, f"{divided}{style.space}/{style.space}{spread}")


def _own_helper(context: TransformationContext, spread: int) -> str | None:
    """A helper of the file that does just that, of an array that was padded before."""
    shift = spread.bit_length() - 1
    above = (function for function in context.parsed.device_functions if function.body.end <= context.kernel.span.start)
    for function in above:
        formula = scope_of(context.tree, context.kernel).formulas.get(function.name)
        text = "" if formula is None else re.sub(r"\s", "", node_text(formula.body))
        if formula is not None and len(formula.parameters) == 1 and text == "{0}+({0}>>{1})".format(*formula.parameters, shift):
            return function.name
    return None


def _helper(context: TransformationContext, name: str, spread: int) -> TextEdit:
    text, newline, style = context.text, line_end(context.text), style_of(context)
    at = _above(context)
    shifted = style.sum("i", f"(i{style.space}>>{style.space}{spread.bit_length() - 1})")
    head = f"__device__ __forceinline__ int {name}(int i)"
    opens_below = "\n" in text[context.kernel.parameters_span.end : context.kernel.body.start]
    note = f"// One element more after each {spread}: strides of powers of two meet different banks."
    lines = (note, *((head, "{") if opens_below else (f"{head} {{",)), f"{style.indent}return {shifted};", "}", "")
    return TextEdit(Span(at, at), "".join(f"{line}{newline}" for line in lines))


def _above(context: TransformationContext) -> int:
    """The start of the line where the kernel begins, with the comments right above it."""
    text = context.text
    at = text.rfind("\n", 0, context.kernel.span.start) + 1
    while at:
        start = text.rfind("\n", 0, at - 1) + 1
        line = text[start:at].strip()
        if not line.startswith(("//", "/*", "*")) or start == 0:
            return at
        at = start
    return at
