"""Launches that an answer changes: expressions of grid, block, shared memory and arguments, put in the place of the present ones.

They run on the host, with the rights of whoever starts the program: only arithmetic over names is taken, and every change is host code
that a person is asked about. Example::

    launch_edits(parsed, kernel, [LaunchChange(line=29, block="dim3(32, 8)")])
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.model.source import Kernel, LaunchSite, ParsedSource, Span, TextEdit
from assistant.plan.llm.refusal import Refusal
from assistant.plan.llm.schemas import LaunchChange

__all__ = ["launch_edits"]

_TOKEN = re.compile(r"\s+|[A-Za-z_]\w*|\d[\w.]*|::|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%().,<>?:&|\[\]]")
_EFFECT = re.compile(r"\+\+|--|<<<|>>>|<%|%>|[)\]]\s*\(|\b(?:new|delete|throw|operator|asm|typeid|co_await)\b")
"""What changes something, ends the launch, or calls a function that no name before the parenthesis tells."""
_CALL = re.compile(r"([A-Za-z_][\w:]*)\s*(?:<[^<>()]*>\s*)?\(")
_CALLABLE = frozenset({"dim3", "sizeof", "min", "max", "std::min", "std::max", "static_cast", "int", "unsigned", "size_t"})
"""What an expression may call: nothing that has an effect."""


def launch_edits(parsed: ParsedSource, kernel: Kernel, changes: Iterable[LaunchChange]) -> tuple[TextEdit, ...] | Refusal:
    """Edits of the launch expressions; a refusal for a line without a launch of the kernel, or an expression that does more than count."""
    sites = {site.line: site for site in parsed.launch_sites_of(kernel)}
    edits = list[TextEdit]()
    for change in changes:
        site = sites.get(change.line)
        if site is None:
            where = (
                f"its launches are at line {', '.join(map(str, sites))}"
                if sites
                else "this text has no launch of it: leave `launches` empty"
            )
            return Refusal(f"it changes a launch of {kernel.name} at line {change.line}, but {where}")
        problem = next((p for p in map(_problem, _expressions(change)) if p is not None), None)
        if problem is not None:
            return Refusal(f"the launch at line {change.line}: {problem}")
        edits += _site_edits(parsed.source.text, site, change)
    return tuple(edit for edit in edits if parsed.source.text[edit.span.start : edit.span.end] != edit.new_text)


def _expressions(change: LaunchChange) -> Iterable[str]:
    return [e for e in (change.grid, change.block, change.shared, *(change.arguments or ())) if e is not None]


def _problem(expression: str) -> str | None:
    """Why the expression is not taken; None where it only computes."""
    shown = f"`{expression[:60]}`"
    rest = _TOKEN.sub("", expression)
    if rest:
        return f"{shown} holds {rest[0]!r}, which is not part of an expression of names, numbers and operators"
    effect = _EFFECT.search(expression)
    if effect is not None:
        return f"{shown} holds `{effect[0]}`, but it may only compute"
    called = next((match[1] for match in _CALL.finditer(expression) if match[1] not in _CALLABLE), None)
    if called is not None:
        return f"{shown} calls {called}; only {', '.join(sorted(_CALLABLE))} may be called there"
    return None if _is_one(expression) else f"{shown} is not one expression, or its parentheses do not match"


def _is_one(expression: str) -> bool:
    """Whether its brackets match, and no comma stands outside them."""
    depth = 0
    for character in expression:
        depth += (character in "([") - (character in ")]")
        if depth < 0 or (depth == 0 and character == ","):
            return False
    return depth == 0


def _site_edits(text: str, site: LaunchSite, change: LaunchChange) -> list[TextEdit]:
    edits = list[TextEdit]()
    if change.grid is not None:
        edits.append(TextEdit(site.grid.span, change.grid))
    block = site.block.text if change.block is None else change.block
    if change.shared is not None and site.shared is None:
        block = f"{block}, {change.shared}"
    elif change.shared is not None and site.shared is not None:
        edits.append(TextEdit(site.shared.span, change.shared))
    edits.append(TextEdit(site.block.span, block))
    if change.arguments is not None:
        edits.append(TextEdit(_arguments_span(site), ", ".join(change.arguments)))
    return edits


def _arguments_span(site: LaunchSite) -> Span:
    """From the first argument to the last; in front of the closing parenthesis where there is none."""
    if not site.arguments:
        return Span(site.span.end - 1, site.span.end - 1)
    return Span(site.arguments[0].span.start, site.arguments[-1].span.end)
