"""What a piece of device code does beyond device code: calls of host functions, inline assembly that reads files, objects that run code.

Held against lists of what is allowed; what is not known is reported. Code without comments and spliced lines is expected. Example::

    allowed = DeclaredNames(functions=frozenset({"square"}))
    call_problem("out[i] = square(system(0));", allowed)    # "it calls system, which is not a function of device code"
"""

from __future__ import annotations

import re

from assistant.cuda.code_text import emptied
from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.device_words import ARITHMETIC, OF_HOST, is_device_function, is_device_namespace, is_reserved
from assistant.record import Record

__all__ = ["DeclaredNames", "asm_problem", "call_problem", "constructor_problem", "initialised_members", "is_plain_value", "type_problem"]

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_ASM = re.compile(
    r"\b(?:asm|__asm__|__asm)\b(?P<volatile>\s*(?:volatile|__volatile__))?\s*(?P<open>\()?\s*(?P<template>(?:\"(?:[^\"\\\n]|\\.)*\"\s*)*)"
)
_ASM_DIRECTIVE = re.compile(r"(?<![\w\]>)])\.([A-Za-z_]\w*)")
_ASM_WORDS = re.compile(r"reg|pred|[bsu](?:8|16|32|64|128)|f(?:16|32|64)|f16x2|bf16x2?|v[24]")
_ASM_ESCAPE = re.compile(r"\\(?![nt\"\\])|\\\\|/[*/]|^\s*#", re.MULTILINE)
_TEMPLATE_ARGUMENTS = r"(?:<(?:[^<>;(){}]|<[^<>;(){}]*>)*>\s*)?"
_CALL = re.compile(rf"(?P<name>[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*)\s*{_TEMPLATE_ARGUMENTS}\(")
_DECLARED_BEFORE = re.compile(r"(?P<word>[A-Za-z_]\w*|[>*&])\s*\Z")
_MEMBER = re.compile(r"(?:\.|->)\s*(?:template\s+)?\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")
_VARIABLE = re.compile(r"\b([A-Za-z_]\w*)\s+([A-Za-z_]\w*)\s*[;={]")
_LAMBDA = re.compile(r"\bauto\s*&?\s*([A-Za-z_]\w*)\s*=\s*\[")
_TYPE_ALIAS = re.compile(r"\b(?:struct|class|union|enum|typename|using)\s+([A-Za-z_]\w*)|\btypedef\b[^;]*?\b(\w+)\s*;")
_ANY_ARITHMETIC = "|".join(sorted(ARITHMETIC, key=len, reverse=True))
_LOCAL = re.compile(
    rf"\b(?:{_ANY_ARITHMETIC}|auto|const)\s*(?:[*&]\s*)?(?:(?:const|__restrict__)\s*)?"
    r"([A-Za-z_]\w*)\s*[=;,\[)]"
)
_STD = re.compile(
    r"std\s*::\s*(?:numeric_limits|min|max|swap|move|forward|abs|u?int\w*_t|size_t|ptrdiff_t|nullptr_t|is_\w+|enable_if\w*|conditional\w*"
    r"|remove_\w+|decay\w*|integral_constant|bool_constant|true_type|false_type|(?:make_)?(?:integer|index)_sequence|declval|common_type\w*"
    r"|make_(?:un)?signed\w*|array|fma|sqrt|exp|log|pow|sin|cos|tanh|floor|ceil|isnan|isinf)\b"
)
_ANY_STD = re.compile(r"\bstd\s*::\s*\w+")
_EXTERN = re.compile(r"\bextern\b(?!\s+(?:__align__\s*\([^()]*\)\s*|alignas\s*\([^()]*\)\s*)*__shared__\b)")
_ATTRIBUTE = re.compile(r"\b(?:__attribute__|__declspec)\s*\(|\[\[")
_HARMLESS_ATTRIBUTE = re.compile(
    r"__attribute__\s*\(\(\s*_{0,2}(?:aligned|always_inline|noinline|unused|packed|vector_size)_{0,2}\s*(?:\(\s*\w+\s*\)\s*)?\)\)"
    r"|\[\[\s*(?:maybe_unused|nodiscard|likely|unlikely|fallthrough|assume\s*\([^()\"]*\))\s*\]\]"
)
_LIMIT = re.compile(r"std\s*::\s*numeric_limits\s*<[\w\s]+>\s*::\s*\w+\s*\(\s*\)")
_VALUE_WORD = re.compile(r"[A-Z]\w*_(?:MAX|MIN|BIT|BITS|EPSILON|INF|NAN)|INFINITY|NAN|M_[A-Z0-9_]+|CUDART_\w+|true|false|nullptr|warpSize")
_VALUE_CALL = frozenset({"sizeof", "alignof", "static_cast"})
_VALUE_REST = re.compile(r"[\d.\w\s+\-*/%<>&|^~!?:,(){}']*")
_NUMBER = re.compile(
    r"(?<![\w.])(?:0[xXbB][\da-fA-F']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfFzZ]*|'(?:[^'\\\n]|\\.)'"
)
_POINTER_CALL = re.compile(r"\(\s*(?:\w+\s*::\s*)?\*+\s*(?:const\s*)?\w*\s*\)\s*\(")
_DECORATIONS = frozenset({"defined", "__align__", "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__"})
"""They take parentheses and call nothing."""
_NOT_BEFORE_NAME = frozenset(
    {"return", "else", "do", "case", "throw", "goto", "not", "and", "or", "xor", "co_return", "co_await", "co_yield"}
)


