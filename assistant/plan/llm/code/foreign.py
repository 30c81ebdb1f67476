"""What does not belong into a rewritten part: directives that read files or reach beyond it, names that others use, and host code where
that may not be edited.

A part may hold kernels, device functions, constants, types and macros in addition to what it was. Example::

    foreign_code(before, "int main() { … }", PartPlace(text))    # UnusableAnswer(HOST_FUNCTION, "it defines main, which runs on the host")
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.cuda.code_text import blanked, uncommented, unspliced
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import words_in_code
from assistant.model.source import Span
from assistant.plan.llm.code.unusable import Unusable, UnusableAnswer
from assistant.plan.llm.reading.schemas import INVISIBLE
from assistant.record import Record
from assistant.verify.device_code import asm_problem

__all__ = ["PartPlace", "foreign_code", "lost_code", "macros_of"]

_MOST_NESTING = 256
"""No program nests so deep (C++, annex B, asks compilers for 256), and parsers that recurse end with the process."""
_BRACKET = re.compile(r"[()\[\]{}]")
_LOOSE_SPLICE = re.compile(r"\\(?:[ \t]+(?:\r?\n|\Z)|\Z)")
"""Some compilers join the next line to such a one, others do not: what is a comment would depend on it."""
_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(?P<word>\w*)(?P<rest>[^\n]*)", re.MULTILINE)
_CONDITIONS = frozenset({"if", "ifdef", "ifndef", "elif", "else", "endif", "define"})
_PRAGMA = re.compile(r"[ \t]*(?:unroll|nounroll|nv_diag_suppress|nv_diag_default)\b")
_FORBIDDEN = re.compile(r"\b(_Pragma|__has_include|__has_embed|__COUNTER__|constructor|destructor|namespace\s+std)\b")
"""Ways to run code when a program starts, to ask for files, or to change what other code means."""
_TYPE = re.compile(r"^\s*(?:template\s*<[^{;]*>\s*)?(?:struct|class|union|enum|using|typedef|static_assert)\b")
_HIDDEN_OBJECT = re.compile(
    r"\A(?!\s*typedef\b).*\}\s*[^;\s}][^{}]*;\s*\Z|\bstatic\s+inline\b|\binline\s+static\b|^[^{;]*\bstd\s*::(?=[^{;]*\{)", re.DOTALL
)
"""An object declared together with a type, whose constructor would run on the host; or a specialization of a type from elsewhere."""
_DEVICE_VARIABLE = re.compile(r"\b__(?:device|constant|shared|managed)__\b")
_CONSTANT = re.compile(
    r"^\s*(?:static\s+|inline\s+)*(?:constexpr\b|const\s+(?:unsigned\s+|signed\s+|static\s+)*"
    r"(?:bool|char|short|int|long|long\s+long|unsigned|float|double|size_t|u?int(?:8|16|32|64)_t)\s+\w+\s*=)"
)
_CALL = re.compile(r"(?<![\w.])(?!(?:sizeof|static_cast|alignof|__align__|alignas|__attribute__)\b)[A-Za-z_]\w*\s*\(")


class PartPlace(Record):
    """Where a part stands."""

    text: str
    """Text of its file, without the parts."""
    macros: frozenset[str] = frozenset()
    """Names of the macros that the answer defines, in whichever part."""
    may_edit_host: bool = False
    is_statement: bool = False
    """It stands in a function."""


def macros_of(code: str) -> frozenset[str]:
    """Names of the macros that the code defines."""
    found = items(unspliced(uncommented(code.replace("\r\n", "\n"))))
    return frozenset(name for item in found or () if item.kind is ItemKind.MACRO for name in item.names)


def foreign_code(before: str, after: str, around: PartPlace) -> UnusableAnswer | None:
    """Why ``after`` is not taken in the place of the part ``before``; None where it is."""
    hidden = INVISIBLE.search(after.replace("\r\n", "\n"))
    if hidden is not None:
        line = after.replace("\r\n", "\n").count("\n", 0, hidden.start()) + 1
        reason = f"it holds characters that cannot be seen, the first (U+{ord(hidden[0]):04X}) in its line {line}: leave them out"
        return UnusableAnswer(Unusable.UNCLEAR_TEXT, reason)
    if _LOOSE_SPLICE.search(after):
        return UnusableAnswer(Unusable.UNCLEAR_TEXT, "a line ends with a backslash and blanks, or the last one with a backslash")
    code = unspliced(uncommented(after.replace("\r\n", "\n")))
    old = unspliced(uncommented(before.replace("\r\n", "\n")))
    if _nesting(code) > _MOST_NESTING:
        return UnusableAnswer(Unusable.BRACKETS, f"its brackets nest deeper than {_MOST_NESTING}")
    found = items(f"void statements()\n{{\n{code}\n}}" if around.is_statement else code)
    if found is None or (around.is_statement and len(found) != 1):
        return UnusableAnswer(Unusable.BRACKETS, "its brackets do not match")
    if not found:
        return UnusableAnswer(Unusable.EMPTY, "it is empty")
    known = items(old) or ()
    others = words_in_code(blanked(around.text))
    checks = (
        _directives(code, old, around.macros),
        _conditions(code, old),
        _forbidden(code, old),
        _assembly(code, old),
        *(_item(item, known, others, around.may_edit_host) for item in found if not around.is_statement),
    )
    return next((problem for problem in checks if problem is not None), None)


def lost_code(before: str, after: str, parts: Iterable[Span]) -> UnusableAnswer | None:
    """What stood outside the parts of ``before`` and is not in ``after`` any more, swallowed by a comment or a string that does not end.

    None where nothing is missing, and where ``before`` cannot be taken apart.
    """
    inside = tuple(parts)
    mine, theirs = items(uncommented(before)), items(uncommented(after))
    if mine is None:
        return None
    left = iter(() if theirs is None else [item.text for item in theirs])
    outside = (item for item in mine if not any(part.overlaps(Span(item.start, item.end)) for part in inside))
    missing = next((item for item in outside if item.text not in left), None)
    if missing is None:
        return None
    shown = " ".join(missing.text.split())[:60]
    return UnusableAnswer(Unusable.CODE_LOST, f"the code behind it is cut off or changed, from `{shown}`")


def _nesting(code: str) -> int:
    """How deep brackets stand in brackets, whether they match or not."""
    depth = deepest = 0
    for match in _BRACKET.finditer(code):
        depth = depth + 1 if match[0] in "([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _directives(code: str, old: str, macros: frozenset[str]) -> UnusableAnswer | None:
    present = {match[0].strip() for match in _DIRECTIVE.finditer(old)}
    for match in _DIRECTIVE.finditer(code):
        word = match["word"]
        is_allowed = word in _CONDITIONS or (word == "pragma" and _PRAGMA.match(match["rest"]) is not None)
        is_allowed |= word == "undef" and match["rest"].strip() in macros
        if not is_allowed and match[0].strip() not in present:
            shown = match[0].strip()[:60]
            reason = f"it holds the directive `{shown}`; only conditions, macros and `#pragma unroll` may be there"
            return UnusableAnswer(Unusable.DIRECTIVE, reason)
    return None


def _conditions(code: str, old: str) -> UnusableAnswer | None:
    """Why conditions reach beyond the part, where they would switch code behind it on or off; those of ``old`` may."""
    depth = 0
    words = _condition_words(code)
    if words == _condition_words(old):
        return None
    for word in words:
        if word in ("else", "elif", "endif") and depth == 0:
            return UnusableAnswer(Unusable.CONDITIONS, f"its `#{word}` has no `#if`")
        depth += (word in ("if", "ifdef", "ifndef")) - (word == "endif")
    return UnusableAnswer(Unusable.CONDITIONS, "its `#if` has no `#endif`") if depth else None


def _condition_words(code: str) -> list[str]:
    return [match["word"] for match in _DIRECTIVE.finditer(code) if match["word"] in _CONDITIONS - {"define"}]


def _forbidden(code: str, old: str) -> UnusableAnswer | None:
    allowed = {match[0] for match in _FORBIDDEN.finditer(old)}
    match = next((m for m in _FORBIDDEN.finditer(code) if m[0] not in allowed), None)
    if match is None:
        return None
    return UnusableAnswer(Unusable.FORBIDDEN_WORD, f"it holds `{match[0]}`, which reaches beyond device code")


def _assembly(code: str, old: str) -> UnusableAnswer | None:
    """Why its assembly is not taken: a directive in it makes the assembler read files (``.incbin``), on any machine."""
    problem = asm_problem(code)
    return None if problem is None or asm_problem(old) is not None else UnusableAnswer(Unusable.ASSEMBLY, problem)


def _item(item: Item, known: tuple[Item, ...], others: frozenset[str], may_edit_host: bool) -> UnusableAnswer | None:
    """Why one thing at file scope does not belong there."""
    name = min(item.names, default="")
    if any((item.kind, item.names) == (other.kind, other.names) for other in known):
        return None  # the part's own function, however it is spelled (a macro may hide that it is device code)
    if item.kind is ItemKind.HOST and not may_edit_host:
        reason = (
            f"it defines {name or 'a function'}, which runs on the host, and host code may not be edited here; give only the part itself"
        )
        return UnusableAnswer(Unusable.HOST_FUNCTION, reason)
    if item.kind in (ItemKind.SCOPE, ItemKind.KERNEL):
        return None
    own = {name for other in known for name in other.names}
    taken = sorted((item.names & others) - own)
    if taken and item.kind is not ItemKind.INCLUDE:
        reason = f"it defines {taken[0]}, a name that the text outside the region uses; choose another one"
        return UnusableAnswer(Unusable.NAME_IN_USE, reason)
    return _declaration(item.text) if item.kind is ItemKind.DECLARATION and not may_edit_host else None


def _declaration(text: str) -> UnusableAnswer | None:
    if text.strip() == ";" or (_TYPE.match(text) and not _HIDDEN_OBJECT.search(text)):
        return None
    is_computed = "=" in text and _CALL.search(text.partition("=")[2]) is not None
    if "constexpr" in text.partition("=")[0].split():
        return None
    if (_DEVICE_VARIABLE.search(text) or _CONSTANT.match(text)) and not is_computed:
        return None
    if not is_computed and re.search(r"\b__(?:device|global)__\b", text):
        return None  # a prototype, or device code that is spelled in an unusual way
    shown = " ".join(text.split())[:60]
    reason = f"it declares `{shown}` outside functions, which may be the host's, and host code may not be edited here; "
    reason += "only device code, types and compile-time constants may stand there"
    return UnusableAnswer(Unusable.DECLARATION, reason)
