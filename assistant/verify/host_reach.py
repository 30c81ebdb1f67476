"""How an edit of device code may run code on the host: macros that live on behind it, objects whose values are computed, calls.

What an edit adds is held against what is known to be harmless; what is not known to be counts as host code. Example::

    host_reach(before, after)    # "it defines the macro return, which is a word of C++"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from assistant.cuda.code_patterns import CodePattern, Words, squeezed, words_of
from assistant.cuda.code_text import blanked, has_blank_splice, has_torn_directive, uncommented, unspliced
from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.device_words import ARITHMETIC, OF_HOST, STD_FUNCTIONS, is_device_function, is_reserved
from assistant.cuda.directives import Macro, directives_in, macros_in
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import TokenKind, tokens, words_in_code
from assistant.record import Record
from assistant.verify.device_code import (
    DeclaredNames,
    asm_problem,
    call_problem,
    constructor_problem,
    initialised_members,
    is_plain_value,
    type_problem,
)
from assistant.verify.macro_use import conditions_problem, macro_problem

__all__ = ["host_reach", "launch_reach"]

_TYPE = CodePattern(r"(?:template<[^{;]*>)?(?:typedef )?(?:struct|class|union|enum)\b")
_ALIAS = CodePattern(r"(?:template<[^{;]*>)?(?:using|typedef|static_assert|_Static_assert)\b")
_OBJECT = CodePattern(
    r"(?s)(?P<specifiers>(?: ?(?:(?:static|inline|constexpr|const|volatile|extern|__device__|__constant__|__managed__|__shared__|struct"
    r"|enum)\b"
    r"|__align__\([^()\"]*\)|alignas\([^()\"]*\)))*) ?(?P<type>[A-Za-z_]\w*(?: (?:int|long|char|short|double|const))*)"
    r"(?P<rest>[ *]+[A-Za-z_].*);"
)
_NO_OBJECT = CodePattern(r"[\"'#]|\[\][({]")
"""Text, and a lambda."""
_SIZE = CodePattern(r"\[([^\[\]]*)\]")
_OBJECT_NAME = CodePattern(r"(?:^|,)[ *]*([A-Za-z_]\w*)(?==|\{|,|$)")
_ASSIGNED, _LISTED = CodePattern(r"(?<![=!<>])=(?!=)"), CodePattern(r"(?<=\w)\{")
_CONSTANT = CodePattern(r"(?:static |inline )*const(?:expr)?\b")
_ENUM = CodePattern(r"enum\b")
_PROTOTYPE = CodePattern(
    r"(?:extern \"C\")?[^\"={}]*\b__(?:device|global)__\b[^\"={}]*\([^\"={}]*\)"
    r"(?:const|noexcept)?;"
)
_PARENTHESIZED = CodePattern(r"\b(?:__align__|alignas|__launch_bounds__|__attribute__)\((?:[^()]|\([^()]*\))*\)")
_FUNCTION_NAME = CodePattern(r"([A-Za-z_]\w*)\(")
_PARAMETER_NAME = CodePattern(r"([A-Za-z_]\w*)(?:=[^,()]*)?(?=[,)>])")
_EXTERN_C = CodePattern(r"\bextern \"C\"")
_DEVICE_KINDS = frozenset({ItemKind.KERNEL, ItemKind.DEVICE})
_LIBRARY_TYPE = CodePattern(r"\bstd::|\bcuda[A-Z]\w*_t\b")
_OF_STD = CodePattern(r"\A[^{=]*\bstd::")
_LAUNCH_CALL = CodePattern(r"([A-Za-z_]\w*)(?:<[^<>;(){}]*>)?\(")
_LAUNCH_EFFECT = CodePattern(
    r"\"|'|\+\+|--|\)\(|(?<![\w)\]])\[|(?<![=!<>])=(?!=)"
    r"|\b(?:new|delete|throw|operator|asm|reinterpret_cast)\b"
)
"""What changes something, or calls what no name before the parenthesis shows."""
_CASTED = CodePattern(
    rf">>>\(|\((?:const )?(?:{'|'.join(sorted(ARITHMETIC))}|void)"
    r"(?: (?:int|long|char|short))*\**\)(?=[\w(&*-])"
)
"""The end of a launch's configuration, and casts: what else may stand before a parenthesis."""
_SHAPE, _SHAPE_SET = CodePattern(r"\Adim3 (\w+)"), CodePattern(r"\Adim3 \w+=")
_LAUNCH_CALLS = frozenset({"sizeof", "min", "max", "static_cast", "ceil", "ceilf"})
_TAKEN = KEYWORDS | ARITHMETIC | OF_HOST | STD_FUNCTIONS
_OF_CUDA = Words(r"cu(?:da)?[A-Z]\w*")
"""Functions and types of CUDA's host libraries."""
_INCLUDE_BY_NAME = CodePattern(r"<\w[\w.+-]*(?:/\w[\w.+-]*)*>")
_PLAIN_PRAGMA = CodePattern(r"(?:unroll|nounroll|once|nv_diag\w*)\b")


