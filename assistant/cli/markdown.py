"""The little Markdown that the pages of findings use, as HTML. Everything is escaped first; links become their text.

Known: ``##`` headings, paragraphs, ``-`` lists, fenced code, inline code, ``**bold**``. Example::

    markdown_html("- `a` < b")   # <ul><li><code>a</code> &lt; b</li></ul>
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape

__all__ = ["markdown_html"]

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`([^`]+)`")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_FENCE = "```"


def markdown_html(text: str) -> Markup:
    """HTML of the text below its title; headings start at ``h5``, for use inside a section."""
    html: list[str] = []
    for block in _blocks(text):
        first = block[0]
        if first.startswith(_FENCE):
            code = "\n".join(line for line in block if not line.startswith(_FENCE))
            html.append(f"<pre><code>{escape(code)}</code></pre>")
        elif first.startswith("# "):
            continue
        elif first.startswith("## "):
            html.append(f"<h5>{_inline(first[3:])}</h5>")
        elif first.startswith("- "):
            html.append("<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in _items(block)) + "</ul>")
        else:
            html.append(f"<p>{_inline(' '.join(block))}</p>")
    return Markup("".join(html))  # noqa: S704  (every piece of text was escaped above)


def _blocks(text: str) -> list[list[str]]:
    """Runs of lines that belong together; fenced code stays whole, blank lines and all."""
    blocks: list[list[str]] = []
    current: list[str] = []
    is_code = False
    for line in text.splitlines():
        is_fence = line.startswith(_FENCE)
        ends_before = not is_code and (is_fence or not line.strip() or line.startswith("#"))
        if ends_before and current:
            blocks.append(current)
            current = []
        if line.strip() or is_code:
            current.append(line)
        if (is_fence and is_code) or line.startswith("#"):
            blocks.append(current)
            current = []
        is_code = is_code != is_fence
    return [*blocks, current] if current else blocks


def _items(block: list[str]) -> list[str]:
    items: list[str] = []
    for line in block:
        if line.startswith("- "):
            items.append(line[2:])
        else:
            items[-1] += f" {line.strip()}"
    return items


def _inline(text: str) -> str:
    plain = str(escape(_LINK.sub(r"\1", text)))
    return _BOLD.sub(r"<strong>\1</strong>", _CODE.sub(r"<code>\1</code>", plain))
