"""What stands at file scope of an edited text and did not before: whole functions, types and macros, however little of them changed.

Example::

    changed_items("#define N 2\nint f() { return 1; }", "#define N 2\nint f() { return 3; }")    # ("int f() { return 3; }",)
"""

from __future__ import annotations

from assistant.cuda.code_text import uncommented
from assistant.cuda.items import ItemKind, items

__all__ = ["changed_items"]


def changed_items(before: str, after: str) -> tuple[str, ...]:
    """In the order of ``after``, as they are written there; the whole of it where its braces do not balance."""
    old, new = items(uncommented(before)), items(uncommented(after))
    if new is None or old is None:
        return () if before == after else (after,)
    known = {item.text for item in old}
    return tuple(after[item.start : item.end] for item in new if item.kind is not ItemKind.INCLUDE and item.text not in known)