class _Side(Record):
    """One text, without comments and spliced lines."""

    code: str
    items: tuple[Item, ...]
    macros: tuple[Macro, ...]
    is_whole: bool
    """Whether it could be taken apart; without that there are no items."""

    @cached_property
    def host_words(self) -> frozenset[str]:
        """What functions of the host say."""
        return frozenset(word for item in self.items if item.kind is ItemKind.HOST for word in words_in_code(blanked(item.text)))

    @cached_property
    def device_words(self) -> frozenset[str]:
        return frozenset(word for item in self.items if item.kind in _DEVICE_KINDS for word in words_in_code(blanked(item.text)))

    @cached_property
    def constants(self) -> frozenset[str]:
        return _constants(self)

    def names_of(self, *kinds: ItemKind) -> frozenset[str]:
        return frozenset(name for item in self.items if item.kind in kinds for name in item.names)


def host_reach(before: str, after: str) -> str | None:
    """Why the edit may have an effect on the host though it stands in device code; None where it cannot. Functions of the host are not
    looked at: that they change is plain to see."""
    if before == after:
        return None
    unclear = _unclear_lines(before, after)
    if unclear is not None:
        return unclear
    old, new = _side(before), _side(after)
    if old.is_whole and not new.is_whole:
        return "its brackets do not match"
    return _directives(old, new) or _macros(old, new) or (_items(old, new) if old.is_whole else _lines(old, new))


def _unclear_lines(before: str, after: str) -> str | None:
    """Why it is not clear where a line of the edit ends."""
    if has_blank_splice(after) and not has_blank_splice(before):
        return "a line of it ends with a backslash and blanks, which compilers read differently"
    if has_torn_directive(after) and not has_torn_directive(before):
        return "a directive of it holds a string that continues on the next line"
    return None


def launch_reach(before: Iterable[str], after: Iterable[str]) -> str | None:
    """Why changed launches, or declarations of their shapes, do more than compute; None where they do not."""
    present = Counter(map(squeezed, before))
    known = frozenset(name for text in present for name in _LAUNCH_CALL.texts(text))
    for text in map(squeezed, after):
        if present[text]:
            present[text] -= 1
            continue
        effect = _LAUNCH_EFFECT.search(_SHAPE_SET.replaced(_CASTED.replaced(text)))
        if effect is not None:
            return f"a launch holds `{effect.text}`, but it may only compute"
        called = next((name for name in _LAUNCH_CALL.texts(text) if name not in known | ARITHMETIC | _LAUNCH_CALLS), None)
        declared = _SHAPE.search(text)
        if called is not None and (declared is None or called != declared.text):
            return f"a launch calls {called}, but it may only compute"
    return None