class DeclaredNames(Record):
    """What the text offers to a piece of its device code."""

    functions: frozenset[str] = frozenset()
    """Device functions, types and macros that may be called."""
    of_host: frozenset[str] = frozenset()
    """Functions of the text that run on the host."""
    words: frozenset[str] = frozenset()
    """What its device code says already."""

    def offers(self, name: str) -> bool:
        """Whether it may be called, or is a word of the language."""
        return name in self.functions or name in self.words or name in KEYWORDS or name in ARITHMETIC


def call_problem(code: str, around: DeclaredNames) -> str | None:
    """What the code calls or names that does not belong to device code; None where nothing is found."""
    code = _HARMLESS_ATTRIBUTE.sub(" ", code)
    if (attribute := _ATTRIBUTE.search(code)) is not None and not _is_subscript(code, attribute):
        return "it holds an attribute that is not for device code"
    if _EXTERN.search(code) and "extern" not in around.words:
        return "it declares something `extern`"
    problem = asm_problem(code)
    if problem is not None:
        return problem
    bare = emptied(code)
    if _POINTER_CALL.search(bare):
        return "it calls through a pointer to a function"
    library = next(
        (m[0] for m in _ANY_STD.finditer(bare) if _STD.match(m[0]) is None and m[0].split(":")[-1].strip() not in around.words), None
    )
    if library is not None:
        return f"it uses {library}, which is not part of device code"
    return _named(bare, around) or _called(bare, around)


def _is_subscript(code: str, match: re.Match[str]) -> bool:
    """``a[[i]…`` cannot be; ``a[ [] { … }() ]`` neither looks like it."""
    return match[0] == "[[" and re.search(r"[\w)\]]\s*\Z", code[: match.start()]) is not None


def _named(code: str, around: DeclaredNames) -> str | None:
    """A function of the host that is named, called or not; a local variable may be called the same."""
    local = set(_LOCAL.findall(code))
    for match in _WORD.finditer(code):
        name = match[0]
        if name not in OF_HOST and name not in around.of_host:
            continue
        if name in around.words or name in local or _MEMBER.search(code[max(0, match.start() - 16) : match.start()]):
            continue
        return f"it names {name}, which is not a function of device code"
    return None


def _called(code: str, around: DeclaredNames) -> str | None:
    known = set(_LAMBDA.findall(code))
    known |= {word for found in _TYPE_ALIAS.findall(code) for word in found if word}
    known |= {name for kind, name in _VARIABLE.findall(code) if kind in around.functions}
    for match in _CALL.finditer(code):
        parts = re.split(r"\s*::\s*", match["name"])
        name, scope = parts[-1], "::".join(parts[:-1])
        if name in known or around.offers(name) or name in _DECORATIONS or _MEMBER.search(code[max(0, match.start() - 16) : match.start()]):
            continue
        if scope and (is_device_namespace(scope) or parts[0] in known or around.offers(parts[0]) or parts[0] == "std"):
            continue
        if _is_declared(code, match) and not is_reserved(name):
            continue
        if not scope and is_device_function(name) and not (_is_declared(code, match) and is_reserved(name)):
            continue
        return f"it calls {name}, which is not a function of device code"
    return None


def _is_declared(code: str, match: re.Match[str]) -> bool:
    """``T name(…)`` declares something."""
    before = _DECLARED_BEFORE.search(code[max(0, match.start() - 80) : match.start()])
    if before is None:
        return False
    word = before["word"]
    if word in "*&":
        return False
    return word not in _NOT_BEFORE_NAME and (word == ">" or word not in KEYWORDS or word in ARITHMETIC or word in {"auto", "void", "const"})


