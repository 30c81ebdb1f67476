"""What a piece of device code does beyond device code: calls of host functions, inline assembly that reads files, objects that run code.

Held against lists of what is allowed; what is not known is reported. Code without comments and spliced lines is expected. Example::

    allowed = DeclaredNames(functions=frozenset({"square"}))
    call_problem("out[i] = square(system(0));", allowed)    # "it calls system, which is not a function of device code"
"""

from __future__ import annotations

from assistant.cuda.code_patterns import CodeMatch, CodePattern, Words, squeezed
from assistant.cuda.code_text import emptied
from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.device_words import ARITHMETIC, OF_HOST, is_device_function, is_device_namespace, is_reserved
from assistant.cuda.inline_assembly import assembly_in
from assistant.record import Record

__all__ = ["DeclaredNames", "asm_problem", "call_problem", "constructor_problem", "initialised_members", "is_plain_value", "type_problem"]

_ASM_WORDS = Words(r"reg|pred|[bsu](?:8|16|32|64|128)|f(?:16|32|64)|f16x2|bf16x2?|v[24]")
_TEMPLATE_ARGUMENTS = r"(?:<(?:[^<>;(){}]|<[^<>;(){}]*>)*>)?"
_CALL = CodePattern(rf"(?P<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*){_TEMPLATE_ARGUMENTS}\(")
_WORD = CodePattern(r"\b[A-Za-z_]\w*")
_VARIABLE = CodePattern(r"\b(?P<type>[A-Za-z_]\w*) (?P<name>[A-Za-z_]\w*)[;={]")
_LAMBDA = CodePattern(r"\bauto[ &]([A-Za-z_]\w*)=\[")
_TYPE_ALIAS = CodePattern(r"\b(?:struct|class|union|enum|typename|using) (?P<type>[A-Za-z_]\w*)|\btypedef\b[^;]*?\b(?P<alias>\w+);")
_ANY_ARITHMETIC = "|".join(sorted(ARITHMETIC, key=len, reverse=True))
_LOCAL = CodePattern(rf"\b(?:{_ANY_ARITHMETIC}|auto|const)[ *&](?:(?:const|__restrict__) )?([A-Za-z_]\w*)[=;,\[)]")
_STD = Words(
    r"numeric_limits|min|max|swap|move|forward|abs|u?int\w*_t|size_t|ptrdiff_t|nullptr_t|is_\w+|enable_if\w*|conditional\w*"
    r"|remove_\w+|decay\w*|integral_constant|bool_constant|true_type|false_type|(?:make_)?(?:integer|index)_sequence|declval|common_type\w*"
    r"|make_(?:un)?signed\w*|array|fma|sqrt|exp|log|pow|sin|cos|tanh|floor|ceil|isnan|isinf"
)
_ANY_STD = CodePattern(r"\bstd::(\w+)")
_EXTERN = CodePattern(r"\bextern\b(?! (?:(?:__align__|alignas)\([^()]*\))*__shared__\b)")
_ATTRIBUTE = CodePattern(r"\b(?:__attribute__|__declspec)\(|\[\[")
_HARMLESS_ATTRIBUTE = CodePattern(
    r"__attribute__\(\(_{0,2}(?:aligned|always_inline|noinline|unused|packed|vector_size)_{0,2}(?:\(\w+\))?\)\)"
    r"|\[\[(?:maybe_unused|nodiscard|likely|unlikely|fallthrough|assume\([^()\"]*\))\]\]"
)
_LIMIT = CodePattern(r"std::numeric_limits<[\w ]+>::\w+\(\)")
_VALUE_WORD = Words(r"[A-Z]\w*_(?:MAX|MIN|BIT|BITS|EPSILON|INF|NAN)|INFINITY|NAN|M_[A-Z0-9_]+|CUDART_\w+|true|false|nullptr|warpSize")
_VALUE_CALL = frozenset({"sizeof", "alignof", "static_cast"})
_VALUE_REST = CodePattern(r"[\d.\w\s+\-*/%<>&|^~!?:,(){}']*")
_NAMED_VALUE = CodePattern(r"\b([A-Za-z_]\w*)(?P<opening>[({]?)")
_NUMBER = CodePattern(
    r"(?<![\w.])(?:0[xXbB][\da-fA-F']+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)[uUlLfFzZ]*|'(?:[^'\\\n]|\\.)'"
)
_POINTER_CALL = CodePattern(r"\((?:\w+::)?\*+(?:const\b ?)?\w*\)\(")
_ARGUMENTS = CodePattern(r"\([^()]*\)")
_TYPE_NAME = CodePattern(r"\b(?:struct|class|union) (\w+)")
_DESTRUCTOR = CodePattern(r"~\w+\(")
_MEMBER = CodePattern(r"(?:^|,)([A-Za-z_]\w*)\(")
_OPERATOR_SIGNS = CodePattern(r"\boperator[^\s\w(]+")
_FRIEND = CodePattern(r"\bfriend\b")
_STATIC = CodePattern(r"\bstatic\b")
_CONST = CodePattern(r"\bconst(?:expr)?\b")
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
    bare = _HARMLESS_ATTRIBUTE.replaced(emptied(code))
    if any(attribute.text != "[[" or not _is_subscript(attribute) for attribute in _ATTRIBUTE.matches(bare)):
        return "it holds an attribute that is not for device code"
    if _EXTERN.is_in(bare) and "extern" not in around.words:
        return "it declares something `extern`"
    problem = asm_problem(code)
    if problem is not None:
        return problem
    if _POINTER_CALL.is_in(bare):
        return "it calls through a pointer to a function"
    library = next((name for name in _ANY_STD.texts(bare) if name not in _STD and name not in around.words), None)
    if library is not None:
        return f"it uses std::{library}, which is not part of device code"
    return _named(bare, around) or _called(bare, around)