def _side(text: str) -> _Side:
    code = unspliced(uncommented(text.replace("\r\n", "\n")))
    found = items(code)
    return _Side(code, found or (), macros_in(code), found is not None)


def _lines(old: _Side, new: _Side) -> str | None:
    """The same for a text that cannot be taken apart: only lines are compared, and all of them may be the host's."""
    return call_problem(_added(old.code, new.code), DeclaredNames(words=words_in_code(blanked(old.code))))


def _directives(old: _Side, new: _Side) -> str | None:
    """What the edit adds among directives but for macros."""
    defined = {macro.name for macro in new.macros}
    added = Counter(d.text for d in directives_in(new.code)) - Counter(d.text for d in directives_in(old.code))
    inside = {d.text for item in new.items if item.kind in _DEVICE_KINDS for d in directives_in(item.text)}
    for directive in directives_in(new.code):
        if directive.text not in added:
            continue
        is_plain = directive.word in {"define", "if", "ifdef", "ifndef", "elif", "else", "endif"}
        is_plain |= directive.word == "undef" and directive.rest.strip() in defined - {macro.name for macro in old.macros}
        is_plain |= directive.word == "pragma" and _PLAIN_PRAGMA.begins(directive.rest)
        is_include = directive.word == "include" and len(directive.rest.split()) == 1 and _INCLUDE_BY_NAME.is_all(directive.rest)
        is_plain |= is_include and directive.text not in inside
        if not is_plain:
            return f"it holds the directive `{directive.text[:60]}`"
    known = {_key(item): item for item in old.items}
    for item in new.items:
        if item.kind in _DEVICE_KINDS and (problem := conditions_problem(item.text, known[_key(item)].text if _key(item) in known else "")):
            return problem
    return None


def _macros(old: _Side, new: _Side) -> str | None:
    """The first macro of the edit that may change what host code means."""
    known = {(macro.name, macro.text) for macro in old.macros}
    earlier = {macro.name for macro in old.macros}
    words = words_in_code(blanked(old.code))
    around = _around(old, new)
    for macro in new.macros:
        if (macro.name, macro.text) in known:
            continue
        if macro.name in _TAKEN or macro.name in _OF_CUDA or is_reserved(macro.name) or is_device_function(macro.name):
            return f"it defines the macro {macro.name}, which is a word of C++ or CUDA"
        if macro.name in words and macro.name not in earlier:
            return f"it defines the macro {macro.name}, a name that the text uses already"
        problem = _macro_calls(macro, around)
        if problem is not None:
            return f"its macro {macro.name}: {problem}"
        problem = macro_problem(macro, macro.name in new.host_words, _includes(new))
        if problem is not None:
            return problem
    return None


def _includes(side: _Side) -> tuple[tuple[int, int], ...]:
    """Where headers are read."""
    return tuple((item.start, item.end) for item in side.items if item.kind is ItemKind.INCLUDE)


def _items(old: _Side, new: _Side) -> str | None:
    """The first definition of the edit that may run on the host."""
    present = Counter(squeezed(item.text) for item in old.items)
    earlier: dict[object, Item] = {_key(item): item for item in reversed(old.items)}
    earlier |= {name: item for item in old.items if item.kind is ItemKind.DECLARATION for name in item.names}
    around = _around(old, new)
    for item in new.items:
        text = squeezed(item.text)
        if present[text]:
            present[text] -= 1
            continue
        before = earlier.get(_key(item)) or next(
            (earlier[n] for n in item.names if item.kind is ItemKind.DECLARATION and n in earlier), None
        )
        problem = None
        if item.kind in _DEVICE_KINDS:
            problem = _function(item, before, old, around)
        elif item.kind is ItemKind.DECLARATION:
            problem = _declaration(item, before, old, new, around)
        if problem is not None:
            return problem
    return None


