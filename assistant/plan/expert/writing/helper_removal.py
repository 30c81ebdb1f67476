"""Takes a function away, with its comments, once nothing but an edit mentions it.

Example::

    removal, comments = helper_removal(context, function)     # None, () where the program mentions it elsewhere
"""

from __future__ import annotations

import re

from assistant.cuda.functions import Function
from assistant.cuda.names import words_in
from assistant.model.source import Span, TextEdit
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.layout import comments_of

__all__ = ["helper_removal", "removal"]


def helper_removal(context: TransformationContext, helper: Function) -> tuple[TextEdit | None, tuple[str, ...]]:
    """The edit, and what the helper's comments say; none where the program mentions it besides its definition and one call."""
    text, others = context.text, context.tree.others
    if len(re.findall(rf"\b{re.escape(helper.name)}\b", text)) > 2 or any(helper.name in words_in(source.text) for source in others):
        return None, ()
    return removal(context, helper)


def removal(context: TransformationContext, helper: Function) -> tuple[TextEdit, tuple[str, ...]]:
    """The same of a function that is known to have no other mention."""
    tree, text = context.tree, context.text
    outermost = next((n for n in (helper.node, *tree.ancestors(helper.node)) if tree.span(n).start == helper.span.start), helper.node)
    comments, _ = comments_of(tree, outermost)
    start, end = text.rfind("\n", 0, helper.span.start) + 1, text.find("\n", helper.span.end) + 1
    for comment in reversed(comments):
        start = text.rfind("\n", 0, text.rfind(comment, 0, start)) + 1
    while text[end:].startswith(("\n", "\r\n")):
        end = text.find("\n", end) + 1
    return TextEdit(Span(start, end), ""), tuple(line.strip() for comment in comments for line in comment.splitlines())