def _is_subscript(match: CodeMatch) -> bool:
    """``a[[i]…`` cannot be; ``a[ [] { … }() ]`` neither looks like it."""
    before = match.token_before
    return before in (")", "]") or before[:1].isalnum() or before[:1] == "_"


def _named(code: str, around: DeclaredNames) -> str | None:
    """A function of the host that is named, called or not; a local variable may be called the same."""
    local = set(_LOCAL.texts(code))
    for match in _WORD.matches(code):
        name = match.text
        if name not in OF_HOST and name not in around.of_host:
            continue
        if name in around.words or name in local or match.is_member:
            continue
        return f"it names {name}, which is not a function of device code"
    return None


def _called(code: str, around: DeclaredNames) -> str | None:
    known = set(_LAMBDA.texts(code))
    known |= {found["type"] or found["alias"] for found in _TYPE_ALIAS.matches(code)}
    known |= {found["name"] for found in _VARIABLE.matches(code) if found["type"] in around.functions}
    for match in _CALL.matches(code):
        parts = match["name"].split("::")
        name, scope = parts[-1], "::".join(parts[:-1])
        if name in known or around.offers(name) or name in _DECORATIONS or match.is_member:
            continue
        if scope and (is_device_namespace(scope) or parts[0] in known or around.offers(parts[0]) or parts[0] == "std"):
            continue
        is_declared = _is_type_end(match.token_before)
        if is_declared and not is_reserved(name):
            continue
        if not scope and is_device_function(name) and not (is_declared and is_reserved(name)):
            continue
        return f"it calls {name}, which is not a function of device code"
    return None


def _is_type_end(word: str) -> bool:
    """Whether a name behind it is declared: ``T name(…)``."""
    if not word or not (word == ">" or word[0].isalpha() or word[0] == "_"):
        return False
    return word not in _NOT_BEFORE_NAME and (word == ">" or word not in KEYWORDS or word in ARITHMETIC or word in {"auto", "void", "const"})