def _function(item: Item, before: Item | None, old: _Side, around: DeclaredNames) -> str | None:
    head = item.text.partition("{")[0]
    name = min(item.names, default="")
    runs_on_host = "__global__" not in head and ("__host__" in head or "__device__" not in head)
    is_new_name = before is None and bool(item.names & old.host_words)
    if (runs_on_host and item.names & old.host_words) or is_new_name:
        return f"it defines {name}, which host code names"
    if "operator" in words_in_code(head) and before is None and not _is_of_vectors(head, old.host_words):
        return "it defines an operator that host code may use"
    if asm_problem(item.text) is not None and (before is None or asm_problem(before.text) is None):
        return asm_problem(item.text)
    text = _EXTERN_C.replaced(item.text if before is None else _added(before.text, item.text))
    return call_problem(text, replace(around, functions=around.functions | _parameters(head)))


def _is_of_vectors(head: str, host_words: frozenset[str]) -> bool:
    """An operator on vector types that no host code names."""
    types = {word for word in words_in_code(head.partition("operator")[2]) if word in ARITHMETIC and word[-1] in "234"}
    return bool(types) and not types & host_words and not _LIBRARY_TYPE.is_in(head)


def _declaration(item: Item, before: Item | None, old: _Side, new: _Side, around: DeclaredNames) -> str | None:
    text, names = item.text, item.names - KEYWORDS - ARITHMETIC
    if text.strip() == ";":
        return None
    constants = new.constants
    shown = f"`{' '.join(text.split())[:60]}`"
    if _OF_STD.is_in(text) and not _ALIAS.begins(text):
        return f"{shown} specializes or uses what is not its own"
    if _TYPE.begins(text) and "{" in text:
        if before is not None and _has_other_numbers(before.text, text):
            return None
        if names & old.host_words:
            return f"{shown} is a type that host code names"
        members = initialised_members(text, item.names)
        problem = type_problem(text, constants) or call_problem(text, replace(around, functions=around.functions | members))
        return None if problem is None else f"{shown}: {problem}"
    if _ALIAS.begins(text) or _TYPE.begins(text):
        if before is None and names & old.host_words:
            return f"{shown} changes a name that host code uses"
        return call_problem(text, around)
    if before is None and not _PROTOTYPE.is_all(text) and names & old.host_words:
        return f"{shown} declares a name that host code uses"
    if _PROTOTYPE.is_all(text):
        return call_problem(_EXTERN_C.replaced(text), around)
    return (
        None if _is_plain_object(text, new, constants) else f"{shown} declares an object whose value is computed, or that lives on the host"
    )


def _has_other_numbers(before: str, after: str) -> bool:
    """Whether they are one enumeration, with other whole numbers: as constants, which host code may find changed."""
    a, b = tokens(before), tokens(after)
    pairs = zip(a, b, strict=False)
    return (
        _ENUM.begins(after)
        and len(a) == len(b)
        and all(old.text == new.text or (old.text.isdecimal() and new.text.isdecimal()) for old, new in pairs)
    )


def _is_plain_object(text: str, side: _Side, constants: frozenset[str]) -> bool:
    """A device variable or a constant, of a type without code, without a value or with a literal one."""
    found = _OBJECT.whole(text)
    if found is None or _NO_OBJECT.is_in(text):
        return False
    specifiers, type_word = words_of(found["specifiers"]), found["type"].split()[0]
    owners = [item for item in side.items if item.kind is ItemKind.DECLARATION and type_word in item.names and _TYPE.begins(item.text)]
    is_plain_type = type_word in ARITHMETIC or (bool(owners) and all(_runs_nothing(owner, constants) for owner in owners))
    if not is_plain_type or not {"const", "constexpr", "__device__", "__constant__", "__managed__", "__shared__"} & set(specifiers):
        return False
    if "extern" in specifiers and "__shared__" not in specifiers:
        return False
    if not all(is_plain_value(size, constants) for size in _SIZE.texts(found["rest"])):
        return False
    rest = _SIZE.replaced(found["rest"], "")
    return is_plain_value(_assignments_gone(rest), constants | frozenset(_OBJECT_NAME.texts(rest)))


