"""Types as the text spells them, with the aliases of the program followed.

Example::

    plain_type(tree, "real")    # 'double', where a file of the program has `typedef double real;`
"""

from __future__ import annotations

from assistant.cuda.syntax import SyntaxTree
from assistant.cuda.type_aliases import spelled_type, type_aliases

__all__ = ["plain_type"]


def plain_type(tree: SyntaxTree, spelled: str) -> str:
    """What the type is in the end."""
    return spelled_type(spelled, type_aliases(tree.program.source))
