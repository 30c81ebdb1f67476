"""The body of a loop without the loop, moved to where the loop began.

Example::

    unwrapped(context, loop, "    ")    # 'float sum = 0;\n    …' of `for (…) { float sum = 0; … }`
"""

from __future__ import annotations

from assistant.cuda.syntax import Node, without_comments
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import indentation

__all__ = ["unwrapped"]


def unwrapped(context: TransformationContext, loop: Node, indent: str) -> str:
    """The statements of the body as text, the first without indentation, the lines of the others after ``indent``."""
    tree, text = context.tree, context.text
    body = loop.child_by_field_name("body")
    assert body is not None, "a loop has a body"
    span = tree.span(body)
    statements = without_comments(body) if body.type == "compound_statement" else (body,)
    start, end = (span.start + 1, span.end - 1) if body.type == "compound_statement" else (span.start, span.end)
    inner = text[start:end].strip()
    old = indentation(text, tree.span(statements[0]).start) if statements else indent
    lines = inner.split("\n")
    return "\n".join([lines[0], *(_moved(line, old, indent) for line in lines[1:])])


def _moved(line: str, old: str, new: str) -> str:
    return f"{new}{line.removeprefix(old)}" if line.startswith(old) and line.strip() else line
