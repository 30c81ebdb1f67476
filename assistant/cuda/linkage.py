"""Which functions and variables a text offers to other units of a program, and which it takes from them; and whether it has ``main()``.

Names carry the innermost namespace or class that they stand in (``ops::dot``, ``Solver::step``, ``Solver::~Solver``); overloads count
together. ``Plan::`` stands for all members of an instantiated class template. Read over tokens, so that macros and half-typed code
elsewhere change nothing.

Example::

    linkage = linkage_of("void launch(int); static void f() {} int main() { launch(1); }")
    linkage.declared, linkage.is_used("launch"), linkage.main is not None     # ({'launch'}, True, True)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.cuda.condensed import condensed
from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.declarations import ATTRIBUTES, CLASS_KEYS, MOST_OPEN_ANGLES, OPENING, DeclarationTokens, FunctionName, Head
from assistant.cuda.live_code import Condition, LiveCode, live_code
from assistant.cuda.tokens import Token, TokenKind
from assistant.record import Record

__all__ = ["Linkage", "MainFunction", "is_name_used", "linkage_of"]

_INLINE = frozenset({"inline", "constexpr", "consteval", "__forceinline__", "__inline__", "__inline", "__forceinline"})
_NO_DECLARATION = frozenset({"typedef", "using", "friend", "static_assert", "_Static_assert", "concept", "asm", "__asm__", "enum"})
_ACCESS = frozenset({"public", "private", "protected"})
_LITERALS = (TokenKind.NUMBER, TokenKind.STRING, TokenKind.CHARACTER)
_MOST_SCOPES = 100
"""Namespaces and classes inside each other: deeper ones are no code of a person's."""
_TABLE = re.compile(r"\{[-+\s\d.,xXa-fA-FpPuUlL]{400,}\}")
"""Numbers of a generated table, which take seconds to read and name nothing."""


class MainFunction(Record):
    """``main()`` and the conditions on macros that it stands in."""

    conditions: tuple[Condition, ...]


class Linkage(Record):
    """The names of a text that matter when units are linked."""

    defined: frozenset[str]
    """What other units can take: functions and variables with external linkage, explicit instantiations of templates."""
    inner: frozenset[str]
    """All that is defined here, ``static``, inline and template definitions included."""
    constants: frozenset[str]
    """Defined with ``const``: other units can take them only where they are declared ``extern`` too."""
    declared: frozenset[str]
    """Functions, methods and ``extern`` variables without a definition."""
    extern_templates: frozenset[str]
    """Instantiations that another unit has, even where the template is defined here."""
    mentioned: frozenset[str]
    """Words of definitions, initial values and macros; a declaration alone mentions nothing."""
    macros: frozenset[str]
    """Names that it defines as macros."""
    main: MainFunction | None

    def is_used(self, name: str) -> bool:
        """Whether the text does more with a name than declare it."""
        return is_name_used(name, self.mentioned)


def is_name_used(name: str, mentioned: frozenset[str]) -> bool:
    """Whether words mention a function or variable; of ``Plan::`` the class counts."""
    return name.removesuffix("::").rpartition("::")[2].removeprefix("~") in mentioned


def linkage_of(text: str) -> Linkage:
    """The names of a text, whatever its macros and includes would add."""
    return _Reader(live_code(_TABLE.sub("{}", condensed(text)))).read()


class _Scope(Record):
    """Where a declaration stands."""

    qualifier: str = ""
    """Innermost namespace or class; empty at file scope and for names with C linkage."""
    is_class: bool = False
    is_internal: bool = False
    """In an anonymous namespace."""
    depth: int = 0
    """How many scopes are around it."""

    def key(self, name: str, written: str) -> str:
        """``written``: the qualifier in front of the name, if any."""
        qualifier = written or self.qualifier
        return f"{qualifier}::{name}" if qualifier else name


