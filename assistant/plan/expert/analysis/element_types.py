"""Types as the text spells them, with the aliases of the program and the launches' template arguments followed.

Example::

    plain_type(tree, "real")            # 'double', where a file of the program has `typedef double real;`
    launched_types(context, "T")        # frozenset({'int'}), where every launch of the kernel is a `k<int>`
"""

from __future__ import annotations

from assistant.cuda.functions import enclosing_function
from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.type_aliases import spelled_type, type_aliases
from assistant.plan.expert.analysis.template_types import instance_types
from assistant.plan.expert.transformation import TransformationContext

__all__ = ["launched_types", "plain_type"]


def plain_type(tree: SyntaxTree, spelled: str) -> str:
    """What the type is in the end."""
    return spelled_type(spelled, type_aliases(tree.program.source))


def launched_types(context: TransformationContext, spelled: str) -> frozenset[str]:
    """What the type is at the kernel's launches: of a template parameter all that it stands for, its own name where one is unknown."""
    tree, function = context.tree, enclosing_function(context.tree, context.body)
    is_whole = not any(context.kernel.name in source.text for source in context.elsewhere)
    found = None if function is None or not is_whole else instance_types(tree, function, spelled)
    return frozenset(plain_type(tree, each) for each in found or (spelled,))
