"""What a file has besides its text: a byte order mark, line ends, and the directive that says where a copy of it comes from.

Example::

    line_directive('/p/a "b".cu')      # '#line 1 "/p/a \\"b\\".cu"\n'
"""

from __future__ import annotations

__all__ = ["BYTE_ORDER_MARK", "line_directive", "line_end"]

BYTE_ORDER_MARK = "\ufeff"
"""At the start of a file compilers skip it; anywhere else it is an error."""


def line_end(text: str) -> str:
    """How most of the text's lines end."""
    crlf_count = text.count("\r\n")
    return "\r\n" if 2 * crlf_count > text.count("\n") else "\n"


def line_directive(path: str) -> str:
    """A line; what follows it counts as line 1 of ``path``."""
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n'