class _Reader:
    """Goes through the tokens once."""

    def __init__(self, live: LiveCode) -> None:
        self._live = live
        self._tokens: Sequence[Token] = live.tokens
        self._code = DeclarationTokens(live.tokens)
        self._defined, self._inner, self._constants = set[str](), set[str](), set[str]()
        self._declared, self._extern_templates, self._mentioned = set[str](), set[str](), set[str]()
        self._main: MainFunction | None = None

    def read(self) -> Linkage:
        self._scope(0, len(self._tokens), _Scope())
        macros = self._macros()
        return Linkage(
            defined=frozenset(self._defined),
            inner=frozenset(self._inner),
            constants=frozenset(self._constants),
            declared=frozenset(self._declared),
            extern_templates=frozenset(self._extern_templates),
            mentioned=frozenset(self._mentioned),
            macros=frozenset(macros),
            main=self._main,
        )

    def _macros(self) -> set[str]:
        """Names of macros; their bodies mention words, and may instantiate templates where they are called."""
        called = {token.text for token in self._tokens}
        names = set[str]()
        for directive in self._live.directives:
            if directive.word != "define" or not directive.rest:
                continue
            name, body = directive.rest[0].text, directive.rest[1:]
            names.add(name)
            self._mentioned.update(token.text for token in body if token.kind is TokenKind.WORD)
            if name in called and any(token.text == "template" for token in body):
                self._instantiated_by_macro(body)
        return names

    def _instantiated_by_macro(self, body: Sequence[Token]) -> None:
        inner = _Reader(LiveCode(tuple(body), (), ()))
        for index, token in enumerate(body):
            if token.text == "template" and inner._code.text(index + 1) != "<":
                inner._instantiation(index + 1, len(body), _Scope(), is_extern=False)
        self._defined |= inner._defined

    def _scope(self, index: int, last: int, scope: _Scope) -> None:
        while index < last and scope.depth <= _MOST_SCOPES:
            text = self._code.text(index)
            if text in (";", "}", ")", "]") or (text == "inline" and self._code.text(index + 1) == "namespace"):
                index += 1
            elif text == "namespace":
                index = self._namespace(index, last, scope)
            elif text == "extern" and self._tokens[min(index + 1, last - 1)].kind is TokenKind.STRING:
                index = self._with_c_linkage(index, last, scope)
            elif scope.is_class and text in _ACCESS and self._code.text(index + 1) == ":":
                index += 2
            else:
                index = self._declaration(index, last, scope)

    def _namespace(self, index: int, last: int, scope: _Scope) -> int:
        opening = index + 1
        while opening < last and self._code.text(opening) not in ("{", ";", "="):
            opening += 1
        names = [token.text for token in self._tokens[index + 1 : opening] if token.kind is TokenKind.WORD]
        if self._code.text(opening) != "{":
            return opening + 1
        is_inline = self._code.text(index - 1) == "inline"
        qualifier = scope.qualifier if is_inline or not names else names[-1]
        end = self._code.past(opening)
        self._scope(opening + 1, end - 1, _Scope(qualifier, False, scope.is_internal or not names, scope.depth + 1))
        return end

    def _with_c_linkage(self, index: int, last: int, scope: _Scope) -> int:
        plain = _Scope(is_internal=scope.is_internal, depth=scope.depth + 1)
        if self._code.text(index + 2) != "{":
            return self._declaration(index + 2, last, plain, is_extern=True)
        end = self._code.past(index + 2)
        self._scope(index + 3, end - 1, plain)
        return end

    def _declaration(self, index: int, last: int, scope: _Scope, is_extern: bool = False) -> int:
        """One declaration from ``index`` on; the index behind it."""
        first, is_template = index, False
        is_extern_template = self._code.text(index) == "extern" and self._code.text(index + 1) == "template"
        index += is_extern_template
        while self._code.text(index) == "template":
            if self._code.text(index + 1) != "<":
                return self._instantiation(index + 1, last, scope, is_extern_template)
            end = self._code.past_angle(index + 1, last)
            is_template |= end > index + 3
            index = end
        head = self._code.head(index, last)
        if self._code.text(first) in _NO_DECLARATION or head.end <= index:
            return max(head.end, index + 1)
        if head.class_body is not None:
            self._class(head, scope)
        elif head.body is not None:
            self._function(head, scope, is_template)
        elif not self._prototype(head, scope):
            self._variables(head, scope, is_extern)
        return head.end

    def _function_name(self, head: Head, scope: _Scope) -> FunctionName | None:
        """The name of the declared function; None for operators, macro calls and what is no function."""
        if "operator" in self._code.texts(head.first, head.end if head.body is None else head.body):
            return None
        for group in reversed(head.groups):
            named = self._code.name_at(head.first, group)
            if named is None:
                continue
            owner = named.qualifier or (scope.qualifier if scope.is_class else "")
            if named.first > head.first or named.name.removeprefix("~") == owner or (head.body is not None and named.name == "main"):
                return named
        return None

    def _specifiers(self, head: Head, end: int) -> set[str]:
        return {token.text for token in self._tokens[head.first : end] if token.kind is TokenKind.WORD}

    def _function(self, head: Head, scope: _Scope, is_template: bool) -> None:
        named = self._function_name(head, scope)
        self._mention(head.first, head.end, scope, () if named is None else {named.parameters - 1})
        assert head.body is not None
        self._local_externs(head.body + 1, head.end - 1)
        if named is None:
            return
        if named.name == "main" and not (named.qualifier or scope.qualifier or scope.is_internal):
            self._main = MainFunction(self._live.conditions_at(self._tokens[named.first].start))
            return
        words = self._specifiers(head, named.first)
        key = scope.key(named.name, named.qualifier)
        self._inner.add(key)
        is_own = scope.is_internal or scope.is_class or is_template or "static" in words
        if not is_own and _INLINE.isdisjoint(words) and not any("INLINE" in word for word in words):
            self._defined.add(key)

    def _local_externs(self, index: int, last: int) -> None:
        """Declarations inside a body: ``extern void launch(float *);``."""
        while index < last:
            is_declaration = self._code.text(index) == "extern"
            index = self._declaration(index, last, _Scope(), is_extern=True) if is_declaration else index + 1

    def _prototype(self, head: Head, scope: _Scope) -> bool:
        """Takes a declared function; False where it is none."""
        named = None if head.equals is not None and not head.groups else self._function_name(head, scope)
        if named is None:
            return "operator" in self._code.texts(head.first, head.end)
        inside = self._tokens[named.parameters + 1 : named.parameters + 2]
        if inside and inside[0].kind in _LITERALS:
            return False
        words = self._specifiers(head, named.first)
        is_own = scope.is_internal or ("static" in words and not scope.is_class) or "friend" in words
        is_settled = head.equals is not None and self._code.text(head.equals + 1) in ("0", "default", "delete")
        if not is_own and not is_settled:
            self._declared.add(scope.key(named.name, named.qualifier))
        return True

    def _variables(self, head: Head, scope: _Scope, is_extern: bool) -> None:
        names = list(self._variable_names(head))
        if not names:
            self._mention(head.first, head.end, scope, ())
            return
        words = self._specifiers(head, names[0][0])
        if "__shared__" in words:
            return
        is_constant = self._is_constant(head.first, names[0][0])
        is_extern |= "extern" in words
        if not is_extern:
            self._mention(head.first, head.end, scope, {index for index, _, _ in names})
        for index, qualifier, has_value in names:
            key = scope.key(self._code.text(index), qualifier)
            if scope.is_class:
                self._declared.update({key} if "static" in words and not has_value and _INLINE.isdisjoint(words) else ())
            elif is_extern and not has_value:
                self._declared.add(key)
            else:
                self._inner.add(key)
                is_own = scope.is_internal or "static" in words or not _INLINE.isdisjoint(words)
                if not is_own:
                    (self._constants if is_constant and not is_extern else self._defined).add(key)

    def _is_constant(self, first: int, name: int) -> bool:
        """Whether the variable itself is ``const``, not only what it points to."""
        marks = [token.text for token in self._tokens[first:name] if token.text in ("const", "*")]
        return bool(marks) and marks[-1] == "const"

    def _variable_names(self, head: Head) -> Iterable[tuple[int, str, bool]]:
        """(index, qualifier, whether a value follows) of each name."""
        index, name, is_in_value, word_count, open_angles = head.first, -1, False, 0, 0
        while index < head.end:
            text = self._code.text(index)
            if text in (",", ";", "=", "{", "(") and not is_in_value and name >= 0 and word_count > 1:
                yield name, self._qualifier_of(name, head.first), text in ("=", "{", "(")
                name = -1
            is_in_value = text in ("=", "{", "(") or (is_in_value and text != ",")
            if self._code.is_word(index) and not is_in_value and text not in KEYWORDS and text not in ATTRIBUTES:
                name = index
            word_count += self._code.is_word(index)
            if text in OPENING:
                index = self._code.past(index)
            elif text == "<" and not is_in_value and open_angles < MOST_OPEN_ANGLES:
                end = self._code.past_angle(index, head.end)
                open_angles += end == index + 1
                index = end
            else:
                index += 1

    def _qualifier_of(self, name: int, first: int) -> str:
        if name - 3 < first or not self._code.text(name - 1) == self._code.text(name - 2) == ":":
            return ""
        return self._code.text(self._code.before_angle(name - 3, first))

    def _class(self, head: Head, scope: _Scope) -> None:
        assert head.class_body is not None
        if "enum" in self._code.texts(head.first, head.class_body):
            return
        name, index = "", head.first
        while index < head.class_body and self._code.text(index) != ":":
            if self._code.is_word(index) and self._code.text(index) not in ("final", *ATTRIBUTES):
                name = self._code.text(index)
            index = self._code.past(index) if self._code.text(index) in OPENING else index + 1
            if self._code.text(index) == "<":
                index = self._code.past_angle(index, head.class_body)
        self._mention(index, head.class_body, _Scope(name, True), ())
        self._scope(head.class_body + 1, self._code.past(head.class_body) - 1, _Scope(name, True, depth=scope.depth + 1))

    def _instantiation(self, index: int, last: int, scope: _Scope, is_extern: bool) -> int:
        """``template void f<float>(float *);`` or ``template class Plan<float>;`` without its first word."""
        head = self._code.head(index, last)
        if self._code.text(index) in CLASS_KEYS and not head.groups:
            end = next((place for place in range(index, head.end) if self._code.text(place) in ("<", ";")), head.end)
            key = f"{self._code.text(end - 1)}::"
        else:
            named = self._function_name(head, scope)
            if named is None:
                return head.end
            key = scope.key(named.name, named.qualifier)
        (self._extern_templates if is_extern else self._defined).add(key)
        return head.end

    def _mention(self, first: int, last: int, scope: _Scope, without: Iterable[int]) -> None:
        """Takes the words of code; a class does not mention itself."""
        left_out = frozenset(without)
        own = scope.qualifier if scope.is_class else None
        self._mentioned.update(
            token.text
            for index, token in enumerate(self._tokens[first:last], first)
            if token.kind is TokenKind.WORD and index not in left_out and token.text != own
        )
