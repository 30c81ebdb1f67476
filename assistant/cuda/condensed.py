"""A text without most of its function bodies, for readers that only ask which words these hold, and are done sooner then.

Comments become blanks, literals empty ones, continued lines one; a body becomes the words that stand in it. What could be read otherwise
then is left as it stands: bodies with directives, with ``extern`` or ``template``, and texts with raw strings or digraphs. Example::

    condensed("int f(int n) { return g(n) + g(2); }")     # 'int f(int n) {g n return}'
"""

from __future__ import annotations

import re

from assistant.cuda.tokens import SPLICE

__all__ = ["condensed"]

_LEFT_ALONE = ('R"', "<%", "%>", "%:", "??=")
_LITERAL = re.compile(
    r"""//[^\n]*
    |/\*.*?(?:\*/|\Z)
    |"(?:[^"\\\n]|\\[^\n])*"
    |'(?:(?<!\w')|(?<=\b[uUL]')|(?<=\bu8'))(?:[^'\\\n]|\\[^\n])+'""",
    re.VERBOSE | re.DOTALL,
)
"""Each begins with one of three signs, which the search then looks for alone. A quote in a number begins nothing."""
_PART = re.compile(r"^[ \t]*\#[^\n]*|\)(?:[\s&]|\b(?:const|volatile|noexcept|override|final)\b)*\{|[{}]", re.MULTILINE)
_WORD = re.compile(r"(?:u8|[uUL])(?=[\"'])|\.?\d(?:[eEpP][-+]|'\w|[\w.])*|([^\W\d]\w*)")
"""Or a literal's prefix or a number, which are none."""
_KEPT_WORDS = frozenset({"extern", "template"})
_NO_FUNCTION = re.compile(
    r"\bnamespace\b[^;{}()]*\Z"
    r"|\b(?:struct|class|union|enum)\b[^;{}()]*\b(?:__\w+__|__declspec|alignas|decltype|[A-Z_][A-Z_\d]+)\s*\Z"
)
"""What stands before the parenthesis of an attribute, or of a macro that may be one."""
_HEAD_CHARACTERS = 300


def condensed(text: str) -> str:
    """A text with the same declarations, macros and words; offsets in it are its own."""
    if any(mark in text for mark in _LEFT_ALONE):
        return text
    plain = _LITERAL.sub(_emptied, SPLICE.sub("", text))
    bodies = _bodies(plain)
    parts, position = list[str](), 0
    for start, end in bodies or ():
        words = {word for word in _WORD.findall(plain, start, end) if word}
        if words.isdisjoint(_KEPT_WORDS):
            parts += (plain[position:start], " ".join(sorted(words)))
            position = end
    return text if bodies is None else "".join((*parts, plain[position:]))


def _emptied(match: re.Match[str]) -> str:
    return {"/": " ", "'": "'0'"}.get(match[0][0], '""')


def _bodies(plain: str) -> list[tuple[int, int]] | None:
    """(start, end) of what stands between the outermost braces of functions, without those with directives; None: braces do not match."""
    found, depth, body, is_whole = list[tuple[int, int]](), 0, None, True
    for match in _PART.finditer(plain):
        part = match[0]
        if part == "}":
            depth -= 1
            if body is not None and depth == body[0]:
                found += [(body[1], match.start())] if is_whole else []
                body = None
            if depth < 0:
                return None
        elif part[-1] == "{" and not part.lstrip().startswith("#"):
            if body is None and len(part) > 1 and _is_function(plain, match.start()):
                body, is_whole = (depth, match.end()), True
            depth += 1
        else:
            is_whole = False
    return found if depth == 0 else None


def _is_function(plain: str, closing: int) -> bool:
    """Whether the parenthesis before a brace is no attribute's of a class or namespace."""
    head = plain[max(0, closing - _HEAD_CHARACTERS) : closing + 1]
    depth = 0
    for index in range(len(head) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(head[index], 0)
        if depth == 0:
            return _NO_FUNCTION.search(head[:index]) is None
    return True
