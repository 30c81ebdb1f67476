"""The front matter of a page of ``prompts/``: lines ``key: value`` between two lines of ``---``, before a Markdown body.

Example::

    fields, body = front_matter("---\\nid: a\\nlabels: [b, c]\\n---\\n# Body\\n")
    items(fields["labels"])     # ("b", "c")
"""

from __future__ import annotations

import re

__all__ = ["front_matter", "items"]

_FRONT_MATTER = re.compile(r"\A---\n(?P<fields>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Fields by key, and the body. Raises ValueError where there is none or a line is no field."""
    match = _FRONT_MATTER.match(text.replace("\r\n", "\n"))
    if match is None:
        raise ValueError("it has no front matter between two lines of ---")
    return dict(_field(line) for line in match["fields"].split("\n") if line.strip()), match["body"]


def items(value: str) -> tuple[str, ...]:
    """Those of a list ``[a, b]``."""
    return tuple(item.strip() for item in value.strip("[]").split(",") if item.strip())


def _field(line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise ValueError(f"'{line}' is not of the form key: value")
    return key.strip(), value.strip()