def asm_problem(code: str) -> str | None:
    """Why inline assembly is not taken: anything but instructions and registers in literal text."""
    for assembly in assembly_in(code):
        if assembly.template is None:
            return 'its inline assembly is not `asm("…")` with literal text'
        if not assembly.is_plain:
            return "its inline assembly is not plain literal text"
        directive = next((word for word in assembly.directives if word not in _ASM_WORDS), None)
        if directive is not None:
            return f"its inline assembly holds the directive .{directive}"
    return None


def is_plain_value(text: str, constants: frozenset[str]) -> bool:
    """Whether an initialiser is arithmetic of literals and ``constants``, so that nothing runs to compute it."""
    rest = _NUMBER.replaced(_LIMIT.replaced(text, " 0 "), " 0 ")
    if not _VALUE_REST.is_all(rest) or "++" in rest or "--" in rest:
        return False
    for match in _NAMED_VALUE.matches(rest):
        name = match.text
        if name in ARITHMETIC or name in _VALUE_CALL or name == "const":
            continue
        if match["opening"] or (name not in constants and name not in _VALUE_WORD):
            return False
    return True


def constructor_problem(text: str, names: frozenset[str]) -> str | None:
    """Why an object of the type that stands outside functions would run code."""
    text = squeezed(emptied(text))
    flat = _flat(_body(text))
    names = names | frozenset(_TYPE_NAME.texts(text))
    if _DESTRUCTOR.is_in(flat) or any(
        CodePattern(rf"(?:^|[;}}:]|\bconstexpr |\bexplicit |\binline |__ ){name}\(").is_in(flat) for name in names
    ):
        return "its type has a constructor or destructor"
    return None


def initialised_members(text: str, names: frozenset[str]) -> frozenset[str]:
    """Members that constructors of the type list behind a colon, which looks like calls: ``Sum() : v(0), n(1) {}``."""
    found = set[str]()
    for name in names:
        listed = CodePattern(rf"\b{name}\([^()]*\):(?P<members>(?:[^{{}};]|\{{[^{{}};]*\}}[,{{])*)")
        found.update(member for match in listed.matches(text) for member in _MEMBER.texts(match["members"]))
    return frozenset(found)


def type_problem(text: str, constants: frozenset[str]) -> str | None:
    """Why a type's definition may run code by itself: static members, computed defaults, objects declared with it."""
    text = squeezed(emptied(text))
    if "{" not in text:
        return None
    if text[text.rfind("}") + 1 :].strip(" \n;") and not text.startswith("typedef "):
        return "it declares an object along with a type"
    flat = _flat(_body(text))
    if _FRIEND.is_in(flat):
        return "it gives a type a friend, which any code may call"
    for statement in flat.split(";"):
        head, is_set, value = _OPERATOR_SIGNS.replaced(statement, "operator ").partition("=")
        if "{" in head and not is_set:
            head, is_set, value = head.partition("{")
            value = value.rpartition("}")[0]
        if is_set and not is_plain_value(value, constants) and value.strip() not in ("default", "delete"):
            return "it gives a member a value that is computed"
        if _STATIC.is_in(head) and "(" not in head and not _CONST.is_in(head):
            return "it gives a type a static member"
    return None


def _body(text: str) -> str:
    """What stands between the outermost braces; empty where there are none."""
    opening = text.find("{")
    return text[opening + 1 : text.rfind("}")] if opening >= 0 else ""


def _flat(body: str) -> str:
    """A type's body without its functions' arguments and bodies."""
    return _ARGUMENTS.replaced(_without_bodies(body), "()")


def _without_bodies(body: str) -> str:
    """A type's body with the bodies of its functions gone."""
    result, depth, is_kept = list[str](), 0, False
    for index, character in enumerate(body):
        if character == "{":
            if depth == 0:
                is_kept = "(" not in body[max(body.rfind(";", 0, index), body.rfind("}", 0, index)) + 1 : index]
            depth += 1
        if depth == 0 or is_kept:
            result.append(character)
        if character == "}":
            depth -= 1
            if depth == 0 and not is_kept:
                result.append(";")
    return "".join(result)
