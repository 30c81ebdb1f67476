"""What ``&&`` or ``||`` joins in a condition, also where the grammar takes ``a < b && c >= d`` for a template.

Example::

    [node_text(part) for part in parts_of(condition, "&&")]     # ['x >= 0', 'x < w', 'y >= 0', 'y < h']
"""

from __future__ import annotations

from assistant.cuda.syntax import Node, joined, node_text, parsed_expression, unparenthesized

__all__ = ["parts_of"]

_OPEN, _CLOSED = "([{", ")]}"


def parts_of(condition: Node, operator: str) -> tuple[Node, ...]:
    """The parts in order; those that were read as a template are nodes of trees of their own."""
    condition = unparenthesized(condition)
    if not _has_template(condition):
        return joined(condition, operator)
    texts = _split(node_text(condition), operator)
    parts = [parsed_expression(text) for text in texts]
    is_read = not any(part is None or _has_template(part) for part in parts)
    return tuple(unparenthesized(part) for part in parts if part is not None) if is_read else (condition,)


def _has_template(node: Node) -> bool:
    return node.type in ("template_function", "template_type") or any(_has_template(child) for child in node.named_children)


def _split(text: str, operator: str) -> list[str]:
    """Parts of the text between operators outside all parentheses; the whole where the other operator stands there, too."""
    other = "||" if operator == "&&" else "&&"
    depth, start, parts = 0, 0, list[str]()
    for position, letter in enumerate(text):
        depth += (letter in _OPEN) - (letter in _CLOSED)
        if depth == 0 and text.startswith(other, position):
            return [text]
        if depth == 0 and text.startswith(operator, position):
            parts.append(text[start:position])
            start = position + len(operator)
    return [*parts, text[start:]]