def asm_problem(code: str) -> str | None:
    """Why inline assembly is not taken: anything but instructions and registers in literal text."""
    for match in _ASM.finditer(code):
        rest = code[match.end() : match.end() + 1]
        is_statement = match["volatile"] or rest == ":" or not re.search(r"[\w)\]]\s*\Z", code[: match.start()])
        if match["open"] is None or not match["template"] or not is_statement:  # else it gives a declared function another one's name
            return 'its inline assembly is not `asm("…")` with literal text'
        template = "".join(text[1:-1] for text in _STRING.findall(match["template"]))
        text = re.sub(r"\\[nt]", "\n", template)
        if rest not in (":", ")") or _ASM_ESCAPE.search(text):
            return "its inline assembly is not plain literal text"
        directive = next((m[1] for m in _ASM_DIRECTIVE.finditer(text) if _ASM_WORDS.fullmatch(m[1]) is None), None)
        if directive is not None:
            return f"its inline assembly holds the directive .{directive}"
    return None


def is_plain_value(text: str, constants: frozenset[str]) -> bool:
    """Whether an initialiser is arithmetic of literals and ``constants``, so that nothing runs to compute it."""
    rest = _NUMBER.sub(" 0 ", _LIMIT.sub(" 0 ", text))
    if _VALUE_REST.fullmatch(rest) is None or "++" in rest or "--" in rest:
        return False
    for match in _WORD.finditer(rest):
        name = match[0]
        is_type = name in ARITHMETIC or name in _VALUE_CALL or name == "const"
        if not is_type and name not in constants and _VALUE_WORD.fullmatch(name) is None:
            return False
        if not is_type and re.match(r"\s*[({]", rest[match.end() :]):
            return False
    return True


def constructor_problem(text: str, names: frozenset[str]) -> str | None:
    """Why an object of the type that stands outside functions would run code."""
    opening = text.find("{")
    flat = re.sub(r"\([^()]*\)", "()", _without_bodies(text[opening + 1 : text.rfind("}")])) if opening >= 0 else ""
    names = names | frozenset(re.findall(r"\b(?:struct|class|union)\s+(\w+)", text))
    if re.search(r"~\s*\w+\s*\(", flat) or any(
        re.search(rf"(?:^|[;}}:]|\bconstexpr|\bexplicit|\binline|__)\s*{n}\s*\(", flat) for n in names
    ):
        return "its type has a constructor or destructor"
    return None


def initialised_members(text: str, names: frozenset[str]) -> frozenset[str]:
    """Members that constructors of the type list behind a colon, which looks like calls: ``Sum() : v(0), n(1) {}``."""
    found = set[str]()
    for name in names:
        for listed in re.finditer(rf"\b{name}\s*\([^()]*\)\s*:(?P<members>(?:[^{{}};]|\{{[^{{}};]*\}}\s*[,{{])*)", text):
            found.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)\s*\(", listed["members"]))
    return frozenset(found)


def type_problem(text: str, constants: frozenset[str]) -> str | None:
    """Why a type's definition may run code by itself: static members, computed defaults, objects declared with it."""
    opening = text.find("{")
    if opening < 0:
        return None
    body, behind = text[opening + 1 : text.rfind("}")], text[text.rfind("}") + 1 :]
    if behind.strip(" \t\n;") and re.match(r"\s*typedef\b", text) is None:
        return "it declares an object along with a type"
    flat = re.sub(r"\([^()]*\)", "()", _without_bodies(body))
    if re.search(r"\bfriend\b", flat):
        return "it gives a type a friend, which any code may call"
    for statement in flat.split(";"):
        head, is_set, value = re.sub(r"operator\s*[^\s\w(]+", "operator ", statement).partition("=")
        if "{" in head and not is_set:
            head, is_set, value = head.partition("{")
            value = value.rpartition("}")[0]
        if is_set and not is_plain_value(value, constants) and value.strip() not in ("default", "delete"):
            return "it gives a member a value that is computed"
        if re.search(r"\bstatic\b", head) and "(" not in head and not re.search(r"\bconst(?:expr)?\b", head):
            return "it gives a type a static member"
    return None


def _without_bodies(body: str) -> str:
    """A type's body with the bodies of its functions gone."""
    result, depth, is_kept = list[str](), 0, False
    for index, character in enumerate(body):
        if character == "{":
            if depth == 0:
                head = re.split(r"[;}]", body[:index])[-1]
                is_kept = "(" not in head
            depth += 1
        if depth == 0 or is_kept:
            result.append(character)
        if character == "}":
            depth -= 1
            if depth == 0 and not is_kept:
                result.append(";")
    return "".join(result)