def _runs_nothing(owner: Item, constants: frozenset[str]) -> bool:
    return type_problem(owner.text, constants) is None and constructor_problem(owner.text, owner.names) is None


def _assignments_gone(text: str) -> str:
    """``a = 1, b{2}`` as one list of words and values: ``a , 1, b , {2}``."""
    return _ASSIGNED.replaced(_LISTED.replaced(text, ",{"), ",").replace("*", " ", text.count("*", 0, 2))


def _constants(side: _Side) -> frozenset[str]:
    """Names whose values are compile-time arithmetic: constants, enumerators and macros of literals."""
    declarations = [item for item in side.items if item.kind is ItemKind.DECLARATION]
    enumerators = {name for item in declarations if _ENUM.begins(item.text) for name in item.names}
    values = [(item.names, item.text.partition("=")[2].rstrip(" ;\n")) for item in declarations if _CONSTANT.begins(item.text)]
    values += [(frozenset({macro.name}), macro.body.strip()) for macro in side.macros if not macro.parameters]
    known = frozenset(enumerators)
    for _ in range(len(side.items) + 1):
        found = known.union(*(names for names, value in values if value and is_plain_value(value, known)))
        if found <= known:
            return known
        known = found
    return known


def _around(old: _Side, new: _Side) -> DeclaredNames:
    """What device code of the new text may call: its device functions and types, macros that call nothing else, what the old one called."""
    types = frozenset(
        n
        for item in new.items
        if item.kind is ItemKind.DECLARATION and (_TYPE.begins(item.text) or _ALIAS.begins(item.text))
        for n in item.names
    )
    of_host = new.names_of(ItemKind.HOST) - new.names_of(ItemKind.KERNEL, ItemKind.DEVICE)
    words = old.device_words
    around = DeclaredNames(types | new.names_of(ItemKind.KERNEL, ItemKind.DEVICE) | _called_prototypes(new), of_host, words)
    fine = {m.name for m in new.macros}
    for _ in range(len(new.macros) + 1):
        trial = replace(around, functions=around.functions | fine)
        bad = {m.name for m in new.macros if m.name in fine and (m.is_pasting or _macro_calls(m, trial))}
        if not bad:
            break
        fine -= bad
    harmful = frozenset(m.name for m in new.macros) - fine
    return replace(around, functions=around.functions | fine, of_host=of_host | harmful)


def _macro_calls(macro: Macro, around: DeclaredNames) -> str | None:
    return call_problem(macro.body, replace(around, words=around.words | frozenset(macro.parameters)))


def _called_prototypes(side: _Side) -> frozenset[str]:
    """The functions that prototypes declare; not what their parameters might call."""
    prototypes = (item for item in side.items if item.kind is ItemKind.DECLARATION and _PROTOTYPE.is_all(item.text))
    names = (_FUNCTION_NAME.search(_PARENTHESIZED.replaced(item.text)) for item in prototypes)
    return frozenset(name.text for name in names if name is not None)


def _parameters(head: str) -> frozenset[str]:
    """Names of a function's own parameters and template parameters, which may be called: functors."""
    return frozenset(_PARAMETER_NAME.texts(head))


def _added(before: str, after: str) -> str:
    """``after`` with its head, and without the lines that ``before`` has too: only what an edit adds can be to blame.

    The whole where a string goes on over lines, of which none may be missing.
    """
    if any(token.kind is TokenKind.STRING and "\n" in token.text for token in tokens(after)):
        return after
    known = Counter(line.strip() for line in before.split("\n"))
    lines = list[str]()
    for line in after.split("\n"):
        if known[line.strip()]:
            known[line.strip()] -= 1
            lines.append("")
        else:
            lines.append(line)
    return "\n".join(lines)


def _key(item: Item) -> tuple[ItemKind, frozenset[str]]:
    return item.kind, item.names
