"""What the names of a Python program stand for: imported objects, and the expression a variable was last given.

An answer is given only where the text alone decides it; else the reason why not. Nothing is run or imported.

Example::

    Bindings(program).imported("cp.RawKernel")   # 'cupy.RawKernel'
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from assistant.cuda.embedded.statements import Program, Scope, Statement
from assistant.cuda.embedded.tokens import Kind, Token
from assistant.model.embedded import EmbeddingProblemCode
from assistant.record import Record

__all__ = ["Bindings", "TokenRange", "UnresolvedName"]

_AUGMENTED = frozenset({"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", "//=", ">>=", "<<=", "**="})
_NOT_A_VARIABLE_BEFORE = frozenset({"."})
_NOT_A_VARIABLE_AFTER = frozenset({".", "[", "("})


class TokenRange(Record):
    """The tokens of an expression, and the statement they belong to."""

    first: int
    end: int
    statement: int


class UnresolvedName(Record):
    """Why a name has no known value."""

    code: EmbeddingProblemCode
    reason: str


class _Binding(Record):
    name: str
    scope: Scope
    statement: int
    value: TokenRange | None
    """None where something else than a plain assignment binds the name."""


class Bindings:
    """Every place of a program that gives a name a value."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._imports: dict[str, str] = {}
        """Dotted origin by local name; empty for what is defined in the text itself."""
        self._by_name: dict[str, list[_Binding]] = {}
        self._shared: set[str] = set()
        """Names of ``global`` and ``nonlocal`` statements."""
        self._inner: set[tuple[int, str]] = set()
        """(statement, name) of the variables of comprehensions and lambdas."""
        for index, statement in enumerate(program.statements):
            self._read(index, statement)

    def imported(self, dotted: str) -> str | None:
        """The dotted name with its first part replaced by what was imported under it; None where the first part was not imported.

        Empty where the text defines a function or class of that name.
        """
        first, dot, rest = dotted.partition(".")
        origin = self._imports.get(first)
        return origin + dot + rest if origin else origin

    def value_of(self, name: str, at: int) -> TokenRange | UnresolvedName:
        """The expression that ``name`` stands for in statement ``at``."""
        if name in self._shared:
            return UnresolvedName(EmbeddingProblemCode.GLOBAL_STATEMENT, f"`{name}` is changed through a `global` or `nonlocal` statement")
        if (at, name) in self._inner:
            return UnresolvedName(EmbeddingProblemCode.INNER_NAME, f"`{name}` belongs to a comprehension or a lambda")
        own: Scope | None = self._program.statements[at].scope
        scope = own
        while scope is not None:
            found = [binding for binding in self._by_name.get(name, ()) if binding.scope is scope]
            if found and (scope is own or not scope.is_class):
                return self._last_before(name, found, at) if scope is own else self._only_one(name, found)
            scope = scope.outer
        return UnresolvedName(EmbeddingProblemCode.NOT_ASSIGNED, f"`{name}` is not assigned in this text")

    def _last_before(self, name: str, found: list[_Binding], at: int) -> TokenRange | UnresolvedName:
        before = [binding for binding in found if binding.statement < at]
        if not before:
            return UnresolvedName(EmbeddingProblemCode.ASSIGNED_LATER, f"`{name}` is assigned only after its use")
        if len(found) > len(before) and self._is_in_loop(at):
            return UnresolvedName(EmbeddingProblemCode.ASSIGNED_AGAIN, f"`{name}` is assigned again further down, inside or after a loop")
        last = before[-1]
        if not self._program.is_block_open(last.statement, at):
            reason = f"`{name}` is assigned in a branch, so its text depends on the program's run"
            return UnresolvedName(EmbeddingProblemCode.ASSIGNED_IN_BRANCH, reason)
        return last.value or _not_plain(name)

    def _only_one(self, name: str, found: list[_Binding]) -> TokenRange | UnresolvedName:
        if len(found) > 1:
            return UnresolvedName(EmbeddingProblemCode.SEVERAL_ASSIGNMENTS, f"`{name}` is assigned in {len(found)} places")
        return found[0].value or _not_plain(name)

    def _is_in_loop(self, at: int) -> bool:
        statements, tokens = self._program.statements, self._program.tokens
        indent = statements[at].indent
        for statement in reversed(statements[:at]):
            if statement.indent < indent:
                indent = statement.indent
                if any(token.text in ("for", "while") for token in tokens[statement.first : statement.first + 2]):
                    return True
        return False

    def _bind(self, name: str, index: int, value: TokenRange | None = None, scope: Scope | None = None) -> None:
        scope = scope or self._program.statements[index].scope
        self._by_name.setdefault(name, []).append(_Binding(name, scope, index, value))

    def _read(self, index: int, statement: Statement) -> None:
        tokens = self._program.tokens[statement.first : statement.end]
        match tokens[0].text if tokens[0].kind is Kind.NAME else "":
            case "import" | "from":
                self._read_import(index, tokens)
            case "def" | "class" | "async":
                self._read_definition(index, tokens)
            case "global" | "nonlocal":
                self._shared.update(token.text for token in tokens[1:] if token.kind is Kind.NAME)
            case "for" | "with" | "except" | "del" | "case":
                self._read_targets(index, tokens)
            case _:
                self._read_assignment(index, statement)
        self._read_inside(index, tokens)

    def _read_inside(self, index: int, tokens: tuple[Token, ...]) -> None:
        """What expressions bind: ``name :=``, comprehensions, lambdas."""
        for at, (token, following) in enumerate(pairwise(tokens)):
            if token.kind is not Kind.NAME:
                continue
            if following.text == ":=":
                self._bind(token.text, index)
            elif at > 0 and token.text in ("for", "lambda"):
                inner = _until(tokens[at + 1 :], "in" if token.text == "for" else ":")
                self._inner.update((index, name) for name in _variables(list(inner)))

    def _read_import(self, index: int, tokens: tuple[Token, ...]) -> None:
        words = [token.text for token in tokens if token.kind is not Kind.NEWLINE and token.text not in "()"]
        module = ""
        if words[0] == "from":
            if "import" not in words:
                return
            at = words.index("import")
            module, words = "".join(words[1:at]), words[at:]
        for item in _split(words[1:]):
            name, alias = ("".join(item[:-2]), item[-1]) if len(item) > 2 and item[-2] == "as" else ("".join(item), "")
            if name == "*":
                continue
            if module:
                self._imports[alias or name] = f"{module}.{name}"
            elif alias:
                self._imports[alias] = name
            else:
                self._imports[name.partition(".")[0]] = name.partition(".")[0]
            self._bind(alias or name.partition(".")[0], index)

    def _read_definition(self, index: int, tokens: tuple[Token, ...]) -> None:
        start = 2 if tokens[0].text == "async" else 1
        if len(tokens) > start and tokens[start].kind is Kind.NAME:
            self._imports[tokens[start].text] = ""
            self._bind(tokens[start].text, index)
        inner = next((s.scope for s in self._program.statements[index + 1 : index + 2] if s.scope.head == index and s.scope.outer), None)
        if inner is None or inner.is_class:
            return
        for before, token in pairwise(tokens[start:]):
            if token.kind is Kind.NAME and before.text in ("(", ",", "*", "**"):
                self._bind(token.text, index, scope=inner)

    def _read_targets(self, index: int, tokens: tuple[Token, ...]) -> None:
        words = [token.text for token in tokens]
        if words[0] in ("with", "except"):
            starts = [at + 1 for at, word in enumerate(words) if word == "as"]
            targets = [token for start in starts for token in _until(tokens[start:], ",")]
        else:
            targets = list(_until(tokens[1:], "in"))
        for name in _variables(targets):
            self._bind(name, index)

    def _read_assignment(self, index: int, statement: Statement) -> None:
        tokens = self._program.tokens
        equals: list[int] = []
        at = statement.first
        while at < statement.end:
            if tokens[at].kind is Kind.OTHER and (tokens[at].text == "=" or tokens[at].text in _AUGMENTED):
                equals.append(at)
            at = self._program.closings.get(at, at) + 1
        start = statement.first
        for equal in equals:
            is_plain = _is_plain_target(tokens[start:equal]) and tokens[equal].text == "="
            value = TokenRange(equals[-1] + 1, statement.end, index) if is_plain else None
            names = [tokens[start].text] if is_plain else list(_variables(tokens[start:equal]))
            for name in names:
                self._bind(name, index, value)
            start = equal + 1


def _is_plain_target(tokens: tuple[Token, ...]) -> bool:
    """``name`` or ``name: annotation``."""
    is_name = bool(tokens) and tokens[0].kind is Kind.NAME
    return is_name and (len(tokens) == 1 or tokens[1].text == ":")


def _variables(tokens: list[Token] | tuple[Token, ...]) -> Iterator[str]:
    """Names among the tokens that are neither attributes nor called or subscripted."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.kind is Kind.NAME and before not in _NOT_A_VARIABLE_BEFORE and after not in _NOT_A_VARIABLE_AFTER:
            yield token.text


def _until(tokens: tuple[Token, ...], word: str) -> Iterator[Token]:
    for token in tokens:
        if token.text == word:
            return
        yield token


def _split(words: list[str]) -> Iterator[list[str]]:
    """Runs of words between commas."""
    item: list[str] = []
    for word in [*words, ","]:
        if word != ",":
            item.append(word)
        elif item:
            yield item
            item = []


def _not_plain(name: str) -> UnresolvedName:
    return UnresolvedName(EmbeddingProblemCode.NOT_PLAIN_ASSIGNMENT, f"`{name}` gets its value from something else than a plain assignment")
